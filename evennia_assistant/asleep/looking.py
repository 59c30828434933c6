"""What steps of a night look at: all memories, a piece at a time, and the words of some."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping
from typing import Any

from twisted.internet.defer import Deferred, inlineCallbacks

from ..memory.facts import item_of_fact
from ..memory.items import MemoryItem
from ..memory.members import Member, Members, is_entry
from ..memory.semantic import semantic_memory
from .turnstile import in_slices


def look_at_all(script: Any) -> Deferred[dict[str, Member]]:
    """
    Every memory of an NPC by name, the oldest entries first, and let others have their turn.

    Args:
        script: The AssistantScript.

    """
    found: dict[str, Member] = {}
    read = in_slices(script.agent.clock, Members(script.character.memory).read(found))
    return read.addCallback(lambda _: found)


@inlineCallbacks
def words_of(
    script: Any, names: Iterable[str]
) -> Generator[Deferred[Any], Any, dict[str, MemoryItem]]:
    """
    What memories say: from the index, and from semantic memory where that has no room for them.

    Args:
        script: The AssistantScript.
        names: Of members.

    Returns:
        Memories by name, without those that are nowhere.

    Raises:
        SemanticMemoryError: If semantic memory was needed and could not be used.

    """
    members = Members(script.character.memory)
    found: dict[str, MemoryItem] = {}
    elsewhere = []
    for name in names:
        item = members.item(name)
        if item is not None:
            found[name] = item
        elif not is_entry(name):
            elsewhere.append(name)
    if elsewhere:
        facts = yield semantic_memory().get(str(script.db.assistant_key), elsewhere)
        found.update((fact.id, item_of_fact(fact)) for fact in facts)
    return found


@inlineCallbacks
def vectors_of(
    script: Any, names: Iterable[str]
) -> Generator[Deferred[Any], Any, tuple[dict[str, Any], Mapping[str, MemoryItem]]]:
    """Vectors and words of memories by name; raises what `words_of` raises."""
    items = yield words_of(script, names)
    vectors = yield script.character.memory.member_vectors.of(items, script.agent.clock)
    return vectors, items
