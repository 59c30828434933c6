"""
Where Mem0 keeps facts: the setting `ASSISTANT_MEM0_CONFIG`, read and checked.

=================================== =============================================================
setting                             facts are kept
=================================== =============================================================
`{}`                                in `server/assistant/facts` of the game, a folder for each NPC
`{"path": "/var/lib/npc-facts"}`    likewise, elsewhere
`{"vector_store": {...}}`           in a server that Mem0 knows: pgvector, qdrant, ...
`{"hosted": {"api_key": ...}}`      by Mem0's own service
=================================== =============================================================

"""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..conf import setting
from ..errors import ConfigError
from .embedders import get_embedder

#: The embedder where recall works by words alone: it needs nothing installed and no network.
DEFAULT_EMBEDDER = "hashing"
DEFAULT_COLLECTION = "assistant_facts"

_KEYS = {"path", "vector_store", "embedder", "hosted"}


@dataclass(frozen=True)
class Mem0Config:
    """
    What was decided about Mem0.

    Args:
        path: The folder that has one folder for each NPC; None where a server keeps facts.
        provider: Name of Mem0's vector store.
        store: Its configuration.
        embedder: Name of our embedder, "" where Mem0 uses one of its own.
        own_embedder: Mem0's configuration of its own.
        hosted: How Mem0's service is reached, None where it is not used.

    """

    path: Path | None = None
    provider: str = "qdrant"
    store: Mapping[str, Any] = field(default_factory=dict)
    embedder: str = DEFAULT_EMBEDDER
    own_embedder: Mapping[str, Any] | None = None
    hosted: Mapping[str, Any] | None = None

    @property
    def place(self) -> str:
        """Where facts are, for a message; without secrets."""
        if self.path is not None:
            return f"the folder {self.path}"
        return "Mem0's service" if self.hosted is not None else f"the {self.provider} server"

    def without_secrets(self, text: str) -> str:
        """A text of a library, fit to be shown."""
        for name in ("password", "api_key", "connection_string", "url"):
            for part in (self.store, self.hosted or {}, self.own_embedder or {}):
                secret = part.get(name) or (part.get("config") or {}).get(name)
                if isinstance(secret, str) and len(secret) > 3:
                    text = text.replace(secret, f"<{name}>")
        return text


def read_config() -> Mem0Config:
    """
    What the game's settings say.

    Raises:
        ConfigError: If they are unusable; the text says what to do.

    """
    raw = setting("ASSISTANT_MEM0_CONFIG") or {}
    if not isinstance(raw, Mapping):
        raise ConfigError("ASSISTANT_MEM0_CONFIG must be a dict; docs/semantic-memory.md has some.")
    unknown = set(raw) - _KEYS
    ways = set(raw) & {"path", "vector_store", "hosted"}
    if unknown or len(ways) > 1:
        raise ConfigError(
            "ASSISTANT_MEM0_CONFIG may hold one of path, vector_store and hosted, and besides "
            f"embedder; it holds {', '.join(sorted(map(str, raw)))}."
        )
    if "hosted" in raw:
        return Mem0Config(hosted=dict(raw["hosted"] or {}), embedder="")
    own = raw.get("embedder")
    name = "" if own else (setting("ASSISTANT_EMBEDDER") or DEFAULT_EMBEDDER)
    name = DEFAULT_EMBEDDER if name == "none" else name
    if "vector_store" in raw:
        return _of_a_server(raw["vector_store"], name, own)
    return Mem0Config(
        path=Path(raw.get("path") or _default_path()),
        store=_collection({}, name, own),
        embedder=name,
        own_embedder=own,
    )


def open_mem0(config: Mem0Config, path: Path | None = None) -> Any:
    """
    A Mem0 that is ready; for the worker thread, for it blocks and takes a second the first time.

    Args:
        config: Where.
        path: The NPC's folder, where there are folders.

    Returns:
        A `mem0.Memory`, or a `mem0.MemoryClient`.

    """
    # Each process would be told once that it lacks what facts are not searched by.
    logging.getLogger("mem0").setLevel(logging.ERROR)
    if config.hosted is not None:
        from mem0 import MemoryClient

        return MemoryClient(
            api_key=config.hosted.get("api_key") or os.environ.get("MEM0_API_KEY"),
            host=config.hosted.get("host"),
        )
    from mem0 import Memory
    from mem0.configs.base import MemoryConfig
    from mem0.embeddings.configs import EmbedderConfig
    from mem0.llms.configs import LlmConfig
    from mem0.vector_stores.configs import VectorStoreConfig

    from .mem0_parts import PROVIDER, NoHistory, register

    register()
    embedder = config.own_embedder or {
        "provider": PROVIDER,
        "config": {
            "model": config.embedder,
            "embedding_dims": config.store["embedding_model_dims"],
        },
    }
    store = dict(config.store) if path is None else {**config.store, "path": str(path)}
    memory = Memory(
        # Checking would refuse an embedder that Mem0 does not bring itself.
        MemoryConfig.model_construct(
            vector_store=VectorStoreConfig(provider=config.provider, config=store),
            embedder=EmbedderConfig.model_construct(**embedder),
            llm=LlmConfig.model_construct(provider=PROVIDER, config={}),
            history_db_path=":memory:",
            reranker=None,
            version="v1.1",
            custom_instructions=None,
        )
    )
    memory.db.close()
    memory.db = NoHistory()
    return memory


def _of_a_server(raw: Any, name: str, own: Mapping[str, Any] | None) -> Mem0Config:
    if not isinstance(raw, Mapping) or not isinstance(raw.get("provider"), str):
        raise ConfigError(
            "ASSISTANT_MEM0_CONFIG['vector_store'] needs a provider and its config, for instance "
            "{'provider': 'pgvector', 'config': {'connection_string': 'postgresql://...'}}."
        )
    store = dict(raw.get("config") or {})
    if raw["provider"] == "qdrant" and not (store.get("url") or store.get("host")):
        raise ConfigError(
            "A qdrant server needs a url, or host and port. For a folder of this machine give "
            "ASSISTANT_MEM0_CONFIG a path, and no vector_store."
        )
    if raw["provider"] == "pgvector":
        # Its index looks at the nearest rows of all NPCs and only then picks those of one.
        store.setdefault("hnsw", False)
    return Mem0Config(
        provider=raw["provider"],
        store=_collection(store, name, own),
        embedder=name,
        own_embedder=own,
    )


def _collection(
    store: Mapping[str, Any], embedder: str, own: Mapping[str, Any] | None
) -> dict[str, Any]:
    """The store's configuration with a collection that holds vectors of one embedder only."""
    if own:
        missing = {"collection_name", "embedding_model_dims"} - set(store)
        if missing:
            raise ConfigError(
                "With an embedder of Mem0's, ASSISTANT_MEM0_CONFIG['vector_store']['config'] must "
                f"say {' and '.join(sorted(missing))}."
            )
        return dict(store)
    made = get_embedder(embedder)
    assert made is not None
    name = store.get("collection_name") or DEFAULT_COLLECTION
    return {
        **store,
        "collection_name": f"{name}_{made.name}_{made.dimensions}",
        "embedding_model_dims": made.dimensions,
    }


def _default_path() -> Path:
    from django.conf import settings

    return Path(settings.GAME_DIR, "server", "assistant", "facts")
