"""How much of a prompt stood at the beginning of the one before."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

Messages = Sequence[Mapping[str, Any]]


def as_bytes(messages: Messages) -> bytes:
    """Messages in one row of bytes, each field in the order it is sent."""
    return "\n".join(json.dumps(each, ensure_ascii=False) for each in messages).encode()


def shared_prefix(before: Messages, after: Messages) -> float:
    """The part of `after`, as bytes, that is the beginning of `before`."""
    old, new = as_bytes(before), as_bytes(after)
    pairs = enumerate(zip(old, new, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(old), len(new))) / len(new)


def share_of(prompts: Sequence[Messages], tools: Messages = ()) -> float:
    """
    The part of all prompts but the first that stood at the beginning of the one before.

    Args:
        prompts: The messages of each, in the order they were sent.
        tools: What was sent with all of them; the same each time, it counts as shared.

    """
    same = len(as_bytes(tools)) if tools else 0
    shared = total = 0.0
    for before, after in pairwise(prompts):
        size = len(as_bytes(after))
        shared += shared_prefix(before, after) * size + same
        total += size + same
    return shared / total
