"""
What an NPC's memories are about, on `character.db.memory_topics`.

::

    {"t4": {"name": "ferry, Ashford", "digest": "...", "parent": "t1", "n": 6, "sum": b"...", ...}}

`sum` are the vectors of its members added up (float32); who the members are stands on them, as
`topic`. Of the further keys, `audience` and `confidence` say whom the name and the digest may be
told to, `evidence` what they were made of, `by` who made them (`keeper`, `words`, `model`), and
`named_n` how many members there were then.

"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..mind.audience import PUBLIC, frozen, may_be_told, stored
from ..mind.percept import Audience
from ..mind.topics import Topic, TopicTree
from .attribute_store import AttributeStore

#: Name of the root of an NPC whose keeper named none.
ROOT = "Memories"
#: Evidence of a name that is kept.
MAX_EVIDENCE = 40

_DEFAULTS: Mapping[str, Any] = {
    "name": "",
    "digest": "",
    "parent": None,
    "n": 0,
    "sum": b"",
    "audience": None,
    "confidence": False,
    "evidence": [],
    "by": "",
    "named_n": 0,
}


def repair_topics(raw: Any) -> tuple[dict[str, Any], str | None]:
    """The sound topics of whatever is stored, and what was wrong, None if nothing was."""
    if not isinstance(raw, Mapping):
        return {}, "not a mapping"
    sound = {
        name: {**_DEFAULTS, **record}
        for name, record in raw.items()
        if isinstance(name, str)
        and name[:1] == "t"
        and name[1:].isdecimal()
        and isinstance(record, Mapping)
        and isinstance(record.get("n", 0), int)
        and isinstance(record.get("sum", b""), bytes)
    }
    return sound, "holding topics that cannot be read" if len(sound) != len(raw) else None


class Topics:
    """
    The topics of one NPC. The caller saves `store`.

    Args:
        character: The NPC.

    """

    def __init__(self, character: Any) -> None:
        self.store = AttributeStore(
            character, "memory_topics", dict, repair=repair_topics, sectioned=True
        )

    @property
    def records(self) -> dict[str, dict[str, Any]]:
        """Every topic's record by its id, roots first."""
        records: dict[str, dict[str, Any]] = self.store.data
        return records

    # The tree -------------------------------------------------------------------------------

    def tree(self, roots: Sequence[str] = ()) -> tuple[TopicTree, dict[str, str]]:
        """
        The topics to work on; nothing of it is kept before `keep`.

        Args:
            roots: Names of the roots there are to be; none is one root called `ROOT`. What stood
                under another is under the first of them.

        Returns:
            The tree, and the ids of its roots by their names.

        """
        tree = TopicTree(
            {
                name: Topic(name, record["parent"], record["n"], _unpacked(record["sum"]))
                for name, record in self.records.items()
            }
        )
        wanted = list(dict.fromkeys(roots)) or [ROOT]
        standing = {self.records[name]["name"]: name for name in tree.roots}
        named = {name: standing.get(name) or tree.add(None).id for name in wanted}
        kept = set(named.values())
        for name in [root for root in tree.roots if root not in kept]:
            tree.remove(name)
        for topic in tree.under():
            if topic.parent not in kept:
                topic.parent = named[wanted[0]]
                tree.changed.add(topic.id)
        return tree, named

    def keep(self, tree: TopicTree, roots: Mapping[str, str]) -> None:
        """
        Take over what was worked out; the caller saves.

        Args:
            tree: The tree.
            roots: Ids of the roots by their names.

        """
        records = self.records
        for name in sorted(tree.changed):
            topic = tree.topics.get(name)
            self.store.touch(name)
            if topic is None:
                records.pop(name, None)
                continue
            record = records.setdefault(name, {**_DEFAULTS, "evidence": []})
            record.update(parent=topic.parent, n=topic.n, sum=_packed(topic.total))
        for name, root in roots.items():
            if records[root]["by"] != "keeper":
                records[root].update(name=name, by="keeper", audience=PUBLIC)
                self.store.touch(root)

    # Names ----------------------------------------------------------------------------------

    def label(
        self,
        name: str,
        called: str,
        digest: str,
        *,
        audience: Audience,
        confidence: bool,
        evidence: Iterable[str],
        by: str,
    ) -> None:
        """
        Give a topic its name; the caller saves.

        Args:
            name: Its id.
            called: What it is called.
            digest: What it comes to.
            audience: Who may be told, as all that both were made of.
            confidence: Whether that was learned in confidence.
            evidence: What both were made of: `"j12"`, or ids of facts.
            by: `words` or `model`.

        """
        record = self.records[name]
        record.update(
            name=called,
            digest=digest,
            audience=stored(audience),
            confidence=confidence,
            evidence=list(dict.fromkeys(evidence))[:MAX_EVIDENCE],
            by=by,
            named_n=record["n"],
        )
        self.store.touch(name)

    def shown(
        self, name: str, listeners: Collection[str], *, aloud: bool = False
    ) -> tuple[str, str] | None:
        """
        Name and digest of a topic, None where these listeners may not be told.

        Args:
            name: Its id.
            listeners: Entity ids of those who will learn of it.
            aloud: Nothing that was made of a confidence.

        """
        record = self.records.get(name)
        if record is None or not record["name"] or (aloud and record["confidence"]):
            return None
        if not may_be_told(frozen(record["audience"]), listeners):
            return None
        return record["name"], record["digest"]


def _packed(total: Any) -> bytes:
    return b"" if total is None else np.asarray(total, dtype=np.float32).tobytes()


def _unpacked(packed: bytes) -> Any:
    return np.frombuffer(packed, dtype=np.float32).copy() if len(packed) >= 4 else None
