"""
What retention keeps between nights: its clock, and how often memories were recalled today.

The clock counts nights (`script.db.retention_clock`). Recalls are counted in `script.ndb.hits`, so
that reading writes nothing, and go to the memories themselves when the NPC falls asleep and before
a reload; a kill costs the counts of one day.

"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..mind.retention import DEEP_HIT, HIT
from . import memory_links
from .attribute_store import AttributeStore
from .members import Members, is_entry


def empty_clock() -> dict[str, Any]:
    """The clock of an NPC that never slept."""
    return {"reading": 0, "cycle": 0, "at": None}


def repair_clock(raw: Any) -> tuple[dict[str, Any], str | None]:
    """The clock as it stands; one that cannot be used begins anew."""
    clock = empty_clock()
    if not isinstance(raw, Mapping):
        return clock, "not a mapping"
    clock.update({key: raw.get(key, value) for key, value in clock.items()})
    numbers = (clock["reading"], clock["cycle"], clock["at"] or 0.0)
    if any(isinstance(n, bool) or not isinstance(n, int | float) for n in numbers):
        return empty_clock(), "without usable numbers"
    return clock, None


def clock_of(script: Any) -> AttributeStore:
    """The store of an NPC's clock, made once for each start of the server."""
    store = script.ndb.assistant_retention_clock
    if store is None:
        store = script.ndb.assistant_retention_clock = AttributeStore(
            script, "retention_clock", empty_clock, repair=repair_clock
        )
    return store


def note_hits(character: Any, item_ids: Iterable[str]) -> None:
    """
    Count memories as recalled; nothing is written.

    Args:
        character: The NPC.
        item_ids: Ids as the index has them.

    """
    script = character.assistant_script
    if script is None:
        return
    hits = script.ndb.hits
    if hits is None:
        hits = script.ndb.hits = {}
    index = character.memory.index
    for item_id in item_ids:
        worth = DEEP_HIT if index.is_dormant(item_id) else HIT
        hits[item_id] = hits.get(item_id, 0) + worth


def flush_hits(script: Any, character: Any) -> list[AttributeStore]:
    """
    Put what was counted where it belongs.

    Args:
        script: The AssistantScript.
        character: Its NPC.

    Returns:
        Stores that changed; the caller saves.

    """
    hits = script.ndb.hits
    if not hits:
        return []
    members = Members(character.memory)
    fields: dict[str, dict[str, Any]] = {}
    for item_id, count in list(hits.items()):
        for name in _members_of(character.memory, item_id):
            record = members.record(name)
            if record is None:
                continue
            so_far = record["hits"] if "hits" in record else memory_links.DEFAULTS["hits"]
            before = fields.get(name, {}).get("hits", so_far)
            fields[name] = {"hits": before + count}
    stores = members.change(fields)
    script.ndb.hits = {}
    return stores


def _members_of(memory: Any, item_id: str) -> list[str]:
    """The entry or the facts a memory of the index stands for."""
    if not is_entry(item_id):
        return [item_id[1:]] if item_id.startswith("m") else []
    entry = memory.journal.find_anywhere(int(item_id[1:]))
    return [] if entry is None else list(entry.get("mem0_ids") or ()) or [item_id]
