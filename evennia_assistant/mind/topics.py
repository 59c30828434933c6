"""
What an NPC's memories are about, by itself: a root or several, and topics under them.

A topic is known by its middle: the sum of its members' vectors and their number, carried along as
they come and go, so that nothing is embedded twice. A memory joins the topic whose middle is near
enough, else it is a stray and stays with a root. Strays that resemble each other make a new topic.
A topic that grew beyond `MOST` is split; one of `FEW` or fewer joins a sibling that is close and
has room, or falls back to its root, and is gone when it is empty.

Everything here is arithmetic on vectors (float32, of length 1): who the members are stands on them.

"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

#: Most members of a topic, and the number at which it is too small to stand alone.
MOST, FEW = 10, 2
#: A small topic joins a sibling of at most so many, which stays within `MOST`.
HOST = MOST - FEW
#: Members that stay in a topic when it is split, and that any part of it has, at least.
LEAST = 2
#: Rounds of 2-means at most; it settles after a few.
ROUNDS = 12

Vectors = Mapping[str, Any]


@dataclass
class Topic:
    """
    A topic.

    Args:
        id: `t1`, `t2`, ...
        parent: Id of its root; None for a root itself.
        n: Its members that are at hand; of a root, its strays.
        total: Sum of their vectors, None where there is none.

    """

    id: str
    parent: str | None = None
    n: int = 0
    total: Any = None

    @property
    def middle(self) -> Any:
        """The direction its members have in common, None when they have none."""
        if self.n < 1 or self.total is None:
            return None
        length = float(np.linalg.norm(self.total))
        return None if length == 0.0 else self.total / length


@dataclass
class TopicTree:
    """
    All topics of one NPC.

    Args:
        topics: By id, roots included.
        changed: Ids of those that came, went, grew or shrank.
        moved: Topic by member, as far as it is not what it was.

    """

    topics: dict[str, Topic] = field(default_factory=dict)
    changed: set[str] = field(default_factory=set)
    moved: dict[str, str] = field(default_factory=dict)
    _middles: Any = field(default=None, repr=False)

    # Looking --------------------------------------------------------------------------------

    @property
    def roots(self) -> list[str]:
        """Ids of the roots."""
        return [topic.id for topic in self.topics.values() if topic.parent is None]

    def under(self, root: str | None = None) -> list[Topic]:
        """The topics that are no roots, of one root or of all."""
        return [
            topic
            for topic in self.topics.values()
            if topic.parent is not None and root in (None, topic.parent)
        ]

    # Growing and shrinking ------------------------------------------------------------------

    def add(self, parent: str | None) -> Topic:
        """A new topic, or a root."""
        number = max((int(name[1:]) for name in self.topics), default=0) + 1
        topic = self.topics[f"t{number}"] = Topic(f"t{number}", parent)
        self.changed.add(topic.id)
        return topic

    def join(self, name: str, member: str, vector: Any) -> None:
        """Count a member in."""
        topic = self.topics[name]
        fits = topic.total is not None and topic.total.shape == vector.shape
        topic.total = topic.total + vector if fits else np.array(vector, dtype=np.float32)
        topic.n += 1
        self.moved[member] = name
        self._note(name)

    def leave(self, name: str, vector: Any) -> None:
        """Count a member out; whose topic is gone is nowhere."""
        topic = self.topics.get(name)
        if topic is None:
            return
        topic.n = max(0, topic.n - 1)
        if topic.n == 0 or topic.total is None or topic.total.shape != vector.shape:
            topic.total = None if topic.n == 0 else topic.total
        else:
            topic.total = topic.total - vector
        self._note(name)

    def rebuild(self, name: str, vectors: Sequence[Any]) -> None:
        """Sum up a topic anew, as after members were forgotten."""
        topic = self.topics[name]
        topic.n = len(vectors)
        topic.total = np.sum(vectors, axis=0, dtype=np.float32) if len(vectors) else None
        self._note(name)

    def remove(self, name: str) -> None:
        """Take a topic out that has no member any more."""
        del self.topics[name]
        self._note(name)

    def _note(self, name: str) -> None:
        """A topic's middle has moved."""
        self.changed.add(name)
        topic = self.topics.get(name)
        if self._middles is None or (topic is not None and topic.parent is None):
            return
        names, rows = self._middles
        middle = None if topic is None else topic.middle
        if name not in names:
            # One without a middle changes nothing; any other belongs among them.
            self._middles = None if middle is not None else self._middles
        elif middle is None:
            rows[names.index(name)] = 0.0
        elif rows.shape[1:] == middle.shape:
            rows[names.index(name)] = middle
        else:
            self._middles = None

    # The three rules ------------------------------------------------------------------------

    def assign(self, member: str, vector: Any, floor: float, root: str | None = None) -> str:
        """
        Give a memory its topic: the closest there is, else a root.

        Args:
            member: Its id.
            vector: Its vector.
            floor: Cosine with a topic's middle from which it belongs there.
            root: The root for a stray; None goes by which root's topics are nearest.

        """
        name = self._closest(vector, floor) or root or self.nearest_root(vector)
        self.join(name, member, vector)
        return name

    def _closest(self, vector: Any, floor: float) -> str | None:
        """The topic closest to a vector, if it is as close as `floor`; None for none of them."""
        names, rows = self._all_middles()
        if not names or rows.shape[1:] != vector.shape:
            return None
        cosines = rows @ vector
        best = int(cosines.argmax())
        return names[best] if cosines[best] >= floor else None

    def _all_middles(self) -> tuple[list[str], Any]:
        """Ids of all topics but roots, and their middles; zeros for one that has none any more."""
        if self._middles is None:
            topics = [topic for topic in self.under() if topic.n > 0 and topic.total is not None]
            size = topics[-1].total.shape if topics else ()
            topics = [topic for topic in topics if topic.total.shape == size]
            rows = np.array([topic.total for topic in topics], dtype=np.float32)
            if topics:
                lengths = np.linalg.norm(rows, axis=1, keepdims=True)
                rows /= np.where(lengths > 0.0, lengths, 1.0)
            self._middles = [topic.id for topic in topics], rows
        found: tuple[list[str], Any] = self._middles
        return found

    def nearest_root(self, vector: Any) -> str:
        """The root whose memories are most like a vector, the first where none is."""
        roots = self.roots
        best, found = 0.0, roots[0]
        for root in roots if len(roots) > 1 else ():
            family = [self.topics[root], *self.under(root)]
            totals = [t.total for t in family if t.total is not None]
            sums = [total for total in totals if total.shape == vector.shape]
            if not sums:
                continue
            whole = np.sum(sums, axis=0)
            cosine = float(whole @ vector) / (float(np.linalg.norm(whole)) or 1.0)
            if cosine > best:
                best, found = cosine, root
        return found

    def bear(
        self, root: str, strays: Vectors, floor: float, new: Collection[str] | None = None
    ) -> list[str]:
        """
        Make topics of the strays of a root that resemble each other.

        Args:
            root: Its id.
            strays: Their vectors by id.
            floor: Cosine from which two resemble each other.
            new: The strays one of which begins a topic; None for any.

        Returns:
            Ids of the new topics.

        """
        born = []
        for group in families(strays, floor, new):
            topic = self.add(root)
            for member in group:
                self.leave(root, strays[member])
                self.join(topic.id, member, strays[member])
            born.append(topic.id)
        return born

    def split(self, name: str, vectors: Vectors, parts: Iterable[Sequence[str]] = ()) -> list[str]:
        """
        Make several topics of one that is too large.

        Args:
            name: Its id.
            vectors: Of all its members, by id.
            parts: Members that are to make a topic of their own, as somebody proposed; what cannot
                be done of it is left undone. What is too large then is halved.

        Returns:
            Ids of the new topics.

        """
        made = []
        left = dict(vectors)
        for part in parts:
            chosen = [member for member in dict.fromkeys(part) if member in left]
            if len(chosen) >= LEAST and len(left) - len(chosen) >= LEAST:
                made.append(self._move_out(name, chosen, left))
        whole = {name: left}
        for topic, members in made:
            whole[topic] = members
        names = [topic for topic, _members in made]
        while True:
            large = next((key for key, held in whole.items() if len(held) > MOST), None)
            if large is None:
                return names
            moving = halves(whole[large])[1]
            topic, members = self._move_out(large, moving, whole[large])
            whole[topic] = members
            names.append(topic)

    def _move_out(
        self, name: str, chosen: Sequence[str], left: dict[str, Any]
    ) -> tuple[str, dict[str, Any]]:
        topic = self.add(self.topics[name].parent)
        members = {member: left.pop(member) for member in chosen}
        for member, vector in members.items():
            self.leave(name, vector)
            self.join(topic.id, member, vector)
        return topic.id, members

    def host_for(self, name: str, floor: float) -> str | None:
        """The sibling with room that a small topic joins, None when none is close."""
        topic, middle = self.topics[name], self.topics[name].middle
        names, rows = self._all_middles()
        if middle is None or not names or rows.shape[1:] != middle.shape:
            return None
        cosines = rows @ middle
        for place in np.argsort(-cosines, kind="stable"):
            if cosines[place] < floor:
                return None
            other = self.topics.get(names[place])
            if other is None or other.id == name or other.parent != topic.parent:
                continue
            if 0 < other.n <= HOST:
                return other.id
        return None


