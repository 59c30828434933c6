"""What is left of profiles and conversations when something is forgotten."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .audience import frozen
from .forgetting import ORPHANED, Choice
from .mood import NEUTRAL, NEUTRAL_ENERGY
from .touched import is_touched

Record = dict[str, Any]


def profiles_without(profiles: Mapping[str, Any], choice: Choice) -> Record:
    """Everybody's profiles but theirs, without what rests on what goes."""
    left = {
        who: _profile_without(profile, choice)
        for who, profile in profiles.items()
        if who != choice.subject.entity
    }
    # Of whom only they have told, nothing is left to call them by.
    return {who: profile for who, profile in left.items() if profile["canonical_name"] is not None}


def _names_without(profile: Mapping[str, Any], choice: Choice) -> Record:
    """A profile's names; the one it goes by is None when only what goes has told of it."""
    told = profile.get("names")
    name = profile.get("canonical_name", "")
    if not isinstance(told, Mapping):
        return {"canonical_name": name}
    names = {each: _settled_without(note, choice) for each, note in told.items()}
    names = {
        each: note
        for each, note in names.items()
        if note is not None and not choice.gives_away(each)
    }
    if name in told and name not in names:
        name = next(iter(names), None)
    return {"names": names, "canonical_name": name}


def _profile_without(profile: Mapping[str, Any], choice: Choice) -> Record:
    entity = choice.subject.entity
    left = {**profile, **_names_without(profile, choice)}
    if entity is not None and entity in profile.get("told_by", ()):
        left["told_by"] = [who for who in profile["told_by"] if who != entity]
    if entity is not None and profile.get("merge_target") == entity:
        left.update(merge_status="confirmed", merge_target=None)
    left["observations"] = [
        note for note in profile.get("observations", ()) if not _goes_by_entry(note, choice)
    ]
    attributes = {
        key: _settled_without(value, choice) for key, value in profile.get("attributes", {}).items()
    }
    left["attributes"] = {key: value for key, value in attributes.items() if value is not None}
    if isinstance(profile.get("description"), Mapping) and not profile.get("owner_override"):
        left["description"] = _settled_without(profile["description"], choice)
    if choice.subject.entity in profile.get("gifts", ()):
        left["gifts"] = [thing for thing in profile["gifts"] if thing != choice.subject.entity]
    return left


def _goes_by_entry(record: Mapping[str, Any], choice: Choice) -> bool:
    number = record.get("entry_id")
    if isinstance(number, int):
        return number in choice.entries
    return is_touched(record, choice)


def _settled_without(value: Any, choice: Choice) -> Any:
    """A settled fact or a description with the evidence that is left; None when it goes."""
    evidence = value.get("evidence") if isinstance(value, Mapping) else None
    if not evidence:
        return None if is_touched(value, choice) else value
    left = [name for name in evidence if not choice.is_gone(name)]
    if len(left) == len(evidence):
        return value
    if not left or choice.mode != "orphan" or is_touched(value, choice):
        return None
    return {**value, "evidence": left, ORPHANED: True}


def conversations_without(talks: Mapping[str, Any], choice: Choice) -> Record:
    """Everybody's conversations but theirs."""
    return {
        who: _talk_without(record, choice)
        for who, record in talks.items()
        if who != choice.subject.entity
    }


def ended_without(talks: Iterable[Any], choice: Choice) -> list[Any]:
    """As `conversations_without`, for those that are over."""
    return [
        _talk_without(record, choice)
        for record in talks
        if record.get("entity_id") != choice.subject.entity
    ]


def _talk_without(record: Mapping[str, Any], choice: Choice) -> Record:
    left = dict(record)
    left["messages"] = [m for m in record["messages"] if not _message_goes(m, choice)]
    left["pending_actions"] = [
        action for action in record.get("pending_actions", ()) if not is_touched(action, choice)
    ]
    if left.get("topic") and choice.gives_away(left["topic"]):
        left["topic"] = ""
    if len(left["messages"]) != len(record["messages"]):
        left.pop("tokens", None)
    if len(left["messages"]) != len(record["messages"]) or is_touched(left.get("answer"), choice):
        # It names lines by their places; the talk is asked about again.
        left.pop("answer", None)
    return left


def lines_without(lines: Iterable[Any], choice: Choice) -> list[Any]:
    """Lines of the talk log (`memory.talk_log`) but those of their talks, and what names them."""
    return [
        line
        for line in lines
        if not (
            isinstance(line, Mapping)
            and (
                line.get("with") == choice.subject.entity
                or _message_goes({**line, "content": line.get("text")}, choice)
            )
        )
    ]


def _message_goes(message: Mapping[str, Any], choice: Choice) -> bool:
    if message.get("entry_id") in choice.entries:
        return True
    # What the partner said is theirs.
    return message.get("role") != "user" and choice.gives_away(message.get("content"))


def mood_without(mood: Mapping[str, Any], choice: Choice) -> Record:
    """How the NPC feels; neutral again when it came of a talk with whoever is forgotten."""
    entity = choice.subject.entity
    members = frozen(mood.get("audience"))
    theirs = mood.get("by") == entity or (isinstance(members, tuple) and entity in members)
    return (
        dict(mood) if entity is None or not theirs else {"mood": NEUTRAL, "energy": NEUTRAL_ENERGY}
    )
