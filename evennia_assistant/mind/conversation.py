"""
A conversation as lines: which of them may be spoken of together, and which say nothing.

What was whispered and what was said aloud stand in one conversation, and must not end up in one
summary. So whatever is made of a conversation is made of its parts: the lines with one audience,
those said in confidence apart from those said in the open.

"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .audience import frozen
from .confidence import is_off_the_record
from .percept import CONFIDENTIAL, Audience
from .substance import has_substance
from .valence import valence_of

#: Role of the line that stands for earlier ones that were summarised.
SUMMARY = "summary"

#: Lines and tokens from either of which on a talk is more than a few words, and the valence from
#: which on a few words are enough.
FEW_LINES = 3
FEW_TOKENS = 200
STRONG = 0.6

#: Seconds until a model that failed is asked again, the last for every further failure.
PAUSES = (300.0, 1_200.0, 4_800.0, 19_200.0)


def take_back(messages: Sequence[dict[str, Any]], entry_id: int) -> bool:
    """
    Withdraw the lines of a journal entry that was taken back, and what the NPC answered to them.

    They stay where they stand; nothing more is made of them.

    Args:
        messages: The lines of a conversation, oldest first; they are changed.
        entry_id: The entry's number.

    Returns:
        Whether any line was withdrawn.

    """
    withdraws = found = False
    for message in messages:
        if message["role"] != "assistant":
            withdraws = message["role"] != SUMMARY and message.get("entry_id") == entry_id
        if withdraws:
            message["withdrawn"] = message["extracted"] = found = True
    return found


def holds(message: Mapping[str, Any]) -> bool:
    """Whether a line was said, where others stand for lines, and was not withdrawn since."""
    return message["role"] != SUMMARY and not message.get("withdrawn")


def in_confidence(message: Mapping[str, Any]) -> bool:
    """Whether a line of a conversation was whispered, or said off the record."""
    return message["manner"] in CONFIDENTIAL or is_off_the_record(message["content"])


@dataclass(frozen=True, slots=True)
class Part:
    """
    The lines of a conversation that may be spoken of together.

    Args:
        audience: Who may be told of each of them.
        confidential: Whether they were said in confidence.
        places: Their places in the conversation, ascending.
        messages: The lines.

    """

    audience: Audience
    confidential: bool
    places: tuple[int, ...]
    messages: tuple[Mapping[str, Any], ...]

    @property
    def group(self) -> tuple[Audience, bool]:
        """Equal for parts that may be spoken of together, of whatever conversation."""
        return self.audience, self.confidential

    @property
    def partner(self) -> str | None:
        """The name the other goes by, None where none of the lines is theirs."""
        names = (line.get("name") for line in self.messages if line["role"] == "user")
        return next((name for name in names if name), None)


def parts_of(
    messages: Sequence[Mapping[str, Any]],
    wanted: Callable[[Mapping[str, Any]], bool] = lambda message: True,
) -> list[Part]:
    """
    A conversation, split by who may be told.

    Args:
        messages: Its lines, oldest first.
        wanted: Which of them count.

    Returns:
        Parts in the order of their first lines; [] when no line counts.

    """
    places: dict[tuple[Audience, bool], list[int]] = {}
    for place, message in enumerate(messages):
        if wanted(message):
            group = (frozen(message.get("audience")), in_confidence(message))
            places.setdefault(group, []).append(place)
    return [
        Part(audience, confidential, tuple(held), tuple(messages[place] for place in held))
        for (audience, confidential), held in places.items()
    ]


def says_something(messages: Iterable[Mapping[str, Any]], *names: str) -> bool:
    """
    Whether anybody but the NPC said more than greetings.

    Args:
        messages: Lines of a conversation.
        *names: Names that do not count; those of the speakers never do.

    """
    lines = list(messages)
    known = {*names, *(str(line.get("name", "")) for line in lines)}
    return any(line["role"] == "user" and has_substance(line["content"], *known) for line in lines)


def is_trivial(messages: Sequence[Mapping[str, Any]], tokens: int) -> bool:
    """
    Whether a talk was too short to add up to more than its lines, and moved nobody.

    Args:
        messages: Its lines.
        tokens: About how many tokens it takes.

    """
    spoken = [line["content"] for line in messages if line["role"] != SUMMARY]
    if len(spoken) >= FEW_LINES or tokens >= FEW_TOKENS:
        return False
    return all(abs(valence_of(words)) < STRONG for words in spoken)


def pause_after(failures: int) -> float:
    """Seconds to leave a model alone after so many failures in a row; it grows with them."""
    return PAUSES[min(max(failures, 1), len(PAUSES)) - 1]
