"""
Searching what an NPC lived through by what happened, how it felt, its themes and its days.

As with every reading of memory only what all who hear the answer may be told is found, and each
finding leaves its audience behind.

"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..mind import audience as audiences
from ..mind.entry import told
from ..mind.phrases import ago
from ..mind.scene import sound
from ..mind.scene_query import SceneQuery, fit
from .material import Material


def search_scenes(
    npc: Any, material: Material, now: float, asked: SceneQuery, *, limit: int
) -> list[dict[str, Any]]:
    """
    Entries that fit, those that have most of what was asked for first, then the weightier.

    Args:
        npc: The NPC.
        material: The turn's; what is found is noted in it.
        now: UTC seconds since the epoch.
        asked: What to look for; nothing at all finds nothing.
        limit: Most entries.

    Returns:
        `{"id", "text", "when", "feeling", "tags"}` each, the last two where there are any.

    """
    terms = asked.terms(now)
    if not terms:
        return []
    aloud = material.manner == "say"
    found = []
    for known in npc.memory.journal_search.visible(material.listeners, aloud=aloud):
        fits = fit(known.entry, terms, asked.mode)
        if fits:
            found.append((fits, known.entry["importance"], known.when, known))
    found.sort(key=lambda each: each[:3], reverse=True)
    records = []
    for _fits, _importance, when, known in found[:limit]:
        material.audiences.append(audiences.frozen(known.entry.get("audience")))
        material.recalled[f"j{known.entry['id']}"] = {"score": None}
        records.append(_record(known.entry, now - when))
    return records


def _record(entry: Mapping[str, Any], age: float) -> dict[str, Any]:
    scene = sound(entry.get("scene")) or {}
    record: dict[str, Any] = {
        "id": f"j{entry['id']}",
        "text": told(entry, str(entry["content"])),
        "when": ago(age),
    }
    if scene.get("feeling"):
        record["feeling"] = scene["feeling"]
    if entry.get("tags"):
        record["tags"] = list(entry["tags"])
    return record
