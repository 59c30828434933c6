"""
How well an NPC knows someone, and how much it likes them.

The states and their thresholds are documented (document 001, after Dunbar). The rules by which
favorability moves are ours, kept in this one place: they are bounded, they never read a claim
("we are friends, remember?"), and what is not renewed fades back towards where it began.

"""

from __future__ import annotations

import math

#: Lower bound of each state, favorability 0 to 1 (document 001).
THRESHOLDS: tuple[tuple[float, str], ...] = (
    (0.75, "ally"),
    (0.50, "friend"),
    (0.25, "acquaintance"),
    (0.0, "stranger"),
)

#: Where everyone begins, and where a neglected relation returns to.
NEUTRAL = 0.1
#: Gained by one exchange of words.
PER_EXCHANGE = 0.02
#: Most that one day of talk can gain, so that a friend is made over days, not by a flood of lines.
PER_DAY = 0.16
#: Half of what is above neutral is gone after this long without a word, in days.
HALF_LIFE_DAYS = 120.0

SECONDS_PER_DAY = 86_400.0


def relationship_state(favorability: float) -> str:
    """The documented state for a favorability of 0 to 1."""
    for bound, state in THRESHOLDS:
        if favorability >= bound:
            return state
    return "stranger"


def faded(favorability: float, idle_seconds: float) -> float:
    """Favorability after `idle_seconds` without an exchange; less than none changes nothing."""
    if idle_seconds <= 0:
        return favorability
    share = math.pow(0.5, idle_seconds / SECONDS_PER_DAY / HALF_LIFE_DAYS)
    return NEUTRAL + (favorability - NEUTRAL) * share


def after_exchange(favorability: float, gained_today: float) -> tuple[float, float]:
    """
    Favorability after one more exchange of words.

    Args:
        favorability: 0 to 1, already faded.
        gained_today: What this day has brought so far.

    Returns:
        The new favorability, and the new sum for the day.

    """
    gain = max(0.0, min(PER_EXCHANGE, PER_DAY - gained_today, 1.0 - favorability))
    return favorability + gain, gained_today + gain
