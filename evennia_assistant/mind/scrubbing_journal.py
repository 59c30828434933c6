"""What is left of the journal, its sidecar and the reflection state when something is forgotten."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .forgetting import ORPHANED, Choice
from .touched import is_touched

Record = dict[str, Any]
_ACTIVE = "active"


def entry_without(entry: Mapping[str, Any], choice: Choice) -> Record:
    """An entry that stays."""
    left = dict(entry)
    entity = choice.subject.entity
    for key in ("witnesses", "entities"):
        if entity is not None and entity in left.get(key, ()):
            left[key] = [who for who in left[key] if who != entity]
    if entry["id"] in choice.orphans:
        left["evidence"] = list(choice.orphans[entry["id"]])
        left["tags"] = list(dict.fromkeys([*left.get("tags", ()), ORPHANED]))
    if left.get("mem0_ids"):
        left["mem0_ids"] = [name for name in left["mem0_ids"] if not choice.is_gone(name)]
    outcome = left.get("outcome")
    if isinstance(outcome, Mapping) and outcome.get("by") and choice.is_gone(outcome["by"]):
        # What showed it is gone; as far as anybody knows it is open.
        del left["outcome"]
    if left.get("successor") in choice.entries:
        left.update(state=_ACTIVE, successor=None)
    return left if left == entry else {**left, "rev": int(entry.get("rev", 0)) + 1}


def entries_without(held: Iterable[Any], choice: Choice) -> list[Any]:
    """Entries, live or archived."""
    return [
        entry_without(entry, choice) if isinstance(entry, Mapping) and "id" in entry else entry
        for entry in held
        if not (isinstance(entry, Mapping) and entry.get("id") in choice.entries)
    ]


def journal_without(journal: Mapping[str, Any], choice: Choice, waiting: Iterable[str]) -> Record:
    """
    The journal.

    Args:
        journal: As it stands.
        choice: What goes.
        waiting: Names of the archive's Attributes in which entries wait for facts again.

    """
    left = {**journal, "entries": entries_without(journal["entries"], choice)}
    gone = choice.entries | choice.again
    if "consolidated_entry_ids" in left:
        left["consolidated_entry_ids"] = [
            n for n in left["consolidated_entry_ids"] if n not in gone
        ]
    if "set_aside" in left:
        left["set_aside"] = [item for item in left["set_aside"] if item.get("id") not in gone]
    more = [key for key in waiting if key not in left.get("waiting_archive", ())]
    if more and isinstance(left.get("waiting_archive"), list):
        left["waiting_archive"] = [*left["waiting_archive"], *more]
    return left


def links_without(links: Mapping[str, Any], choice: Choice) -> Record:
    """Records of the sidecar; what was superseded by a fact that goes holds again."""
    left: Record = {}
    for name, record in links.items():
        if choice.is_gone(name):
            continue
        kept = dict(record)
        kept["linked_to"] = [
            link for link in record.get("linked_to", ()) if not choice.is_gone(link["id"])
        ]
        if kept.get("successor") and choice.is_gone(kept["successor"]):
            kept.update(state=_ACTIVE, successor=None)
        left[name] = kept
    return left


def topics_without(topics: Mapping[str, Any], choice: Choice) -> Record:
    """
    Topics: no name or digest that was made of what goes, and no sum of vectors it is in.

    The next night adds the vectors of those that stay up again, and finds new names.

    """
    if not (choice.entries or choice.facts or choice.orphan_facts):
        return dict(topics)
    left: Record = {}
    for name, record in topics.items():
        kept = {**record, "n": 0, "sum": b""}
        gone = any(choice.is_gone(evidence) for evidence in record.get("evidence", ()))
        words = {key: record.get(key) for key in ("name", "digest")}
        if record.get("by") != "keeper" and (gone or is_touched(words, choice)):
            kept.update(name="", digest="", evidence=[], by="", named_n=0, audience=None)
        left[name] = kept
    return left


def reflection_without(
    state: Mapping[str, Any], choice: Choice, importance: Mapping[int, float]
) -> Record:
    """
    The reflection state: what goes counts no more; questions it may have raised are dropped.

    Args:
        state: As it stands.
        choice: What goes.
        importance: Of the entries that go, by number.

    """
    if not choice.entries:
        return dict(state)
    counted = [n for n in state.get("entries_since_reflection", ()) if n in choice.entries]
    total = float(state.get("cumulative_importance", 0.0))
    entity = choice.subject.entity
    return {
        **state,
        "looked_ahead_to": {
            circle: n
            for circle, n in state.get("looked_ahead_to", {}).items()
            if entity not in circle.split()
        },
        "cumulative_importance": max(0.0, total - sum(importance.get(n, 0.0) for n in counted)),
        "entries_since_reflection": [
            n for n in state.get("entries_since_reflection", ()) if n not in choice.entries
        ],
        "expectation_ids": [n for n in state.get("expectation_ids", ()) if not choice.is_gone(n)],
        "questions": [],
    }
