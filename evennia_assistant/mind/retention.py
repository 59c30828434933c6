"""
How long a memory stays at hand: it fades with every night, and holds as long as it is recalled.

A memory's strength is its importance (0 to 1) times `exp(-max(0, cycles - hits) / 30)`: `cycles`
are the nights it has been through, `hits` how often it was recalled. At `DYING` and below it is on
its way out: it is merged with a memory that says almost the same, or becomes dormant. What is
dormant is found by a deep search only; it ages no further, so that being recalled revives it. What
was merged never comes back by itself. What is pinned never fades.

    >>> nights = lambda importance: next(n for n in range(200) if fades(importance, n))
    >>> nights(3), nights(5), nights(7), nights(10)
    (54, 70, 80, 90)

"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

#: Strength at which a memory is on its way out, and nights that make it weaker by a factor of e.
DYING = 0.05
SPAN = 30.0
#: What the survivor of a merge gains, of 1: half a point of importance.
GAIN = 0.05
#: What being recalled counts for, and being found by a deep search while dormant.
HIT, DEEP_HIT = 1, 2
#: Seconds of real time between two nights that count.
BETWEEN = 6 * 3600.0

ACTIVE = "active"
DYING_STATE = "dying"
DORMANT = "dormant"
MERGED = "merged"
SUPERSEDED = "superseded"
#: States in which a memory fades, and those in which it is no memory any more.
FADING = frozenset({ACTIVE, DYING_STATE})
GONE = frozenset({MERGED, SUPERSEDED})


def strength(importance: float, cycles: int, hits: int = 0, gained: float = 0.0) -> float:
    """
    The effective importance of a memory.

    Args:
        importance: 1 to 10.
        cycles: Nights it has been through.
        hits: How often it was recalled.
        gained: What merging with others gave it, 0 to 1.

    Returns:
        0 to 1.

    """
    full = min(1.0, max(0.0, importance / 10.0 + gained))
    return full * math.exp(-max(0, cycles - hits) / SPAN)


def fades(
    importance: float, cycles: int, hits: int = 0, gained: float = 0.0, *, pinned: bool = False
) -> bool:
    """Whether a memory is on its way out, or too weak to come back; arguments as of `strength`."""
    return not pinned and strength(importance, cycles, hits, gained) <= DYING


def age(cycles: int, since: int | None, reading: int) -> int:
    """
    The nights a memory has been through.

    Args:
        cycles: How many there were when `since` was noted.
        since: What the clock said then; None for a memory that does not age.
        reading: What the clock says now.

    """
    return cycles if since is None else cycles + max(0, reading - since)


def next_reading(clock: Mapping[str, Any], cycle: int, now: float) -> dict[str, Any]:
    """
    The clock after a night: nights of one day that follow each other closely count as one.

    Args:
        clock: `{"reading", "cycle", "at"}`: nights counted, number of the last night that was
            looked at, and when the last one was counted (UTC seconds, None for never).
        cycle: Number of this night.
        now: UTC seconds since the epoch.

    Returns:
        The clock as it is now; equal to what was given when this night was looked at before.

    """
    if clock["cycle"] == cycle:
        return dict(clock)
    if clock["at"] is not None and 0.0 <= now - clock["at"] < BETWEEN:
        return {**clock, "cycle": cycle}
    return {"reading": clock["reading"] + 1, "cycle": cycle, "at": now}


def gained_by_merging(importance: float, gained: float) -> float:
    """What a survivor has gained after one more merge; with its importance never more than 1."""
    return round(max(0.0, min(gained + GAIN, 1.0 - importance / 10.0)), 4)


def united(first: Iterable[Any], second: Iterable[Any]) -> list[Any]:
    """Both lists in order, nothing twice."""
    found: list[Any] = []
    for item in (*first, *second):
        if item not in found:
            found.append(item)
    return found


def united_when(survivor: Iterable[Any], absorbed: Iterable[Any]) -> list[Any]:
    """
    The dates of two memories: one item for each date, the survivor's where both have it.

    Args:
        survivor: Items `"YYYY-MM-DD"` or `{"date", "action"}`.
        absorbed: The same of the memory that goes.

    """
    by_date = {_date_of(item): item for item in absorbed}
    by_date.update((_date_of(item), item) for item in survivor)
    return [by_date[date] for date in sorted(by_date)]


def _date_of(item: Any) -> str:
    return str(item.get("date", "")) if isinstance(item, Mapping) else str(item)
