"""
The outbox: how facts get into semantic memory without one being lost or stored twice.

Semantic memory and the game's database know nothing of each other, so no transaction spans both.
A fact therefore goes through five steps, and a process may die between any two of them:

1. the facts are written down here, on `script.db.mem0_outbox`;
2. semantic memory is asked which of their keys it has already;
3. those it lacks are added;
4. it is asked again, for only what can be read back is stored;
5. the mark that they are stored is written in one transaction with the removal of the record.

Whatever is still written down after a restart is taken up by `resume`. A fact that semantic memory
does not take stays here, with the reason, where `aimemory/facts` shows it::

    delivered = outbox_of(script).deliver(facts, mark=mark)

"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from typing import Any

from evennia.utils import logger
from twisted.internet.defer import Deferred, DeferredLock, inlineCallbacks, succeed

from ..errors import MemoryFault, SemanticMemoryError
from ..mind.fact import Fact
from .attribute_store import AttributeStore, save_together
from .boundaries import reached
from .semantic import semantic_memory

#: Facts that may wait at once; beyond it nothing more is taken, and its evidence stays unmarked.
MOST_FACTS = 500
#: Refusals after which a record of several facts is taken apart, so that one cannot hold others.
SPLIT_AFTER = 2
#: Refusals after which a fact that semantic memory does not take is only tried when told to.
SET_ASIDE_AFTER = 5

#: Failures that lie with a fact, not with semantic memory as a whole.
_OF_THE_FACT = frozenset({MemoryFault.DROPPED, MemoryFault.REFUSED})

#: Where `boundaries.reached` is called, in order.
POINTS = (
    "outbox.begun",
    "outbox.recorded",
    "outbox.looked_up",
    "outbox.added",
    "outbox.read_back",
    "outbox.marking",
    "outbox.marked",
)

#: Given the ids of stored facts by key, changes what says so and returns the stores to be saved.
Mark = Callable[[dict[str, str]], list[AttributeStore]]


def empty_outbox() -> dict[str, Any]:
    """An outbox in which nothing waits."""
    return {"count": 0, "records": []}


def repair_outbox(raw: Any) -> tuple[dict[str, Any], str | None]:
    """
    The sound part of whatever stands in `db.mem0_outbox`.

    Args:
        raw: The value as stored.

    Returns:
        An outbox, and what was wrong with `raw`, None if nothing was.

    """
    outbox = empty_outbox()
    if not isinstance(raw, Mapping) or not isinstance(raw.get("records"), list):
        return outbox, "no outbox"
    problems = []
    for record in raw["records"]:
        try:
            _facts_of(record)
            outbox["records"].append(
                {
                    "id": int(record["id"]),
                    "facts": [dict(fact) for fact in record["facts"]],
                    "attempts": int(record["attempts"]),
                    "fault": str(record["fault"]),
                    "reason": str(record["reason"]),
                    "refused": int(record.get("refused", 0)),
                }
            )
        except (KeyError, TypeError, ValueError) as err:
            problems.append(f"holding a record that cannot be read ({err!r})")
    highest = max((record["id"] for record in outbox["records"]), default=0)
    count = raw.get("count")
    outbox["count"] = max(count if isinstance(count, int) else 0, highest)
    return outbox, "; ".join(problems) or None


class Outbox:
    """
    The facts of one NPC that are on their way; use `outbox_of`, for there may be only one.

    Args:
        script: The AssistantScript.

    """

    def __init__(self, script: Any) -> None:
        self.script = script
        self.store = AttributeStore(script, "mem0_outbox", empty_outbox, repair=repair_outbox)
        self._lock = DeferredLock()

    # What waits ---------------------------------------------------------------------------------

    @property
    def records(self) -> list[dict[str, Any]]:
        """What waits, oldest first: `id`, `facts`, `attempts`, `fault`, `reason`, `refused`."""
        return self.store.data["records"]

    def waiting(self) -> list[Fact]:
        """Every fact that is not known to be stored, oldest first."""
        return [fact for record in self.records for fact in _facts_of(record)]

    def entry_ids(self) -> set[int]:
        """Numbers of the journal entries that these facts rest on."""
        return {number for fact in self.waiting() for number in fact.entry_ids}

    def withdraw(self, keys: Collection[str]) -> int:
        """
        Take facts back; saving `store` is left to the caller.

        One that is on its way is removed from semantic memory when it has arrived.

        Args:
            keys: Of the facts.

        Returns:
            How many were waiting.

        """
        gone = 0
        for record in self.records:
            kept = [fact for fact in record["facts"] if fact["key"] not in keys]
            gone += len(record["facts"]) - len(kept)
            record["facts"] = kept
        self.records[:] = [record for record in self.records if record["facts"]]
        if gone:
            self.store.touch()
        return gone

    # On the way ---------------------------------------------------------------------------------

    def deliver(self, facts: Sequence[Fact], *, mark: Mark) -> Deferred[dict[str, str]]:
        """
        Store facts, and mark that they are.

        Args:
            facts: Of one key, the last counts. What waits under the same key is replaced by it.
            mark: Called when all of them were read back, with their ids by key. It may be called
                again for the same facts after a restart, so marking twice must be as marking once.

        Returns:
            Ids by key, when the mark is written. It fails with `SemanticMemoryError` when they
            could not be stored; they wait then for `resume`, unless the outbox is full.

        """
        if not facts:
            return succeed({})
        return self._lock.run(self._deliver, {fact.key: fact for fact in facts}, mark)

    def resume(
        self, mark_for: Callable[[list[Fact]], Mark], *, set_aside_too: bool = False
    ) -> Deferred[dict[str, str]]:
        """
        Take up everything that waits.

        Args:
            mark_for: Makes, for facts that were read back, the mark to be called.
            set_aside_too: Also try those that were refused too often.

        Returns:
            Ids by key of what was stored. A fact that is not taken stays, with its reason. It
            fails with `SemanticMemoryError` when semantic memory as a whole cannot be used.

        """
        return self._lock.run(self._resume, mark_for, set_aside_too)

    def while_idle(self, work: Callable[[], Deferred[Any]]) -> Deferred[Any]:
        """Do something while nothing is on its way; what is on its way arrives first."""
        return self._lock.run(work)

    @inlineCallbacks
    def _deliver(
        self, facts: dict[str, Fact], mark: Mark
    ) -> Generator[Deferred[Any], Any, dict[str, str]]:
        reached("outbox.begun")
        record_id = self._write_down(facts)
        reached("outbox.recorded")
        ids = yield self._carry(record_id, mark)
        return ids

    @inlineCallbacks
    def _resume(
        self, mark_for: Callable[[list[Fact]], Mark], set_aside_too: bool
    ) -> Generator[Deferred[Any], Any, dict[str, str]]:
        ids: dict[str, str] = {}
        for record_id in [record["id"] for record in self.records]:
            record = self._record(record_id)
            if record is None or (is_set_aside(record) and not set_aside_too):
                continue
            try:
                stored = yield self._carry(record_id, mark_for(_facts_of(record)))
            except SemanticMemoryError as err:
                if err.fault not in _OF_THE_FACT:
                    raise
            else:
                ids.update(stored)
        return ids

    @inlineCallbacks
    def _carry(self, record_id: int, mark: Mark) -> Generator[Deferred[Any], Any, dict[str, str]]:
        """Bring one record's facts to semantic memory, and mark them."""
        try:
            ids = yield self._store_missing(record_id)
        except SemanticMemoryError as err:
            self._note(record_id, err)
            raise
        if self.script.pk is None:
            return {}
        record = self._record(record_id)
        wanted = set() if record is None else {fact["key"] for fact in record["facts"]}
        strays = [found for key, found in ids.items() if key not in wanted]
        if strays:
            # Taken back while they were on their way.
            yield semantic_memory().delete(self._user_id, strays)
        ids = {key: found for key, found in ids.items() if key in wanted}
        self._save_without(record_id, mark(ids) if ids else [])
        return ids

    @inlineCallbacks
    def _store_missing(self, record_id: int) -> Generator[Deferred[Any], Any, dict[str, str]]:
        """Ids of all facts of a record, each read back."""
        record = self._record(record_id)
        facts = {} if record is None else {fact.key: fact for fact in _facts_of(record)}
        ids: dict[str, str] = yield semantic_memory().find_by_keys(self._user_id, list(facts))
        reached("outbox.looked_up")
        missing = [fact for key, fact in facts.items() if key not in ids]
        if missing:
            yield semantic_memory().add(self._user_id, missing)
            reached("outbox.added")
            ids = yield semantic_memory().find_by_keys(self._user_id, list(facts))
            lost = [key for key in facts if key not in ids]
            if lost:
                raise SemanticMemoryError(
                    f"Semantic memory took {len(facts)} facts and does not have {len(lost)} of "
                    "them; they will be offered again.",
                    MemoryFault.DROPPED,
                )
        reached("outbox.read_back")
        return ids

    # The record ---------------------------------------------------------------------------------

    @property
    def _user_id(self) -> str:
        return str(self.script.db.assistant_key)

    def _record(self, record_id: int) -> dict[str, Any] | None:
        """A record as it is now, None when it is gone."""
        return next((record for record in self.records if record["id"] == record_id), None)

    def _write_down(self, facts: Mapping[str, Fact]) -> int:
        keys = [fact["key"] for record in self.records for fact in record["facts"]]
        waiting = sum(key not in facts for key in keys)
        if waiting + len(facts) > MOST_FACTS:
            raise SemanticMemoryError(
                f"{waiting} facts of {self._user_id} wait for semantic memory, and no more are "
                f"taken; 'aimemory/facts {self._user_id}' says why.",
                MemoryFault.BUSY,
            )
        self.withdraw(facts)
        data = self.store.data
        data["count"] += 1
        kept = [{**fact.to_metadata(), "text": fact.text} for fact in facts.values()]
        data["records"].append(_new_record(data["count"], kept))
        self.store.touch()
        self.store.save()
        return int(data["count"])

    def _save_without(self, record_id: int, stores: list[AttributeStore]) -> None:
        """Write the marks, and that the record is done with, as one."""
        before = list(self.records)
        self.records[:] = [record for record in before if record["id"] != record_id]
        self.store.touch()
        saved = False
        try:
            reached("outbox.marking")
            save_together([*stores, self.store])
            saved = True
        finally:
            if not saved:
                self.records[:] = before
        reached("outbox.marked")

    def _note(self, record_id: int, err: SemanticMemoryError) -> None:
        """Keep with a record why it could not be delivered."""
        record = self._record(record_id)
        if record is None or self.script.pk is None:
            return
        record.update(attempts=record["attempts"] + 1, fault=err.fault.value, reason=str(err)[:300])
        # A store out of reach is not held against the facts.
        if is_of_the_fact(record):
            record["refused"] = record.get("refused", 0) + 1
            if record["refused"] >= SPLIT_AFTER:
                self._take_apart(record)
        self.store.touch()
        self.store.save()
        logger.log_warn(f"Assistant {self._user_id}: facts wait in the outbox: {err}")

    def _take_apart(self, record: dict[str, Any]) -> None:
        data = self.store.data
        for fact in record["facts"][1:]:
            data["count"] += 1
            alone = _new_record(data["count"], [fact])
            counted = {name: record[name] for name in ("attempts", "refused")}
            data["records"].append({**alone, **counted})
        del record["facts"][1:]


