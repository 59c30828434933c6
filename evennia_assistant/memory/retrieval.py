"""
The documented look into semantic memory: by meaning, then by trust (document 001, tier 1).

::

    memories = yield retrieve_relevant_memories(script, events, goals, min_source_trust=0.5,
                                                listeners=["#12"])

The first stage takes true cosines, not the mixed score a store may rank by; its documented floor of
0.7 is read for the embedder in use (`memory.thresholds`). A turn does not wait for this: it recalls
from the index in the process, which has the same facts.

"""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable, Mapping
from typing import Any

from twisted.internet.defer import Deferred, inlineCallbacks

from ..mind.audience import may_be_told
from .forgetting_record import forgetting_of
from .memory_links import ACTIVE
from .semantic import semantic_memory
from .thresholds import semantic_thresholds

#: Facts looked at, and given back where nobody says how many.
LOOKED_AT = 40
LIMIT = 10
#: Characters of the question made of events and goals.
MAX_QUERY = 1000


@inlineCallbacks
def retrieve_relevant_memories(
    script: Any,
    events: Iterable[Any],
    goals: Iterable[Any],
    min_source_trust: float = 0.5,
    *,
    listeners: Collection[str] = (),
    limit: int = LIMIT,
    min_score: float | None = None,
) -> Generator[Deferred[Any], Any, list[dict[str, Any]]]:
    """
    Facts that bear on what goes on and on what the NPC is after, as far as it may be told.

    Args:
        script: The AssistantScript.
        events: What goes on: texts, percepts, or mappings with `words`, `content` or `text`.
        goals: What it is after: texts, or mappings with `description`.
        min_source_trust: Facts trusted less are left out.
        listeners: Entity ids of those who will learn what is made of it. Nobody named, only what
            is public is given.
        limit: Most to give back.
        min_score: Least cosine; None is the embedder's own floor.

    Returns:
        `{"id", "memory", "score", "metadata"}` each, most similar first; empty when nothing bears
        on it.

    Raises:
        SemanticMemoryError: If it could not be searched, which is not the same as finding nothing.

    """
    words = [text for text in (_text_of(thing) for thing in (*events, *goals)) if text]
    query = " ".join(words)[:MAX_QUERY]
    if not query:
        return []
    found = yield semantic_memory().search(
        str(script.db.assistant_key), query, top_k=max(LOOKED_AT, limit)
    )
    floor = semantic_thresholds().relevant if min_score is None else min_score
    links = script.character.memory.facts.links
    going = forgetting_of(script)
    return [
        {
            "id": fact.id,
            "memory": fact.text,
            "score": round(cosine, 4),
            "metadata": fact.to_metadata(),
        }
        for fact, cosine in found
        if cosine >= floor
        and fact.source_trust >= min_source_trust
        and may_be_told(fact.audience, listeners)
        and links.state(fact.id) == ACTIVE
        and not (going.covers_any() and going.covers(fact))
    ][:limit]


def _text_of(thing: Any) -> str:
    if isinstance(thing, str):
        return thing.strip()
    for key in ("words", "content", "text", "description"):
        value = thing.get(key) if isinstance(thing, Mapping) else getattr(thing, key, None)
        if isinstance(value, str) and value.strip():
            return value.strip()
    return ""
