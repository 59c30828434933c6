"""A key is seen by the server it is for and by nobody else."""

import logging
import traceback

import pytest
from twisted.python.failure import Failure
from twisted.python.log import addObserver, removeObserver

from evennia_assistant.errors import ModelAuthError, ModelError
from evennia_assistant.llm.client import LLMConfig, UnifiedLLMClient, get_client
from evennia_assistant.llm.resilience import RetryConfig
from evennia_assistant.testing import Reply, ScriptedModelServer, replies

KEY = "sk-canary-that-sings"
WORDS = "The canary of the request sings at midnight"
ECHO = {
    "error": {
        "message": f"Incorrect key {KEY} in 'Authorization: Bearer {KEY}', input was {WORDS}",
        "type": KEY,
        "code": WORDS,
        "param": f"messages[0].content={WORDS}",
    },
    "detail": [{"input": WORDS, "msg": KEY}],
}
BAD = {
    "400": replies.status(400, error=ECHO),
    "401": replies.status(401, error=ECHO),
    "429": replies.status(429, error=ECHO, retry_after=60),
    "500": replies.status(500, error=ECHO),
    "500 as text": replies.status(500, error=f"{KEY} {WORDS}"),
    "drop": replies.drop(),
    "hang": replies.hang(),
    "no choices": replies.no_choices(),
    "no json": replies.invalid_json(),
    "empty": Reply(),
}


def locals_of(error):
    """What a debugger would show of our own frames in a traceback."""
    for frame, _ in traceback.walk_tb(error.__traceback__):
        if "evennia_assistant" in frame.f_code.co_filename:
            yield from map(repr, frame.f_locals.values())


@pytest.fixture
def logged(caplog):
    """Everything logged in the test, by Python's loggers at their most talkative, and Twisted's."""
    seen = []

    def observer(event):
        seen.append(repr(event))

    addObserver(observer)
    caplog.set_level(logging.DEBUG)
    for name in ("openai", "httpx2", "httpcore2", "asyncio", "evennia_assistant"):
        caplog.set_level(logging.DEBUG, logger=name)
    yield lambda: caplog.text + "".join(seen)
    removeObserver(observer)


@pytest.mark.parametrize("reply", BAD.values(), ids=BAD.keys())
@pytest.mark.parametrize("source", ["environment", "settings"])
def test_no_failure_tells_the_key_or_what_was_asked(
    wait, logged, monkeypatch, settings, reply, source
):
    if source == "environment":
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
    else:
        settings.ASSISTANT_API_KEYS = {"openai": KEY}
    with ScriptedModelServer(reply) as server:
        config = server.config(
            provider="openai", total_timeout=2 if reply == replies.hang() else 20
        )
        client = UnifiedLLMClient(config, retry_config=RetryConfig(max_retries=0))
        deferred = client.chat_completion([{"role": "user", "content": WORDS}])
        with pytest.raises(ModelError) as caught:
            wait(deferred)
        assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    error = caught.value
    shown = [
        str(error),
        repr(error),
        *map(str, error.args),
        "".join(traceback.format_exception(error)),
        Failure(error).getTraceback(),
        Failure(error).getBriefTraceback(),
        repr(client.config),
        repr(vars(error)),
        *locals_of(error),
    ]
    for text in shown:
        assert KEY not in text
        assert WORDS not in text
    assert error.__cause__ is None
    assert error.__context__ is None
    assert KEY not in logged()
    assert WORDS not in logged()


def test_the_key_goes_into_the_authorization_header_and_nowhere_else(wait, logged, monkeypatch):
    monkeypatch.setenv("OPENROUTER_API_KEY", KEY)
    with ScriptedModelServer("Well met!") as server:
        config = server.config(provider="openrouter")
        answer = wait(get_client(config).chat_completion([{"role": "user", "content": "Hi"}]))
    request = server.requests[0]
    holders = [name for name, value in request.headers.items() if KEY in value]
    assert holders == ["authorization"]
    assert "HTTP Request" in logged()
    assert KEY not in repr(request.body) + request.path + repr(answer) + logged()


@pytest.mark.parametrize("provider", ["openai", "openrouter", "anthropic"])
def test_naming_an_address_of_ones_own_does_not_collect_the_key(wait, monkeypatch, provider):
    monkeypatch.setenv("ASSISTANT_API_KEY", KEY)
    config = LLMConfig(provider=provider, api_url="https://evil.test/v1", model="m")
    with pytest.raises(ModelAuthError, match=r"not sent to evil\.test.*ASSISTANT_API_HOSTS"):
        wait(get_client(config).chat_completion([{"role": "user", "content": "Hi"}]))


def test_a_key_that_cannot_be_one_is_not_quoted(wait, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", f"{KEY} €")
    with ScriptedModelServer("Well met!") as server:
        client = get_client(server.config(provider="openai"))
        with pytest.raises(ModelAuthError, match="OPENAI_API_KEY") as caught:
            wait(client.chat_completion([{"role": "user", "content": "Hi"}]))
        assert server.requests == []
    assert KEY not in "".join(traceback.format_exception(caught.value))
