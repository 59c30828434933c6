"""Lying down of one's own accord."""

from __future__ import annotations

from typing import Any

from ..errors import ToolRefused
from .base import Tool, ToolCategory, register


@register
class GoToSleepTool(Tool):
    """Fall asleep, and turn the day into lasting memory, once nobody needs the NPC."""

    name = "go_to_sleep"
    description = "Go to sleep, when nobody needs you and the day is done. Ends your turn."
    category = ToolCategory.TERMINAL
    everyday = False
    parameters = {"properties": {"reason": {"type": "string", "maxLength": 300}}}
    refuses = (
        "an NPC that sleeps already, that woke less than `wake_cooldown_minutes` ago, or that has "
        "been awake for less than `min_awake_ticks` or is in conversation"
    )

    def execute(self, character: Any, **kwargs: Any) -> dict[str, Any]:
        """Lie down when this turn is over; see `Tool.execute`."""
        agent = character.ndb.assistant_turn.agent
        hindered = agent.go_to_bed()
        if hindered:
            raise ToolRefused(hindered)
        return {"falls_asleep": "when this turn is over"}
