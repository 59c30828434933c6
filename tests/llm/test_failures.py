"""A model that refuses, hangs, talks nonsense or goes away, over real HTTP."""

import socket

import pytest
from twisted.internet.defer import CancelledError

from evennia_assistant.errors import (
    CircuitOpen,
    ErrorCategory,
    ModelAnswerError,
    ModelAuthError,
    ModelRequestError,
    ModelTimeout,
    ModelTransientError,
)
from evennia_assistant.llm import endpoint
from evennia_assistant.llm.client import UnifiedLLMClient, get_client, shutdown_all
from evennia_assistant.llm.resilience import CircuitBreaker, CircuitState, RetryConfig
from evennia_assistant.testing import FakeClock, Reply, ScriptedModelServer, replies

HELLO = [{"role": "user", "content": "Hello"}]
NO_RETRY = RetryConfig(max_retries=0)
FAST = RetryConfig(max_retries=1, base_delay=0.001)


@pytest.fixture
def server():
    with ScriptedModelServer() as running:
        yield running


def ask(server, retry=FAST, breaker=None, **changes):
    """The Deferred of one question."""
    config = server.config(**changes)
    client = UnifiedLLMClient(config, retry_config=retry, circuit_breaker=breaker)
    return client.chat_completion(HELLO)


# What a server may answer ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "error", "asked"),
    [
        (400, ModelRequestError, 1),
        (401, ModelAuthError, 1),
        (403, ModelAuthError, 1),
        (404, ModelRequestError, 1),
        (429, ModelTransientError, 2),
        (500, ModelTransientError, 2),
        (503, ModelTransientError, 2),
    ],
)
def test_a_status_says_whether_asking_again_can_help(wait, server, code, error, asked):
    server.add(replies.status(code), replies.status(code))
    with pytest.raises(error, match=str(code)) as caught:
        wait(ask(server))
    assert caught.value.status == code
    assert len(server.requests) == asked


@pytest.mark.parametrize("bad", [replies.status(500), replies.status(429), replies.drop()])
def test_one_bad_moment_of_a_server_is_not_noticed(wait, server, bad):
    server.add(bad, "Well met!")
    assert wait(ask(server)).content == "Well met!"


def test_the_wait_a_server_asks_for_is_kept(wait, server):
    server.add(replies.status(429, retry_after=0.3), "Well met!")
    assert wait(ask(server)).content == "Well met!"
    first, second = server.requests
    assert second.arrived - first.arrived >= 0.3


def test_a_wait_longer_than_anyone_listens_is_not_begun(wait, server):
    server.add(replies.status(429, retry_after=3600))
    client = get_client(server.config())
    with pytest.raises(ModelTransientError) as caught:
        wait(client.chat_completion(HELLO))
    assert caught.value.retry_after == client.rate_limit_info.retry_after == 3600
    assert len(server.requests) == 1


def test_a_wait_that_would_outlast_the_call_is_not_begun(wait, server):
    server.add(replies.status(429, retry_after=10))
    with pytest.raises(ModelTransientError, match="429"):
        wait(ask(server, total_timeout=5))
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (replies.no_choices(), "no choices"),
        (replies.invalid_json(), "no JSON"),
        (replies.text(""), "empty answer"),
        (replies.text("<think>Who is that?"), "empty answer"),
    ],
)
def test_an_answer_with_nothing_in_it_is_named(wait, server, reply, said):
    server.add(reply)
    with pytest.raises(ModelAnswerError, match=said):
        wait(ask(server))
    assert len(server.requests) == 1


def test_a_wrong_model_says_where_to_look(wait, server):
    error = {"error": {"code": "model_not_found", "message": "no such model"}}
    server.add(replies.status(404, error=error))
    with pytest.raises(ModelRequestError, match=r"llm_model \(gpt-5-turbo\).*model_not_found"):
        wait(ask(server, model="gpt-5-turbo"))


