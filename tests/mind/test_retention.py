"""How long a memory lasts, in nights."""

import pytest

from evennia_assistant.mind.retention import (
    DYING,
    age,
    fades,
    gained_by_merging,
    next_reading,
    strength,
    united_when,
)

NEVER = {"reading": 0, "cycle": 0, "at": None}


@pytest.mark.parametrize(("importance", "nights"), [(3, 54), (5, 70), (7, 80), (10, 90)])
def test_a_memory_nobody_recalls_fades_after_the_documented_number_of_nights(importance, nights):
    assert not fades(importance, nights - 1)
    assert fades(importance, nights)


def test_every_recall_buys_a_night():
    assert strength(5, 80, hits=15) == strength(5, 65)
    assert not fades(5, 200, hits=150)


def test_more_recalls_than_nights_make_a_memory_no_stronger_than_it_was():
    assert strength(5, 3, hits=100) == 0.5


def test_what_is_pinned_never_fades():
    assert not fades(1, 10_000, pinned=True)


def test_a_dormant_memory_comes_back_after_two_deep_hits():
    assert fades(5, 70, hits=0)
    assert not fades(5, 70, hits=4)


def test_a_survivor_gains_half_a_point_and_never_more_than_a_ten():
    assert gained_by_merging(5, 0.0) == 0.05
    assert gained_by_merging(5, 0.05) == 0.1
    assert gained_by_merging(10, 0.0) == 0.0
    assert strength(9, 0, gained=gained_by_merging(9, 0.1)) == 1.0


def test_dates_are_united_and_the_survivors_words_stay():
    ours = ["2026-01-02", {"date": "2026-01-01", "action": "Anna lost a ring"}]
    theirs = ["2026-01-01", {"date": "2026-01-02", "action": "It rained"}, "2025-12-31"]
    assert united_when(ours, theirs) == [
        "2025-12-31",
        {"date": "2026-01-01", "action": "Anna lost a ring"},
        "2026-01-02",
    ]


def test_nights_count_once_however_often_they_are_looked_at():
    first = next_reading(NEVER, 1, 1000.0)
    assert first["reading"] == 1
    assert next_reading(first, 1, 99_000_000.0) == first


def test_naps_that_follow_each_other_within_six_hours_are_one_night():
    clock, now = NEVER, 0.0
    for cycle in range(1, 25):
        clock = next_reading(clock, cycle, now)
        now += 3600.0
    assert clock["reading"] == 4


def test_a_clock_put_back_does_not_stop_the_nights():
    clock = next_reading(NEVER, 1, 1e9)
    assert next_reading(clock, 2, 1e8)["reading"] == 2


def test_what_is_asleep_ages_no_further():
    assert age(70, None, 500) == 70
    assert age(3, 10, 17) == 10
    assert age(3, 17, 10) == 3


def test_the_floor_is_the_documented_one():
    assert DYING == 0.05
