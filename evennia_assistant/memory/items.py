"""What goes into the memory index and what comes out: a memory, a question, a hit."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from evennia_assistant.mind.percept import Audience
from evennia_assistant.mind.scoring import Weights


@dataclass(frozen=True, slots=True)
class MemoryItem:
    """
    One thing remembered.

    Args:
        id: The store's id of it.
        text: What was said or happened, in words.
        speaker: Entity id of who said or did it, None when nobody did.
        speaker_name: The name the NPC knew them by.
        when: UTC, seconds since the epoch.
        audience: Who may be told; None is nobody.
        importance: 1 to 10.
        kind: The entry's kind ("event", "summary", ...).
        source_type: How it came to be known ("direct", "observation", ...).
        source_trust: 0 to 1.
        entities: Entity ids it concerns.
        place: Entity id of where, or "".
        conversation: What it was said in the course of; None lets the index go by place and time.
        confidence: It was whispered or said off the record; not to be said aloud by itself.
        sources: Ids of the memories it was made of.
        kept: Semantic memory has all there is to it.
        valence: How it felt, from -1 to 1; 0 where nothing says.
        relational_tags: What it does to a bond, as `mind.entry` has them.
        event_time: From when to when what it tells of takes place (UTC, seconds since the epoch),
            where that is another time than `when`.

    """

    id: str
    text: str
    speaker: str | None
    speaker_name: str
    when: float
    audience: Audience
    importance: int = 5
    kind: str = "event"
    source_type: str = "direct"
    source_trust: float = 0.9
    entities: tuple[str, ...] = ()
    place: str = ""
    conversation: str | None = None
    confidence: bool = False
    sources: tuple[str, ...] = ()
    kept: bool = False
    valence: float = 0.0
    relational_tags: tuple[str, ...] = ()
    event_time: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """
    A memory found, and why.

    Args:
        item: The memory.
        score: What it was ranked by.
        parts: The parts of `mind.scoring` the score is the weighted sum of, by name, and
            "coverage": the share of the question's words (the rare ones counting more) found in
            the memory or right around it. Low coverage means that the NPC hardly knows.

    """

    item: MemoryItem
    score: float
    parts: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Question:
    """
    What is asked of the index, beside who listens.

    Args:
        text: The question as it was asked.
        now: UTC, seconds since the epoch.
        limit: How many hits at most.
        preset: A name in `mind.scoring.PRESETS`, or weights of your own.
        names: Name to entity id, for people the memories do not know as speakers.
        named: Entity ids the question is known to name, as an NPC's alias book found them.
        asker: Entity id of who asks; "my ring" then names them.
        min_trust: Leave out memories trusted less.
        kinds: Leave out memories of other kinds; None for all kinds.
        exclude: Leave out memories with these ids.
        floor: Leave out what is less like the question: least cosine, or where there are no
            vectors least share of the question's words; None for no such floor.
        among: Look only among memories with these ids; None for all.
        deep: Look among dormant memories as well (`mind.retention`).
        vector: float32 [d], the text's vector, where the embedder is slow.

    """

    text: str
    now: float
    limit: int = 10
    preset: str | Weights = "dialogue"
    names: Mapping[str, str] | None = None
    named: Collection[str] = ()
    asker: str | None = None
    min_trust: float = 0.0
    kinds: Collection[str] | None = None
    exclude: Collection[str] = ()
    floor: float | None = None
    among: Collection[str] | None = None
    deep: bool = False
    vector: Any = None