def test_a_missing_key_says_which_variable_to_set(wait, server):
    deferred = ask(server, provider="openrouter")
    assert not deferred.called
    with pytest.raises(ModelAuthError, match="OPENROUTER_API_KEY") as caught:
        wait(deferred)
    assert caught.value.category is ErrorCategory.AUTH
    assert server.requests == []


def test_a_request_that_is_no_json_is_our_fault_and_says_so(wait, server):
    client = get_client(server.config())
    with pytest.raises(ModelRequestError, match="TypeError"):
        wait(client.chat_completion([{"role": "user", "content": object()}]))
    assert client.circuit_breaker.failures == 0


def test_nobody_listening_at_the_address(wait, server):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
        with pytest.raises(ModelTransientError, match="cannot be reached"):
            wait(ask(server, api_url=url))


# Time and cancelling -----------------------------------------------------------------------


@pytest.mark.parametrize("reply", [replies.hang(), replies.drip()], ids=["hangs", "drips"])
def test_the_whole_call_has_a_limit(wait, server, reply):
    server.add(reply)
    with pytest.raises(ModelTimeout, match="longer than 1 s"):
        wait(ask(server, total_timeout=1))
    server.wait_until_left(server.requests[0])


def test_a_server_that_says_nothing_is_given_up_before_the_whole_limit(wait, server, monkeypatch):
    monkeypatch.setattr(endpoint, "READ_TIMEOUT", 0.2)
    server.add(replies.hang())
    with pytest.raises(ModelTimeout, match="did not answer in time"):
        wait(ask(server, retry=NO_RETRY))


def test_waiting_for_a_seat_is_part_of_the_limit_and_not_held_against_the_server(
    wait, server, settings
):
    settings.ASSISTANT_MODEL_CONCURRENCY = 1
    server.add(replies.hang())
    first = ask(server)
    server.wait_for_requests(1)
    with pytest.raises(ModelTimeout, match="1 other calls were in flight"):
        wait(ask(server, total_timeout=0.2))
    assert get_client(server.config()).circuit_breaker.failures == 0
    first.addErrback(lambda failure: failure.trap(CancelledError))
    first.cancel()


def test_a_question_taken_back_is_seen_by_the_server(wait, server):
    server.add(replies.hang())
    deferred = ask(server)
    server.wait_for_requests(1)
    deferred.cancel()
    with pytest.raises(CancelledError):
        wait(deferred)
    server.wait_until_left(server.requests[0])


def test_a_question_taken_back_frees_its_seat(wait, server, settings):
    settings.ASSISTANT_MODEL_CONCURRENCY = 1
    server.add(replies.hang(), "Yes?")
    first, second = ask(server), ask(server)
    first.addErrback(lambda failure: failure.trap(CancelledError))
    server.wait_for_requests(1)
    first.cancel()
    assert wait(second).content == "Yes?"


def test_a_reload_takes_everything_back_and_the_next_call_works(wait, server):
    server.add(replies.hang(), replies.hang())
    calls = [ask(server), ask(server)]
    server.wait_for_requests(2)
    shutdown_all()
    for call in calls:
        with pytest.raises(CancelledError):
            wait(call)
    for request in list(server.requests):
        server.wait_until_left(request)
    server.add("Back again.")
    assert wait(ask(server)).content == "Back again."


def test_a_reload_hangs_up_on_the_connections_kept_for_later(wait, server):
    server.add("Well met!")
    wait(ask(server))
    assert server.connections == 1
    shutdown_all()
    wait.until(lambda: server.connections == 0)


# The breaker -------------------------------------------------------------------------------


def failing(wait, deferred, error=ModelTransientError):
    with pytest.raises(error):
        wait(deferred)


