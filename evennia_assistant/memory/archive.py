"""
The archive of a journal: Attributes of a few dozen entries each, on the NPC, written seldom.

They are named after the first entry in them. Their contents may overlap a little: an entry that
waited for its facts moves here later than its neighbours.

"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from typing import Any

from evennia.utils import logger

from ..mind import entry as entries
from .attribute_store import AttributeStore
from .attribute_value import rows_of

CATEGORY = "assistant_archive"
#: Attributes kept in memory after they were read.
KEPT_OPEN = 8


class Archive:
    """
    The archived entries of one NPC.

    Args:
        character: The NPC.

    """

    def __init__(self, character: Any) -> None:
        self.character = character
        self._open: dict[str, AttributeStore] = {}

    def keys(self) -> list[str]:
        """The names of the Attributes, that of the oldest first."""
        return sorted(row.db_key for row in self._rows())

    def contents(self) -> dict[str, Any]:
        """What stands in each Attribute, by its name, without a copy: not to be changed."""
        # One that was made and never filled is of a process that died before it could.
        rows = [row for row in self._rows() if row.db_value is not None]
        return {row.db_key: row.db_value for row in rows}

    def put(self, chunk: list[dict[str, Any]]) -> str:
        """Put entries into an Attribute of their own, and give back its name; the caller saves."""
        key = f"journal_{chunk[0]['id']:09d}"
        store = self.store(key)
        store.data[:] = chunk
        store.touch()
        return key

    def unsaved(self) -> list[AttributeStore]:
        """The Attributes that were changed and not written yet."""
        return [store for store in self._open.values() if store.dirty]

    def store(self, key: str) -> AttributeStore:
        """One Attribute, to be changed and saved."""
        if key not in self._open:
            saved = [name for name, store in self._open.items() if not store.dirty]
            for name in saved[: max(0, len(self._open) - KEPT_OPEN + 1)]:
                del self._open[name]
            self._open[key] = AttributeStore(self.character, key, list, category=CATEGORY)
        return self._open[key]

    def entries_in(self, key: str) -> Iterator[dict[str, Any]]:
        """The sound entries of one Attribute; unsound ones are named in the log."""
        return self.sound_in(key, self.store(key).data)

    def sound_in(self, key: str, chunk: Any) -> Iterator[dict[str, Any]]:
        """
        The sound entries among what stands in an Attribute; unsound ones are named in the log.

        Args:
            key: Its name.
            chunk: What stands there.

        """
        if not isinstance(chunk, list):
            logger.log_err(f"Assistant memory: {self.character!r} has an unreadable archive {key}.")
            return
        for item in chunk:
            problem = entries.problem_with(item)
            if problem is None:
                yield item
            else:
                logger.log_err(
                    f"Assistant memory: {self.character!r} archive {key} holds an "
                    f"entry that is {problem}."
                )

    def all(self) -> Iterator[dict[str, Any]]:
        """Every archived entry, oldest first."""
        keys = self.keys()
        held: list[tuple[int, int, dict[str, Any]]] = []
        order = 0
        for number, key in enumerate(keys):
            for entry in self.entries_in(key):
                order += 1
                heapq.heappush(held, (entry["id"], order, entry))
            following = first_of(keys[number + 1]) if number + 1 < len(keys) else None
            while held and (following is None or held[0][0] < following):
                yield heapq.heappop(held)[2]

    def _rows(self) -> list[Any]:
        return rows_of(self.character, CATEGORY)

    def find(self, entry_id: int) -> tuple[str, dict[str, Any]] | None:
        """The name of the Attribute that has an entry, and the entry; None when none has it."""
        for key in reversed(self.keys()):
            if first_of(key) <= entry_id:
                for entry in self.entries_in(key):
                    if entry["id"] == entry_id:
                        return key, entry
        return None


def first_of(key: str) -> int:
    """The number of the first entry in the Attribute of that name."""
    digits = key.rpartition("_")[2]
    return int(digits) if digits.isdigit() else 0
