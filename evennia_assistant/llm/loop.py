"""
One thread on which slow things are awaited, and Deferreds for their results.

Evennia's reactor is not asyncio's, and a blocking job in the reactor's own thread pool keeps the
server from coming back after `evennia reload`. So coroutines run on a single daemon thread with an
asyncio loop. It starts with the first call, hence after the server has forked, and nothing ever
waits for it to end::

    from evennia_assistant.llm import loop

    deferred = loop.run(client.ask(...))    # on the reactor thread; fires there
    deferred.cancel()                       # cancels the coroutine
    loop.stop()                             # at reload and shutdown: cancels all, returns at once

A coroutine run here must not touch Evennia or the database: those belong to the reactor thread.

"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from twisted.internet.defer import CancelledError, Deferred

T = TypeVar("T")


class DaemonExecutor(ThreadPoolExecutor):
    """
    Runs each job on a daemon thread of its own.

    asyncio looks names up in its loop's executor. The threads of the usual one are joined when the
    interpreter exits, so a name server that does not answer would hold up a reload.

    """

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """Start the job at once."""
        future: Future[T] = Future()

        def work() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                result = fn(*args, **kwargs)
            # Not handled here but handed on, whatever it is, as every executor does.
            except BaseException as err:
                future.set_exception(err)
            else:
                future.set_result(result)

        threading.Thread(target=work, name="assistant-lookup", daemon=True).start()
        return future


class LoopThread:
    """
    An asyncio loop on a daemon thread, started when first used and again after `stop` or a fork.

    Its methods belong to the reactor thread.

    """

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._pid = 0
        self._pending: set[Future[Any]] = set()

    @property
    def running(self) -> bool:
        """Whether there is a thread now."""
        return self._loop is not None and self._pid == os.getpid()

    @property
    def pending(self) -> int:
        """How many coroutines have not ended."""
        return len(self._pending)

    def run(self, coroutine: Coroutine[Any, Any, T]) -> Deferred[T]:
        """
        Await a coroutine on the thread.

        Args:
            coroutine: Not yet started.

        Returns:
            Fires on the reactor thread, never before this returns, with the coroutine's result or
            exception. Cancelling it cancels the coroutine and fails it with Twisted's
            `CancelledError`, as does `cancel_all`.

        """
        from twisted.internet import reactor

        future = asyncio.run_coroutine_threadsafe(coroutine, self._ensure_loop())
        pending = self._pending
        pending.add(future)
        deferred: Deferred[T] = Deferred(lambda _: future.cancel())

        def fire() -> None:
            pending.discard(future)
            if deferred.called:
                return
            if future.cancelled():
                deferred.errback(CancelledError())
            elif (err := future.exception()) is not None:
                deferred.errback(err)
            else:
                deferred.callback(future.result())

        future.add_done_callback(lambda _: reactor.callFromThread(fire))
        return deferred

    def cancel_all(self) -> None:
        """Cancel every coroutine; their Deferreds fail soon after, on the reactor thread."""
        for future in list(self._pending):
            future.cancel()

    def stop(self) -> None:
        """
        Cancel everything and let the thread end by itself.

        Returns at once. The next `run` starts a new thread.

        """
        loop, self._loop = self._loop, None
        pending, self._pending = self._pending, set()
        if loop is None or self._pid != os.getpid():
            return
        for future in list(pending):
            future.cancel()
        loop.call_soon_threadsafe(loop.stop)

    def _ensure_loop(self) -> asyncio.AbstractEventLoop:
        if self._loop is None or self._pid != os.getpid():
            self._pid = os.getpid()
            self._pending = set()
            self._loop = asyncio.new_event_loop()
            self._loop.set_default_executor(DaemonExecutor())
            threading.Thread(
                target=_serve, args=(self._loop,), name="assistant-models", daemon=True
            ).start()
        return self._loop


# Kept here and not in tasks that wait for the end: of a task that nobody waits for, asyncio keeps
# no hold, so it may be gone before.
_closers: dict[asyncio.AbstractEventLoop, list[Callable[[], Coroutine[Any, Any, None]]]] = {}


def at_stop(close: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Have something awaited when the loop that this is called on is stopped."""
    _closers.setdefault(asyncio.get_running_loop(), []).append(close)


async def _all_of(endings: Iterable[Awaitable[Any]]) -> None:
    """Wait for all, however each ends."""
    await asyncio.gather(*endings, return_exceptions=True)


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    """Run the loop until it is stopped, then let tasks see it and connections be closed."""
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
        tasks = asyncio.all_tasks(loop)
        for task in tasks:
            task.cancel()
        ending = [*tasks, *(close() for close in _closers.pop(loop, ()))]
        if ending:
            loop.run_until_complete(_all_of(ending))
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()


_THREAD = LoopThread()

run = _THREAD.run
cancel_all = _THREAD.cancel_all
stop = _THREAD.stop
