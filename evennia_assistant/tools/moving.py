"""Going somewhere, and going after somebody."""

from __future__ import annotations

from typing import Any

from evennia.server.signals import SIGNAL_EXIT_TRAVERSED
from evennia.utils.ansi import strip_ansi

from ..errors import ToolError
from ..perception.hearing import entity_id
from . import around
from .base import Tool, ToolCategory, register
from .rights import check_access


@register
class Go(Tool):
    """Leave through an exit."""

    name = "go"
    description = "Go through an exit of this place, by its name. You leave those you talk to."
    category = ToolCategory.SAFE_CHAIN
    everyday = False
    changes_world = True
    parameters = {
        "properties": {"exit": {"type": "string", "minLength": 1, "maxLength": 100}},
        "required": ["exit"],
    }
    refuses = "an exit that is not here, or that the NPC or the one who asks may not `traverse`"

    def execute(self, character: Any, **kwargs: Any) -> dict[str, Any]:
        """Go; see `Tool.execute`."""
        way = around.named(character, kwargs["exit"], around.exits_here(character), "here")
        barred = strip_ansi(str(way.db.err_traverse or "You cannot go that way."))
        check_access(character, way, "traverse", barred)
        before = character.location
        way.at_traverse(character, way.destination)
        SIGNAL_EXIT_TRAVERSED.send(sender=way, traverser=character)
        if character.location == before:
            raise ToolError("You could not get through; you are where you were.")
        return {"went": around.shown(character, way), "now_in": _place(character)}


@register
class Follow(Tool):
    """Walk with somebody until told otherwise."""

    name = "follow"
    description = "Go along with somebody here from now on, wherever their way is open to you."
    category = ToolCategory.SAFE_CHAIN
    everyday = False
    changes_world = True
    parameters = {
        "properties": {"who": {"type": "string", "minLength": 1, "maxLength": 100}},
        "required": ["who"],
    }
    refuses = "whoever is not here; itself; somebody with a `follow` lock it does not pass"

    def execute(self, character: Any, **kwargs: Any) -> dict[str, Any]:
        """Begin to follow; see `Tool.execute`."""
        people = [character, *around.people_here(character)]
        leader = around.named(character, kwargs["who"], people, "here")
        if leader is character:
            raise ToolError("You cannot follow yourself.")
        name = around.shown(character, leader)
        check_access(character, leader, "follow", f"{name} may not be followed.", default=True)
        character.db.following = entity_id(leader)
        return {"following": name}


@register
class StopFollowing(Tool):
    """Stay where the NPC is."""

    name = "stop_following"
    description = "Stop going along with whom you follow."
    category = ToolCategory.SAFE_CHAIN
    everyday = False
    changes_world = True
    refuses = "when it follows nobody"

    def execute(self, character: Any, **kwargs: Any) -> dict[str, Any]:
        """Stop; see `Tool.execute`."""
        if not character.db.following:
            raise ToolError("You follow nobody.")
        character.attributes.remove("following")
        return {"following": None, "stays_in": _place(character)}


def _place(character: Any) -> str:
    place = character.location
    return "nowhere" if place is None else around.shown(character, place)
