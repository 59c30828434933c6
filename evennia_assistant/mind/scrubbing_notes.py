"""What is left of goals, projects and quick notes when something is forgotten."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .forgetting import Choice
from .touched import is_theirs, is_touched

Record = dict[str, Any]


def goals_without(stored: Mapping[str, Any], choice: Choice) -> Record:
    """Goals, without those they alone asked for, all that is part of these, and their name."""
    entity = choice.subject.entity
    gone: set[str] = set()
    for goal in stored["goals"]:
        asked = goal.get("asked_by") or []
        theirs = bool(asked) and set(asked) == {entity}
        if theirs or goal.get("parent_id") in gone or _goal_is_touched(goal, choice):
            gone.add(goal["goal_id"])
    # A part may stand before its whole.
    size = -1
    while size != len(gone):
        size = len(gone)
        gone |= {g["goal_id"] for g in stored["goals"] if g.get("parent_id") in gone}
    kept = [
        {**goal, "asked_by": [who for who in goal.get("asked_by") or () if who != entity]}
        for goal in stored["goals"]
        if goal["goal_id"] not in gone
    ]
    return {**stored, "goals": kept}


def _goal_is_touched(goal: Mapping[str, Any], choice: Choice) -> bool:
    words = {key: goal.get(key) for key in ("description", "metadata", "outcome")}
    return is_touched(words, choice)


def projects_without(stored: Mapping[str, Any], choice: Choice) -> Record:
    """Projects whose texts are not from what goes."""
    slots = {
        key: slot
        for key, slot in stored["slots"].items()
        if not (is_theirs(slot, choice) or is_touched({key: slot}, choice))
    }
    active = stored.get("active")
    return {**stored, "slots": slots, "active": active if active in slots else None}


def session_without(stored: Mapping[str, Any], choice: Choice) -> Record:
    """Quick facts and patterns whose texts are not from what goes."""
    return {
        kind: [
            note
            for note in notes
            if not (is_theirs(note, choice) or choice.gives_away(_text_of(note)))
        ]
        if isinstance(notes, list)
        else notes
        for kind, notes in stored.items()
    }


def carry_notes_without(stored: Mapping[str, Any], choice: Choice) -> Record:
    """What is carried into the next day, without what rests on anything that goes or names them."""
    left = {
        kind: [note for note in notes if not _carried_goes(note, choice)]
        for kind in ("notes", "questions", "self_view")
        if isinstance(notes := stored.get(kind), list)
    }
    days = [pair for pair in stored.get("days", ()) if pair[1] not in choice.entries]
    # There is no night left to take back, so nothing is needed of what one replaced.
    rest = {"days": days, "replaced": []}
    return {**stored, **left, **{key: rest[key] for key in rest if key in stored}}


def _carried_goes(note: Any, choice: Choice) -> bool:
    if not isinstance(note, Mapping):
        return is_touched(note, choice)
    if any(choice.is_gone(name) for name in note.get("evidence", ())):
        return True
    return is_theirs(note, choice) or choice.gives_away(note.get("text"))


def _text_of(note: object) -> object:
    return note.get("text") if isinstance(note, Mapping) else note
