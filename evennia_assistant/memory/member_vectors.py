"""
Vectors of memories, for what compares memories with each other: topics, and merging.

The index has them where the game has an embedder. Where it has none, words are hashed here, a few
at a time, and the vectors of the last few hundred memories are kept until the server stops.

"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Generator, Mapping
from typing import Any

import numpy as np
from twisted.internet.defer import Deferred, inlineCallbacks
from twisted.internet.task import deferLater

from ..llm import loop
from .embedders import Embedder, HashingEmbedder
from .items import MemoryItem
from .thresholds import Thresholds, thresholds_for

#: Memories embedded before others have their turn, and vectors kept.
BATCH = 50
KEPT = 600


class MemberVectors:
    """
    Vectors of one NPC's memories.

    Args:
        memory: Its `MemoryHandler`.

    """

    def __init__(self, memory: Any) -> None:
        self._memory = memory
        self._kept: OrderedDict[tuple[str, str], Any] = OrderedDict()

    @property
    def embedder(self) -> Embedder:
        """What memories are compared by."""
        own: Embedder | None = self._memory.index.embedder
        return HashingEmbedder() if own is None else own

    @property
    def thresholds(self) -> Thresholds:
        """What its cosines mean."""
        return thresholds_for(self.embedder.name)

    @inlineCallbacks
    def of(
        self, items: Mapping[str, MemoryItem], clock: Any
    ) -> Generator[Deferred[Any], Any, dict[str, Any]]:
        """
        The vectors of memories.

        Args:
            items: Memories by any name.
            clock: Lets others have their turn.

        Returns:
            float32 vectors of length 1 by name.

        """
        found: dict[str, Any] = {}
        missing: list[str] = []
        for name, item in items.items():
            vector = self._memory.index.vector_of(item.id)
            if vector is None and (item.id, item.text) in self._kept:
                vector = self._kept[item.id, item.text].astype(np.float32)
            if vector is None:
                missing.append(name)
            else:
                found[name] = vector
        for start in range(0, len(missing), BATCH):
            part = missing[start : start + BATCH]
            vectors = yield self._embed([items[name].text for name in part], clock)
            for name, vector in zip(part, vectors, strict=True):
                # Half as exact takes half the room, and a sum is the same with what is kept.
                kept = self._kept[items[name].id, items[name].text] = vector.astype(np.float16)
                found[name] = kept.astype(np.float32)
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return found

    def _embed(self, texts: list[str], clock: Any) -> Deferred[Any]:
        embedder = self.embedder
        if not embedder.slow:
            return deferLater(clock, 0, embedder.embed, texts)

        async def on_a_thread() -> Any:
            running = asyncio.get_running_loop()
            return await running.run_in_executor(None, embedder.embed, texts)

        return loop.run(on_a_thread())
