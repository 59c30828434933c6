"""
Memories as they cross one's mind: pieces of what happened and how it felt, in no order.

For talk that only wants a mood of the past, not an answer. What came when, and who said it, is lost
on purpose, so nothing may ever rest on such a text; ranked recall is for that.

    >>> fragments([("A ship burned", "dread"), ("Anna sang",)], seed="evening")
    'Anna sang / A ship burned / dread'

"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

BETWEEN = " / "
#: Longest piece, and longest text, in characters.
MAX_PIECE = 120
MAX_TEXT = 600


def pieces_of(text: str, scene: Any = None) -> tuple[str, ...]:
    """
    What of a memory may cross one's mind: what was done and how it felt, else its words.

    Args:
        text: Its words.
        scene: Its scene, where it has one (`action`, `feeling`).

    """
    found: list[str] = []
    if isinstance(scene, Mapping):
        found = [scene[key] for key in ("action", "feeling") if isinstance(scene.get(key), str)]
    pieces = (" ".join(piece.split())[:MAX_PIECE].strip() for piece in found or [text])
    return tuple(piece for piece in pieces if piece)


def fragments(memories: Iterable[Sequence[str]], *, seed: str) -> str:
    """
    The pieces of some memories, shuffled.

    Args:
        memories: The pieces of each, as `pieces_of` gives them.
        seed: The same seed gives the same order, in every process.

    """
    pieces = list(dict.fromkeys(piece for memory in memories for piece in memory))
    random.Random(seed).shuffle(pieces)
    return BETWEEN.join(pieces)[:MAX_TEXT]
