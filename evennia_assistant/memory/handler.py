"""
All memory of one NPC behind one name: `npc.memory`.

The stores are the record; the index is made from them in the background after a start and kept up
to date by every write. Reading goes through `recall` only.

"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from evennia.utils import logger
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from ..errors import SemanticMemoryError
from ..mind import entry as entries
from ..mind.audience import listeners_of
from ..mind.extraction import MAX_ENTITIES
from ..mind.open_ends import is_over_expectation
from . import memory_links
from .activated import Activated
from .attribute_store import AttributeStore
from .facts import Facts
from .index import MemoryIndex
from .journal_search import SUPERSEDED, Criteria, JournalSearch
from .live_index import LiveIndex, is_forgotten, item_of
from .lore import with_lore, without_lore
from .member_vectors import MemberVectors
from .open_ends import OpenEnds
from .recall import LIMIT, Recollection, collapsed, is_wanted, recall
from .stores import MemoryStores
from .talk_search import TalkSearch


class MemoryHandler(MemoryStores):
    """
    The memory of one NPC.

    Args:
        character: The NPC.

    """

    def __init__(self, character: Any) -> None:
        super().__init__(character)
        self.journal_search = JournalSearch(self)
        self.facts = Facts(self)
        self.live = LiveIndex(self.journal, self.knowledge, self.facts)
        #: What came to its mind lately.
        self.activated = Activated()

    @cached_property
    def talks(self) -> TalkSearch:
        """Finds what was said, word for word, by either side."""
        return TalkSearch(self)

    @cached_property
    def member_vectors(self) -> MemberVectors:
        """Vectors of memories, for topics and for merging."""
        return MemberVectors(self)

    def stores(self) -> list[AttributeStore]:
        """All stores of this NPC, the sidecar of its facts included."""
        return [*super().stores(), *self.facts.stores()]

    # The index ------------------------------------------------------------------------------

    def prepare(self) -> Deferred[None]:
        """As `memory.live_index.LiveIndex.prepare`."""
        return self.live.prepare()

    @property
    def index(self) -> MemoryIndex:
        """The index, complete; what is left of building it is done now."""
        return self.live.index

    @property
    def open_ends(self) -> OpenEnds:
        """What it promised and expects."""
        return self.live.open_ends

    def make_index_anew(self) -> None:
        """Throw the index away, as after a change of the stores behind its back."""
        self.live.make_anew()
        # Vectors kept by hand are of words that may be gone.
        self.__dict__.pop("member_vectors", None)

    def catch_up(self) -> None:
        """See to it that new memories get their vectors, where the embedder is slow."""
        self.live.catch_up()

    def warm(self, query: str) -> Deferred[None]:
        """
        Make recall of a question ready: its vector, where the embedder is too slow to ask in
        passing, and facts too old for the index.

        Returns:
            Fires when `recall` may be called; at once for an NPC with the default embedder and
            all its facts in the index.

        """
        return self.facts.fetch(query).addCallback(lambda _none: self.live.warm(query))

    # Reading --------------------------------------------------------------------------------

    def recall(
        self, query: str, *, listeners: Collection[str], now: float | None = None, **options: Any
    ) -> Recollection:
        """
        What the NPC remembers that bears on a question, as far as all listeners may be told.

        Args:
            query: The question or key words.
            listeners: Entity ids of those who will learn the answer.
            now: UTC seconds since the epoch; None is now.
            **options: As for `memory.recall.recall`.

        Returns:
            The ranked memories.

        """
        index = self.index
        options.setdefault("vector", self.live.vector_of(query))
        options.setdefault("named", self.profiles.ids_in(query, listeners))
        found = recall(
            index,
            query,
            listeners=listeners,
            now=time.time() if now is None else now,
            **without_lore(self.knowledge, options),
        )
        found = with_lore(found, self.knowledge, listeners, options)
        further = self.facts.linked(found.hits, listeners, deep=options.get("deep", False))
        further = [hit for hit in further if is_wanted(hit.item, options)]
        if not further:
            return found
        hits = sorted([*found.hits, *further], key=lambda hit: -hit.score)
        return replace(found, hits=tuple(collapsed(hits)[: options.get("limit", LIMIT)]))

    def search(
        self, *, listeners: Collection[str], now: float, tags: Collection[str] = (), **criteria: Any
    ) -> list[Mapping[str, Any]]:
        """
        Journal entries by words, tags and age, as far as all listeners may be told.

        Args:
            listeners: Entity ids of those who will learn the answer.
            now: UTC seconds since the epoch.
            tags: Every one of these must be on the entry.
            **criteria: As for `memory.journal_search.Criteria`.

        Returns:
            Entries, best first, or newest first without a query; not to be changed.

        """
        asked = Criteria(tags=frozenset(tags), **criteria)
        return list(self.journal_search.find(asked, listeners=listeners, now=now).entries)

    # Writing --------------------------------------------------------------------------------

    def write(self, content: str, **fields: Any) -> dict[str, Any]:
        """
        Add a journal entry and make it recallable; `save` stores it.

        Args:
            content: Narrative text.
            **fields: As for `Journal.add`.

        Returns:
            The entry.

        Raises:
            ValueError: As `Journal.add` does.

        """
        index = self.index
        before = self.journal.store.data["entry_count"]
        reflection = self.reflection
        reflection.catch_up()
        entry = self.journal.add(content, **self._with_named(fields, content))
        if entry["id"] > before:
            reflection.count(entry)
        if is_forgotten(entry):
            # The same words once more, after they were taken back: they hold again.
            del entry["state"]
            self._facts_hold(entry, memory_links.ACTIVE)
        self.show(entry, index)
        return entry

    def _with_named(self, fields: dict[str, Any], content: str) -> dict[str, Any]:
        """Fields of an entry that also say whom somebody's words name."""
        if fields.get("source_id") in (None, f"#{self.character.pk}"):
            # Of what the NPC writes itself, whoever wrote it says whom it concerns: by that, what
            # rests on somebody is found when they are forgotten.
            return fields
        named = self.profiles.ids_in(content, listeners_of(fields.get("audience")))
        about = dict.fromkeys([*fields.get("entities", ()), *named])
        return {**fields, "entities": list(about)[:MAX_ENTITIES]}

    def show(self, entry: Mapping[str, Any], index: MemoryIndex | None = None) -> None:
        """Make an entry of the journal recallable, if it holds; a dormant one for deep searches."""
        index = index or self.index
        item = item_of(entry)
        if is_forgotten(entry) or self.facts.hides(entry):
            return
        self.open_ends.take(entry)
        if item.id not in index and not is_over_expectation(entry):
            index.add([item])
            self.catch_up()
        index.set_dormant([item.id], self.facts.sleeps(entry))

    def follow(self, names: Iterable[str]) -> Deferred[None]:
        """
        Have recall know what became of memories whose state has changed.

        Args:
            names: `"j12"` for an entry, else the id of a fact.

        Returns:
            Fires when all of it can be recalled again that may be.

        """
        facts = []
        for name in names:
            number = entries.number_of(name) if name.startswith("j") else None
            if number is None:
                facts.append(name)
                continue
            entry = self.journal.find_anywhere(number)
            if entry is None or is_forgotten(entry) or self.facts.hides(entry):
                self.index.remove([name])
                self.open_ends.drop([number])
            else:
                self.show(entry)
        self.journal_search.forget_findings()
        return self.facts.refresh(facts)

    def show_anew(self, entry: Mapping[str, Any]) -> None:
        """Make an entry recallable as it is now; one that is not in the index stays out of it."""
        index = self.index
        name = f"j{entry['id']}"
        if name in index:
            index.remove([name])
            self.show(entry, index)

    def _facts_hold(self, entry: Mapping[str, Any], state: str) -> None:
        """What becomes of an entry becomes of the facts that rest on it alone."""
        links = self.facts.links
        if links is None:
            return
        alone = [
            fact_id
            for fact_id in entry.get("mem0_ids", ())
            if memory_links.get(links.get(fact_id), "entry_ids") == [entry["id"]]
        ]
        for fact_id in alone:
            links.change(fact_id, state=state, successor=None)
        if alone:
            self.facts.refresh(alone).addErrback(_is_without_facts)

    def teach(self, fact: str) -> int:
        """
        Take a line from the NPC's keeper into its knowledge, and store it.

        Args:
            fact: The line, for everybody.

        Returns:
            Its place in `db.knowledge`, from 0.

        """
        index = self.index
        place = self.knowledge.add(fact)
        self.knowledge.store.save()
        item = self.knowledge.item(place)
        if item is not None:
            index.add([item])
            self.catch_up()
        return place

    def unteach(self, place: int) -> None:
        """
        Take a line out of the knowledge again; the others keep their places.

        Raises:
            IndexError: If there is no such place.

        """
        index = self.index
        self.knowledge.clear(place)
        self.knowledge.store.save()
        index.remove([f"k{place}"])

    def forget(self, entry_id: int, *, successor: int | None = None) -> dict[str, Any]:
        """
        Mark a live journal entry as superseded, so that it is recalled no more; `save` stores it.

        The entry itself stays for its keepers. Without a successor it is taken back: nothing more
        is made of the lines it came from, and what rests on nothing else goes with it.

        Args:
            entry_id: Its number.
            successor: The number of the entry that holds instead, if there is one.

        Returns:
            The entry.

        Raises:
            KeyError: If there is no live entry of that number.

        """
        entry = self.journal.find(entry_id)
        if entry is None:
            raise KeyError(entry_id)
        index = self.index
        entry["state"] = SUPERSEDED
        if successor is not None:
            entry["successor"] = successor
        entry["rev"] = entries.get(entry, "rev") + 1
        self.journal.store.touch(entry)
        index.remove([f"j{entry_id}"])
        self.open_ends.drop([entry_id])
        self._facts_hold(entry, SUPERSEDED)
        if successor is None:
            self.working.take_back(entry_id)
            self.profiles.take_back(entry_id)
            for derived in self._resting_on_nothing_but(entry_id):
                self.forget(derived)
        return entry

    def _resting_on_nothing_but(self, entry_id: int) -> list[int]:
        """Live entries made of one that was taken back, and of others that all were as well."""
        name = f"j{entry_id}"

        def is_taken_back(evidence: object) -> bool:
            number = entries.number_of(evidence)
            return number is not None and entries.is_taken_back(self.journal.find(number))

        return [
            entry["id"]
            for entry in self.journal.entries
            if name in entry.get("evidence", ())
            and not is_forgotten(entry)
            and all(map(is_taken_back, entry["evidence"]))
        ]

    def judged_anew(self, entry: Mapping[str, Any]) -> None:
        """Take over what an entry matters now; the caller saves."""
        self.journal.store.touch(entry)
        self.reflection.judged_anew(entry)
        self.live.judged_anew(entry)

    def remove(self, entry_ids: Collection[int]) -> list[dict[str, Any]]:
        """
        Take live journal entries out for good; `save` stores it.

        Args:
            entry_ids: Their numbers; those that are not live are passed over.

        Returns:
            What was taken out.

        """
        index, journal = self.index, self.journal.store.data
        gone = [entry for entry in journal["entries"] if entry["id"] in entry_ids]
        journal["entries"] = [e for e in journal["entries"] if e["id"] not in entry_ids]
        self.journal.store.touch(*gone)
        index.remove([f"j{entry['id']}" for entry in gone])
        self.open_ends.drop([entry["id"] for entry in gone])
        return gone


def _is_without_facts(failure: Failure) -> None:
    failure.trap(SemanticMemoryError)
    logger.log_warn(f"Assistant memory: {failure.value}")
