"""
What Mem0 is given of ours; imported by Mem0, and so only when Mem0 is used.

Mem0 makes its parts from names, and knows ours once `register` was called.

"""

from __future__ import annotations

from typing import Any

from mem0.embeddings.base import EmbeddingBase
from mem0.llms.base import LLMBase
from mem0.utils.factory import EmbedderFactory, LlmFactory

from ..errors import ConfigError
from .embedders import get_embedder

#: The name of our parts in Mem0's tables.
PROVIDER = "evennia_assistant"


class OurEmbedder(EmbeddingBase):
    """One of `memory.embedders`, named by `config.model`."""

    def __init__(self, config: Any = None) -> None:
        super().__init__(config)
        embedder = get_embedder(self.config.model)
        if embedder is None:
            raise ConfigError("Semantic memory cannot do without an embedder.")
        self._embedder = embedder

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        """The vector of a text."""
        vector: list[float] = self._embedder.embed([text])[0].tolist()
        return vector


class NoModel(LLMBase):
    """Stands where Mem0 wants a model: facts come to it made, and it is asked for none."""

    def generate_response(self, messages: Any, *args: Any, **kwargs: Any) -> str:
        """Never comes to pass with `infer=False`."""
        raise ConfigError("Facts are stored as they are; Mem0 must not ask a model.")


class NoHistory:
    """
    Stands in for Mem0's history, which would keep the text of a fact after it was deleted.

    It is also a second file, which no two processes can write.

    """

    def add_history(self, *args: Any, **kwargs: Any) -> None:
        """Nothing is kept."""

    def close(self) -> None:
        """Nothing is open."""


def register() -> None:
    """Enter our parts into Mem0's tables; once more does no harm."""
    EmbedderFactory.provider_to_class[PROVIDER] = f"{__name__}.{OurEmbedder.__name__}"
    LlmFactory.register_provider(PROVIDER, f"{__name__}.{NoModel.__name__}")
