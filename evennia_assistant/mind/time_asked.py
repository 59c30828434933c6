"""
When a question asks about: "yesterday", "last week", "in March", "on 5 May 2023".

What was said at such a time is likelier to hold the answer, so recall counts it for a memory. All
times are real time, UTC; the calendar of a game world is not known here.

    >>> from datetime import datetime, UTC
    >>> now = datetime(2024, 5, 10, 12, tzinfo=UTC).timestamp()
    >>> [(start, end)] = spans_asked("What did I tell you yesterday?", now)
    >>> datetime.fromtimestamp(start, UTC).date().isoformat(), (end - start) / 3600
    ('2024-05-09', 24.0)

"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

#: From when to when: UTC, seconds since the epoch, the end not included.
Span = tuple[float, float]

#: A month named without a year may be that of this year or of the two before.
YEARS_BACK = 2

#: What happened on a day is still talked about on the days around it.
AROUND_A_DAY = timedelta(days=3)

_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_SEASONS = {
    "winter": (12, 1, 2),
    "spring": (3, 4, 5),
    "summer": (6, 7, 8),
    "autumn": (9, 10, 11),
    "fall": (9, 10, 11),
}
_UNITS = {
    "minute": timedelta(minutes=1),
    "hour": timedelta(hours=1),
    "day": timedelta(days=1),
    "week": timedelta(weeks=1),
    "month": timedelta(days=30),
    "year": timedelta(days=365),
}
_COUNTS = {
    word: number
    for number, words in enumerate(
        ["", "a an one", "two couple", "three few", "four", "five", "six", "seven", "eight"]
    )
    for word in words.split()
}

_MONTH = "|".join(_MONTHS)
# "May" and "march" are months only where something says so.
_MONTH_SAID = re.compile(
    rf"\b(?:in|of|since|during|last|this|early|late|mid|until|by)[ -](?P<after>{_MONTH})\b"
    rf"|\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<dayed>{_MONTH})\b"
    rf"|\b(?P<daying>{_MONTH}) (?P<thatday>\d{{1,2}})(?:st|nd|rd|th)?\b"
    rf"|\b(?P<yeared>{_MONTH}),? (?=(?:19|20)\d\d\b)"
)
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_SEASON = re.compile(
    rf"\b(?:in|of|during|since|this|last)(?: the)?(?: early| late)? ({'|'.join(_SEASONS)})\b"
)
_WEEKDAY = re.compile(rf"\b(?:on|last|this) ({'|'.join(_WEEKDAYS)})\b")
_AGO = re.compile(rf"\b(\d{{1,3}}|{'|'.join(_COUNTS)})(?: of)? ({'|'.join(_UNITS)})s? ago\b")
_WHOLE = re.compile(r"\b(last|this) (week|month|year)\b")


def spans_asked(question: str, now: float) -> tuple[Span, ...]:
    """
    The stretches of time a question names; a memory from any of them fits.

    Args:
        question: The question as it was asked (English).
        now: When it is asked: UTC, seconds since the epoch.

    Returns:
        Spans, empty when the question names no time.

    """
    said = question.lower()
    moment = datetime.fromtimestamp(now, UTC)
    return tuple(
        (start.timestamp(), end.timestamp())
        for start, end in (*_relative(said, moment), *_calendar(said, moment))
    )


def _relative(said: str, now: datetime) -> Iterator[tuple[datetime, datetime]]:
    """Spans told from now."""
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    day = timedelta(days=1)
    if re.search(r"\b(?:today|tonight|this (?:morning|afternoon|evening))\b", said):
        yield today, today + day
    if re.search(r"\byesterday\b|\blast (?:night|evening)\b", said):
        yield today - day, today
    for weekday in _WEEKDAY.findall(said):
        back = (today.weekday() - _WEEKDAYS.index(weekday)) % 7 or 7
        yield today - back * day, today - (back - 1) * day
    for count, unit in _AGO.findall(said):
        length = _UNITS[unit]
        then = now - (int(count) if count.isdigit() else _COUNTS[count]) * length
        yield then - length / 2, then + length / 2
    for which, unit in _WHOLE.findall(said):
        starts = {
            "week": today - today.weekday() * day,
            "month": today.replace(day=1),
            "year": today.replace(month=1, day=1),
        }
        start = starts[unit]
        yield (start, now + day) if which == "this" else (start - _UNITS[unit], start)


def _calendar(said: str, now: datetime) -> Iterator[tuple[datetime, datetime]]:
    """Spans told by the calendar."""
    named_years = [int(year) for year in _YEAR.findall(said)]
    years = named_years or list(range(now.year - YEARS_BACK, now.year + 1))
    told = False
    for match in _MONTH_SAID.finditer(said):
        told = True
        names = match["after"] or match["dayed"] or match["daying"] or match["yeared"]
        month = _MONTHS.index(names) + 1
        day = match["day"] or match["thatday"]
        for year in years:
            start, end = _month(year, month)
            if day and 1 <= int(day) <= (end - start).days:
                date = start + timedelta(days=int(day) - 1)
                yield date - AROUND_A_DAY, date + AROUND_A_DAY + timedelta(days=1)
            else:
                yield start, end
    for season in _SEASON.findall(said):
        told = True
        yield from (_month(year, month) for year in years for month in _SEASONS[season])
    if not told:
        for year in named_years:
            yield datetime(year, 1, 1, tzinfo=UTC), datetime(year + 1, 1, 1, tzinfo=UTC)


def _month(year: int, month: int) -> tuple[datetime, datetime]:
    start = datetime(year, month, 1, tzinfo=UTC)
    return start, datetime(year + month // 12, month % 12 + 1, 1, tzinfo=UTC)
