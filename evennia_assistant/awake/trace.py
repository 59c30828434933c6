"""
What happened in the last turns, for `aihistory` and `aiwhy`, on `script.db.turn_log`.

A record names the memories a turn used by id and score; their text is read from the journal, under
its audience, when somebody asks.

"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..memory.attribute_store import AttributeStore
from ..mind.entry import when_of

MAX_TURNS = 20


def repair_turns(raw: Any) -> tuple[list[Any], str | None]:
    """The sound records of whatever is stored, and what was wrong, None if nothing was."""
    if not isinstance(raw, list):
        return [], "not a list"
    sound = [record for record in raw if _is_sound(record)]
    return sound, None if len(sound) == len(raw) else "holding broken records"


def _is_sound(record: Any) -> bool:
    try:
        when_of(record["at"])
        parts = [*record["heard"], *record["recalled"], *record["tools"], *record["said"]]
        return isinstance(record["id"], int) and all(isinstance(part, Mapping) for part in parts)
    except (KeyError, TypeError, ValueError):
        return False


class TurnLog:
    """
    The last turns of one NPC.

    Args:
        script: Its AssistantScript.

    """

    def __init__(self, script: Any) -> None:
        self.store = AttributeStore(script, "turn_log", list, repair=repair_turns, sectioned=True)

    def add(self, record: dict[str, Any]) -> None:
        """Keep one turn; the oldest beyond `MAX_TURNS` goes."""
        record["id"] = self.next_number
        turns = self.store.data
        turns.append(record)
        del turns[:-MAX_TURNS]
        self.store.touch(record)

    @property
    def next_number(self) -> int:
        """The number of the next turn."""
        turns = self.store.data
        return int(turns[-1]["id"] if turns else 0) + 1

    def last(self, count: int = MAX_TURNS) -> list[dict[str, Any]]:
        """The newest turns, oldest first."""
        return list(self.store.data[-count:])
