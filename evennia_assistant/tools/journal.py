"""Writing in the journal, looking things up in it, and taking back what holds no longer."""

from __future__ import annotations

from typing import Any

from ..errors import InvalidArguments, ToolRefused
from ..mind import entry as entries
from ..mind.audience import may_be_told
from ..mind.entry import SOURCE_TYPES
from ..mind.persona_protection import is_self_referential
from .base import Tool, ToolCategory, register
from .fitting import fitting_records
from .rights import requesters

#: Importance of what was concluded from the journal (documented).
SYNTHESIS_IMPORTANCE = 8
SYNTHESIS_TAGS = ("synthesis", "meta_learning")
#: Entries one review looks at.
MOST_REVIEWED = 20

_TAGS = {"type": "array", "items": {"type": "string", "maxLength": 60}, "maxItems": 10}


@register
class AddJournalEntry(Tool):
    """Keep a note; its audience is what the evidence of this turn allows."""

    name = "add_journal_entry"
    description = "Write down something worth remembering about the world or a person."
    category = ToolCategory.SAFE_CHAIN
    parameters = {
        "properties": {
            "content": {"type": "string", "minLength": 1, "maxLength": 2000},
            "tags": _TAGS,
            "related_projects": _TAGS,
            "source_type": {"enum": list(SOURCE_TYPES)},
            "source_trust": {"type": "number", "minimum": 0, "maximum": 1},
            "source_entity": {"type": "string", "maxLength": 100},
            "importance": {"type": "integer", "minimum": 1, "maximum": 10},
        },
        "required": ["content"],
    }

    def execute(self, character: Any, **kwargs: Any) -> dict[str, Any]:
        """Write it; see `Tool.execute`."""
        try:
            entry = character.ndb.assistant_turn.note(**kwargs)
        except ValueError as err:
            raise InvalidArguments(str(err)) from err
        return {"entry_id": entry["id"], "importance": entry["importance"]}


@register
class SearchJournal(Tool):
    """Search the journal by words, tags and age."""

    name = "search_journal"
    description = "Look through your journal by words, tags (all must match) or age in days."
    category = ToolCategory.SAFE_CHAIN
    cacheable = True
    cache_scope = "session"
    cache_ttl = 300.0
    parameters = {
        "properties": {
            "query": {"type": "string", "maxLength": 500},
            "tags": _TAGS,
            "days_back": {"type": "integer", "minimum": 0, "maximum": 36500},
            "related_to_project": {"type": "string", "maxLength": 100},
            "limit": {"type": "integer", "minimum": 1, "maximum": 20},
            "semantic": {"type": "boolean"},
        }
    }

    def execute(self, character: Any, **kwargs: Any) -> dict[str, Any]:
        """Search; see `Tool.execute`."""
        found: dict[str, Any] = character.ndb.assistant_turn.search_journal(**kwargs)
        return {**found, **fitting_records("entries", found["entries"])}


@register
class ReviewJournal(Tool):
    """Keep what the last days' entries add up to, as a `[SYNTHESIS]` entry."""

    name = "review_journal"
    description = (
        "Conclude something from your journal of the last days, about the world or people."
    )
    category = ToolCategory.SAFE_CHAIN
    everyday = False
    parameters = {
        "properties": {
            "synthesis": {"type": "string", "minLength": 1, "maxLength": 2000},
            "days_back": {"type": "integer", "minimum": 1, "maximum": 36500},
            "tags": _TAGS,
            "save_as_entry": {"type": "boolean"},
        },
        "required": ["synthesis"],
    }
    refuses = "conclusions about the NPC itself"

    def execute(self, character: Any, **kwargs: Any) -> dict[str, Any]:
        """Review and write; see `Tool.execute`."""
        turn, tags = character.ndb.assistant_turn, kwargs.get("tags", [])
        if is_self_referential(kwargs["synthesis"]):
            raise ToolRefused("Conclude something about the world or about others, not yourself.")
        reviewed = turn.search_journal(
            days_back=kwargs.get("days_back", 7), tags=tags, limit=MOST_REVIEWED
        )["entries"]
        result: dict[str, Any] = {"reviewed": len(reviewed)}
        if kwargs.get("save_as_entry", True):
            entry = turn.note(
                f"[SYNTHESIS] {kwargs['synthesis'].strip()}",
                tags=list(SYNTHESIS_TAGS),
                importance=SYNTHESIS_IMPORTANCE,
                kind="synthesis",
                evidence=[f"j{found['id']}" for found in reviewed],
                source_entity=None,
            )
            result["entry_id"] = entry["id"]
        return result


@register
class Forget(Tool):
    """Take back a journal entry that holds no longer; its keepers still see it."""

    name = "forget"
    description = "Take back an entry of your journal that is no longer true, by its number."
    category = ToolCategory.SAFE_CHAIN
    everyday = False
    parameters = {
        "properties": {
            "entry_id": {"type": "integer", "minimum": 1, "maximum": 10**9},
            "reason": {"type": "string", "maxLength": 300},
        },
        "required": ["entry_id"],
    }
    refuses = (
        "entries that those who listen may not be told of; what somebody else told, at another's "
        "word; entries that have moved to the archive"
    )

    def execute(self, character: Any, **kwargs: Any) -> dict[str, Any]:
        """Forget it; see `Tool.execute`."""
        turn, number = character.ndb.assistant_turn, kwargs["entry_id"]
        entry = character.memory.journal.find(number)
        hidden = entry is None or not may_be_told(entry.get("audience"), turn.material.listeners)
        if entry is None or hidden or entries.get(entry, "state") != "active":
            raise InvalidArguments(f"There is no entry {number} in your journal.")
        told_by = entries.get(entry, "source_id")
        asking = {f"#{who.pk}" for who in requesters(character)}
        if asking and told_by is not None and told_by not in asking:
            raise ToolRefused("Somebody else told you that; only at their word is it taken back.")
        character.memory.forget(number)
        return {"forgotten": number, "content": entry["content"][:200]}
