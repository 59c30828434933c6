"""
The journal entry: the one form in which an NPC keeps anything that happened or was concluded.

The keys of document 000 are unchanged; what the other two systems add is optional and has a
default, so that a documented entry is a valid one.

"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from .audience import stored
from .confidence import is_off_the_record
from .importance import DEFAULT_TRUST, score_importance_heuristic
from .percept import CONFIDENTIAL, Audience

SOURCE_TYPES: tuple[str, ...] = tuple(DEFAULT_TRUST)
KINDS: tuple[str, ...] = ("event", "intention", "expectation", "synthesis", "summary", "knowledge")

#: Optional keys and their defaults; a missing key reads as its default.
OPTIONAL_DEFAULTS: Mapping[str, Any] = {
    "kind": "event",
    "witnesses": [],
    "audience": None,
    "subject": "world",
    "valence": 0.0,
    "emotion": None,
    "relational_tags": [],
    "scene": None,
    "entities": [],
    "event_time": None,
    "evidence": [],
    "mention_count": 1,
    "state": "active",
    "successor": None,
    "cycles": 0,
    "hits": 0,
    "clock": None,
    "gained": 0.0,
    "when": [],
    "topic": None,
    "pinned": False,
    "mem0_ids": [],
    "attempts": 0,
    "rev": 0,
    "source_id": None,
    "place": None,
    "conversation": None,
}

REQUIRED: tuple[str, ...] = (
    "id",
    "timestamp",
    "content",
    "source_type",
    "source_trust",
    "importance",
)


def number_of(name: object) -> int | None:
    """
    The number of an entry by whatever names it, None for what names none.

    >>> number_of(42), number_of("42"), number_of("j42"), number_of("#42"), number_of("m42")
    (42, 42, 42, 42, None)

    """
    if isinstance(name, bool) or not isinstance(name, int | str):
        return None
    digits = str(name).strip().lstrip("#j")
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 12 else None


def timestamp_of(when: float) -> str:
    """`when` (UTC seconds since the epoch) as the documented ISO text, `2025-12-06T14:30:00Z`."""
    return datetime.fromtimestamp(when, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def when_of(timestamp: str) -> float:
    """
    The instant a documented timestamp names, UTC seconds since the epoch.

    Raises:
        ValueError: If it is not an ISO 8601 time.

    """
    moment = datetime.fromisoformat(timestamp)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def make_entry(
    entry_id: int,
    content: str,
    *,
    when: float,
    source_type: str = "observation",
    source_trust: float | None = None,
    source_entity: str | None = None,
    importance: int | None = None,
    tags: Sequence[str] = (),
    related_projects: Sequence[str] = (),
    audience: Audience = None,
    witnesses: Sequence[str] = (),
    **optional: Any,
) -> dict[str, Any]:
    """
    A journal entry with every documented key and only those optional keys that say something.

    Args:
        entry_id: Number of the entry, unique in its journal.
        content: Narrative text.
        when: UTC seconds since the epoch.
        source_type: One of `SOURCE_TYPES`.
        source_trust: 0 to 1; None takes the documented default of the source type.
        source_entity: Name of who provided this.
        importance: 1 to 10; None scores it by `score_importance_heuristic`.
        tags: Free labels.
        related_projects: Keys of projects.
        audience: Who may be told; None is nobody.
        witnesses: Entity ids of those who perceived it.
        **optional: Any key of `OPTIONAL_DEFAULTS`.

    Returns:
        Plain data, ready for an Attribute.

    Raises:
        ValueError: If the text is empty, or a value lies outside its documented range.

    """
    if not content.strip():
        raise ValueError("A journal entry needs content.")
    if source_type not in DEFAULT_TRUST:
        raise ValueError(f"source_type must be one of {', '.join(SOURCE_TYPES)}.")
    if source_trust is None:
        source_trust = DEFAULT_TRUST[source_type]
    if not 0.0 <= source_trust <= 1.0:
        raise ValueError("source_trust must be between 0.0 and 1.0.")
    unknown = set(optional) - set(OPTIONAL_DEFAULTS)
    if unknown:
        raise ValueError(f"A journal entry has no field {', '.join(sorted(unknown))}.")
    method = "heuristic" if importance is None else "manual"
    if importance is None:
        importance = score_importance_heuristic(content, source_type, tags)
    if not 1 <= importance <= 10:
        raise ValueError("importance must be between 1 and 10.")
    entry: dict[str, Any] = {
        "id": entry_id,
        "timestamp": timestamp_of(when),
        "content": content,
        "source_type": source_type,
        "source_trust": source_trust,
        "source_entity": source_entity,
        "importance": importance,
        "importance_method": method,
        "tags": list(tags),
        "related_projects": list(related_projects),
        "witnesses": list(witnesses),
        "audience": stored(audience),
    }
    entry.update((key, value) for key, value in optional.items() if value != OPTIONAL_DEFAULTS[key])
    return entry


def get(entry: Mapping[str, Any], key: str) -> Any:
    """An optional field of an entry, or its default when the entry does not carry it."""
    return entry.get(key, OPTIONAL_DEFAULTS[key])


def problem_with(entry: object) -> str | None:
    """
    What makes a stored entry unusable, None when it is sound.

    Args:
        entry: Whatever stands in the store.

    Returns:
        A short reason for the log.

    """
    if not isinstance(entry, Mapping):
        return "not a mapping"
    missing = [key for key in REQUIRED if key not in entry]
    if missing:
        return f"without {', '.join(missing)}"
    if not isinstance(entry["content"], str):
        return "content is no text"
    if not isinstance(entry["importance"], int | float):
        return "importance is no number"
    try:
        when_of(entry["timestamp"])
    except (TypeError, ValueError):
        return "timestamp is no time"
    return None


#: How a line reached the NPC, in the past tense of the journal.
_VERBS: Mapping[str, str] = {
    "say": "said",
    "talk": "said",
    "whisper": "whispered",
    "page": "paged",
    "channel": "said on a channel",
}


def speech_content(name: str, manner: str, words: str) -> str:
    """The narrative text of something said: `Anna whispered: "..."`."""
    return f'{name} {_VERBS.get(manner, "said")}: "{words}"'


def words_of(entry: Mapping[str, Any]) -> str:
    """The words an entry reports when it reports speech, else its whole text."""
    content: str = entry["content"]
    speaker = entry.get("source_entity")
    if speaker and content.startswith(f"{speaker} ") and content.endswith('"'):
        _head, found, words = content.partition(': "')
        if found:
            return words[:-1]
    return content


def in_confidence(entry: Mapping[str, Any]) -> bool:
    """Whether an entry reports what was whispered, or said off the record."""
    return not CONFIDENTIAL.isdisjoint(entry.get("tags", ())) or is_off_the_record(words_of(entry))
