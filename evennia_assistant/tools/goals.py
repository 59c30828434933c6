"""
Goals: what the NPC is after.

A goal made at somebody's word remembers whose, has no more than the usual urgency, and is changed
only by them, by a keeper, or by the NPC of itself. So no player gives an NPC standing orders, or
takes those of its keeper away.

"""

from __future__ import annotations

from typing import Any

from ..errors import InvalidArguments, ToolRefused
from ..mind import goal_tree
from ..mind.audience import frozen, may_be_told
from ..perception.hearing import may_command
from .base import Tool, ToolCategory, register
from .fitting import fitting_records
from .rights import requesters

#: Open goals one person may have given an NPC.
MOST_ASKED = 3

_ID = {"type": "string", "minLength": 1, "maxLength": 40}
_TEXT = {"type": "string", "minLength": 1, "maxLength": goal_tree.MAX_DESCRIPTION}
_PRIORITY = {"type": "integer", "minimum": goal_tree.LOWEST, "maximum": goal_tree.HIGHEST}


@register
class CreateGoal(Tool):
    """Set a goal, or a part of one."""

    name = "create_goal"
    description = "Set yourself a goal, or a part of one you have (parent_id)."
    category = ToolCategory.SAFE_CHAIN
    everyday = False
    parameters = {
        "properties": {"description": _TEXT, "priority": _PRIORITY, "parent_id": _ID},
        "required": ["description"],
    }
    refuses = (
        "an unknown or closed parent; parts of a goal that was not set at the word of who asks; "
        "more than three open goals at one person's word"
    )

    def execute(self, character: Any, **kwargs: Any) -> dict[str, Any]:
        """Create it; see `Tool.execute`."""
        turn, goals = character.ndb.assistant_turn, character.memory.goals
        asked_by = [f"#{who.pk}" for who in _who_need_ask(character)]
        priority = kwargs.get("priority", goal_tree.USUAL)
        if asked_by:
            priority = min(priority, goal_tree.USUAL)
            given = [goal for goal in goals.open() if set(goal["asked_by"]) & set(asked_by)]
            if len(given) >= MOST_ASKED:
                raise ToolRefused(f"You have {len(given)} goals from them already.")
        if kwargs.get("parent_id"):
            _check_may_change(character, _seen(character, kwargs["parent_id"]))
        try:
            goal = goals.create(
                kwargs["description"],
                priority=priority,
                parent_id=kwargs.get("parent_id"),
                asked_by=asked_by,
                audience=turn.material.audience(),
                confidence=turn.material.confidential,
                when=turn.agent.now(),
            )
        except ValueError as err:
            raise InvalidArguments(str(err)) from err
        return {"goal_id": goal["goal_id"], "priority": priority}


@register
class UpdateGoal(Tool):
    """Change a goal: its words, its urgency, where it belongs, whether it rests."""

    name = "update_goal"
    description = "Change a goal: description, priority, parent_id, or status."
    category = ToolCategory.SAFE_CHAIN
    everyday = False
    parameters = {
        "properties": {
            "goal_id": _ID,
            "description": _TEXT,
            "priority": _PRIORITY,
            "parent_id": {"type": ["string", "null"], "minLength": 1, "maxLength": 40},
            "status": {"enum": ["active", "paused", "dropped"]},
        },
        "required": ["goal_id"],
        "minProperties": 2,
    }
    refuses = "an unknown goal; a circle of goals; goals that were not set at the word of who asks"

    def execute(self, character: Any, **kwargs: Any) -> dict[str, Any]:
        """Change it; see `Tool.execute`."""
        goal_id = kwargs.pop("goal_id")
        _check_may_change(character, _seen(character, goal_id))
        if kwargs.get("parent_id"):
            _check_may_change(character, _seen(character, kwargs["parent_id"]))
        if "priority" in kwargs and _who_need_ask(character):
            kwargs["priority"] = min(kwargs["priority"], goal_tree.USUAL)
        return _changed(character, goal_id, kwargs)


