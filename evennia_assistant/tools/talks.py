"""Looking up what was said, word for word, by whichever side."""

from __future__ import annotations

from functools import partial
from typing import Any

from twisted.internet.defer import Deferred

from ..errors import ToolRefused
from .base import Tool, ToolCategory, register
from .fitting import fitting_records


@register
class SearchTalks(Tool):
    """Search every line of every talk, those of the NPC itself included."""

    name = "search_talks"
    description = "Look up what was said in earlier talks, by you or to you, word for word."
    category = ToolCategory.SAFE_CHAIN
    cacheable = True
    everyday = False
    parameters = {
        "properties": {
            "query": {"type": "string", "minLength": 1, "maxLength": 500},
            "with": {"type": "string", "maxLength": 100},
            "limit": {"type": "integer", "minimum": 1, "maximum": 20},
        },
        "required": ["query"],
    }
    refuses = "names the NPC does not know, or by which it knows several"

    def execute(self, character: Any, **kwargs: Any) -> Deferred[dict[str, Any]]:
        """Search; see `Tool.execute`."""
        partner = _partner(character, kwargs.get("with") or "")
        found: Deferred[Any] = character.ndb.assistant_turn.search_talks(
            kwargs["query"], partner=partner, limit=kwargs.get("limit", 8)
        )
        return found.addCallback(partial(fitting_records, "lines"))


def _partner(character: Any, name: str) -> str | None:
    """Entity id of somebody known by that name, None for no name."""
    if not name.strip():
        return None
    known = character.memory.profiles.named(name)
    if len(known) != 1:
        raise ToolRefused("You know nobody, or several, by that name. Search without it.")
    who: str = known[0]["entity_id"]
    return who
