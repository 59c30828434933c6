"""What a turn recalls by topic, as far as all who will hear the answer may be told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import ToolRefused
from ..memory.retention import note_hits
from ..memory.topic_view import TopicView, topics_shown
from .material import Material
from .recalling import record_of

#: Topics listed, and characters of a digest in the list.
MOST_LISTED, DIGEST_LISTED = 30, 160


def list_topics(npc: Any, material: Material) -> dict[str, Any]:
    """
    The topics there are; the audiences of what is told of them are noted.

    Args:
        npc: The NPC.
        material: The turn's.

    Returns:
        `{"topics": [{"topic", "name", "digest", "memories"}]}`, the largest first.

    """
    shown = _shown(npc, material)[:MOST_LISTED]
    for view in shown:
        material.audiences.extend(view.audiences)
    return {
        "topics": [
            {
                "topic": view.id,
                "name": view.name,
                "digest": view.digest[:DIGEST_LISTED],
                "memories": len(view.items),
            }
            for view in shown
        ]
    }


def open_topic(
    npc: Any, material: Material, topic: str, *, now: float, query: str = "", limit: int = 5
) -> dict[str, Any]:
    """
    The memories of a topic, dormant ones among them; they count as recalled.

    Args:
        npc: The NPC.
        material: The turn's.
        topic: Its id, or its name.
        now: UTC seconds since the epoch.
        query: Words that say which of them; without them, the most important and newest.
        limit: Most memories.

    Returns:
        `{"topic", "name", "digest", "memories": [...]}`.

    Raises:
        ToolRefused: If there is no such topic among those that may be told.

    """
    view = _find(_shown(npc, material), topic)
    chosen = list(view.items)
    if query.strip():
        among = [item.id for item in chosen]
        found = npc.memory.recall(
            query, listeners=material.listeners, now=now, limit=limit, among=among, deep=True
        )
        chosen = [hit.item for hit in found.hits if hit.item.id in among]
    chosen = chosen[:limit]
    material.audiences.extend(view.audiences)
    for item in chosen:
        material.audiences.append(item.audience)
        material.recalled[item.id] = {"score": None}
    note_hits(npc, [item.id for item in chosen])
    return {
        "topic": view.id,
        "name": view.name,
        "digest": view.digest,
        "memories": [record_of(item, now) for item in chosen],
    }


def _shown(npc: Any, material: Material) -> list[TopicView]:
    aloud = material.manner == "say"
    return topics_shown(npc.memory, material.listeners, aloud=aloud)


def _find(shown: Sequence[TopicView], topic: str) -> TopicView:
    wanted = topic.strip().casefold()
    for fits in (_is_named, _is_like):
        found = [view for view in shown if fits(view, wanted)]
        if found:
            return found[0]
    names = "; ".join(view.name for view in shown[:10])
    raise ToolRefused(
        f"There is no topic {topic[:60]!r}. There are: {names}."
        if names
        else "There are no topics yet; they are made while you sleep."
    )


def _is_named(view: TopicView, wanted: str) -> bool:
    return wanted in (view.id.casefold(), view.name.casefold())


def _is_like(view: TopicView, wanted: str) -> bool:
    return bool(wanted) and wanted in view.name.casefold()
