"""The stand-ins others test their NPCs with."""

import urllib.error
import urllib.request

import pytest
from twisted.internet.defer import CancelledError

import evennia_assistant.testing as testing
from evennia_assistant.errors import (
    EmptyAnswer,
    ModelAnswerError,
    ModelAuthError,
    ModelTransientError,
)
from evennia_assistant.llm.client import LLMConfig, get_client
from evennia_assistant.llm.response import LLMResponse, ToolCall, Usage
from evennia_assistant.testing import FakeClock, ScriptedModel, ScriptedModelServer, replies

HELLO = [{"role": "user", "content": "Hello"}]
TOOL = {"type": "function", "function": {"name": "say"}}


@pytest.fixture
def clock():
    return FakeClock()


def outcome(deferred, clock):
    """What a Deferred comes to when all that is due has happened."""
    assert not deferred.called
    clock.settle()
    return deferred.result


def failure(deferred, clock):
    errors = []
    deferred.addErrback(errors.append)
    clock.settle()
    return errors[0].value


def test_replies_come_in_order_and_requests_are_kept(clock):
    model = ScriptedModel("One.", replies.tool_call("say", text="Two."), clock=clock)
    assert outcome(model.chat_completion(HELLO), clock).content == "One."
    second = outcome(model.chat_completion(HELLO, tools=[TOOL], temperature=0.2), clock)
    assert second.tool_calls == (ToolCall("call_1", "say", '{"text": "Two."}'),)
    assert second.finish_reason == "tool_calls"
    assert [asked.messages for asked in model.requests] == [HELLO, HELLO]
    assert model.requests[1].tools == [TOOL]
    assert model.requests[1].options == {"temperature": 0.2}
    assert model.left == 0


def test_a_prompt_is_kept_as_it_was_asked(clock):
    model = ScriptedModel("One.", clock=clock)
    prompt = [*HELLO]
    model.chat_completion(prompt)
    prompt.append({"role": "assistant", "content": "One."})
    assert model.requests[0].messages == HELLO


def test_a_response_or_an_exception_is_given_as_it_is(clock):
    given = LLMResponse(content="Hm.", usage=Usage(3, 1))
    model = ScriptedModel(given, ModelAuthError("no key"), clock=clock)
    answer = outcome(model.chat_completion(HELLO), clock)
    assert (answer.content, answer.usage) == ("Hm.", Usage(3, 1))
    assert str(failure(model.chat_completion(HELLO), clock)) == "no key"


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (replies.status(401), ModelAuthError),
        (replies.status(429, retry_after=3), ModelTransientError),
        (replies.drop(), ModelTransientError),
        (replies.no_choices(), ModelAnswerError),
        (replies.invalid_json(), ModelAnswerError),
        (replies.text(""), EmptyAnswer),
    ],
)
def test_the_model_fails_as_the_server_of_the_same_script_does(clock, wait, reply, error):
    model = ScriptedModel(reply, clock=clock)
    in_process = failure(model.chat_completion(HELLO), clock)
    with ScriptedModelServer(reply, reply) as server, pytest.raises(error) as caught:
        wait(get_client(server.config()).chat_completion(HELLO))
    assert type(in_process) is type(caught.value) is error


def test_what_is_not_scripted_is_loud(clock):
    model = ScriptedModel(clock=clock)
    assert isinstance(failure(model.chat_completion(HELLO), clock), AssertionError)
    with pytest.raises(TypeError, match="no reply"):
        model.add(7)


def test_a_function_may_answer(clock):
    model = ScriptedModel(
        handler=lambda asked: "You said " + asked.messages[-1]["content"], clock=clock
    )
    assert outcome(model.chat_completion(HELLO), clock).content == "You said Hello"


def test_a_reply_may_take_its_time_or_be_taken_back(clock):
    model = ScriptedModel(replies.text("Hm.").after(5), replies.hang(), clock=clock)
    slow, never = model.chat_completion(HELLO), model.chat_completion(HELLO)
    clock.advance(4.9)
    assert not slow.called
    clock.advance(0.1)
    assert slow.result.content == "Hm."
    assert not never.called
    never.cancel()
    assert model.requests[1].cancelled
    assert isinstance(failure(never, clock), CancelledError)


def test_it_answers_every_npc_of_a_block(clock):
    model = ScriptedModel(clock=clock)
    config = LLMConfig(provider="ollama", model="llama3")
    with model.answering():
        assert get_client(config) is model
    assert get_client(config).provider_name == "ollama"


def test_without_a_clock_it_answers_on_the_reactor(wait):
    deferred = ScriptedModel("Hm.").chat_completion(HELLO)
    assert not deferred.called
    assert wait(deferred).content == "Hm."


def test_a_clock_is_a_function_of_seconds(clock):
    clock.advance(2.5)
    assert clock() == clock.seconds() == 2.5


def post(url):
    """The status of an empty request."""
    request = urllib.request.Request(url, b"{}", method="POST")
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request)
    with caught.value as answer:
        return answer.code


def test_the_server_remembers_what_it_had_no_reply_for():
    with ScriptedModelServer() as server:
        assert post(f"{server.url}/chat/completions") == 500
        assert server.unscripted == 1


def test_a_wrong_path_does_not_use_up_the_script():
    with ScriptedModelServer("One.") as server:
        assert post(f"{server.url}/completions") == 404
        assert server.unscripted == 0


def test_a_server_that_is_stopped_frees_its_port_and_can_start_again(wait):
    server = ScriptedModelServer("One.", "Two.").start()
    port = server.port
    assert wait(get_client(server.config()).chat_completion(HELLO)).content == "One."
    server.stop()
    server.stop()
    with pytest.raises(RuntimeError, match="not running"):
        server.port  # noqa: B018
    server.start(port)
    assert wait(get_client(server.config()).chat_completion(HELLO)).content == "Two."
    server.stop()


def test_waiting_for_what_does_not_come_says_so():
    with ScriptedModelServer() as server, pytest.raises(TimeoutError, match="0 requests came"):
        server.wait_for_requests(1, timeout=0.01)


def test_public_names():
    assert testing.__all__ == sorted(testing._HOME)
    assert {getattr(testing, name).__name__ for name in testing.__all__} == set(testing.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        testing.Nothing  # noqa: B018
