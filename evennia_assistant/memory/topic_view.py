"""
Topics as somebody may see them: with their members, names and digests as far as they may be told.

A topic of which nothing may be told is not there. One whose name was made of what these listeners
may not be told goes by the key words of the memories they may.

"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from ..mind.audience import frozen, may_be_told
from ..mind.percept import Audience
from ..mind.topic_words import digest_of, key_words
from .items import MemoryItem
from .members import Members

#: Memories a name is made of where none is there that may be told.
NAMED_BY = 20


@dataclass(frozen=True, slots=True)
class TopicView:
    """
    A topic for certain eyes.

    Args:
        id: Its id.
        parent: Id of its root, None for a root.
        name: What it is called.
        digest: What it comes to.
        items: Its memories, the most important first, the newest among equals.
        audiences: Of all that name and digest were made of.

    """

    id: str
    parent: str | None
    name: str
    digest: str
    items: tuple[MemoryItem, ...]
    audiences: tuple[Audience, ...]


def members_by_topic(memory: Any) -> dict[str, list[str]]:
    """
    Names of the members of each topic, dormant ones among them.

    They change by night, so they are looked up once and kept until a topic changes.

    Args:
        memory: The NPC's `MemoryHandler`.

    """
    topics = memory.topics
    links = memory.facts.links
    _ = topics.records
    key = (
        topics.store.changes,
        memory.journal.store.loads,
        None if links is None else links.store.changes,
    )
    kept = memory.__dict__.get("_members_by_topic")
    if kept is not None and kept[0] == key:
        found: dict[str, list[str]] = kept[1]
        return found
    members: dict[str, Any] = {}
    for _pause in Members(memory).read(members):
        pass
    found = {}
    for member in members.values():
        if member.topic is not None and member.topical:
            found.setdefault(member.topic, []).append(member.name)
    memory.__dict__["_members_by_topic"] = key, found
    return found


def topics_shown(
    memory: Any, listeners: Collection[str], *, aloud: bool = False, see_all: bool = False
) -> list[TopicView]:
    """
    The topics of which something may be told, the largest first.

    Args:
        memory: The NPC's `MemoryHandler`.
        listeners: Entity ids of all who will learn of it.
        aloud: Nothing that was learned in confidence.
        see_all: Whoever may be told; callers log that they used this.

    """
    look = Members(memory)
    views = []
    for topic, names in members_by_topic(memory).items():
        record = memory.topics.records.get(topic)
        if record is None:
            continue
        items = [item for name in names if (item := look.item(name)) is not None]
        if not see_all:
            items = [item for item in items if _may(item, listeners, aloud)]
        if not items:
            continue
        items.sort(key=lambda item: (-item.importance, -item.when))
        shown = memory.topics.shown(topic, listeners, aloud=aloud)
        audiences = [frozen(record["audience"])]
        if see_all and record["name"]:
            shown = record["name"], record["digest"]
        if shown is None:
            texts = [item.text for item in items[:NAMED_BY]]
            shown = key_words(texts), digest_of(texts)
            audiences = [item.audience for item in items[:NAMED_BY]]
        told_to = tuple(dict.fromkeys(audiences))
        views.append(TopicView(topic, record["parent"], shown[0], shown[1], tuple(items), told_to))
    views.sort(key=lambda view: (view.parent is None, -len(view.items), view.id))
    return views


def _may(item: MemoryItem, listeners: Collection[str], aloud: bool) -> bool:
    return may_be_told(item.audience, listeners) and not (aloud and item.confidence)
