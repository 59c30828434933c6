"""
Links between facts: the A-MEM step of a dreaming night (document 001), and its tidying up.

A link is found once, by how close two facts are in meaning, and stands in the sidecar of both. It
is no way around an audience: recall follows it only to what all listeners may be told.

"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from twisted.internet.defer import Deferred, inlineCallbacks
from twisted.internet.task import deferLater

from ..llm.asking import Ask
from ..memory.memory_links import ACTIVE
from ..memory.semantic import semantic_memory
from ..memory.thresholds import semantic_thresholds
from ..mind.entry import timestamp_of

#: Facts looked at for one, and links made for it at once.
LOOKED_AT = 12
MAX_LINKS = 5


@inlineCallbacks
def run_dreaming_tick(
    script: Any, character: Any, batch_size: int = 5, *, ask: Ask | None = None
) -> Generator[Deferred[Any], Any, dict[str, Any]]:
    """
    Look for facts that belong together, and link them both ways.

    The documented floor is a similarity of 0.7; `memory.thresholds` has what that is with each
    embedder.

    Args:
        script: The AssistantScript.
        character: Its NPC.
        batch_size: Most facts looked at.
        ask: Not needed; every step of the night has it.

    Returns:
        `{"completed", "processed", "linked", "left"}`.

    Raises:
        SemanticMemoryError: If semantic memory could not be used; what was done is stored.

    """
    links = character.memory.facts.links
    user_id = str(script.db.assistant_key)
    floor = semantic_thresholds().linked
    waiting = links.unprocessed()
    texts = {}
    if waiting:
        facts = yield semantic_memory().get(user_id, waiting[:batch_size])
        texts = {fact.id: fact.text for fact in facts}
    made = 0
    for fact_id in waiting[:batch_size]:
        alike = []
        if fact_id in texts and links.state(fact_id) == ACTIVE:
            alike = yield semantic_memory().search(user_id, texts[fact_id], top_k=LOOKED_AT)
        links = script.character.memory.facts.links
        if links.get(fact_id) is None:
            continue
        close = [
            (other.id, cosine)
            for other, cosine in alike
            if other.id != fact_id
            and cosine >= floor
            and links.get(other.id) is not None
            and links.state(other.id) == ACTIVE
        ]
        made += sum(links.link(fact_id, other, cosine) for other, cosine in close[:MAX_LINKS])
        links.change(fact_id, processed_at=timestamp_of(script.agent.now()))
        links.save()
    left = len(script.character.memory.facts.links.unprocessed())
    return {
        "completed": left == 0,
        "processed": min(len(waiting), batch_size),
        "linked": made,
        "left": left,
    }


@inlineCallbacks
def prune_orphaned_memory_links(script: Any) -> Generator[Deferred[Any], Any, dict[str, Any]]:
    """
    Remove from the sidecar what names facts semantic memory does not have any more.

    Args:
        script: The AssistantScript.

    Returns:
        `{"completed", "records", "links"}`: how many of each were removed. When semantic memory
        has none of them at all, nothing is removed and `why` says so: that is a memory lost or
        exchanged, which `aimemory/verify` is for.

    Raises:
        SemanticMemoryError: If semantic memory could not be used.

    """
    links = script.character.memory.facts.links
    if links.is_empty():
        return {"completed": True, "records": 0, "links": 0}
    # A fact that comes while the others are listed is in none of the two.
    known = {fact_id for part in links.parts() for fact_id in part}
    facts = yield semantic_memory().all(str(script.db.assistant_key))
    there = {fact.id for fact in facts}
    removed = unlinked = 0
    if not there:
        why = "semantic memory has none of the facts"
        return {"completed": True, "records": 0, "links": 0, "why": why}
    missing = known - there
    links = script.character.memory.facts.links
    for part in links.parts():
        for fact_id, record in part.items():
            gone = {
                link["id"]
                for link in record["linked_to"]
                if link["id"] in missing or links.get(link["id"]) is None
            } - there
            if fact_id in missing:
                links.remove([fact_id])
                removed += 1
            elif gone:
                links.unlink(fact_id, gone)
                unlinked += len(gone)
        links.save()
        yield deferLater(script.agent.clock, 0, lambda: None)
    return {"completed": True, "records": removed, "links": unlinked}
