"""
The sidecar of facts, `script.db.memory_links`: what changes about a fact, which itself never does.

::

    {"4f1c...": {"linked_to": [{"id": "77ab...", "score": 0.85}], "processed_at": "2025-12-06T...",
                 "state": "active", "successor": None, "entry_ids": [12], ...}}

`linked_to` and `processed_at` are documented; the other keys are ours and have defaults. Links run
both ways: whoever writes one writes its opposite.

Up to `ROOM` records stand in the documented Attribute. Of more, those whose links were looked for
move to Attributes of category `memory_link`, a few dozen records each, so that a write costs the
same whether an NPC keeps a hundred facts or twenty thousand. Readers notice nothing of it.

"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..mind.retention import ACTIVE
from .attribute_store import AttributeStore, save_together
from .attribute_value import rows_of

#: Records kept in `db.memory_links` itself.
ROOM = 500
#: Further Attributes, and how many of them one save fills at most.
BUCKETS = 256
FILLED_AT_ONCE = 8
CATEGORY = "memory_link"

#: Our keys of a record and their defaults; a record carries only what says something else.
DEFAULTS: Mapping[str, Any] = {
    "topic": None,
    "cycles": 0,
    "hits": 0,
    "clock": None,
    "gained": 0.0,
    "importance": None,
    "when": [],
    "themes": [],
    "pinned": False,
    "state": ACTIVE,
    "successor": None,
    "entry_ids": [],
    "mention_count": 1,
}


def get(record: Mapping[str, Any] | None, key: str) -> Any:
    """One of our keys of a record, or its default when the record does not carry it."""
    return DEFAULTS[key] if record is None else record.get(key, DEFAULTS[key])


def empty_record() -> dict[str, Any]:
    """The documented keys of a fact nothing is known of yet."""
    return {"linked_to": [], "processed_at": None}


def repair_links(raw: Any) -> tuple[dict[str, Any], str | None]:
    """The sound records of whatever is stored, and what was wrong, None if nothing was."""
    if not isinstance(raw, Mapping):
        return {}, "not a mapping"
    sound: dict[str, Any] = {}
    for fact_id, record in raw.items():
        if not isinstance(fact_id, str) or not isinstance(record, Mapping):
            continue
        links = record.get("linked_to")
        sound[fact_id] = {
            **empty_record(),
            **record,
            "linked_to": [link for link in links if _is_link(link)]
            if isinstance(links, list)
            else [],
        }
    broken = len(sound) != len(raw) or any(
        len(sound[key]["linked_to"]) != _length(raw[key].get("linked_to")) for key in sound
    )
    return sound, "holding records that cannot be read" if broken else None


class MemoryLinks:
    """
    The records of one NPC's facts. The caller saves: `save`, or `stores` with others.

    Args:
        script: Its AssistantScript.

    """

    def __init__(self, script: Any) -> None:
        self.script = script
        self.store = AttributeStore(
            script, "memory_links", dict, repair=repair_links, sectioned=True
        )
        self._buckets: dict[str, AttributeStore] = {}
        self._all_known = False
        self._fading: dict[str, tuple[int, dict[str, str]]] = {}

    # Reading --------------------------------------------------------------------------------

    def get(self, fact_id: str) -> dict[str, Any] | None:
        """The record of a fact, None when there is none."""
        home = self._home(fact_id)
        return None if home is None else home.data[fact_id]

    def state(self, fact_id: str) -> str:
        """Whether a fact still holds: `active`, `superseded`, `dormant`, ..."""
        return str(get(self.get(fact_id), "state"))

    def fading(self) -> dict[str, str]:
        """
        The states of all facts that do not simply hold, by id; of the others it has none.

        They are few. For whoever asks about thousands at once, and not for longer than that: it is
        a copy.

        """
        found: dict[str, str] = {}
        for store in self._every_store():
            # Read before its changes are: that is what notices those behind its back.
            records = store.data
            changes, states = self._fading.get(store.key, (-1, {}))
            if changes != store.changes:
                every = (
                    (fact_id, str(get(record, "state"))) for fact_id, record in records.items()
                )
                states = {fact_id: state for fact_id, state in every if state != ACTIVE}
                self._fading[store.key] = store.changes, states
            found.update(states)
        return found

    def linked(self, fact_id: str) -> list[tuple[str, float]]:
        """Ids and scores of the facts a fact is linked with, closest first."""
        links = (self.get(fact_id) or {}).get("linked_to", ())
        return sorted(((link["id"], float(link["score"])) for link in links), key=lambda x: -x[1])

    def items(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Every fact id with its record."""
        for store in self._every_store():
            yield from list(store.data.items())

    def unprocessed(self) -> list[str]:
        """Ids of the facts no links were looked for yet, in the order they came."""
        # These never move on, so that finding them costs the same at any age.
        return [key for key, record in self.store.data.items() if record["processed_at"] is None]

    def parts(self) -> Iterator[dict[str, dict[str, Any]]]:
        """The records a few dozen at a time, for work that lets others have their turn between."""
        for store in self._every_store():
            yield dict(store.data)

    def is_empty(self) -> bool:
        """Whether the NPC has no fact at all."""
        return not self.store.data and not any(store.data for store in self._every_store())

    def __len__(self) -> int:
        return sum(len(store.data) for store in self._every_store())

    # Writing --------------------------------------------------------------------------------

    def change(self, fact_id: str, **fields: Any) -> dict[str, Any]:
        """
        Set keys of a fact's record, which is made when there is none.

        Args:
            fact_id: Its id in semantic memory.
            **fields: Keys and values.

        Returns:
            The record.

        """
        home = self._home(fact_id)
        if home is None:
            home = self.store
            home.data[fact_id] = empty_record()
        record = home.data[fact_id]
        record.update(fields)
        home.touch(fact_id)
        return record

    def link(self, one: str, other: str, score: float) -> bool:
        """
        Link two facts, both ways.

        Returns:
            Whether they were not linked yet. A link there already takes the new score.

        """
        if one == other:
            return False
        made = [self._put(one, other, score), self._put(other, one, score)]
        return any(made)

    def remove(self, fact_ids: Iterable[str]) -> None:
        """Forget facts: their records, and every link to them that their records name."""
        for fact_id in list(fact_ids):
            for other, _score in self.linked(fact_id):
                self.unlink(other, [fact_id])
            home = self._home(fact_id)
            if home is not None:
                home.touch(fact_id)
                del home.data[fact_id]

    def unlink(self, fact_id: str, others: Iterable[str]) -> None:
        """Take links out of one record; the opposite ones are the caller's."""
        home, gone = self._home(fact_id), set(others)
        if home is None:
            return
        record = home.data[fact_id]
        record["linked_to"] = [link for link in record["linked_to"] if link["id"] not in gone]
        home.touch(fact_id)

    def stores(self) -> list[AttributeStore]:
        """All that may have to be written; what is too much for one Attribute moves on first."""
        self._make_room()
        return [self.store, *self._buckets.values()]

    def save(self, *others: AttributeStore) -> None:
        """Write what changed, these and any others, in one transaction."""
        save_together([*self.stores(), *others])

    # Within ---------------------------------------------------------------------------------

    def _put(self, source: str, target: str, score: float) -> bool:
        record = self.change(source)
        for link in record["linked_to"]:
            if link["id"] == target:
                link["score"] = round(score, 4)
                return False
        record["linked_to"].append({"id": target, "score": round(score, 4)})
        return True

    def _home(self, fact_id: str) -> AttributeStore | None:
        """The store that has a fact's record."""
        if fact_id in self.store.data:
            return self.store
        self._know_buckets()
        bucket = self._buckets.get(_bucket_of(fact_id))
        return bucket if bucket is not None and fact_id in bucket.data else None

    def _every_store(self) -> list[AttributeStore]:
        self._know_buckets()
        return [self.store, *self._buckets.values()]

    def _know_buckets(self) -> None:
        """Learn which further Attributes there are; their contents are read when asked for."""
        if self._all_known:
            return
        for row in rows_of(self.script, CATEGORY):
            self._bucket(row.db_key)
        self._all_known = True

    def _bucket(self, key: str) -> AttributeStore:
        if key not in self._buckets:
            self._buckets[key] = AttributeStore(
                self.script, key, dict, category=CATEGORY, repair=repair_links, sectioned=True
            )
        return self._buckets[key]

    def _make_room(self) -> None:
        records = self.store.data
        if len(records) <= ROOM:
            return
        self._know_buckets()
        waiting: dict[str, list[str]] = defaultdict(list)
        for fact_id, record in records.items():
            if record["processed_at"] is not None:
                waiting[_bucket_of(fact_id)].append(fact_id)
        fullest = sorted(waiting, key=lambda key: -len(waiting[key]))[:FILLED_AT_ONCE]
        for key in fullest:
            bucket = self._bucket(key)
            for fact_id in waiting[key]:
                bucket.data[fact_id] = records[fact_id]
                bucket.touch(fact_id)
                self.store.touch(fact_id)
                del records[fact_id]


def _bucket_of(fact_id: str) -> str:
    return f"facts_{zlib.crc32(fact_id.encode()) % BUCKETS:03d}"


def _is_link(link: Any) -> bool:
    return (
        isinstance(link, Mapping)
        and isinstance(link.get("id"), str)
        and isinstance(link.get("score"), int | float)
    )


def _length(links: Any) -> int:
    return len(links) if isinstance(links, list) else 0
