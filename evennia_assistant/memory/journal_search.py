"""
Looking something up in the journal: by words, tags, age or project, the archive included.

A finding is kept for `KEPT` seconds and given again to the same listeners for the same criteria,
until anything is written in the journal. What the archive holds is read once and known again as
long as it stands there unchanged.

"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..mind import entry as entries
from ..mind.audience import frozen, may_be_told
from ..mind.percept import Audience
from ..mind.phrases import DAY
from ..mind.retention import GONE
from ..mind.scoring import keywords
from ..mind.text import content_terms
from .fact_states import FactStates
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
        deep: Dormant entries as well.

    """

    query: str = ""
    tags: frozenset[str] = frozenset()
    days_back: int | None = None
    related_to_project: str | None = None
    limit: int = LIMIT
    semantic: bool = True
    aloud: bool = False
    archived: bool = True
    deep: bool = False


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


def build_keyword_index(journal: Iterable[Mapping[str, Any]]) -> dict[str, set[int]]:
    """
    Numbers of entries by each of their words.

    Args:
        journal: Entries; `id` and `content` are read.

    Returns:
        What `mind.scoring.keyword_overlap` counts, ready to be looked up.

    """
    index: dict[str, set[int]] = {}
    for entry in journal:
        for word in keywords(str(entry["content"])):
            index.setdefault(word, set()).add(int(entry["id"]))
    return index


@dataclass(slots=True)
class Known:
    """
    An entry with what each search asks of it.

    Args:
        entry: The entry; not to be changed.
        when: UTC seconds since the epoch.
        audience: Who may be told.
        terms: What its words are about, worked out when first asked for.

    """

    entry: Mapping[str, Any]
    when: float
    audience: Audience
    terms: frozenset[str] | None = None


