"""
The diary of an NPC: one journal entry for each day and each circle that may be told of it.

An entry of the diary is a summary like others, tagged `diary`, with its day in `event_time`. What
was said in confidence has an entry of its own, and so has what only some may be told. Written again
for a day that has one, the entry is changed and stays the same entry.

"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..mind import entry as entries
from ..mind.audience import frozen
from ..mind.diary import bounds_of, day_of
from ..mind.entry import timestamp_of, when_of
from ..mind.percept import Audience
from .attribute_store import AttributeStore

TAG = "diary"
TAGS = ("synthesis", TAG)
KIND = "summary"
#: Tag of what was said in confidence.
CONFIDED = "whisper"
#: Importance of what a model wrote, and of a choice by rule, which repeats what stands elsewhere.
IMPORTANCE = 5
IMPORTANCE_BY_RULE = 4
#: Memories an entry names as its evidence, and entities it is filed under.
MAX_EVIDENCE = 40
MAX_ENTITIES = 8


def is_diary(entry: Mapping[str, Any]) -> bool:
    """Whether a journal entry is one of the diary."""
    return TAG in entry.get("tags", ()) and entries.get(entry, "kind") == KIND


def day_in(entry: Mapping[str, Any]) -> str:
    """The day an entry of the diary is of; that of its writing when it does not say."""
    spans = entries.get(entry, "event_time")
    started = spans.get("start") if isinstance(spans, Mapping) else None
    return day_of(when_of(started or entry["timestamp"]))


def lines_in(entry: Mapping[str, Any]) -> list[str]:
    """The lines of an entry of the diary, without its heading."""
    return str(entry["content"]).split("\n")[1:]


def by_model(entry: Mapping[str, Any]) -> bool:
    """Whether a model wrote it."""
    return bool(entry["importance"] >= IMPORTANCE)


def find_day(
    memory: Any, day: str, audience: Audience, confidential: bool, known: Iterable[int] = ()
) -> dict[str, Any] | None:
    """
    The diary of a day for one circle.

    Args:
        memory: The NPC's `MemoryHandler`.
        day: `YYYY-MM-DD`.
        audience: Who may be told.
        confidential: Whether it was said in confidence.
        known: Numbers of entries it may be, which are looked for in the archive, too.

    Returns:
        The entry, None when there is none.

    """
    live = {entry["id"]: entry for entry in memory.journal.entries}
    archived = (memory.journal.find_anywhere(number) for number in known if number not in live)
    for entry in [*live.values(), *archived]:
        if (
            entry is not None
            and is_diary(entry)
            and day_in(entry) == day
            and frozen(entry.get("audience")) == audience
            # By its tag: a line that only sounds like a confidence does not make another entry.
            and (CONFIDED in entry["tags"]) == confidential
        ):
            return entry
    return None


def write_day(
    memory: Any,
    day: str,
    lines: Sequence[str],
    *,
    audience: Audience,
    confidential: bool,
    evidence: Sequence[str],
    entities: Sequence[str],
    when: float,
    by_a_model: bool,
    known: Mapping[str, Any] | None = None,
) -> tuple[dict[str, Any], list[AttributeStore]]:
    """
    Write a day's diary for one circle, or write it anew; the caller saves.

    Args:
        memory: The NPC's `MemoryHandler`.
        day: `YYYY-MM-DD`.
        lines: Three to five of them, or fewer.
        audience: Who may be told.
        confidential: Whether it was said in confidence.
        evidence: Names of the memories it rests on.
        entities: Ids of those it is about.
        when: UTC seconds since the epoch.
        by_a_model: Whether a model wrote it.
        known: The entry that is there already, from `find_day`.

    Returns:
        The entry, and the stores that changed beside the journal.

    """
    content = "\n".join((f"[DIARY] {day}", *lines))
    importance = IMPORTANCE if by_a_model else IMPORTANCE_BY_RULE
    if known is None:
        start, end = bounds_of(day)
        entry = memory.write(
            content,
            when=when,
            kind=KIND,
            source_type="inference",
            importance=importance,
            tags=[*TAGS, *([CONFIDED] if confidential else [])],
            audience=audience,
            entities=list(entities)[:MAX_ENTITIES],
            evidence=list(evidence)[-MAX_EVIDENCE:],
            event_time={"start": timestamp_of(start), "end": timestamp_of(end)},
        )
        return entry, []
    named = dict.fromkeys([*entries.get(known, "evidence"), *evidence])
    people = dict.fromkeys([*entries.get(known, "entities"), *entities])
    memory.index.remove([f"j{known['id']}"])
    stores = memory.journal.rewrite(
        known["id"],
        content=content,
        importance=importance,
        evidence=list(named)[-MAX_EVIDENCE:],
        entities=list(people)[:MAX_ENTITIES],
    )
    entry = memory.journal.find_anywhere(known["id"])
    memory.show(entry)
    return entry, [store for store in stores if store is not memory.journal.store]


def days_of(memory: Any) -> list[dict[str, Any]]:
    """Every entry of the diary that holds, live or archived, the newest day first."""
    found = [
        entry
        for entry in memory.journal.all_entries()
        if is_diary(entry) and entries.get(entry, "state") == "active"
    ]
    return sorted(found, key=lambda entry: (day_in(entry), entry["id"]), reverse=True)
