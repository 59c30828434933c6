"""The documented heuristic, rule by rule, and what no text can do to it."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from evennia_assistant.mind.importance import (
    DEFAULT_TRUST,
    HIGH_KEYWORDS,
    LOW_KEYWORDS,
    SOURCE_MODIFIERS,
    score_importance_heuristic,
)

#: Words of the documented table, typed out here once more so that a slip in either shows.
HIGH = [
    "player",
    "conflict",
    "discovery",
    "secret",
    "revealed",
    "attack",
    "danger",
    "important",
    "urgent",
    "critical",
    "death",
    "birth",
    "marriage",
    "betrayal",
    "alliance",
    "war",
    "peace",
    "treasure",
    "quest",
]
LOW = ["routine", "walked", "moved", "entered", "ordinary"]

SOURCES = st.sampled_from(["direct", "observation", "inference", "environmental", "rumour", ""])
TEXTS = st.text(max_size=400) | st.lists(
    st.sampled_from([*HIGH, *LOW, "the", "bread", "Anna", "!", "?", ".", "x" * 50])
).map(" ".join)


def documented(content, source_type):
    """The table of the source document, computed another way."""
    lower = content.lower()
    high = len([word for word in HIGH if lower.find(word) >= 0])
    low = len([word for word in LOW if lower.find(word) >= 0])
    points = {"direct": 7, "observation": 6, "environmental": 4}.get(source_type, 5)
    points += (0, 2, 4)[min(high, 2)]
    points -= low
    points += len(content) > 200
    points += any(mark in content for mark in "!?")
    return sorted((1, points, 10))[1]


def test_the_tables_are_the_documented_ones():
    assert sorted(HIGH_KEYWORDS) == sorted(HIGH) and sorted(LOW_KEYWORDS) == sorted(LOW)
    assert SOURCE_MODIFIERS == {"direct": 2, "observation": 1, "inference": 0, "environmental": -1}
    assert DEFAULT_TRUST == {
        "direct": 0.9,
        "observation": 0.8,
        "inference": 0.6,
        "environmental": 0.3,
    }


@given(TEXTS, SOURCES, st.lists(st.text()))
def test_any_text_scores_as_the_table_says(content, source_type, tags):
    scored = score_importance_heuristic(content, source_type, tags)
    assert scored == documented(content, source_type)
    assert isinstance(scored, int) and 1 <= scored <= 10


@pytest.mark.parametrize(("source", "score"), [("direct", 7), ("observation", 6)])
def test_a_plain_line_scores_by_its_source_alone(source, score):
    assert score_importance_heuristic("Bread is two coppers.", source, ()) == score


@given(
    st.sampled_from(HIGH),
    st.sampled_from(HIGH),
    st.lists(st.sampled_from(HIGH), max_size=10),
    st.sampled_from(["inference", "environmental", "rumour"]),
)
def test_two_strong_words_count_and_any_further_ones_do_not(one, other, more, source):
    # One that stands inside the other, as "war" in "reward", would be a third.
    assume(one not in other and other not in one)
    two = score_importance_heuristic(f"{one} {other}", source)
    assert two == score_importance_heuristic(" ".join([one, other, *more]), source)
    assert two - score_importance_heuristic("bread", source) == 4


@given(st.lists(st.sampled_from(LOW), unique=True), SOURCES)
def test_each_dull_word_costs_a_point_down_to_one(words, source):
    plain = score_importance_heuristic("bread", source)
    assert score_importance_heuristic(" ".join(words), source) == max(1, plain - len(words))


@given(st.integers(0, 400), SOURCES)
def test_only_what_is_longer_than_two_hundred_characters_counts_as_long(length, source):
    scored = score_importance_heuristic("b" * length, source)
    assert scored - score_importance_heuristic("", source) == (length > 200)


@given(TEXTS, SOURCES)
def test_case_and_tags_change_nothing(content, source):
    assume(len(content.upper()) == len(content) and content.upper().lower() == content.lower())
    plain = score_importance_heuristic(content, source, ())
    assert score_importance_heuristic(content.upper(), source, ["war", "secret"]) == plain


@given(st.lists(st.sampled_from(["!", "?"]), min_size=1), SOURCES)
def test_marks_count_once_however_many(marks, source):
    plain = score_importance_heuristic("bread", source)
    assert score_importance_heuristic("bread" + "".join(marks), source) == plain + 1
