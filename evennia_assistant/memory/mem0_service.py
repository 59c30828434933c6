"""
What semantic memory does, done by Mem0's own service over its `MemoryClient`.

The service takes a fact and stores it later, so that `add` knows no ids; the read-back of the
outbox waits for it to show, and offers it again only when it did not.

"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from ..errors import MemoryFault, SemanticMemoryError
from ..mind.fact import Fact
from .mem0_rows import Row, newest_first, oldest_by_key, readable

#: Rows asked for at once.
PAGE = 100
#: Seconds to wait for what was added to show, and between two looks.
PATIENCE, PAUSE = 15.0, 1.0


class ServiceRows:
    """
    The rows that Mem0's service keeps.

    Args:
        memory: A `mem0.MemoryClient`.
        sleep: Waits.

    """

    def __init__(self, memory: Any, sleep: Callable[[float], None] = time.sleep) -> None:
        self.memory = memory
        self._sleep = sleep

    def __len__(self) -> int:
        """Nothing is kept in mind."""
        return 0

    def add(self, user_id: str, facts: Sequence[Fact]) -> list[str]:
        """See `SemanticMemory.add`."""
        for fact in facts:
            self.memory.add(fact.text, user_id=user_id, metadata=fact.to_metadata(), infer=False)
        keys = [fact.key for fact in facts]
        waited = 0.0
        while len(found := self.find_by_keys(user_id, keys)) < len(set(keys)):
            if waited >= PATIENCE:
                raise SemanticMemoryError(
                    "Mem0's service took facts, and does not show all of them yet.",
                    MemoryFault.DROPPED,
                )
            self._sleep(PAUSE)
            waited += PAUSE
        return [found[key] for key in keys]

    def find_by_keys(self, user_id: str, keys: Collection[str]) -> dict[str, str]:
        """See `SemanticMemory.find_by_keys`."""
        return oldest_by_key(
            (
                (
                    str(found["id"]),
                    {**(found.get("metadata") or {}), "created_at": found.get("created_at")},
                )
                for found in self._all(user_id)
            ),
            keys,
        )

    def search(self, user_id: str, query: str, top_k: int) -> list[Row]:
        """Rows by what the service thinks of them, best first."""
        if not query.strip():
            return []
        answer = self.memory.search(query, filters={"user_id": user_id}, top_k=top_k)
        return [_row(found) for found in answer["results"]]

    def rows(self, user_id: str) -> list[Row]:
        """Every row of an NPC, those learnt last first."""
        return newest_first(_row(found) for found in self._all(user_id))

    def get(self, user_id: str, ids: Collection[str]) -> list[Row]:
        """The rows of these ids that are the NPC's."""
        wanted = {str(found["id"]): found for found in self._all(user_id)}
        return [_row(wanted[row_id]) for row_id in ids if row_id in wanted]

    def delete(self, user_id: str, ids: Collection[str]) -> None:
        """See `SemanticMemory.delete`; rows of others are left alone."""
        for row in self.get(user_id, ids):
            self.memory.delete(row.id)

    def _all(self, user_id: str) -> list[Mapping[str, Any]]:
        found: list[Mapping[str, Any]] = []
        page = 1
        while True:
            answer = self.memory.get_all(filters={"user_id": user_id}, page=page, page_size=PAGE)
            found.extend(answer["results"])
            if not answer.get("next"):
                return found
            page += 1


def _row(found: Mapping[str, Any]) -> Row:
    return readable(
        str(found["id"]),
        str(found.get("memory", "")),
        found.get("metadata") or {},
        float(found.get("score") or 0.0),
    )
