"""
Letting go of what never mattered.

Entries of little importance leave the live journal after a month (document 000, section 6), a few
each night. What something else rests on stays, and so does what somebody pinned; while facts are
kept in semantic memory, an entry goes only after it has become one.

"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..memory.journal import NO_FACTS
from ..memory.semantic import uses_semantic_memory
from ..mind import entry as entries
from ..mind.entry import when_of
from ..mind.open_ends import open_end_of
from ..mind.phrases import DAY
from .night import night_of, tonights_entries

MAX_IMPORTANCE = 3
MIN_AGE_DAYS = 30
PRUNED_AT_ONCE = 10


def prune_low_importance_entries(
    character: Any,
    max_importance: int = MAX_IMPORTANCE,
    min_age_days: float = MIN_AGE_DAYS,
    limit: int = PRUNED_AT_ONCE,
) -> dict[str, Any]:
    """
    Take old entries of little importance out of the journal, and store that.

    Args:
        character: The NPC.
        max_importance: Entries up to this importance go.
        min_age_days: Entries older than this go.
        limit: Most entries at once, the oldest first.

    Returns:
        `{"completed": True, "pruned"}`; what is beyond the limit goes another night.

    """
    script = character.assistant_script
    night, memory = night_of(script), character.memory
    before = script.agent.now() - min_age_days * DAY
    needed = _rested_upon(character)
    consolidated = set(memory.journal.store.data["consolidated_entry_ids"])
    keeps_facts = uses_semantic_memory(script)

    def may_go(entry: dict[str, Any]) -> bool:
        if entry["importance"] > max_importance or entries.get(entry, "pinned"):
            return False
        end = open_end_of(entry)
        if end is not None and end.is_open:
            return False
        if when_of(entry["timestamp"]) >= before or entry["id"] in needed:
            return False
        if not keeps_facts or entries.get(entry, "kind") in NO_FACTS:
            return True
        # What no fact could be made of is set aside for its keeper, and stays.
        return entry["id"] in consolidated or bool(entry.get("mem0_ids"))

    gone = [entry for entry in tonights_entries(script, character) if may_go(entry)][:limit]
    if gone:
        memory.remove({entry["id"] for entry in gone})
        for entry in gone:
            night.note(
                "retired",
                entry["content"],
                audience=entry.get("audience"),
                id=f"j{entry['id']}",
                why=f"importance {entry['importance']}, older than {min_age_days:g} days",
            )
        memory.save_journal(*night.stores())
    return {"completed": True, "pruned": len(gone)}


def _rested_upon(character: Any) -> set[int]:
    """Numbers of the entries that other memories name as their evidence, or hold instead of."""
    memory = character.memory
    needed: set[int] = set()
    for entry in memory.journal.entries:
        needed.update(_numbers(entries.get(entry, "evidence")))
        needed.update(_numbers([entries.get(entry, "successor")]))
    for profile in memory.profiles.store.data.values():
        for attribute in profile["attributes"].values():
            if isinstance(attribute, dict):
                needed.update(_numbers(attribute.get("evidence") or ()))
        needed.update(_numbers(note.get("entry_id") for note in profile["observations"]))
    return needed


def _numbers(ids: Iterable[Any]) -> set[int]:
    """Entry numbers among ids such as `42` and `"j42"`; those of facts are none."""
    return {number for name in ids if (number := entries.number_of(name)) is not None}