@dataclass(slots=True)
class _Chunk:
    """One Attribute of the archive: what stood in it, and the same as it is known."""

    stands: Any
    known: list[Known]
    keywords: dict[str, set[int]] | None = None


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
        self._archive: dict[str, _Chunk] = {}

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
        self._refresh()
        key = (criteria, frozenset(listeners))
        held = self._kept.get(key)
        if held is not None and 0.0 <= now - held[0] < KEPT:
            return held[1]
        finding = self._look(criteria, listeners, now)
        if len(self._kept) >= MOST_KEPT:
            self._kept.clear()
        self._kept[key] = (now, finding)
        return finding

    def forget_findings(self) -> None:
        """Search anew from now on: what holds has changed elsewhere than in the journal."""
        self._kept.clear()

    def visible(
        self,
        listeners: Collection[str],
        *,
        aloud: bool = False,
        archived: bool = True,
        deep: bool = False,
    ) -> list[Known]:
        """
        Every entry that holds and that all listeners may be told of, oldest first.

        Args:
            listeners: Entity ids of those who will learn of it.
            aloud: Leave out what was whispered or said off the record.
            archived: Look into the archive as well.
            deep: Dormant entries as well.

        """
        self._refresh()
        states = self._memory.facts.states()
        found = [
            known
            for known in self._all(archived)
            if self.is_visible(known, listeners, aloud, deep=deep, states=states)
        ]
        found.sort(key=lambda known: known.when)
        return found

    def every(self) -> list[Known]:
        """All entries, whoever may be told of them: to be asked one by one with `is_visible`."""
        self._refresh()
        return list(self._all(archived=True))

    def is_visible(
        self,
        known: Known,
        listeners: Collection[str],
        aloud: bool = False,
        *,
        deep: bool = False,
        states: FactStates | None = None,
    ) -> bool:
        """
        Whether an entry holds and all listeners may be told of it.

        Args:
            known: The entry.
            listeners, aloud, deep: As for `visible`.
            states: As `Facts.states` has them, for whoever asks about many entries at once.

        """
        facts = states or self._memory.facts
        return (
            may_be_told(known.audience, listeners)
            and entries.get(known.entry, "state") not in GONE
            and not facts.hides(known.entry)
            and (deep or not facts.sleeps(known.entry))
            and not (aloud and entries.in_confidence(known.entry))
        )

    def keyword_indexes(self) -> list[dict[str, set[int]]]:
        """Numbers of entries by word, for the archive part by part and for the live entries."""
        self._refresh()
        for chunk in self._archive.values():
            if chunk.keywords is None:
                chunk.keywords = build_keyword_index(known.entry for known in chunk.known)
        held = [chunk.keywords for chunk in self._archive.values() if chunk.keywords is not None]
        return [*held, build_keyword_index(self._memory.journal.entries)]

    def _look(self, criteria: Criteria, listeners: Collection[str], now: float) -> Finding:
        visible = self.visible(
            listeners, aloud=criteria.aloud, archived=criteria.archived, deep=criteria.deep
        )
        fitting = [known for known in visible if _fits(known, criteria, now)]
        if criteria.query.strip() and criteria.semantic:
            found = self._ranked(criteria, fitting, listeners, now)
        else:
            text = criteria.query.strip().casefold()
            found = [
                known.entry
                for known in reversed(fitting)
                if text in entries.told(known.entry, str(known.entry["content"])).casefold()
            ]
        return Finding(tuple(found[: criteria.limit]), len(visible))

    def _ranked(
        self, criteria: Criteria, fitting: list[Known], listeners: Collection[str], now: float
    ) -> list[Mapping[str, Any]]:
        """Those that fit and bear on the query, best first."""
        by_id = {f"j{known.entry['id']}": known for known in fitting}
        index = self._memory.index
        outside = [known for item_id, known in by_id.items() if item_id not in index]
        found = self._memory.recall(
            criteria.query,
            listeners=listeners,
            now=now,
            limit=criteria.limit,
            among=by_id.keys(),
            deep=criteria.deep,
        )
        ranked = [by_id[hit.item.id].entry for hit in found.hits if hit.item.id in by_id]
        if outside and len(ranked) < criteria.limit:
            ranked += [known.entry for known in _by_terms(criteria.query, outside)]
        return ranked

    def _refresh(self) -> None:
        """Take in what was written since; findings made before it hold no longer."""
        journal: Journal = self._memory.journal
        # Reading the data is what notices that somebody assigned the Attribute.
        _ = journal.store.data
        stands = journal.archive.contents()
        changed = [key for key in self._archive if key not in stands]
        for key in changed:
            del self._archive[key]
        for key, chunk in stands.items():
            read = self._archive.get(key)
            if read is None or read.stands is not chunk:
                changed.append(key)
                sound = journal.archive.sound_in(key, chunk)
                self._archive[key] = _Chunk(chunk, list(map(_known, sound)))
        if changed or journal.store.changes != self._changes:
            self._kept.clear()
            self._changes = journal.store.changes

    def _all(self, archived: bool) -> Iterator[Known]:
        for key in sorted(self._archive) if archived else ():
            yield from self._archive[key].known
        yield from map(_known, list(self._memory.journal.entries))


def _known(entry: Mapping[str, Any]) -> Known:
    return Known(entry, entries.when_of(entry["timestamp"]), frozen(entry.get("audience")))


def _fits(known: Known, criteria: Criteria, now: float) -> bool:
    entry = known.entry
    if criteria.days_back is not None and now - known.when > criteria.days_back * DAY:
        return False
    project = criteria.related_to_project
    if project and project not in (entry.get("related_projects") or ()):
        return False
    tags = entry.get("tags") or ()
    return all(tag in tags for tag in criteria.tags)


def _by_terms(query: str, outside: list[Known]) -> list[Known]:
    """Entries the index has no room for, those that share most with the query first."""
    asked = frozenset(content_terms(query))
    shared: list[tuple[int, float, Known]] = []
    for known in outside:
        if known.terms is None:
            known.terms = frozenset(content_terms(entries.told(known.entry)))
        count = len(asked & known.terms)
        if count:
            shared.append((count, known.when, known))
    shared.sort(key=lambda each: each[:2], reverse=True)
    return [known for _count, _when, known in shared]
