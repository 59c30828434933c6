"""
How many conversations, and lines of them, an NPC holds at once.

"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .working_memory import WorkingMemory

#: Lines over all conversations of one NPC; those idle longest are cut to their last exchange.
MAX_TOTAL = 400
#: Conversations beside each other; those idle longest wait elsewhere.
MAX_CONVERSATIONS = 200
#: Partners nothing is left of but things still to be done for them.
MAX_STUBS = 50


def overflow_of(working: WorkingMemory) -> list[dict[str, Any]]:
    """
    Take out what is beyond the bounds; the conversations idle longest go first.

    Args:
        working: The conversations of an NPC.

    Returns:
        Records with an `entity_id` of which something is still to be done, and there is no room.

    """
    data = working.store.data
    longest_idle = sorted(data, key=lambda key: data[key]["last_at"])
    _cut_to_their_end(working, longest_idle)
    overflow = []
    stubs = [key for key in longest_idle if not data[key]["messages"]]
    for key in stubs[: max(0, len(stubs) - MAX_STUBS)]:
        overflow.append({**data.pop(key), "entity_id": key})
        working.store.touch(key)
    for key in longest_idle[: max(0, len(data) - MAX_CONVERSATIONS)]:
        to_do = working.pending_actions(key) if key in data else []
        if to_do:
            overflow.append({**data[key], "entity_id": key, "messages": []})
        working.end(key)
    return overflow


def _cut_to_their_end(working: WorkingMemory, longest_idle: list[str]) -> None:
    total = sum(len(record["messages"]) for record in working.store.data.values())
    if total <= MAX_TOTAL:
        return
    for key in longest_idle:
        total -= working.cut(key, 2)
        if total <= MAX_TOTAL // 2:
            return
