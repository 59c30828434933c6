"""
The nights of all NPCs of a game go through one turnstile.

A hundred NPCs that fall asleep at the same hour have steps due in the same instant, and answers of
models that come in together. Each piece of that work is short; one after the other, without the
reactor looking at its connections in between, they are not. So every piece waits for its turn
here: a few milliseconds of them, then everybody else, then the next::

    yield its_turn(agent.clock)              # now this NPC may work
    yield in_slices(agent.clock, steps())    # work that itself comes in pieces

"""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable, Iterator
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.task import Cooperator

#: Seconds of nights between two looks at everything else; a piece that has begun is finished.
SLICE = 0.004

_turnstiles: weakref.WeakKeyDictionary[Any, Cooperator] = weakref.WeakKeyDictionary()


def its_turn(clock: Any) -> Deferred[Any]:
    """
    Wait for the turn of an NPC that sleeps.

    Args:
        clock: Of its mind; the reactor.

    Returns:
        Fires when its next piece of work may be done; cancelled, it never does.

    """
    return in_slices(clock, iter(()))


def in_slices(clock: Any, work: Iterator[Any]) -> Deferred[Any]:
    """
    Do work that comes in pieces, others' between them.

    Args:
        clock: Of the mind whose work it is; the reactor.
        work: Does a piece whenever it is asked for its next value.

    Returns:
        Fires when all of it is done, with whatever it raised.

    """
    turnstile = _turnstiles.get(clock)
    if turnstile is None:
        turnstile = _turnstiles[clock] = _turnstile_of(clock)
    return turnstile.coiterate(work)


def _turnstile_of(clock: Any) -> Cooperator:
    # Held by its own scheduler, the clock would never go.
    held = weakref.ref(clock)

    def soon(call: Callable[[], Any]) -> Any:
        present = held()
        return None if present is None else present.callLater(0, call)

    return Cooperator(terminationPredicateFactory=_slice, scheduler=soon)


def _slice() -> Callable[[], bool]:
    until = time.monotonic() + SLICE
    return lambda: time.monotonic() >= until
