"""
Taking, dropping and handing over things.

Each goes through the hooks and locks of a player's own command, and those near see the same line.

"""

from __future__ import annotations

from typing import Any

from evennia.utils.ansi import strip_ansi

from ..errors import ToolError
from . import around
from .base import Tool, ToolCategory, register
from .rights import check_access

_NAME = {"type": "string", "minLength": 1, "maxLength": 100}


@register
class Get(Tool):
    """Take up something that lies here."""

    name = "get"
    description = "Pick up a thing that lies here."
    category = ToolCategory.SAFE_CHAIN
    everyday = False
    changes_world = True
    parameters = {"properties": {"thing": _NAME}, "required": ["thing"]}
    refuses = "what is not here, people, and what the NPC or the one who asks has no `get` lock for"

    def execute(self, character: Any, **kwargs: Any) -> dict[str, Any]:
        """Take it; see `Tool.execute`."""
        thing = around.named(character, kwargs["thing"], around.things_here(character), "here")
        why_not = strip_ansi(str(thing.db.get_err_msg or "That cannot be picked up."))
        check_access(character, thing, "get", why_not)
        if not thing.at_pre_get(character):
            raise ToolError(why_not)
        name = _numbered(thing, character)
        if not thing.move_to(character, quiet=True, move_type="get"):
            raise ToolError("That cannot be picked up.")
        thing.at_get(character)
        character.location.msg_contents(f"$You() $conj(pick) up {name}.", from_obj=character)
        return {"got": strip_ansi(name)}


@register
class Drop(Tool):
    """Put down something the NPC carries."""

    name = "drop"
    description = "Put down a thing you carry."
    category = ToolCategory.SAFE_CHAIN
    everyday = False
    changes_world = True
    parameters = {"properties": {"thing": _NAME}, "required": ["thing"]}
    refuses = "what it does not carry, and what it has no `drop` lock for"

    def execute(self, character: Any, **kwargs: Any) -> dict[str, Any]:
        """Drop it; see `Tool.execute`."""
        place = character.location
        if place is None:
            raise ToolError("You are nowhere; there is no ground to put it on.")
        thing = around.named(character, kwargs["thing"], character.contents, "among your things")
        if not thing.at_pre_drop(character):
            raise ToolError("You may not put that down.")
        name = _numbered(thing, character)
        if not thing.move_to(place, quiet=True, move_type="drop"):
            raise ToolError("That cannot be put down here.")
        thing.at_drop(character)
        place.msg_contents(f"$You() $conj(drop) {name}.", from_obj=character)
        return {"dropped": strip_ansi(name), "where": around.shown(character, place)}


@register
class Give(Tool):
    """Hand something over to somebody here."""

    name = "give"
    description = "Hand a thing you carry to somebody here. Only this really gives it to them."
    category = ToolCategory.SAFE_CHAIN
    everyday = False
    changes_world = True
    parameters = {"properties": {"thing": _NAME, "to": _NAME}, "required": ["thing", "to"]}
    refuses = (
        "what it does not carry, whoever is not here, and what the NPC or the one who asks has no "
        "`give` lock for, where one is set"
    )

    def execute(self, character: Any, **kwargs: Any) -> dict[str, Any]:
        """Give it; see `Tool.execute`."""
        thing = around.named(character, kwargs["thing"], character.contents, "among your things")
        people = [character, *around.people_here(character)]
        target = around.named(character, kwargs["to"], people, "here")
        if target is character:
            raise ToolError("You have it already.")
        check_access(character, thing, "give", "You may not give that away.", default=True)
        if not thing.at_pre_give(character, target):
            raise ToolError("You may not give that away.")
        name = _numbered(thing, character)
        receiver = around.shown(character, target)
        if not thing.move_to(target, quiet=True, move_type="give"):
            raise ToolError(f"{receiver} cannot take it.")
        thing.at_give(character, target)
        character.msg(f"You give {name} to {target.get_display_name(character)}.")
        target.msg(f"{character.get_display_name(target)} gives you {name}.")
        return {"gave": strip_ansi(name), "to": receiver}


def _numbered(thing: Any, character: Any) -> str:
    return str(thing.get_numbered_name(1, character, return_string=True))
