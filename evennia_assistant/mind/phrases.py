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
