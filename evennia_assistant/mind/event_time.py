"""
When something happened or is to happen, from what a model or a speaker called it.

A talk is looked back on hours after it was held, so "tomorrow" counts from the talk's beginning
and not from the night in which it is read. All times are UTC.

    >>> from datetime import datetime, UTC
    >>> talk = datetime(2026, 11, 21, 18, tzinfo=UTC).timestamp()     # a Saturday
    >>> event_time("tomorrow", talk)
    {'start': '2026-11-22T00:00:00.000000Z', 'end': '2026-11-23T00:00:00.000000Z'}
    >>> event_time({"start": "2026-11-24", "end": "2026-11-23"}, talk)
    Traceback (most recent call last):
    ValueError: its time ends before it begins

"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from .entry import timestamp_of

#: Farther away than this many years nothing is dated.
MOST_YEARS = 200

_DAY = timedelta(days=1)
_DAYS_FROM_TODAY = {
    "today": 0,
    "tonight": 0,
    "this morning": 0,
    "this afternoon": 0,
    "this evening": 0,
    "tomorrow": 1,
    "the day after tomorrow": 2,
    "day after tomorrow": 2,
    "yesterday": -1,
    "last night": -1,
    "the day before yesterday": -2,
    "day before yesterday": -2,
    "今天": 0,
    "今晚": 0,
    "明天": 1,
    "后天": 2,
    "後天": 2,
    "昨天": -1,
    "前天": -2,
}
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_UNITS = {
    "minute": timedelta(minutes=1),
    "hour": timedelta(hours=1),
    "day": _DAY,
    "week": timedelta(weeks=1),
    "month": timedelta(days=30),
    "year": timedelta(days=365),
}
_ONES = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_COUNT = rf"(\d{{1,3}}|{'|'.join(_ONES)})"
_UNIT = rf"({'|'.join(_UNITS)})s?"
_IN = re.compile(rf"in {_COUNT} {_UNIT}")
_AGO = re.compile(rf"{_COUNT} {_UNIT} ago")
_WEEKDAY = re.compile(rf"(?:(on|this|next|coming|last|by|until) )?({'|'.join(_WEEKDAYS)})")
_WHOLE = re.compile(r"(last|this|next) (week|month|year)")
_MONTH = re.compile(r"(\d{4})-(\d{2})")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")

_Span = tuple[datetime, datetime]


def event_time(given: Any, now: float) -> dict[str, str] | None:
    """
    The time of an event, as entries keep it.

    Args:
        given: An ISO date or time, "tomorrow" and the like, or a mapping with `start` and `end` of
            such; None or "" for what has no time.
        now: When it was spoken of: UTC seconds since the epoch.

    Returns:
        `{"start", "end"}`, a day from midnight to midnight; None for what has no time.

    Raises:
        ValueError: If it is no time, or ends before it begins.

    """
    if isinstance(given, Mapping):
        first, last = given.get("start"), given.get("end")
    else:
        first = last = given
    if not first and not last:
        return None
    start, _after = _span(first or last, now)
    ends, end = _span(last or first, now)
    if ends < start:
        raise ValueError("its time ends before it begins")
    return {"start": timestamp_of(start.timestamp()), "end": timestamp_of(end.timestamp())}


def _span(said: Any, now: float) -> _Span:
    moment = datetime.fromtimestamp(now, UTC)
    words = " ".join(said.casefold().split()).rstrip(".") if isinstance(said, str) else ""
    try:
        found = _by_calendar(words) or _from_now(words, moment)
    except (ValueError, OverflowError):
        found = None
    if found is None or abs(found[0].year - moment.year) > MOST_YEARS:
        raise ValueError("its time cannot be read")
    return found


def _by_calendar(words: str) -> _Span | None:
    month = _MONTH.fullmatch(words)
    if month:
        first = datetime(int(month[1]), int(month[2]), 1, tzinfo=UTC)
        return first, (first + 31 * _DAY).replace(day=1)
    if not words[:4].isdecimal():
        return None
    moment = datetime.fromisoformat(words.upper().replace(" UTC", "Z"))
    moment = moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    return (moment, moment + _DAY) if _DATE.fullmatch(words) else (moment, moment)


def _from_now(words: str, now: datetime) -> _Span | None:
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    if words == "now":
        return now, now
    if words in _DAYS_FROM_TODAY:
        day = today + _DAYS_FROM_TODAY[words] * _DAY
        return day, day + _DAY
    weekday = _WEEKDAY.fullmatch(words)
    if weekday:
        ahead = (_WEEKDAYS.index(weekday[2]) - today.weekday()) % 7 or 7
        day = today + (ahead - 7 if weekday[1] == "last" and ahead < 7 else ahead) * _DAY
        day = today - 7 * _DAY if weekday[1] == "last" and ahead == 7 else day
        return day, day + _DAY
    for pattern, sign in ((_IN, 1), (_AGO, -1)):
        counted = pattern.fullmatch(words)
        if counted:
            number = _ONES.get(counted[1]) or int(counted[1])
            return _around(now + sign * number * _UNITS[counted[2]], _UNITS[counted[2]])
    whole = _WHOLE.fullmatch(words)
    return _period(whole[1], whole[2], today) if whole else None


def _around(then: datetime, unit: timedelta) -> _Span:
    """A moment where it is counted in hours, the day it lies in where it is counted in days."""
    if unit < _DAY:
        return then, then
    day = then.replace(hour=0, minute=0, second=0, microsecond=0)
    return day, day + _DAY


def _period(which: str, unit: str, today: datetime) -> _Span:
    steps = {"last": -1, "this": 0, "next": 1}[which]
    if unit == "week":
        first = today - today.weekday() * _DAY + 7 * steps * _DAY
        return first, first + 7 * _DAY
    if unit == "year":
        first = today.replace(year=today.year + steps, month=1, day=1)
        return first, first.replace(year=first.year + 1)
    months = today.year * 12 + today.month - 1 + steps
    first = datetime(months // 12, months % 12 + 1, 1, tzinfo=UTC)
    return first, (first + 31 * _DAY).replace(day=1)
