"""
What an NPC has still to do for a partner, in the record of their conversation.

"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..mind.entry import timestamp_of

#: Things still to be done for one partner.
MAX_ACTIONS = 10


def still_to_do(record: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    """What is still to be done, oldest first."""
    held = record["pending_actions"] if record else []
    return [action for action in held if isinstance(action, dict) and not action.get("done_at")]


def with_action(record: dict[str, Any], action: str, *, when: float) -> tuple[dict[str, Any], bool]:
    """
    Put one more thing to be done into a conversation.

    Args:
        record: The conversation.
        action: What is to be done.
        when: UTC seconds since the epoch.

    Returns:
        `{"action", "added_at", "done_at"}`, and whether it is new.

    Raises:
        ValueError: If there are `MAX_ACTIONS` to be done already.

    """
    to_do = still_to_do(record)
    known = next((held for held in to_do if held["action"] == action), None)
    if known is not None:
        return known, False
    if len(to_do) >= MAX_ACTIONS:
        raise ValueError(f"{MAX_ACTIONS} things are to be done for this partner already.")
    added = {"action": action, "added_at": timestamp_of(when), "done_at": None}
    done = [held for held in record["pending_actions"] if held not in to_do][-MAX_ACTIONS:]
    record["pending_actions"] = [*done, *to_do, added]
    return added, True


def complete_action(record: Mapping[str, Any] | None, action: str, *, when: float) -> bool:
    """Note that something was done; whether it was still to be done."""
    for held in still_to_do(record):
        if held["action"] == action:
            held["done_at"] = timestamp_of(when)
            return True
    return False
