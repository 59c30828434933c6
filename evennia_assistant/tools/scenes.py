"""Looking through what was lived through, by what happened, how it felt, its themes and days."""

from __future__ import annotations

from typing import Any

from ..errors import InvalidArguments
from ..mind.scene_query import SceneQuery
from .base import Tool, ToolCategory, register
from .fitting import fitting_records

#: Findings given back: where nobody says how many, and at most (documented).
LIMIT = 10
MOST = 30

_WORDS = {"type": "string", "maxLength": 200}
_THEMES = {"type": "array", "items": {"type": "string", "maxLength": 60}, "maxItems": 10}


@register
class SearchMemory(Tool):
    """Search action, feeling, themes and days of everything in the journal and its archive."""

    name = "search_memory"
    description = (
        "Search your memories by words, by what happened, how it felt, themes, or when. "
        "Any of it is enough unless mode is 'and'."
    )
    category = ToolCategory.SAFE_CHAIN
    cacheable = True
    everyday = False
    parameters = {
        "properties": {
            "query": _WORDS,
            "action": _WORDS,
            "feeling": _WORDS,
            "themes": _THEMES,
            "when": _WORDS,
            "mode": {"enum": ["or", "and"]},
            "limit": {"type": "integer", "minimum": 1, "maximum": MOST},
        }
    }

    def execute(self, character: Any, **kwargs: Any) -> dict[str, Any]:
        """Search; see `Tool.execute`."""
        turn, limit = character.ndb.assistant_turn, kwargs.pop("limit", LIMIT)
        asked = SceneQuery(**{**kwargs, "themes": tuple(kwargs.get("themes", ()))})
        if not asked.terms(turn.agent.now()):
            raise InvalidArguments("Say what to look for: query, action, feeling, themes or when.")
        return fitting_records("memories", turn.search_memory(asked, limit=limit))
