"""
The stores of one NPC's memory, each under its name, written together.

What is made from them and changes them is `memory.handler`.

"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

from ..errors import StoreError
from .attribute_store import AttributeStore, save_together
from .conversation_notes import keep_digest
from .entity_profiles import EntityProfiles
from .goals import Goals
from .journal import Journal
from .knowledge import Knowledge, repair_lines
from .mood import MoodKeeper
from .projects import Projects
from .reflection_state import ReflectionState
from .session_memory import SessionMemory
from .topics import Topics
from .working_memory import WorkingMemory

#: Stores made when first asked for, so that an NPC that has no use for them never loads them.
_SELDOM = ("projects", "session_memory", "mood", "topics")
CONTEXT_LINES = 50


class MemoryStores:
    """
    The stores of one NPC.

    Args:
        character: The NPC.

    """

    def __init__(self, character: Any) -> None:
        self.character = character
        self.journal = Journal(character)
        self.profiles = EntityProfiles(character)
        self.working = WorkingMemory(character)
        self.context = AttributeStore(character, "context_buffer", list, repair=repair_lines)
        self.knowledge = Knowledge(character)
        self.reflection = ReflectionState(character, self.journal)
        self._goals: Goals | None = None

    # Seldom used ----------------------------------------------------------------------------

    @cached_property
    def projects(self) -> Projects:
        """What the NPC works at over many conversations."""
        return Projects(self.character)

    @cached_property
    def session_memory(self) -> SessionMemory:
        """Quick facts and patterns."""
        return SessionMemory(self.character)

    @cached_property
    def mood(self) -> MoodKeeper:
        """How it feels."""
        return MoodKeeper(self.character, self.profiles)

    @cached_property
    def topics(self) -> Topics:
        """What its memories are about."""
        return Topics(self.character)

    @property
    def goals(self) -> Goals:
        """
        What the NPC is after.

        Raises:
            StoreError: If it has no script; the goals stand there.

        """
        script = self.character.assistant_script
        if script is None:
            raise StoreError(f"{self.character.key} has no assistant, which keeps its goals.")
        if self._goals is None or self._goals.store.obj is not script:
            self._goals = Goals(script)
        return self._goals

    # Writing --------------------------------------------------------------------------------

    def stores(self) -> list[AttributeStore]:
        """All stores of this NPC."""
        return [
            self.journal.store,
            self.profiles.store,
            self.working.store,
            self.working.ended.store,
            *self.working.log.stores(),
            self.context,
            self.knowledge.store,
            self.reflection.store,
            *(self.__dict__[name].store for name in _SELDOM if name in self.__dict__),
            *([] if self._goals is None else [self._goals.store]),
        ]

    def save(self, *others: AttributeStore) -> None:
        """Make room in the journal, then write all that changed in one transaction."""
        self.journal.make_room()
        save_together([*self.stores(), *others])

    def save_journal(self, *others: AttributeStore) -> None:
        """Make room in the journal, then write it, the talks and any others in one transaction."""
        self.journal.make_room()
        save_together([self.journal.store, *self.working.log.stores(), *others])

    def tidy_conversations(self, *, when: float) -> None:
        """
        Clear conversations that are done with, and digest what has no room; `save` stores it.

        Args:
            when: UTC seconds since the epoch.

        """
        for record in self.working.tidy_now_and_then(when=when):
            keep_digest(self, record, when=when)

    def add_context(self, lines: Iterable[Mapping[str, Any]]) -> None:
        """Keep what went on around the NPC, the newest `CONTEXT_LINES` of it."""
        buffer = self.context.data
        buffer.extend(dict(line) for line in lines)
        del buffer[:-CONTEXT_LINES]
        self.context.touch()
