"""How long to wait, and when to stop asking."""

import pytest

from evennia_assistant.errors import CircuitOpen
from evennia_assistant.llm.resilience import CircuitBreaker, CircuitState, RetryConfig
from evennia_assistant.testing import FakeClock

CLOSED, OPEN, HALF_OPEN = CircuitState


@pytest.fixture
def clock():
    return FakeClock(1000)


def fail(breaker, times=1):
    for _ in range(times):
        breaker.record_failure(breaker.acquire())


def succeed(breaker, times=1):
    for _ in range(times):
        breaker.record_success(breaker.acquire())


def test_waits_double_up_to_a_bound_and_are_spread_over_all_of_it():
    retry = RetryConfig(max_retries=6, base_delay=0.5, max_delay=4)
    assert [retry.delay(n, rng=lambda: 1.0) for n in range(6)] == [0.5, 1, 2, 4, 4, 4]
    assert retry.delay(2, rng=lambda: 0.0) == 0
    assert retry.delay(2, rng=lambda: 0.25) == 0.5


def test_retries_come_to_an_end():
    assert RetryConfig(max_retries=2).delay(2) is None
    assert RetryConfig(max_retries=0).delay(0) is None


def test_what_the_service_asks_for_is_kept_or_the_call_given_up():
    retry = RetryConfig(retry_after_cap=20)
    assert retry.delay(0, 7.0) == 7.0
    assert retry.delay(0, 20.0) == 20.0
    assert retry.delay(0, 20.1) is None
    assert retry.delay(1, 0.0) is None


def test_enough_failures_in_the_window_open_it(clock):
    breaker = CircuitBreaker("ollama", failure_threshold=3, open_for=30, clock=clock)
    fail(breaker, 2)
    assert breaker.state is CLOSED
    fail(breaker)
    assert breaker.state is OPEN
    with pytest.raises(CircuitOpen, match=r"ollama failed too often.*30 s") as caught:
        breaker.acquire()
    assert caught.value.retry_after == 30


def test_failures_of_long_ago_do_not_count(clock):
    breaker = CircuitBreaker(failure_threshold=3, window=60, clock=clock)
    fail(breaker, 2)
    clock.advance(61)
    fail(breaker, 2)
    assert breaker.state is CLOSED
    assert breaker.failures == 2


def test_a_busy_game_is_not_cut_off_by_the_odd_failure(clock):
    breaker = CircuitBreaker(failure_threshold=5, failure_share=0.5, clock=clock)
    succeed(breaker, 100)
    fail(breaker, 20)
    assert breaker.state is CLOSED
    fail(breaker, 80)
    assert breaker.state is OPEN


def test_after_a_while_one_call_is_let_through_and_its_success_closes_it(clock):
    breaker = CircuitBreaker(failure_threshold=1, open_for=30, clock=clock)
    fail(breaker)
    clock.advance(29.9)
    assert breaker.state is OPEN
    clock.advance(0.1)
    assert breaker.state is HALF_OPEN
    probe = breaker.acquire()
    with pytest.raises(CircuitOpen):
        breaker.acquire()
    breaker.record_success(probe)
    assert breaker.state is CLOSED
    assert breaker.failures == 0


def test_a_failed_probe_keeps_it_open_as_long_again(clock):
    breaker = CircuitBreaker(failure_threshold=1, open_for=30, clock=clock)
    fail(breaker)
    clock.advance(30)
    fail(breaker)
    assert breaker.state is OPEN
    assert breaker.retry_in == 30


def test_several_probes_must_all_succeed(clock):
    breaker = CircuitBreaker(failure_threshold=1, open_for=30, half_open_calls=2, clock=clock)
    fail(breaker)
    clock.advance(30)
    first, second = breaker.acquire(), breaker.acquire()
    breaker.record_success(first)
    assert breaker.state is HALF_OPEN
    breaker.record_success(second)
    assert breaker.state is CLOSED


def test_a_probe_that_was_cancelled_makes_room_for_another(clock):
    breaker = CircuitBreaker(failure_threshold=1, open_for=30, clock=clock)
    fail(breaker)
    clock.advance(30)
    breaker.release(breaker.acquire())
    succeed(breaker)
    assert breaker.state is CLOSED


def test_calls_from_before_say_nothing_about_now(clock):
    breaker = CircuitBreaker(failure_threshold=1, open_for=30, clock=clock)
    early, late, lost = breaker.acquire(), breaker.acquire(), breaker.acquire()
    fail(breaker)
    breaker.record_success(early)
    assert breaker.state is OPEN
    clock.advance(30)
    probe = breaker.acquire()
    breaker.record_failure(late)
    breaker.release(lost)
    assert breaker.state is HALF_OPEN
    with pytest.raises(CircuitOpen):
        breaker.acquire()
    breaker.record_success(probe)
    assert breaker.state is CLOSED


def test_a_keeper_can_see_it_and_close_it(clock):
    breaker = CircuitBreaker("ollama", failure_threshold=2, open_for=30, clock=clock)
    fail(breaker)
    succeed(breaker)
    assert breaker.snapshot() == {
        "name": "ollama",
        "state": "closed",
        "failures": 1,
        "calls": 2,
        "retry_in": 0.0,
    }
    fail(breaker)
    clock.advance(12)
    assert (breaker.snapshot()["state"], breaker.snapshot()["retry_in"]) == ("open", 18.0)
    breaker.reset()
    assert breaker.state is CLOSED
