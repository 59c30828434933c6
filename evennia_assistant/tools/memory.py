"""Recalling: the one read path, asked by the model itself."""

from __future__ import annotations

from typing import Any

from .base import Tool, ToolCategory, register


@register
class RecallMemories(Tool):
    """Search what the NPC remembers, as far as those who will hear the answer may be told."""

    name = "recall_memories"
    description = "Search your memory when what you were given does not answer. Use key words."
    category = ToolCategory.SAFE_CHAIN
    cacheable = True
    parameters = {
        "properties": {
            "query": {"type": "string", "minLength": 1, "maxLength": 500},
            "limit": {"type": "integer", "minimum": 1, "maximum": 20},
        },
        "required": ["query"],
    }

    def execute(self, character: Any, **kwargs: Any) -> dict[str, Any]:
        """Search; see `Tool.execute`."""
        turn = character.ndb.assistant_turn
        return {"memories": turn.recall(kwargs["query"], limit=kwargs.get("limit", 6))}
