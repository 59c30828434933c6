"""Quick facts and patterns: what to know again in the next conversation."""

from __future__ import annotations

from typing import Any

from ..errors import InvalidArguments
from ..memory.session_memory import MAX_TEXT
from .base import Tool, ToolCategory, register


class _Remember(Tool):
    """What the two have in common."""

    category = ToolCategory.SAFE_CHAIN
    everyday = False
    kind = ""
    refuses = "texts about the NPC itself"

    def execute(self, character: Any, **kwargs: Any) -> dict[str, Any]:
        """Keep it; see `Tool.execute`."""
        turn = character.ndb.assistant_turn
        try:
            note = character.memory.session_memory.add(
                self.kind,
                next(iter(kwargs.values())),
                audience=turn.material.audience(),
                asked_by=list(turn.material.partners),
                confidence=turn.material.confidential,
                when=turn.agent.now(),
            )
        except ValueError as err:
            raise InvalidArguments(str(err)) from err
        return {"kept": note["text"], "among": self.kind}


@register
class RememberFact(_Remember):
    """Keep a quick fact, such as how somebody wants to be called."""

    name = "remember_fact"
    description = "Keep a short fact for later talks, such as what somebody prefers."
    kind = "facts"
    parameters = {
        "properties": {"fact": {"type": "string", "minLength": 1, "maxLength": MAX_TEXT}},
        "required": ["fact"],
    }


@register
class RememberPattern(_Remember):
    """Keep something that keeps happening."""

    name = "remember_pattern"
    description = "Keep what you see happen again and again, about players or the world."
    kind = "patterns"
    parameters = {
        "properties": {"pattern": {"type": "string", "minLength": 1, "maxLength": MAX_TEXT}},
        "required": ["pattern"],
    }
