"""
One conversation as `memory.working_memory` keeps it: what is sound of it, and how it is cut.

"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..llm.tokens import count_tokens
from ..mind.conversation import SUMMARY
from ..mind.entry import when_of

#: A silence of this many seconds ends a conversation.
IDLE_CLOSE = 30 * 60
#: An ended conversation that was extracted is cleared after this many seconds (documented).
STALE_AFTER = 60 * 60
LONG_TOKENS = 20_000
#: Lines of a conversation that a turn looks at. Beyond, `SHOWN_STEP` of them are left out at once,
#: so that the start of the prompt stays the same for many turns between two such steps.
MAX_SHOWN = 64
SHOWN_STEP = 32
#: Summaries of earlier lines that stand at the beginning of one conversation.
MAX_SUMMARIES = 4
#: Tokens a line takes beyond its words.
FRAME = 4


def repair_working_memory(raw: Any) -> tuple[dict[str, Any], str | None]:
    """The sound conversations of whatever is stored, and what was wrong, None if nothing was."""
    if not isinstance(raw, Mapping):
        return {}, "not a mapping"
    sound, problems = {}, []
    for entity_id, record in raw.items():
        try:
            when_of(record["last_at"])
            usable = isinstance(record["messages"], list) and all(
                isinstance(message["content"], str) for message in record["messages"]
            )
        except (KeyError, TypeError, ValueError):
            usable = False
        if usable:
            sound[entity_id] = {"pending_actions": [], "started_at": record["last_at"], **record}
        else:
            problems.append(f"holding a broken conversation with {entity_id}")
    return sound, "; ".join(problems) or None


def conversation_id(entity_id: str, record: Mapping[str, Any]) -> str:
    """What a conversation, or the part of it that was cut off, is known by for good."""
    return f"{entity_id} {record['started_at']} {record.get('part', 1)}"


def tokens_of(record: dict[str, Any]) -> int:
    """About how many tokens a conversation takes."""
    if "tokens" not in record:
        record["tokens"] = sum(count_tokens(m["content"]) + FRAME for m in record["messages"])
    return int(record["tokens"])


def is_extracted(record: Mapping[str, Any]) -> bool:
    """Whether everything in a conversation was looked through for what to keep."""
    return bool(record.get("extracted")) or all(m.get("extracted") for m in record["messages"])


def shown_of(record: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The lines of a conversation a turn looks at: those for earlier ones, then the newest."""
    messages = record["messages"]
    first = 0
    while first < len(messages) and messages[first]["role"] == SUMMARY:
        first += 1
    beyond = len(messages) - first - MAX_SHOWN
    start = first + (-(-beyond // SHOWN_STEP) * SHOWN_STEP if beyond > 0 else 0)
    return [*messages[:first], *messages[start:]]


def divided(record: Mapping[str, Any], keep: int) -> tuple[list[Any], list[Any]]:
    """
    The lines of a conversation, divided into what is cut off and what stays.

    Args:
        record: The conversation.
        keep: How many of the newest lines stay; fewer when these alone are long.

    Returns:
        The older lines, and what stays with the summaries of earlier ones before it.

    """
    summaries = [m for m in record["messages"] if m["role"] == SUMMARY][-MAX_SUMMARIES:]
    spoken = [m for m in record["messages"] if m["role"] != SUMMARY]
    held = 0
    for number, message in enumerate(reversed(spoken[-keep:])):
        held += count_tokens(message["content"]) + FRAME
        if held > LONG_TOKENS // 2:
            keep = max(1, number)
            break
    return spoken[:-keep], [*summaries, *spoken[-keep:]]
