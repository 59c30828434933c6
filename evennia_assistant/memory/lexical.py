"""
Which rows hold the words of a question: posting lists and BM25, row by row and in context.

BM25 is computed at question time over the rows the listeners may be told of, document frequencies
and lengths included. What the others say therefore changes no score that a listener can see.

"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

#: BM25: how soon a repeated word stops counting, and how much a long line is held against it.
K1 = 1.2
B = 0.75


class LexicalIndex:
    """Posting lists over numbered rows; adding costs the words of one line."""

    def __init__(self) -> None:
        self._rows: dict[str, array[int]] = {}
        self._counts: dict[str, array[int]] = {}

    def add(self, row: int, terms: Iterable[str]) -> int:
        """
        Take in one row.

        Args:
            row: Its number; it must not be in yet.
            terms: Its words, repeated as often as they occur.

        Returns:
            How many words it has.

        """
        counts = Counter(terms)
        for term, count in counts.items():
            if term not in self._rows:
                self._rows[term] = array("i")
                self._counts[term] = array("i")
            self._rows[term].append(row)
            self._counts[term].append(count)
        return counts.total()

    def remove(self, row: int, terms: Iterable[str]) -> None:
        """Forget one row, the words only it had included; `terms` as they were added."""
        for term in set(terms):
            rows = self._rows[term]
            at = rows.index(row)
            del rows[at], self._counts[term][at]
            if not rows:
                del self._rows[term], self._counts[term]

    def scores(
        self,
        query: Mapping[str, float],
        *,
        visible: Any,
        lengths: Any,
        before: Any,
        after: Any,
    ) -> tuple[Any, Any, Any]:
        """
        BM25 of each row alone, and of each row together with the rows said just around it.

        Args:
            query: Term to its weight in the question.
            visible: bool [n], the rows that may count at all.
            lengths: float [n], how many words each row has.
            before: int [n + 1], the row said before each row, n where there is none or for n.
            after: int [n + 1], the row said after, likewise.

        Returns:
            Three float arrays [n], 0 on rows not visible: the row's own score, the score of the
            window of three rows, and the share of the question's idf found in that window.

        """
        n = len(visible)
        own, around, found = np.zeros(n + 1), np.zeros(n + 1), np.zeros(n + 1)
        total = int(visible.sum())
        if not total:
            return own[:n], around[:n], found[:n]
        length = np.zeros(n + 1)
        length[:n] = np.where(visible, lengths, 0.0)
        window = length + length[before] + length[after]
        alone = _saturation(length, float(length.sum()) / total)
        wide = _saturation(window, float(window[:n][visible].sum()) / total)
        count, spread = np.zeros(n + 1), np.zeros(n + 1)
        mass = 0.0
        for term, weight in query.items():
            rows, counts = self._visible_postings(term, visible)
            idf = weight * float(np.log(1.0 + (total - len(rows) + 0.5) / (len(rows) + 0.5)))
            mass += idf
            if not len(rows):
                continue
            own[rows] += idf * (K1 + 1.0) * counts / (counts + alone[rows])
            count[rows] = counts
            touched = np.concatenate((rows, before[rows], after[rows]))
            here = count[touched] + count[before[touched]] + count[after[touched]]
            # A row touched twice is given the same value twice, so it must be set, not added to.
            spread[touched] = idf * (K1 + 1.0) * here / (here + wide[touched])
            around += spread
            spread[touched] = idf
            found += spread
            spread[touched] = 0.0
            count[rows] = 0.0
        around[:n][~visible] = 0.0
        found[:n][~visible] = 0.0
        return own[:n], around[:n], found[:n] / mass if mass else found[:n]

    def rarity(self, term: str, visible: Any) -> float:
        """The idf of a term among the visible rows; highest for one that none of them holds."""
        total = int(visible.sum())
        rows, _counts = self._visible_postings(term, visible)
        return float(np.log(1.0 + (total - len(rows) + 0.5) / (len(rows) + 0.5)))

    def _visible_postings(self, term: str, visible: Any) -> tuple[Any, Any]:
        """The rows of one term that may count, and how often each has it."""
        if term not in self._rows:
            return np.empty(0, dtype=np.intp), np.empty(0)
        # Copies, because an array cannot grow while numpy looks into it.
        rows = np.array(self._rows[term], dtype=np.intp)
        keep = visible[rows]
        return rows[keep], np.array(self._counts[term], dtype=np.float64)[keep]


def _saturation(lengths: Any, mean: float) -> Any:
    """BM25's length-corrected k1 for rows of these lengths."""
    return K1 * (1.0 - B + B * lengths / max(mean, 1.0))
