"""
Semantic memory by Mem0: `SemanticMemory` on the reactor thread, Mem0 on the worker's.

What fails is named, told once, and left alone for a while: each place has a circuit breaker, so an
NPC whose folder is gone goes on without its facts and costs the others nothing.

"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from typing import Any

from evennia.utils import logger
from twisted.internet.defer import Deferred, fail
from twisted.python.failure import Failure

from ..conf import setting
from ..errors import AssistantError, CircuitOpen, ConfigError, MemoryFault, SemanticMemoryError
from ..llm.resilience import CircuitBreaker
from ..mind.fact import Fact
from .mem0_config import read_config
from .mem0_places import CHANGES, Folders, Server, place_for
from .mem0_rows import Row
from .worker import Worker

#: Seconds a place that failed is left alone.
PAUSE = 30.0
#: Threads that may hang before no more are started.
MOST_HANGING = 3

#: Faults of a place, as against faults of what it was asked to do.
_OF_THE_PLACE = frozenset(
    {MemoryFault.UNAVAILABLE, MemoryFault.LOCKED, MemoryFault.TIMED_OUT, MemoryFault.CORRUPT}
)

#: Told of an NPC's key ("" for all) and what is wrong, or None when it works again.
Listener = Callable[[str, SemanticMemoryError | None], None]


class Mem0Memory:
    """
    The semantic memory of a process.

    Args:
        make_place: Makes where facts are kept; called when it is first needed.
        time_limit: Seconds a call may run; None for the setting `ASSISTANT_MEM0_TIMEOUT`.
        clock: Gives seconds, for the pause after a failure.

    Attributes:
        listener: Told when something fails that worked, and when it works again.

    """

    def __init__(
        self,
        make_place: Callable[[], Folders | Server] | None = None,
        *,
        time_limit: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.listener: Listener | None = None
        self._make_place = make_place or (lambda: place_for(read_config()))
        self._time_limit = time_limit
        self._clock = clock
        self._place: Folders | Server | None = None
        self._worker: Worker | None = None
        self._hanging: list[Worker] = []
        self._breakers: dict[str, CircuitBreaker] = {}
        self._troubles: dict[str, SemanticMemoryError] = {}
        #: Places that failed when something was to be changed there.
        self._unwritable: set[str] = set()
        self._named: set[str] = set()

    # What semantic memory does ------------------------------------------------------------------

    def add(self, user_id: str, facts: Sequence[Fact]) -> Deferred[list[str]]:
        """See `SemanticMemory.add`."""
        return self._do(user_id, "add", list(facts))

    def find_by_keys(self, user_id: str, keys: Collection[str]) -> Deferred[dict[str, str]]:
        """See `SemanticMemory.find_by_keys`."""
        return self._do(user_id, "find_by_keys", list(keys))

    def search(
        self, user_id: str, query: str, *, top_k: int = 40
    ) -> Deferred[list[tuple[Fact, float]]]:
        """See `SemanticMemory.search`."""
        found = self._do(user_id, "search", query, top_k)
        return found.addCallback(
            lambda rows: [(row.fact, row.cosine) for row in self._sound(user_id, rows)]
        )

    def all(self, user_id: str, *, limit: int | None = None) -> Deferred[list[Fact]]:
        """See `SemanticMemory.all`."""
        found = self.inspect(user_id)
        return found.addCallback(
            lambda rows: [row.fact for row in self._sound(user_id, rows)[:limit]]
        )

    def inspect(self, user_id: str) -> Deferred[list[Row]]:
        """See `SemanticMemory.inspect`."""
        return self._do(user_id, "rows")

    def get(self, user_id: str, ids: Collection[str]) -> Deferred[list[Fact]]:
        """See `SemanticMemory.get`."""
        found = self._do(user_id, "get", list(ids))
        return found.addCallback(lambda rows: [row.fact for row in self._sound(user_id, rows)])

    def delete(self, user_id: str, ids: Collection[str]) -> Deferred[None]:
        """See `SemanticMemory.delete`."""
        return self._do(user_id, "delete", list(ids))

    def set_aside(self, user_id: str) -> Deferred[str]:
        """See `SemanticMemory.set_aside`."""
        done = self._call(user_id, lambda place: place.set_aside(user_id))
        return done.addCallback(self._try_again, user_id)

    def close(self) -> None:
        """See `SemanticMemory.close`; calls in flight fail with `CancelledError`."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.stop()
        self._place = None
        self._breakers.clear()

    def trouble(self, user_id: str) -> SemanticMemoryError | None:
        """What keeps an NPC's facts from being used now, None when nothing is known to."""
        return self._troubles.get(user_id) or self._troubles.get("")

    # Calls --------------------------------------------------------------------------------------

    def _do(self, user_id: str, method: str, *args: Any) -> Deferred[Any]:
        try:
            scope = self._scope(user_id)
            breaker = self._breakers.setdefault(scope, self._new_breaker())
            permit = breaker.acquire()
        except CircuitOpen as pause:
            return fail(self._paused(user_id, pause))
        except ConfigError as err:
            error = SemanticMemoryError(str(err))
            self._tell("", error)
            return fail(error)
        done = self._call(user_id, lambda place: place.do(user_id, method, *args))
        call = (breaker, permit, scope, method in CHANGES)
        return done.addCallbacks(self._worked, self._failed, call, None, call)

    def _call(self, user_id: str, work: Callable[[Any], Any]) -> Deferred[Any]:
        try:
            worker, place = self._ready()
            return worker.call(work, place)
        except AssistantError as err:
            return fail(err)

    def _ready(self) -> tuple[Worker, Folders | Server]:
        """The worker and what it works on; after a hang new ones, where two can be."""
        place = self._known_place()
        if self._worker is not None and self._worker.hangs:
            # What hangs keeps what it has open.
            self._hanging.append(self._worker)
            self._worker, place = None, self._make_place()
            self._place = place
        self._hanging = [worker for worker in self._hanging if worker.alive]
        if self._worker is None:
            if len(self._hanging) >= (MOST_HANGING if place.shareable else 1):
                raise SemanticMemoryError(
                    "A call of semantic memory hangs. It is used again as soon as the call ends; "
                    "if it does not, see to the disk or the server that holds it, and reload.",
                    MemoryFault.TIMED_OUT,
                )
            self._worker = Worker(
                "assistant-memory",
                time_limit=self._time_limit or setting("ASSISTANT_MEM0_TIMEOUT"),
                at_end=place.close,
            )
        return self._worker, place

    def _known_place(self) -> Folders | Server:
        if self._place is None:
            self._place = self._make_place()
        return self._place

    # What went wrong ----------------------------------------------------------------------------

    def _scope(self, user_id: str) -> str:
        """Who suffers when a call for an NPC fails: the NPC alone, or, as "", all."""
        return "" if self._known_place().shareable else user_id

    def _new_breaker(self) -> CircuitBreaker:
        return CircuitBreaker(
            "semantic memory",
            failure_threshold=1,
            failure_share=0.0,
            open_for=PAUSE,
            half_open_calls=1,
            clock=self._clock,
        )

    def _paused(self, user_id: str, pause: CircuitOpen) -> SemanticMemoryError:
        known = self.trouble(user_id)
        if known is None:
            return SemanticMemoryError(str(pause))
        wait = f" It is tried again in {pause.retry_after or 0:.0f} s."
        return SemanticMemoryError(f"{known}{wait}", known.fault)

    def _worked(
        self, result: Any, breaker: CircuitBreaker, permit: int, scope: str, changes: bool
    ) -> Any:
        breaker.record_success(permit)
        # That a full disk can be read is no news.
        if changes or scope not in self._unwritable:
            self._unwritable.discard(scope)
            self._tell(scope, None)
        return result

    def _failed(
        self, failure: Failure, breaker: CircuitBreaker, permit: int, scope: str, changes: bool
    ) -> Failure:
        err = failure.value
        if not isinstance(err, SemanticMemoryError) or err.fault not in _OF_THE_PLACE:
            breaker.release(permit)
        else:
            breaker.record_failure(permit)
            if changes and err.fault is MemoryFault.UNAVAILABLE:
                self._unwritable.add(scope)
            # What hangs holds up all who share the thread.
            self._tell("" if err.fault is MemoryFault.TIMED_OUT else scope, err)
        return failure

    def _tell(self, scope: str, error: SemanticMemoryError | None) -> None:
        """Say it once when something fails in a new way, and once when it works again."""
        before = self._troubles.get(scope)
        if error is None:
            told = [key for key in (scope, "") if self._troubles.pop(key, None) is not None]
            if told and self.listener is not None:
                self.listener(told[0], None)
            return
        self._troubles[scope] = error
        if (before is None or before.fault is not error.fault) and self.listener is not None:
            self.listener(scope, error)

    def _try_again(self, result: Any, user_id: str) -> Any:
        breaker = self._breakers.get(self._scope(user_id))
        if breaker is not None:
            breaker.reset()
        return result

    def _sound(self, user_id: str, rows: list[Row]) -> list[Row]:
        """The rows that can be read; each of the others is named once."""
        for row in rows:
            if row.fact is None and row.id not in self._named:
                self._named.add(row.id)
                logger.log_err(
                    f"Assistant {user_id}: {row.problem}; 'aimemory/verify {user_id}' shows it."
                )
        return [row for row in rows if row.fact is not None]
