"""
What an NPC is after, on `script.db.current_goals` = `{"goals": [...], "version": 1}`.

The rules of the tree are in `mind.goal_tree`; here they meet the Attribute. Every method leaves the
saving to its caller.

"""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ..mind import audience as audiences
from ..mind import goal_tree
from ..mind.entry import timestamp_of
from ..mind.goal_tree import CLOSED, Goal
from ..mind.percept import Audience
from .attribute_store import AttributeStore

VERSION = 1
#: Closed goals beyond these are let go, the oldest first, when a new one needs the room.
KEPT_CLOSED = 20


def empty_goals() -> dict[str, Any]:
    """The documented form of having no goal."""
    return {"goals": [], "version": VERSION}


def repair_goals(raw: Any) -> tuple[dict[str, Any], str | None]:
    """The sound goals of whatever is stored, and what was wrong, None if nothing was."""
    if not isinstance(raw, Mapping) or not isinstance(raw.get("goals"), list):
        return empty_goals(), "without a list of goals"
    goals, problems = goal_tree.sound_goals(raw["goals"])
    reason = f"holding {', '.join(problems)}" if problems else None
    return {**raw, "goals": goals, "version": VERSION}, reason


class Goals:
    """
    The goals of one NPC.

    Args:
        script: Its AssistantScript.

    """

    def __init__(self, script: Any) -> None:
        self.store = AttributeStore(script, "current_goals", empty_goals, repair=self._repaired)
        #: What was wrong with the goals as they were last read, "" for nothing.
        self.mended = ""

    def _repaired(self, raw: Any) -> tuple[dict[str, Any], str | None]:
        goals, reason = repair_goals(raw)
        self.mended = reason or ""
        return goals, reason

    @property
    def all(self) -> list[Goal]:
        """Every goal, open or closed, in the order they were made."""
        return self.store.data["goals"]

    def open(self) -> list[Goal]:
        """The goals there is still something to do about, the most urgent first."""
        found = [goal for goal in self.all if goal["status"] not in CLOSED]
        return sorted(found, key=lambda goal: -goal["priority"])

    def visible(self, listeners: Collection[str]) -> list[Goal]:
        """Every goal that all listeners may be told of, in the order they were made."""
        return [goal for goal in self.all if audiences.may_be_told(goal.get("audience"), listeners)]

    def create(
        self,
        description: str,
        *,
        priority: int = goal_tree.USUAL,
        parent_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        asked_by: Sequence[str] = (),
        audience: Audience = None,
        confidence: bool = False,
        when: float | None = None,
    ) -> Goal:
        """
        A new goal.

        Args:
            description: What is to be reached, at most `goal_tree.MAX_DESCRIPTION` characters.
            priority: 1 to 10, 10 the most urgent.
            parent_id: The goal it is part of; None for one of its own.
            metadata: Anything plain.
            asked_by: Entity ids of those at whose words it is made.
            audience: Who may be told; None is nobody.
            confidence: It was set in confidence, and is never said aloud by itself.
            when: UTC seconds since the epoch; None is now.

        Raises:
            ValueError: If there are too many, the text is empty or too long, the priority is out of
                range, or the parent does not fit.

        """
        description = " ".join(description.split())
        if not description or len(description) > goal_tree.MAX_DESCRIPTION:
            raise ValueError(f"A goal takes 1 to {goal_tree.MAX_DESCRIPTION} characters.")
        _check_priority(priority)
        goals = self.all
        goal_tree.check_parent(goals, None, parent_id)
        self._make_room()
        if len(goals) >= goal_tree.MAX_GOALS:
            raise ValueError(
                f"There are {len(goals)} goals already; complete or drop some of them first."
            )
        goal: Goal = {
            "goal_id": self._new_id(),
            "description": description,
            "priority": priority,
            "parent_id": parent_id,
            "status": "active",
            "metadata": dict(metadata or {}),
            "outcome": "",
            "created_at": timestamp_of(time.time() if when is None else when),
            "asked_by": list(asked_by),
            "audience": audiences.stored(audience),
            **({"confidence": True} if confidence else {}),
        }
        goals.append(goal)
        self.store.touch()
        return goal

    def find(self, goal_id: str) -> Goal:
        """
        A goal by its id.

        Raises:
            ValueError: If there is none.

        """
        return goal_tree.find(self.all, goal_id)

    def change(
        self,
        goal_id: str,
        *,
        audience: Audience = audiences.PUBLIC,
        confidence: bool = False,
        **fields: Any,
    ) -> list[Goal]:
        """
        Change a goal.

        Args:
            goal_id: Which one.
            audience: Who may be told of what is new; who may be told of the goal is cut to them.
            confidence: What is new was said in confidence.
            **fields: `description`, `priority`, `parent_id`, `metadata`, `status` and `outcome`,
                those that change. `parent_id` None moves it to the top.

        Returns:
            Every goal that changed with it, this one first.

        Raises:
            ValueError: If there is no such goal, or a value does not fit; nothing is changed then.

        """
        goals = self.all
        goal = goal_tree.find(goals, goal_id)
        if "priority" in fields:
            _check_priority(fields["priority"])
        if "description" in fields and not str(fields["description"]).strip():
            raise ValueError("A goal needs a description.")
        if "parent_id" in fields:
            goal_tree.check_parent(goals, goal_id, fields["parent_id"])
        if "status" in fields:
            goal_tree.check_status(goals, goal_id, fields["status"])
        changed = [goal]
        if "parent_id" in fields:
            changed += goal_tree.move(goals, goal_id, fields["parent_id"])
        if "status" in fields:
            changed += goal_tree.set_status(
                goals, goal_id, fields["status"], fields.get("outcome", "")
            )
        for key in ("description", "priority"):
            if key in fields:
                goal[key] = fields[key]
        if "description" in fields or fields.get("outcome"):
            shared = audiences.intersect([goal["audience"], audience])
            goal["audience"] = list(shared) if isinstance(shared, tuple) else shared
            if confidence:
                goal["confidence"] = True
        if "metadata" in fields:
            goal["metadata"] = {**goal["metadata"], **fields["metadata"]}
        self.store.touch()
        return list({each["goal_id"]: each for each in changed}.values())

    def progress(self, goal_id: str) -> float:
        """The share of a goal that is done, 0 to 1."""
        return goal_tree.progress(self.all, goal_id)

    def _new_id(self) -> str:
        used = [goal["goal_id"][1:] for goal in self.all if goal["goal_id"].startswith("g")]
        return f"g{max((int(number) for number in used if number.isdecimal()), default=0) + 1}"

    def _make_room(self) -> None:
        goals = self.all
        if len(goals) < goal_tree.MAX_GOALS:
            return
        needed = {goal["parent_id"] for goal in goals}
        spare = [
            goal for goal in goals if goal["status"] in CLOSED and goal["goal_id"] not in needed
        ]
        for goal in spare[: max(0, len(spare) - KEPT_CLOSED)] or spare[:1]:
            goals.remove(goal)


def _check_priority(priority: int) -> None:
    if not goal_tree.LOWEST <= priority <= goal_tree.HIGHEST:
        raise ValueError(f"priority is {goal_tree.LOWEST} to {goal_tree.HIGHEST}.")
