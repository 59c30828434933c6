"""
Real tokenizers, where one is installed and needs nothing from the network.

None is a dependency. `toksum` and `tiktoken` are used when they are there, in this order; both take
the vocabularies of OpenAI's models from a cache folder and would download what is not in it, in the
middle of a turn. So they are asked only for a model whose vocabulary lies in that folder, sound:
`TIKTOKEN_CACHE_DIR`, else `data-gym-cache` in the folder for temporary files.

For the models of other makers toksum divides the number of characters by a constant, which makes a
quarter of what it should be of Chinese; the estimate in `llm.tokens` is nearer, so it is kept.

"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from .context_window import normalized_model

Counter = Callable[[str], int]

_HOME = "https://openaipublic.blob.core.windows.net/encodings"
#: SHA-256 of each vocabulary. One that is not in order would be downloaded anew.
_VOCABULARIES = {
    "cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    "o200k_base": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
}
#: Vocabulary by the beginning of a model's name; the longest that fits counts.
_ENCODINGS = {
    "chatgpt-4o": "o200k_base",
    "gpt-3.5": "cl100k_base",
    "gpt-4": "cl100k_base",
    "gpt-4.1": "o200k_base",
    "gpt-4.5": "o200k_base",
    "gpt-4o": "o200k_base",
    "gpt-5": "o200k_base",
    "o1": "o200k_base",
    "o3": "o200k_base",
    "o4": "o200k_base",
}


@lru_cache(maxsize=64)
def tokenizer_for(model: str) -> Counter | None:
    """
    What counts a model's tokens exactly; None when nothing here does.

    Args:
        model: Its name, with or without a provider in front.

    """
    name = normalized_model(model)
    fitting = [start for start in _ENCODINGS if name.startswith(start)]
    if not fitting:
        return None
    encoding = _ENCODINGS[max(fitting, key=len)]
    if not vocabulary_is_here(encoding):
        return None
    return _from_toksum(name, encoding) or _from_tiktoken(encoding)


def vocabulary_is_here(encoding: str) -> bool:
    """Whether a vocabulary of OpenAI's lies in the cache folder and is what it should be."""
    folder = os.environ.get("TIKTOKEN_CACHE_DIR", os.environ.get("DATA_GYM_CACHE_DIR"))
    if folder == "":
        return False
    place = Path(folder) if folder else Path(tempfile.gettempdir()) / "data-gym-cache"
    file = place / hashlib.sha1(f"{_HOME}/{encoding}.tiktoken".encode()).hexdigest()
    if not file.is_file():
        return False
    return hashlib.sha256(file.read_bytes()).hexdigest() == _VOCABULARIES[encoding]


def _from_toksum(name: str, encoding: str) -> Counter | None:
    if find_spec("toksum") is None:
        return None
    toksum: Any = import_module("toksum")
    try:
        counter = toksum.TokenCounter(name)
    except (toksum.UnsupportedModelError, toksum.TokenizationError):
        return None
    if counter.provider != "openai":
        return None

    def count(text: str) -> int:
        try:
            return int(counter.count(text))
        except toksum.TokenizationError:
            # It refuses a text that looks like a special token, which any player may type.
            spelt_out = _from_tiktoken(encoding)
            return len(text) // 4 if spelt_out is None else spelt_out(text)

    return count


def _from_tiktoken(encoding: str) -> Counter | None:
    if find_spec("tiktoken") is None:
        return None
    tiktoken: Any = import_module("tiktoken")
    vocabulary = tiktoken.get_encoding(encoding)
    # Players' text may look like a special token; it is text.
    return lambda text: len(vocabulary.encode(text, disallowed_special=()))