@register
class CompleteGoal(Tool):
    """Call a goal reached; a goal all of whose parts are reached is reached as well."""

    name = "complete_goal"
    description = "Call a goal reached, with how it ended."
    category = ToolCategory.SAFE_CHAIN
    everyday = False
    parameters = {
        "properties": {"goal_id": _ID, "outcome": {"type": "string", "maxLength": 300}},
        "required": ["goal_id"],
    }
    refuses = (
        "an unknown goal; one with open parts; goals that were not set at the word of who asks"
    )

    def execute(self, character: Any, **kwargs: Any) -> dict[str, Any]:
        """Complete it; see `Tool.execute`."""
        _check_may_change(character, _seen(character, kwargs["goal_id"]))
        fields = {"status": "completed", "outcome": kwargs.get("outcome", "")}
        return _changed(character, kwargs["goal_id"], fields)


@register
class ListGoals(Tool):
    """The goals as a tree, with how far they are."""

    name = "list_goals"
    description = "List your goals, with how far they are."
    category = ToolCategory.SAFE_CHAIN
    everyday = False
    cacheable = True
    parameters = {"properties": {"closed": {"type": "boolean"}}}
    refuses = "to show what those who listen may not be told of"

    def execute(self, character: Any, **kwargs: Any) -> dict[str, Any]:
        """List them; see `Tool.execute`."""
        goals, material = character.memory.goals, character.ndb.assistant_turn.material
        seen = [
            goal
            for _depth, goal in goal_tree.in_order(goals.all)
            if may_be_told(goal["audience"], material.standing_listeners)
            and (kwargs.get("closed") or goal["status"] not in goal_tree.CLOSED)
        ]
        material.audiences.extend(frozen(goal["audience"]) for goal in seen)
        shown = {goal["goal_id"] for goal in seen}
        return fitting_records(
            "goals",
            [
                {
                    "goal_id": goal["goal_id"],
                    "description": goal["description"],
                    "priority": goal["priority"],
                    "status": goal["status"],
                    "done": round(goals.progress(goal["goal_id"]), 2),
                    **({"parent_id": goal["parent_id"]} if goal["parent_id"] in shown else {}),
                    **({"outcome": goal["outcome"]} if goal["outcome"] else {}),
                }
                for goal in seen
            ],
        )


def _who_need_ask(character: Any) -> list[Any]:
    """Those who asked and are no keepers of the NPC."""
    return [who for who in requesters(character) if not may_command(who, character)]


def _seen(character: Any, goal_id: str) -> dict[str, Any]:
    """A goal, if there is one of that id which those who listen may be told of."""
    material = character.ndb.assistant_turn.material
    for goal in character.memory.goals.visible(material.standing_listeners):
        if goal["goal_id"] == goal_id:
            return goal
    raise InvalidArguments(f"There is no goal {goal_id!r}.")


def _check_may_change(character: Any, goal: dict[str, Any]) -> None:
    for who in _who_need_ask(character):
        if f"#{who.pk}" not in goal["asked_by"]:
            raise ToolRefused(
                f"{goal['goal_id']} was not set at the word of {who.key}; they do not change it."
            )


def _changed(character: Any, goal_id: str, fields: dict[str, Any]) -> dict[str, Any]:
    goals, turn = character.memory.goals, character.ndb.assistant_turn
    try:
        changed = goals.change(
            goal_id,
            audience=turn.material.audience(),
            confidence=turn.material.confidential,
            **fields,
        )
    except ValueError as err:
        raise InvalidArguments(str(err)) from err
    first, *others = changed
    result = {
        "goal_id": goal_id,
        "status": first["status"],
        "done": round(goals.progress(goal_id), 2),
    }
    if others:
        result["also"] = {goal["goal_id"]: goal["status"] for goal in others}
    return result
