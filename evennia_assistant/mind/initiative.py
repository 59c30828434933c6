"""
When an NPC speaks up without having been spoken to: the gates, in their order.

1. **quiet**: asleep, or otherwise not to be heard;
2. **awaiting**: whoever it would turn to has not answered what it said of itself before. Only they
   take that away, by speaking; time does not;
3. **budget** and **gap**: so many times in any 24 hours, and so long after the last time;
4. **turn**: it is answering somebody;
5. **trigger**: there is nothing to speak up about.

What counts is the attempt, not whether anything came of it. Clocks are arguments.

Example:
    ::

        decision = decide(now, present=["#5"], attempts=[], awaiting=[], chances=lambda: [chance])
        decision.gate          # None: it goes

"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from .entry import when_of
from .percept import Audience
from .phrases import DAY, HOUR
from .shock import shakes

Gate = Literal["quiet", "awaiting", "budget", "gap", "turn", "trigger"]
#: What there may be to speak up about, the first that holds goes before the others.
WHYS: tuple[str, ...] = ("shock", "promise", "expectation", "goal", "silence")

#: A shock is news for this long.
SHOCK_FOR = DAY
#: After as long as this without a word from somebody, their coming is an occasion.
LONG_SILENCE = 48 * HOUR


@dataclass(frozen=True, slots=True)
class Limits:
    """
    How often an NPC may speak up.

    Args:
        per_day: Times in any 24 hours.
        gap: Least seconds between two of them.

    """

    per_day: int = 3
    gap: float = 4 * HOUR


@dataclass(frozen=True, slots=True)
class Chance:
    """
    Something to speak up about.

    Args:
        why: One of `WHYS`.
        towards: Entity ids of those present whom it is for.
        audience: Who may be told of it.
        goal_id: The goal it serves.
        step_id: The part of it that comes next; the goal itself when it has no parts.
        entry_id: The journal entry it comes from.

    """

    why: str
    towards: tuple[str, ...]
    audience: Audience = None
    goal_id: str | None = None
    step_id: str | None = None
    entry_id: int | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """
    Whether an NPC speaks up now.

    Args:
        chance: What about; None when a gate held before that was asked, or nothing was found.
        gate: Which gate held; None when it goes.

    """

    chance: Chance | None = None
    gate: Gate | None = None

    @property
    def went(self) -> bool:
        """Whether it goes."""
        return self.gate is None


def decide(
    now: float,
    *,
    present: Collection[str],
    attempts: Sequence[float],
    awaiting: Collection[str],
    chances: Callable[[], Iterable[Chance]],
    quiet: bool = False,
    busy: bool = False,
    limits: Limits | None = None,
) -> Decision:
    """
    Go through the gates.

    Args:
        now: UTC seconds since the epoch.
        present: Entity ids of the players who are near.
        attempts: When it spoke up before, or tried to, in any order.
        awaiting: Entity ids of those who have not answered yet.
        chances: Gives what there is to speak up about; asked only when all other gates are open.
        quiet: Whether it is asleep, or not to be heard.
        busy: Whether a turn is in flight.
        limits: How often it may; None takes the documented ones.

    """
    limits = limits or Limits()
    if quiet:
        return Decision(gate="quiet")
    if present and set(present) <= set(awaiting):
        return Decision(gate="awaiting")
    spent = spent_gate(now, attempts, limits)
    if spent is not None:
        return Decision(gate=spent)
    if busy:
        return Decision(gate="turn")
    unanswered: Chance | None = None
    for chance in chances():
        if set(chance.towards) - set(awaiting):
            return Decision(chance)
        unanswered = unanswered or chance
    return Decision(unanswered, "trigger" if unanswered is None else "awaiting")


def spent_gate(
    now: float, attempts: Sequence[float], limits: Limits
) -> Literal["budget", "gap"] | None:
    """
    Which gate of the budget holds, None when both are open.

    An attempt that seems to lie in the future, because a clock was set back, counts as well.

    """
    if sum(now - at < DAY for at in attempts) >= limits.per_day:
        return "budget"
    return "gap" if any(now - at < limits.gap for at in attempts) else None


def open_again(attempts: Sequence[float], limits: Limits) -> float:
    """When the budget is open again, as far as it is known now; in the past when it is."""
    if not attempts:
        return 0.0
    latest = sorted(attempts)
    after_gap = latest[-1] + limits.gap
    if len(latest) < limits.per_day:
        return after_gap
    return max(after_gap, latest[-limits.per_day] + DAY)


def still_counting(now: float, attempts: Sequence[float], limits: Limits) -> list[float]:
    """The attempts that may still hold something up, oldest first."""
    horizon = max(DAY, limits.gap)
    return sorted(at for at in attempts if now - at < horizon)


def is_shock(entry: Mapping[str, Any], now: float) -> bool:
    """Whether a journal entry is so strong, and so new, that it is an occasion to speak."""
    return shakes(entry) and 0.0 <= now - when_of(entry["timestamp"]) < SHOCK_FOR
