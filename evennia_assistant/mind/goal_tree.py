"""
Goals as a tree: what an NPC is after, and what each of it is made of.

A goal has the documented fields `goal_id`, `description`, `priority`, `parent_id`, `status`,
`metadata`, `outcome` and `created_at`; ours are `asked_by` (at whose words it was made, empty for
the NPC's own and its keeper's) and `audience` (who may be told). A parent is completed when all its
parts are done, and reopened when one of them is taken up again.

All functions take a list of goals and change it or read it; they know no clock and no store.

"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

STATUSES: tuple[str, ...] = ("active", "paused", "completed", "dropped")
#: No more to be done about these.
CLOSED = frozenset({"completed", "dropped"})
LOWEST, HIGHEST, USUAL = 1, 10, 5
#: Goals kept; how deep they may be nested.
MAX_GOALS = 60
MAX_DEPTH = 5
#: Stored goals that hang deeper than this could not be walked through.
DEEPEST = 4 * MAX_DEPTH
MAX_DESCRIPTION = 300

Goal = dict[str, Any]


def find(goals: Sequence[Goal], goal_id: str) -> Goal:
    """
    A goal by its id.

    Raises:
        ValueError: If there is none; the text names those there are.

    """
    for goal in goals:
        if goal["goal_id"] == goal_id:
            return goal
    known = ", ".join(goal["goal_id"] for goal in goals if goal["status"] not in CLOSED)
    raise ValueError(f"There is no goal {goal_id!r}; open goals: {known or 'none'}.")


def parts_of(goals: Sequence[Goal], goal_id: str | None) -> list[Goal]:
    """The goals directly under one, the most urgent first; None asks for those at the top."""
    found = [goal for goal in goals if goal["parent_id"] == goal_id]
    return sorted(found, key=lambda goal: -goal["priority"])


def line_of(goals: Sequence[Goal], goal_id: str) -> list[str]:
    """The ids from a goal up to the top, itself first."""
    by_id = {goal["goal_id"]: goal for goal in goals}
    line: list[str] = []
    at: str | None = goal_id
    while at is not None and at in by_id and at not in line:
        line.append(at)
        at = by_id[at]["parent_id"]
    return line


def check_parent(goals: Sequence[Goal], goal_id: str | None, parent_id: str | None) -> None:
    """
    Check that a goal may hang under another.

    Args:
        goals: All goals.
        goal_id: The goal to be placed; None for one that does not exist yet.
        parent_id: Under which; None is the top.

    Raises:
        ValueError: If there is no such parent, it is closed, it would make a circle, or the tree
            would grow too deep.

    """
    if parent_id is None:
        return
    parent = find(goals, parent_id)
    above = line_of(goals, parent_id)
    if goal_id is not None and goal_id in above:
        raise ValueError(
            f"{goal_id} cannot be part of {parent_id}: {parent_id} is part of {goal_id} already."
        )
    if parent["status"] in CLOSED:
        raise ValueError(f"{parent_id} is {parent['status']}; reopen it first.")
    below = 1 if goal_id is None else _height(goals, goal_id)
    if len(above) + below > MAX_DEPTH:
        raise ValueError(f"Goals are nested {MAX_DEPTH} deep at most.")


def progress(goals: Sequence[Goal], goal_id: str) -> float:
    """
    The share of a goal that is done, 0 to 1; what was dropped counts for nothing.

    A goal made of parts is done by the mean of theirs.

    """
    goal = find(goals, goal_id)
    if goal["status"] == "completed":
        return 1.0
    parts = [part for part in parts_of(goals, goal_id) if part["status"] != "dropped"]
    if not parts:
        return 0.0
    return sum(progress(goals, part["goal_id"]) for part in parts) / len(parts)


def check_status(goals: Sequence[Goal], goal_id: str, status: str) -> None:
    """
    Check that a goal may come to stand so.

    Raises:
        ValueError: If there is no such goal or status, or it has open parts and cannot be
            completed yet.

    """
    if status not in STATUSES:
        raise ValueError(f"A goal is {', '.join(STATUSES[:-1])} or {STATUSES[-1]}, not {status!r}.")
    find(goals, goal_id)
    parts = _open_parts(goals, goal_id)
    if status == "completed" and parts:
        raise ValueError(
            f"{goal_id} has open parts: {', '.join(part['goal_id'] for part in parts)}. Complete "
            "or drop them first."
        )


def set_status(goals: Sequence[Goal], goal_id: str, status: str, outcome: str = "") -> list[Goal]:
    """
    Change how a goal stands, and with it what hangs on that.

    Dropping a goal drops its open parts. A parent all of whose parts are closed, one of them by
    being completed, is completed; a completed parent of a goal that is open again is reopened.

    Args:
        goals: All goals.
        goal_id: Which one.
        status: One of `STATUSES`.
        outcome: How it ended, for a closed one.

    Returns:
        Every goal that changed, this one first.

    Raises:
        ValueError: As `check_status` does.

    """
    check_status(goals, goal_id, status)
    goal = find(goals, goal_id)
    changed = [goal]
    goal["status"] = status
    goal["outcome"] = outcome if status in CLOSED else ""
    if status == "dropped":
        for part in _open_parts(goals, goal_id):
            changed += set_status(goals, part["goal_id"], "dropped", outcome)
    changed += _roll_up(goals, goal)
    return list({id(each): each for each in changed}.values())


def move(goals: Sequence[Goal], goal_id: str, parent_id: str | None) -> list[Goal]:
    """
    Hang a goal under another.

    Returns:
        Every goal that changed, this one first.

    Raises:
        ValueError: As `check_parent` does.

    """
    goal = find(goals, goal_id)
    check_parent(goals, goal_id, parent_id)
    goal["parent_id"] = parent_id
    return [goal, *_roll_up(goals, goal)]


def in_order(
    goals: Sequence[Goal], parent_id: str | None = None, depth: int = 0
) -> Iterator[tuple[int, Goal]]:
    """Every goal with its depth, parts under their parent, the most urgent first."""
    for goal in parts_of(goals, parent_id):
        yield depth, goal
        yield from in_order(goals, goal["goal_id"], depth + 1)


def sound_goals(raw: Sequence[Any]) -> tuple[list[Goal], list[str]]:
    """
    The usable goals of whatever is stored, and what was wrong with the rest.

    None is lost for where it hangs: one whose parent is not there moves to the top, and so does the
    first of a circle of goals, with all that is under it, or one that hangs far too deep.

    """
    goals: list[Goal] = []
    problems: list[str] = []
    for item in raw:
        problem = _problem_with(item, goals)
        if problem:
            problems.append(problem)
        else:
            asked_by = [who for who in item.get("asked_by") or () if isinstance(who, str)]
            metadata = dict(item.get("metadata") or {})
            goals.append({**_DEFAULTS, **item, "metadata": metadata, "asked_by": asked_by})
    known = {goal["goal_id"] for goal in goals}
    for goal in goals:
        parent = goal["parent_id"]
        if parent is not None and parent not in known:
            problems.append(f"{goal['goal_id']} under a goal that is not there")
            goal["parent_id"] = None
    by_id = {goal["goal_id"]: goal for goal in goals}
    for goal in goals:
        circle = _circle(by_id, goal["goal_id"])
        if circle:
            problems.append(f"{goal['goal_id']} under itself ({' under '.join(circle)})")
            goal["parent_id"] = None
    for goal in goals:
        if len(line_of(goals, goal["goal_id"])) > DEEPEST:
            problems.append(f"{goal['goal_id']} nested more than {DEEPEST} deep")
            goal["parent_id"] = None
    return goals, problems


_DEFAULTS: Mapping[str, Any] = {
    "priority": USUAL,
    "parent_id": None,
    "status": "active",
    "metadata": {},
    "outcome": "",
    "created_at": "",
    "asked_by": [],
    "audience": None,
}


def _problem_with(item: Any, before: Sequence[Goal]) -> str:
    if not isinstance(item, Mapping):
        return "a goal that is no mapping"
    texts = (item.get("goal_id"), item.get("description"))
    if not all(isinstance(text, str) and text for text in texts):
        return "a goal without id or description"
    if any(goal["goal_id"] == item["goal_id"] for goal in before):
        return f"{item['goal_id']} twice"
    fits = (
        item.get("status", "active") in STATUSES
        and isinstance(item.get("priority", USUAL), int)
        and isinstance(item.get("parent_id"), str | None)
        and isinstance(item.get("metadata", {}), Mapping)
        and isinstance(item.get("asked_by", []), list)
    )
    return "" if fits else f"{item['goal_id']} with fields that do not fit"


def _circle(by_id: Mapping[str, Goal], goal_id: str) -> list[str]:
    """The ids on the way from a goal up to itself again, [] where it is not part of itself."""
    way = [goal_id]
    at = by_id[goal_id]["parent_id"]
    while at is not None and at not in way:
        way.append(at)
        at = by_id[at]["parent_id"]
    return [*way, goal_id] if at == goal_id else []


def _open_parts(goals: Sequence[Goal], goal_id: str) -> list[Goal]:
    return [part for part in parts_of(goals, goal_id) if part["status"] not in CLOSED]


def _height(goals: Sequence[Goal], goal_id: str) -> int:
    parts = parts_of(goals, goal_id)
    return 1 + max((_height(goals, part["goal_id"]) for part in parts), default=0)


def _roll_up(goals: Sequence[Goal], goal: Goal) -> list[Goal]:
    changed = []
    for above in line_of(goals, goal["goal_id"])[1:]:
        parent = find(goals, above)
        stand = [part["status"] for part in parts_of(goals, above)]
        done = "completed" in stand and all(status in CLOSED for status in stand)
        if done and parent["status"] not in CLOSED:
            parent["status"], parent["outcome"] = "completed", "all parts are done"
        elif not done and parent["status"] == "completed":
            parent["status"], parent["outcome"] = "active", ""
        else:
            break
        changed.append(parent)
    return changed
