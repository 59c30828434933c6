"""What an event seems to need, with and without a model."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evennia_assistant.mind.assessment import (
    EVENT_CLASSES,
    ContextSignals,
    assess_heuristic,
    classify_event,
    mode_for,
    parse_assessment,
)


@pytest.mark.parametrize(
    ("event_type", "text", "expected"),
    [
        ("say", "Good evening to you.", "communication"),
        ("whisper", "", "communication"),
        ("channel", "hello all", "communication"),
        ("say", "Build me a shed.", "building"),
        ("spawn", "what?", "building"),
        ("say", "Where is the ferry", "query"),
        ("say", "You know the way?", "query"),
        ("say", "Walk with me.", "movement"),
        ("travel", "", "movement"),
        ("say", "Examine the lantern.", "observation"),
        ("look", "who is there?", "observation"),
        ("say", "Complete the task you were given.", "goal_action"),
        ("goal", "", "goal_action"),
        ("arrive", "", "unknown"),
        ("arrive", "reply", "communication"),
        # Words inside words are none.
        ("say", "The lobster got away with the candlesticks.", "communication"),
        ("say", "你好", "communication"),
    ],
)
def test_events_are_classed_by_what_they_ask_for(event_type, text, expected):
    assert classify_event(event_type, text) == expected


def test_the_documented_classes_keep_their_words():
    assert {kind.name: (kind.keywords, kind.event_types) for kind in EVENT_CLASSES} == {
        "communication": (
            ("say", "page", "whisper", "reply"),
            ("say", "page", "whisper", "channel"),
        ),
        "building": (("spawn", "create", "build", "destroy"), ("build", "spawn", "create")),
        "observation": (("look", "examine", "inspect"), ("look", "examine")),
        "movement": (("go", "move", "walk", "enter"), ("move", "travel")),
        "query": (("what", "who", "where", "how", "?"), ("query", "help")),
        "goal_action": (("goal", "task", "complete"), ("goal", "task")),
    }


@pytest.mark.parametrize(
    ("event_type", "mode", "iterations", "confirm"),
    [
        ("say", "single_action", 1, False),
        ("build", "react_loop", 4, True),
        ("look", "single_action", 1, False),
        ("move", "single_action", 1, False),
        ("query", "react_loop", 2, False),
        ("goal", "react_loop", 5, False),
        ("arrive", None, 5, False),
    ],
)
def test_a_class_has_its_documented_effect(event_type, mode, iterations, confirm):
    found = assess_heuristic(event_type)
    assert (found.recommended_mode, found.recommended_iterations) == (mode, iterations)
    assert found.recommend_confirm_dangerous is confirm


def test_complexity_means_what_the_table_says():
    assert [mode_for(score) for score in (1, 2, 3, 4, 5)] == [
        ("single_action", 1),
        ("single_action", 1),
        ("react_loop", 3),
        ("react_loop", 5),
        ("react_loop", 10),
    ]


def test_a_line_of_several_steps_gets_room_for_them():
    found = assess_heuristic(
        "say", "Go to the cellar, then look for the lantern and after that walk back."
    )
    assert (found.complexity_score, found.recommended_mode) == (4, "react_loop")
    assert found.recommended_iterations == 5
    assert found.reasoning == "movement event; 2 further steps named."


def test_a_full_window_failures_and_urgency_count():
    def assessed(**signals):
        found = assess_heuristic("goal", signals=ContextSignals(**signals), max_iterations=10)
        return found.recommended_mode, found.recommended_iterations, found.reasoning

    assert assessed() == ("react_loop", 5, "goal_action event.")
    assert assessed(token_pressure=70.0) == (
        "react_loop",
        2,
        "goal_action event; context window 70 % full: fewer tools.",
    )
    assert assessed(token_pressure=85.0)[:2] == ("single_action", 1)
    assert assessed(consecutive_errors=2)[:2] == ("react_loop", 3)
    assert assessed(consecutive_errors=3) == (
        "single_action",
        1,
        "goal_action event; 3 failures in a row: one tool, confirmed.",
    )
    assert assessed(goal_urgency="critical") == (
        "react_loop",
        10,
        "goal_action event; urgent goal.",
    )
    assert assessed(goal_urgency=math.nan)[:2] == ("react_loop", 5)
    assert assessed(goal_urgency="soon")[:2] == ("react_loop", 5)


def test_the_signals_are_reported():
    found = assess_heuristic("look", signals=ContextSignals(12.5, 1, 3.0))
    assert found.context_signals == {
        "event_class": "observation",
        "steps": 0,
        "token_pressure": 12.5,
        "consecutive_errors": 1,
        "goal_urgency": 1.0,
    }


@given(
    st.text(max_size=40),
    st.text(max_size=200),
    st.floats(),
    st.integers(0, 50),
    st.one_of(st.none(), st.floats(), st.text(max_size=8)),
    st.integers(1, 10),
)
def test_any_event_is_assessed_within_bounds(event_type, text, pressure, errors, urgency, most):
    signals = ContextSignals(pressure, errors, urgency)
    found = assess_heuristic(event_type, text, signals=signals, max_iterations=most)
    assert 1 <= found.complexity_score <= 5
    assert 1 <= found.recommended_iterations <= most
    assert found.recommended_mode in (None, "single_action", "react_loop")


def test_a_models_assessment_is_taken_as_it_is():
    found = parse_assessment(
        {
            "complexity_score": 3,
            "recommended_mode": "react_loop",
            "recommended_iterations": 4,
            "recommend_confirm_dangerous": False,
            "reasoning": "Two things\nto do.",
        }
    )
    assert (found.complexity_score, found.recommended_mode) == (3, "react_loop")
    assert (found.recommended_iterations, found.recommend_confirm_dangerous) == (4, False)
    assert found.reasoning == "Two things to do." and found.problems == ()


def test_the_good_part_of_a_models_assessment_is_kept_and_the_rest_named():
    found = parse_assessment(
        {
            "complexity_score": "4/5",
            "recommended_mode": "go wild",
            "recommended_iterations": -1,
            "recommend_confirm_dangerous": "maybe",
            "reasoning": ["a"],
        }
    )
    assert (found.complexity_score, found.recommended_mode) == (4, "react_loop")
    assert (found.recommended_iterations, found.recommend_confirm_dangerous) == (5, True)
    assert found.problems == (
        "recommended_mode",
        "recommended_iterations",
        "recommend_confirm_dangerous",
        "reasoning",
    )
    assert parse_assessment({"complexity_score": 1, "recommended_mode": None}).problems


@pytest.mark.parametrize(
    "score", [None, 0, 6, "many", math.nan, math.inf, 2.5, True, [3], 10**400, "9" * 9]
)
def test_an_assessment_without_a_complexity_is_refused(score):
    with pytest.raises(ValueError, match="no complexity_score from 1 to 5"):
        parse_assessment({"complexity_score": score, "recommended_iterations": 9})


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=4,
)


@given(
    st.fixed_dictionaries(
        {"complexity_score": st.integers(1, 5)},
        optional={
            "recommended_mode": json_values,
            "recommended_iterations": json_values,
            "recommend_confirm_dangerous": json_values,
            "reasoning": json_values,
        },
    ),
    st.integers(1, 10),
)
def test_no_answer_of_a_model_leaves_the_bounds(answer, most):
    found = parse_assessment(answer, max_iterations=most)
    assert 1 <= found.recommended_iterations <= most
    assert found.recommended_mode in (None, "single_action", "react_loop")
    assert isinstance(found.recommend_confirm_dangerous, bool) and len(found.reasoning) <= 500
