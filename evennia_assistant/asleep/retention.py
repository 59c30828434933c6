"""
The step of the night in which memories fade (`mind.retention`).

What nobody recalled for a long time is merged with a memory of its topic that says almost the same,
or becomes dormant. No model is asked: a merged memory keeps the words of the one that stays. What a
night decided is in recall when the step returns.

"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from typing import Any

from twisted.internet.defer import Deferred, inlineCallbacks

from ..memory.attribute_store import save_together
from ..memory.items import MemoryItem
from ..memory.members import Member, Members, is_entry
from ..memory.retention import clock_of
from ..mind import entry as entries
from ..mind.extraction import distinct_times
from ..mind.retention import (
    ACTIVE,
    DORMANT,
    DYING_STATE,
    GONE,
    MERGED,
    age,
    gained_by_merging,
    next_reading,
    united,
    united_when,
)
from .looking import look_at_all, vectors_of, words_of
from .night import night_of
from .undo import note_before

#: Memories on their way out that are dealt with in one tick, and others each is compared with.
BATCH = 40
COMPARED = 200
#: New memories whose night of birth is noted in one write.
NOTED = 500

Fields = dict[str, dict[str, Any]]


@inlineCallbacks
def run_retention(script: Any, character: Any) -> Generator[Deferred[Any], Any, dict[str, Any]]:
    """
    Count this night, let memories fade, and bring back those that were recalled.

    Args:
        script: The AssistantScript.
        character: Its NPC.

    Returns:
        `{"completed", "merged", "dormant", "revived", "left", "changes"}`.

    Raises:
        SemanticMemoryError: If a fact had to be looked up and could not be; nothing was decided.

    """
    _count_night(script)
    members = yield look_at_all(script)
    yield _note_birth(script, members)
    reading = clock_of(script).data["reading"]
    fading = [m for m in members.values() if m.at_hand and m.fades(reading)]
    waking = [
        m for m in members.values() if not m.fades(reading) and m.state in (DORMANT, DYING_STATE)
    ]
    batch = fading[:BATCH]
    vectors: dict[str, Any] = {}
    items: Mapping[str, MemoryItem] = {}
    rivals = _rivals(members, batch)
    if batch or waking:
        names = {m.name for m in (*batch, *waking)}.union(*rivals.values())
        vectors, items = yield vectors_of(script, names)
    work = _Fading(script, reading, members, vectors, items)
    for member in waking:
        work.wake(member)
    for member in batch:
        work.let_go(member, rivals[member.name])
    yield work.store()
    left = len(fading) - len(batch)
    return {"completed": left == 0, **work.counts, "left": left, "changes": work.changes}


def _count_night(script: Any) -> None:
    """Have the clock go on, once for each night."""
    night, store = night_of(script), clock_of(script)
    if not night.is_open:
        return
    clock = next_reading(store.data, night.data["id"], script.agent.now())
    if clock != store.data:
        store.data.update(clock)
        store.touch()
        store.save()


@inlineCallbacks
def _note_birth(script: Any, members: Mapping[str, Member]) -> Generator[Deferred[Any], Any, None]:
    """Note since when memories age that were not looked at before, and how much facts matter."""
    reading = clock_of(script).data["reading"]
    new = [m for m in members.values() if m.at_hand and m.clock is None]
    for start in range(0, len(new), NOTED):
        part = new[start : start + NOTED]
        facts = [m.name for m in part if m.is_fact and m.importance is None]
        items = yield words_of(script, facts)
        fields: Fields = {}
        for member in part:
            fields[member.name] = {"clock": reading}
            if member.name in items:
                member.importance = float(items[member.name].importance)
                fields[member.name]["importance"] = member.importance
            member.clock = reading
        stores = Members(script.character.memory).change(fields)
        save_together([*stores, *night_of(script).stores()])


def _rivals(members: Mapping[str, Member], batch: Sequence[Member]) -> dict[str, list[str]]:
    """Memories of the same topic and sort, by each that fades: the newest of them."""
    by_topic: dict[tuple[str | None, bool], list[str]] = {}
    for member in members.values():
        if member.at_hand and member.topical:
            by_topic.setdefault((member.topic, member.is_fact), []).append(member.name)
    return {
        member.name: [
            name
            for name in by_topic.get((member.topic, member.is_fact), ())[-COMPARED:]
            if name != member.name
        ]
        for member in batch
    }


class _Fading:
    """
    What is decided in one tick.

    Args:
        script: The AssistantScript.
        reading: Of the clock.
        members: All memories by name.
        vectors: Of those that are compared.
        items: Their words.

    """

    def __init__(
        self,
        script: Any,
        reading: int,
        members: Mapping[str, Member],
        vectors: Mapping[str, Any],
        items: Mapping[str, MemoryItem],
    ) -> None:
        self.script = script
        self.reading = reading
        self.vectors = vectors
        self.items = items
        self.counts = {"merged": 0, "dormant": 0, "revived": 0}
        self.changes: list[dict[str, Any]] = []
        self._members = members
        self._look = Members(script.character.memory)
        self._fields: Fields = {}
        self._gone: set[str] = set()
        self._least = script.character.memory.member_vectors.thresholds.merged
        self._tree, self._roots = script.character.memory.topics.tree(script.option("topic_roots"))

    def wake(self, member: Member) -> None:
        """Let a memory be at hand again."""
        dormant = member.state == DORMANT
        cycles = age(member.cycles, member.clock, self.reading)
        self._set(member, state=ACTIVE, cycles=cycles, clock=self.reading)
        if dormant:
            self.counts["revived"] += 1
            self._note("revived", member)
            if member.topic in self._tree.topics and member.name in self.vectors:
                self._tree.join(str(member.topic), member.name, self.vectors[member.name])

    def let_go(self, member: Member, rivals: Iterable[str]) -> None:
        """Merge a memory with the one that says almost the same, or let it sleep."""
        survivor = self._survivor(member, rivals)
        cycles = age(member.cycles, member.clock, self.reading)
        if survivor is None:
            self._set(member, state=DORMANT, cycles=cycles, clock=None)
            self.counts["dormant"] += 1
            self._note("dormant", member)
        else:
            successor = int(survivor[1:]) if is_entry(survivor) else survivor
            self._set(member, state=MERGED, successor=successor, cycles=cycles, clock=None)
            self._unite(self._members[survivor], member)
            self.counts["merged"] += 1
            self._note("merged", member, after=survivor)
        self._gone.add(member.name)
        if member.name in self.vectors and member.topic is not None:
            self._tree.leave(member.topic, self.vectors[member.name])

    def store(self) -> Deferred[None]:
        """Write all of it in one transaction, and have recall know; fires when it does."""
        memory = self.script.character.memory
        if not self._fields:
            done: Deferred[None] = memory.follow([])
            return done
        # What was taken back or forgotten while vectors were made stays so.
        fields = {name: f for name, f in self._fields.items() if self._holds(name)}
        snapshot = note_before(self.script, fields)
        stores = self._look.change(fields)
        self._tree.moved.clear()
        memory.topics.keep(self._tree, self._roots)
        night = night_of(self.script)
        save_together([*stores, memory.topics.store, *snapshot, *night.stores()])
        followed: Deferred[None] = memory.follow(list(fields))
        return followed

    # Within ---------------------------------------------------------------------------------

    def _survivor(self, member: Member, rivals: Iterable[str]) -> str | None:
        """The memory that stands for another from now on, None when none comes close."""
        own, item = self.vectors.get(member.name), self.items.get(member.name)
        if own is None or item is None:
            return None
        best, found = self._least, None
        for name in rivals:
            vector, other = self.vectors.get(name), self.items.get(name)
            if name in self._gone or vector is None or other is None:
                continue
            if vector.shape != own.shape or not _may_stand_for(other, item):
                continue
            cosine = float(vector @ own)
            if cosine >= best and not self._of_other_days(member.name, name):
                best, found = cosine, name
        return found

    def _holds(self, name: str) -> bool:
        record = self._look.record(name)
        return record is not None and record.get("state") not in GONE

    def _of_other_days(self, one: str, other: str) -> bool:
        times = [
            [entries.get(entry, "event_time") for entry in self._look.entries_of(name)]
            for name in (one, other)
        ]
        return distinct_times(*times)

    def _unite(self, survivor: Member, absorbed: Member) -> None:
        """What a survivor has of what is merged with it: strength, dates and subjects."""
        record = self._look.record(survivor.name) or {}
        before = self._fields.get(survivor.name, {})
        survivor.gained = gained_by_merging(survivor.importance or 10.0, survivor.gained)
        mentions = [self._mentions(m) for m in (survivor, absorbed)]
        themes = "tags" if is_entry(survivor.name) else "themes"
        self._set(
            survivor,
            gained=survivor.gained,
            mention_count=before.get("mention_count", mentions[0]) + mentions[1],
            when=united_when(
                before.get("when") or self._when(survivor.name), self._when(absorbed.name)
            ),
        )
        self._set(
            survivor,
            **{
                themes: united(
                    before.get(themes) or record.get(themes, ()), self._themes(absorbed.name)
                )
            },
        )

    def _mentions(self, member: Member) -> int:
        record = self._look.record(member.name) or {}
        return int(record.get("mention_count", 1))

    def _when(self, name: str) -> list[Any]:
        """The dates of a memory: those it says, else the day it was heard."""
        record = self._look.record(name) or {}
        if record.get("when"):
            return list(record["when"])
        found: list[Any] = []
        for entry in self._look.entries_of(name):
            scene = entries.get(entry, "scene") or {}
            found += scene.get("when") or [str(entry["timestamp"])[:10]]
        return found

    def _themes(self, name: str) -> list[str]:
        record = self._look.record(name) or {}
        tags = [tag for entry in self._look.entries_of(name) for tag in entry.get("tags", ())]
        return united(record.get("themes", ()), tags)

    def _set(self, member: Member, **fields: Any) -> None:
        self._fields.setdefault(member.name, {}).update(fields)

    def _note(self, what: str, member: Member, **fields: Any) -> None:
        item = self.items.get(member.name)
        self.changes.append(
            {
                "what": what,
                "id": member.name,
                "text": "" if item is None else item.text,
                "audience": None if item is None else item.audience,
                **fields,
            }
        )


def _may_stand_for(one: MemoryItem, other: MemoryItem) -> bool:
    """Whether two memories are of one witness, for the same ears, and of the same people."""
    return (
        one.audience == other.audience
        and one.confidence == other.confidence
        and one.speaker == other.speaker
        and set(one.entities) == set(other.entities)
        and one.kind == other.kind
    )
