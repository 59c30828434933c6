"""
What a model expects, checked, and how it becomes a journal entry.

Reflection and looking ahead both bring expectations along. Each names the memories it rests on and
the day by which it will show; it gets the audience of all of these, and their confidence.

"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from ..mind.entry import timestamp_of
from ..mind.open_ends import EXPECTATION, USUAL_TERM
from ..mind.percept import Audience
from ..mind.persona_protection import is_self_referential
from ..mind.phrases import DAY
from .conclusions import Conclusions

#: Of one answer: expectations, questions, and characters of one.
MOST_EXPECTATIONS = 2
MOST_QUESTIONS = 3
MOST_TEXT = 300
#: How far ahead an expectation may lie.
FURTHEST = 366 * DAY
IMPORTANCE = 6


@dataclass(frozen=True, slots=True)
class Expected:
    """
    Something a model expects.

    Args:
        text: In one sentence.
        due: By when it will show, UTC seconds since the epoch.
        evidence: Ids of the memories it rests on, at least one.

    """

    text: str
    due: float
    evidence: tuple[str, ...]


def checked_text(value: Any, what: str) -> str:
    """
    A sentence about the world.

    Raises:
        ValueError: If it is none, or is about the NPC itself.

    """
    words = " ".join(value.split())[:MOST_TEXT] if isinstance(value, str) else ""
    if not words:
        raise ValueError(f"{what} is no text")
    if is_self_referential(words):
        raise ValueError(f"{what} is about yourself, not about the world or others")
    return words


def checked_evidence(value: Any, shown: Collection[str]) -> tuple[str, ...]:
    """
    The ids among what a model names that it was shown; others are dropped.

    Raises:
        ValueError: If none is left.

    """
    named = value if isinstance(value, list) else [value]
    known = tuple(dict.fromkeys(str(name) for name in named if str(name) in shown))
    if not known:
        raise ValueError("its evidence is none of the memories you were shown")
    return known


def checked_expectation(
    text: Any, due: Any, evidence: Any, shown: Collection[str], now: float
) -> Expected:
    """
    An expectation as it is to be kept.

    Args:
        text: What is expected.
        due: A day or a time (ISO text); what cannot be read is two weeks from now.
        evidence: Ids of memories.
        shown: The ids the model was shown.
        now: UTC seconds since the epoch.

    Raises:
        ValueError: With the reason why it is not to be kept.

    """
    words = checked_text(text, "an expectation")
    by = _moment(due)
    if by is None:
        by = now + USUAL_TERM
    if not now < by <= now + FURTHEST:
        raise ValueError("its time is over, or further away than a year")
    return Expected(words, by, checked_evidence(evidence, shown))


def write_expectations(
    script: Any,
    character: Any,
    found: Iterable[tuple[Audience, bool, Expected]],
    note: Any,
) -> list[int]:
    """
    Write expectations into the journal; the caller saves.

    Args:
        script: The AssistantScript.
        character: Its NPC.
        found: Each with the audience and the confidence of what the model was shown.
        note: `Night.note`.

    Returns:
        The numbers of the entries; what rests on something forgotten meanwhile is left out.

    """
    written = Conclusions(character.memory, script.agent.now(), note)
    for audience, confidential, expected in found:
        written.write(
            expected.text,
            expected.evidence,
            audience=audience,
            confidential=confidential,
            tags=[EXPECTATION],
            kind=EXPECTATION,
            importance=IMPORTANCE,
            event_time={"start": None, "end": timestamp_of(expected.due)},
        )
    keep_open_numbers(character)
    return written.numbers


def keep_open_numbers(character: Any) -> None:
    """Note in the reflection state which expectations are open; the caller saves."""
    memory = character.memory
    memory.reflection.expect(
        end.number for end in memory.open_ends.all() if end.is_open and end.kind == EXPECTATION
    )


def _moment(value: Any) -> float | None:
    """The instant a text names; of a day its end. None when it names none."""
    if not isinstance(value, str):
        return None
    words = value.strip()
    try:
        moment = datetime.fromisoformat(words)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    if len(words) == len("2026-01-31"):
        moment += timedelta(days=1, seconds=-1)
    return moment.timestamp()
