"""
Where the reactor's time goes.

While a `Meter` is installed, every moment of the reactor thread outside its wait for events is put
on an account: the one a `spend` block names, else `"rest"`. What a benchmark does between two lines
(`idle` fires there) is on no account at all::

    meter = Meter(reactor)
    with meter.spend("delivery"):
        player.at_say("Hello!")
    await meter.idle(lambda: npc_has_answered())
    meter.take()["rest"].wall           # seconds, since the last take

What the reactor does between two waits is one stretch, in which it hears nobody; `stretches` gives
each of them since it was called last.

"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from twisted.internet.defer import Deferred

REST = "rest"


@dataclass(slots=True)
class Spent:
    """Seconds on the clock, and of the thread's own work."""

    wall: float = 0.0
    cpu: float = 0.0


class Meter:
    """
    Measures an epoll reactor from the inside.

    Args:
        reactor: The running reactor.

    """

    def __init__(self, reactor: Any) -> None:
        self._accounts: dict[str, Spent] = {}
        self._account: str | None = None
        self._wall = self._cpu = 0.0
        self._waiting: list[tuple[Callable[[], bool], Deferred[None]]] = []
        self._stretches: list[Spent] = []
        self._woke: tuple[float, float] | None = None
        reactor._poller = _Poller(reactor._poller, self)

    def take(self) -> dict[str, Spent]:
        """What was spent on each account since the last time; the accounts begin at 0 again."""
        self._switch(self._account)
        taken, self._accounts = self._accounts, {}
        return taken

    def stretches(self) -> list[Spent]:
        """Every stretch the reactor worked without a pause, since the last time."""
        taken, self._stretches = self._stretches, []
        return taken

    @contextmanager
    def spend(self, account: str) -> Iterator[None]:
        """Within the block, time goes on this account; blocks may stand in each other."""
        outer = self._account
        self._switch(account)
        try:
            yield
        finally:
            self._switch(outer)

    def charge(self, obj: Any, method: str, account: str) -> None:
        """Put the time of one object's method on an account from now on."""
        inner = getattr(obj, method)

        def charged(*args: Any, **kwargs: Any) -> Any:
            with self.spend(account):
                return inner(*args, **kwargs)

        setattr(obj, method, charged)

    def idle(self, condition: Callable[[], bool]) -> Deferred[None]:
        """Fires between two iterations of the reactor, off the clock, when `condition` holds."""
        fired: Deferred[None] = Deferred()
        self._waiting.append((condition, fired))
        return fired

    def _switch(self, account: str | None) -> None:
        wall, cpu = time.perf_counter(), time.thread_time()
        if self._account is not None:
            spent = self._accounts.setdefault(self._account, Spent())
            spent.wall += wall - self._wall
            spent.cpu += cpu - self._cpu
        self._account = account
        self._wall, self._cpu = time.perf_counter(), time.thread_time()

    def _waits(self, begins: bool) -> None:
        wall, cpu = time.perf_counter(), time.thread_time()
        if not begins:
            self._woke = wall, cpu
        elif self._woke is not None:
            self._stretches.append(Spent(wall - self._woke[0], cpu - self._woke[1]))

    def _look(self) -> bool:
        """Fire what has come true; whether anything has."""
        ready = [waiting for waiting in self._waiting if waiting[0]()]
        self._waiting = [waiting for waiting in self._waiting if waiting not in ready]
        for _condition, fired in ready:
            fired.callback(None)
        return bool(ready)


class _Poller:
    """Stands before the reactor's epoll object."""

    def __init__(self, inner: Any, meter: Meter) -> None:
        self._inner = inner
        self._meter = meter

    def poll(self, timeout: float = -1, maxevents: int = -1) -> Any:
        """Wait for events, off the clock; not at all when the benchmark did something."""
        self._meter._switch(None)
        self._meter._waits(True)
        if self._meter._look():
            timeout = 0
        events = self._inner.poll(timeout, maxevents)
        self._meter._waits(False)
        self._meter._switch(REST)
        return events

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)
