"""As many records as a tool's result has room for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..mind.slots import render_record
from .base import MAX_RESULT

#: Characters of one text of a record, and of all of them together.
MOST_TEXT = 400
ROOM = MAX_RESULT - 200


def fitting_records(
    name: str, records: Iterable[Mapping[str, Any]], *, room: int = 0
) -> dict[str, Any]:
    """
    A result with the first records that have room in it, their texts cut.

    Args:
        name: What the list is called in the result.
        records: Plain records, the most important first.
        room: Characters that something else takes of the result.

    Returns:
        `{name: [...]}`, and `left_out` with the number of those for which there was no room.

    """
    kept: list[dict[str, Any]] = []
    room, left_out = ROOM - room, 0
    for record in records:
        cut = {key: _cut(value) for key, value in record.items()}
        room -= len(render_record(cut)) + 2
        if room < 0:
            left_out += 1
        else:
            kept.append(cut)
    return {name: kept, **({"left_out": left_out} if left_out else {})}


def _cut(value: Any) -> Any:
    if isinstance(value, str) and len(value) > MOST_TEXT:
        return f"{value[:MOST_TEXT].rstrip()} ..."
    return value
