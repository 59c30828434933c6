"""Recalling, and keeping what is to last: facts of the world, and what was noticed of somebody."""

from __future__ import annotations

from typing import Any

from ..errors import InvalidArguments, ToolRefused
from ..mind.persona_protection import is_self_referential
from ..perception.hearing import entity_id, kind_of
from . import around
from .base import Tool, ToolCategory, register
from .fitting import fitting_records

#: Memories where nobody says how many: ranked, and in fragments.
RANKED = 6
FRAGMENTS = 3
#: Importance a fact of the world has at least.
LASTING = 7


@register
class RecallMemories(Tool):
    """
    Search what the NPC remembers, as far as those who will hear the answer may be told.

    With `deep` it looks among what has faded as well.

    """

    name = "recall_memories"
    description = "Search your memory when what you were given does not answer. Use key words."
    category = ToolCategory.SAFE_CHAIN
    cacheable = True
    parameters = {
        "properties": {
            "query": {"type": "string", "minLength": 1, "maxLength": 500},
            "limit": {"type": "integer", "minimum": 1, "maximum": 20},
            "deep": {"type": "boolean"},
            "mode": {
                "type": "string",
                "enum": ["ranked", "fragments"],
                "description": "fragments: moods of the past, never an answer",
            },
        },
        "required": ["query"],
    }

    def execute(self, character: Any, **kwargs: Any) -> dict[str, Any]:
        """Search; see `Tool.execute`."""
        turn = character.ndb.assistant_turn
        if kwargs.get("mode") == "fragments":
            limit = kwargs.get("limit", FRAGMENTS)
            return {"fragments": turn.fragments(kwargs["query"], limit=limit)}
        limit, deep = kwargs.get("limit", RANKED), kwargs.get("deep", False)
        found = turn.recall(kwargs["query"], limit=limit, deep=deep)
        return fitting_records("memories", found)


@register
class StoreMemory(Tool):
    """
    Keep a fact of the world for good: a pinned journal entry tagged `world_fact`.

    It keeps who said it, and is trusted as a conclusion; only a keeper's teaching counts as known.

    """

    name = "store_memory"
    description = "Keep a lasting fact about the world, in the third person."
    category = ToolCategory.ASYNC_REQUIRED
    everyday = False
    parameters = {
        "properties": {
            "content": {"type": "string", "minLength": 1, "maxLength": 1000},
            "tags": {
                "type": "array",
                "items": {"type": "string", "maxLength": 60},
                "maxItems": 10,
            },
        },
        "required": ["content"],
    }
    refuses = "facts about the NPC itself"

    def execute(self, character: Any, **kwargs: Any) -> dict[str, Any]:
        """Keep it; see `Tool.execute`."""
        content = kwargs["content"].strip()
        _check_others(content)
        if not content:
            raise InvalidArguments("There is nothing in that text.")
        entry = character.ndb.assistant_turn.note(
            content,
            tags=list(dict.fromkeys(["world_fact", *kwargs.get("tags", [])])),
            importance=LASTING,
            pinned=True,
        )
        return {"stored": content, "entry_id": entry["id"]}


@register
class Remember(Tool):
    """Note something about somebody, in their profile; hearsay keeps the name of who said it."""

    name = "remember"
    description = "Note something about a person you know or who is here."
    category = ToolCategory.SAFE_CHAIN
    everyday = False
    parameters = {
        "properties": {
            "about": {"type": "string", "minLength": 1, "maxLength": 100},
            "note": {"type": "string", "minLength": 1, "maxLength": 300},
        },
        "required": ["about", "note"],
    }
    refuses = "people it neither knows nor sees; a name that fits several; notes on itself"

    def execute(self, character: Any, **kwargs: Any) -> dict[str, Any]:
        """Note it; see `Tool.execute`."""
        turn, profiles = character.ndb.assistant_turn, character.memory.profiles
        note = " ".join(kwargs["note"].split())
        if not note:
            raise InvalidArguments("There is nothing in that note.")
        _check_others(note)
        who, name = _somebody(character, kwargs["about"])
        said_by = [
            speaker_name
            for speaker, speaker_name in turn.material.speakers.items()
            if speaker != who
        ]
        if said_by and who not in turn.material.speakers:
            note = f"{said_by[0]} says: {note}"
        profiles.add_observation(
            who, note, audience=turn.material.audience(), when=turn.agent.now()
        )
        return {"about": name, "noted": note}


def _check_others(text: str) -> None:
    if is_self_referential(text):
        raise ToolRefused("Keep what is true of the world or of others, not of yourself.")


def _somebody(character: Any, about: str) -> tuple[str, str]:
    """Entity id and name of somebody known or here; a profile is there when this returns."""
    profiles = character.memory.profiles
    known = profiles.named(about)
    if len(known) == 1:
        return known[0]["entity_id"], known[0]["canonical_name"]
    # Not known by that name, or several are: then whoever is here decides.
    person = around.named(character, about, [character, *around.people_here(character)], "here")
    if person is character:
        raise ToolRefused("Notes are about others, not about yourself.")
    who, name = entity_id(person) or "", around.shown(character, person)
    profiles.ensure(who, kind_of(person), name)
    return who, name
