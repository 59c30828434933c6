"""Whatever happens in whatever order, an NPC does not speak up more often than it may."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evennia_assistant.mind.initiative import (
    Chance,
    Limits,
    decide,
    is_shock,
    open_again,
    spent_gate,
    still_counting,
)

HOUR, DAY = 3600.0, 86400.0
ANNA = Chance("goal", ("#5",), "public", "g1", "g1")


def decided(now=0.0, **changes):
    state = {
        "present": ["#5"],
        "attempts": [],
        "awaiting": [],
        "chances": lambda: [ANNA],
        **changes,
    }
    return decide(now, **state)


def test_with_all_gates_open_it_goes():
    decision = decided()
    assert decision.went and decision.chance is ANNA


def never():
    raise AssertionError("looked for something to say behind a closed gate")


@pytest.mark.parametrize(
    ("gate", "closed"),
    [
        ("quiet", {"quiet": True}),
        ("awaiting", {"awaiting": ["#5"]}),
        ("budget", {"attempts": [-5 * HOUR, -10 * HOUR, -23 * HOUR]}),
        ("gap", {"attempts": [-HOUR]}),
        ("turn", {"busy": True}),
    ],
)
def test_a_closed_gate_holds_and_all_after_it_are_not_even_looked_at(gate, closed):
    order = ("quiet", "awaiting", "budget", "gap", "turn")
    later = {
        "awaiting": {"awaiting": ["#5"]},
        "gap": {"attempts": [-HOUR]},
        "turn": {"busy": True},
    }
    assert decided(**closed, chances=never).gate == gate
    for name in order[order.index(gate) + 1 :]:
        both = {**later.get(name, {}), **closed}
        assert decided(**both, chances=never).gate == gate


def test_without_anything_to_say_the_trigger_holds():
    assert decided(chances=list).gate == "trigger"


def test_time_does_not_make_an_answer_out_of_silence():
    assert decided(now=1000 * DAY, attempts=[0.0], awaiting=["#5"]).gate == "awaiting"


def test_one_who_is_waited_for_keeps_nobody_else_from_being_spoken_to():
    petra = Chance("goal", ("#6",), "public", "g2", "g2")
    decision = decided(present=["#5", "#6"], awaiting=["#5"], chances=lambda: [ANNA, petra])
    assert decision.chance is petra
    assert decided(present=["#5", "#6"], awaiting=["#5"]).gate == "awaiting"


moments = st.lists(
    st.one_of(st.floats(0, 10 * DAY), st.integers(0, 240).map(lambda hours: hours * HOUR)),
    max_size=60,
)


@given(moments, st.integers(1, 5), st.sampled_from([0.0, 0.5, 4.0, 30.0]), st.booleans())
def test_no_24_hours_have_more_than_the_budget_and_no_two_are_nearer_than_the_gap(
    whens, per_day, gap_hours, clock_runs_forward
):
    limits = Limits(per_day, gap_hours * HOUR)
    attempts, went = [], []
    for now in sorted(whens) if clock_runs_forward else whens:
        decision = decided(now, attempts=attempts, limits=limits)
        if decision.went:
            went.append(now)
            attempts = [*still_counting(now, attempts, limits), now]
    went.sort()
    for first in went:
        assert sum(first <= at < first + DAY for at in went) <= per_day
    assert all(later - at >= limits.gap for at, later in pairwise(went))


@given(moments, st.floats(0, 11 * DAY), st.integers(1, 5), st.sampled_from([0.0, 4.0, 30.0]))
def test_forgetting_old_attempts_opens_no_gate_and_the_time_told_is_the_time(
    attempts, now, per_day, gap_hours
):
    limits = Limits(per_day, gap_hours * HOUR)
    past = [at for at in attempts if at <= now]
    kept = still_counting(now, past, limits)
    assert spent_gate(now, kept, limits) == spent_gate(now, past, limits)
    opens = open_again(past, limits)
    assert (opens > now) == (spent_gate(now, past, limits) is not None)
    assert spent_gate(max(now, opens) + 0.001, past, limits) is None


@given(st.lists(st.sampled_from(["answer", "look"]), max_size=80))
def test_whoever_never_answers_is_spoken_to_once(events):
    attempts, awaiting, spoken, answered, now = [], set(), 0, 0, 0.0
    for event in events:
        now += 9 * HOUR
        if event == "answer":
            answered += bool(awaiting)
            awaiting.clear()
        elif decided(now, attempts=attempts, awaiting=awaiting).went:
            attempts.append(now)
            awaiting.add("#5")
            spoken += 1
    assert spoken <= answered + 1


def entry(**fields):
    return {"id": 1, "timestamp": "2026-01-01T12:00:00Z", "importance": 10, **fields}


NOON = 1_767_268_800.0


def test_only_what_is_strong_and_new_is_a_shock():
    assert is_shock(entry(valence=-0.8), NOON + HOUR)
    assert not is_shock(entry(valence=-0.7), NOON + HOUR)
    assert not is_shock(entry(valence=-0.9), NOON + 25 * HOUR)
    assert not is_shock(entry(valence=0.9, importance=5), NOON + HOUR)
    assert not is_shock(entry(), NOON + HOUR)
