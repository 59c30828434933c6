"""
How well an NPC knows someone, and how much it likes them.

The states and their thresholds are documented (document 001, after Dunbar). The rules by which
favorability moves are ours, and all of them stand in this one place:

- `RULES` says what each deed is worth, how much one day of it can move, and between which bounds.
  Only what happened counts: that there was talk, that a thing changed hands, what the game itself
  reports. What a line claims ("we are friends, remember?") is never read.
- Talk alone makes an acquaintance in a day and a friend in three, and never an ally.
- What is not renewed fades towards neutral, friendship and grudge alike, by half in
  `HALF_LIFE_DAYS`. It is worked out when it is read (`faded`), so time passing costs no write.

>>> favorability, today = after(NEUTRAL, "gift", {})
>>> round(favorability, 2), today
(0.15, {'gift': 0.05})
>>> relationship_state(favorability)
'stranger'

"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

#: Lower bound of each state, favorability 0 to 1 (document 001).
THRESHOLDS: tuple[tuple[float, str], ...] = (
    (0.75, "ally"),
    (0.50, "friend"),
    (0.25, "acquaintance"),
    (0.0, "stranger"),
)

#: Where everyone begins, and where a neglected relation returns to.
NEUTRAL = 0.1
#: Half of what parts a relation from neutral is gone after this long, in days.
HALF_LIFE_DAYS = 120.0

SECONDS_PER_DAY = 86_400.0


@dataclass(frozen=True, slots=True)
class Rule:
    """
    What one kind of deed does to favorability.

    Args:
        worth: Moved by one of them; below 0 it is lost.
        per_day: Most that all of a day move, above 0.
        up_to: Bound beyond which it moves nothing; for what is lost, the lower bound.

    """

    worth: float
    per_day: float
    up_to: float


#: Every deed that counts.
RULES: Mapping[str, Rule] = {
    # Words were exchanged.
    "talk": Rule(0.02, 0.16, 0.70),
    # A thing was put into the NPC's hands that its giver had not given before.
    "gift": Rule(0.05, 0.10, 1.0),
    # The game says that they helped the NPC: a quest done, a wound healed.
    "help": Rule(0.10, 0.20, 1.0),
    # They called the NPC names.
    "insult": Rule(-0.06, 0.18, 0.0),
    # The game says that they harmed the NPC: struck it, stole from it.
    "harm": Rule(-0.25, 0.50, 0.0),
}


def relationship_state(favorability: float) -> str:
    """The documented state for a favorability of 0 to 1."""
    for bound, state in THRESHOLDS:
        if favorability >= bound:
            return state
    return "stranger"


def sound(favorability: Any) -> float:
    """A favorability from 0 to 1 out of whatever a store holds; what is no number is neutral."""
    if not isinstance(favorability, int | float) or not math.isfinite(favorability):
        return NEUTRAL
    return min(1.0, max(0.0, float(favorability)))


def faded(favorability: float, idle_seconds: float) -> float:
    """
    Favorability after some time in which nothing moved it.

    Args:
        favorability: As it was then, 0 to 1.
        idle_seconds: Seconds since; less than none changes nothing.

    """
    if idle_seconds <= 0:
        return favorability
    share = math.pow(0.5, idle_seconds / SECONDS_PER_DAY / HALF_LIFE_DAYS)
    return NEUTRAL + (favorability - NEUTRAL) * share


def after(
    favorability: float, deed: str, moved_today: Mapping[str, float]
) -> tuple[float, dict[str, float]]:
    """
    Favorability after a deed.

    Args:
        favorability: 0 to 1, already faded.
        deed: One of `RULES`.
        moved_today: What each kind of deed has moved today, as numbers above 0.

    Returns:
        The new favorability, and what each kind has moved now.

    Raises:
        KeyError: If there is no rule for such a deed.

    """
    rule = RULES[deed]
    left = max(0.0, rule.per_day - moved_today.get(deed, 0.0))
    room = rule.up_to - favorability if rule.worth > 0 else favorability - rule.up_to
    moved = max(0.0, min(abs(rule.worth), left, room))
    after_it = favorability + math.copysign(moved, rule.worth)
    today = {**moved_today, deed: moved_today.get(deed, 0.0) + moved}
    return min(1.0, max(0.0, after_it)), today
