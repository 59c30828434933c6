"""Recalling by topic: what the NPC's memories are about, and what one of them holds."""

from __future__ import annotations

from typing import Any

from .base import Tool, ToolCategory, register
from .fitting import fitting_records


@register
class RecallMemory(Tool):
    """
    Leaf through the memories of a topic, those that faded among them, or list the topics.

    Topics are made while the NPC sleeps. What is looked at counts as recalled, so that something
    that had faded comes back when it is looked at again and again.

    """

    name = "recall_memory"
    description = (
        "Look through the memories of one topic, old ones too; without a topic, list the topics."
    )
    category = ToolCategory.SAFE_CHAIN
    everyday = False
    parameters = {
        "properties": {
            "topic": {"type": "string", "maxLength": 80},
            "query": {"type": "string", "maxLength": 500},
            "limit": {"type": "integer", "minimum": 1, "maximum": 20},
        },
    }
    refuses = "a topic there is not, or of which these listeners may be told nothing"

    def execute(self, character: Any, **kwargs: Any) -> dict[str, Any]:
        """List topics or open one; see `Tool.execute`."""
        turn = character.ndb.assistant_turn
        found = turn.recall_topic(
            kwargs.get("topic", "").strip(),
            query=kwargs.get("query", ""),
            limit=kwargs.get("limit", 5),
        )
        if "memories" not in found:
            return fitting_records("topics", found["topics"])
        memories = found.pop("memories")
        # The digest has its place beside what has room of the memories.
        return {**found, **fitting_records("memories", memories, room=len(str(found)))}
