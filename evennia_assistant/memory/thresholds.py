"""
What a cosine means, by embedder: one table, in true cosines.

0.7 says "hardly related" with one embedder and "almost the same words" with another. So each floor
is read off pairs of lines that have nothing to do with each other (LoCoMo's conversations, one
line of each of two): `relevant` is what 95 in 100 questions stay below with an unrelated line,
`linked` what 999 in 1000 unrelated lines stay below; `topic` what 99 in 100 lines stay below with
the middle of five that have nothing to do with them. An embedder not measured gets the documented
0.7 for the first two, and 0.45 for a topic.
`crosses` is `relevant` with the documented figure (.35) of another system; without vectors it is a
share of the words.

"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from .mem0_config import read_config


@dataclass(frozen=True, slots=True)
class Thresholds:
    """
    The floors of one embedder.

    Args:
        relevant: A fact this close to a question bears on it.
        linked: Facts this close to each other are linked.
        topic: A memory this close to the middle of a topic belongs to it.
        merged: Memories this close to each other are merged rather than forgotten.
        same: Facts this close to each other say the same.
        crosses: A memory this close to what was said crosses one's mind (Being's `recall`).

    """

    relevant: float = 0.7
    linked: float = 0.7
    topic: float = 0.45
    merged: float = 0.85
    same: float = 0.95
    crosses: float = 0.35


THRESHOLDS: Mapping[str, Thresholds] = MappingProxyType(
    {
        "hashing": Thresholds(relevant=0.18, linked=0.38, topic=0.34, crosses=0.18),
        "wordllama": Thresholds(relevant=0.30, linked=0.48, crosses=0.30),
        "minilm": Thresholds(relevant=0.34, linked=0.65, crosses=0.34),
    }
)


def thresholds_for(embedder: str | None) -> Thresholds:
    """The floors of an embedder by its name; the documented ones for any other."""
    return THRESHOLDS.get(embedder or "", Thresholds())


def semantic_thresholds() -> Thresholds:
    """The floors of the embedder semantic memory compares by."""
    return thresholds_for(read_config().embedder)
