"""Looking around."""

from __future__ import annotations

from typing import Any

from evennia.utils.ansi import strip_ansi

from ..errors import ToolError
from ..mind.speech_line import strip_markup
from ..perception.hearing import can_perceive, sentient
from . import around
from .base import Tool, ToolCategory, register

#: Characters of a description a model is given.
MOST = 800


@register
class InspectLocation(Tool):
    """What the NPC sees where it stands."""

    name = "inspect_location"
    description = "Look at the place you are in: its description, exits, people and things."
    category = ToolCategory.SAFE_CHAIN
    cacheable = True

    def execute(self, character: Any, **kwargs: Any) -> dict[str, Any]:
        """Look; see `Tool.execute`."""
        place = character.location
        if place is None:
            raise ToolError("You are nowhere; there is nothing to see.")
        seen: dict[str, list[str]] = {"people": [], "things": [], "exits": []}
        for obj in place.contents:
            if obj is character or not can_perceive(character, obj, "pose"):
                continue
            kind = "exits" if obj.destination else "people" if sentient(obj) else "things"
            seen[kind].append(strip_ansi(obj.get_display_name(character)))
        return {
            "place": strip_ansi(place.get_display_name(character)),
            "description": strip_ansi(str(place.db.desc or ""))[:MOST],
            **{kind: names[:20] for kind, names in seen.items()},
        }


@register
class LookAt(Tool):
    """What the NPC sees of one person or thing, here or among its own."""

    name = "look_at"
    description = "Look closely at one person or thing here, or at something you carry."
    category = ToolCategory.SAFE_CHAIN
    cacheable = True
    everyday = False
    parameters = {
        "properties": {"target": {"type": "string", "minLength": 1, "maxLength": 100}},
        "required": ["target"],
    }
    refuses = "what is not here or cannot be seen; a name that fits several"

    def execute(self, character: Any, **kwargs: Any) -> dict[str, Any]:
        """Look; see `Tool.execute`."""
        place = character.location
        here = [] if place is None else [*place.contents, place]
        target = around.named(character, kwargs["target"], [*here, *character.contents], "here")
        return {
            "name": around.shown(character, target),
            "description": strip_markup(str(character.at_look(target)))[:MOST],
        }
