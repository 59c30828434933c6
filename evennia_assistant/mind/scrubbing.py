"""
What is left of each store of an NPC when something is forgotten.

Every function takes the plain data of one store and gives it back without what goes: equal data
when nothing in it does. None is changed in place. A record that names its evidence, its speaker or
its entry goes by that; one that does not goes by its words (`Choice.gives_away`).

"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .forgetting import ORPHANED, Choice

Record = dict[str, Any]
#: Keys under which records name people who were merely there.
_BYSTANDERS = ("witnesses", "listeners", "receivers", "towards")
_ACTIVE = "active"


def texts_in(value: object) -> Iterable[str]:
    """Every text anywhere in plain data, keys of mappings included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, held in value.items():
            yield from texts_in(key)
            yield from texts_in(held)
    elif isinstance(value, list | tuple | set | frozenset):
        for held in value:
            yield from texts_in(held)


def is_touched(value: object, choice: Choice) -> bool:
    """Whether anything in plain data is from what goes: its words, its names, its entity id."""
    entity = choice.subject.entity
    return any(text == entity or choice.gives_away(text) for text in texts_in(value))


# Journal ------------------------------------------------------------------------------------------


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
    return {
        **state,
        "cumulative_importance": max(0.0, total - sum(importance.get(n, 0.0) for n in counted)),
        "entries_since_reflection": [
            n for n in state.get("entries_since_reflection", ()) if n not in choice.entries
        ],
        "expectation_ids": [n for n in state.get("expectation_ids", ()) if not choice.is_gone(n)],
        "questions": [],
    }


# People -------------------------------------------------------------------------------------------


def profiles_without(profiles: Mapping[str, Any], choice: Choice) -> Record:
    """Everybody's profiles but theirs, without what rests on what goes."""
    return {
        who: _profile_without(profile, choice)
        for who, profile in profiles.items()
        if who != choice.subject.entity
    }


def _profile_without(profile: Mapping[str, Any], choice: Choice) -> Record:
    left = dict(profile)
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
    return left


def _message_goes(message: Mapping[str, Any], choice: Choice) -> bool:
    if message.get("entry_id") in choice.entries:
        return True
    # What the partner said is theirs.
    return message.get("role") != "user" and choice.gives_away(message.get("content"))


# What it is after, and what it noted --------------------------------------------------------------


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
        if not (_is_theirs(slot, choice) or is_touched({key: slot}, choice))
    }
    active = stored.get("active")
    return {**stored, "slots": slots, "active": active if active in slots else None}


def session_without(stored: Mapping[str, Any], choice: Choice) -> Record:
    """Quick facts and patterns whose texts are not from what goes."""
    return {
        kind: [
            note
            for note in notes
            if not (_is_theirs(note, choice) or choice.gives_away(_text_of(note)))
        ]
        if isinstance(notes, list)
        else notes
        for kind, notes in stored.items()
    }


def _is_theirs(record: object, choice: Choice) -> bool:
    """Whether they, and nobody else, may be told of it, or gave cause to it."""
    entity = choice.subject.entity
    if entity is None or not isinstance(record, Mapping):
        return False
    audience = record.get("audience")
    alone = isinstance(audience, list | tuple) and set(audience) - {choice.subject.npc} == {entity}
    return alone or entity in (record.get("asked_by") or ())


def _text_of(note: object) -> object:
    return note.get("text") if isinstance(note, Mapping) else note


# Logs and queues ----------------------------------------------------------------------------------


def records_without(records: Iterable[Any], choice: Choice) -> list[Any]:
    """Records of a log or a queue: what was heard, recalled, run, asked for, waited for."""
    return [
        _without_bystander(record, choice) for record in records if not _record_goes(record, choice)
    ]


def _record_goes(record: Any, choice: Choice) -> bool:
    if not isinstance(record, Mapping):
        return is_touched(record, choice)
    parts = [*record.get("heard", ()), *record.get("recalled", ())]
    # Its own id is the number of a turn or of a request, not of an entry.
    named = [record.get("entry_id"), *(part.get("entry_id") for part in parts)]
    named += [part["id"] for part in parts if isinstance(part.get("id"), str)]
    if any(choice.is_gone(name) for name in named if name is not None):
        return True
    bare = {key: value for key, value in record.items() if key not in (*_BYSTANDERS, "audience")}
    if isinstance(bare.get("percept"), Mapping):
        percept = bare["percept"]
        bare["percept"] = {k: v for k, v in percept.items() if k not in (*_BYSTANDERS, "audience")}
    return _is_theirs(record, choice) or is_touched(bare, choice)


