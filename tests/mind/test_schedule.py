"""Hours of sleep: an NPC sleeps when its keeper said, in every zone, every night of the year."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from evennia_assistant.errors import ConfigError
from evennia_assistant.mind.schedule import (
    SCHEDULE_DEFAULTS,
    SleepSchedule,
    is_urgent,
    parse_hours,
    turns_to_sleeper,
    wall_clock,
    zone_named,
)

#: Zones with no change of clocks, changes both ways, half hours, a day left out, two hours at once.
ZONES = (
    "UTC",
    "Europe/Paris",
    "America/New_York",
    "America/Sao_Paulo",
    "Australia/Lord_Howe",
    "Asia/Kolkata",
    "Pacific/Apia",
    "Antarctica/Troll",
    "Africa/Casablanca",
)
HOUR = 3600.0

schedules = st.builds(
    SleepSchedule,
    enabled=st.just(True),
    sleep_start_hour=st.integers(0, 23),
    sleep_duration_hours=st.integers(1, 23),
)
zones = st.sampled_from(ZONES).map(ZoneInfo)
moments = st.floats(1_200_000_000, 1_900_000_000)


def at(text, zone="UTC"):
    """Seconds since the epoch of a local time such as "2026-03-29 01:30"."""
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)).timestamp()


def hours(span, **more):
    start, length = parse_hours(span)
    return SleepSchedule(True, start, length, **more)


def test_a_night_over_midnight_holds_both_its_days():
    night = hours("22-2")
    for asleep in ("2026-05-01 22:00", "2026-05-01 23:59", "2026-05-02 00:00", "2026-05-02 01:59"):
        assert night.night_at(at(asleep)), asleep
    for awake in ("2026-05-01 21:59", "2026-05-02 02:00", "2026-05-02 12:00"):
        assert night.night_at(at(awake)) is None, awake


def test_the_documented_hours_are_two_to_six():
    assert SleepSchedule().hours == "02:00 to 06:00"
    assert {key: SCHEDULE_DEFAULTS[key] for key in list(SCHEDULE_DEFAULTS)[:5]} == {
        "enabled": False,
        "sleep_start_hour": 2,
        "sleep_duration_hours": 4,
        "tick_rate_sleep": 60,
        "min_awake_ticks": 10,
    }
    assert SleepSchedule.from_record(None) == SleepSchedule()
    assert SleepSchedule.from_record({"tick_rate_sleep": 9}).tick_rate_sleep == 9


@given(schedules, zones, moments)
def test_it_sleeps_exactly_at_its_hours_where_no_clock_is_changed(schedule, zone, now):
    local = datetime.fromtimestamp(now, zone)
    around = (datetime.fromtimestamp(now + step * HOUR, zone) for step in range(-30, 31, 2))
    assume(len({moment.utcoffset() for moment in around}) == 1)
    since = (local.hour - schedule.sleep_start_hour) % 24
    asleep = schedule.night_at(now, zone) is not None
    assert asleep == (since < schedule.sleep_duration_hours)


@given(schedules, zones, moments)
def test_a_night_is_one_stretch_of_about_its_length_whatever_clocks_do(schedule, zone, now):
    steps = (now + step * HOUR / 2 for step in range(4 * 48))
    night = next(filter(None, (schedule.night_at(moment, zone) for moment in steps)))
    length = (night.end - night.start) / HOUR
    # A clock is changed by two hours at most in one night, but Apia left out a whole day.
    slack = 24 if zone.key == "Pacific/Apia" else 2
    assert 0 < length <= schedule.sleep_duration_hours + slack
    assert schedule.night_at(night.start, zone) == night
    assert schedule.night_at(night.end - 0.5, zone) is not None
    assert schedule.ended_between(night.start, night.end, zone)
    assert not schedule.ended_between(night.end, night.end, zone)


@given(schedules, zones, moments)
def test_nobody_falls_asleep_twice_in_one_night_or_sleeps_through_a_day(schedule, zone, now):
    minutes = [now + 600 * step for step in range(6 * 48)]
    asleep = [schedule.night_at(moment, zone) is not None for moment in minutes]
    begins = [
        moment
        for moment, before, here in zip(minutes[1:], asleep, asleep[1:], strict=False)
        if here and not before
    ]
    assert not all(asleep)
    assert len(begins) <= 3
    days = [datetime.fromtimestamp(begin, zone).date() for begin in begins]
    assert len(set(days)) == len(days)


@given(schedules, zones, moments, st.floats(0, 400 * HOUR))
def test_whoever_slept_for_days_has_seen_a_night_end(schedule, zone, since, slept):
    ended = schedule.ended_between(since, since + slept, zone)
    if slept >= 50 * HOUR:
        assert ended
    if slept == 0:
        assert not ended


def test_in_spring_the_skipped_hour_is_neither_slept_twice_nor_lost():
    night, paris = hours("2-6"), ZoneInfo("Europe/Paris")
    assert night.night_at(at("2026-03-29 01:59", "Europe/Paris"), paris) is None
    assert night.night_at(at("2026-03-29 03:00", "Europe/Paris"), paris)
    assert night.night_at(at("2026-03-29 06:00", "Europe/Paris"), paris) is None


def test_in_autumn_the_hour_shown_twice_is_one_night():
    troll = ZoneInfo("Antarctica/Troll")
    found = hours("22-2").night_at(at("2026-10-24 23:00", "Antarctica/Troll"), troll)
    again = found.end + 1.5 * HOUR
    assert datetime.fromtimestamp(again, troll).hour == 1
    assert hours("22-2").night_at(again, troll) is None


def test_hours_as_a_keeper_types_them():
    assert parse_hours("22-06") == (22, 8)
    assert parse_hours("2-6") == (2, 4)
    assert parse_hours("20-24") == (20, 4)
    assert hours("22-06").hours == "22:00 to 06:00"
    for wrong in ("22", "25-3", "3-25", "-3-4", "a-b", "5-5", "0-24", "٣-٤x", ""):
        with pytest.raises(ConfigError):
            parse_hours(wrong)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("sleep_start_hour", 24),
        ("sleep_start_hour", "two"),
        ("sleep_start_hour", True),
        ("sleep_duration_hours", 0),
        ("sleep_duration_hours", 24),
        ("sleep_duration_hours", None),
        ("min_awake_ticks", -1),
        ("wake_cooldown_minutes", "x"),
        ("sleep_clock", "sundial"),
        ("sleep_depth", "dead"),
    ],
)
def test_an_unusable_key_is_named(key, value):
    with pytest.raises(ConfigError, match=f"sleep_schedule: {key} must be "):
        SleepSchedule.from_record({key: value})


def test_keys_nobody_knows_are_no_reason_to_stay_awake():
    assert SleepSchedule.from_record({"enabled": True, "moon": "full"}).enabled


def test_time_zones_are_found_by_name_or_refused():
    assert zone_named("utc") is UTC
    assert wall_clock(at("2026-05-01 12:00"), zone_named("Europe/Paris")) == "14:00"
    for wrong in ("Mars/Olympus", "", "../etc/passwd", "Europe", "x" * 5000):
        with pytest.raises(ConfigError, match="There is no time zone"):
            zone_named(wrong)


@pytest.mark.parametrize(
    ("metadata", "urgent"),
    [
        ({"classification": "direct_addressing"}, True),
        ({"classification": "direct_message"}, True),
        ({"urgent": True}, True),
        ({"priority": 8}, True),
        ({"priority": 10, "classification": "ambient"}, True),
        ({"priority": 7}, False),
        ({"priority": "9"}, False),
        ({"priority": True}, False),
        ({"urgent": "yes"}, False),
        ({"urgent": 1}, False),
        ({"classification": "alone"}, False),
        ({"classification": "engaged"}, False),
        ({}, False),
        (None, False),
    ],
)
def test_what_wakes_a_light_sleeper(metadata, urgent):
    assert is_urgent(metadata) is urgent


def test_what_is_said_around_a_sleeper_is_not_for_it():
    assert turns_to_sleeper("TRIGGER", {"classification": "alone"})
    assert turns_to_sleeper("CONTEXT", {"classification": "ambient", "urgent": True})
    for kind, classification in (
        ("CONTEXT", "ambient"),
        ("CONTEXT", "alone"),
        ("TRIGGER", "everyone"),
        ("TRIGGER", "engaged"),
        ("TRIGGER", "arrival"),
        ("TRIGGER", "channel"),
        ("TRIGGER", "trust"),
    ):
        assert not turns_to_sleeper(kind, {"classification": classification})
