"""
What one NPC remembers, ready to be asked: an index in the process, gated by audience.

The index is derived: it is filled from the stores at start and with every new entry after that,
and holds nothing that is not in a store. `search` takes the listeners and ranks only what all of
them may be told; whatever the other memories say changes neither which hits come back nor their
scores. Names ending in `_for_keeper` are the only way past that, for an operator's commands.

    index = MemoryIndex()
    index.add([MemoryItem("j1", "The well is dry.", "#5", "Anna", when=0.0, audience="public")])
    index.search("What about the well?", listeners=["#7"], now=60.0)

"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from evennia_assistant.errors import ConfigError, StoreError
from evennia_assistant.memory.columns import Columns
from evennia_assistant.memory.embedders import Embedder
from evennia_assistant.memory.items import Hit, MemoryItem, Question
from evennia_assistant.memory.lexical import LexicalIndex
from evennia_assistant.memory.name_book import NameBook
from evennia_assistant.memory.relevance import relevance
from evennia_assistant.mind import scoring
from evennia_assistant.mind.audience import PUBLIC, frozen, may_be_told
from evennia_assistant.mind.percept import Audience
from evennia_assistant.mind.text import (
    content_terms,
    is_question,
    name_keys,
    names_in,
    speaks_of_self,
)
from evennia_assistant.mind.time_asked import spans_asked

#: Seconds of silence after which lines said in one place are no longer one conversation.
LULL = 1800.0

#: What a word that names a speaker counts for in a line's text: people say a name to address it.
NAME_WEIGHT = 0.3

#: The parts any of which makes a memory bear on a question; the others only order what does.
BEARING = ("relevance", "speaker", "entity", "time")


class MemoryIndex:
    """
    All memories of one NPC.

    Args:
        embedder: Adds a comparison of meaning to that of words. One that is `slow` is never
            called here: hand vectors in with `attach` and `search(query_vector=...)`.

    """

    def __init__(self, embedder: Embedder | None = None) -> None:
        self.embedder = embedder
        self._items: list[MemoryItem | None] = []
        self._rows: dict[str, int] = {}
        self._free: list[int] = []
        self._columns = Columns(embedder.dimensions if embedder else 0)
        self._words = LexicalIndex()
        self._names = NameBook()
        self._audiences: dict[Audience, int] = {}
        self._audiences_with: dict[str, list[Audience]] = {}
        self._codes: dict[str, int] = {}
        self._concerning: dict[str, set[int]] = {}
        self._last: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, item_id: object) -> bool:
        return item_id in self._rows

    # Writing --------------------------------------------------------------------------------

    def add(self, items: Iterable[MemoryItem], vectors: Any = None) -> None:
        """
        Take memories in, in the order they happened; one that is known by its id is replaced.

        Args:
            items: The memories.
            vectors: float32 [n, d] of their texts, L2-normalised. Left out, an embedder that is
                not slow is asked; with a slow one the memories are found by their words until
                `attach` brings their vectors.

        """
        items = list(items)
        if vectors is None and items and self.embedder is not None and not self.embedder.slow:
            vectors = self.embedder.embed([item.text for item in items])
        for number, item in enumerate(items):
            row = self._rows.get(item.id)
            if row is None:
                row = self._new_row()
                self._link(row, item)
            else:
                self._clear(row)
            self._write(row, item)
            if vectors is not None:
                self._columns.set_vector(row, vectors[number])

    def attach(self, ids: Sequence[str], vectors: Any) -> None:
        """
        Give memories the vectors that were made elsewhere; ids gone meanwhile are passed over.

        Args:
            ids: Memory ids.
            vectors: float32 [n, d], L2-normalised, one for each id.

        """
        for item_id, vector in zip(ids, vectors, strict=True):
            if item_id in self._rows:
                self._columns.set_vector(self._rows[item_id], vector)

    def without_vector(self, limit: int = 100) -> list[str]:
        """The ids of memories still waiting for `attach`, at most `limit` of them."""
        has = self._columns.has_vector
        waiting = (item_id for item_id, row in self._rows.items() if not has[row])
        return [item_id for item_id, _ in zip(waiting, range(limit), strict=False)]

    def remove(self, ids: Iterable[str]) -> None:
        """Forget memories, their words and vectors included; unknown ids are passed over."""
        for item_id in ids:
            row = self._rows.pop(item_id, None)
            if row is None:
                continue
            self._clear(row)
            self._unlink(row)
            self._columns.clear(row)
            self._free.append(row)

    # Reading --------------------------------------------------------------------------------

    def get(self, item_id: str, *, listeners: Collection[str]) -> MemoryItem | None:
        """One memory by its id, or None when there is none that all `listeners` may be told."""
        item = self.get_for_keeper(item_id)
        return item if item is not None and may_be_told(item.audience, listeners) else None

    def get_for_keeper(self, item_id: str) -> MemoryItem | None:
        """One memory by its id, whoever may be told; callers log that they used this."""
        row = self._rows.get(item_id)
        return None if row is None else self._items[row]

    def gated(self, listeners: Collection[str]) -> int:
        """How many memories there are that not all of `listeners` may be told."""
        return len(self) - int(self._visible(listeners).sum())

    def search(
        self, query: str, *, listeners: Collection[str], now: float, **options: Any
    ) -> list[Hit]:
        """
        The memories that bear most on `query`, of those all `listeners` may be told.

        Args:
            query: The question as it was asked.
            listeners: Entity ids of all who will hear the answer.
            now: UTC, seconds since the epoch.
            **options: `limit`, `preset`, `names` and the other fields of `items.Question`.

        Returns:
            Hits, best first; of equals, the later memory first. Empty when nothing bears on it.

        Raises:
            ConfigError: There is no such preset.

        """
        return self._answer(self._visible(listeners), Question(query, now, **options))

    def search_for_keeper(self, query: str, *, now: float, **options: Any) -> list[Hit]:
        """As `search`, over all memories whoever may be told; callers log that they used this."""
        return self._answer(self._columns["live"].copy(), Question(query, now, **options))

    def _answer(self, visible: Any, question: Question) -> list[Hit]:
        """The hits among the rows that are `visible`; nothing else is looked at."""
        weights = _weights(question.preset)
        wanted = self._wanted(visible, question)
        named, name_terms = self._named_in(question, visible)
        if weights.matching == "overlap":
            return self._one_by_one(question, weights, named, np.flatnonzero(wanted))
        parts = self._parts(question, weights, visible, named, name_terms)
        coverage = parts.pop("coverage")
        wanted &= sum(parts[name] for name in BEARING) > 0.0
        scores = np.where(wanted, scoring.combine(parts, weights), -np.inf)
        parts["coverage"] = coverage
        return [
            Hit(
                self._item(row),
                float(scores[row]),
                {name: float(part[row]) for name, part in parts.items()},
            )
            for row in self._best(scores, question.limit)
        ]

    def _parts(
        self,
        question: Question,
        weights: scoring.Weights,
        visible: Any,
        named: Collection[str],
        name_terms: Collection[str],
    ) -> dict[str, Any]:
        """What speaks for each row: the parts of `mind.scoring`, as arrays, and "coverage"."""
        columns = self._columns
        before, after = columns.linked("before"), columns.linked("after")
        terms = {
            term: NAME_WEIGHT if term in name_terms else 1.0
            for term in content_terms(question.text)
        }
        own, around, coverage = self._words.scores(
            terms, visible=visible, lengths=columns["length"], before=before, after=after
        )
        relevant = relevance(
            own,
            around,
            self._cosine(question),
            asks=columns["asks"],
            before=before,
            after=after,
            visible=visible,
        )
        parts = {
            "relevance": relevant,
            "importance": columns["importance"] / 10.0,
            "speaker": self._is_coded("speaker", named),
            "entity": self._concerns(named),
            "time": self._from_time_asked(question),
            "question": columns["asks"],
            "length": columns["share"],
            "recency": _recency(question.now - columns["when"], weights),
        }
        return {**parts, "coverage": coverage}

    def _one_by_one(
        self, question: Question, weights: scoring.Weights, named: Collection[str], rows: Any
    ) -> list[Hit]:
        """Hits by a preset that compares texts itself; the documented formula, not the fast one."""
        context = scoring.Context(query=question.text, now=question.now, named=named)
        hits = []
        for row in rows:
            item = self._item(row)
            score = scoring.score_memory(item, context, weights)
            hits.append(Hit(item, score.total, asdict(score.parts)))
        hits.sort(key=lambda hit: (-hit.score, -hit.item.when))
        return hits[: question.limit]

    # The gate -------------------------------------------------------------------------------

    def _visible(self, listeners: Collection[str]) -> Any:
        """Which rows all listeners may be told of."""
        # An empty row has code -1 and so reads the last place, which is never set.
        allowed: Any = np.zeros(len(self._audiences) + 1, dtype=np.bool_)
        # An audience all listeners are in is one the first of them is in: only those are asked.
        for audience in (PUBLIC, *self._audiences_with.get(next(iter(listeners), ""), ())):
            if audience in self._audiences and may_be_told(audience, listeners):
                allowed[self._audiences[audience]] = True
        return allowed[self._columns["audience"]]

    def _wanted(self, visible: Any, question: Question) -> Any:
        """The visible rows that the question does not leave out."""
        wanted = visible & (self._columns["trust"] >= question.min_trust)
        if question.kinds is not None:
            wanted &= self._is_coded("kind", question.kinds) > 0.0
        for item_id in question.exclude:
            if item_id in self._rows:
                wanted[self._rows[item_id]] = False
        return wanted

    # Rows -----------------------------------------------------------------------------------

    def _named_in(self, question: Question, visible: Any) -> tuple[set[str], set[str]]:
        """Entity ids the question names, and those of its words that are names of speakers."""
        named: set[str] = set()
        words: set[str] = set()
        for name, ids in self._names.named_in(question.text).items():
            # A name known from a confidence alone is no name to those who were not told.
            heard = [who for who in ids if (self._is_coded("speaker", [who])[visible]).any()]
            if heard:
                named.update(heard)
                words.update(content_terms(name))
        if isinstance(question.names, Mapping):
            keys = {key: who for name, who in question.names.items() for key in name_keys(name)}
            named.update(names_in(question.text, keys).values())
        if question.asker is not None and speaks_of_self(question.text):
            named.add(question.asker)
        return named, words

    def _cosine(self, question: Question) -> Any:
        """Cosine of each row's vector with the question's; None without vectors."""
        embedder, vector = self.embedder, question.vector
        if embedder is None:
            return None
        if vector is None:
            if embedder.slow:
                return None
            vector = embedder.embed([question.text])[0]
        return self._columns.vectors @ vector

    def _is_coded(self, column: str, values: Iterable[str]) -> Any:
        """1.0 on rows whose column holds one of `values`, else 0.0."""
        codes = [self._codes[value] for value in values if value in self._codes]
        hit = np.zeros(self._columns.size)
        for code in codes:
            hit[self._columns[column] == code] = 1.0
        return hit

    def _concerns(self, named: Iterable[str]) -> Any:
        """1.0 on rows that concern one of `named`, else 0.0."""
        hit = np.zeros(self._columns.size)
        for who in named:
            hit[list(self._concerning.get(who, ()))] = 1.0
        return hit

    def _from_time_asked(self, question: Question) -> Any:
        """1.0 on rows from a time the question names, else 0.0."""
        when = self._columns["when"]
        hit = np.zeros(len(when))
        for start, end in spans_asked(question.text, question.now):
            hit[(when >= start) & (when < end)] = 1.0
        return hit

    def _best(self, scores: Any, limit: int) -> list[int]:
        """The rows of the `limit` best scores, best first, later first among equals."""
        if limit <= 0:
            return []
        rows = np.flatnonzero(scores > -np.inf)
        if limit < len(rows):
            # Everything as good as the last that fits, so that the later of equals can win.
            least = np.partition(scores[rows], len(rows) - limit)[len(rows) - limit]
            rows = rows[scores[rows] >= least]
        order = np.lexsort((-self._columns["when"][rows], -scores[rows]))
        return [int(row) for row in rows[order[:limit]]]

    def _item(self, row: int) -> MemoryItem:
        item = self._items[row]
        if item is None:
            raise StoreError(f"the memory index lost row {row}")
        return item

    def _new_row(self) -> int:
        if self._free:
            return self._free.pop()
        self._items.append(None)
        return self._columns.new_row()

    def _write(self, row: int, item: MemoryItem) -> None:
        """Fill a row with all but its links and its vector."""
        columns = self._columns
        self._items[row] = item
        self._rows[item.id] = row
        length = self._words.add(row, content_terms(item.text))
        columns["live"][row] = True
        columns["when"][row] = item.when
        columns["importance"][row] = item.importance
        columns["trust"][row] = item.source_trust
        columns["length"][row] = length
        columns["share"][row] = scoring.length_share(length)
        columns["asks"][row] = is_question(item.text)
        columns["audience"][row] = self._audience_code(item.audience)
        columns["kind"][row] = self._code(item.kind)
        for who in item.entities:
            self._concerning.setdefault(who, set()).add(row)
        if item.speaker is not None:
            columns["speaker"][row] = self._code(item.speaker)
            self._names.add(item.speaker_name, item.speaker)

    def _clear(self, row: int) -> None:
        """Undo `_write` and the vector."""
        item = self._item(row)
        self._words.remove(row, content_terms(item.text))
        self._columns["speaker"][row] = -1
        self._columns.drop_vector(row)
        self._items[row] = None
        for who in item.entities:
            self._concerning[who].discard(row)
        if item.speaker is not None:
            self._names.remove(item.speaker_name, item.speaker)

    def _audience_code(self, stored: object) -> int:
        audience = frozen(stored)
        if audience not in self._audiences:
            self._audiences[audience] = len(self._audiences)
            for member in audience if isinstance(audience, tuple) else ():
                self._audiences_with.setdefault(member, []).append(audience)
        return self._audiences[audience]

    def _code(self, value: str) -> int:
        return self._codes.setdefault(value, len(self._codes))

    def _link(self, row: int, item: MemoryItem) -> None:
        """Put a row behind the last one of its conversation."""
        talk = item.conversation if item.conversation is not None else item.place
        last = self._last.get(talk)
        if not talk:
            return
        self._last[talk] = row
        if last is None:
            return
        if item.conversation is None and abs(item.when - self._columns["when"][last]) > LULL:
            return
        self._columns["before"][row] = last
        self._columns["after"][last] = row

    def _unlink(self, row: int) -> None:
        """Take a row out of its conversation; those around it become neighbours."""
        before, after = int(self._columns["before"][row]), int(self._columns["after"][row])
        if before >= 0:
            self._columns["after"][before] = after
        if after >= 0:
            self._columns["before"][after] = before
        for talk, last in list(self._last.items()):
            if last == row:
                if before >= 0:
                    self._last[talk] = before
                else:
                    del self._last[talk]


def _weights(preset: str) -> scoring.Weights:
    if preset not in scoring.PRESETS:
        known = ", ".join(sorted(scoring.PRESETS))
        raise ConfigError(f"There is no recall preset {preset!r}; there are {known}.")
    return scoring.PRESETS[preset]


def _recency(age_seconds: Any, weights: scoring.Weights) -> Any:
    """`mind.scoring.recency` for an array of ages."""
    hours = np.maximum(age_seconds, 0.0) / 3600.0
    if weights.half_life_days is None:
        return np.exp(-0.99 * hours)
    return 0.5 ** (hours / 24.0 / weights.half_life_days)
