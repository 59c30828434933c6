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

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from twisted.internet.defer import Deferred

from ..mind.fact import Fact


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

    def get(self, user_id: str, ids: Collection[str]) -> Deferred[list[Fact]]:
        """Facts by id, in the order asked for, without those that are not there."""

    def delete(self, user_id: str, ids: Collection[str]) -> Deferred[None]:
        """Remove facts; one that is not there is no failure."""

    def close(self) -> None:
        """Let go of files, connections and threads at once; the next call opens them again."""


_stand_ins: list[SemanticMemory] = []


def semantic_memory() -> SemanticMemory:
    """The semantic memory of this process; it opens nothing before it is first asked."""
    if _stand_ins:
        return _stand_ins[-1]
    raise NotImplementedError


@contextmanager
def stand_in(memory: SemanticMemory) -> Iterator[SemanticMemory]:
    """Within the block, `semantic_memory` gives this one."""
    _stand_ins.append(memory)
    try:
        yield memory
    finally:
        _stand_ins.remove(memory)
