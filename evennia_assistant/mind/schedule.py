"""
When an NPC sleeps, and what wakes it.

A *night* begins at an hour of the wall clock and ends at another, counted in the game's time zone,
in one of the NPC's own, or in game time. Where clocks are put forward or back it stays one night:
it begins the first time its hour comes, and ends the first time the other does after that.

>>> schedule = SleepSchedule(enabled=True, sleep_start_hour=22, sleep_duration_hours=4)
>>> schedule.hours
'22:00 to 02:00'
>>> night = schedule.night_at(1_780_000_000.0)  # 2026-05-28 20:26:40 UTC
>>> night is None
True

"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Any, Literal
from zoneinfo import ZoneInfo

from ..errors import ConfigError

#: A light sleeper is woken by whoever turns to it; a deep one by its keeper or the hour.
Depth = Literal["light", "deep"]
DEPTHS: tuple[Depth, ...] = ("light", "deep")
#: Which clock the hours are of.
CLOCKS: tuple[str, ...] = ("real", "game")

#: The keys of `script.db.sleep_schedule` and what each is without a word from anybody. The first
#: five are documented.
SCHEDULE_DEFAULTS: Mapping[str, Any] = {
    "enabled": False,
    "sleep_start_hour": 2,
    "sleep_duration_hours": 4,
    "tick_rate_sleep": 60,
    "min_awake_ticks": 10,
    "sleep_clock": "real",
    "sleep_time_zone": "",
    "sleep_depth": "light",
    "wake_cooldown_minutes": 60,
}

#: Decisions of the classification that turn to the NPC itself, and so wake a light sleeper.
URGENT_CLASSIFICATIONS = frozenset({"direct_addressing", "direct_message"})
#: Decisions that turn to it without being urgent: it is told of them when it wakes.
ADDRESSING_CLASSIFICATIONS = frozenset({"alone", "assistant_cross_talk"})
#: Priority of an event, of 10, from which on it is urgent.
URGENT_PRIORITY = 8


@dataclass(frozen=True, slots=True)
class Night:
    """
    One stretch of scheduled sleep.

    Args:
        start: Seconds since the epoch of its clock.
        end: The same, later than `start`.

    """

    start: float
    end: float


@dataclass(frozen=True, slots=True)
class SleepSchedule:
    """
    An NPC's hours of sleep, as `script.db.sleep_schedule` holds them.

    Args:
        enabled: Whether it keeps them.
        sleep_start_hour: Hour at which it falls asleep, 0 to 23.
        sleep_duration_hours: Hours of the wall clock it sleeps, 1 to 23.
        tick_rate_sleep: Seconds between two ticks asleep.
        min_awake_ticks: Ticks it must have been awake before it falls asleep of itself.
        sleep_clock: `real` or `game`.
        sleep_time_zone: Name of a zone; empty is the game's. Game time has none.
        sleep_depth: How it sleeps by schedule.
        wake_cooldown_minutes: Minutes after waking in which it does not fall asleep of itself.

    """

    enabled: bool = False
    sleep_start_hour: int = 2
    sleep_duration_hours: int = 4
    tick_rate_sleep: int = 60
    min_awake_ticks: int = 10
    sleep_clock: str = "real"
    sleep_time_zone: str = ""
    sleep_depth: Depth = "light"
    wake_cooldown_minutes: float = 60

    @classmethod
    def from_record(cls, record: Mapping[str, Any] | None) -> SleepSchedule:
        """
        The schedule a record describes; keys it lacks have their defaults.

        Raises:
            ConfigError: Naming the key whose value cannot be used.

        """
        given = {**SCHEDULE_DEFAULTS, **(record or {})}
        try:
            made = cls(**{key: given[key] for key in SCHEDULE_DEFAULTS})
        except TypeError as err:
            raise ConfigError(f"sleep_schedule cannot be read: {err}.") from err
        for key, fits, wanted in (
            ("sleep_start_hour", _between(made.sleep_start_hour, 0, 23), "an hour from 0 to 23"),
            ("sleep_duration_hours", _between(made.sleep_duration_hours, 1, 23), "from 1 to 23"),
            ("min_awake_ticks", _between(made.min_awake_ticks, 0), "a number from 0"),
            ("wake_cooldown_minutes", _between(made.wake_cooldown_minutes, 0), "a number from 0"),
            ("sleep_clock", made.sleep_clock in CLOCKS, "real or game"),
            ("sleep_depth", made.sleep_depth in DEPTHS, "light or deep"),
        ):
            if not fits:
                raise ConfigError(
                    f"sleep_schedule: {key} must be {wanted}; {str(given[key])[:40]!r} is not."
                )
        return made

    @property
    def end_hour(self) -> int:
        """Hour at which it wakes, 0 to 23."""
        return int(self.sleep_start_hour + self.sleep_duration_hours) % 24

    @property
    def hours(self) -> str:
        """The hours in words: "22:00 to 02:00"."""
        return f"{int(self.sleep_start_hour):02}:00 to {self.end_hour:02}:00"

    def night_at(self, now: float, zone: tzinfo = UTC) -> Night | None:
        """
        The night that is going on.

        Args:
            now: Seconds since the epoch of the schedule's clock.
            zone: Where the hours are counted.

        Returns:
            The night, None by day. `enabled` is not asked.

        """
        return next((night for night in self._around(now, zone) if _in(now, night)), None)

    def ended_between(self, since: float, now: float, zone: tzinfo = UTC) -> bool:
        """Whether a night ended after `since` and not after `now`."""
        # A night ends within two days; whoever slept longer than that has seen one end.
        return any(since < night.end <= now for night in self._around(now, zone))

    def _around(self, now: float, zone: tzinfo) -> Iterable[Night]:
        """The nights that began today or in the two days before, without any of no length."""
        today = _local(now, zone).date()
        nights = (self._of(today - timedelta(days=back), zone) for back in range(3))
        return (night for night in nights if night.start < night.end)

    def _of(self, day: date, zone: tzinfo) -> Night:
        begins = datetime.combine(day, time(int(self.sleep_start_hour)))
        ends = begins + timedelta(hours=int(self.sleep_duration_hours))
        return Night(_instant(begins, zone), _instant(ends, zone))


def _between(value: Any, low: float, high: float = float("inf")) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high


def _in(now: float, night: Night) -> bool:
    return night.start <= now < night.end


def _local(now: float, zone: tzinfo) -> datetime:
    # Unlike `fromtimestamp(now, zone)` this is right on all platforms for all years a game may use.
    return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=now)).astimezone(zone)


def wall_clock(now: float, zone: tzinfo) -> str:
    """What a clock on the wall shows: "22:05"."""
    return _local(now, zone).strftime("%H:%M")


def _instant(wall: datetime, zone: tzinfo) -> float:
    """When a clock on the wall first shows a time; one that is skipped counts as just after."""
    return (wall.replace(tzinfo=zone) - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds()


def zone_named(name: str) -> tzinfo:
    """
    A time zone by its name, such as `Europe/Paris`.

    Raises:
        ConfigError: If there is none.

    """
    if name.upper() == "UTC":
        return UTC
    try:
        return ZoneInfo(name)
    # Depending on what is wrong with a name, each of these is raised.
    except (KeyError, ValueError, OSError):
        raise ConfigError(
            f"There is no time zone {name[:40]!r}; name one such as Europe/Paris, or UTC."
        ) from None


def is_urgent(metadata: Mapping[str, Any] | None) -> bool:
    """
    Whether an event wakes a light sleeper.

    Args:
        metadata: What its classification and the game say of it: `urgent`, `priority` (1 to 10),
            `classification`.

    """
    metadata = metadata or {}
    priority = metadata.get("priority")
    return (
        metadata.get("urgent") is True
        or _between(priority, URGENT_PRIORITY)
        or metadata.get("classification") in URGENT_CLASSIFICATIONS
    )


def turns_to_sleeper(kind: str, metadata: Mapping[str, Any] | None) -> bool:
    """
    Whether something is for the sleeping NPC itself, so that it is kept for its waking.

    Args:
        kind: TRIGGER, CONTEXT or IGNORE, as classified.
        metadata: Of the classification.

    """
    metadata = metadata or {}
    called = metadata.get("classification") in ADDRESSING_CLASSIFICATIONS
    return is_urgent(metadata) or (kind == "TRIGGER" and called)


def parse_hours(text: str) -> tuple[int, int]:
    """
    The start and the length in hours of `22-6`.

    Raises:
        ConfigError: If it is no span of hours.

    """
    first, dash, second = text.partition("-")
    if not (dash and first.isdecimal() and second.isdecimal()):
        raise ConfigError(f"{text[:20]!r} is no span of hours; write for instance 22-06.")
    start, end = int(first), int(second)
    if not (0 <= start <= 23 and 0 <= end <= 24):
        raise ConfigError(f"{text[:20]!r}: an hour is a number from 0 to 23.")
    length = (end - start) % 24
    if not length:
        raise ConfigError(f"{text[:20]!r}: it must be awake for an hour of the day at least.")
    return start, length
