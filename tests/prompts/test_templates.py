"""Placeholders: what is filled in, what is refused, and what stays as it was written."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evennia_assistant.errors import ConfigError
from evennia_assistant.prompts.templates import (
    PLACEHOLDERS,
    PromptTemplate,
    UnknownPlaceholder,
    template_name,
)
from evennia_assistant.prompts.tool_docs import tool_documentation

from tests.prompts.turns import TOOLS

VALUES = {
    "name": "Bram",
    "tick_rate": "5",
    "reflection_interval": "100",
    "tool_schemas": "- say(text: string): Speak.",
}


def filled(text):
    return PromptTemplate("mine", text).fill(VALUES)


def test_placeholders_are_filled_in():
    text = "You are {name}; {tick_rate}, {reflection_interval}.\n{tool_schemas}"
    assert filled(text) == "You are Bram; 5, 100.\n- say(text: string): Speak."
    assert PromptTemplate("mine", text + "{name}").placeholders == (
        "name",
        "tick_rate",
        "reflection_interval",
        "tool_schemas",
    )


@pytest.mark.parametrize("word", ["user", "Name", "tickrate", "name_", "x" * 90, "__class__"])
def test_an_unknown_placeholder_is_named_with_those_there_are(word):
    with pytest.raises(UnknownPlaceholder) as refused:
        filled(f"Hello {{{word}}}!")
    assert str(refused.value) == (
        f"{{{word[:40]}}} in mine is no placeholder. There are {{name}}, {{reflection_interval}}, "
        f"{{tick_rate}}, {{tool_schemas}}; for the word itself write {{{{{word[:40]}}}}}."
    )
    assert isinstance(refused.value, ConfigError) and not isinstance(refused.value, KeyError)


@pytest.mark.parametrize(
    "text",
    [
        '{"tool": "say", "parameters": {"text": "{}"}}',
        "{",
        "}}",
        "{}",
        "{ name }",
        "{0} {name.upper} {name!r} {name:>10}",
        "{{ }}",
        '{"a": {"b": 1}}',
    ],
)
def test_other_braces_are_text(text):
    assert filled(text) == text


def test_a_word_in_doubled_braces_stands_for_itself():
    assert filled("{{name}} is {name}") == "{name} is Bram"
    assert filled("{{user}}") == "{user}"


def test_what_is_filled_in_is_not_read_again():
    assert PromptTemplate("mine", "{name}").fill({"name": "{tick_rate} {oops}"}) == (
        "{tick_rate} {oops}"
    )


def test_a_known_placeholder_without_a_value_is_named():
    with pytest.raises(UnknownPlaceholder, match=r"\{tool_schemas\} in mine has no value here\."):
        PromptTemplate("mine", "{tool_schemas}").fill({})


@given(st.text(alphabet="{}nametick_r \n\"'", max_size=60))
def test_any_text_is_filled_or_refused_by_name(text):
    try:
        filled(text)
    except UnknownPlaceholder as err:
        assert " in mine is no placeholder." in str(err)


@given(st.dictionaries(st.text(), st.text() | st.integers()))
def test_json_with_no_bare_words_comes_through(value):
    text = json.dumps(value)
    if not PromptTemplate("mine", text).placeholders and "{{" not in text:
        assert filled(text) == text


def test_every_known_placeholder_says_what_it_is():
    assert set(PLACEHOLDERS) == set(VALUES) and all(PLACEHOLDERS.values())


@pytest.mark.parametrize("name", ["", " ", "-x", "a b", "ü", "x" * 41, "a/b", "../rules"])
def test_an_unusable_template_name_is_refused(name):
    with pytest.raises(ConfigError, match="A template's name has up to 40 of a-z, 0-9, _ and -"):
        template_name(name)


def test_tools_are_documented_in_a_line_each():
    kinds = {
        "manner": {"enum": ["loud", "low"]},
        "tags": {"type": "array", "items": {"type": "string"}},
        "limit": {"type": ["integer", "null"]},
        "what": {},
    }
    odd = {
        "function": {
            "name": "odd",
            "description": "Two\nlines of <tags>.",
            "parameters": {"properties": kinds},
        }
    }
    assert tool_documentation([*TOOLS, odd, {"function": {"name": "bare"}}]) == (
        "- say(text: string (The words.), to?: string): Say something aloud.\n"
        "- noop(): Stay silent.\n"
        "- odd(manner?: loud or low, tags?: list of string, limit?: integer or null, what?: any): "
        "Two lines of \u2039tags\u203a.\n"
        "- bare(): "
    )
    assert tool_documentation([]) == "(none)"
