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

from collections.abc import Collection
from dataclasses import asdict
from typing import Any

import numpy as np

from evennia_assistant.errors import ConfigError
from evennia_assistant.memory.embedders import Embedder
from evennia_assistant.memory.items import Hit, MemoryItem, Question
from evennia_assistant.memory.relevance import BLEND, Blend, relevance
from evennia_assistant.memory.rows import MemoryRows
from evennia_assistant.memory.thresholds import thresholds_for
from evennia_assistant.mind import scoring
from evennia_assistant.mind.audience import PUBLIC, may_be_told
from evennia_assistant.mind.text import (
    content_terms,
    name_keys,
    names_in,
    speaks_of_self,
)
from evennia_assistant.mind.time_asked import spans_asked

#: What a word that names a speaker counts for in a line's text: people say a name to address it.
NAME_WEIGHT = 0.3

#: The parts any of which makes a memory bear on a question; the others only order what does.
BEARING = ("relevance", "speaker", "entity", "time")


class MemoryIndex(MemoryRows):
    """
    All memories of one NPC.

    Args:
        embedder: Adds a comparison of meaning to that of words. One that is `slow` is never
            called here: hand vectors in with `attach` and `search(vector=...)`.
        blend: What counts how much for relevance.

    """

    def __init__(self, embedder: Embedder | None = None, blend: Blend = BLEND) -> None:
        super().__init__(embedder)
        self.blend = blend

    # Reading --------------------------------------------------------------------------------

    def get(self, item_id: str, *, listeners: Collection[str]) -> MemoryItem | None:
        """One memory by its id, or None when there is none that all `listeners` may be told."""
        item = self.get_for_keeper(item_id)
        return item if item is not None and may_be_told(item.audience, listeners) else None

    def get_for_keeper(self, item_id: str) -> MemoryItem | None:
        """One memory by its id, whoever may be told; callers log that they used this."""
        row = self._rows.get(item_id)
        return None if row is None else self._items[row]

    def items_for_keeper(self) -> list[MemoryItem]:
        """All memories, whoever may be told; for what keeps the index itself in order."""
        return [self._item(row) for row in self._rows.values()]

    def gated(self, listeners: Collection[str]) -> int:
        """How many memories there are that not all of `listeners` may be told."""
        return len(self) - int(self._visible(listeners).sum())

    def rarity(self, terms: Collection[str], *, listeners: Collection[str]) -> dict[str, float]:
        """How rare each term is among the memories that all `listeners` may be told."""
        visible = self._visible(listeners)
        return {term: self._words.rarity(term, visible) for term in set(terms)}

    def cosines(self, item_ids: Collection[str], vector: Any) -> dict[str, float]:
        """
        How close each of some memories is to a text, whoever may be told.

        Args:
            item_ids: Their ids; those without a vector are left out.
            vector: float32 [d], the text's.

        """
        rows = {name: self._rows[name] for name in item_ids if name in self._rows}
        if not rows or self.embedder is None:
            return {}
        close = self._columns.vectors[list(rows.values())] @ vector
        return {name: float(cosine) for name, cosine in zip(rows, close, strict=True)}

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
        fits = parts.pop("fits")
        if question.floor is not None:
            likeness = self._cosine(question)
            wanted &= (coverage if likeness is None else likeness) >= question.floor
        if weights.floor is not None:
            for stirring in ("impact", "relational"):
                parts[stirring] = parts[stirring] * fits
            wanted &= fits | (parts["entity"] > 0.0)
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
        """
        What speaks for each row: the parts of `mind.scoring`, as arrays, and "coverage".

        "fits" says whether it is relevant enough for a preset with a floor.

        """
        columns = self._columns
        before, after = columns.linked("before"), columns.linked("after")
        terms = {
            term: NAME_WEIGHT if term in name_terms else 1.0
            for term in content_terms(question.text)
        }
        own, around, coverage = self._words.scores(
            terms, visible=visible, lengths=columns["length"], before=before, after=after
        )
        cosine = self._cosine(question)
        relevant = relevance(
            own,
            around,
            cosine,
            asks=columns["asks"],
            before=before,
            after=after,
            visible=visible,
            blend=self.blend,
        )
        fits = relevant >= (weights.floor or 0.0)
        if weights.matching == "cosine" and cosine is not None and self.embedder is not None:
            # Words in common are as good a reason as a cosine that says something.
            fits |= cosine >= thresholds_for(self.embedder.name).relevant
            relevant = np.clip(cosine, 0.0, 1.0)
        parts = {
            "relevance": relevant,
            "importance": columns["importance"] / 10.0,
            "speaker": self._is_coded("speaker", named),
            "entity": self._concerns(named),
            "time": self._from_time_asked(question),
            "question": columns["asks"],
            "length": columns["share"],
            "recency": _recency(question.now - columns["when"], weights),
            "impact": columns["impact"],
            "relational": columns["relational"],
        }
        return {**parts, "coverage": coverage, "fits": fits}

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
        if not question.deep:
            wanted &= ~self._columns["dormant"]
        if question.kinds is not None:
            wanted &= self._is_coded("kind", question.kinds) > 0.0
        if question.among is not None:
            rows = [self._rows[item_id] for item_id in question.among if item_id in self._rows]
            chosen: Any = np.zeros(len(wanted), dtype=np.bool_)
            chosen[rows] = True
            wanted &= chosen
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
        if question.names:
            keys = {key: who for name, who in question.names.items() for key in name_keys(name)}
            named.update(names_in(question.text, keys).values())
        named.update(question.named)
        if question.asker is not None and speaks_of_self(question.text):
            named.add(question.asker)
        return named, words

    def _has_cosine(self, question: Question) -> bool:
        """Whether the question can be compared by vectors."""
        embedder = self.embedder
        return embedder is not None and (question.vector is not None or not embedder.slow)

    def _cosine(self, question: Question) -> Any:
        """Cosine of each row's vector with the question's; None without vectors."""
        embedder, vector = self.embedder, question.vector
        if embedder is None or not self._has_cosine(question):
            return None
        if vector is None:
            vector = embedder.embed([question.text])[0]
        return self._columns.vectors @ vector

    def _from_time_asked(self, question: Question) -> Any:
        """1.0 on rows from a time the question names, or about one, else 0.0."""
        when = self._columns["when"]
        begins, ends = self._columns["event_start"], self._columns["event_end"]
        hit = np.zeros(len(when))
        for start, end in spans_asked(question.text, question.now):
            hit[(when >= start) & (when < end)] = 1.0
            hit[(begins < end) & (ends >= start)] = 1.0
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


def _weights(preset: str | scoring.Weights) -> scoring.Weights:
    if isinstance(preset, scoring.Weights):
        return preset
    if preset not in scoring.PRESETS:
        known = ", ".join(sorted(scoring.PRESETS))
        raise ConfigError(f"There is no recall preset {preset!r}; there are {known}.")
    return scoring.PRESETS[preset]


def _recency(age_seconds: Any, weights: scoring.Weights) -> Any:
    """`mind.scoring.recency` for an array of ages."""
    hours = np.maximum(age_seconds, 0.0) / 3600.0
    if weights.half_life_days is None:
        return np.exp(-0.99 * hours)
    return np.exp2(hours * (-1.0 / 24.0 / weights.half_life_days))
