"""
One daemon thread that does blocking calls in turn, and a Deferred for each.

The reactor's own thread pool will not do: its threads are joined at a reload, so that one call
that hangs keeps the server from coming back. This thread is never waited for. It starts with the
first call, hence after the server has forked::

    worker = Worker("assistant-memory", time_limit=30)
    worker.call(connection.fetch, "key").addCallback(print)     # fires on the reactor thread
    worker.stop(connection.close)                               # returns at once

A call that takes longer than the time limit is given up: its Deferred and all that wait behind it
fail, and the worker takes no more. When the call ends after all, the thread cleans up and ends too.

"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any

from twisted.internet.defer import CancelledError, Deferred
from twisted.python.failure import Failure

from ..errors import MemoryFault, SemanticMemoryError


class _Job:
    """One call, and who waits for it."""

    __slots__ = ("deferred", "started", "work")

    def __init__(self, work: Callable[[], Any]) -> None:
        self.work = work
        self.deferred: Deferred[Any] = Deferred(lambda _: None)
        self.started: float | None = None


class Worker:
    """
    Does calls in turn on a thread of its own. Its methods belong to the reactor thread.

    Args:
        name: Of the thread.
        time_limit: Seconds a call may run.
        most_waiting: Calls that may wait at once.
        at_end: Called on the thread when it ends.

    """

    def __init__(
        self,
        name: str,
        *,
        time_limit: float,
        most_waiting: int = 1000,
        at_end: Callable[[], None] | None = None,
    ) -> None:
        self.name = name
        self.time_limit = time_limit
        self.most_waiting = most_waiting
        #: Whether a call did not end in time; it takes no more calls then.
        self.hangs = False
        self._at_end = at_end
        #: What has not ended, in order; for the reactor thread.
        self._jobs: list[_Job] = []
        #: What the thread takes its work from.
        self._queue: SimpleQueue[_Job | None] = SimpleQueue()
        self._ending = False
        self._thread: threading.Thread | None = None
        self._pid = 0
        self._watch: Any = None

    @property
    def alive(self) -> bool:
        """Whether its thread is there."""
        return self._thread is not None and self._thread.is_alive() and self._pid == os.getpid()

    @property
    def waiting(self) -> int:
        """Calls that have not ended."""
        return len(self._jobs)

    def call(self, work: Callable[..., Any], *args: Any) -> Deferred[Any]:
        """
        Have something done on the thread.

        Args:
            work: Must touch neither Evennia nor the database.
            *args: For it.

        Returns:
            Fires on the reactor thread, never before this returns, with what `work` gave or
            raised; with `CancelledError` when the worker is stopped first.

        Raises:
            SemanticMemoryError: If too much waits, or a call hangs.

        """
        if self.hangs:
            raise SemanticMemoryError(
                "An earlier call of semantic memory still hangs.", MemoryFault.TIMED_OUT
            )
        if len(self._jobs) >= self.most_waiting:
            raise SemanticMemoryError(
                f"{len(self._jobs)} calls wait for semantic memory already.", MemoryFault.BUSY
            )
        self._start()
        job = _Job(lambda: work(*args))
        self._jobs.append(job)
        self._queue.put(job)
        if self._watch is None:
            self._look_again(self.time_limit)
        return job.deferred

    def stop(self) -> None:
        """
        Let the thread end after the call it is in; what waits fails with `CancelledError`.

        Returns at once.

        """
        self._end(CancelledError())

    # On the reactor thread ----------------------------------------------------------------------

    def _start(self) -> None:
        if self._thread is None or self._pid != os.getpid():
            self._pid = os.getpid()
            self._thread = threading.Thread(target=self._serve, name=self.name, daemon=True)
            self._thread.start()

    def _look_again(self, seconds: float) -> None:
        from twisted.internet import reactor

        self._watch = reactor.callLater(max(0.01, seconds), self._look)

    def _unwatch(self) -> None:
        watch, self._watch = self._watch, None
        if watch is not None and watch.active():
            watch.cancel()

    def _look(self) -> None:
        """See whether the call at the head takes too long."""
        self._watch = None
        if not self._jobs:
            return
        started = self._jobs[0].started
        ran = 0.0 if started is None else time.monotonic() - started
        if ran < self.time_limit:
            self._look_again(self.time_limit - ran)
            return
        self.hangs = True
        self._end(
            SemanticMemoryError(
                f"A call of semantic memory did not end within {self.time_limit:g} s.",
                MemoryFault.TIMED_OUT,
            )
        )

    def _end(self, error: Exception) -> None:
        """Do nothing more, and have all that was to be done fail."""
        from twisted.internet import reactor

        self._ending = True
        self._queue.put(None)
        self._unwatch()
        given_up, self._jobs = self._jobs, []
        for job in given_up:
            # Later, for whoever hears of it may call again.
            reactor.callLater(0, self._finished, job, Failure(error))

    def _finished(self, job: _Job, result: Any) -> None:
        if job in self._jobs:
            self._jobs.remove(job)
        if not self._jobs:
            self._unwatch()
        if not job.deferred.called:
            job.deferred.callback(result)

    # On the worker thread -----------------------------------------------------------------------

    def _serve(self) -> None:
        try:
            while (job := self._queue.get()) is not None and not self._ending:
                self._do(job)
        finally:
            if self._at_end is not None:
                self._at_end()

    def _do(self, job: _Job) -> None:
        from twisted.internet import reactor

        job.started = time.monotonic()
        try:
            result = job.work()
        # Not handled here but handed on, whatever it is, as every executor does.
        except BaseException:
            result = Failure()
            result.cleanFailure()
        reactor.callFromThread(self._finished, job, result)
