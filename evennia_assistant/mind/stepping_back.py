"""
Taking back one change out of two: what a night did, without what the day did since.

Plain data as it was before the night, as it was after it, and as it is now give what would be now
had there been no night.

    >>> without_night([1, 2, 3], [2, 3, 4], [2, 3, 4, 5])
    [1, 2, 3, 5]
    >>> without_night({"a": 1, "n": 150}, {"a": 1, "n": 0}, {"a": 2, "n": 30})
    {'a': 2, 'n': 180}

"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any


class _Missing:
    def __repr__(self) -> str:
        return "missing"


#: Stands for a value that is not there.
MISSING = _Missing()


def without_night(before: Any, after: Any, now: Any) -> Any:
    """
    What would be now, had there been no night.

    What the night took away comes back, what it added goes; where the day changed the same thing,
    numbers keep the day's difference, lists its items, mappings are looked at key by key, and
    anything else stays as the day left it.

    Args:
        before: The data before the night, `MISSING` if it was not there.
        after: After it.
        now: Now.

    """
    if after == before:
        return now
    if now == after:
        return before
    if isinstance(now, Mapping) and isinstance(before, Mapping):
        held = after if isinstance(after, Mapping) else {}
        keys = list(dict.fromkeys([*before, *now]))
        made = {
            key: without_night(
                before.get(key, MISSING), held.get(key, MISSING), now.get(key, MISSING)
            )
            for key in keys
        }
        return {key: value for key, value in made.items() if value is not MISSING}
    if isinstance(now, list) and isinstance(before, list):
        return _lists(before, after if isinstance(after, list) else [], now)
    if all(_is_number(value) for value in (before, after, now)):
        return before + now - after
    return now


def entries_without_night(
    before: Iterable[Mapping[str, Any]],
    after: Iterable[Mapping[str, Any]],
    now: Iterable[Mapping[str, Any]],
) -> list[dict[str, Any]]:
    """
    As `without_night`, for lists of records with an `id`; in the order of their ids.

    Args:
        before: The records before the night.
        after: After it.
        now: Now.

    """
    by_id = [{record["id"]: record for record in records} for records in (before, after, now)]
    found: dict[int, dict[str, Any]] = without_night(*by_id)
    return [found[number] for number in sorted(found)]


def _lists(before: Sequence[Any], after: Sequence[Any], now: Sequence[Any]) -> list[Any]:
    kept = [item for item in before if item not in after or item in now]
    return [*kept, *(item for item in now if item not in after and item not in kept)]


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
