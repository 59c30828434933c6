"""
One night's tidying of topics: the new find a place, what is too small or too large does not stay.

`settle` works on a tree nobody else has. Where it needs vectors it was not given, it says which and
leaves that piece undone; called again with them, on a tree as it was, it comes to the same result.

"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .topics import FEW, LEAST, MOST, TopicTree

#: Small topics that did not change and are looked at for a sibling they could join, each night.
IN_TURN = 20
#: Strays of one root that are compared with each other, the newest of them.
STRAYS = 600


@dataclass
class Settled:
    """
    What came of it.

    Args:
        moved: New topic by member, dormant ones included.
        missing: Members whose vectors are needed for more.
        born: Ids of topics that were born of strays, or split from others.
        parts: Id of the topic made of a part that was proposed, by topic and place of the part.
        merged: Numbers of small topics that joined a sibling or fell back to their root.
        large: Ids of topics that would have to be split.

    """

    moved: dict[str, str] = field(default_factory=dict)
    missing: set[str] = field(default_factory=set)
    born: list[str] = field(default_factory=list)
    parts: dict[tuple[str, int], str] = field(default_factory=dict)
    merged: int = 0
    large: list[str] = field(default_factory=list)


class Settling:
    """
    The work on one tree.

    Args:
        tree: The tree; it is changed.
        topic_of: Topic by member, of those that are at hand, the oldest first.
        dormant: Topic by member, of those that sleep; they go where their topic goes.
        vectors: By member, as far as they are known.
        floor: Cosine from which memories belong together.

    """

    def __init__(
        self,
        tree: TopicTree,
        topic_of: Mapping[str, str | None],
        dormant: Mapping[str, str | None],
        vectors: Mapping[str, Any],
        floor: float,
    ) -> None:
        self.tree = tree
        self.vectors = vectors
        self.floor = floor
        self.done = Settled()
        self._was = {**topic_of, **dormant}
        self._members: dict[str, list[str]] = defaultdict(list)
        self._asleep: dict[str, list[str]] = defaultdict(list)
        self._new: list[str] = []
        for member, topic in topic_of.items():
            if topic is None or topic not in tree.topics:
                self._new.append(member)
            else:
                self._members[topic].append(member)
        for member, topic in dormant.items():
            if topic in tree.topics:
                self._asleep[str(topic)].append(member)

    def settle(
        self,
        *,
        rooted: Mapping[str, str] | None = None,
        split: bool = True,
        parts: Mapping[str, Sequence[Sequence[str]]] | None = None,
    ) -> Settled:
        """
        Do all of it.

        Args:
            rooted: Root of strays, where somebody said so.
            split: Split what is too large; else it is only named in `large`.
            parts: Members of parts to be taken out of a topic, as somebody proposed.

        """
        self._count_anew()
        fresh = self._assign(rooted or {})
        self._tidy_small()
        for root in fresh:
            self._bear(root)
        self._split(parts or {}, split)
        places = {member: topic for topic, held in self._members.items() for member in held}
        places.update((m, topic) for topic, held in self._asleep.items() for m in held)
        self.done.moved = {m: t for m, t in places.items() if self._was.get(m) != t}
        return self.done

    # Pieces ---------------------------------------------------------------------------------

    def _have(self, members: Iterable[str]) -> bool:
        lacking = [member for member in members if member not in self.vectors]
        self.done.missing.update(lacking)
        return not lacking

    def _count_anew(self) -> None:
        """Put right what does not agree with its members, as after some were forgotten."""
        for name, topic in self.tree.topics.items():
            held = self._members[name]
            if len(held) == topic.n:
                continue
            if topic.parent is None:
                # The middle of strays is only a hint; embedding them all again is not worth it.
                topic.n = len(held)
                self.tree.changed.add(name)
            elif self._have(held):
                self.tree.rebuild(name, [self.vectors[member] for member in held])

    def _assign(self, rooted: Mapping[str, str]) -> list[str]:
        """Find a place for the new ones; the roots that have new strays."""
        fresh: dict[str, None] = {}
        if self._have(self._new):
            for member in self._new:
                root = rooted.get(member)
                name = self.tree.assign(member, self.vectors[member], self.floor, root)
                self._members[name].append(member)
                if self.tree.topics[name].parent is None:
                    fresh[name] = None
        return list(fresh)

    def _tidy_small(self) -> None:
        for name in self._small():
            held = self._members[name]
            if len(held) > FEW:
                continue
            host = self.tree.host_for(name, self.floor) if held else None
            pair = len(held) == LEAST
            if host is None and pair and name not in self.tree.changed:
                continue
            if not self._have(held) or (host is None and pair and self._alike(held)):
                # Fallen back to their root, they would make a topic again at once.
                continue
            self._dissolve(name, host or str(self.tree.topics[name].parent))
            self.done.merged += 1

    def _small(self) -> list[str]:
        """Topics too small to stand alone: those that changed, and a few of the others in turn."""
        small = [topic.id for topic in self.tree.under() if topic.n <= FEW]
        urgent = [n for n in small if n in self.tree.changed or len(self._members[n]) < LEAST]
        others = [name for name in small if name not in set(urgent)]
        turn = len(self._was) % len(others) if others else 0
        return [*urgent, *(others[turn:] + others[:turn])[:IN_TURN]]

    def _alike(self, pair: Sequence[str]) -> bool:
        one, other = (self.vectors[member] for member in pair)
        return one.shape == other.shape and float(one @ other) >= self.floor

    def _dissolve(self, name: str, into: str) -> None:
        for member in self._members.pop(name, []):
            self.tree.join(into, member, self.vectors[member])
            self._members[into].append(member)
        self._asleep[into].extend(self._asleep.pop(name, []))
        self.tree.remove(name)

    def _bear(self, root: str) -> None:
        strays = self._members[root][-STRAYS:]
        if len(strays) < LEAST or not self._have(strays):
            return
        vectors = {member: self.vectors[member] for member in strays}
        before = set(self.tree.topics)
        # Those that were there before were compared with each other before.
        self.tree.bear(root, vectors, self.floor, set(self.tree.moved).intersection(strays))
        born = [name for name in self.tree.topics if name not in before]
        self._follow(root, born)
        self.done.born += born

    def _split(self, parts: Mapping[str, Sequence[Sequence[str]]], split: bool) -> None:
        for topic in self.tree.under():
            held = self._members[topic.id]
            proposed = parts.get(topic.id, ())
            if topic.n <= MOST:
                continue
            self.done.large.append(topic.id)
            if not split or not self._have(held):
                continue
            vectors = {member: self.vectors[member] for member in held}
            made = self.tree.split(topic.id, vectors, proposed)
            self._follow(topic.id, made)
            for place, part in enumerate(proposed):
                owner = {self.tree.moved.get(member) for member in part} & set(made)
                if len(owner) == 1:
                    self.done.parts[topic.id, place] = str(owner.pop())
            self.done.born += made

    def _follow(self, name: str, made: Sequence[str]) -> None:
        """Have the lists of members follow what the tree moved out of a topic."""
        if not made:
            return
        held, self._members[name] = self._members[name], []
        for member in held:
            place = self.tree.moved.get(member)
            self._members[place if place is not None and place in made else name].append(member)
