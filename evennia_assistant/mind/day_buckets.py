"""
How long ago a line was said, in five words a reader of a talk thinks in.

    >>> from datetime import datetime, UTC
    >>> now = datetime(2026, 11, 21, 9, tzinfo=UTC).timestamp()
    >>> [bucket_of(now - hours * 3600, now) for hours in (0.1, 2, 12, 60, 200)]
    ['just now', 'earlier today', 'yesterday', 'earlier this week', 'older']

"""

from __future__ import annotations

from datetime import UTC, datetime

JUST_NOW = "just now"
EARLIER_TODAY = "earlier today"
YESTERDAY = "yesterday"
THIS_WEEK = "earlier this week"
OLDER = "older"

#: Seconds for which something was said just now.
JUST = 30 * 60
#: Days for which it was said this week.
WEEK = 7


def bucket_of(when: float, now: float) -> str:
    """
    Which of the five a moment falls into; days begin at midnight UTC.

    Args:
        when: UTC seconds since the epoch; what lies ahead was said just now.
        now: Likewise.

    """
    if now - when < JUST:
        return JUST_NOW
    days = (datetime.fromtimestamp(now, UTC).date() - datetime.fromtimestamp(when, UTC).date()).days
    if days == 0:
        return EARLIER_TODAY
    if days == 1:
        return YESTERDAY
    return THIS_WEEK if days < WEEK else OLDER
