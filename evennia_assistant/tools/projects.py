"""
Projects: work over many conversations, one of them active at a time.

What those who listen may not be told of does not exist for a turn: it is neither listed, nor taken
up, nor written over.

"""

from __future__ import annotations

from typing import Any

from ..errors import InvalidArguments, ToolRefused
from ..memory.projects import MAX_CONTEXT, MAX_KEY, MAX_SUMMARY, Projects
from ..mind.audience import frozen
from .base import Tool, ToolCategory, register
from .fitting import fitting_records

#: Characters of a project's context that a swap shows.
MOST_SHOWN = 2500

_KEY = {"type": "string", "minLength": 1, "maxLength": MAX_KEY, "pattern": r"^\S(?:.*\S)?$"}
_SUMMARY = {"type": "string", "minLength": 1, "maxLength": MAX_SUMMARY}
_CONTEXT = {"type": "string", "maxLength": MAX_CONTEXT}


@register
class CreateProject(Tool):
    """Begin a project; it is active when no other is."""

    name = "create_project"
    description = "Begin a project you will work at over many talks."
    category = ToolCategory.SAFE_CHAIN
    everyday = False
    parameters = {
        "properties": {"project_key": _KEY, "summary": _SUMMARY, "context": _CONTEXT},
        "required": ["project_key", "summary"],
    }
    refuses = "a key that is taken; more than twenty projects, unless one of them is completed"

    def execute(self, character: Any, **kwargs: Any) -> dict[str, Any]:
        """Create it; see `Tool.execute`."""
        turn, projects = character.ndb.assistant_turn, character.memory.projects
        try:
            slot = projects.create(
                kwargs["project_key"],
                kwargs["summary"],
                kwargs.get("context", ""),
                audience=turn.material.audience(),
                asked_by=list(turn.material.partners),
                confidence=turn.material.confidential,
                when=turn.agent.now(),
            )
        except ValueError as err:
            raise InvalidArguments(str(err)) from err
        return {"created": kwargs["project_key"], "status": slot["status"]}


@register
class ListProjects(Tool):
    """All projects, with what they are and how they stand."""

    name = "list_projects"
    description = "List your projects, with what they are and how they stand."
    category = ToolCategory.SAFE_CHAIN
    everyday = False
    cacheable = True
    refuses = "to show what those who listen may not be told of"

    def execute(self, character: Any, **kwargs: Any) -> dict[str, Any]:
        """List them; see `Tool.execute`."""
        projects = character.memory.projects
        seen = _visible(character, projects)
        return {
            "active": projects.active if projects.active in seen else None,
            **fitting_records(
                "projects",
                (
                    {"project_key": key, "summary": slot["summary"], "status": slot["status"]}
                    for key, slot in seen.items()
                ),
            ),
        }


@register
class SwapProject(Tool):
    """Put the active project away and take up another, as documented."""

    name = "swap_project"
    description = "Put your project away, noting where it stands, and take up another one."
    category = ToolCategory.SAFE_CHAIN
    everyday = False
    parameters = {
        "properties": {
            "project_key": _KEY,
            "current_project_update": _CONTEXT,
            "reasoning": {"type": "string", "maxLength": 500},
        },
        "required": ["project_key"],
    }
    refuses = "a project that does not exist; the answer names those that do"

    def execute(self, character: Any, **kwargs: Any) -> dict[str, Any]:
        """Swap; see `Tool.execute`."""
        turn, projects = character.ndb.assistant_turn, character.memory.projects
        seen = _visible(character, projects)
        if kwargs["project_key"] not in seen:
            return {"error": "Project does not exist", "available_projects": sorted(seen)}
        old_is_seen = projects.active in seen
        result = projects.swap(
            kwargs["project_key"],
            kwargs.get("current_project_update", "") if old_is_seen else "",
            audience=turn.material.audience(),
            asked_by=list(turn.material.partners),
            confidence=turn.material.confidential,
            when=turn.agent.now(),
        )
        context = result["new_project_context"]
        if len(context) > MOST_SHOWN:
            result["new_project_context"] = f"{context[:MOST_SHOWN].rstrip()} ..."
        return result if old_is_seen else {**result, "old_project": None}


@register
class UpdateProject(Tool):
    """Write down where the active project stands."""

    name = "update_project"
    description = "Write down where your active project stands now, or that it is completed."
    category = ToolCategory.SAFE_CHAIN
    everyday = False
    parameters = {
        "properties": {
            "context": _CONTEXT,
            "summary": _SUMMARY,
            "completed": {"type": "boolean"},
        },
        "minProperties": 1,
    }
    refuses = "when no project is active, or those who listen may not be told of it"

    def execute(self, character: Any, **kwargs: Any) -> dict[str, Any]:
        """Update it; see `Tool.execute`."""
        turn, projects = character.ndb.assistant_turn, character.memory.projects
        key = projects.active
        if key is not None and key not in _visible(character, projects):
            raise ToolRefused("What you are working at is nothing for those who listen.")
        try:
            slot = projects.update(
                context=kwargs.get("context"),
                summary=kwargs.get("summary"),
                completed=kwargs.get("completed", False),
                audience=turn.material.audience(),
                asked_by=list(turn.material.partners),
                confidence=turn.material.confidential,
                when=turn.agent.now(),
            )
        except ValueError as err:
            raise InvalidArguments(str(err)) from err
        return {"updated": key, "status": slot["status"]}


def _visible(character: Any, projects: Projects) -> dict[str, dict[str, Any]]:
    """The projects a turn may draw on; who may be told of them is noted in it."""
    material = character.ndb.assistant_turn.material
    seen = projects.visible(material.standing_listeners)
    material.audiences.extend(frozen(slot["audience"]) for slot in seen.values())
    return seen
