"""
Speaking, whispering, paging, emoting, and choosing to do nothing.

These hand their text to the turn, whose output gate is the one place where an NPC speaks.

"""

from __future__ import annotations

from typing import Any

from .base import Tool, ToolCategory, register
from .rights import requesters

_TEXT = {"type": "string", "minLength": 1, "maxLength": 4000}


@register
class Say(Tool):
    """Say something to everyone near."""

    name = "say"
    description = "Say a line aloud; everyone here hears it. Ends your turn."
    category = ToolCategory.TERMINAL
    parameters = {
        "properties": {
            "text": {**_TEXT, "description": "your words only"},
            "to": {
                "type": "string",
                "maxLength": 100,
                "description": "name of whom you face",
            },
        },
        "required": ["text"],
    }

    def execute(self, character: Any, **kwargs: Any) -> dict[str, Any]:
        """Say it; see `Tool.execute`."""
        return character.ndb.assistant_turn.say(kwargs["text"], to=kwargs.get("to"))


@register
class Whisper(Tool):
    """Tell one person something nobody else hears."""

    name = "whisper"
    description = "Whisper to one person here; nobody else hears it. Ends your turn."
    category = ToolCategory.TERMINAL
    parameters = {
        "properties": {"to": {"type": "string", "minLength": 1, "maxLength": 100}, "text": _TEXT},
        "required": ["to", "text"],
    }

    def execute(self, character: Any, **kwargs: Any) -> dict[str, Any]:
        """Whisper it; see `Tool.execute`."""
        return character.ndb.assistant_turn.whisper(kwargs["text"], to=kwargs["to"])


@register
class Page(Tool):
    """Send words to one character who is connected, wherever it is."""

    name = "page"
    description = "Send words to somebody who is elsewhere; only they read it. Ends your turn."
    category = ToolCategory.TERMINAL
    everyday = False
    parameters = {
        "properties": {"to": {"type": "string", "minLength": 1, "maxLength": 100}, "text": _TEXT},
        "required": ["to", "text"],
    }
    refuses = (
        "whoever is not connected, may not be told what the turn draws on, or has a `msg` lock "
        "that the NPC or the one who asks does not pass"
    )

    def execute(self, character: Any, **kwargs: Any) -> dict[str, Any]:
        """Page it; see `Tool.execute`."""
        turn = character.ndb.assistant_turn
        requesters(character)
        return turn.agent.page(turn, kwargs["to"], kwargs["text"])


@register
class Emote(Tool):
    """Do something visible and harmless."""

    name = "emote"
    description = "Show a gesture; the text follows your name: 'smiles and nods'. Changes nothing."
    category = ToolCategory.SAFE_CHAIN
    parameters = {"properties": {"text": {**_TEXT, "maxLength": 400}}, "required": ["text"]}

    def execute(self, character: Any, **kwargs: Any) -> dict[str, Any]:
        """Show it; see `Tool.execute`."""
        return character.ndb.assistant_turn.emote(kwargs["text"])


@register
class Noop(Tool):
    """Stay silent on purpose."""

    name = "noop"
    description = "Stay silent, when nothing needs an answer. Ends your turn."
    category = ToolCategory.TERMINAL
    parameters = {"properties": {"reason": {"type": "string", "maxLength": 300}}}

    def execute(self, character: Any, **kwargs: Any) -> dict[str, Any]:
        """Do nothing; see `Tool.execute`."""
        return {"silent": True}
