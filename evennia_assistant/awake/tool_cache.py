"""
Results of tools that only look, kept for as long as looking again would show the same.

What a tool finds depends on who listens, so a result is kept for exactly the circle it was found
for, and with it goes what the finding drew on: a turn that takes a result from here is as bound by
the audiences behind it as the turn that found it.

"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..mind.percept import Audience
from ..tools import Tool
from .material import Material

#: Results kept of one NPC; the oldest beyond goes.
MOST = 64

Key = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """
    A result, and what it rests on.

    Args:
        record: The result as JSON.
        audiences: Of everything it draws on.
        recalled: Memories it draws on, as `Material.recalled` has them.
        until: The second from which on it is no longer used.
        state: Of the NPC's memory when it was found.

    """

    record: str
    audiences: tuple[Audience, ...]
    recalled: Mapping[str, dict[str, Any]]
    until: float
    state: tuple[int, ...]


class ToolCache:
    """Results by tool, arguments and circle."""

    def __init__(self) -> None:
        self._found: dict[Key, Found] = {}

    def __len__(self) -> int:
        return len(self._found)

    def get(self, key: Key, *, now: float, state: tuple[int, ...]) -> Found | None:
        """
        What was found under a key, None when nothing was or it may hold no longer.

        Args:
            key: From `key_of`.
            now: Seconds.
            state: The NPC's memory now, from `memory_state`.

        """
        found = self._found.get(key)
        if found is None:
            return None
        if now >= found.until or found.state != state:
            del self._found[key]
            return None
        return found

    def put(self, key: Key, found: Found) -> None:
        """Keep a result."""
        self._found.pop(key, None)
        self._found[key] = found
        while len(self._found) > MOST:
            del self._found[next(iter(self._found))]

    def clear(self) -> None:
        """Forget everything; after anything was done that may have changed what is seen."""
        self._found.clear()


def key_of(tool: Tool, arguments: Mapping[str, Any], material: Material, place: str | None) -> Key:
    """
    What a result depends on: the question, who asks, who listens and how, and where.

    Args:
        tool: The tool.
        arguments: Its checked arguments.
        material: The turn's.
        place: Entity id of where the NPC is.

    """
    return (
        tool.name,
        json.dumps(arguments, sort_keys=True, ensure_ascii=False),
        material.manner,
        tuple(sorted(set(material.listeners))),
        tuple(material.speakers),
        place,
    )


def memory_state(npc: Any) -> tuple[int, ...]:
    """
    A value that is another one after anything the NPC remembers was added, changed or taken back.

    Its conversations and profiles go on with every line; they are no part of it.

    """
    memory, state = npc.memory, []
    talks = (memory.working.store, *memory.working.log.stores())
    passing = (memory.profiles.store, memory.context, *talks)
    for store in memory.stores():
        if any(store is other for other in passing):
            continue
        # Reading the data is what notices that somebody assigned the Attribute.
        _ = store.data
        state += [store.changes, store.loads]
    return tuple(state)
