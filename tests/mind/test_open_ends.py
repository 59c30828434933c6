"""Promises and expectations: when they are due, what expires, and which press most."""

import pytest

from evennia_assistant.mind.entry import make_entry, timestamp_of
from evennia_assistant.mind.open_ends import (
    EXPIRED,
    LONGEST_OPEN,
    MOST_OPEN,
    due_of,
    is_over_expectation,
    lately_unkept,
    open_end_of,
    outcome_record,
    over,
    pressing,
)

NOW = 1_780_000_000.0
DAY = 86_400.0


def end(number=1, kind="intention", due=None, *, made=NOW, **fields):
    time = None if due is None else {"start": None, "end": timestamp_of(due)}
    entry = make_entry(
        number, f"Promise {number}.", when=made, kind=kind, event_time=time, audience="public"
    )
    return open_end_of({**entry, **fields})


def test_only_promises_and_expectations_that_hold_are_open_ends():
    assert open_end_of(make_entry(1, "It rains.", when=NOW)) is None
    assert end(state="superseded") is None
    assert end(state="merged") is None
    assert end(state="dormant").is_open


def test_a_time_is_its_end_else_its_start_and_odd_ones_are_none():
    assert due_of({"start": 1.0, "end": 2.0}) == 2.0
    assert due_of({"start": "2026-01-01T00:00:00Z", "end": None}) == 1_767_225_600.0
    for odd in (None, {}, {"end": True}, "soon", {"end": "Friday"}, []):
        assert due_of(odd) is None


def test_it_is_due_at_its_time_and_expires_a_day_later():
    promise = end(due=NOW + DAY)
    assert not promise.is_due(NOW) and promise.is_due(NOW + DAY)
    assert not promise.has_expired(NOW + 1.9 * DAY) and promise.has_expired(NOW + 2 * DAY)


def test_it_is_time_for_it_from_its_beginning_on_and_what_has_no_time_never_comes():
    def come(event_time, now=1_767_268_800.0):
        entry = make_entry(1, "x", when=0.0, kind="expectation", event_time=event_time)
        return open_end_of(entry).has_come(now)

    assert come({"start": "2026-01-01T11:00:00Z", "end": "2026-01-09T11:00:00Z"})
    assert come({"end": 1_767_268_799.0})
    assert not come({"start": "2026-01-01T13:00:00Z"})
    assert not come({"start": "soon"}) and not come(None) and not come({"start": True})


def test_what_names_no_time_is_open_for_a_month():
    assert not end().is_due(NOW + 29 * DAY)
    assert not end().has_expired(NOW + 29 * DAY)
    assert end().has_expired(NOW + LONGEST_OPEN)


def test_what_was_closed_is_neither_due_nor_expires_again():
    closed = end(due=NOW, outcome=outcome_record("broken", NOW))
    assert (closed.outcome, closed.closed, closed.is_open) == ("broken", NOW, False)
    assert not closed.is_due(NOW + DAY) and not closed.has_expired(NOW + 9 * DAY)


def test_an_outcome_is_one_of_three():
    with pytest.raises(ValueError, match="none of"):
        outcome_record("kept, on my word", NOW)


def test_an_expectation_that_is_over_is_no_knowledge_any_more_and_a_promise_stays_one():
    entry = make_entry(1, "Anna will come.", when=NOW, kind="expectation")
    assert not is_over_expectation(entry)
    entry["outcome"] = outcome_record(EXPIRED, NOW)
    assert is_over_expectation(entry)
    assert not is_over_expectation({**entry, "kind": "intention"})


def test_of_too_many_those_made_longest_ago_expire():
    ends = [end(n, made=NOW + n, due=NOW + 9 * DAY) for n in range(1, MOST_OPEN + 4)]
    assert [gone.number for gone in over(ends, NOW + DAY)] == [1, 2, 3]


def test_what_concerns_those_at_hand_presses_most_then_what_is_due_soonest():
    ends = [
        end(1, due=NOW + 3 * DAY),
        end(2, due=NOW + DAY),
        end(3, due=NOW + 9 * DAY, entities=["#5"]),
        end(4, due=NOW, outcome=outcome_record("fulfilled", NOW)),
        end(5),
    ]
    assert [one.number for one in pressing(ends, NOW, about=["#5"])] == [3, 2, 1, 5]
    assert len(pressing(ends, NOW, most=2)) == 2


def test_what_was_not_kept_is_told_of_to_whom_it_was_promised_and_not_for_ever():
    unkept = end(1, entities=["#5"], outcome=outcome_record("broken", NOW))
    kept = end(2, entities=["#5"], outcome=outcome_record("fulfilled", NOW))

    def found(about, now):
        return lately_unkept([unkept, kept], now, about=about, within=7 * DAY, most=2)

    assert found(["#5"], NOW + DAY) == [unkept]
    assert found(["#6"], NOW + DAY) == found(["#5"], NOW + 8 * DAY) == []
