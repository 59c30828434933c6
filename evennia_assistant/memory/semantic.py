"""
Semantic memory: where facts are kept for good, behind one small interface.

::

    from evennia_assistant.memory.semantic import semantic_memory

    found = semantic_memory().search(script.db.assistant_key, "Who lost a ring?")
    found.addCallback(lambda pairs: [(fact.text, cosine) for fact, cosine in pairs])

There is one for the whole process, Mem0's. Each NPC sees its own facts only. All calls are made on
the reactor thread, and the Deferreds fire there, never before the call has returned.

Who writes facts does so through `memory.outbox`, which loses none and stores none twice.

"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from twisted.internet.defer import Deferred

from ..errors import SemanticMemoryError
from ..mind.fact import Fact
from .mem0_rows import Row


class SemanticMemory(Protocol):
    """
    Facts by NPC, kept for good.

    Every method fails with `SemanticMemoryError` when it could not be done; of a failed `add` or
    `delete` nobody knows how much was done. A `user_id` is the NPC's `assistant_key`.

    """

    def add(self, user_id: str, facts: Sequence[Fact]) -> Deferred[list[str]]:
        """
        Store facts, whether or not they are there already.

        Args:
            user_id: Whose they are.
            facts: Their `id` is not looked at.

        Returns:
            The ids they got, in order.

        """

    def find_by_keys(self, user_id: str, keys: Collection[str]) -> Deferred[dict[str, str]]:
        """
        Which facts are truly there.

        Args:
            user_id: Whose.
            keys: Of the facts.

        Returns:
            Key to id, without those that are not there. Of facts with one key, the oldest.

        """

    def search(
        self, user_id: str, query: str, *, top_k: int = 40
    ) -> Deferred[list[tuple[Fact, float]]]:
        """
        Facts by meaning.

        Args:
            user_id: Whose.
            query: In words.
            top_k: Most to give back.

        Returns:
            Facts and the cosine of their vector with the query's, best first.

        """

    def all(self, user_id: str, *, limit: int | None = None) -> Deferred[list[Fact]]:
        """
        Every fact of an NPC.

        Args:
            user_id: Whose.
            limit: Most to give back.

        Returns:
            Those learnt last first.

        """

    def inspect(self, user_id: str) -> Deferred[list[Row]]:
        """Every row of an NPC as it is, those included that cannot be read; for `verify`."""

    def get(self, user_id: str, ids: Collection[str]) -> Deferred[list[Fact]]:
        """Facts by id, in the order asked for, without those that are not there."""

    def delete(self, user_id: str, ids: Collection[str]) -> Deferred[None]:
        """Remove facts; one that is not there is no failure."""

    def set_aside(self, user_id: str) -> Deferred[str]:
        """Put an unreadable store of an NPC away and begin an empty one; gives where it is now."""

    def trouble(self, user_id: str) -> SemanticMemoryError | None:
        """What keeps an NPC's facts from being used now, None when nothing is known to."""

    def close(self) -> None:
        """Let go of files, connections and threads at once; the next call opens them again."""


#: Told of an NPC's key ("" for all) and what is wrong, or None when it works again.
Listener = Callable[[str, SemanticMemoryError | None], None]

_stand_ins: list[SemanticMemory] = []
_own: list[SemanticMemory] = []
_listeners: list[Listener] = []


def semantic_memory() -> SemanticMemory:
    """The semantic memory of this process; it opens nothing before it is first asked."""
    if _stand_ins:
        return _stand_ins[-1]
    if not _own:
        # Loaded when it is needed: an NPC without facts need not know of Mem0.
        from .mem0_memory import Mem0Memory

        memory = Mem0Memory()
        memory.listener = _pass_on
        _own.append(memory)
    return _own[0]


def uses_semantic_memory(script: Any) -> bool:
    """Whether an NPC's facts are kept there (option `memory_enabled`)."""
    return bool(script.option("memory_enabled"))


@contextmanager
def stand_in(memory: SemanticMemory) -> Iterator[SemanticMemory]:
    """Within the block, `semantic_memory` gives this one."""
    _stand_ins.append(memory)
    try:
        yield memory
    finally:
        _stand_ins.remove(memory)


def at_trouble(listener: Listener) -> None:
    """Have somebody told when semantic memory begins to fail, and when it works again."""
    if listener not in _listeners:
        _listeners.append(listener)


def shutdown() -> None:
    """
    Let go of files, connections and the thread; called at reload and shutdown.

    Returns at once. Calls in flight fail with `CancelledError` soon after.

    """
    while _own:
        _own.pop().close()


def _pass_on(user_id: str, error: SemanticMemoryError | None) -> None:
    for listener in list(_listeners):
        listener(user_id, error)
