"""
The named places at which a process may die between two writes, so that a test can let it.

Code that writes to two stores calls `reached` before and after each write. In a game that does
nothing. A test watches and raises where it likes, which ends the work as a kill would: what is
written is written, the rest is not::

    def die(point):
        if point == "outbox.added":
            raise Killed

    with watched_by(die):
        ...

"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

_watchers: list[Callable[[str], None]] = []


def reached(point: str) -> None:
    """
    Say that the work has come to a place.

    Args:
        point: Its name: the module that names it, and what has just been done.

    """
    for watcher in _watchers:
        watcher(point)


@contextmanager
def watched_by(watcher: Callable[[str], None]) -> Iterator[None]:
    """Within the block, `watcher` is called with the name of each place that is reached."""
    _watchers.append(watcher)
    try:
        yield
    finally:
        _watchers.remove(watcher)
