"""A memory, a person, an audience and a time, in words."""

from __future__ import annotations

import time
from typing import Any

from evennia.objects.models import ObjectDB

from ..mind.audience import PUBLIC, frozen
from ..mind.phrases import ago
from .plain import plain, quoted

_HOW = {
    "direct": "told it",
    "observation": "was seen doing it",
    "inference": "the NPC concluded it",
    "environmental": "was overheard",
}


def name_of(entity_id: str | None) -> str:
    """The name of an entity, with its id when it is gone."""
    obj = object_of(entity_id)
    if obj is None:
        return f"somebody who is gone ({plain(entity_id, 20)})" if entity_id else "nobody"
    return plain(obj.key, 40)


def object_of(entity_id: str | None) -> Any:
    """The object with an entity id, None when there is none."""
    number = (entity_id or "").lstrip("#")
    return ObjectDB.objects.get_id(number) if number.isdecimal() else None


def who_may_be_told(audience: object) -> str:
    """An audience in words."""
    allowed = frozen(audience)
    if allowed == PUBLIC:
        return "anyone may be told"
    if allowed is None:
        return "nobody may be told"
    return f"only {', '.join(sorted(name_of(who) for who in allowed))} may be told"


def place_of(item: Any) -> str:
    """Where a memory is from, "" when that was not kept."""
    place = item.place or ""
    obj = object_of(place) if place.startswith("#") else None
    return plain(obj.key if obj is not None else place, 40)


def when(seconds: float, now: float) -> str:
    """An instant in words and as a date: "2 hours ago (2026-01-01 12:30 UTC)"."""
    return f"{ago(now - seconds)} ({time.strftime('%Y-%m-%d %H:%M', time.gmtime(seconds))} UTC)"


def memory_line(item: Any, now: float) -> str:
    """A memory in one line: who, what words, how long ago."""
    if item.kind == "knowledge":
        return f"a keeper taught it: {quoted(item.text)}"
    who = plain(item.speaker_name or "the NPC", 40)
    return f"{who}, {ago(now - item.when)}: {quoted(item.text)}"


def memory_in_full(item: Any, now: float) -> list[str]:
    """A memory with all that is known of it, in lines; its words uncut."""
    words = quoted(item.text, None)
    if item.kind == "knowledge":
        return [words, f"taught by a keeper; {who_may_be_told(item.audience)}"]
    where = place_of(item)
    origin = [
        plain(item.speaker_name or "the NPC itself", 40),
        when(item.when, now),
        *([f"in {where}"] if where else []),
    ]
    known = _HOW.get(item.source_type, plain(item.source_type, 40))
    return [
        words,
        f"{', '.join(origin)}; {known}, trusted {item.source_trust:.2f}, importance "
        f"{item.importance}; {who_may_be_told(item.audience)}",
    ]
