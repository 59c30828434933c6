"""
What a turn recalls and searches for, as far as all who will hear the answer may be told.

"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..conf import setting
from ..memory.items import MemoryItem
from ..memory.journal_search import Criteria
from ..memory.recall import Recollection
from ..memory.retention import note_hits
from ..memory.thresholds import thresholds_for
from ..mind import audience as audiences
from ..mind import entry as entries
from ..mind.conversation import SUMMARY
from ..mind.entry import number_of, told
from ..mind.fragments import fragments, pieces_of
from ..mind.phrases import ago
from .material import Material

#: Memories that cross one's mind at once.
CROSSING = 3
#: Share of a question's words, the rare ones counting more, from which a memory answers it.
ANSWERED = 0.5


def recall_for(
    npc: Any,
    material: Material,
    query: str,
    *,
    now: float,
    limit: int,
    skip_texts: set[str] | frozenset[str] = frozenset(),
    worth: float = 0.0,
    exclude: Sequence[str] = (),
    floor: float | None = None,
    deep: bool = False,
) -> list[dict[str, Any]]:
    """
    Memories for the model, as far as all listeners may be told; their audiences are noted.

    Each of them counts as recalled, which keeps it from fading (`mind.retention`). What has faded
    comes back where nothing else answers.

    Args:
        npc: The NPC.
        material: The turn's.
        query: The question.
        now: UTC seconds since the epoch.
        limit: How many at most.
        skip_texts: Texts that stand in the prompt already.
        worth: Share of the best memory's score below which one says too little.
        exclude: Ids of memories that are left out.
        floor: As `memory.items.Question` has it.
        deep: Search what has faded as well, whatever else answers.

    Returns:
        Records `{"id", "text", "who", "when", "how"}`, best first.

    """
    found = _recalled(
        npc,
        query,
        deep,
        listeners=material.listeners,
        now=now,
        limit=limit + len(skip_texts),
        asker=next(iter(material.partners), None),
        exclude=exclude,
        floor=floor,
    )
    records: list[dict[str, Any]] = []
    # A summary repeats what others say in their own words; it is for when nothing else is left.
    for hit in sorted(found.hits, key=lambda hit: hit.item.kind == SUMMARY):
        item = hit.item
        if item.kind == SUMMARY and records:
            break
        if item.text in skip_texts or len(records) >= limit:
            continue
        if item.confidence and material.manner == "say":
            # What was whispered is whispered back at most, even to its owner alone.
            continue
        if hit.score < worth * found.hits[0].score:
            continue
        material.audiences.append(item.audience)
        material.recalled[item.id] = {"score": round(float(hit.score), 3)}
        records.append(record_of(item, now))
    names = [record["id"] for record in records]
    note_hits(npc, names)
    npc.memory.activated.note(names, now)
    return records


def _recalled(npc: Any, query: str, deep: bool, **asked: Any) -> Recollection:
    """Recall; where nothing awake answers, what has faded comes back if it answers better."""
    memory = npc.memory
    found = memory.recall(query, deep=deep, **asked)
    answered = _answered(found)
    if deep or answered >= ANSWERED or not memory.index.has_dormant:
        return found
    dug = memory.recall(query, deep=True, **asked)
    return dug if _answered(dug) > answered else found


def _answered(found: Recollection) -> float:
    """The most of the question's words that any of what was found has, 0 to 1."""
    return max((hit.parts.get("coverage", 0.0) for hit in found.hits), default=0.0)


def record_of(item: MemoryItem, now: float) -> dict[str, Any]:
    """A memory as tools show it to a model."""
    return {
        "id": item.id,
        "text": item.text,
        "who": item.speaker_name or "you",
        "when": ago(now - item.when) if item.when else "always",
        "how": how_known(item),
    }


def fragments_for(
    npc: Any, material: Material, query: str, *, now: float, limit: int = CROSSING, seed: float
) -> str:
    """
    What crosses the NPC's mind at some words: pieces of memories, shuffled, never evidence.

    Args:
        npc: The NPC.
        material: The turn's; what is drawn on is noted in it.
        query: The words.
        now: UTC seconds since the epoch.
        limit: Of how many memories at most.
        seed: Gives the order, together with the words.

    Returns:
        One text, "" when nothing comes to mind that all listeners may be told.

    """
    floor = thresholds_for(setting("ASSISTANT_EMBEDDER")).crosses
    found = recall_for(npc, material, query, now=now, limit=limit, floor=floor)
    memories = []
    for record in found:
        number = number_of(record["id"])
        entry = None if number is None else npc.memory.journal.find_anywhere(number)
        scene = None if entry is None else entries.get(entry, "scene")
        memories.append(pieces_of(record["text"], scene))
    return fragments(memories, seed=f"{seed:.3f} {query}")


def search_for(npc: Any, material: Material, now: float, **criteria: Any) -> dict[str, Any]:
    """
    Journal entries for the model, as far as all listeners may be told; their audiences are noted.

    Args:
        npc: The NPC.
        material: The turn's.
        now: UTC seconds since the epoch.
        **criteria: As for `memory.journal_search.Criteria`.

    Returns:
        `{"entries", "searched"}`: what was found, best first, and how many entries were looked at.

    """
    tags = frozenset(criteria.pop("tags", ()))
    asked = Criteria(tags=tags, aloud=material.manner == "say", **criteria)
    found = npc.memory.journal_search.find(asked, listeners=material.listeners, now=now)
    for entry in found.entries:
        material.audiences.append(audiences.frozen(entry.get("audience")))
        material.recalled[f"j{entry['id']}"] = {"score": None}
    note_hits(npc, [f"j{entry['id']}" for entry in found.entries])
    return {"entries": [_shown(entry) for entry in found.entries], "searched": found.searched}


def _shown(entry: Mapping[str, Any]) -> dict[str, Any]:
    keys = ("id", "timestamp", "content", "importance", "tags")
    shown = {key: entry[key] for key in keys if key in entry}
    return {**shown, "content": told(entry, str(entry["content"]))}


def brief(record: dict[str, Any]) -> dict[str, Any]:
    """A memory as a prompt has it: without its id, and without the `how` that most of them have."""
    return {
        key: value
        for key, value in record.items()
        if key != "id" and (key, value) != ("how", "told me")
    }


def how_known(item: Any) -> str:
    """How the NPC came to know a memory, in words for the model."""
    if item.kind == "knowledge":
        return "keeper"
    if item.source_type == "direct":
        return "told me" if item.audience == "public" else "told me in confidence"
    return {"observation": "saw", "inference": "concluded"}.get(item.source_type, "overheard")