def families(vectors: Vectors, floor: float, new: Collection[str] | None = None) -> list[list[str]]:
    """
    Groups of those that resemble each other, the closest first; who resembles nobody is in none.

    The closest pair begins a group; whoever is closest to its middle joins it, as long as that is
    close enough and there are no more than `MOST`.

    Args:
        vectors: By id.
        floor: Cosine from which two resemble each other.
        new: Those one of which is in the pair that begins a group; None for any.

    """
    names = list(vectors)
    if len(names) < LEAST:
        return []
    rows = np.stack([vectors[name] for name in names])
    cosines = rows @ rows.T
    pairs = cosines.copy()
    np.fill_diagonal(pairs, -1.0)
    if new is not None:
        old = np.array([name not in new for name in names])
        pairs[np.ix_(old, old)] = -1.0
    free: Any = np.ones(len(names), dtype=np.bool_)
    groups: list[list[str]] = []
    while True:
        first, second = divmod(int(pairs.argmax()), len(names))
        if pairs[first, second] < floor:
            return groups
        group = [first, second]
        near = cosines[first] + cosines[second]
        while len(group) < MOST:
            # The length of a sum of vectors of length 1 is in their cosines.
            length = float(np.sqrt(max(near[group].sum(), 1e-9)))
            open_to = np.where(free, near / length, -1.0)
            open_to[group] = -1.0
            closest = int(open_to.argmax())
            if open_to[closest] < floor:
                break
            group.append(closest)
            near = near + cosines[closest]
        free[group] = False
        pairs[group, :] = pairs[:, group] = -1.0
        groups.append([names[place] for place in sorted(group)])


