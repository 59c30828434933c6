"""What a model says of an event, field by field, and the times it and people name."""

import json
import math
from contextlib import suppress
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evennia_assistant.mind.day_buckets import bucket_of
from evennia_assistant.mind.entry import MAX_RELATIONAL_TAGS, RELATIONAL_TAGS, make_entry, when_of
from evennia_assistant.mind.event_record import read_event, read_impact
from evennia_assistant.mind.event_time import event_time

TALK = datetime(2026, 11, 21, 18, 30, tzinfo=UTC).timestamp()  # a Saturday


def days(span):
    return span["start"][:10], span["end"][:10]


@pytest.mark.parametrize(
    ("said", "first", "after"),
    [
        ("today", "2026-11-21", "2026-11-22"),
        ("Tomorrow.", "2026-11-22", "2026-11-23"),
        ("yesterday", "2026-11-20", "2026-11-21"),
        ("on Friday", "2026-11-27", "2026-11-28"),
        ("saturday", "2026-11-28", "2026-11-29"),
        ("last saturday", "2026-11-14", "2026-11-15"),
        ("last friday", "2026-11-20", "2026-11-21"),
        ("in three days", "2026-11-24", "2026-11-25"),
        ("2 weeks ago", "2026-11-07", "2026-11-08"),
        ("next week", "2026-11-23", "2026-11-30"),
        ("last month", "2026-10-01", "2026-11-01"),
        ("next year", "2027-01-01", "2028-01-01"),
        ("2026-12", "2026-12-01", "2027-01-01"),
        ("2026-02-28", "2026-02-28", "2026-03-01"),
        ("明天", "2026-11-22", "2026-11-23"),
        ({"start": "2026-11-22", "end": "2026-11-24"}, "2026-11-22", "2026-11-25"),
        ({"start": "tomorrow"}, "2026-11-22", "2026-11-23"),
        ({"end": "2026-11-30"}, "2026-11-30", "2026-12-01"),
    ],
)
def test_a_time_counts_from_the_talk_and_not_from_the_night(said, first, after):
    assert days(event_time(said, TALK)) == (first, after)


def test_a_moment_is_a_moment_whatever_zone_it_was_written_in():
    for said in ("2026-11-22T20:00:00+02:00", "2026-11-22T18:00:00Z", "2026-11-22 18:00"):
        span = event_time(said, TALK)
        assert span["start"] == span["end"] == "2026-11-22T18:00:00.000000Z"
    assert when_of(event_time("in 2 hours", TALK)["start"]) == TALK + 7200


@pytest.mark.parametrize("nothing", [None, "", {}, [], {"start": None, "end": None}])
def test_what_has_no_time_is_given_none(nothing):
    assert event_time(nothing, TALK) is None


@pytest.mark.parametrize(
    "said",
    [
        *("soon", "2026-13-01", "9999-99-99", "2026-02-30", "0001-01-01", "in 999 years", 7),
        *({"start": "x"}, {"start": "2026-11-24", "end": "2026-11-22"}),
    ],
)
def test_what_cannot_be_dated_is_refused_rather_than_guessed(said):
    with pytest.raises(ValueError):
        event_time(said, TALK)


def test_each_field_is_judged_by_itself():
    fields, problems = read_event(
        {
            "impact": 11,
            "tags": ["commitment", "gossip", "turning point", "Vulnerability", "correction"],
            "when": {"start": "2026-11-24", "end": "2026-11-22"},
            "emotion": {"valence": -0.5, "arousal": "much"},
        },
        TALK,
    )
    assert "impact" not in fields and "event_time" not in fields
    assert fields["relational_tags"] == ["commitment", "turning-point", "vulnerability"]
    assert fields["valence"] == fields["emotion"]["valence"] == -0.5
    assert len(problems) == 5
    assert not any("gossip" in problem or "much" in problem for problem in problems)


def test_an_impact_is_read_however_models_write_it():
    assert [read_impact(raw) for raw in ("+2", -9, "\u22123", 4.4, None)] == [2, -9, -3, 4, None]
    for raw in (11, -11, "a lot", True, math.nan, math.inf, [], "1e99"):
        with pytest.raises(ValueError):
            read_impact(raw)


def test_a_shock_reaches_the_threshold_of_a_shock():
    for impact in (-10, -8, 8, 10):
        fields, _problems = read_event({"impact": impact}, TALK)
        assert abs(fields["valence"] * fields["importance"]) >= 8
    fields, _problems = read_event({"impact": 7}, TALK)
    assert abs(fields["valence"] * fields["importance"]) < 8


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)


@settings(max_examples=400, deadline=None)
@given(
    st.fixed_dictionaries(
        {},
        optional={
            "impact": JUNK,
            "tags": JUNK | st.lists(st.sampled_from(RELATIONAL_TAGS) | JUNK, max_size=6),
            "when": JUNK | st.fixed_dictionaries({}, optional={"start": JUNK, "end": JUNK}),
            "emotion": JUNK | st.dictionaries(st.sampled_from(["valence", "trust"]), JUNK),
            "scene": JUNK,
        },
    )
)
def test_whatever_is_given_makes_an_entry_or_is_left_out(item):
    fields, _problems = read_event(item, TALK)
    entry = make_entry(1, "Anna lost a ring.", when=TALK, **fields)
    assert -1.0 <= entry.get("valence", 0.0) <= 1.0
    assert len(entry.get("relational_tags", [])) <= MAX_RELATIONAL_TAGS
    with suppress(KeyError):
        assert entry["event_time"]["start"] <= entry["event_time"]["end"]
    json.dumps(entry)


def test_days_begin_at_midnight():
    nine = datetime(2026, 11, 21, 9, tzinfo=UTC).timestamp()
    hours = {0.4: "just now", 0.6: "earlier today", 8.9: "earlier today", 9.1: "yesterday"}
    hours |= {33.1: "earlier this week", 6 * 24: "earlier this week", 7 * 24: "older"}
    assert {h: bucket_of(nine - h * 3600, nine) for h in hours} == hours
    midnight = datetime(2026, 11, 21, 0, 10, tzinfo=UTC).timestamp()
    assert bucket_of(midnight - 1200, midnight) == "just now"
    assert bucket_of(midnight - 2400, midnight) == "yesterday"
