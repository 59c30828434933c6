"""
An NPC's facts as recall has them: taken from semantic memory at start, and as they are stored.

Semantic memory is the record; what is here is made from it, in the background, and holds the newest
facts only when there are more than `ASSISTANT_INDEX_CAPACITY` memories. Older ones come from a
search before the turn that may need them. While semantic memory cannot be used, the NPC goes on
with its journal.

A fact that says just what its entry says has no row of its own: the entry stands for both.

"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from typing import Any

from evennia.utils import logger
from twisted.internet import reactor as default_reactor
from twisted.internet.defer import CancelledError, Deferred, inlineCallbacks, succeed
from twisted.internet.defer import TimeoutError as DeferredTimeout
from twisted.python.failure import Failure

from ..conf import setting
from ..errors import SemanticMemoryError
from ..mind import entry as entries
from ..mind.extraction import same_words
from ..mind.fact import Fact
from ..mind.retention import DORMANT, GONE
from . import memory_links
from .attribute_store import AttributeStore
from .fact_states import FactStates
from .forgetting_record import ForgettingRecord, forgetting_of
from .items import Hit, MemoryItem
from .memory_links import MemoryLinks
from .semantic import semantic_memory, uses_semantic_memory

#: Facts taken in before the reactor has its turn again.
BATCH = 50
#: Of the capacity, what is left when the oldest had to go, so that they need not go one by one.
TRIMMED = 0.95
#: Facts a search brings back, how many such guests stay, and how long a turn waits for them.
FETCHED = 40
MAX_GUESTS = 200
PATIENCE = 2.0
#: Linked facts looked at for one question.
MAX_LINKED = 5
#: What a linked memory counts for at least, of the memory it is linked with.
LINK_SHARE = 0.7


def item_of_fact(fact: Fact) -> MemoryItem:
    """What the index keeps of a fact."""
    words = entries.words_of({"content": fact.text, "source_entity": fact.source_entity})
    return MemoryItem(
        id=f"m{fact.id}",
        text=words,
        speaker=fact.source_id,
        speaker_name=fact.source_entity or "",
        when=fact.when,
        audience=fact.audience,
        importance=fact.importance,
        kind=fact.kind,
        source_type=fact.source_type,
        source_trust=fact.source_trust,
        entities=fact.entities,
        place=fact.place or "",
        # It was not said in the course of anything: it is no neighbour of the lines around it.
        conversation="",
        confidence=fact.confidence,
        sources=tuple(f"j{number}" for number in fact.entry_ids),
        valence=fact.valence,
        relational_tags=fact.relational_tags,
        event_time=fact.event_time,
    )


class Facts:
    """
    The facts of one NPC in its index.

    Args:
        memory: The NPC's `MemoryHandler`.

    """

    def __init__(self, memory: Any) -> None:
        self._memory = memory
        self._links: MemoryLinks | None = None
        self._index: Any = None
        self._item_ids: dict[str, str] = {}
        self._fact_ids: dict[str, list[str]] = {}
        self._guests: deque[str] = deque()
        #: Ids of entries in the index that facts were made of.
        self._sources: set[str] = set()
        #: Whether there are facts that only semantic memory has.
        self.partial = False
        #: Whether all was taken in that semantic memory has and the index has room for.
        self.loaded = False

    # The sidecar ----------------------------------------------------------------------------

    @property
    def links(self) -> MemoryLinks | None:
        """The sidecar, None for a character without an assistant."""
        script = self._memory.character.assistant_script
        if script is None:
            return None
        if self._links is None or self._links.script is not script:
            self._links = MemoryLinks(script)
        return self._links

    def are_kept(self) -> bool:
        """Whether there may be any in semantic memory."""
        links = self.links
        return links is not None and uses_semantic_memory(links.script) and not links.is_empty()

    def hides(self, entry: Mapping[str, Any]) -> bool:
        """As `FactStates.hides`, for one entry."""
        return FactStates(self._state_of).hides(entry)

    def sleeps(self, entry: Mapping[str, Any]) -> bool:
        """As `FactStates.sleeps`, for one entry."""
        return FactStates(self._state_of).sleeps(entry)

    def states(self) -> FactStates:
        """What became of all facts, for many entries at once; it is not kept."""
        links = self.links
        fading = {} if links is None else links.fading()
        return FactStates(lambda fact_id: fading.get(fact_id, memory_links.ACTIVE))

    def _state_of(self, fact_id: str) -> str:
        links = self.links
        return memory_links.ACTIVE if links is None else links.state(fact_id)

    def stores(self) -> list[AttributeStore]:
        """What of them may have to be written with the next save."""
        return [] if self._links is None else self._links.stores()

    # Coming in ------------------------------------------------------------------------------

    def read_sidecar(self) -> Iterator[None]:
        """Read the sidecar a piece at a time; what follows would else read all of it at once."""
        for _part in self.links.parts() if self.links is not None else ():
            yield

    def load(self, index: Any) -> None:
        """Take an NPC's facts into a fresh index, in the background."""
        self._index = index
        self._item_ids.clear()
        self._fact_ids.clear()
        self._guests.clear()
        self._sources.clear()
        self.partial = False
        self.trim()
        self.loaded = not self.are_kept()
        if self.loaded:
            return
        user_id = self.links.script.db.assistant_key  # type: ignore[union-attr]
        found = semantic_memory().all(user_id, limit=setting("ASSISTANT_INDEX_CAPACITY"))
        found.addCallback(self._take_in, index)
        found.addErrback(self._went_without)

    def _take_in(self, facts: Sequence[Fact], index: Any) -> None:
        self._next_batch(iter([facts[i : i + BATCH] for i in range(0, len(facts), BATCH)]), index)

    def _next_batch(self, batches: Iterator[Sequence[Fact]], index: Any) -> None:
        if index is not self._index:
            return
        batch = next(batches, None)
        if batch is None:
            self.loaded = True
            return
        self.add(batch)
        self._clock().callLater(0, self._next_batch, batches, index)

    def add(self, facts: Iterable[Fact]) -> None:
        """Make facts recallable that semantic memory has, but for those that hold no longer."""
        index, links = self._index, self.links
        if index is None or links is None:
            return
        items = []
        going, fading = self._going(), links.fading()
        for fact in facts:
            if fact.id in self._item_ids or fading.get(fact.id) in GONE:
                continue
            if going is not None and going.covers(fact):
                continue
            item = item_of_fact(fact)
            self._sources.update(source for source in item.sources if source in index)
            entry_item = self._stands_for(item)
            item_id = item.id if entry_item is None else entry_item
            self._item_ids[fact.id] = item_id
            self._fact_ids.setdefault(item_id, []).append(fact.id)
            if entry_item is None:
                items.append(item)
        self._add_items(items, fading)
        self.trim()
        self._memory.catch_up()

    def _add_items(self, items: Sequence[MemoryItem], fading: Mapping[str, str]) -> None:
        self._index.add(items)
        dormant = [item.id for item in items if fading.get(item.id.removeprefix("m")) == DORMANT]
        self._index.set_dormant(dormant, True)

    def _stands_for(self, item: MemoryItem) -> str | None:
        """The entry in the index that says just what a fact says, None when there is none."""
        if len(item.sources) != 1:
            return None
        entry = self._index.get_for_keeper(item.sources[0])
        if entry is None or entry.audience != item.audience:
            return None
        return entry.id if same_words(entry.text, item.text) else None

    # Going out ------------------------------------------------------------------------------

    def trim(self) -> None:
        """Keep the index within its capacity; the oldest leave it that semantic memory has."""
        index, most = self._index, int(setting("ASSISTANT_INDEX_CAPACITY"))
        if index is None or len(index) <= most:
            return
        leaving = sorted(
            (item for item in index.items_for_keeper() if self._has_copy(item)),
            key=lambda item: (not index.is_dormant(item.id), item.when),
        )[: len(index) - int(most * TRIMMED)]
        for item in leaving:
            for fact_id in self._fact_ids.pop(item.id, ()):
                self._item_ids.pop(fact_id, None)
        index.remove([item.id for item in leaving])
        self._sources.difference_update(item.id for item in leaving)
        self.partial = self.partial or bool(leaving)

    def _has_copy(self, item: MemoryItem) -> bool:
        return bool(item.sources) or item.kept or item.id in self._sources

    def refresh(self, fact_ids: Collection[str]) -> Deferred[None]:
        """
        Follow the sidecar, where it says anew whether facts hold.

        Args:
            fact_ids: Their ids; those that hold no longer are out of recall when this returns.

        Returns:
            Fires when those that hold again are back. Fails with `SemanticMemoryError`.

        """
        links = self.links
        self._memory.journal_search.forget_findings()
        if links is None or self._index is None:
            return succeed(None)
        back = []
        for fact_id in fact_ids:
            numbers = memory_links.get(links.get(fact_id), "entry_ids")
            if links.state(fact_id) not in GONE:
                if fact_id not in self._item_ids:
                    back.append(fact_id)
                self._index.set_dormant([f"m{fact_id}"], links.state(fact_id) == DORMANT)
                self._show_entries(numbers)
                continue
            item_id = self._item_ids.pop(fact_id, None)
            if item_id is not None:
                left = [other for other in self._fact_ids.pop(item_id) if other != fact_id]
                if left:
                    self._fact_ids[item_id] = left
                elif item_id.startswith("m"):
                    self._index.remove([item_id])
            self._hide_entries(numbers)
        if not back:
            return succeed(None)
        found = semantic_memory().get(links.script.db.assistant_key, back)
        return found.addCallback(self.add)

    def _hide_entries(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            entry = self._memory.journal.find_anywhere(number)
            if entry is not None and self.hides(entry):
                self._index.remove([f"j{number}"])

    def _show_entries(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            entry = self._memory.journal.find_anywhere(number)
            if entry is not None:
                self._memory.show(entry)

    # For one question -----------------------------------------------------------------------

    @inlineCallbacks
    def fetch(self, query: str) -> Generator[Deferred[Any], Any, None]:
        """
        Have facts at hand that bear on a question and are not in the index.

        It fires after `PATIENCE` seconds at the latest, with or without them.

        """
        index = self._index
        if not self.partial or not query.strip() or not self.are_kept():
            return
        user_id = self.links.script.db.assistant_key  # type: ignore[union-attr]
        found = semantic_memory().search(user_id, query, top_k=FETCHED)
        try:
            pairs = yield found.addTimeout(PATIENCE, self._clock())
        except (SemanticMemoryError, DeferredTimeout, CancelledError) as err:
            logger.log_warn(f"Assistant {user_id}: recalled without its oldest facts: {err}")
            return
        if index is not self._index:
            return
        self._invite([fact for fact, _cosine in pairs if fact.id not in self._item_ids])

    def _invite(self, facts: Sequence[Fact]) -> None:
        links = self.links
        if links is None:
            return
        going, fading = self._going(), links.fading()
        items = [
            item_of_fact(fact)
            for fact in facts
            if fading.get(fact.id) not in GONE and not (going is not None and going.covers(fact))
        ]
        items = [item for item in items if item.id not in self._index]
        self._add_items(items, fading)
        self._guests.extend(item.id for item in items)
        while len(self._guests) > MAX_GUESTS:
            oldest = self._guests.popleft()
            if oldest not in self._fact_ids:
                self._index.remove([oldest])

    def linked(
        self, hits: Sequence[Hit], listeners: Collection[str], *, deep: bool = False
    ) -> list[Hit]:
        """
        What the facts among some hits are linked with, one step away, as far as it may be told.

        Args:
            hits: What was found, best first; all of it may be told.
            listeners: Entity ids of those who will learn the answer.
            deep: Dormant facts as well.

        Returns:
            At most `MAX_LINKED` further hits.

        """
        links = self.links
        if links is None or not self._item_ids:
            return []
        known = {hit.item.id for hit in hits}
        further: list[Hit] = []
        for hit in hits:
            for fact_id in self._fact_ids.get(hit.item.id, ()):
                for other, cosine in links.linked(fact_id):
                    item_id = self._item_ids.get(other, "")
                    item = self._index.get(item_id, listeners=listeners)
                    if item is None or item_id in known:
                        continue
                    if self._index.is_dormant(item_id) and not deep:
                        continue
                    known.add(item_id)
                    strength = LINK_SHARE + (1.0 - LINK_SHARE) * max(0.0, min(1.0, cosine))
                    further.append(Hit(item, hit.score * strength, {"link": cosine}))
                    if len(further) >= MAX_LINKED:
                        return further
        return further

    def recallable(self) -> set[str]:
        """Ids of the facts that recall knows."""
        return set(self._item_ids)

    def forget(self, fact_ids: Iterable[str]) -> None:
        """Take facts out of recall that semantic memory has no more."""
        for fact_id in fact_ids:
            item_id = self._item_ids.pop(fact_id, None)
            if item_id is None:
                continue
            left = [other for other in self._fact_ids.pop(item_id) if other != fact_id]
            if left:
                self._fact_ids[item_id] = left
            elif item_id.startswith("m"):
                self._index.remove([item_id])

    def item_id_of(self, fact_id: str) -> str:
        """The id of the memory that stands for a fact in the index, "" when none does."""
        return self._item_ids.get(fact_id, "")

    def fact_ids_of(self, item_id: str) -> list[str]:
        """Ids of the facts a memory of the index stands for."""
        return list(self._fact_ids.get(item_id, ()))

    # Within ---------------------------------------------------------------------------------

    def _going(self) -> ForgettingRecord | None:
        """What semantic memory may still have and must not be recalled, None for nothing."""
        record = forgetting_of(self._memory.character.assistant_script)
        return record if record.covers_any() else None

    def _clock(self) -> Any:
        script = self._memory.character.assistant_script
        return (script.ndb.assistant_clock if script is not None else None) or default_reactor

    def _went_without(self, failure: Failure) -> None:
        failure.trap(SemanticMemoryError)
        self.partial = True
        logger.log_err(
            f"Assistant memory: {self._memory.character!r} goes on without its facts: "
            f"{failure.value}"
        )
