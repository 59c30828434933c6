"""
Which conversations take too much of an NPC's context, and what of them is to go.

A prompt holds one conversation; each is therefore measured by itself, as a share of what the
context holds (`prompts.window`). The newest `compact_preserve_window` lines always stay.

"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from ..memory.conversation_record import conversation_id, tokens_of
from ..mind.conversation import SUMMARY, Part, parts_of, pause_after, says_something
from ..mind.entry import timestamp_of, when_of
from ..prompts.window import context_window

#: Failures with an answer that cannot be used after which lines go on without a model.
MOST_FAILURES = 3


class Lines(Protocol):
    """Lines of a conversation, found once and to be found again."""

    @property
    def conversation(self) -> str:
        """Its id."""

    @property
    def part(self) -> Part:
        """The lines."""


@dataclass(frozen=True, slots=True)
class Crowded:
    """
    Lines of a conversation that are to be replaced by a summary.

    Args:
        conversation: Its id.
        entity_id: The partner.
        part: The lines, all with one audience.

    """

    conversation: str
    entity_id: str
    part: Part


def threshold(script: Any) -> float:
    """The share of the context from which a conversation is shortened, awake or asleep."""
    asleep = script.db.operating_mode == "sleep"
    name = "compact_sleep_threshold" if asleep else "compact_emergency_threshold"
    return float(script.option(name))


def is_any_crowded(script: Any, character: Any, now: float) -> bool:
    """Whether there is anything for `crowded` to give; costs a look at each open conversation."""
    return (
        script.option("compact_enabled") and next(crowded(script, character, now), None) is not None
    )


def crowded(script: Any, character: Any, now: float, *, force: bool = False) -> Iterator[Crowded]:
    """
    What is to go, the longest part of a conversation first.

    Args:
        script: The AssistantScript.
        character: The NPC.
        now: UTC seconds since the epoch.
        force: Whatever the share of the context, and however soon after a failure.

    Yields:
        Parts of conversations; look again when one is done.

    """
    most = 0.0 if force else threshold(script) * context_window(script)
    window = script.option("compact_preserve_window")
    for entity_id, record in list(character.memory.working.store.data.items()):
        if tokens_of(record) < most or not (force or is_due(record, now)):
            continue
        spoken = [place for place, m in enumerate(record["messages"]) if m["role"] != SUMMARY]
        if len(spoken) <= window:
            continue
        older = record["messages"][: spoken[-window]]
        parts = [part for part in parts_of(older) if _spoken(part)]
        for part in sorted(parts, key=_length, reverse=True):
            yield Crowded(conversation_id(entity_id, record), entity_id, part)


def _length(part: Part) -> int:
    return sum(len(message["content"]) for message in part.messages)


def _spoken(part: Part) -> bool:
    return any(message["role"] != SUMMARY for message in part.messages)


def find_again(character: Any, lines: Lines) -> dict[str, Any] | None:
    """
    The record the lines stand in now, None when it or they have changed or were withdrawn since.

    Args:
        character: The NPC.
        lines: What was found before.

    """
    found = character.memory.working.find(lines.conversation)
    if found is None:
        return None
    messages = found[1]["messages"]
    same = lines.part.places[-1] < len(messages) and all(
        _is_same(messages[place], message)
        for place, message in zip(lines.part.places, lines.part.messages, strict=True)
    )
    return found[1] if same else None


def _is_same(one: Any, other: Any) -> bool:
    keys = ("role", "content", "timestamp", "withdrawn")
    return all(one.get(key) == other.get(key) for key in keys)


def unextracted(character: Any, crowd: Crowded) -> bool:
    """Whether something in these lines was not looked through yet for what to keep."""
    left = [message for message in crowd.part.messages if not message.get("extracted")]
    return says_something(left, character.key)


def is_due(record: dict[str, Any], now: float) -> bool:
    """Whether a model may be asked about a conversation, or is left alone after a failure."""
    retry_at = record.get("retry_at")
    return retry_at is None or now >= when_of(retry_at)


def note_failure(record: dict[str, Any], now: float) -> int:
    """Leave a model alone with a conversation for a while; how often it has failed in a row."""
    failures = int(record.get("failures", 0)) + 1
    record["failures"] = failures
    record["retry_at"] = timestamp_of(now + pause_after(failures))
    return failures


def note_success(record: dict[str, Any]) -> None:
    """Forget the failures with a conversation."""
    record.pop("failures", None)
    record.pop("retry_at", None)
