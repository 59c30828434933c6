"""Answers of servers that differ in what they leave out."""

import json

import pytest

from evennia_assistant.errors import (
    ModelAnswerError,
    ModelAuthError,
    ModelRequestError,
    ModelTransientError,
)
from evennia_assistant.llm.completion import MAX_ANSWER, error_of_status, parse_completion
from evennia_assistant.llm.response import ToolCall, Usage


def read(message=None, **fields):
    """The response for a completion with this message."""
    data = {"choices": [{"message": message, "finish_reason": "stop"}], **fields}
    return parse_completion(json.dumps(data).encode(), service="ollama", model="llama3")


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("Well met!", "Well met!"),
        ("  Well met!\n", "Well met!"),
        ([{"type": "text", "text": "Well "}, {"type": "text", "text": "met!"}], "Well met!"),
        ("<think>Who is it?\nAnna.</think>\nWell met!", "Well met!"),
        ("I <think> so.</think>", "I <think> so.</think>"),
    ],
)
def test_the_words_are_found(content, text):
    assert read({"content": content}).content == text


def call(**function):
    return {"id": "c1", "type": "function", "function": function}


@pytest.mark.parametrize(
    ("calls", "found"),
    [
        ([call(name="say", arguments='{"a":1}')], [("c1", "say", '{"a":1}')]),
        ([call(name="say", arguments={"a": 1})], [("c1", "say", '{"a": 1}')]),
        ([call(name="say")], [("c1", "say", "{}")]),
        ([{"function": {"name": "say", "arguments": "{}"}}], [("call_1", "say", "{}")]),
        (
            ["say", {"function": "say"}, call(arguments="{}"), call(name="say", arguments="{}")],
            [("c1", "say", "{}")],
        ),
    ],
)
def test_the_good_part_of_the_tool_calls_is_kept(calls, found):
    response = read({"content": None, "tool_calls": calls})
    assert response.tool_calls == tuple(ToolCall(*each) for each in found)


@pytest.mark.parametrize(
    ("told", "usage"),
    [
        ({"prompt_tokens": 9, "completion_tokens": 4}, Usage(9, 4)),
        ({"prompt_tokens": 9, "completion_tokens": 0}, Usage(9, 0)),
        ({"prompt_tokens": 9, "completion_tokens": None}, Usage(9, 3)),
        ({"prompt_tokens": 9, "completion_tokens": "4"}, Usage(9, 3)),
        ({"prompt_tokens": 9, "completion_tokens": -4}, Usage(9, 3)),
        ({"prompt_tokens": 9, "completion_tokens": True}, Usage(9, 3)),
    ],
)
def test_what_was_not_counted_is_estimated(told, usage):
    assert read({"content": "Well met!"}, usage=told).usage == usage


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\xff\xfe",
        b"null",
        b"[]",
        b'"hi"',
        b"<html>",
        b"{}",
        b'{"choices": null}',
        b'{"choices": {}}',
        b'{"choices": [null]}',
        b'{"choices": [{}]}',
        b'{"choices": [{"message": "hi"}]}',
        b'{"choices": [{"message": {}}]}',
        b'{"choices": [{"message": {"content": 7}}]}',
        b'{"choices": [{"message": {"content": null, "tool_calls": {"name": "say"}}}]}',
        b"[" * 100_000,
        b" " * (MAX_ANSWER + 1),
    ],
    ids=lambda body: repr(body[:40]),
)
def test_an_unusable_answer_is_named_whatever_it_is(body):
    with pytest.raises(ModelAnswerError, match="ollama sent"):
        parse_completion(body, service="ollama", model="llama3")


def test_an_empty_answer_says_why():
    with pytest.raises(ModelAnswerError, match="content_filter"):
        parse_completion(
            b'{"choices": [{"message": {"content": ""}, "finish_reason": "content_filter"}]}',
            service="x",
            model="m",
        )
    with pytest.raises(ModelAnswerError, match="refusal"):
        read({"content": None, "refusal": "I will not."})


def test_the_model_that_answered_is_named():
    assert read({"content": "Hi"}, model="llama3:8b").model == "llama3:8b"
    assert read({"content": "Hi"}).model == "llama3"


@pytest.mark.parametrize(
    ("code", "kind"),
    [(429, ModelTransientError), ("rate", ModelAnswerError), (None, ModelAnswerError)],
)
def test_an_error_with_status_200_is_an_error(code, kind):
    with pytest.raises(kind):
        read({"content": "Hi"}, error={"code": code, "message": "no"})


@pytest.mark.parametrize(
    ("status", "kind", "said"),
    [
        (401, ModelAuthError, "OPENAI_API_KEY"),
        (404, ModelRequestError, r"llm_model \(gpt-9\)"),
        (503, ModelTransientError, "busy or broken"),
    ],
)
def test_a_status_is_told_with_what_to_do(status, kind, said):
    error = error_of_status(status, service="openai", model="gpt-9", variable="OPENAI_API_KEY")
    assert type(error) is kind
    assert f"({status})" in str(error)
    with pytest.raises(kind, match=said):
        raise error


def test_only_the_short_codes_of_an_error_are_told():
    body = {
        "error": {
            "code": "unsupported_parameter",
            "type": "invalid_request_error",
            "param": "max_tokens",
            "message": "You said: my secret is that ...",
        }
    }
    text = str(error_of_status(400, service="openai", model="m", body=body))
    assert "(400 unsupported_parameter invalid_request_error max_tokens)" in text
    assert "secret" not in text


def test_a_code_that_is_the_key_is_not_told():
    error = error_of_status(401, service="x", body={"code": "canary-key"}, secret="canary-key")
    assert "canary" not in str(error)