def _without_bystander(record: Any, choice: Choice) -> Any:
    entity = choice.subject.entity
    if not isinstance(record, Mapping) or entity is None:
        return record
    left = dict(record)
    for key in _BYSTANDERS:
        if isinstance(left.get(key), list | tuple) and entity in left[key]:
            left[key] = type(left[key])(who for who in left[key] if who != entity)
    if isinstance(left.get("percept"), Mapping):
        left["percept"] = _without_bystander(left["percept"], choice)
    return left


def initiative_without(state: Mapping[str, Any], choice: Choice) -> Record:
    """Whom the NPC spoke up to, and why."""
    entity = choice.subject.entity
    log = [r for r in state.get("log", ()) if entity not in r.get("towards", ())]
    return {
        **state,
        "awaiting": {who: at for who, at in state.get("awaiting", {}).items() if who != entity},
        "used": [n for n in state.get("used", ()) if n not in choice.entries],
        "log": records_without(log, choice),
    }


def cycle_without(cycle: Mapping[str, Any], choice: Choice) -> Record:
    """The record of a night that is open: numbers, and changes in the ledger."""
    left = dict(cycle)
    for key in ("entry_ids", "made"):
        left[key] = [n for n in cycle.get(key, ()) if n not in choice.entries]
    left["set_aside"] = {
        step: [thing for thing in things if not choice.is_gone(thing)]
        for step, things in cycle.get("set_aside", {}).items()
    }
    left["ledger"] = {
        step: {
            **line,
            "changes": [c for c in line.get("changes", ()) if not _change_goes(c, choice)],
            "failures": [f for f in line.get("failures", ()) if not choice.gives_away(f)],
        }
        for step, line in cycle.get("ledger", {}).items()
    }
    return left


def _change_goes(change: Mapping[str, Any], choice: Choice) -> bool:
    named = [change.get("id"), change.get("entry_id"), *change.get("evidence", ())]
    if any(name is not None and choice.is_gone(name) for name in named):
        return True
    return is_touched({k: v for k, v in change.items() if k != "audience"}, choice)


def outbox_without(outbox: Mapping[str, Any], choice: Choice) -> tuple[Record, list[str]]:
    """
    Facts on their way.

    Returns:
        The outbox, and the keys of the facts that were taken out of it.

    """
    keys: list[str] = []
    records = []
    for record in outbox["records"]:
        kept = []
        for fact in record["facts"]:
            theirs = choice.subject.entity is not None and (
                fact.get("source_id") == choice.subject.entity
            )
            if theirs or any(n in choice.entries for n in fact.get("entry_ids", ())):
                keys.append(fact["key"])
            else:
                kept.append(fact)
        if kept:
            records.append({**record, "facts": kept})
    return {**outbox, "records": records}, keys


def without_member(state: Mapping[str, Any], choice: Choice, key: str) -> Record:
    """A mapping of which one list holds entity ids."""
    held = state.get(key)
    if not isinstance(held, list):
        return dict(state)
    return {**state, key: [who for who in held if who != choice.subject.entity]}


#: Name of an Attribute to what is left of its value, where no more than the choice is needed.
OF_CHARACTER: Mapping[str, Callable[[Any, Choice], Any]] = {
    "entity_profiles": profiles_without,
    "working_memory": conversations_without,
    "ended_conversations": ended_without,
    "context_buffer": records_without,
    "projects": projects_without,
    "session_memory": session_without,
}
OF_SCRIPT: Mapping[str, Callable[[Any, Choice], Any]] = {
    "memory_links": links_without,
    "current_goals": goals_without,
    "turn_log": records_without,
    "execution_log": records_without,
    "confirmations": records_without,
    "pending_events": records_without,
    "initiative_state": initiative_without,
    "sleep_cycle": cycle_without,
    "sleep_state": lambda state, choice: without_member(state, choice, "told"),
}
