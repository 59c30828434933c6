"""A model inside the process is asked like any other."""

import sys
import types

import pytest
from twisted.internet.defer import CancelledError

from evennia_assistant.errors import ModelAnswerError
from evennia_assistant.llm.client import LLMConfig, UnifiedLLMClient, get_client
from evennia_assistant.llm.response import LLMResponse
from evennia_assistant.testing import FakeClock

HELLO = [{"role": "user", "content": "Hello"}]
TOOL = {"type": "function", "function": {"name": "say"}}


class Parrot:
    """Repeats the last line, and remembers how it was asked."""

    def __init__(self):
        self.asked = []

    def complete(self, messages, tools=None, *, temperature=None, seed=None, **options):
        self.asked.append((messages, tools, temperature, seed, options))
        if not messages:
            raise ModelAnswerError("nothing to repeat")
        return LLMResponse(content=messages[-1]["content"])


@pytest.fixture
def parrot(monkeypatch):
    """The offline brain, replaced."""
    brain = Parrot()
    module = types.ModuleType("evennia_assistant.llm.offline")
    module.OfflineBrain = lambda: brain
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return brain


def test_it_answers_on_the_reactor_and_never_at_once(wait, parrot):
    deferred = get_client(LLMConfig()).chat_completion(HELLO, [TOOL], temperature=0.4, seed=7)
    assert not deferred.called
    assert parrot.asked == []
    assert wait(deferred).content == "Hello"
    assert parrot.asked == [(HELLO, [TOOL], 0.4, 7, {"tool_choice": "auto"})]


def test_it_can_be_asked_without_a_reactor(parrot):
    clock = FakeClock()
    client = UnifiedLLMClient(LLMConfig(temperature=0.1), clock=clock)
    deferred = client.chat_completion(HELLO)
    assert not deferred.called
    clock.settle()
    assert deferred.result.content == "Hello"
    assert parrot.asked[0][2] == 0.1


def test_what_it_raises_is_a_failure_of_the_deferred(wait, parrot):
    with pytest.raises(ModelAnswerError, match="nothing to repeat"):
        wait(get_client(LLMConfig()).chat_completion([]))


def test_a_question_taken_back_is_not_asked(wait, parrot):
    deferred = get_client(LLMConfig()).chat_completion(HELLO)
    deferred.cancel()
    with pytest.raises(CancelledError):
        wait(deferred)
    assert parrot.asked == []


def test_it_looks_like_any_client(parrot):
    client = get_client(LLMConfig(api_url="https://openrouter.ai/api/v1", model="gpt-4o-mini"))
    assert client.provider_name == "offline"
    assert client.model == "gpt-4o-mini"
    assert client.supports_tools
    assert client.circuit_breaker.state == "closed"
    assert client.rate_limit_info.retry_after is None
