"""
The index of one NPC's memory, kept in step with the stores it is made from.

It is made in the background after a start, and made anew when a store was replaced behind its back.

"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from twisted.internet.defer import Deferred, succeed
from twisted.internet.task import coiterate

from ..conf import setting
from ..mind import entry as entries
from ..mind.audience import frozen
from ..mind.open_ends import is_over_expectation
from ..mind.retention import GONE
from .embedders import get_embedder
from .facts import Facts
from .index import MemoryIndex, MemoryItem
from .journal import Journal
from .knowledge import Knowledge
from .open_ends import OpenEnds
from .vectors import NoVectors, SlowVectors, vectors_for

#: Entries indexed at once before the reactor has its turn again.
BATCH = 50


def item_of(entry: Mapping[str, Any]) -> MemoryItem:
    """What the index keeps of a journal entry."""
    return MemoryItem(
        id=f"j{entry['id']}",
        text=entries.told(entry),
        speaker=entries.get(entry, "source_id"),
        speaker_name=entry.get("source_entity") or "",
        when=entries.when_of(entry["timestamp"]),
        audience=frozen(entry.get("audience")),
        importance=int(entry["importance"]),
        kind=entries.get(entry, "kind"),
        source_type=entry["source_type"],
        source_trust=float(entry["source_trust"]),
        entities=tuple(entries.get(entry, "entities")),
        place=entries.get(entry, "place") or "",
        confidence=entries.in_confidence(entry),
        kept=bool(entry.get("mem0_ids")),
        valence=entries.sound_valence(entries.get(entry, "valence")),
        relational_tags=tuple(entries.get(entry, "relational_tags")),
        event_time=entries.span_of(entries.get(entry, "event_time")),
    )


def is_forgotten(entry: Mapping[str, Any]) -> bool:
    """Whether an entry holds no more: it was taken back, or is merged with another."""
    return entries.get(entry, "state") in GONE


class LiveIndex:
    """
    The index of one NPC.

    Args:
        journal: Its journal.
        knowledge: What it was taught.
        facts: What it keeps in semantic memory.

    """

    def __init__(self, journal: Journal, knowledge: Knowledge, facts: Facts) -> None:
        self.journal = journal
        self.knowledge = knowledge
        self.facts = facts
        self._index: MemoryIndex | None = None
        self._open_ends: OpenEnds | None = None
        self._vectors: SlowVectors | NoVectors = NoVectors()
        self._building: Iterator[None] | None = None
        self._built: tuple[int, int] | None = None
        self._waiting: Deferred[None] | None = None

    def prepare(self) -> Deferred[None]:
        """
        Make the index in the background.

        Returns:
            Fires when everything the NPC remembers can be recalled.

        """
        if self._index is not None and self._is_current():
            return succeed(None)
        if self._waiting is None:
            self._start_building()
            waiting = self._waiting = coiterate(self._building)
            waiting.addCallback(self._prepared, waiting)
        done: Deferred[None] = Deferred()
        self._waiting.addCallback(_pass_on, done)
        return done

    @property
    def index(self) -> MemoryIndex:
        """The index, complete; what is left of building it is done now."""
        if self._index is None or not self._is_current():
            self._start_building()
        if self._building is not None:
            for _batch in self._building:
                pass
            self._building = None
        assert self._index is not None
        return self._index

    @property
    def open_ends(self) -> OpenEnds:
        """The promises and expectations, complete."""
        _complete = self.index
        assert self._open_ends is not None
        return self._open_ends

    def judged_anew(self, entry: Mapping[str, Any]) -> None:
        """Rank an entry by its present importance; one that is not in yet comes with it."""
        if self._index is not None:
            self._index.set_importance(f"j{entry['id']}", int(entry["importance"]))

    def make_anew(self) -> None:
        """Throw the index away, as after a change of the stores behind its back."""
        # What is being built is of the stores as they were; it ends where it stands.
        self._index = self._building = self._built = self._waiting = None
        self.prepare()

    def _is_current(self) -> bool:
        # Reading the data is what notices that somebody assigned the Attribute.
        _ = self.journal.store.data, self.knowledge.lines
        return self._built == (self.journal.store.loads, self.knowledge.store.loads)

    def _start_building(self) -> None:
        _ = self.journal.store.data, self.knowledge.lines
        self._built = (self.journal.store.loads, self.knowledge.store.loads)
        embedder = get_embedder(setting("ASSISTANT_EMBEDDER"))
        self._index = MemoryIndex(embedder)
        self._open_ends = OpenEnds(self.journal, self._index)
        self._vectors = vectors_for(self._index, embedder)
        self._building = self._build(self._index, self._open_ends)

    def _build(self, index: MemoryIndex, open_ends: OpenEnds) -> Iterator[None]:
        if index is not self._index:
            return
        index.add(list(self.knowledge.items()))
        yield from self.facts.read_sidecar()
        if index is not self._index:
            return
        batch, dormant = [], []
        states = self.facts.states()
        for entry in self.journal.all_entries():
            if is_forgotten(entry) or states.hides(entry):
                continue
            open_ends.take(entry)
            if is_over_expectation(entry):
                continue
            batch.append(item_of(entry))
            if states.sleeps(entry):
                dormant.append(batch[-1].id)
            if len(batch) >= BATCH:
                index.add([item for item in batch if item.id not in index])
                batch = []
                yield
                if index is not self._index:
                    return
                states = self.facts.states()
        # An entry written while this was going on is there already.
        index.add([item for item in batch if item.id not in index])
        index.set_dormant(dormant, True)
        self.facts.load(index)

    def _prepared(self, _result: Any, waiting: Deferred[Any]) -> None:
        if self._waiting is waiting:
            self._building = None
            self._waiting = None
            self.catch_up()

    def catch_up(self) -> None:
        """See to it that new memories get their vectors, where the embedder is slow."""
        self._vectors.catch_up()

    def warm(self, query: str) -> Deferred[None]:
        """Make the vector of a question ready, where the embedder is too slow to ask in passing."""
        return self._vectors.warm(query)

    def vector_of(self, query: str) -> Any:
        """The vector of a question as far as it is ready, else None."""
        return self._vectors.vector_of(query)


def _pass_on(result: Any, done: Deferred[None]) -> Any:
    done.callback(None)
    return result
