"""
How an NPC feels, in a vocabulary small enough to be shown, counted and acted on.

A mood passes: twelve hours after it was noted it reads as neutral, and nothing is written for that.
While it is neutral nobody is told of it.

    >>> noted = {"mood": "worried", "energy": 2, "updated_at": "2026-01-01T00:00:00Z"}
    >>> mood_at(noted, 1767225600.0)
    Mood(mood='worried', energy=2)
    >>> in_words(Mood("worried", 2)), in_words(Mood())
    ('worried, tired out', '')

"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from .entry import when_of
from .phrases import HOUR

MOODS: tuple[str, ...] = (
    "calm",
    "cheerful",
    "amused",
    "curious",
    "hopeful",
    "proud",
    "tired",
    "bored",
    "worried",
    "afraid",
    "sad",
    "lonely",
    "annoyed",
    "angry",
    "suspicious",
    "excited",
)
NEUTRAL = "neutral"
#: From 0, worn out, to 10, full of life.
MOST_ENERGY = 10
NEUTRAL_ENERGY = 5
#: Seconds after which a mood is neutral again (document 004).
PASSES_AFTER = 12 * HOUR
#: How somebody seemed when a talk with them ended.
SIGNALS: tuple[str, ...] = ("warm", "cool", "tired", "frustrated")

#: What models say for one of `MOODS`.
_ALSO: Mapping[str, str] = MappingProxyType(
    {
        "happy": "cheerful",
        "glad": "cheerful",
        "joyful": "cheerful",
        "content": "calm",
        "relaxed": "calm",
        "interested": "curious",
        "exhausted": "tired",
        "weary": "tired",
        "anxious": "worried",
        "concerned": "worried",
        "nervous": "worried",
        "scared": "afraid",
        "fearful": "afraid",
        "grieving": "sad",
        "unhappy": "sad",
        "irritated": "annoyed",
        "frustrated": "annoyed",
        "furious": "angry",
        "wary": "suspicious",
        "distrustful": "suspicious",
        "eager": "excited",
    }
)
_LOW, _HIGH = 2, 8


@dataclass(frozen=True, slots=True)
class Mood:
    """
    How an NPC feels at a moment.

    Args:
        mood: One of `MOODS`, or `NEUTRAL`.
        energy: 0 to 10.

    """

    mood: str = NEUTRAL
    energy: int = NEUTRAL_ENERGY

    @property
    def is_neutral(self) -> bool:
        """Whether there is nothing to tell of it."""
        return self.mood == NEUTRAL and _LOW < self.energy < _HIGH


def mood_named(word: object) -> str:
    """
    One of `MOODS`, or `NEUTRAL`, by a word in any case.

    Raises:
        ValueError: If there is no such mood.

    """
    name = str(word).strip().casefold() if isinstance(word, str) else ""
    name = _ALSO.get(name, name)
    if name != NEUTRAL and name not in MOODS:
        raise ValueError(f"there is no mood {str(word)[:40]!r}")
    return name


def energy_of(value: object) -> int:
    """
    An energy as a whole number from 0 to 10; "+7", "7" and 7.4 are 7.

    Raises:
        ValueError: If it is no number in these bounds.

    """
    try:
        number = None if isinstance(value, bool) else float(str(value).strip())
    except ValueError:
        number = None
    if number is None or not 0 <= number <= MOST_ENERGY:
        raise ValueError(f"an energy is a number from 0 to {MOST_ENERGY}, not {str(value)[:40]!r}")
    return round(number)


def signal_named(word: object) -> str | None:
    """
    One of `SIGNALS` by a word in any case; None for none.

    Raises:
        ValueError: If there is no such signal.

    """
    name = str(word or "").strip().casefold()
    if name in ("", "none", "null", NEUTRAL):
        return None
    if name not in SIGNALS:
        raise ValueError(f"there is no signal {name[:40]!r}")
    return name


def mood_at(record: object, now: float) -> Mood:
    """
    What is left of a noted mood.

    Args:
        record: `{"mood", "energy", "updated_at"}` as it is stored; anything else is neutral.
        now: UTC seconds since the epoch.

    """
    if not isinstance(record, Mapping) or passed(record.get("updated_at"), now):
        return Mood()
    try:
        return Mood(mood_named(record.get("mood")), energy_of(record.get("energy")))
    except ValueError:
        return Mood()


def passed(noted: Any, now: float) -> bool:
    """Whether what was felt at that time (ISO text) has passed; what names no time has."""
    try:
        return not noted or now - when_of(noted) >= PASSES_AFTER
    except (TypeError, ValueError):
        return True


def in_words(mood: Mood) -> str:
    """A mood as the prompt has it; "" while there is nothing to tell."""
    parts = [] if mood.mood == NEUTRAL else [mood.mood]
    if mood.energy <= _LOW and mood.mood != "tired":
        parts.append("tired out")
    elif mood.energy >= _HIGH:
        parts.append("full of energy")
    return ", ".join(parts)
