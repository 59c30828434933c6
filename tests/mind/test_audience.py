"""Who may be told: lose one of these and a confidence is told on."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evennia_assistant.mind.audience import frozen, intersect, may_be_told

ids = st.sampled_from(["#1", "#2", "#3", "#4"])
groups = st.frozensets(ids, min_size=1)
audiences = st.one_of(st.just("public"), groups.map(lambda group: tuple(sorted(group))), st.none())


def test_what_was_said_in_the_open_may_be_told_to_anyone():
    assert may_be_told("public", ["#7"])
    assert may_be_told("public", [])


def test_a_confidence_may_be_told_only_when_all_who_hear_were_in_it():
    assert may_be_told(["#5", "#6"], ["#5"])
    assert may_be_told(("#5", "#6"), {"#6", "#5"})
    assert not may_be_told(["#5", "#6"], ["#5", "#7"])


def test_a_confidence_is_not_told_when_nobody_said_who_listens():
    assert not may_be_told(["#5"], [])


@pytest.mark.parametrize(
    "unclear",
    [
        None,
        "",
        "#5",
        "PUBLIC",
        [],
        (),
        {},
        {"#5": True},
        0,
        1,
        True,
        ["#5", None],
        [["#5"]],
        [5],
        [""],
        b"public",
        object(),
    ],
)
def test_an_audience_nobody_can_read_is_nobody(unclear):
    assert not may_be_told(unclear, ["#5"])
    assert frozen(unclear) is None
    assert intersect(["public", unclear]) is None


def test_a_listener_given_as_a_bare_string_is_not_taken_apart_into_letters():
    assert not may_be_told(["#", "5"], "#5")


@given(audiences, audiences, st.lists(ids))
def test_what_follows_from_two_memories_is_told_to_nobody_who_may_not_hear_both(
    one, two, listeners
):
    if may_be_told(intersect([one, two]), listeners):
        assert may_be_told(one, listeners)
        assert may_be_told(two, listeners)


@given(st.lists(audiences, min_size=1), st.lists(ids, min_size=1))
def test_what_follows_may_be_told_to_those_who_may_hear_all_of_it(evidence, listeners):
    if all(may_be_told(audience, listeners) for audience in evidence):
        assert may_be_told(intersect(evidence), listeners)


def test_public_evidence_takes_nobody_away_and_no_evidence_is_told_to_nobody():
    assert intersect(["public", ["#2", "#1"]]) == ("#1", "#2")
    assert intersect(["public", "public"]) == "public"
    assert intersect([["#1"], ["#2"]]) is None
    assert intersect([]) is None
