"""
The steps a goal is broken down into, as a model writes them and as they may become goals.

A record is `{"number": 1, "description": ..., "priority": 1 to 5, "part_of": number}`; `part_of`
names the step of the same answer it belongs to. What a model writes is a proposal: a step about
itself is dropped, one that would close a circle or hang too deep stands under the goal itself.

"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .goal_tree import CLOSED, MAX_DEPTH, MAX_DESCRIPTION, Goal, in_order, line_of
from .persona_protection import is_self_referential

#: Fewer than these are no more than the goal itself; what is beyond is left out.
FEWEST, MOST = 2, 5
HIGHEST_PRIORITY = 5
USUAL_PRIORITY = 3


@dataclass(frozen=True, slots=True)
class Step:
    """
    One step towards a goal.

    Args:
        description: What is to be done.
        priority: 1 to 5, 5 the most urgent.
        part_of: Number of the step it is part of; None hangs it under the goal.
        number: Its own number, None when it has none.

    """

    description: str
    priority: int = USUAL_PRIORITY
    part_of: int | None = None
    number: int | None = None


def checked_step(record: Any) -> Step:
    """
    A step as a model wrote it.

    Raises:
        ValueError: If it has no text, one that is too long, or one about the NPC itself.

    """
    if isinstance(record, str):
        record = {"description": record}
    if not isinstance(record, dict):
        raise ValueError("a step that is no object")
    text = record.get("description")
    words = " ".join(text.split()) if isinstance(text, str) else ""
    if not words or len(words) > MAX_DESCRIPTION:
        raise ValueError(f"a step without a description of 1 to {MAX_DESCRIPTION} characters")
    if is_self_referential(words):
        raise ValueError("a step about itself")
    priority = _whole(record.get("priority"))
    return Step(
        words,
        USUAL_PRIORITY if priority is None else max(1, min(HIGHEST_PRIORITY, priority)),
        _whole(record.get("part_of")),
        _whole(record.get("number")),
    )


def arranged(
    steps: Sequence[Step], goals: Sequence[Goal], goal_id: str
) -> tuple[list[Step], list[str]]:
    """
    The steps that may become parts of a goal, each after the one it is part of.

    Args:
        steps: From `checked_step`, in the order they were written.
        goals: All goals.
        goal_id: The goal they are for.

    Returns:
        The steps, numbered from 0 as they are returned, empty when they are no more than the goal
        itself; and what was left out or moved, one line each.

    """
    problems: list[str] = []
    known = {_same(goal["description"]) for goal in goals if goal["status"] not in CLOSED}
    kept: list[int] = []
    for place, step in enumerate(steps):
        if _same(step.description) in known:
            problems.append(f"a step that is a goal already: {step.description[:60]!r}")
        elif len(kept) >= MOST:
            problems.append(f"more than {MOST} steps")
            break
        else:
            known.add(_same(step.description))
            kept.append(place)
    if len(kept) < FEWEST:
        return [], problems
    room = MAX_DEPTH - len(line_of(goals, goal_id))
    numbered = {steps[place].number: place for place in reversed(kept)}
    wanted = {place: numbered.get(steps[place].part_of) for place in kept if steps[place].part_of}
    over = {place: _over(wanted, place, room) for place in kept}
    problems += [
        f"a step that cannot be part of {steps[place].part_of}: {steps[place].description[:60]!r}"
        for place in kept
        if steps[place].part_of is not None and over[place] is None
    ]
    order: list[int] = []

    def put(above: int | None) -> None:
        for place in kept:
            if over[place] == above:
                order.append(place)
                put(place)

    put(None)
    at = {place: number for number, place in enumerate(order)}
    arranged_steps = []
    for place in order:
        above, step = over[place], steps[place]
        part_of = None if above is None else at[above]
        arranged_steps.append(Step(step.description, step.priority, part_of, at[place]))
    return arranged_steps, problems


def _over(wanted: Mapping[int, int | None], place: int, room: int) -> int | None:
    """What a step hangs under, None for the goal: also where a circle or the depth forbids it."""
    line: list[int] = []
    at: int | None = place
    while at is not None:
        if at in line:
            return None
        line.append(at)
        at = wanted.get(at)
    return wanted.get(place) if len(line) <= room else None


def next_step(goals: Sequence[Goal], goal_id: str) -> Goal | None:
    """
    What to do next for a goal: its first open part that has no open parts itself.

    The most urgent comes first, and of equals the one that was set first; the goal itself when it
    has no open parts. None when it, or what is left of it, rests or is closed.

    """
    below: dict[str | None, list[Goal]] = {}
    for _depth, goal in in_order(goals):
        below.setdefault(goal["parent_id"], []).append(goal)
    found = [goal for goal in goals if goal["goal_id"] == goal_id]
    return _first_leaf(found[0], below) if found else None


def _first_leaf(goal: Goal, below: dict[str | None, list[Goal]]) -> Goal | None:
    if goal["status"] != "active":
        return None
    parts = [part for part in below.get(goal["goal_id"], ()) if part["status"] not in CLOSED]
    if not parts:
        return goal
    leaves = (_first_leaf(part, below) for part in parts)
    return next((leaf for leaf in leaves if leaf is not None), None)


def _whole(value: Any) -> int | None:
    """A whole number however a model wrote it, None for anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, str) and value.strip().isdecimal() and len(value) < 6:
        return int(value)
    return value if isinstance(value, int) else None


def _same(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".!")
