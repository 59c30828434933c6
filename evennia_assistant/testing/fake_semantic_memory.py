"""
A semantic memory in the process that fails when a test tells it to.

    >>> from evennia_assistant.memory import semantic
    >>> from evennia_assistant.testing import FakeSemanticMemory
    >>> memory = FakeSemanticMemory()
    >>> memory.fail("add", "lost")          # the next add is done, and its answer lost
    >>> with semantic.stand_in(memory):     # every NPC of the block keeps its facts there
    ...     pass
    >>> memory.fired
    []

========= =======================================================================================
fault     what the next call of that name does
========= =======================================================================================
`raise`   fails before anything was done
`lost`    does all of it, and fails
`half`    does the first half of it, and fails
`hang`    never answers; whatever it was to do is not done
`drop`    answers as if all was well, without having stored the last fact (`add` only)
`wait`    does it when `release` is called
========= =======================================================================================

Without faults it does what Mem0 does, and compares words by the hashing embedder.

"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from ..errors import MemoryFault, SemanticMemoryError
from ..memory.embedders import get_embedder
from ..memory.mem0_rows import Row
from ..mind.fact import Fact

FAULTS = ("raise", "lost", "half", "hang", "drop", "wait")


class FakeSemanticMemory:
    """
    Facts in a dict, through the interface of `memory.semantic.SemanticMemory`.

    Args:
        clock: Anything with `callLater`; answers then come when it is moved. None answers at once,
            before the call has returned.

    Attributes:
        rows (dict): The facts of each NPC by id, oldest first: what survives a kill.
        calls (list): `(method, user_id)` of every call.
        fired (list): `(method, fault)` of every fault that happened.
        unreadable (dict): Rows of each NPC that cannot be read: why, by id.
        troubles (dict): What `trouble` says of each NPC.

    """

    def __init__(self, clock: Any = None) -> None:
        self.rows: dict[str, dict[str, Fact]] = {}
        self.calls: list[tuple[str, str]] = []
        self.fired: list[tuple[str, str]] = []
        self.unreadable: dict[str, dict[str, str]] = {}
        self.troubles: dict[str, SemanticMemoryError] = {}
        self._clock = clock
        self._faults: dict[str, deque[str]] = {}
        self._held: list[Callable[[], None]] = []
        self._count = 0
        embedder = get_embedder("hashing")
        assert embedder is not None
        self._embedder = embedder
        #: Made once for each text, as a real one does.
        self._vectors: dict[str, np.ndarray] = {}

    # What a test says ---------------------------------------------------------------------------

    def fail(self, method: str, fault: str, times: int = 1) -> None:
        """
        Have the next calls of a method fail.

        Args:
            method: `add`, `find_by_keys`, `search`, `all`, `inspect`, `get` or `delete`.
            fault: One of `FAULTS`.
            times: How many calls.

        """
        if fault not in FAULTS:
            raise ValueError(f"There is no fault {fault!r}; there are {', '.join(FAULTS)}.")
        self._faults.setdefault(method, deque()).extend([fault] * times)

    def release(self) -> None:
        """Do what waits, in order."""
        held, self._held = self._held, []
        for act in held:
            act()

    def facts(self, user_id: str) -> list[Fact]:
        """The facts of an NPC as they are stored, oldest first."""
        return list(self.rows.get(user_id, {}).values())

    # What semantic memory does ------------------------------------------------------------------

    def add(self, user_id: str, facts: Sequence[Fact]) -> Deferred[list[str]]:
        """See `SemanticMemory.add`."""
        return self._call("add", user_id, list(facts), self._add)

    def find_by_keys(self, user_id: str, keys: Collection[str]) -> Deferred[dict[str, str]]:
        """See `SemanticMemory.find_by_keys`."""
        return self._call("find_by_keys", user_id, list(keys), self._find)

    def search(
        self, user_id: str, query: str, *, top_k: int = 40
    ) -> Deferred[list[tuple[Fact, float]]]:
        """See `SemanticMemory.search`."""
        return self._call(
            "search", user_id, [query], lambda who, _: self._search(who, query, top_k)
        )

    def all(self, user_id: str, *, limit: int | None = None) -> Deferred[list[Fact]]:
        """See `SemanticMemory.all`."""
        return self._call("all", user_id, [], lambda who, _: self._newest(who)[:limit])

    def get(self, user_id: str, ids: Collection[str]) -> Deferred[list[Fact]]:
        """See `SemanticMemory.get`."""
        return self._call("get", user_id, list(ids), self._get)

    def delete(self, user_id: str, ids: Collection[str]) -> Deferred[None]:
        """See `SemanticMemory.delete`."""
        return self._call("delete", user_id, list(ids), self._delete)

    def inspect(self, user_id: str) -> Deferred[list[Row]]:
        """See `SemanticMemory.inspect`; what stands in `unreadable` is among the rows."""
        return self._call("inspect", user_id, [], lambda who, _: self._inspect(who))

    def set_aside(self, user_id: str) -> Deferred[str]:
        """See `SemanticMemory.set_aside`."""
        return self._call("set_aside", user_id, [], lambda who, _: self._set_aside(who))

    def trouble(self, user_id: str) -> SemanticMemoryError | None:
        """See `SemanticMemory.trouble`; what `troubles` says."""
        return self.troubles.get(user_id)

    def close(self) -> None:
        """What waits is forgotten, as at the end of a process."""
        self._held.clear()

    # Within -------------------------------------------------------------------------------------

    def _call(
        self, method: str, user_id: str, items: list[Any], act: Callable[[str, list[Any]], Any]
    ) -> Deferred[Any]:
        self.calls.append((method, user_id))
        waiting = self._faults.get(method)
        fault = waiting.popleft() if waiting else None
        if fault is not None:
            self.fired.append((method, fault))
        deferred: Deferred[Any] = Deferred()

        def answer() -> None:
            try:
                result = self._outcome(fault, method, user_id, items, act)
            except SemanticMemoryError as err:
                result = Failure(err)
            if not deferred.called:
                deferred.callback(result)

        if fault == "wait":
            self._held.append(answer)
        elif fault != "hang":
            if self._clock is None:
                answer()
            else:
                self._clock.callLater(0, answer)
        return deferred

    def _outcome(
        self,
        fault: str | None,
        method: str,
        user_id: str,
        items: list[Any],
        act: Callable[[str, list[Any]], Any],
    ) -> Any:
        if fault in ("raise", "lost", "half"):
            done = {"raise": 0, "lost": len(items), "half": len(items) // 2}[fault]
            if done:
                act(user_id, items[:done])
            raise SemanticMemoryError(
                f"Semantic memory failed in {method} ({fault}).", MemoryFault.UNAVAILABLE
            )
        result = act(user_id, items)
        if fault == "drop" and method == "add" and result:
            del self.rows[user_id][result[-1]]
        return result

    def _add(self, user_id: str, facts: list[Fact]) -> list[str]:
        ids = []
        for fact in facts:
            self._count += 1
            fact_id = f"m{self._count}"
            self.rows.setdefault(user_id, {})[fact_id] = _as_kept(fact, fact_id)
            ids.append(fact_id)
        return ids

    def _find(self, user_id: str, keys: list[str]) -> dict[str, str]:
        found: dict[str, str] = {}
        for fact in self.facts(user_id):
            if fact.key in keys:
                found.setdefault(fact.key, fact.id)
        return found

    def _search(self, user_id: str, query: str, top_k: int) -> list[tuple[Fact, float]]:
        facts = self._newest(user_id)
        if not facts:
            return []
        new = [fact.text for fact in facts if fact.text not in self._vectors]
        if new:
            self._vectors.update(zip(new, self._embedder.embed(new), strict=True))
        asked = self._embedder.embed([query])[0]
        cosines = np.stack([self._vectors[fact.text] for fact in facts]) @ asked
        pairs = [(fact, float(cosine)) for fact, cosine in zip(facts, cosines, strict=True)]
        return sorted(pairs, key=lambda pair: -pair[1])[:top_k]

    def _newest(self, user_id: str) -> list[Fact]:
        return sorted(self.facts(user_id), key=lambda fact: -fact.when)

    def _get(self, user_id: str, ids: list[str]) -> list[Fact]:
        kept = self.rows.get(user_id, {})
        return [kept[fact_id] for fact_id in ids if fact_id in kept]

    def _inspect(self, user_id: str) -> list[Row]:
        damaged = self.unreadable.get(user_id, {})
        return [
            *(Row(fact.id, fact) for fact in self._newest(user_id)),
            *(Row(row_id, None, problem) for row_id, problem in damaged.items()),
        ]

    def _set_aside(self, user_id: str) -> str:
        self.rows.pop(user_id, None)
        self.unreadable.pop(user_id, None)
        self.troubles.pop(user_id, None)
        return f"{user_id}.set-aside-1"

    def _delete(self, user_id: str, ids: list[str]) -> None:
        for fact_id in ids:
            self.unreadable.get(user_id, {}).pop(fact_id, None)
            self.rows.get(user_id, {}).pop(fact_id, None)


def _as_kept(fact: Fact, fact_id: str) -> Fact:
    """What comes back of a fact that went through a store."""
    return Fact.from_metadata(fact_id, fact.text, fact.to_metadata())
