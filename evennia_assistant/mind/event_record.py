"""
What a model says of an event beside its words: how much it mattered, what it means between two
people, when it was, how it felt, the scene of it.

Every field is judged by itself. One that cannot be used is left out and named, in words that quote
nothing of it; the event it belongs to stays.

    >>> read_event({"impact": "+3", "tags": ["commitment", "gossip"]}, now=0.0)
    ({'valence': 0.3, 'relational_tags': ['commitment']}, ['a relational tag is none of the six'])

"""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from .emotion import read_emotion
from .entry import MAX_RELATIONAL_TAGS, RELATIONAL_TAGS
from .event_time import event_time
from .scene import kept_scene

#: How far an event moves somebody, from -10 (a death) to 10; 0 leaves them as they were.
MOST_IMPACT = 10
#: Importance that an impact of so much gives at least; a shock matters as much as anything can.
_IMPORTANCE: tuple[tuple[int, int], ...] = ((8, 10), (6, 8), (4, 6))


def read_event(item: Mapping[str, Any], now: float) -> tuple[dict[str, Any], list[str]]:
    """
    Fields of a journal entry, from a record of an answer.

    Args:
        item: The record. `impact` is -10 to 10, `tags` are of `RELATIONAL_TAGS`, `when` is as for
            `event_time`, `emotion` as for `read_emotion`, `scene` as for `kept_scene`.
        now: When the talk began: UTC seconds since the epoch.

    Returns:
        The fields that say something, as `mind.entry.make_entry` takes them, and what could not be
        used.

    """
    problems: list[str] = []
    fields: dict[str, Any] = {}
    emotion, wrong = read_emotion(item.get("emotion"))
    problems += wrong
    impact = _tried(read_impact, item.get("impact"), problems)
    if impact is not None:
        fields["valence"] = impact / MOST_IMPACT
        fields["importance"] = importance_of(impact)
    elif emotion is not None:
        fields["valence"] = emotion["valence"]
    if emotion is not None:
        # An emotion's valence and the event's are one number.
        fields["emotion"] = {**emotion, "valence": fields["valence"]}
    fields["relational_tags"] = read_tags(item.get("tags"), problems)
    fields["event_time"] = _tried(lambda given: event_time(given, now), item.get("when"), problems)
    day = datetime.fromtimestamp(now, UTC).date().isoformat()
    fields["scene"] = kept_scene(item.get("scene"), day)
    return {key: value for key, value in fields.items() if value or value == 0.0}, problems


def read_impact(raw: object) -> int | None:
    """
    An impact as a whole number, None where none is given.

    Args:
        raw: A number, or its text: `"+2"`.

    Raises:
        ValueError: If it is no number from -10 to 10.

    """
    if raw is None or raw == "":
        return None
    value: Any = raw
    if isinstance(value, str):
        try:
            value = float(value.replace("\u2212", "-"))
        except ValueError:
            value = None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError("an impact is no number")
    if not -MOST_IMPACT <= value <= MOST_IMPACT:
        raise ValueError(f"an impact lies outside -{MOST_IMPACT} to {MOST_IMPACT}")
    return round(value)


def importance_of(impact: int) -> int | None:
    """The importance that an impact gives at least, None for one that says nothing of it."""
    return next((given for bound, given in _IMPORTANCE if abs(impact) >= bound), None)


def read_tags(raw: object, problems: list[str]) -> list[str]:
    """
    The relational tags among what is given, each once, the first three.

    Args:
        raw: A list of them, or one alone.
        problems: What could not be used is appended.

    """
    given = raw if isinstance(raw, list | tuple) else [] if raw is None else [raw]
    known = []
    for tag in given:
        folded = "-".join(tag.casefold().replace("_", " ").split()) if isinstance(tag, str) else ""
        if folded in RELATIONAL_TAGS:
            known.append(folded)
        else:
            problems.append("a relational tag is none of the six")
    unique = list(dict.fromkeys(known))
    if len(unique) > MAX_RELATIONAL_TAGS:
        problems.append(f"an event has more than {MAX_RELATIONAL_TAGS} relational tags")
    return unique[:MAX_RELATIONAL_TAGS]


def _tried(read: Any, given: object, problems: list[str]) -> Any:
    try:
        return read(given)
    except ValueError as err:
        problems.append(str(err))
        return None