def with_facts(outbox: Mapping[str, Any], facts: Sequence[Fact]) -> dict[str, Any]:
    """An outbox in which these facts wait too, each by itself; the given one is left as it is."""
    count, records = int(outbox["count"]), list(outbox["records"])
    for fact in facts:
        count += 1
        records.append(_new_record(count, [{**fact.to_metadata(), "text": fact.text}]))
    return {**outbox, "count": count, "records": records}


def outbox_of(script: Any) -> Outbox:
    """The outbox of an NPC: always the same one, for two would write over each other."""
    if script.ndb.mem0_outbox is None:
        script.ndb.mem0_outbox = Outbox(script)
    outbox: Outbox = script.ndb.mem0_outbox
    return outbox


def is_of_the_fact(record: Mapping[str, Any]) -> bool:
    """Whether a record waits because of what is in it, rather than for semantic memory."""
    return record["fault"] in _OF_THE_FACT


def is_set_aside(record: Mapping[str, Any]) -> bool:
    """Whether a record is only tried when an operator says so."""
    return is_of_the_fact(record) and record.get("refused", 0) >= SET_ASIDE_AFTER


def _new_record(number: int, facts: list[dict[str, Any]]) -> dict[str, Any]:
    return {"id": number, "facts": facts, "attempts": 0, "fault": "", "reason": "", "refused": 0}


def _facts_of(record: Mapping[str, Any]) -> list[Fact]:
    return [Fact.from_metadata("", fact["text"], fact) for fact in record["facts"]]
