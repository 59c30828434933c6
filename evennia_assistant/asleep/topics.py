"""
The step of the night that sorts memories into topics (`mind.topics`).

Mechanical work comes first and needs nobody; a model is asked once, for names and for how to take
apart what is too large. When it cannot be, the sorting is kept all the same.

"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import Any

from twisted.internet.defer import Deferred, inlineCallbacks

from ..awake.models import has_model
from ..errors import AssistantError
from ..llm.asking import Ask
from ..memory.attribute_store import AttributeStore, save_together
from ..memory.members import Member, Members
from ..mind.topic_settling import Settled, Settling
from ..mind.topic_words import Named, wants_name
from ..mind.topics import TopicTree
from .looking import look_at_all, vectors_of, words_of
from .night import night_of
from .topic_names import Asked, Label, by_model, by_words, naming_group, to_ask
from .undo import note_before

STEP = "run_topics"
#: New memories that find their place in one tick.
BATCH = 100


class Sorting:
    """
    One tick's work on one NPC's topics.

    Args:
        script: Its AssistantScript.
        members: Its memories by name.

    """

    def __init__(self, script: Any, members: Mapping[str, Member]) -> None:
        self.script = script
        topical = [member for member in members.values() if member.topical]
        records = self.memory.topics.records
        night = night_of(script)
        new = [
            member.name
            for member in topical
            if member.at_hand
            and member.topic not in records
            and not night.is_set_aside(STEP, member.name)
        ]
        self.batch, self.left = new[:BATCH], max(0, len(new) - BATCH)
        self.topic_of: dict[str, str | None] = {
            m.name: m.topic for m in topical if m.at_hand and m.topic in records
        }
        self.topic_of.update(dict.fromkeys(self.batch))
        self.dormant = {m.name: m.topic for m in topical if not m.at_hand}
        self.vectors: dict[str, Any] = {}
        self.items: dict[str, Any] = {}

    @property
    def memory(self) -> Any:
        """The NPC's memory."""
        return self.script.character.memory

    @inlineCallbacks
    def worked_out(
        self, **options: Any
    ) -> Generator[Deferred[Any], Any, tuple[TopicTree, dict[str, str], Settled]]:
        """The tree as it is to be, its roots, and what came of settling it; nothing is kept yet."""
        floor = self.memory.member_vectors.thresholds.topic
        while True:
            tree, roots = self.memory.topics.tree(self.script.option("topic_roots"))
            settling = Settling(tree, self.topic_of, self.dormant, self.vectors, floor)
            done = settling.settle(**options)
            if not done.missing:
                return tree, roots, done
            vectors, items = yield vectors_of(self.script, done.missing)
            self.vectors.update(vectors)
            self.items.update(items)
            # What is nowhere to be found would hold up the rest.
            for name in done.missing - vectors.keys():
                self.topic_of.pop(name, None)
                night_of(self.script).set_aside(STEP, [name])

    def members_of(self, done: Settled) -> dict[str, list[str]]:
        """Who is in which topic, as it was worked out."""
        held: dict[str, list[str]] = {}
        for name, topic in self.topic_of.items():
            place = done.moved.get(name, topic)
            if place is not None:
                held.setdefault(place, []).append(name)
        return held


@inlineCallbacks
def run_topics(
    script: Any, character: Any, *, ask: Ask | None = None
) -> Generator[Deferred[Any], Any, dict[str, Any]]:
    """
    Sort new memories into topics, tidy these up and name them.

    Args:
        script: The AssistantScript.
        character: Its NPC.
        ask: Asks the model; None is the NPC's own way.

    Returns:
        `{"completed", "sorted", "born", "merged", "named", "left", "changes"}`: memories that found
        a place, topics that came to be, small ones that went, and names that were given.

    Raises:
        ModelError: If the model could not be asked; the sorting is stored by then.
        SemanticMemoryError: If a fact had to be looked up and could not be.

    """
    members = yield look_at_all(script)
    sorting = Sorting(script, members)
    model = has_model(script)
    tree, roots, done = yield sorting.worked_out(split=not model)
    named: dict[str, Named] = {}
    rooted: dict[str, str] = {}
    asked = failure = None
    if model and not sorting.left:
        asked = yield _to_ask(sorting, tree, roots, done)
        try:
            if asked is not None:
                named, rooted = yield by_model(asked, sorting.items, ask or script.agent.ask)
        except AssistantError as err:
            failure = err
    if model:
        parts = {name: [part[2] for part in found.parts] for name, found in named.items()}
        tree, roots, done = yield sorting.worked_out(rooted=rooted, parts=parts)
    yield _know_words(sorting, tree, done)
    report = _store(sorting, tree, roots, done, _of_model(sorting, named, asked, done))
    if failure is not None:
        for change in report["changes"]:
            night_of(script).note(**change)
        raise failure
    return report


