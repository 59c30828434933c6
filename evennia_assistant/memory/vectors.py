"""
Vectors from an embedder too slow for the reactor thread.

Memories are embedded a few at a time on a thread, after they are written; until then words alone
find them. A question is embedded before the turn that asks it (`QueryVectors.warm`).

"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from evennia.utils import logger
from twisted.internet.defer import CancelledError, Deferred, succeed
from twisted.python.failure import Failure

from ..llm import loop
from .embedders import Embedder
from .index import MemoryIndex

#: Memories embedded in one go.
BATCH = 16


class SlowVectors:
    """
    Keeps one index supplied with vectors.

    Args:
        index: The NPC's memory.
        embedder: One whose `slow` is true.

    """

    def __init__(self, index: MemoryIndex, embedder: Embedder) -> None:
        self._index = index
        self._embedder = embedder
        self._busy = False
        self._query: tuple[str, Any] | None = None

    def catch_up(self) -> None:
        """See to it that every memory gets its vector, in the background."""
        if self._busy:
            return
        ids = self._index.without_vector(BATCH)
        items = [self._index.get_for_keeper(item_id) for item_id in ids]
        texts = {item.id: item.text for item in items if item is not None}
        if texts:
            self._busy = True
            done = self._embed(list(texts.values()))
            done.addCallback(self._attach, list(texts))
            done.addErrback(self._give_up)

    def warm(self, query: str) -> Deferred[None]:
        """
        Have the vector of a question ready for `vector_of`.

        Returns:
            Fires when it is there, or could not be made; words alone then have to do.

        """
        done = self._embed([query])
        done.addCallback(self._keep, query)
        done.addErrback(self._give_up)
        return done

    def vector_of(self, query: str) -> Any:
        """The vector of the question that was warmed last, None for any other."""
        return self._query[1] if self._query is not None and self._query[0] == query else None

    def _embed(self, texts: Sequence[str]) -> Deferred[Any]:
        async def on_a_thread() -> Any:
            running = asyncio.get_running_loop()
            return await running.run_in_executor(None, self._embedder.embed, texts)

        return loop.run(on_a_thread())

    def _attach(self, vectors: Any, ids: list[str]) -> None:
        self._busy = False
        kept = [row for row, item_id in enumerate(ids) if item_id in self._index]
        self._index.attach([ids[row] for row in kept], vectors[kept])
        self.catch_up()

    def _keep(self, vectors: Any, query: str) -> None:
        self._query = (query, vectors[0])

    def _give_up(self, failure: Failure) -> None:
        self._busy = False
        if not failure.check(CancelledError):
            logger.log_err(f"Assistant memory: embedding failed.\n{failure.getTraceback()}")


class NoVectors:
    """Stands in where the embedder is fast, or there is none: the index does it all itself."""

    def catch_up(self) -> None:
        """Nothing is missing."""

    def warm(self, query: str) -> Deferred[None]:
        """Nothing needs to be made ready."""
        return succeed(None)

    def vector_of(self, query: str) -> Any:
        """The index makes its own."""
        return None


def vectors_for(index: MemoryIndex, embedder: Embedder | None) -> SlowVectors | NoVectors:
    """What supplies an index with vectors, for the embedder it was made with."""
    return SlowVectors(index, embedder) if embedder is not None and embedder.slow else NoVectors()
