"""
Every memory of an NPC as nights look at it: what state it is in, and what topic it belongs to.

A journal entry speaks for itself until facts were made of it; from then on the sidecar does, and
what the entry says of its state is not looked at any more. A member is known by `"j12"`, or by the
id of the fact.

"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..mind import entry as entries
from ..mind.entry import number_of
from ..mind.percept import Audience
from ..mind.retention import FADING, GONE, age, fades, strength
from . import memory_links
from .attribute_store import AttributeStore
from .items import MemoryItem
from .journal import RECALLED

#: Kinds of entries that fade, and of these the ones that belong to a topic. What somebody intends
#: or expects has states of its own.
RETAINED = frozenset({"event", "synthesis", "summary"})
TOPICAL = frozenset({"event", "synthesis"})


@dataclass(slots=True)
class Member:
    """
    One memory.

    Args:
        name: `"j12"`, or the id of a fact.
        state: As stored.
        topic: Id of its topic, None for none yet.
        cycles: Nights it has been through, as of `clock`.
        clock: What the clock said then; None for one that was not looked at yet, or ages no more.
        hits: How often it was recalled.
        gained: By merging.
        pinned: It never fades.
        importance: 1 to 10; None for a fact nobody has looked up yet.
        topical: Whether it belongs to a topic.

    """

    name: str
    state: str
    topic: str | None
    cycles: int
    clock: int | None
    hits: int
    gained: float
    pinned: bool
    importance: float | None
    topical: bool

    @property
    def is_fact(self) -> bool:
        """Whether it is a fact rather than an entry."""
        return not is_entry(self.name)

    @property
    def at_hand(self) -> bool:
        """Whether it is neither dormant nor gone."""
        return self.state in FADING

    def strength(self, reading: int) -> float:
        """Its effective importance when the clock says `reading`."""
        cycles = age(self.cycles, self.clock, reading)
        return strength(self.importance or 10.0, cycles, self.hits, self.gained)

    def fades(self, reading: int) -> bool:
        """Whether it is on its way out, or too weak to come back."""
        cycles = age(self.cycles, self.clock, reading)
        importance = 10.0 if self.importance is None else self.importance
        return fades(importance, cycles, self.hits, self.gained, pinned=self.pinned)


def is_entry(name: str) -> bool:
    """Whether a member's name is that of an entry."""
    return name.startswith("j") and name[1:].isdecimal()


class Members:
    """
    The memories of one NPC.

    Args:
        memory: Its `MemoryHandler`.

    """

    def __init__(self, memory: Any) -> None:
        self._memory = memory

    # Reading --------------------------------------------------------------------------------

    def read(self, found: dict[str, Member]) -> Iterator[None]:
        """
        Look at all of them, with pauses for others.

        Args:
            found: Filled, by name: archived entries, live ones, facts. What is superseded or
                merged is left out.

        """
        journal = self._memory.journal
        waiting = set(journal.waiting_archive())
        for key, chunk in sorted(journal.archive.contents().items()):
            for entry in journal.archive.sound_in(key, chunk):
                waits = key in waiting and journal.is_waiting(entry)
                _take_in(found, _of_entry(entry, waits))
            yield
        for entry in list(journal.entries):
            _take_in(found, _of_entry(entry, journal.is_waiting(entry)))
        yield
        facts = self._memory.facts
        for part in facts.links.parts() if facts.are_kept() else ():
            for fact_id, record in part.items():
                if memory_links.get(record, "state") not in GONE:
                    found[fact_id] = _of_fact(fact_id, record)
            yield

    def item(self, name: str) -> MemoryItem | None:
        """What the index has of a member, None when it has no room for it."""
        item_id = name if is_entry(name) else self._memory.facts.item_id_of(name)
        found: MemoryItem | None = self._memory.index.get_for_keeper(item_id)
        return found

    def group(self, name: str) -> tuple[Audience, bool] | None:
        """Who may be told of a member, and whether it was learned in confidence."""
        item = self.item(name)
        return None if item is None else (item.audience, item.confidence)

    def record(self, name: str) -> Mapping[str, Any] | None:
        """The entry or the sidecar's record, None when there is none any more."""
        if is_entry(name):
            found: Mapping[str, Any] | None = self._memory.journal.find_anywhere(number_of(name))
            return found
        links = self._memory.facts.links
        return None if links is None else links.get(name)

    def entries_of(self, name: str) -> list[Mapping[str, Any]]:
        """The journal entries behind a member."""
        journal = self._memory.journal
        if is_entry(name):
            numbers = [number_of(name)]
        else:
            numbers = memory_links.get(self.record(name), "entry_ids")
        return [e for n in numbers if (e := journal.find_anywhere(n)) is not None]

    # Writing --------------------------------------------------------------------------------

    def change(self, fields_of: Mapping[str, Mapping[str, Any]]) -> list[AttributeStore]:
        """
        Set fields of members; those that are gone meanwhile are passed over.

        Args:
            fields_of: Keys and values by name.

        Returns:
            All stores that changed; the caller saves.

        """
        links = self._memory.facts.links
        of_entries = {}
        stores: list[AttributeStore] = []
        for name, fields in fields_of.items():
            if is_entry(name):
                of_entries[int(name[1:])] = fields
            elif links is not None and links.get(name) is not None:
                links.change(name, **fields)
        if of_entries:
            stores += self._memory.journal.update(of_entries)
        if links is not None:
            stores += links.stores()
        return stores


def _take_in(found: dict[str, Member], member: Member | None) -> None:
    if member is not None:
        found[member.name] = member


def _of_entry(entry: Mapping[str, Any], waiting: bool) -> Member | None:
    state, kind = entries.get(entry, "state"), entries.get(entry, "kind")
    if entry.get("mem0_ids") or kind not in RETAINED or state in GONE:
        return None
    said_before = RECALLED in entry.get("tags", ())
    return Member(
        f"j{entry['id']}",
        state,
        entry.get("topic"),
        entries.get(entry, "cycles"),
        entry.get("clock"),
        entries.get(entry, "hits"),
        entries.get(entry, "gained"),
        bool(entries.get(entry, "pinned")),
        float(entry["importance"]),
        topical=kind in TOPICAL and not said_before and (waiting or kind == "synthesis"),
    )


def _of_fact(fact_id: str, record: Mapping[str, Any]) -> Member:
    return Member(
        fact_id,
        memory_links.get(record, "state"),
        memory_links.get(record, "topic"),
        memory_links.get(record, "cycles"),
        memory_links.get(record, "clock"),
        memory_links.get(record, "hits"),
        memory_links.get(record, "gained"),
        bool(memory_links.get(record, "pinned")),
        memory_links.get(record, "importance"),
        topical=True,
    )
