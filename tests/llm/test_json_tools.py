"""What a model without a tool interface means as a call is read as one, and the rest is speech."""

import json

import pytest

from evennia_assistant.llm.json_tools import read_json_answer

KNOWN = ("say", "whisper", "emote", "recall_memories")


def pairs(text):
    """Name and arguments of each call in an answer."""
    return [(c.name, json.loads(c.arguments)) for c in read_json_answer(text, KNOWN).calls]


@pytest.mark.parametrize(
    "text",
    [
        '{"tool": "say", "parameters": {"text": "Aye."}}',
        '```json\n{"tool": "say", "parameters": {"text": "Aye."}}\n```',
        'Let me answer:\n{"tool": "say", "parameters": {"text": "Aye."}}\nDone.',
        '[{"tool": "say", "parameters": {"text": "Aye."}}]',
        '{"tool_calls": [{"tool": "say", "parameters": {"text": "Aye."}}]}',
        '{"name": "say", "arguments": {"text": "Aye."}}',
        '{"name": "say", "arguments": "{\\"text\\": \\"Aye.\\"}"}',
        '{"type": "function", "function": {"name": "say", "arguments": {"text": "Aye."}}}',
        '{"tool": "say", "text": "Aye."}',
        '{"say": {"text": "Aye."}}',
    ],
)
def test_a_call_is_read_however_it_is_wrapped(text):
    assert pairs(text) == [("say", {"text": "Aye."})]


def test_several_calls_are_read_in_order_and_a_broken_one_costs_no_other():
    text = (
        '{"tool": "emote", "parameters": {"text": "nods."}}\n'
        '{"tool": "say", "parameters": {"text": "Aye."}}\n'
        '{"tool": "say", "parameters": {"te'
    )
    assert pairs(text) == [("emote", {"text": "nods."}), ("say", {"text": "Aye."})]
    assert read_json_answer(text, KNOWN).problems == ("the list breaks off",)


@pytest.mark.parametrize(
    "text",
    [
        "Two silver a night.",
        "Set {and} match, as we say {here}.",
        "[sighs] Again?",
        "```\nTwo silver.\n```",
        "",
    ],
)
def test_plain_words_are_speech(text):
    answer = read_json_answer(text, KNOWN)
    assert not answer.calls and not answer.problems
    assert answer.text == text.replace("```", "").strip()


@pytest.mark.parametrize(
    "text",
    [
        '{"tool": "say", "parameters": {"text": "Ay',
        '{"text": "Aye."}',
        '{"tool": 5}',
        '{"tool": "say", "parameters": {"text": NaN}}',
        '{"tool"}',
    ],
)
def test_what_was_meant_as_a_call_and_is_none_is_named_and_never_spoken(text):
    answer = read_json_answer(text, KNOWN)
    assert not answer.calls and answer.problems and not answer.text


def test_the_reason_beside_a_call_goes_with_it():
    text = '{"tool": "say", "parameters": {"text": "Aye."}, "reasoning": "they asked"}'
    assert pairs(text) == [("say", {"text": "Aye.", "reasoning": "they asked"})]
