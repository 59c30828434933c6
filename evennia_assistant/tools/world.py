"""Looking around."""

from __future__ import annotations

from typing import Any

from evennia.utils.ansi import strip_ansi

from ..errors import ToolError
from ..perception.hearing import can_perceive, sentient
from .base import Tool, ToolCategory, register


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
            "description": strip_ansi(str(place.db.desc or ""))[:800],
            **{kind: names[:20] for kind, names in seen.items()},
        }