def test_a_failing_server_is_left_alone_until_one_call_finds_it_back(wait, server):
    clock = FakeClock()
    breaker = CircuitBreaker(failure_threshold=3, open_for=30, clock=clock)
    server.add(*[replies.status(500)] * 3)
    for _ in range(3):
        failing(wait, ask(server, NO_RETRY, breaker))
    assert breaker.state is CircuitState.OPEN

    failing(wait, ask(server, NO_RETRY, breaker), CircuitOpen)
    assert len(server.requests) == 3

    clock.advance(30)
    server.add(replies.text("I am back.").after(0.2))
    probe = ask(server, NO_RETRY, breaker)
    server.wait_for_requests(4)
    failing(wait, ask(server, NO_RETRY, breaker), CircuitOpen)
    assert wait(probe).content == "I am back."
    assert breaker.state is CircuitState.CLOSED


def test_a_server_that_is_not_back_yet_is_left_alone_again(wait, server):
    clock = FakeClock()
    breaker = CircuitBreaker(failure_threshold=1, open_for=30, clock=clock)
    server.add(replies.status(500), replies.drop())
    failing(wait, ask(server, NO_RETRY, breaker))
    clock.advance(30)
    failing(wait, ask(server, NO_RETRY, breaker))
    assert breaker.state is CircuitState.OPEN
    failing(wait, ask(server, NO_RETRY, breaker), CircuitOpen)
    assert len(server.requests) == 2


def test_the_last_call_before_it_opens_is_not_tried_again(wait, server):
    breaker = CircuitBreaker(failure_threshold=1, clock=FakeClock())
    server.add(replies.status(500))
    failing(wait, ask(server, FAST, breaker))
    assert len(server.requests) == 1


def test_a_question_taken_back_does_not_keep_the_server_shut_out(wait, server):
    clock = FakeClock()
    breaker = CircuitBreaker(failure_threshold=1, open_for=30, clock=clock)
    server.add(replies.status(500), replies.hang(), "I am back.")
    failing(wait, ask(server, NO_RETRY, breaker))
    clock.advance(30)
    probe = ask(server, NO_RETRY, breaker)
    server.wait_for_requests(2)
    probe.cancel()
    failing(wait, probe, CancelledError)
    server.wait_until_left(server.requests[1])
    assert wait(ask(server, NO_RETRY, breaker)).content == "I am back."


def test_nobody_queues_for_a_server_that_is_left_alone(wait, server, settings):
    settings.ASSISTANT_MODEL_CONCURRENCY = 1
    server.add(replies.hang())
    stuck = ask(server)
    stuck.addErrback(lambda failure: failure.trap(CancelledError))
    server.wait_for_requests(1)
    breaker = get_client(server.config()).circuit_breaker
    for _ in range(breaker.failure_threshold):
        breaker.record_failure(breaker.acquire())
    failing(wait, ask(server), CircuitOpen)
    stuck.cancel()


@pytest.mark.parametrize(
    "reply", [replies.status(401), replies.status(400), replies.no_choices(), replies.text("")]
)
def test_a_wrong_key_or_request_does_not_shut_out_the_others(wait, server, reply):
    for _ in range(8):
        server.add(reply)
        failing(wait, ask(server), (ModelAuthError, ModelRequestError, ModelAnswerError))
    server.add("Well met!")
    assert wait(ask(server)).content == "Well met!"
    assert get_client(server.config()).circuit_breaker.state is CircuitState.CLOSED


def test_timeouts_shut_a_server_out_for_all_npcs(wait, server):
    clients = [get_client(server.config(total_timeout=0.1, temperature=n / 10)) for n in range(5)]
    server.add(*[replies.hang()] * 5)
    for call in [client.chat_completion(HELLO) for client in clients]:
        failing(wait, call, ModelTimeout)
    other = get_client(server.config(temperature=1.0))
    failing(wait, other.chat_completion(HELLO), CircuitOpen)


def test_an_error_sent_with_status_200_is_an_error(wait):
    # OpenRouter reports the error of the model behind it this way.
    class Masked(Reply):
        def as_completion(self, model):
            return {"error": {"code": 429, "message": "slow down"}}

    with ScriptedModelServer(Masked(), Masked()) as server:
        failing(wait, ask(server), ModelTransientError)
        assert len(server.requests) == 2
