"""Waiting for Deferreds in the test's own thread, and clients that leave nothing behind."""

import time

import pytest
from twisted.internet import reactor
from twisted.python.failure import Failure

from evennia_assistant.llm.client import shutdown_all


def spin_until(done, limit=20):
    """Let the reactor work until something is so."""
    until = time.monotonic() + limit
    while not done():
        if time.monotonic() > until:
            raise TimeoutError(f"not within {limit} s")
        reactor.iterate(0.01)


@pytest.fixture
def wait():
    """`wait(deferred)` gives what it fired with, or raises what it failed with."""

    def wait_for(deferred, limit=20):
        outcome = []
        deferred.addBoth(outcome.append)
        spin_until(lambda: outcome, limit)
        if isinstance(outcome[0], Failure):
            outcome[0].raiseException()
        return outcome[0]

    wait_for.until = spin_until
    return wait_for


@pytest.fixture(autouse=True)
def no_keys(monkeypatch):
    for name in ("OPENAI", "OPENROUTER", "ANTHROPIC", "OLLAMA", "ASSISTANT"):
        monkeypatch.delenv(f"{name}_API_KEY", raising=False)


@pytest.fixture(autouse=True)
def forget_clients():
    yield
    shutdown_all()
