"""The memory index's numbers, one growable column each, so that a search is a few array passes."""

from __future__ import annotations

from typing import Any

import numpy as np

_FIRST_CAPACITY = 64

#: Column name to its type and the value of an empty row. Codes and links are -1 for none.
_COLUMNS: dict[str, tuple[Any, Any]] = {
    "live": (np.bool_, False),
    "dormant": (np.bool_, False),
    "when": (np.float64, 0.0),
    "importance": (np.float64, 0.0),
    "trust": (np.float64, 0.0),
    "length": (np.float64, 0.0),
    "share": (np.float64, 0.0),
    "asks": (np.float64, 0.0),
    "impact": (np.float64, 0.0),
    "relational": (np.float64, 0.0),
    "event_start": (np.float64, np.inf),
    "event_end": (np.float64, -np.inf),
    "audience": (np.int32, -1),
    "speaker": (np.int32, -1),
    "kind": (np.int32, -1),
    "before": (np.intp, -1),
    "after": (np.intp, -1),
}


class Columns:
    """
    Growable columns; capacity doubles, so adding a row costs one row on average.

    Args:
        dimensions: Of the vectors, 0 for no vectors.

    """

    def __init__(self, dimensions: int = 0) -> None:
        self.size = 0
        self._capacity = _FIRST_CAPACITY
        self._data = {
            name: np.full(self._capacity, empty, dtype=kind)
            for name, (kind, empty) in _COLUMNS.items()
        }
        self._vectors: Any = np.zeros((self._capacity, dimensions), dtype=np.float32)
        self._has_vector: Any = np.zeros(self._capacity, dtype=np.bool_)

    def __getitem__(self, name: str) -> Any:
        """A column as a view of its rows so far; writing to it writes to the column."""
        return self._data[name][: self.size]

    @property
    def vectors(self) -> Any:
        """float32 [n, d], zero on rows without a vector."""
        return self._vectors[: self.size]

    @property
    def has_vector(self) -> Any:
        """bool [n]"""
        return self._has_vector[: self.size]

    def new_row(self) -> int:
        """The number of a new, empty row."""
        if self.size == self._capacity:
            self._grow()
        self.size += 1
        return self.size - 1

    def write(self, row: int, **values: Any) -> None:
        """Set values of one row by column; sooner done than through a view of all of them."""
        for name, value in values.items():
            self._data[name][row] = value

    def clear(self, row: int) -> None:
        """Empty a row, its vector included."""
        for name, (_kind, empty) in _COLUMNS.items():
            self._data[name][row] = empty
        self.drop_vector(row)

    def set_vector(self, row: int, vector: Any) -> None:
        """Give a row its vector."""
        self._vectors[row] = vector
        self._has_vector[row] = True

    def drop_vector(self, row: int) -> None:
        """Take a row's vector away."""
        self._vectors[row] = 0.0
        self._has_vector[row] = False

    def linked(self, name: str) -> Any:
        """
        A link column for gathering: int [n + 1], where n stands for "no such row".

        Indexing an array of n + 1 values, the last of them 0, with it gives each row its
        neighbour's value, and 0 where there is no neighbour.

        """
        links: Any = np.full(self.size + 1, self.size, dtype=np.intp)
        links[:-1] = self[name]
        links[links < 0] = self.size
        return links

    def _grow(self) -> None:
        for name, (_kind, empty) in _COLUMNS.items():
            more = np.full(self._capacity, empty, dtype=self._data[name].dtype)
            self._data[name] = np.concatenate((self._data[name], more))
        self._vectors = np.concatenate((self._vectors, np.zeros_like(self._vectors)))
        self._has_vector = np.concatenate((self._has_vector, np.zeros_like(self._has_vector)))
        self._capacity *= 2
