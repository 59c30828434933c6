"""
Names and digests of topics: by key words at once, and by a model a few each night.

A model sees memories of one audience and one confidence at a time, those of the circle in which
most topics want a name; the others keep their key words until their turn comes.

"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from twisted.internet.defer import Deferred, inlineCallbacks

from ..llm.asking import Ask, ask_for_records
from ..memory.items import MemoryItem
from ..mind.audience import PUBLIC
from ..mind.percept import Audience
from ..mind.slots import render_slot
from ..mind.text import content_terms
from ..mind.topic_words import Named, Rooted, checked, digest_of, key_words
from ..prompts.texts import text

#: Topics, memories of each, and strays that a model is shown in one call; characters of a memory.
TOPICS, MEMORIES, STRAYS, SHOWN = 12, 14, 20, 200

#: Who may be told, and whether it was learned in confidence.
Group = tuple[Audience, bool]
Items = Mapping[str, MemoryItem]


def group_of(item: MemoryItem) -> Group:
    """What memories of one prompt, and of one name, have in common."""
    return item.audience, item.confidence


def naming_group(items: Sequence[MemoryItem]) -> Group | None:
    """
    Whose memories a topic is named by: those in the open where there are two, else the most.

    Args:
        items: The topic's members.

    """
    counts = Counter(map(group_of, items))
    if not counts:
        return None
    if counts[PUBLIC, False] >= min(2, len(items)):
        return PUBLIC, False
    return counts.most_common(1)[0][0]


@dataclass
class Asked:
    """
    What a model is asked about.

    Args:
        group: The circle all of it belongs to.
        topics: Members shown, by topic.
        large: Topics that are to be split.
        strays: Memories for which a root is looked for.
        roots: Ids of the roots by name.

    """

    group: Group
    topics: dict[str, list[str]] = field(default_factory=dict)
    large: set[str] = field(default_factory=set)
    strays: list[str] = field(default_factory=list)
    roots: dict[str, str] = field(default_factory=dict)


def to_ask(
    wanting: Mapping[str, Sequence[str]],
    large: Sequence[str],
    items: Items,
    strays: Sequence[str],
    roots: Mapping[str, str],
) -> Asked | None:
    """
    What is worth one call to a model, None when nothing is.

    Args:
        wanting: Members of the topics that want a name, by topic.
        large: Topics that are too large.
        items: What the members say, as far as it is known.
        strays: New memories that belong to no topic.
        roots: Ids of the roots by name.

    """
    groups = {}
    for topic, members in wanting.items():
        group = naming_group([items[member] for member in members if member in items])
        if group is not None and group[0] is not None:
            groups[topic] = group
    loose = [m for m in strays if m in items] if len(roots) > 1 else []
    counts = Counter(groups.values())
    counts.update(group_of(items[member]) for member in loose)
    if not counts:
        return None
    chosen = counts.most_common(1)[0][0]
    asked = Asked(chosen, roots=dict(roots))
    for topic in [topic for topic, group in groups.items() if group == chosen][:TOPICS]:
        fitting = [m for m in wanting[topic] if m in items and group_of(items[m]) == chosen]
        asked.topics[topic] = fitting[-MEMORIES:]
    asked.large = set(large) & set(asked.topics)
    asked.strays = [m for m in loose if group_of(items[m]) == chosen][:STRAYS]
    return asked


def messages_for_topics(asked: Asked, items: Items) -> list[dict[str, Any]]:
    """
    The prompt.

    Args:
        asked: What about.
        items: What its members say.

    """

    def shown(member: str) -> dict[str, str]:
        item = items[member]
        who = {"from": item.speaker_name} if item.speaker_name else {}
        return {"id": member, **who, "text": item.text[:SHOWN]}

    slots = [
        render_slot(
            "topics",
            [
                {
                    "topic": topic,
                    **({"too_large": True} if topic in asked.large else {}),
                    "memories": [shown(member) for member in members],
                }
                for topic, members in asked.topics.items()
            ],
        )
    ]
    if asked.strays:
        slots.append(render_slot("roots", [{"root": name} for name in asked.roots]))
        slots.append(render_slot("strays", [shown(member) for member in asked.strays]))
    return [
        {"role": "system", "content": text("asleep/topics")},
        {"role": "user", "content": "\n".join(slots)},
    ]


@inlineCallbacks
def by_model(
    asked: Asked, items: Items, ask: Ask
) -> Generator[Deferred[Any], Any, tuple[dict[str, Named], dict[str, str]]]:
    """
    What a model calls topics, and where it would put strays.

    Args:
        asked: What about.
        items: What its members say.
        ask: Asks the model.

    Returns:
        Names by topic, and ids of roots by memory.

    Raises:
        ModelError: If the model could not be asked, or nothing in its answer was of use.

    """
    shown = {**asked.topics, "": asked.strays}
    roots = {name.casefold(): root for name, root in asked.roots.items()}
    answer = yield ask_for_records(
        ask,
        messages_for_topics(asked, items),
        lambda record: checked(record, shown, roots),
        key="topics",
    )
    named = {found.topic: found for found in reversed(answer.items) if isinstance(found, Named)}
    rooted = {found.member: found.root for found in answer.items if isinstance(found, Rooted)}
    return named, rooted


@dataclass(frozen=True, slots=True)
class Label:
    """A name, a digest, and what both were made of."""

    name: str
    digest: str
    group: Group
    evidence: tuple[str, ...]


def by_words(
    members: Sequence[str], items: Items, vectors: Mapping[str, Any], index: Any
) -> Label | None:
    """
    Name and digest of a topic without a model, None where nothing is known of its members.

    Args:
        members: Of the topic.
        items: What they say, as far as it is known.
        vectors: Theirs, as far as they are known; those nearest to the middle are quoted.
        index: The NPC's `MemoryIndex`, which knows how rare words are.

    """
    held = {member: items[member] for member in members if member in items}
    group = naming_group(list(held.values()))
    if group is None:
        return None
    chosen = [member for member, item in held.items() if group_of(item) == group][-2 * MEMORIES :]
    known = [member for member in chosen if member in vectors]
    if known:
        total = sum(vectors[member] for member in known)
        chosen.sort(key=lambda m: -float(vectors[m] @ total) if m in vectors else 0.0)
    texts = [held[member].text for member in chosen]
    terms = {term for words in texts for term in content_terms(words)}
    listeners = group[0] if isinstance(group[0], tuple) else ()
    name = key_words(texts, index.rarity(terms, listeners=listeners))
    return Label(name, digest_of(texts), group, tuple(chosen))
