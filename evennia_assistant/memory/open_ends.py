"""
What an NPC promised and expects, at hand: made from the journal with the index, and kept with it.

A turn looks at these records and at no entry, however old the NPC is; the archive is read once,
when the index is made. What a line may have to do with is found by vectors that are made once for
each text: those of the index where the embedder is slow, else our own.

"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from ..mind.open_ends import OpenEnd, is_over_expectation, open_end_of, outcome_record
from .attribute_store import AttributeStore
from .embedders import get_embedder
from .thresholds import thresholds_for

#: Compares words where recall has no vectors.
WORDS = "hashing"


class OpenEnds:
    """
    The promises and expectations of one NPC.

    Args:
        journal: Its `Journal`.
        index: Its `MemoryIndex`.

    """

    def __init__(self, journal: Any, index: Any) -> None:
        self._journal = journal
        self._index = index
        self._ends: dict[int, OpenEnd] = {}
        self._vectors: dict[int, Any] = {}
        self._matrix: tuple[list[int], Any] | None = None
        embedder = index.embedder or get_embedder(WORDS)
        assert embedder is not None
        self._embedder = embedder

    def __len__(self) -> int:
        return len(self._ends)

    # Keeping up -----------------------------------------------------------------------------

    def take(self, entry: Mapping[str, Any]) -> None:
        """Take in an entry as it stands now; one that is neither, or void, is let go of."""
        number = entry["id"]
        end = open_end_of(entry)
        if end is None:
            self.drop([number])
        elif end != self._ends.get(number):
            before = self._ends.get(number)
            self._ends[number] = end
            self._matrix = None
            if before is None or before.text != end.text:
                self._embed(end)

    def drop(self, numbers: Iterable[int]) -> None:
        """Let go of entries that are gone; unknown ones are passed over."""
        for number in numbers:
            if self._ends.pop(number, None) is not None:
                self._vectors.pop(number, None)
                self._matrix = None

    # Reading --------------------------------------------------------------------------------

    def all(self) -> list[OpenEnd]:
        """All of them, whoever may be told; a caller that shows any asks `mind.audience` first."""
        return list(self._ends.values())

    def get(self, number: int) -> OpenEnd | None:
        """One of them by the number of its entry."""
        return self._ends.get(number)

    def matching(self, words: str, vector: Any = None, *, most: int = 3) -> list[OpenEnd]:
        """
        The open ones that a line may have to do with, the closest first.

        Args:
            words: The line.
            vector: Its vector by the index's embedder, where there is one that is slow.
            most: How many.

        """
        open_ends = [end for end in self._ends.values() if end.is_open]
        if not open_ends or not words.strip():
            return []
        embedder = self._embedder
        floor = thresholds_for(embedder.name).linked
        if embedder.slow:
            if vector is None:
                return []
            close = self._index.cosines([end.id for end in open_ends], vector)
            scored = [(close.get(end.id, 0.0), end) for end in open_ends]
        else:
            numbers, matrix = self._compared()
            (question,) = embedder.embed([words])
            cosines = matrix @ question
            scored = [(float(c), self._ends[n]) for n, c in zip(numbers, cosines, strict=True)]
        found = [(cosine, end) for cosine, end in scored if cosine >= floor]
        found.sort(key=lambda pair: (-pair[0], pair[1].number))
        return [end for _cosine, end in found[:most]]

    def _embed(self, end: OpenEnd) -> None:
        """Make the vector of one, now, so that no turn has to make hundreds."""
        if not self._embedder.slow:
            (self._vectors[end.number],) = self._embedder.embed([end.text])

    def _compared(self) -> tuple[list[int], Any]:
        """The numbers of the open ones, and their vectors."""
        if self._matrix is None:
            numbers = [number for number, end in self._ends.items() if end.is_open]
            self._matrix = numbers, np.array([self._vectors[number] for number in numbers])
        return self._matrix

    # Closing --------------------------------------------------------------------------------

    def close(
        self, outcomes: Mapping[int, tuple[str, str | None]], when: float
    ) -> list[AttributeStore]:
        """
        Say what became of some, live or archived; the caller saves what is returned.

        Args:
            outcomes: One of `mind.open_ends.OUTCOMES` and the id of the memory that shows it, or
                None, by the number of the entry.
            when: UTC seconds since the epoch.

        Returns:
            All stores that changed.

        """

        def close(entry: dict[str, Any]) -> None:
            what, by = outcomes[entry["id"]]
            entry["outcome"] = outcome_record(what, when, by)

        return self._change(outcomes, close)

    def open_again(self, numbers: Iterable[int]) -> list[AttributeStore]:
        """Take back what was said of some; the caller saves what is returned."""

        def reopen(entry: dict[str, Any]) -> None:
            entry.pop("outcome", None)

        return self._change(list(numbers), reopen)

    def _change(
        self, numbers: Iterable[int], mark: Callable[[dict[str, Any]], None]
    ) -> list[AttributeStore]:
        numbers = [number for number in numbers if number in self._ends]
        if not numbers:
            return []

        def changed(entry: dict[str, Any]) -> None:
            mark(entry)
            self.take(entry)
            if is_over_expectation(entry):
                self._index.remove([f"j{entry['id']}"])

        stores: list[AttributeStore] = self._journal.change(numbers, changed)
        return stores
