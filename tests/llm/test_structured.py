"""Arguments as models write them."""

import json

import pytest

from evennia_assistant.errors import InvalidArguments
from evennia_assistant.llm.structured import MAX_ARGUMENTS, parse_arguments

WANTED = {"text": "Grüß dich, {name}!", "loud": True}
WRITTEN = json.dumps(WANTED, ensure_ascii=False)


@pytest.mark.parametrize(
    "text",
    [
        WRITTEN,
        f"  \n{WRITTEN}\n",
        f"```json\n{WRITTEN}\n```",
        f"```\n{WRITTEN}\n```\nShall I go on?",
        f"Here you are: {WRITTEN}",
        f"{WRITTEN} I hope that helps :-}}",
        f"{WRITTEN} (a {{curly}} remark)",
        f"[{WRITTEN}]",
        f"```json\n[{WRITTEN}]\n```",
        json.dumps(WRITTEN),
        f"{WRITTEN}{WRITTEN}",
        json.dumps(WANTED, indent=2),
    ],
)
def test_wrapping_does_not_matter(text):
    assert parse_arguments(text) == WANTED


@pytest.mark.parametrize("text", ["", "  \n", None, "{}", {}])
def test_no_arguments(text):
    assert parse_arguments(text) == {}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"text": ', "not valid JSON.*at the end"),
        ('{"text": "hi"', "delimiter at the end"),
        ("{'text': 'hi'}", "not valid JSON.*at character 2"),
        ("say hello", "not valid JSON"),
        ("[1, 2]", "a list, not a JSON object"),
        ("[]", "a list"),
        ("null", "null, not"),
        ("3", "a number"),
        ('"hi"', "a text"),
        ("true", "true or false"),
        (7, "a number"),
        ('{"n": NaN}', "NaN"),
        ('{"n": Infinity}', "Infinity"),
        ('{"n": -Infinity}', "-Infinity"),
        ('{"n": 1e999}', "1e999 is too large"),
        ('{"n": ' + "9" * 5000 + "}", "unusable number"),
        ('{"t": "\\ud83d"}', "half a character"),
        ('{"a": 1}{"b": 2}', "two JSON objects"),
        ('[{"a": 1}, {"b": 2}]', "a list"),
        ('{"a":' * 3000 + "1" + "}" * 3000, "nested too deeply"),
        ('{"t": "' + "x" * MAX_ARGUMENTS + '"}', f"at most {MAX_ARGUMENTS}"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_what_cannot_be_used_is_named_for_the_model(text, said):
    with pytest.raises(InvalidArguments, match=said) as caught:
        parse_arguments(text)
    assert len(str(caught.value)) < 300


def test_the_cap_can_be_set():
    with pytest.raises(InvalidArguments, match="at most 5"):
        parse_arguments('{"a": 1}', max_chars=5)
