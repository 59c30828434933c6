"""
From the day's journal to lasting facts: what document 001 calls consolidation.

One call takes a handful of entries that no fact was made of yet, has them turned into facts
(`asleep.extraction`), looks whether semantic memory knows these already, and delivers the new ones
through the outbox. The marks of the entries, the sidecar and the outbox change in one transaction;
broken off anywhere, the next call goes on from what is stored.

"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from evennia.utils import logger
from twisted.internet.defer import Deferred, inlineCallbacks
from twisted.python.failure import Failure

from ..awake.models import has_model
from ..errors import SemanticMemoryError
from ..llm.asking import Ask
from ..memory import memory_links
from ..memory.attribute_store import AttributeStore, save_together
from ..memory.memory_links import ACTIVE
from ..memory.outbox import Mark, is_set_aside, outbox_of
from ..memory.semantic import semantic_memory
from ..memory.thresholds import semantic_thresholds
from ..mind import entry as entries
from ..mind.audience import frozen
from ..mind.extraction import distinct_times, same_words
from ..mind.fact import Fact
from ..mind.retention import DORMANT
from .extraction import Extraction, by_model, word_for_word
from .forgotten_facts import delete_forgotten_facts
from .night import night_of

SUPERSEDED = "superseded"
#: Waiting entries looked through for those of one audience.
LOOKED_AT = 300
#: Facts like a new one that are looked at.
ALIKE = 5


@inlineCallbacks
def run_sleep_consolidation(
    script: Any,
    character: Any,
    max_entries_per_tick: int = 5,
    *,
    min_importance: int = 1,
    ask: Ask | None = None,
) -> Generator[Deferred[Any], Any, dict[str, Any]]:
    """
    Turn a few journal entries into facts of semantic memory, and mark them.

    Entries of kinds synthesis, summary and expectation are conclusions and stay where they are.
    While a night is open, entries written after it began wait for the next.

    Args:
        script: The AssistantScript.
        character: Its NPC.
        max_entries_per_tick: Most entries; they share one model call.
        min_importance: Entries that matter less keep waiting.
        ask: Asks the model; None is the NPC's own way.

    Returns:
        `{"completed", "consolidated", "facts", "mentioned", "superseded", "nothing", "refused",
        "failed", "set_aside", "changes"}`: numbers, and the changes for the night's ledger.

    Raises:
        ModelError: If the model could not be asked; no entry is blamed for it.
        SemanticMemoryError: If semantic memory could not be used; what was under way waits in the
            outbox.

    """
    # Before anything is compared with what semantic memory has, it has nothing that was forgotten.
    forgotten = yield delete_forgotten_facts(script)
    if not forgotten["completed"]:
        raise SemanticMemoryError(forgotten["problem"])
    outbox = outbox_of(script)
    if outbox.records:
        yield outbox.resume(lambda facts: mark_for(script, facts))
    asks = has_model(script)
    batch = _next_batch(script, character, max_entries_per_tick, min_importance, asks)
    if not batch:
        return _report(completed=not _still_under_way(script))
    key = str(script.db.assistant_key)
    if asks:
        extraction = yield by_model(
            batch, character, key, ask or script.agent.ask, script.agent.now()
        )
    else:
        extraction = word_for_word(batch, character, key)
    new, mentions = yield _told_apart(script, extraction.facts)
    report = yield _store(script, extraction, new, mentions)
    left = _next_batch(script, script.character, 1, min_importance, asks)
    report["completed"] = not left and not _still_under_way(script)
    return report


# Which entries ------------------------------------------------------------------------------------


def _next_batch(
    script: Any, character: Any, most: int, min_importance: int, asks: bool
) -> list[dict[str, Any]]:
    """
    The oldest entries that wait.

    Where a model is asked, it is shown those alone that may be told to the same people, and what
    was said in confidence apart from the rest.

    """
    under_way = outbox_of(script).entry_ids()
    newest = _newest_of_tonight(script)
    waiting = (
        entry
        for entry in character.memory.journal.unconsolidated(min_importance)
        if entry["id"] not in under_way and (newest is None or entry["id"] <= newest)
    )
    batch: list[dict[str, Any]] = []
    for entry in islice(waiting, LOOKED_AT):
        other = batch and _circle(entry) != _circle(batch[0])
        if asks and other:
            continue
        if entries.get(entry, "attempts"):
            # Alone, it cannot keep others from their facts.
            if not batch:
                return [entry]
            continue
        batch.append(entry)
        if len(batch) >= most:
            break
    return batch


def _circle(entry: Mapping[str, Any]) -> tuple[Any, bool]:
    """What entries of one prompt have in common, so that none tells what is kept of another."""
    return frozen(entry.get("audience")), entries.in_confidence(entry)


def _still_under_way(script: Any) -> bool:
    """Whether facts wait in the outbox that are worth another try."""
    return not all(is_set_aside(record) for record in outbox_of(script).records)


def _newest_of_tonight(script: Any) -> int | None:
    """The number of the last entry there was when the night began; None outside of nights."""
    night = night_of(script)
    return max(night.data["entry_ids"], default=0) if night.is_open else None


# Which facts are new ------------------------------------------------------------------------------


@inlineCallbacks
def _told_apart(
    script: Any, facts: Sequence[Fact]
) -> Generator[Deferred[Any], Any, tuple[list[Fact], dict[str, list[int]]]]:
    """Facts that are new, and the evidence of the others by the fact that says the same."""
    new: list[Fact] = []
    mentions: dict[str, list[int]] = {}
    same = semantic_thresholds().same
    for fact in facts:
        if any(_say_the_same(script, fact, other, 0.0, same) for other in new):
            # It waits for the next batch, where the other is found to stand.
            continue
        alike = yield semantic_memory().search(str(script.db.assistant_key), fact.text, top_k=ALIKE)
        links = script.character.memory.facts.links
        standing = next(
            (
                other
                for other, cosine in alike
                if links.state(other.id) == ACTIVE
                and other.id not in fact.replaces
                and _say_the_same(script, fact, other, cosine, same)
            ),
            None,
        )
        if standing is None:
            new.append(fact)
        else:
            mentions.setdefault(standing.id, []).extend(fact.entry_ids)
    return new, mentions


def _say_the_same(script: Any, fact: Fact, other: Fact, cosine: float, same: float) -> bool:
    """Whether two facts are one: one witness, one audience, one matter, one time."""
    if fact.audience != other.audience or fact.source_id != other.source_id:
        return False
    if not same_words(fact.text, other.text) and (
        cosine < same or set(fact.entities) != set(other.entities)
    ):
        return False
    return not distinct_times(_dates(script, fact), _dates(script, other))


def _dates(script: Any, fact: Fact) -> list[Any]:
    journal = script.character.memory.journal
    found = (journal.find_anywhere(number) for number in fact.entry_ids)
    return [entries.get(entry, "event_time") for entry in found if entry is not None]


# Storing ------------------------------------------------------------------------------------------


def mark_for(
    script: Any,
    facts: Sequence[Fact],
    mentions: Mapping[str, Sequence[int]] | None = None,
    empty: Iterable[int] = (),
) -> Mark:
    """
    What is to be written when facts are known to be stored; writing it twice changes nothing.

    Args:
        script: The AssistantScript.
        facts: The facts.
        mentions: Numbers of entries that say again what a stored fact says, by the fact's id.
        empty: Numbers of entries that hold nothing to keep.

    """

    def mark(ids: dict[str, str]) -> list[AttributeStore]:
        memory = script.character.memory
        links, journal = memory.facts.links, memory.journal
        facts_of: dict[int, list[str]] = {number: [] for number in empty}
        stored = [replace(fact, id=ids[fact.key]) for fact in facts if fact.key in ids]
        changed = []
        for fact in stored:
            for number in fact.entry_ids:
                facts_of.setdefault(number, []).append(fact.id)
            evidence = [journal.find_anywhere(number) for number in fact.entry_ids]
            links.change(fact.id, **_taken_over(fact, evidence))
            for old in fact.replaces:
                if links.get(old) is not None and links.state(old) == ACTIVE:
                    links.change(old, state=SUPERSEDED, successor=fact.id)
                    changed.append(old)
        for fact_id, numbers in (mentions or {}).items():
            _mention(links, fact_id, numbers)
            for number in numbers:
                facts_of.setdefault(number, []).append(fact_id)
        stores = journal.mark_consolidated(facts_of)
        memory.facts.add(stored)
        memory.facts.refresh(changed).addErrback(_is_known)
        return [*stores, *links.stores()]

    return mark


def _taken_over(fact: Fact, evidence: Sequence[Any]) -> dict[str, Any]:
    """What the sidecar takes over from the entries a fact rests on."""
    found = [entry for entry in evidence if entry is not None]
    fields: dict[str, Any] = {"entry_ids": list(fact.entry_ids)}
    for key in ("hits", "cycles"):
        value = max((entries.get(entry, key) for entry in found), default=0)
        if value:
            fields[key] = value
    if any(entries.get(entry, "pinned") for entry in found):
        fields["pinned"] = True
    since = [entry["clock"] for entry in found if entry.get("clock") is not None]
    if since:
        fields["clock"] = min(since)
    if found and all(entries.get(entry, "state") == DORMANT for entry in found):
        fields["state"] = DORMANT
    if found and all(entries.get(entry, "state") == SUPERSEDED for entry in found):
        # Taken back while the fact was on its way.
        fields["state"] = SUPERSEDED
    return fields


def _mention(links: Any, fact_id: str, numbers: Sequence[int]) -> None:
    record = links.get(fact_id)
    known = memory_links.get(record, "entry_ids")
    more = [number for number in dict.fromkeys(numbers) if number not in known]
    if more:
        count = memory_links.get(record, "mention_count") + len(more)
        links.change(fact_id, entry_ids=[*known, *more], mention_count=count)


@inlineCallbacks
def _store(
    script: Any, extraction: Extraction, new: Sequence[Fact], mentions: dict[str, list[int]]
) -> Generator[Deferred[Any], Any, dict[str, Any]]:
    """Deliver what is new and mark all of it; what was done."""
    failed = _mark_failed(script, extraction)
    used = {number for fact in new for number in fact.entry_ids}
    used.update(number for numbers in mentions.values() for number in numbers)
    empty = [number for number in extraction.empty if number not in used]
    mark = mark_for(script, new, mentions, empty)
    if new:
        ids: dict[str, str] = yield outbox_of(script).deliver(new, mark=mark)
    else:
        ids = {}
        save_together(mark({}))
    superseded = [old for fact in new for old in fact.replaces]
    return _report(
        consolidated=len(used) + len(empty),
        facts=len(ids),
        mentioned=len(mentions),
        superseded=len(superseded),
        nothing=len(empty),
        refused=extraction.refused,
        failed=len(extraction.failed),
        set_aside=failed,
        changes=_changes(new, ids),
    )


def _mark_failed(script: Any, extraction: Extraction) -> int:
    """Count the failures, and store them; how many entries are set aside now."""
    if not extraction.failed:
        return 0
    journal = script.character.memory.journal
    before = len(journal.set_aside())
    save_together(journal.mark_failed(extraction.failed, script.agent.now()))
    aside = journal.set_aside()[before:]
    for item in aside:
        logger.log_warn(
            f"Assistant {script.db.assistant_key}: entry {item['id']} was set aside: "
            f"{item['reason']}"
        )
    return len(aside)


def _changes(facts: Iterable[Fact], ids: Mapping[str, str]) -> list[dict[str, Any]]:
    """What the night's ledger is told."""
    changes = []
    for fact in facts:
        if fact.key not in ids:
            continue
        common = {"text": fact.text, "audience": fact.audience, "evidence": list(fact.entry_ids)}
        changes.append({"what": "added", "id": ids[fact.key], **common})
        for old in fact.replaces:
            changes.append({"what": "retired", "id": old, "after": ids[fact.key], **common})
    return changes


def _report(**counts: Any) -> dict[str, Any]:
    names = (
        "consolidated",
        "facts",
        "mentioned",
        "superseded",
        "nothing",
        "refused",
        "failed",
        "set_aside",
    )
    return {"completed": False, **dict.fromkeys(names, 0), "changes": [], **counts}


def restore_fact(script: Any, fact_id: str) -> Deferred[None]:
    """
    Let a fact hold again that was superseded; it is stored, and recalled as before.

    Args:
        script: The AssistantScript.
        fact_id: Its id in semantic memory.

    Returns:
        Fires when it can be recalled.

    Raises:
        KeyError: If there is no such fact.

    """
    facts = script.character.memory.facts
    if facts.links.get(fact_id) is None:
        raise KeyError(fact_id)
    facts.links.change(fact_id, state=ACTIVE, successor=None)
    facts.links.save()
    restored: Deferred[None] = facts.refresh([fact_id])
    return restored


def _is_known(failure: Failure) -> None:
    failure.trap(SemanticMemoryError)
    logger.log_warn(f"Assistant memory: {failure.value}")
