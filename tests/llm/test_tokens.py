"""Budgets need the number of tokens to be about right."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evennia_assistant.llm.tokens import count_message_tokens, count_tokens

ENGLISH = (
    "The innkeeper wipes the counter and looks you over. 'You again,' he says, 'and in weather "
    "like this!' Outside the wind howls around the eaves; the taproom smells of smoke, beer and "
    "wet dog. You remember that Anna lost her silver ring near the old mill last autumn, and that "
    "nobody in the village will talk about the miller's daughter."
)
SCHEMA = (
    '{"type": "function", "function": {"name": "search_journal", "description": "Search your '
    'journal for entries by words, tags and age.", "parameters": {"type": "object", "properties": '
    '{"query": {"type": "string", "description": "Words to look for"}, "limit": {"type": '
    '"integer", "minimum": 1, "maximum": 20}}, "required": ["query"], "additionalProperties": '
    "false}}}"
)


@pytest.mark.parametrize(
    ("text", "gpt4", "gpt4o"),
    [
        # What the vocabularies cl100k_base and o200k_base make of them.
        (ENGLISH, 77, 76),
        (SCHEMA, 95, 97),
        ("The quick brown fox jumps over the lazy dog.", 10, 10),
    ],
)
def test_english_and_json_are_within_a_sixth(text, gpt4, gpt4o):
    assert abs(count_tokens(text) - gpt4) <= gpt4 / 6
    assert abs(count_tokens(text) - gpt4o) <= gpt4o / 6


@pytest.mark.parametrize(
    "text", ["老掌柜靠在柜台上怀疑地打量着你", "なにをしにきた", "여관주인이당신을본다"]
)
def test_chinese_japanese_korean_take_about_a_token_a_character(text):
    assert len(text) <= count_tokens(text) <= 1.5 * len(text)


@pytest.mark.parametrize("text", [" ", "a", "\n\n", "!", "…", "7", "😀", "\ud83d"])
def test_nothing_but_nothing_is_free(text):
    assert count_tokens(text) >= 1
    assert count_tokens("") == 0


def test_a_prompt_grows_with_everything_in_it():
    message = {"role": "user", "content": ENGLISH}
    alone = count_message_tokens([message])
    assert alone > count_tokens(ENGLISH)
    call = {"id": "c", "type": "function", "function": {"name": "say", "arguments": '{"text": 1}'}}
    called = {"role": "assistant", "content": None, "tool_calls": [call]}
    with_call = count_message_tokens([message, called])
    assert with_call > alone
    tool = {"type": "function", "function": {"name": "say", "description": ENGLISH}}
    assert count_message_tokens([message, called], [tool]) > with_call + count_tokens(ENGLISH)


def test_a_long_word_costs_more_than_a_short_one():
    assert count_tokens("x" * 10_000) > 1000


@given(st.text(alphabet=st.characters(max_codepoint=127), max_size=60))
def test_a_text_of_ascii_counts_the_same_by_either_way_of_counting(text):
    # One letter beyond ASCII makes it count piece by piece; that line is two tokens more.
    assert count_tokens(f"{text}x\n\u00e9") == count_tokens(f"{text}x") + 2
