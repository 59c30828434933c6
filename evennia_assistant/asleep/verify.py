"""
Comparing what is known of an NPC's facts with the facts that are there, and mending the difference.

The journal and the sidecar say which facts were stored. Semantic memory, a store of its own, may
have lost some (its folder was removed, another embedder has another collection), may have some that
nobody knows of, or may have been edited. `survey` finds out and changes nothing; `verify` does too,
and with `heal` it puts things right.

"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from twisted.internet.defer import Deferred, inlineCallbacks

from ..errors import MemoryFault, SemanticMemoryError
from ..memory import memory_links, scenes
from ..memory.attribute_store import AttributeStore, save_together
from ..memory.mem0_rows import Row
from ..memory.outbox import outbox_of
from ..memory.semantic import semantic_memory
from ..mind.audience import frozen, intersect
from ..mind.fact import Fact, fact_key
from ..mind.retention import GONE
from .consolidation import mark_for
from .extraction import word_for_word
from .turnstile import in_slices

#: Facts mended at once.
BATCH = 20
#: Kind in the key of a fact that was made again from an entry.
RESTORED = "restored"

#: In what a store may differ from what is known of it: fields of `Survey`.
DIFFERENCES = (
    "missing",
    "retired",
    "doubled",
    "unmarked",
    "extra",
    "altered",
    "overheard",
    "unreadable",
    "unindexed",
    "stale",
)

#: Told how much was done, of how much, and of what.
Progress = Callable[[int, int, str], None]


@dataclass
class Known:
    """
    What the journal and the sidecar say.

    Args:
        audiences: Of every entry there is, by its number.
        evidence: Numbers of the entries of every fact that is known of.

    """

    audiences: dict[int, object] = field(default_factory=dict)
    evidence: dict[str, list[int]] = field(default_factory=dict)


@dataclass
class Survey:
    """
    How what is known of an NPC's facts differs from the facts that are there.

    Args:
        known: What journal and sidecar say.
        stored: Facts in semantic memory that can be read.
        waiting: Facts in the outbox.
        missing: Ids of facts that should be there: the entries they were made of.
        retired: Ids of facts that are gone and held no longer anyway: their entries.
        doubled: Facts that are there a second time: the id of the one to keep.
        unmarked: Facts whose entries do not know of them.
        extra: Facts nothing is known of.
        altered: Facts whose text was changed where they are kept.
        overheard: Facts that more people may be told than their evidence allows.
        unreadable: Why, by id.
        unindexed: Facts that recall does not know.
        stale: Ids that recall knows and that are not there.

    """

    known: Known
    stored: dict[str, Fact] = field(default_factory=dict)
    waiting: int = 0
    missing: dict[str, list[int]] = field(default_factory=dict)
    retired: dict[str, list[int]] = field(default_factory=dict)
    doubled: dict[str, str] = field(default_factory=dict)
    unmarked: list[Fact] = field(default_factory=list)
    extra: list[Fact] = field(default_factory=list)
    altered: list[Fact] = field(default_factory=list)
    overheard: list[Fact] = field(default_factory=list)
    unreadable: dict[str, str] = field(default_factory=dict)
    unindexed: list[Fact] = field(default_factory=list)
    stale: set[str] = field(default_factory=set)

    @property
    def counts(self) -> dict[str, int]:
        """How many of each difference there are, by name; those that are none are left out."""
        return {name: len(getattr(self, name)) for name in DIFFERENCES if getattr(self, name)}


@dataclass
class Healing:
    """
    What `verify` found, and did about it.

    Args:
        found: Before anything was done.
        done: How many of each were put right, by the name of the difference.
        restored: Facts made again from their entries.
        lost: Facts that no entry is left to make again from.
        aside: Where an unreadable store was put, "" when there was none.
        tried_again: Entries no fact could be made of, which the next night tries again.

    """

    found: Survey
    done: dict[str, int] = field(default_factory=dict)
    restored: int = 0
    lost: int = 0
    aside: str = ""
    tried_again: int = 0


@inlineCallbacks
def verify(
    script: Any, character: Any, *, heal: bool = False, progress: Progress | None = None
) -> Generator[Deferred[Any], Any, Healing]:
    """
    Compare an NPC's facts with what is known of them.

    Args:
        script: The AssistantScript.
        character: Its NPC.
        heal: Put right what differs. Missing facts are made again from the text of their entries;
            those nothing is known of are deleted. Entries that were set aside are tried again by
            the next night.
        progress: Told how far it is.

    Returns:
        What was found and done.

    Raises:
        SemanticMemoryError: If semantic memory cannot be used.

    """
    aside = ""
    try:
        rows = yield semantic_memory().inspect(_key(script))
    except SemanticMemoryError as err:
        if not heal or err.fault is not MemoryFault.CORRUPT:
            raise
        aside = yield semantic_memory().set_aside(_key(script))
        rows = yield semantic_memory().inspect(_key(script))
    if heal and outbox_of(script).records:
        yield outbox_of(script).resume(lambda facts: mark_for(script, facts), set_aside_too=True)
        rows = yield semantic_memory().inspect(_key(script))
    known = yield _read(script, character)
    healing = Healing(survey(script, character, rows, known), aside=aside)
    if heal:
        yield _heal(script, character, healing, progress or _silent)
        healing.tried_again = len(character.memory.journal.set_aside())
        journal = character.memory.journal
        save_together([*journal.try_again(), *scenes.try_again(journal)])
    return healing


def _read(script: Any, character: Any) -> Deferred[Known]:
    """Go through journal and sidecar, and let others have their turn between."""
    known = Known()
    links = character.memory.facts.links

    def steps() -> Iterator[None]:
        for part in links.parts():
            for fact_id, record in part.items():
                known.evidence[fact_id] = list(memory_links.get(record, "entry_ids"))
            yield
        for count, entry in enumerate(character.memory.journal.all_entries()):
            known.audiences[entry["id"]] = entry.get("audience")
            for fact_id in entry.get("mem0_ids", ()):
                numbers = known.evidence.setdefault(fact_id, [])
                if entry["id"] not in numbers:
                    numbers.append(entry["id"])
            if count % BATCH == 0:
                yield

    return in_slices(script.agent.clock, steps()).addCallback(lambda _: known)


def survey(script: Any, character: Any, rows: Iterable[Row], known: Known) -> Survey:
    """
    How rows of semantic memory differ from what is known of an NPC's facts.

    Args:
        script: The AssistantScript.
        character: Its NPC.
        rows: As `SemanticMemory.inspect` gives them.
        known: What journal and sidecar say.

    """
    found = Survey(known)
    links = character.memory.facts.links
    waiting = {fact.key for fact in outbox_of(script).waiting()}
    found.waiting = len(waiting)
    by_key: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        if row.fact is None:
            found.unreadable[row.id] = row.problem
        else:
            by_key[row.fact.key].append(row)
    for same in by_key.values():
        # The one that is known of stays; of several, that which was stored first is as good.
        same.sort(key=lambda row: (row.id not in known.evidence, row.id))
        found.doubled.update((row.id, same[0].id) for row in same[1:])
        _judge(found, same[0], known, waiting)
    for fact_id, numbers in known.evidence.items():
        if fact_id not in found.stored and fact_id not in found.doubled:
            holds = links.state(fact_id) not in GONE
            (found.missing if holds else found.retired)[fact_id] = numbers
    _compare_recall(found, character, links)
    return found


def _judge(found: Survey, row: Row, known: Known, waiting: set[str]) -> None:
    """Put one readable row where it belongs."""
    fact = row.fact
    assert fact is not None
    found.stored[row.id] = fact
    audiences = [known.audiences[n] for n in fact.entry_ids if n in known.audiences]
    if row.altered:
        found.altered.append(fact)
    elif audiences and intersect([fact.audience, *audiences]) != frozen(fact.audience):
        found.overheard.append(fact)
    elif row.id not in known.evidence and fact.key not in waiting:
        (found.unmarked if audiences else found.extra).append(fact)


def _compare_recall(found: Survey, character: Any, links: Any) -> None:
    facts = character.memory.facts
    recallable = facts.recallable()
    found.stale = recallable - set(found.stored)
    if not facts.partial:
        found.unindexed = [
            fact
            for fact in found.stored.values()
            if fact.id not in recallable and links.state(fact.id) not in GONE
        ]


# Mending ------------------------------------------------------------------------------------------


@inlineCallbacks
def _heal(
    script: Any, character: Any, healing: Healing, progress: Progress
) -> Generator[Deferred[Any], Any, None]:
    """Put right what was found; broken off anywhere, the next time goes on."""
    found = healing.found
    evidence = found.known.evidence
    # What is not as it was stored is made again, like what is missing.
    lost = dict(found.missing)
    for fact in found.altered:
        lost[fact.id] = evidence.get(fact.id, list(fact.entry_ids))
    narrowed = [
        replace(fact, audience=_allowed(character, fact), id="") for fact in found.overheard
    ]
    unwanted = [
        *found.doubled,
        *(fact.id for fact in (*found.extra, *found.altered, *found.overheard)),
        *found.unreadable,
    ]
    for start in range(0, len(unwanted), BATCH):
        progress(start, len(unwanted), "rows removed")
        yield semantic_memory().delete(_key(script), unwanted[start : start + BATCH])
    gone = {**found.retired, **{double: evidence.get(double, []) for double in found.doubled}}
    save_together(_without(script, character, gone))
    for start in range(0, len(found.unmarked), BATCH):
        batch = found.unmarked[start : start + BATCH]
        save_together(mark_for(script, batch)({fact.key: fact.id for fact in batch}))
    for fact, old in zip(narrowed, found.overheard, strict=True):
        instead_of = {old.id: evidence.get(old.id, list(old.entry_ids))}
        yield _deliver(script, character, [fact], instead_of)
    numbers = list(lost.items())
    for start in range(0, len(numbers), BATCH):
        progress(start, len(numbers), "facts made again")
        yield _restore(script, character, healing, dict(numbers[start : start + BATCH]))
    character.memory.facts.forget(found.stale | set(lost) | set(unwanted))
    character.memory.facts.add(
        fact for fact in found.unindexed if fact.id not in set(unwanted) | set(lost)
    )
    healing.done = found.counts


@inlineCallbacks
def _restore(
    script: Any, character: Any, healing: Healing, lost: Mapping[str, list[int]]
) -> Generator[Deferred[Any], Any, None]:
    """Make facts again from the entries they were made of, and forget the old ones."""
    facts, without_entry = [], []
    for fact_id, numbers in lost.items():
        entries = [character.memory.journal.find_anywhere(number) for number in numbers]
        left = [entry for entry in entries if entry is not None]
        if not left:
            without_entry.append(fact_id)
        facts += word_for_word(left, character, _key(script)).facts
    made = {
        key: replace(fact, key=key)
        for fact in facts
        for key in (fact_key(_key(script), RESTORED, fact.entry_ids),)
    }
    yield _deliver(script, character, list(made.values()), lost)
    healing.restored += len(made)
    healing.lost += len(without_entry)


def _deliver(
    script: Any, character: Any, facts: list[Fact], instead_of: Mapping[str, list[int]]
) -> Deferred[dict[str, str]]:
    """Store facts, and in the write that marks them forget those they stand for."""

    def mark(ids: dict[str, str]) -> list[AttributeStore]:
        stores = mark_for(script, facts)(ids)
        gone = {old: numbers for old, numbers in instead_of.items() if old not in ids.values()}
        return list(
            {id(store): store for store in (*stores, *_without(script, character, gone))}.values()
        )

    if not facts:
        save_together(mark({}))
    return outbox_of(script).deliver(facts, mark=mark)


def _without(script: Any, character: Any, gone: Mapping[str, list[int]]) -> list[AttributeStore]:
    """Forget facts, in the sidecar and in the entries they were made of."""
    links, journal = character.memory.facts.links, character.memory.journal
    of_entry: dict[int, set[str]] = defaultdict(set)
    for fact_id, numbers in gone.items():
        for number in numbers:
            of_entry[number].add(fact_id)
    links.remove(fact_id for fact_id in gone if links.get(fact_id) is not None)
    return [*journal.drop_facts(of_entry), *links.stores()]


def _allowed(character: Any, fact: Fact) -> Any:
    """Who may be told of a fact, by those of its entries that are there."""
    entries = (character.memory.journal.find_anywhere(number) for number in fact.entry_ids)
    audiences = [entry.get("audience") for entry in entries if entry is not None]
    return intersect([fact.audience, *audiences])


def _key(script: Any) -> str:
    return str(script.db.assistant_key)


def _silent(_done: int, _all: int, _what: str) -> None:
    """Progress that nobody wants to hear of."""
