"""Mem0's own search, as the peer to measure against: its embedded store, our vectors."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from evennia_assistant.memory.embedders import Embedder


@contextmanager
def mem0_searching(texts: list[str], embedder: Embedder) -> Iterator[Callable[[str], Any]]:
    """
    A Mem0 of its own that holds `texts`, gone when the block ends.

    Args:
        texts: What one agent remembers.
        embedder: What the vectors are made with.

    Yields:
        A function that runs one search for the ten best.

    """
    with tempfile.TemporaryDirectory() as folder:
        os.environ["MEM0_DIR"] = folder
        memory = _mem0(embedder, Path(folder))
        try:
            for text in texts:
                memory.add(text, agent_id="npc", infer=False)
            yield lambda query: memory.search(
                query, top_k=10, filters={"agent_id": "npc"}, threshold=0.0
            )
        finally:
            # Mem0's own close() leaves the store's lock behind.
            memory.vector_store.client.close()
            memory.close()


def _mem0(embedder: Embedder, folder: Path) -> Any:
    """A Mem0 whose vectors come from `embedder` and whose store is in `folder`."""
    from mem0 import Memory
    from mem0.configs.base import EmbedderConfig, LlmConfig, MemoryConfig, VectorStoreConfig
    from mem0.utils.factory import EmbedderFactory, LlmFactory

    BridgeEmbedder.embedder = embedder
    EmbedderFactory.provider_to_class["benchmark"] = f"{__name__}.BridgeEmbedder"
    LlmFactory.register_provider("benchmark", f"{__name__}.NoModel")
    store = VectorStoreConfig(
        provider="qdrant",
        config={
            "path": str(folder / "qdrant"),
            "on_disk": True,
            "collection_name": "memories",
            "embedding_model_dims": embedder.dimensions,
        },
    )
    # Mem0's validators know only its own providers.
    return Memory(
        MemoryConfig.model_construct(
            vector_store=store,
            embedder=EmbedderConfig.model_construct(provider="benchmark", config={}),
            llm=LlmConfig.model_construct(provider="benchmark", config={}),
            history_db_path=str(folder / "history.db"),
            reranker=None,
            version="v1.1",
            custom_instructions=None,
        )
    )


class BridgeEmbedder:
    """One of our embedders, as Mem0 calls it."""

    embedder: Embedder

    def __init__(self, config: Any = None) -> None:
        self.config = config

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        """The vector of a text."""
        vector: list[float] = self.embedder.embed([text])[0].tolist()
        return vector


class NoModel:
    """Mem0 wants a model to exist; nothing here asks it."""

    def __init__(self, config: Any = None) -> None:
        self.config = config
