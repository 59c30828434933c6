"""
Conversations that are over and not extracted yet, on `character.db.ended_conversations`.

They wait here for the night: the older part of a long conversation, and whatever had to make room
for a new one. Their number and size are bounded; what has no room any more is handed out, oldest
first, to be digested at once, so that an NPC that never sleeps loses nothing and does not grow.

"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..mind.entry import when_of
from .attribute_store import AttributeStore

#: Conversations, and lines in all of them, that wait.
MAX_WAITING = 100
MAX_WAITING_MESSAGES = 1_000


def repair_ended(raw: Any) -> tuple[list[Any], str | None]:
    """The sound records of whatever is stored, and what was wrong, None if nothing was."""
    if not isinstance(raw, list):
        return [], "not a list"
    sound = [record for record in raw if _is_sound(record)]
    return sound, None if len(sound) == len(raw) else "holding a broken conversation"


def _is_sound(record: Any) -> bool:
    try:
        when_of(record["last_at"])
        when_of(record["started_at"])
        return isinstance(record["entity_id"], str) and all(
            isinstance(message["content"], str) for message in record["messages"]
        )
    except (KeyError, TypeError, ValueError):
        return False


class EndedConversations:
    """
    The conversations of one NPC that wait to be extracted.

    Args:
        character: The NPC.

    """

    def __init__(self, character: Any) -> None:
        self.store = AttributeStore(
            character, "ended_conversations", list, repair=repair_ended, sectioned=True
        )

    def add(self, entity_id: str, record: Mapping[str, Any]) -> None:
        """Let a conversation wait."""
        waiting = {**record, "entity_id": entity_id}
        self.store.data.append(waiting)
        self.store.touch(waiting)

    def clear_extracted(self) -> int:
        """Forget those that were extracted; how many there were."""
        gone = [record for record in self.store.data if record.get("extracted")]
        for record in gone:
            self.store.data.remove(record)
        if gone:
            self.store.touch(*gone)
        return len(gone)

    def take_surplus(self) -> list[dict[str, Any]]:
        """Take out the oldest for which there is no room."""
        data = self.store.data
        lines = sum(len(record["messages"]) for record in data)
        taken = []
        while len(data) > MAX_WAITING or lines > MAX_WAITING_MESSAGES:
            lines -= len(data[0]["messages"])
            taken.append(data.pop(0))
        if taken:
            self.store.touch(*taken)
        return taken
