"""
The memories of one NPC as rows: taken in one by one, changed, forgotten.

This is the writing half of the index; `memory.index` asks it. Each memory has a row number that
posting lists, columns and links share; the row of a forgotten memory is used again.

"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from evennia_assistant.errors import StoreError
from evennia_assistant.memory.columns import Columns
from evennia_assistant.memory.embedders import Embedder
from evennia_assistant.memory.items import MemoryItem
from evennia_assistant.memory.lexical import LexicalIndex
from evennia_assistant.memory.name_book import NameBook
from evennia_assistant.mind.audience import frozen
from evennia_assistant.mind.percept import Audience
from evennia_assistant.mind.scoring import RELATIONAL, length_share
from evennia_assistant.mind.text import content_terms, is_question

#: Seconds of silence after which lines said in one place are no longer one conversation.
LULL = 1800.0
#: Begin and end of what takes place at no time of its own; overlaps nothing.
NO_TIME = (np.inf, -np.inf)


class MemoryRows:
    """
    The rows of one NPC's memories.

    Args:
        embedder: Makes the vectors of memories; None for no vectors.

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
        #: How many memories were made of others.
        self.derived = 0

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
            terms = content_terms(item.text)
            row = self._rows.get(item.id)
            if row is None:
                row = self._new_row()
                self._link(row, item)
            else:
                self._clear(row)
            self._write(row, item, terms)
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
        if self.embedder is None:
            return []
        has = self._columns.has_vector
        waiting = (item_id for item_id, row in self._rows.items() if not has[row])
        return [item_id for item_id, _ in zip(waiting, range(limit), strict=False)]

    def set_importance(self, item_id: str, importance: int) -> None:
        """
        Rank a memory by another importance from now on; an unknown id is passed over.

        Args:
            item_id: Its id.
            importance: 1 to 10.

        """
        row = self._rows.get(item_id)
        if row is not None:
            self._items[row] = replace(self._item(row), importance=importance)
            self._columns["importance"][row] = importance

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

    # Sleeping rows --------------------------------------------------------------------------

    def set_dormant(self, ids: Iterable[str], dormant: bool) -> None:
        """Have memories found by a deep search only, or by any again; unknown ids are passed by."""
        for item_id in ids:
            if item_id in self._rows:
                self._columns["dormant"][self._rows[item_id]] = dormant

    @property
    def has_dormant(self) -> bool:
        """Whether any memory has faded."""
        return bool(self._columns["dormant"].any())

    def is_dormant(self, item_id: str) -> bool:
        """Whether a memory is found by a deep search only."""
        row = self._rows.get(item_id)
        return row is not None and bool(self._columns["dormant"][row])

    def vector_of(self, item_id: str) -> Any:
        """The vector of a memory, None where there is none yet."""
        row = self._rows.get(item_id)
        if row is None or not self._columns.has_vector[row]:
            return None
        return self._columns.vectors[row].copy()

    # What rows are about ------------------------------------------------------------------

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

    # Inside --------------------------------------------------------------------------------

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

    def _write(self, row: int, item: MemoryItem, terms: list[str]) -> None:
        """Fill a row with all but its links and its vector."""
        self._items[row] = item
        self._rows[item.id] = row
        self.derived += bool(item.sources)
        length = self._words.add(row, terms)
        begin, end = item.event_time or NO_TIME
        self._columns.write(
            row,
            live=True,
            when=item.when,
            importance=item.importance,
            trust=item.source_trust,
            length=length,
            share=length_share(length),
            asks=is_question(item.text),
            impact=abs(item.valence),
            relational=RELATIONAL * bool(item.relational_tags),
            event_start=begin,
            event_end=end,
            audience=self._audience_code(item.audience),
            kind=self._code(item.kind),
            speaker=-1 if item.speaker is None else self._code(item.speaker),
        )
        for who in item.entities:
            self._concerning.setdefault(who, set()).add(row)
        if item.speaker is not None:
            self._names.add(item.speaker_name, item.speaker)

    def _clear(self, row: int) -> None:
        """Undo `_write` and the vector."""
        item = self._item(row)
        self._words.remove(row, content_terms(item.text))
        self._columns["speaker"][row] = -1
        self._columns.drop_vector(row)
        self._items[row] = None
        self.derived -= bool(item.sources)
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
