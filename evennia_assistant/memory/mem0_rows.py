"""
What semantic memory does, done by an open Mem0: blocking calls for the worker thread.

Facts go in by Mem0's `add` with `infer=False`: they were extracted already, and are stored as they
are. They are read from the vector store below it, because Mem0's own search adds what it thinks of
words and names to the cosine, and its listing knows no order.

"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple
from uuid import UUID

from ..errors import MemoryFault, SemanticMemoryError
from ..mind.fact import Fact

#: More rows than one NPC has.
ALL_ROWS = 1_000_000
#: Vector stores that can look for one of several values.
_FINDS_KEYS = frozenset({"pgvector", "qdrant"})


class Row(NamedTuple):
    """
    One row of semantic memory.

    Args:
        id: Its id.
        fact: What it says, None when it cannot be read.
        problem: Why it cannot be read, "" when it can.
        cosine: With the query it was found by.
        altered: Its text is not the one Mem0 stored.

    """

    id: str
    fact: Fact | None
    problem: str = ""
    cosine: float = 0.0
    altered: bool = False


class Mem0Rows:
    """
    The rows of one Mem0.

    Args:
        memory: A `mem0.Memory`.
        provider: Name of its vector store.
        alone: Nobody else writes there, so that what was read once need not be looked up again.

    """

    def __init__(self, memory: Any, provider: str, *, alone: bool = False) -> None:
        self.memory = memory
        self._provider = provider
        self._alone = alone
        self._ids: dict[str, dict[str, list[str]]] = {}

    def __len__(self) -> int:
        """Rows that were looked up and are kept in mind."""
        return sum(len(ids) for keys in self._ids.values() for ids in keys.values())

    def add(self, user_id: str, facts: Sequence[Fact]) -> list[str]:
        """See `SemanticMemory.add`."""
        ids = []
        for fact in facts:
            answer = self.memory.add(
                fact.text, user_id=user_id, metadata=fact.to_metadata(), infer=False
            )
            rows = answer["results"]
            if len(rows) != 1:
                raise SemanticMemoryError(
                    f"Mem0 made {len(rows)} memories of one fact.", MemoryFault.DROPPED
                )
            ids.append(str(rows[0]["id"]))
            if user_id in self._ids:
                self._ids[user_id].setdefault(fact.key, []).append(ids[-1])
        return ids

    def find_by_keys(self, user_id: str, keys: Collection[str]) -> dict[str, str]:
        """See `SemanticMemory.find_by_keys`."""
        if self._alone:
            known = self._known(user_id)
            wanted = [row_id for key in keys for row_id in known.get(key, ())]
            rows = self._by_id(user_id, wanted)
        elif self._provider in _FINDS_KEYS:
            rows = self._list({"user_id": user_id, "key": {"in": list(keys)}}) if keys else []
        else:
            rows = self._list({"user_id": user_id})
        return oldest_by_key(rows, keys)

    def search(self, user_id: str, query: str, top_k: int) -> list[Row]:
        """Rows by cosine, best first."""
        vector = self.memory.embedding_model.embed(query, "search")
        if not any(vector):
            return []
        found = self.memory.vector_store.search(
            query=query, vectors=vector, top_k=top_k, filters={"user_id": user_id}
        )
        rows = [row_of(hit.id, hit.payload, float(hit.score)) for hit in found]
        return sorted(rows, key=lambda row: -row.cosine)

    def rows(self, user_id: str) -> list[Row]:
        """Every row of an NPC, those learnt last first, those that cannot be read last."""
        found = [row_of(row_id, payload) for row_id, payload in self._list({"user_id": user_id})]
        return newest_first(found)

    def get(self, user_id: str, ids: Collection[str]) -> list[Row]:
        """The rows of these ids that are the NPC's."""
        return [row_of(row_id, payload) for row_id, payload in self._by_id(user_id, ids)]

    def delete(self, user_id: str, ids: Collection[str]) -> None:
        """See `SemanticMemory.delete`; rows of others are left alone."""
        for row_id, payload in self._by_id(user_id, ids):
            # Not by Mem0's own, which fails for a row that somebody else deleted just now.
            self.memory.vector_store.delete(vector_id=row_id)
            known = self._ids.get(user_id, {}).get(str(payload.get("key")))
            if known and row_id in known:
                known.remove(row_id)

    def _known(self, user_id: str) -> dict[str, list[str]]:
        """Ids by key, looked up once."""
        if user_id not in self._ids:
            known: dict[str, list[str]] = {}
            for row_id, payload in self._list({"user_id": user_id}):
                known.setdefault(str(payload.get("key")), []).append(row_id)
            self._ids[user_id] = known
        return self._ids[user_id]

    def _list(self, filters: Mapping[str, Any]) -> list[tuple[str, dict[str, Any]]]:
        listed = self.memory.vector_store.list(filters=dict(filters), top_k=ALL_ROWS)
        # Some stores give rows, some give a list or tuple that begins with the rows.
        if listed and isinstance(listed[0], list | tuple):
            listed = listed[0]
        return [(str(row.id), dict(row.payload or {})) for row in listed or ()]

    def _by_id(self, user_id: str, ids: Iterable[str]) -> list[tuple[str, dict[str, Any]]]:
        rows = []
        for row_id in filter(_is_id, ids):
            row = self.memory.vector_store.get(vector_id=row_id)
            if row is not None and (row.payload or {}).get("user_id") == user_id:
                rows.append((row_id, dict(row.payload)))
        return rows


def oldest_by_key(
    rows: Iterable[tuple[str, Mapping[str, Any]]], keys: Collection[str]
) -> dict[str, str]:
    """Key to id of those rows that have one of the keys; of several, that stored first."""
    wanted = set(keys)
    found: dict[str, str] = {}
    for row_id, payload in sorted(rows, key=lambda row: (str(row[1].get("created_at")), row[0])):
        if payload.get("key") in wanted:
            found.setdefault(payload["key"], row_id)
    return found


def newest_first(rows: Iterable[Row]) -> list[Row]:
    """Rows by when their facts were learnt."""
    return sorted(
        rows, key=lambda row: (0.0, row.id) if row.fact is None else (-row.fact.when, row.id)
    )


def _is_id(row_id: str) -> bool:
    """Whether Mem0 may have made it; a server may fail for what is none."""
    try:
        UUID(row_id)
    except ValueError:
        return False
    return True


def _is_altered(text: str, digest: Any) -> bool:
    """Whether a text is another than the one Mem0 took the digest of."""
    if not isinstance(digest, str):
        return False
    made = hashlib.md5(text.encode("utf-8", "replace"), usedforsecurity=False)
    return made.hexdigest() != digest


def row_of(row_id: Any, payload: Mapping[str, Any], cosine: float = 0.0) -> Row:
    """A row as it is stored, with the reason where it cannot be read."""
    try:
        fact = Fact.from_metadata(str(row_id), str(payload.get("data", "")), payload)
    except ValueError as err:
        return Row(str(row_id), None, str(err), cosine)
    return Row(str(row_id), fact, "", cosine, _is_altered(fact.text, payload.get("hash")))


def readable(row_id: str, text: str, metadata: Mapping[str, Any], cosine: float = 0.0) -> Row:
    """A row of which text and metadata come apart, as Mem0's service gives them."""
    return row_of(row_id, {**metadata, "data": text}, cosine)
