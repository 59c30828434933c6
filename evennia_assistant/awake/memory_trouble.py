"""Telling keepers that an NPC, or the whole game, goes on without semantic memory."""

from __future__ import annotations

from ..errors import SemanticMemoryError
from ..memory import semantic
from .emergency import tell_keepers


def watch() -> None:
    """Tell keepers from now on; once more does no harm."""
    semantic.at_trouble(tell)


def tell(user_id: str, error: SemanticMemoryError | None) -> None:
    """
    Tell keepers that facts cannot be used, or can be again.

    Args:
        user_id: The NPC's key, "" for all.
        error: What is wrong, None when nothing is any more.

    """
    who = f"Assistant {user_id}" if user_id else "Every assistant"
    if error is None:
        tell_keepers(f"{who} can use its lasting facts again.")
        return
    tell_keepers(
        f"{who} goes on without its lasting facts; new ones wait in the outbox "
        f"({error.fault}). {error}"
    )
