"""
What is left of each store of an NPC when something is forgotten.

Every function takes the plain data of one store and gives it back without what goes: equal data
when nothing in it does. None is changed in place. A record that names its evidence, its speaker or
its entry goes by that; one that does not goes by its words (`Choice.gives_away`).

"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .forgetting import Choice
from .scrubbing_journal import links_without, topics_without
from .scrubbing_notes import carry_notes_without, goals_without, projects_without, session_without
from .scrubbing_people import (
    conversations_without,
    ended_without,
    mood_without,
    profiles_without,
)
from .touched import is_theirs, is_touched

Record = dict[str, Any]
#: Keys under which records name people who were merely there.
_BYSTANDERS = ("witnesses", "listeners", "receivers", "towards")


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
    return is_theirs(record, choice) or is_touched(bare, choice)


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
    "mood": mood_without,
    "working_memory": conversations_without,
    "ended_conversations": ended_without,
    "context_buffer": records_without,
    "memory_topics": topics_without,
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
    "carry_notes": carry_notes_without,
    "sleep_state": lambda state, choice: without_member(state, choice, "told"),
}

#: Stores that nothing is taken out of, and why: no word of a player gets there.
KEPT: Mapping[str, str] = {
    **dict.fromkeys(
        ("persona", "knowledge", "card", "pending_import", "desc"), "a keeper's own words"
    ),
    **dict.fromkeys(
        ("prompt_overrides", "applied_template", "execution_config", "channels"), "an operator's"
    ),
    **dict.fromkeys(
        (
            *("assistant_key", "character_dbref", "enabled", "operating_mode", "awake_since"),
            *("last_compaction", "consecutive_errors", "emergency_stop", "retention_clock"),
            "metrics",
        ),
        "switches, numbers and times",
    ),
}
