"""
What a topic is called and what it comes to: by key words, or as a model put it.

A name or a digest tells what it was made of. So both are made of memories of one audience and one
confidence, and are shown to those alone who may be told these (`mind.audience`).

    >>> key_words(["Anna lost her ring.", "The ring of Anna is silver.", "It rains."])
    'Anna, ring'

"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .persona_protection import is_self_referential
from .text import STOP_WORDS, stem, words

#: Key words in a name, and characters of a name and of a digest.
WORDS = 3
MOST_NAME, MOST_DIGEST = 60, 400
#: Lines quoted in a digest by rule, and characters of one.
QUOTED, MOST_QUOTED = 3, 110
#: A topic gets a new name when it has grown by this factor since it got its last.
OUTGROWN = 1.5
#: Topics taken out of one by one answer.
MOST_PARTS = 4
#: Name of a topic in whose memories no word says anything.
UNNAMED = "this and that"


def key_words(texts: Sequence[str], rarity: Mapping[str, float] | None = None) -> str:
    """
    A name for a topic: the words most of its memories have in common.

    Args:
        texts: The memories.
        rarity: How rare a term is among all memories; without it only common ground counts.

    Returns:
        Up to three words as they were written.

    """
    shared: Counter[str] = Counter()
    written: dict[str, Counter[str]] = {}
    for text in texts:
        seen = set()
        for word in _written(text):
            for part in words(word):
                if part in STOP_WORDS or part.isdigit() or len(part) < 2:
                    continue
                term = stem(part)
                seen.add(term)
                written.setdefault(term, Counter())[word] += 1
        shared.update(seen)
    weights = rarity or {}
    least = 2 if len(texts) > 1 and any(count > 1 for count in shared.values()) else 1
    ranked = sorted(
        (term for term, count in shared.items() if count >= least),
        key=lambda term: (-shared[term] * weights.get(term, 1.0), term),
    )
    names = [written[term].most_common(1)[0][0] for term in ranked[: 2 * WORDS]]
    return ", ".join(list(dict.fromkeys(names))[:WORDS])[:MOST_NAME] or UNNAMED


def _written(text: str) -> list[str]:
    """The words of a text as they stand there, without what is around them."""
    return [word for raw in text.split() if (word := raw.strip("\"'.,;:!?()[]{}<>*_~-"))]


def digest_of(texts: Sequence[str]) -> str:
    """
    What a topic comes to, without a model: its most telling memories in their own words.

    Args:
        texts: The memories, those nearest to the middle of the topic first.

    """
    told = [" ".join(text.split()) for text in texts[:QUOTED]]
    return " / ".join(_cut(text, MOST_QUOTED) for text in told)[:MOST_DIGEST]


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most].rstrip()} ..."


def wants_name(topic: Mapping[str, Any], with_model: bool) -> bool:
    """
    Whether a topic is to be named, or named anew.

    Args:
        topic: Its record.
        with_model: Whether a model could do it.

    """
    if not topic.get("name") or topic["n"] >= OUTGROWN * max(1, topic.get("named_n", 0)):
        return True
    return with_model and topic.get("by") != "model"


@dataclass(frozen=True, slots=True)
class Named:
    """
    A name and a digest, for a topic or for a part that is to be taken out of it.

    Args:
        topic: Its id.
        name: Its name.
        digest: What it comes to.
        parts: Names, digests and members of what is to be a topic of its own.

    """

    topic: str
    name: str
    digest: str
    parts: tuple[tuple[str, str, tuple[str, ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class Rooted:
    """Where a stray belongs, in a model's opinion."""

    member: str
    root: str


def checked(
    record: Any, shown: Mapping[str, Collection[str]], roots: Mapping[str, str]
) -> Named | Rooted:
    """
    A record of a model's answer, as far as it names what it was shown.

    Args:
        record: The record.
        shown: Ids of the memories the model was shown, by topic; of strays under "".
        roots: Ids of the roots by their folded names.

    Returns:
        The record as it is to be used: unknown ids are dropped, and parts left with fewer than two
        members as well.

    Raises:
        ValueError: If nothing in it can be used; the text says why.

    """
    if not isinstance(record, Mapping):
        raise ValueError("a record is no object")
    if "memory" in record:
        member, root = str(record["memory"]), roots.get(str(record.get("root")).strip().casefold())
        if member not in shown.get("", ()) or root is None:
            raise ValueError("a record names a memory or a root there is not")
        return Rooted(member, root)
    topic = str(record.get("topic"))
    if not topic or topic not in shown:
        raise ValueError("a record names a topic there is not")
    name, digest = _label(record)
    parts, free = [], set(shown[topic])
    listed = record.get("split")
    for part in (listed if isinstance(listed, list) else [])[:MOST_PARTS]:
        members = part.get("memories") if isinstance(part, Mapping) else None
        chosen = [
            member
            for member in dict.fromkeys(map(str, members if isinstance(members, list) else ()))
            if member in free
        ]
        if len(chosen) < 2:
            continue
        try:
            part_name, part_digest = _label(part)
        except ValueError:
            part_name = part_digest = ""
        free.difference_update(chosen)
        parts.append((part_name, part_digest, tuple(chosen)))
    return Named(topic, name, digest, tuple(parts))


def _label(record: Mapping[str, Any]) -> tuple[str, str]:
    name, digest = record.get("name"), record.get("digest", "")
    if not isinstance(name, str) or not name.strip():
        raise ValueError("a topic has no name")
    name = " ".join(name.split())[:MOST_NAME]
    digest = " ".join(digest.split())[:MOST_DIGEST] if isinstance(digest, str) else ""
    if is_self_referential(f"{name}. {digest}"):
        raise ValueError("a topic is about whoever keeps it")
    return name, digest
