"""
Memories that are nearer to the question, and not mine to hear, do not hide mine.

Of the facts of another NPC, in Mem0 on a folder and on PostgreSQL, `tests/memory/
test_semantic_memory.py::test_nearer_facts_of_another_do_not_hide_mine` shows it.

"""

import pytest

from evennia_assistant.memory.embedders import get_embedder
from evennia_assistant.memory.index import MemoryIndex
from evennia_assistant.memory.items import MemoryItem

NEARER = 400
ASKED = "Where did Anna bury the silver ring?"
MINE = "The ring Anna buried lies below the mill."


@pytest.mark.parametrize("preset", ["dialogue", "companion", "episodic"])
@pytest.mark.parametrize("embedder", [None, "hashing"])
def test_four_hundred_nearer_memories_for_other_ears_do_not_hide_mine(embedder, preset):
    mine = MemoryItem("mine", MINE, "#5", "Anna", 0.5, ("#5",))
    alone, among = MemoryIndex(get_embedder(embedder)), MemoryIndex(get_embedder(embedder))
    alone.add([mine])
    among.add(
        [*(MemoryItem(f"j{n}", ASKED, "#9", "Kell", 1.0 + n, ("#9",)) for n in range(NEARER)), mine]
    )
    found = [
        index.search(ASKED, listeners=["#5"], now=9e3, preset=preset) for index in (alone, among)
    ]
    assert [hit.item.id for hit in found[1]] == ["mine"]
    assert found[0] == found[1]