def halves(vectors: Vectors) -> tuple[list[str], list[str]]:
    """
    Two parts of a group by 2-means on the sphere, each with two members at least.

    Args:
        vectors: Of four members or more, by id.

    Returns:
        Those that stay (the larger part) and those that move.

    """
    names = list(vectors)
    rows = np.stack([vectors[name] for name in names])
    middle = rows.sum(axis=0)
    first = int((rows @ middle).argmin())
    second = int((rows @ rows[first]).argmin())
    ends = [rows[first], rows[second]]
    side: Any = np.zeros(len(names), dtype=np.bool_)
    for _round in range(ROUNDS):
        lean = rows @ ends[1] - rows @ ends[0]
        # Ties and crumbs: each side keeps two at least, those that lean to it most.
        order = np.argsort(lean, kind="stable")
        new = lean > 0.0
        new[order[:LEAST]], new[order[-LEAST:]] = False, True
        if (new == side).all():
            break
        side = new
        for number, part in enumerate((rows[~side], rows[side])):
            total = part.sum(axis=0)
            ends[number] = total / (float(np.linalg.norm(total)) or 1.0)
    one = [name for name, moves in zip(names, side, strict=True) if not moves]
    other = [name for name, moves in zip(names, side, strict=True) if moves]
    return (one, other) if len(one) >= len(other) else (other, one)