@inlineCallbacks
def _to_ask(
    sorting: Sorting, tree: TopicTree, roots: Mapping[str, str], done: Settled
) -> Generator[Deferred[Any], Any, Asked | None]:
    """What a model is to be asked, None for nothing."""
    records, held = sorting.memory.topics.records, sorting.members_of(done)
    wanting = {
        topic.id: held.get(topic.id, [])
        for topic in tree.under()
        if topic.id in done.large
        or wants_name({**records.get(topic.id, {}), "n": topic.n}, with_model=True)
    }
    strays = [m for m in sorting.batch if done.moved.get(m) in roots.values()]
    needed = [m for part in wanting.values() for m in part if m not in sorting.items]
    sorting.items.update((yield words_of(sorting.script, needed)))
    return to_ask(wanting, done.large, sorting.items, strays, roots)


@inlineCallbacks
def _know_words(
    sorting: Sorting, tree: TopicTree, done: Settled
) -> Generator[Deferred[Any], Any, None]:
    """Have the words of all members of topics that are to be named by words."""
    held = sorting.members_of(done)
    needed = [
        member
        for name in _unnamed(sorting, tree)
        for member in held.get(name, ())
        if member not in sorting.items
    ]
    sorting.items.update((yield words_of(sorting.script, needed)))


def _unnamed(sorting: Sorting, tree: TopicTree) -> list[str]:
    """Topics without a name, or with one they have outgrown."""
    records = sorting.memory.topics.records
    return [
        topic.id
        for topic in tree.under()
        if wants_name({**records.get(topic.id, {}), "n": topic.n}, with_model=False)
    ]


# Keeping it -----------------------------------------------------------------------------------


def _store(
    sorting: Sorting,
    tree: TopicTree,
    roots: Mapping[str, str],
    done: Settled,
    of_model: Mapping[str, Label],
) -> dict[str, Any]:
    """Write all of it in one transaction; what was done."""
    script, memory = sorting.script, sorting.memory
    topics, held = memory.topics, sorting.members_of(done)
    unnamed = _unnamed(sorting, tree)
    before = set(topics.records)
    topics.keep(tree, roots)
    labels = {
        name: label
        for name in unnamed
        if (label := by_words(held.get(name, ()), sorting.items, sorting.vectors, memory.index))
    }
    labels.update(of_model)
    for name, label in labels.items():
        topics.label(
            name,
            label.name,
            label.digest,
            audience=label.group[0],
            confidence=label.group[1],
            evidence=label.evidence,
            by="model" if name in of_model else "words",
        )
    moves = {name: {"topic": topic} for name, topic in done.moved.items()}
    snapshot = note_before(script, moves)
    stores: Sequence[AttributeStore] = Members(memory).change(moves)
    save_together([*stores, topics.store, *snapshot, *night_of(script).stores()])
    return {
        "completed": sorting.left == 0,
        "sorted": sum(name in done.moved for name in sorting.batch),
        "born": len(done.born),
        "merged": done.merged,
        "named": len(labels),
        "left": sorting.left,
        "changes": _changes(labels, before),
    }


def _of_model(
    sorting: Sorting, named: Mapping[str, Named], asked: Asked | None, done: Settled
) -> dict[str, Label]:
    """The model's names, as far as they are of what is in a topic now, and of its circle."""
    held = sorting.members_of(done)
    labels: dict[str, Label] = {}

    def keep(topic: str | None, name: str, digest: str, members: Sequence[str]) -> None:
        there = held.get(topic or "", [])
        known = [sorting.items[member] for member in there if member in sorting.items]
        fits = topic and name and set(members) <= set(there)
        if fits and asked is not None and naming_group(known) == asked.group:
            evidence = asked.topics.get(str(topic)) or members
            labels[str(topic)] = Label(name, digest, asked.group, tuple(evidence))

    for topic, found in named.items():
        shown = asked.topics[topic] if asked is not None else []
        taken: set[str] = set()
        for place, (name, digest, members) in enumerate(found.parts):
            part = done.parts.get((topic, place))
            if part is not None:
                taken.update(members)
                keep(part, name, digest, members)
        stayed = [member for member in shown if member not in taken]
        keep(topic if stayed else None, found.name, found.digest, stayed)
    return labels


def _changes(labels: Mapping[str, Label], before: set[str]) -> list[dict[str, Any]]:
    """What the night's ledger is told."""
    return [
        {
            "what": "changed" if name in before else "added",
            "id": name,
            "text": f"topic {label.name}",
            "audience": label.group[0],
            "evidence": list(label.evidence)[:10],
        }
        for name, label in labels.items()
    ]
