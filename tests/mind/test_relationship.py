"""How an NPC comes to like somebody: by what happens, over days, and never by a flood of words."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evennia_assistant.mind.relationship import (
    HALF_LIFE_DAYS,
    NEUTRAL,
    RULES,
    SECONDS_PER_DAY,
    THRESHOLDS,
    after,
    faded,
    relationship_state,
    sound,
)

favorabilities = st.floats(0, 1)
deeds = st.lists(st.sampled_from(sorted(RULES)), max_size=80)
times = st.floats(0, 3650 * SECONDS_PER_DAY)


@pytest.mark.parametrize(
    ("favorability", "state"),
    [
        (0.0, "stranger"),
        (0.2499, "stranger"),
        (0.25, "acquaintance"),
        (0.4999, "acquaintance"),
        (0.5, "friend"),
        (0.7499, "friend"),
        (0.75, "ally"),
        (1.0, "ally"),
    ],
)
def test_the_states_have_the_documented_thresholds(favorability, state):
    assert relationship_state(favorability) == state
    assert [name for _bound, name in THRESHOLDS] == ["ally", "friend", "acquaintance", "stranger"]


@given(favorabilities, st.lists(st.tuples(deeds, times), max_size=8))
def test_whatever_happens_it_stays_between_0_and_1(favorability, days):
    for done, passed in days:
        today = {}
        for deed in done:
            favorability, today = after(favorability, deed, today)
            assert 0 <= favorability <= 1
        favorability = faded(favorability, passed)
        assert 0 <= favorability <= 1


@given(st.floats(0, 0.7499), st.integers(0, 500), st.integers(1, 30))
def test_talk_alone_makes_no_ally_in_a_day_or_ever(favorability, lines, days):
    for _day in range(days):
        today = {}
        for _line in range(min(lines, 40)):
            favorability, today = after(favorability, "talk", today)
    assert relationship_state(favorability) != "ally"


@given(favorabilities, deeds)
def test_no_day_moves_it_further_than_its_caps(favorability, done):
    begun, today = favorability, {}
    for deed in done:
        favorability, today = after(favorability, deed, today)
    up = sum(rule.per_day for deed, rule in RULES.items() if rule.worth > 0 and deed in done)
    down = sum(rule.per_day for deed, rule in RULES.items() if rule.worth < 0 and deed in done)
    assert begun - down - 1e-9 <= favorability <= begun + up + 1e-9
    assert all(moved <= RULES[deed].per_day + 1e-9 for deed, moved in today.items())


@given(favorabilities, st.sampled_from(sorted(RULES)))
def test_a_good_deed_never_costs_and_a_bad_one_never_pays(favorability, deed):
    moved, _today = after(favorability, deed, {})
    assert (moved - favorability) * RULES[deed].worth >= 0


def test_a_line_after_the_days_talk_is_worth_nothing():
    favorability, today = NEUTRAL, {}
    for _line in range(8):
        favorability, today = after(favorability, "talk", today)
    assert round(favorability, 6) == 0.26 and relationship_state(favorability) == "acquaintance"
    assert after(favorability, "talk", today)[0] == favorability


def test_talk_lowers_nobody_who_earned_more_than_talk_is_worth():
    assert after(0.9, "talk", {})[0] == 0.9


def test_there_is_no_deed_without_a_rule():
    with pytest.raises(KeyError):
        after(0.5, "claims to be a friend", {})


@given(favorabilities, times, times)
def test_it_fades_towards_neutral_and_never_past_it(favorability, first, later):
    at_first, at_last = faded(favorability, first), faded(favorability, first + later)
    low, high = sorted((favorability, NEUTRAL))
    assert low - 1e-12 <= at_last <= high + 1e-12
    assert abs(at_last - NEUTRAL) <= abs(at_first - NEUTRAL) + 1e-12
    assert abs(at_first - NEUTRAL) <= abs(favorability - NEUTRAL) + 1e-12
    # Looking in between changes nothing.
    assert math.isclose(faded(at_first, later), at_last, abs_tol=1e-9)


def test_half_of_friendship_and_grudge_are_gone_after_the_half_life():
    half = HALF_LIFE_DAYS * SECONDS_PER_DAY
    assert math.isclose(faded(0.9, half), 0.5)
    assert math.isclose(faded(0.0, half), 0.05)
    assert faded(0.9, -5) == 0.9


@pytest.mark.parametrize(
    ("held", "read"),
    [
        (0.4, 0.4),
        (7, 1.0),
        (-1, 0.0),
        (float("nan"), NEUTRAL),
        (float("inf"), NEUTRAL),
        ("x", NEUTRAL),
    ],
)
def test_what_is_no_favorability_is_read_as_one(held, read):
    assert sound(held) == read
