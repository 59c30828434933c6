"""
Looking something up in the journal: by words, tags, age or project, the archive included.

A finding is kept for `KEPT` seconds and given again to the same listeners for the same criteria,
until anything is written in the journal. What the archive holds is read once and known again as
long as it stands there unchanged.

"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..mind import entry as entries
from ..mind.audience import frozen, may_be_told
from ..mind.percept import Audience
from ..mind.phrases import DAY
from .journal import Journal

#: Seconds a finding may be given again (document 000).
KEPT = 300.0
MOST_KEPT = 64
LIMIT = 10
#: State of an entry that holds no longer.
SUPERSEDED = "superseded"


@dataclass(frozen=True, slots=True)
class Criteria:
    """
    What to look for; everything given must hold.

    Args:
        query: Words; empty takes the newest entries.
        tags: Each of these must be on the entry.
        days_back: Only entries of the last so many days.
        related_to_project: Only entries of this project.
        limit: Most entries to give back.
        semantic: Rank by recall; False looks for the query as a piece of text, in any case.
        aloud: Leave out what was whispered or said off the record.
        archived: Look into the archive as well.

    """

    query: str = ""
    tags: frozenset[str] = frozenset()
    days_back: int | None = None
    related_to_project: str | None = None
    limit: int = LIMIT
    semantic: bool = True
    aloud: bool = False
    archived: bool = True


@dataclass(frozen=True, slots=True)
class Finding:
    """
    What was found.

    Args:
        entries: Best first, or newest first where nothing was ranked; not to be changed.
        searched: How many entries were looked at: all that those who listen may be told of.

    """

    entries: tuple[Mapping[str, Any], ...]
    searched: int


@dataclass(frozen=True, slots=True)
class _Known:
    """An entry with what each search asks of it."""

    entry: Mapping[str, Any]
    when: float
    audience: Audience


class JournalSearch:
    """
    Searches one NPC's journal.

    Args:
        memory: The NPC's `MemoryHandler`, whose recall ranks.

    """

    def __init__(self, memory: Any) -> None:
        self._memory = memory
        self._kept: dict[tuple[Any, ...], tuple[float, Finding]] = {}
        self._changes = -1
        #: By key of an Attribute of the archive: what stood in it, and its entries as known.
        self._archive: dict[str, tuple[Any, list[_Known]]] = {}

    def find(self, criteria: Criteria, *, listeners: Collection[str], now: float) -> Finding:
        """
        Live and archived entries that fit, as far as all listeners may be told.

        Args:
            criteria: What to look for.
            listeners: Entity ids of those who will learn the answer.
            now: UTC seconds since the epoch.

        Returns:
            The finding, from the cache where it holds still.

        Raises:
            RecallError: If a ranked search could not be made.

        """
        journal: Journal = self._memory.journal
        # Reading the data is what notices that somebody assigned the Attribute.
        _ = journal.store.data
        if self._archive_changed() or journal.store.changes != self._changes:
            self._kept.clear()
            self._changes = journal.store.changes
        key = (criteria, frozenset(listeners))
        held = self._kept.get(key)
        if held is not None and 0.0 <= now - held[0] < KEPT:
            return held[1]
        finding = self._look(criteria, listeners, now)
        if len(self._kept) >= MOST_KEPT:
            self._kept.clear()
        self._kept[key] = (now, finding)
        return finding

    def _look(self, criteria: Criteria, listeners: Collection[str], now: float) -> Finding:
        visible = [
            known
            for known in self._all(criteria.archived)
            if may_be_told(known.audience, listeners)
            and entries.get(known.entry, "state") != SUPERSEDED
            and not (criteria.aloud and entries.in_confidence(known.entry))
        ]
        fitting = [known.entry for known in visible if _fits(known, criteria, now)]
        if criteria.query.strip() and criteria.semantic:
            by_id = {f"j{entry['id']}": entry for entry in fitting}
            found = self._memory.recall(
                criteria.query,
                listeners=listeners,
                now=now,
                limit=criteria.limit,
                among=by_id.keys(),
            )
            ranked = [by_id[hit.item.id] for hit in found.hits]
        else:
            text = criteria.query.strip().casefold()
            ranked = [e for e in reversed(fitting) if text in str(e["content"]).casefold()]
        return Finding(tuple(ranked[: criteria.limit]), len(visible))

    def _archive_changed(self) -> bool:
        """Take in what stands in the archive now; whether that is something else than before."""
        journal: Journal = self._memory.journal
        # As it was unpickled, without the copy of every entry that `value` makes.
        stands = journal.archive.contents()
        changed = [key for key in self._archive if key not in stands]
        for key in changed:
            del self._archive[key]
        for key, chunk in stands.items():
            read = self._archive.get(key)
            if read is None or read[0] is not chunk:
                changed.append(key)
                self._archive[key] = (chunk, list(map(_known, journal.archive.sound_in(key, chunk))))
        return bool(changed)

    def _all(self, archived: bool) -> Iterator[_Known]:
        """Every entry, oldest first."""
        for key in sorted(self._archive) if archived else ():
            yield from self._archive[key][1]
        yield from map(_known, list(self._memory.journal.entries))


def _known(entry: Mapping[str, Any]) -> _Known:
    return _Known(entry, entries.when_of(entry["timestamp"]), frozen(entry.get("audience")))


def _fits(known: _Known, criteria: Criteria, now: float) -> bool:
    entry = known.entry
    if criteria.days_back is not None and now - known.when > criteria.days_back * DAY:
        return False
    project = criteria.related_to_project
    if project and project not in (entry.get("related_projects") or ()):
        return False
    return criteria.tags <= set(entry.get("tags") or ())
