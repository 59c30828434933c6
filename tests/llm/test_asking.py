"""Records from a model: the good ones are kept, the others named, and silence is no empty list."""

import pytest

from evennia_assistant.errors import ModelAnswerError
from evennia_assistant.llm.asking import ask_for_records
from evennia_assistant.llm.json_items import parse_items
from evennia_assistant.testing import FakeClock, ScriptedModel


@pytest.mark.parametrize(
    ("text", "items", "problems"),
    [
        ('[{"a": 1}]', [{"a": 1}], 0),
        ('```json\n[{"a": 1}]\n```\nThere you are.', [{"a": 1}], 0),
        ('Here: {"a": 1}', [{"a": 1}], 0),
        ('{"facts": [{"a": 1}, {"a": 2}]}', [{"a": 1}, {"a": 2}], 0),
        ('{"a": 1}\n{"a": 2}', [{"a": 1}, {"a": 2}], 0),
        ('{"a": 1, "t": ["x"]}\n{"a": 2}', [{"a": 1, "t": ["x"]}, {"a": 2}], 0),
        ('[{"a": +4}]', [{"a": 4}], 0),
        ('[{"a": 1}, {"a": NaN}, {"a": 3}]', [{"a": 1}, {"a": 3}], 1),
        ('[{"a": 1}, {"a": 2}, {"a": {"b": 1}, "c": "bro', [{"a": 1}, {"a": 2}], 1),
        ('[{"a": 1}, {"a" 2}, {"a": 3}]', [{"a": 1}, {"a": 3}], 1),
        ("[]", [], 0),
        ('{"facts": []}', [], 0),
    ],
)  # fmt: skip
def test_one_bad_record_never_costs_the_others(text, items, problems):
    found, named = parse_items(text)
    assert found == items
    assert len(named) == problems


@pytest.mark.parametrize("text", ["", "I would rather not.", "{{{{", '[{"a": '])
def test_no_records_to_read_is_not_an_empty_list(text):
    with pytest.raises(ModelAnswerError):
        parse_items(text)


def positive(item):
    if not isinstance(item, dict) or item.get("a", 0) < 1:
        raise ValueError(f"{item} has no positive a")
    return item["a"]


def asked(*script):
    clock = FakeClock()
    model = ScriptedModel(*script, clock=clock)
    done = ask_for_records(
        lambda messages, tools: model.chat_completion(messages),
        [{"role": "user", "content": "Which?"}],
        positive,
    )
    for _ in range(5):
        clock.settle()
    return done, model


def test_a_partly_good_answer_is_kept_without_asking_again():
    done, model = asked('[{"a": 1}, {"a": -2}, {"a": 3}]')
    assert done.result.items == [1, 3]
    assert len(done.result.problems) == 1
    assert len(model.requests) == 1


def test_a_useless_answer_is_asked_for_once_more_with_the_reason():
    done, model = asked("Let me think.", '[{"a": 1}]')
    assert done.result.items == [1]
    assert done.result.calls == 2
    assert "holds no JSON" in model.requests[1].messages[-1]["content"]


def test_two_useless_answers_are_an_error_and_not_nothing_found():
    done, model = asked("Let me think.", '[{"a": -1}]')
    done.addErrback(lambda failure: failure.trap(ModelAnswerError) and failure.value)
    assert "no positive a" in str(done.result)
    assert len(model.requests) == 2


def test_an_empty_list_is_an_answer():
    done, model = asked("[]")
    assert done.result.items == []
    assert len(model.requests) == 1
