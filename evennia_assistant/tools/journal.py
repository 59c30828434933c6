"""Writing in the journal and looking things up in it."""

from __future__ import annotations

from typing import Any

from ..errors import InvalidArguments
from ..mind.entry import SOURCE_TYPES
from .base import Tool, ToolCategory, register

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
        return {"entries": character.ndb.assistant_turn.search_journal(**kwargs)}
