"""
The journal entry: the one form in which an NPC keeps anything that happened or was concluded.

The keys of document 000 are unchanged; what the other two systems add is optional and has a
default, so that a documented entry is a valid one.

"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from .audience import stored
from .confidence import is_off_the_record
from .emotion import checked_emotion
from .importance import DEFAULT_TRUST, score_importance_heuristic
from .percept import CONFIDENTIAL, Audience
from .scene import beyond, is_malformed, kept_scene
from .valence import valence_of

SOURCE_TYPES: tuple[str, ...] = tuple(DEFAULT_TRUST)
KINDS: tuple[str, ...] = ("event", "intention", "expectation", "synthesis", "summary", "knowledge")

#: What an entry may say of a bond, and how much of it at most.
RELATIONAL_TAGS: tuple[str, ...] = (
    "identity-bearing",
    "unresolved",
    "vulnerability",
    "turning-point",
    "correction",
    "commitment",
)
MAX_RELATIONAL_TAGS = 3

#: Kinds that happened to the NPC; only these get a valence of their words.
FELT: frozenset[str] = frozenset({"event"})

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
    "outcome": None,
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


def is_taken_back(entry: Mapping[str, Any] | None) -> bool:
    """Whether an entry holds no longer, and no other holds in its place; None is none."""
    return (
        entry is not None and get(entry, "state") == "superseded" and entry.get("successor") is None
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


def span_of(event_time: object) -> tuple[float, float] | None:
    """
    When what an entry tells of takes place, as instants.

    Args:
        event_time: As an entry keeps it: `{"start": ISO, "end": ISO}`; either may be left out.

    Returns:
        From when to when, UTC seconds since the epoch; None for what is no such time.

    """
    if not isinstance(event_time, Mapping):
        return None
    ends = [event_time.get("start"), event_time.get("end")]
    try:
        known = [when_of(str(end)) for end in ends if end]
    except ValueError:
        return None
    if not known or known[0] > known[-1]:
        return None
    return known[0], known[-1]


def stored_span(span: tuple[float, float] | None) -> dict[str, str] | None:
    """A stretch of time as an entry keeps it; what `span_of` reads."""
    return None if span is None else {"start": timestamp_of(span[0]), "end": timestamp_of(span[1])}


def sound_valence(value: object) -> float:
    """A feeling's number within its range, 0 for what is no number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return 0.0
    return max(-1.0, min(1.0, float(value)))


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
        **optional: Any key of `OPTIONAL_DEFAULTS`. A `scene` that cannot be read is kept as it came
            (`mind.scene.kept_scene`); an `emotion` may name some axes only; `valence` left out is
            that of the `emotion`, or what `mind.valence` makes of the words.

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
    if "scene" in optional:
        optional["scene"] = kept_scene(optional["scene"], str(entry["timestamp"])[:10])
    if optional.get("emotion") is not None:
        optional["emotion"] = checked_emotion(optional["emotion"])
    if "valence" not in optional:
        optional["valence"] = _valence_of(entry, optional)
    elif optional.get("emotion"):
        # They are one number, whichever of the two says it.
        optional["emotion"]["valence"] = optional["valence"]
    entry.update((key, value) for key, value in optional.items() if value != OPTIONAL_DEFAULTS[key])
    return entry


def _valence_of(entry: Mapping[str, Any], optional: Mapping[str, Any]) -> float:
    """That of the emotion, which is the same number; else what the lexicon makes of an event."""
    if optional.get("emotion"):
        return float(optional["emotion"]["valence"])
    if optional.get("kind", "event") not in FELT:
        return 0.0
    return valence_of(words_of(entry))


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


def told(entry: Mapping[str, Any], words: str | None = None) -> str:
    """
    All an entry tells: its words, and behind them what its scene adds.

    Args:
        entry: The entry.
        words: Its words as they are to stand there; None is `words_of`.

    """
    words = words_of(entry) if words is None else words
    if not entry.get("scene"):
        return words
    more = beyond(entry["scene"], words, str(entry["timestamp"])[:10])
    return f"{words} [{more}]" if more else words


def all_texts(entry: Mapping[str, Any]) -> list[str]:
    """Every text an entry holds in words, what could not be read of its scene included."""
    scene = entry.get("scene")
    if not scene:
        return [str(entry["content"])]
    if is_malformed(scene):
        return [str(entry["content"]), str(scene["raw"])]
    return [str(entry["content"]), beyond(scene, "")]


def in_confidence(entry: Mapping[str, Any]) -> bool:
    """Whether an entry reports what was whispered, or said off the record."""
    if not CONFIDENTIAL.isdisjoint(entry.get("tags", ())) or is_off_the_record(words_of(entry)):
        return True
    return bool(entry.get("scene")) and any(map(is_off_the_record, all_texts(entry)[1:]))
