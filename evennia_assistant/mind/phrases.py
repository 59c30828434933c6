"""Time in the words a person would use."""

from __future__ import annotations

MINUTE = 60.0
HOUR = 60 * MINUTE
DAY = 24 * HOUR

_STEPS: tuple[tuple[float, float, str, str], ...] = (
    (2 * MINUTE, MINUTE, "just now", ""),
    (50 * MINUTE, MINUTE, "", "{n} minutes ago"),
    (90 * MINUTE, HOUR, "an hour ago", ""),
    (20 * HOUR, HOUR, "", "{n} hours ago"),
    (1.6 * DAY, DAY, "yesterday", ""),
    (12 * DAY, DAY, "", "{n} days ago"),
    (50 * DAY, 7 * DAY, "", "{n} weeks ago"),
    (330 * DAY, 30.4 * DAY, "", "{n} months ago"),
    (1.6 * 365 * DAY, 365 * DAY, "a year ago", ""),
)


def ago(seconds: float) -> str:
    """
    How long ago, in words: "just now", "yesterday", "3 weeks ago".

    Args:
        seconds: Seconds that have passed; less than none reads as "just now".

    """
    for bound, unit, fixed, counted in _STEPS:
        if seconds < bound:
            return fixed or counted.format(n=max(2, round(seconds / unit)))
    return f"{max(2, round(seconds / (365 * DAY)))} years ago"


def until(seconds: float) -> str:
    """
    How long until then, in words: "now", "in 2 hours", "tomorrow"; of what is over, as `ago`.

    Args:
        seconds: Seconds that are left; less than none are over.

    """
    if seconds < -2 * MINUTE:
        return ago(-seconds)
    if seconds < 2 * MINUTE:
        return "now"
    phrase = ago(seconds)
    if phrase == "yesterday":
        return "tomorrow"
    return f"in {phrase.removesuffix(' ago')}"


_HOURS = (
    *("twelve", "one", "two", "three", "four", "five"),
    *("six", "seven", "eight", "nine", "ten", "eleven"),
)
_PARTS_OF_DAY: tuple[tuple[int, str], ...] = (
    (5, "at night"),
    (12, "in the morning"),
    (18, "in the afternoon"),
    (22, "in the evening"),
    (24, "at night"),
)


def time_of_day(hour: int) -> str:
    """
    An hour of the day in words: "seven in the evening", "noon", "midnight".

    Args:
        hour: 0 to 23.

    """
    if hour in (0, 12):
        return "noon" if hour else "midnight"
    part = next(name for bound, name in _PARTS_OF_DAY if hour < bound)
    return f"{_HOURS[hour % 12]} {part}"
