"""
The documented functions of an NPC's conversations; each saves what it does.

"""

from __future__ import annotations

from typing import Any

from .conversation_record import STALE_AFTER


def start_conversation(character: Any, entity_id: str, topic: str = "") -> dict[str, Any]:
    """The conversation of an NPC with someone, opened and saved if need be; the documented name."""
    working = character.memory.working
    record, _opened = working.start_conversation(entity_id, topic=topic)
    character.memory.save()
    return record


def add_pending_action(character: Any, entity_id: str, action: str) -> dict[str, Any]:
    """
    Note and save what an NPC still has to do for someone; the documented function.

    Raises:
        ValueError: As `WorkingMemory.add_pending_action` does.

    """
    added = character.memory.working.add_pending_action(entity_id, action)
    character.memory.save()
    return added


def clear_stale_conversations(
    character: Any, max_age: float = STALE_AFTER, *, now: float | None = None
) -> int:
    """
    Clear and save the stale conversations of an NPC; the documented function.

    Args:
        character: The NPC.
        max_age: Seconds of silence after which a conversation is stale.
        now: UTC seconds since the epoch; None is now.

    Returns:
        How many were cleared. One that was not extracted yet stays, however old it is.

    """
    cleared = character.memory.working.clear_stale(when=now, max_age=max_age)
    character.memory.save()
    return cleared
