"""
The fact: what a night distils from journal entries, and what semantic memory keeps for good.

A fact never changes. What changes about it (how often it was recalled, what it is linked with,
whether it still holds) stands in the sidecar, `script.db.memory_links`. Its key is made from the
evidence, so that the same fact stored twice can be told from two facts.

"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .audience import frozen, stored
from .confidence import is_off_the_record
from .entry import sound_valence, span_of, stored_span, timestamp_of, when_of
from .importance import DEFAULT_TRUST
from .percept import CONFIDENTIAL, Audience

#: Version of the way facts are made; a new one makes new keys.
EXTRACTOR_VERSION = 1
#: Tag of a fact that rests on something whispered or said off the record.
CONFIDENCE_TAG = "in_confidence"


def fact_key(
    assistant_key: str,
    kind: str,
    entry_ids: Iterable[int],
    ordinal: int = 0,
    version: int = EXTRACTOR_VERSION,
) -> str:
    """
    The idempotency key of a fact: equal for equal evidence, whatever words were found for it.

    Args:
        assistant_key: The NPC's key.
        kind: `fact`, or the kind of the entry it came from.
        entry_ids: Numbers of the journal entries it rests on.
        ordinal: Its place among the facts of the same evidence.
        version: Of the extractor.

    Returns:
        32 hexadecimal digits.

    """
    evidence = ",".join(str(number) for number in sorted(set(entry_ids)))
    text = "\x1f".join((assistant_key, kind, evidence, str(ordinal), str(version)))
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


@dataclass(frozen=True, slots=True)
class Fact:
    """
    One lasting memory.

    Args:
        key: As `fact_key` makes it.
        text: What is the case, in the third person.
        when: When it was learnt, UTC seconds since the epoch.
        audience: Who may be told; the intersection of its evidence's. None is nobody.
        entry_ids: Numbers of the journal entries it rests on.
        importance: 1 to 10.
        importance_method: `heuristic`, `llm` or `manual`.
        source_type: As of an entry.
        source_trust: 0 to 1.
        source_entity: Name of who said it.
        source_id: Entity id of who said it.
        tags: As of an entry.
        entities: Entity ids it concerns.
        place: Where it was learnt.
        kind: `fact`, or the kind of the entry it came from.
        replaces: Ids of the facts that hold no longer because of it.
        valence: How it felt, from -1 to 1; 0 where nothing says.
        relational_tags: What it does to a bond.
        event_time: From when to when what it tells of takes place, UTC seconds since the epoch;
            None where that is not another time than `when`.
        id: The id semantic memory gave it, "" before it is stored.

    """

    key: str
    text: str
    when: float
    audience: Audience
    entry_ids: tuple[int, ...]
    importance: int = 5
    importance_method: str = "heuristic"
    source_type: str = "direct"
    source_trust: float = DEFAULT_TRUST["direct"]
    source_entity: str | None = None
    source_id: str | None = None
    tags: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    place: str | None = None
    kind: str = "fact"
    replaces: tuple[str, ...] = ()
    valence: float = 0.0
    relational_tags: tuple[str, ...] = ()
    event_time: tuple[float, float] | None = None
    id: str = ""

    @property
    def confidence(self) -> bool:
        """Whether it was learnt in confidence, so that it is not to be said aloud by itself."""
        return (
            CONFIDENCE_TAG in self.tags
            or not CONFIDENTIAL.isdisjoint(self.tags)
            or is_off_the_record(self.text)
        )

    def to_metadata(self) -> dict[str, Any]:
        """What semantic memory keeps beside the text: the documented keys, and ours."""
        return {
            "source": "journal",
            "entry_id": self.entry_ids[0] if self.entry_ids else None,
            "tags": list(self.tags),
            "source_type": self.source_type,
            "source_trust": self.source_trust,
            "source_entity": self.source_entity,
            "importance": self.importance,
            "importance_method": self.importance_method,
            "key": self.key,
            "kind": self.kind,
            "entry_ids": list(self.entry_ids),
            "audience": stored(self.audience),
            "source_id": self.source_id,
            "entities": list(self.entities),
            "timestamp": timestamp_of(self.when),
            "place": self.place,
            "replaces": list(self.replaces),
            "valence": self.valence,
            "relational_tags": list(self.relational_tags),
            "event_time": stored_span(self.event_time),
        }

    @classmethod
    def from_metadata(cls, fact_id: str, text: str, metadata: Mapping[str, Any]) -> Fact:
        """
        The fact that semantic memory gave back.

        Args:
            fact_id: Its id there.
            text: Its text.
            metadata: As `to_metadata` made it.

        Raises:
            ValueError: If it is none of ours, or was changed so that it cannot be read; the text
                names the field.

        """
        try:
            importance = int(metadata["importance"])
            trust = float(metadata["source_trust"])
            if not 1 <= importance <= 10 or not (math.isfinite(trust) and 0.0 <= trust <= 1.0):
                raise ValueError("importance or source_trust is out of range")
            return cls(
                key=str(metadata["key"]),
                text=text,
                when=when_of(metadata["timestamp"]),
                audience=frozen(metadata.get("audience")),
                entry_ids=tuple(int(number) for number in metadata["entry_ids"]),
                importance=importance,
                importance_method=str(metadata.get("importance_method", "heuristic")),
                source_type=str(metadata["source_type"]),
                source_trust=trust,
                source_entity=metadata.get("source_entity"),
                source_id=metadata.get("source_id"),
                tags=tuple(map(str, metadata.get("tags") or ())),
                entities=tuple(map(str, metadata.get("entities") or ())),
                place=metadata.get("place"),
                kind=str(metadata.get("kind", "fact")),
                replaces=tuple(map(str, metadata.get("replaces") or ())),
                valence=sound_valence(metadata.get("valence")),
                relational_tags=tuple(map(str, metadata.get("relational_tags") or ())),
                event_time=span_of(metadata.get("event_time")),
                id=fact_id,
            )
        except KeyError as err:
            raise ValueError(f"memory {fact_id} has no {err.args[0]}") from None
        except (TypeError, ValueError) as err:
            raise ValueError(f"memory {fact_id} cannot be read: {err}") from None
