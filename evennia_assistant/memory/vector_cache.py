"""
An embedder that does not work out twice what it worked out lately.

A fact is compared with those there are, stored, linked, and recalled, by one text each time; a
night makes one vector of it, not four.

"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .embedders import Embedder

#: Vectors kept; of 512 numbers each, four megabytes.
MOST = 2048


class RememberingEmbedder:
    """
    Another embedder, and what it gave for the texts asked for last.

    It may be asked from several threads, as the one it stands before may.

    Args:
        embedder: The one that works vectors out.
        most: How many vectors are kept.

    """

    def __init__(self, embedder: Embedder, most: int = MOST) -> None:
        self.embedder = embedder
        self.name = embedder.name
        self.dimensions = embedder.dimensions
        self.slow = embedder.slow
        self._most = most
        self._lock = threading.Lock()
        #: By digest: what was said in confidence is not kept here in words.
        self._kept: OrderedDict[bytes, Any] = OrderedDict()

    def embed(self, texts: Sequence[str]) -> Any:
        """See `Embedder.embed`."""
        keys = [blake2b(text.encode("utf-8", "replace"), digest_size=16).digest() for text in texts]
        known = self._known(keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if missing:
            made = self.embedder.embed(list(missing.values()))
            known.update(zip(missing, made, strict=True))
            self._keep({key: known[key] for key in missing})
        vectors: Any = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, key in enumerate(keys):
            vectors[row] = known[key]
        return vectors

    def _known(self, keys: Sequence[bytes]) -> dict[bytes, Any]:
        with self._lock:
            known = {key: self._kept[key] for key in keys if key in self._kept}
            for key in known:
                self._kept.move_to_end(key)
        return known

    def _keep(self, made: dict[bytes, Any]) -> None:
        with self._lock:
            self._kept.update((key, vector.copy()) for key, vector in made.items())
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
