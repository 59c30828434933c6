"""The documented score of an entry holds its bounds for every entry and every question."""

import math
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evennia_assistant.mind.scoring import keyword_overlap, score_episodic_memory

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)

WORDS = st.lists(
    st.sampled_from(["the", "Ring", "ring", "lost", "silver", "at", "mill", "漢字", "a"]),
    max_size=12,
)
HOURS = st.floats(0, 24 * 3650, allow_nan=False)
IMPORTANCE = st.integers(1, 10)
ALPHAS = st.tuples(*[st.floats(0, 10, allow_nan=False)] * 3).filter(lambda each: sum(each) > 1e-6)


def entry(words, hours, importance):
    return {
        "timestamp": NOW - timedelta(hours=hours),
        "content": " ".join(words),
        "importance": importance,
    }


@given(WORDS, WORDS, HOURS, IMPORTANCE, ALPHAS)
def test_a_score_is_the_weighted_mean_of_its_three_parts(words, query, hours, importance, alphas):
    made = entry(words, hours, importance)
    age = (NOW - made["timestamp"]).total_seconds() / 3600
    asked = {word.lower() for word in query}
    held = {word.lower() for word in words}
    parts = (math.exp(-0.99 * age), importance / 10, len(asked & held) / max(len(asked), 1))
    expected = sum(a * part for a, part in zip(alphas, parts, strict=True)) / sum(alphas)
    scored = score_episodic_memory(made, " ".join(query), NOW, *alphas)
    assert scored == pytest.approx(expected, abs=1e-9)
    assert -1e-9 <= scored <= 1 + 1e-9


@given(WORDS, WORDS, HOURS, HOURS, IMPORTANCE, ALPHAS)
def test_of_two_alike_the_older_never_scores_more(words, query, one, other, importance, alphas):
    newer, older = sorted((one, other))
    asked = " ".join(query)
    scores = [
        score_episodic_memory(entry(words, hours, importance), asked, NOW, *alphas)
        for hours in (newer, older)
    ]
    assert scores[0] >= scores[1] - 1e-12


@given(WORDS, WORDS, HOURS, IMPORTANCE, IMPORTANCE, ALPHAS)
def test_what_matters_more_never_scores_less(words, query, hours, one, other, alphas):
    least, most = sorted((one, other))
    asked = " ".join(query)
    scores = [
        score_episodic_memory(entry(words, hours, importance), asked, NOW, *alphas)
        for importance in (least, most)
    ]
    assert scores[0] <= scores[1] + 1e-12


@given(WORDS, HOURS, IMPORTANCE)
def test_a_question_that_says_nothing_finds_no_overlap(words, hours, importance):
    assert keyword_overlap("", " ".join(words)) == 0.0
    assert score_episodic_memory(entry(words, hours, importance), "  ", NOW, 0, 0, 1) == 0.0


@given(WORDS, st.sampled_from([(0, 0, 0), (0.0, 0.0, 0.0)]))
def test_weights_of_nothing_are_refused(words, alphas):
    with pytest.raises(ValueError, match="weight above 0"):
        score_episodic_memory(entry(words, 1, 5), "ring", NOW, *alphas)
