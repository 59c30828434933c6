"""
Lines of lore in what is recalled: those whose words were said, and no other.

"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from .items import Hit
from .knowledge import Knowledge
from .recall import LIMIT, Recollection, collapsed

#: Most lines that one question brings to mind.
MOST = 4


def without_lore(knowledge: Knowledge, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a search that leaves out all lines that wait for their words."""
    waiting = knowledge.gate.ids
    if not waiting:
        return dict(options)
    return {**options, "exclude": waiting.union(options.get("exclude", ()))}


def with_lore(
    found: Recollection,
    knowledge: Knowledge,
    listeners: Collection[str],
    options: Mapping[str, Any],
) -> Recollection:
    """
    What was recalled, after the lines whose words the question uses.

    Args:
        found: What was recalled without them.
        knowledge: The NPC's.
        listeners: Entity ids of those who will learn the answer.
        options: As for `memory.recall.recall`.

    """
    opened = [
        item
        for item in knowledge.opened(found.query, listeners)
        if item.id not in options.get("exclude", ())
        and (options.get("among") is None or item.id in options["among"])
        and (options.get("kinds") is None or item.kind in options["kinds"])
    ]
    if not opened:
        return found
    # Whoever wrote them says when they are wanted, so that they stand beside the best there is.
    best = max([hit.score for hit in found.hits], default=1.0)
    first = [Hit(item, best) for item in opened[:MOST]]
    limit = options.get("limit", LIMIT)
    return replace(found, hits=tuple(collapsed([*first, *found.hits])[:limit]))
