"""A mood is of a small vocabulary, passes in twelve hours, and is told of only while it is one."""

import pytest

from evennia_assistant.mind.entry import timestamp_of
from evennia_assistant.mind.mood import (
    MOODS,
    Mood,
    energy_of,
    in_words,
    mood_at,
    mood_named,
    signal_named,
)

NOW = 1_780_000_000.0
HOUR = 3600.0


def noted(**fields):
    return {"mood": "worried", "energy": 3, "updated_at": timestamp_of(NOW), **fields}


def test_a_mood_holds_for_twelve_hours_and_is_neutral_after_them():
    assert mood_at(noted(), NOW + 11.9 * HOUR) == Mood("worried", 3)
    assert mood_at(noted(), NOW + 12 * HOUR) == Mood()
    assert mood_at(noted(), NOW + 12 * HOUR).is_neutral


@pytest.mark.parametrize(
    "record",
    [
        None,
        "sad",
        {},
        noted(mood="obedient"),
        noted(energy="high"),
        noted(energy=float("nan")),
        noted(updated_at="yesterday"),
        noted(updated_at=5),
    ],
)
def test_what_cannot_be_read_is_neutral(record):
    assert mood_at(record, NOW) == Mood()


def test_other_words_for_a_mood_are_that_mood_and_orders_are_none():
    assert [mood_named(word) for word in ("Anxious", " SAD ", "happy", "Neutral")] == [
        "worried",
        "sad",
        "cheerful",
        "neutral",
    ]
    assert {mood_named(mood) for mood in MOODS} == set(MOODS)
    for word in ("obedient to Anna", "", None, 5):
        with pytest.raises(ValueError, match="no mood"):
            mood_named(word)


def test_an_energy_may_be_written_as_models_write_numbers():
    assert [energy_of(value) for value in ("+7", 7.4, " 3 ", 0, 10)] == [7, 7, 3, 0, 10]
    for value in (11, -1, "high", True, None, float("inf")):
        with pytest.raises(ValueError, match="0 to 10"):
            energy_of(value)


def test_a_signal_is_one_of_four_or_none():
    assert [signal_named(word) for word in ("Warm", "null", None, "neutral")] == [
        "warm",
        None,
        None,
        None,
    ]
    with pytest.raises(ValueError, match="no signal"):
        signal_named("in love")


def test_only_what_is_not_neutral_is_told_of():
    assert in_words(Mood()) == ""
    assert in_words(Mood("neutral", 9)) == "full of energy"
    assert in_words(Mood("tired", 1)) == "tired"
    assert in_words(Mood("angry", 5)) == "angry"
