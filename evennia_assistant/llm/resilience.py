"""
When to ask a failing service again, and when to leave it alone.

`RetryConfig` says how long to wait before the next attempt of one call. `CircuitBreaker` (after
Nygard, "Release It!") watches all calls to one service: when too many of the last minute failed it
refuses further ones at once, and after a while lets a single one through to see.

Both are plain data and arithmetic: clock and randomness are handed in.

"""

from __future__ import annotations

import random
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from ..errors import CircuitOpen


@dataclass(frozen=True, slots=True)
class RetryConfig:
    """
    How often and how long after a failure a call is tried again.

    Args:
        max_retries: Attempts after the first.
        base_delay: Longest wait before the first retry, in seconds; doubled with each.
        max_delay: Bound of that doubling.
        retry_after_cap: Longest wait a service may ask for. Beyond it the call is given up: to ask
            sooner than it said only makes things worse, and nobody waits longer for a reply.

    """

    max_retries: int = 1
    base_delay: float = 0.5
    max_delay: float = 8.0
    retry_after_cap: float = 20.0

    def delay(
        self,
        retry: int,
        retry_after: float | None = None,
        rng: Callable[[], float] = random.random,
    ) -> float | None:
        """
        Seconds to wait before a retry, with full jitter so that many callers spread out.

        Args:
            retry: 0 for the first retry.
            retry_after: What the service asked for, None when it did not.
            rng: Gives a number in [0, 1).

        Returns:
            None when the call should be given up.

        """
        if retry >= self.max_retries:
            return None
        if retry_after is not None:
            return retry_after if retry_after <= self.retry_after_cap else None
        return rng() * min(self.max_delay, self.base_delay * 2**retry)


class CircuitState(StrEnum):
    """What a breaker does with the next call."""

    #: Lets it through.
    CLOSED = "closed"
    #: Refuses it.
    OPEN = "open"
    #: Lets a few through to see whether the service is back.
    HALF_OPEN = "half_open"


class CircuitBreaker:
    """
    Refuses calls to a service that keeps failing, and finds out when it is back.

    It opens when, among the calls of the last `window` seconds, at least `failure_threshold` failed
    and they are at least `failure_share` of all. The share keeps a busy game open through the odd
    failure, the threshold a quiet one.

    Each call takes a permit and gives it back with exactly one of `record_success`,
    `record_failure`, `release`. What a call that started before the last change of state reports is
    too old to count. Not locked: use it on one thread; reading `state` is safe on any.

    Args:
        name: What the service is called in the error text.
        failure_threshold: Failures in the window that open it.
        failure_share: Share of the calls in the window that must have failed.
        window: Seconds a call is remembered.
        open_for: Seconds it stays open before it lets a call through.
        half_open_calls: Calls let through at once while half open; as many successes close it.
        clock: Gives seconds.

    """

    def __init__(
        self,
        name: str = "the model",
        *,
        failure_threshold: int = 5,
        failure_share: float = 0.5,
        window: float = 60.0,
        open_for: float = 30.0,
        half_open_calls: int = 1,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name = name
        self.failure_threshold = failure_threshold
        self.failure_share = failure_share
        self.window = window
        self.open_for = open_for
        self.half_open_calls = half_open_calls
        self._clock = clock
        self._calls: deque[tuple[float, bool]] = deque()
        self._opened_at: float | None = None
        self._probing = 0
        self._proved = 0
        self._era = 0

    @property
    def state(self) -> CircuitState:
        """What it would do with a call now."""
        if self._opened_at is None:
            return CircuitState.CLOSED
        return CircuitState.OPEN if self.retry_in > 0 else CircuitState.HALF_OPEN

    @property
    def retry_in(self) -> float:
        """Seconds until it lets a call through again, 0 when it does now."""
        if self._opened_at is None:
            return 0.0
        return max(0.0, self._opened_at + self.open_for - self._clock())

    def check(self) -> None:
        """
        See whether a call would be let through, without taking a permit.

        Raises:
            CircuitOpen: If not; `retry_after` says when to come back.

        """
        state = self.state
        if state is CircuitState.OPEN or (
            state is CircuitState.HALF_OPEN and self._probing >= self.half_open_calls
        ):
            raise CircuitOpen(
                f"{self.name} failed too often and is left alone for now"
                f" (next try in {self.retry_in:.0f} s).",
                retry_after=self.retry_in,
            )

    def acquire(self) -> int:
        """
        Take a permit for one call.

        Returns:
            The permit, to be given back.

        Raises:
            CircuitOpen: If the call must not be made.

        """
        self.check()
        if self._opened_at is not None:
            self._probing += 1
        return self._era

    def record_success(self, permit: int) -> None:
        """The service answered."""
        if permit != self._era:
            return
        if self._opened_at is None:
            self._remember(failed=False)
            return
        self._probing -= 1
        self._proved += 1
        if self._proved >= self.half_open_calls:
            self.reset()

    def record_failure(self, permit: int) -> None:
        """The service failed."""
        if permit != self._era:
            return
        if self._opened_at is not None:
            self._open()
            return
        self._remember(failed=True)
        failures = self.failures
        if failures >= self.failure_threshold and failures >= self.failure_share * len(self._calls):
            self._open()

    def release(self, permit: int) -> None:
        """The call ended without saying anything about the service, for instance cancelled."""
        if permit == self._era and self._opened_at is not None:
            self._probing -= 1

    def reset(self) -> None:
        """Close it and forget every call."""
        self._opened_at = None
        self._turn_over()

    @property
    def failures(self) -> int:
        """Failures in the window."""
        self._forget_old()
        return sum(failed for _, failed in self._calls)

    def snapshot(self) -> dict[str, Any]:
        """Its state in plain words, for a keeper's health view."""
        return {
            "name": self.name,
            "state": self.state.value,
            "failures": self.failures,
            "calls": len(self._calls),
            "retry_in": round(self.retry_in, 1),
        }

    def _open(self) -> None:
        self._opened_at = self._clock()
        self._turn_over()

    def _turn_over(self) -> None:
        self._era += 1
        self._probing = self._proved = 0
        self._calls.clear()

    def _remember(self, *, failed: bool) -> None:
        self._forget_old()
        self._calls.append((self._clock(), failed))

    def _forget_old(self) -> None:
        oldest = self._clock() - self.window
        while self._calls and self._calls[0][0] < oldest:
            self._calls.popleft()
