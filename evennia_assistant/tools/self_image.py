"""How an NPC feels and what it looks like, within limits."""

from __future__ import annotations

from typing import Any

from django.conf import settings

from ..errors import InvalidArguments, ToolRefused
from ..mind import output
from ..mind.mood import MOODS, MOST_ENERGY, NEUTRAL
from .base import Tool, ToolCategory, register
from .rights import check_open

MAX_DESCRIPTION = 600


@register
class SetMood(Tool):
    """Note how the NPC feels, on `db.mood` = `{mood, energy, updated_at}`, for twelve hours."""

    name = "set_mood"
    description = "Note how you feel now. Others do not see it."
    category = ToolCategory.SAFE_CHAIN
    everyday = False
    parameters = {
        "properties": {
            "mood": {"enum": [*MOODS, NEUTRAL]},
            "energy": {"type": "integer", "minimum": 0, "maximum": MOST_ENERGY},
        },
        "required": ["mood"],
    }
    refuses = "any word outside its vocabulary"

    def execute(self, character: Any, **kwargs: Any) -> dict[str, Any]:
        """Note it; see `Tool.execute`."""
        turn = character.ndb.assistant_turn
        now, keeper = turn.agent.now(), character.memory.mood
        keeper.note(
            kwargs["mood"],
            kwargs.get("energy"),
            now=now,
            entity_id=next(iter(turn.material.partners), None),
            audience=turn.material.audience(),
            confidence=turn.material.confidential,
        )
        keeper.store.save()
        felt = keeper.at(now)
        return {"mood": felt.mood, "energy": felt.energy}


@register
class SetDescription(Tool):
    """Change what others see who look at the NPC."""

    name = "set_description"
    description = "Change what others see when they look at you: a few plain sentences."
    category = ToolCategory.SAFE_CHAIN
    everyday = False
    changes_world = True
    parameters = {
        "properties": {"text": {"type": "string", "minLength": 20, "maxLength": MAX_DESCRIPTION}},
        "required": ["text"],
    }
    refuses = (
        "unless the option `may_describe_itself` is on as well; an NPC whose persona is its "
        "description; a turn that draws on a confidence"
    )

    def allowed(self, character: Any) -> bool:
        """See `Tool.allowed`; the option `may_describe_itself` must be on too."""
        script = getattr(character, "assistant_script", None)
        return (
            super().allowed(character)
            and script is not None
            and bool(script.option("may_describe_itself"))
        )

    def execute(self, character: Any, **kwargs: Any) -> dict[str, Any]:
        """Change it; see `Tool.execute`."""
        if not character.db.persona:
            raise ToolRefused("Your description is all you are made of; it stays as it is.")
        check_open(character, "your description")
        words = output.speakable(kwargs["text"], max_length=MAX_DESCRIPTION)
        if not words:
            raise InvalidArguments("There is nothing in that text that could be shown.")
        if not character.attributes.has("desc_before"):
            character.db.desc_before = character.db.desc
        parsed = bool(getattr(settings, "FUNCPARSER_PARSE_OUTGOING_MESSAGES_ENABLED", False))
        character.db.desc = output.for_speech(words, inlines_parsed=parsed)
        return {"description": words}
