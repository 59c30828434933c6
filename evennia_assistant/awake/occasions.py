"""
What an NPC may speak up about here and now, and what it may draw on when it does.

Only what all who would hear it may be told is an occasion at all: a goal set in confidence is not
acted upon before others, and a memory of that kind brings nothing up.

"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from evennia.utils.ansi import strip_ansi

from ..memory.profile_record import names_of as known_names
from ..mind import audience as audiences
from ..mind.audience import PUBLIC
from ..mind.entry import get, in_confidence, told, when_of
from ..mind.errand import errand_of
from ..mind.goal_steps import next_step
from ..mind.goal_tree import Goal
from ..mind.initiative import LONG_SILENCE, Chance, is_shock
from ..mind.open_ends import OpenEnd
from ..mind.percept import Audience
from ..perception.company import names_of
from ..perception.hearing import entity_id, kind_of, perception_of, sentient, those_present
from .material import Material

#: In `goal["metadata"]`: how often the NPC spoke up about it.
TOLD = "told"
#: A step it spoke up about so often without reaching it is let rest.
MOST_TOLD = 3
#: People it turns to at once.
MOST_TOWARDS = 5

_WORD = re.compile(r"[^\W_][\w-]*")


def players_near(npc: Any) -> list[Any]:
    """The players the NPC sees and who would hear it."""
    place = npc.location
    if place is None:
        return []
    hearers, sees = set(those_present(place, npc, "say")), perception_of("pose")
    return [
        who
        for who in place.contents
        if who is not npc
        and sentient(who)
        and kind_of(who) == "player"
        and f"#{who.pk}" in hearers
        and sees(npc, who)
    ]


def chances(agent: Any, near: Sequence[Any], used: Collection[int] = ()) -> Iterator[Chance]:
    """
    What there is to speak up about, the most pressing first.

    Args:
        agent: The NPC's `Agent`.
        near: From `players_near`.
        used: Ids of journal entries that had their occasion.

    """
    hearers = _hearers(agent.npc)
    yield from _from_journal(agent, near, hearers, used)
    yield from _from_open_ends(agent, near, hearers, used)
    yield from _from_goals(agent, near, hearers)
    yield from _from_silence(agent, near)


def found_again(agent: Any, chance: Chance, used: Collection[int]) -> Chance | None:
    """A chance as it stands now, None when it has passed."""
    spent = set(used) - {chance.entry_id}
    for other in chances(agent, players_near(agent.npc), spent):
        same = (other.why, other.goal_id, other.entry_id)
        if same == (chance.why, chance.goal_id, chance.entry_id):
            # Those it was counted for are those it may turn to, and nobody who came in since.
            towards = tuple(who for who in other.towards if who in chance.towards)
            if towards:
                return Chance(
                    other.why,
                    towards,
                    other.audience,
                    other.goal_id,
                    other.step_id,
                    other.entry_id,
                )
    return None


def material_of(agent: Any, chance: Chance) -> Material:
    """
    What a turn the NPC takes of itself may draw on.

    It speaks aloud where everyone may be told, and whispers where only those here may.

    Args:
        agent: The NPC's `Agent`.
        chance: From `found_again`.

    """
    npc = agent.npc
    towards = {who: _shown(npc, agent.find(who)) for who in chance.towards}
    aloud = chance.audience == audiences.PUBLIC
    goal = _goal(npc, chance.goal_id)
    return Material(
        (),
        "say" if aloud else "whisper",
        tuple(dict.fromkeys((*towards, *_hearers(npc)))) if aloud else tuple(towards),
        audiences=[chance.audience],
        towards=towards,
        asked_by=() if goal is None else tuple(goal["asked_by"]),
        occasion=_occasion(agent, chance, goal, towards),
    )


def _occasion(
    agent: Any, chance: Chance, goal: Goal | None, towards: Mapping[str, str]
) -> dict[str, Any]:
    npc = agent.npc
    record: dict[str, Any] = {"why": chance.why}
    if goal is not None:
        step = _goal(npc, chance.step_id) or goal
        record["goal"] = goal["description"]
        if step is not goal:
            record["step"] = step["description"]
        record["goal_id"] = step["goal_id"]
        asked = [agent.find(who) for who in goal["asked_by"]]
        names = [_shown(npc, who) for who in asked if who is not None]
        if names:
            record["asked_by"] = names
    if chance.entry_id is not None:
        entry = npc.memory.journal.find_anywhere(chance.entry_id)
        record["memory"] = "" if entry is None else told(entry)
        record["who"] = (entry or {}).get("source_entity") or "you"
    return {**record, "present": list(towards.values())}


def _from_journal(
    agent: Any, near: Sequence[Any], hearers: Sequence[str], used: Collection[int]
) -> Iterator[Chance]:
    now = agent.now()
    for entry in reversed(agent.npc.memory.journal.entries):
        if entry["id"] in used or get(entry, "state") != "active" or not is_shock(entry, now):
            continue
        audience = audiences.frozen(entry.get("audience"))
        confided = in_confidence(entry)
        if _may_be_brought_up(audience, confided, hearers):
            towards = _concerned(_involved(entry), near)
            yield Chance("shock", towards, audience, entry_id=entry["id"])


def _from_open_ends(
    agent: Any, near: Sequence[Any], hearers: Sequence[str], used: Collection[int]
) -> Iterator[Chance]:
    """What was promised and what was expected by now, promises first, the latest first."""
    now, here = agent.now(), {f"#{who.pk}" for who in near}

    def order(end: OpenEnd) -> tuple[bool, float]:
        return not end.is_promise, -(end.due or 0.0)

    for end in sorted(agent.npc.memory.open_ends.all(), key=order):
        if end.number in used or not end.has_come(now):
            continue
        if end.is_promise and end.entities and here.isdisjoint(end.entities):
            # A promise waits for whom it was made to.
            continue
        if _may_be_brought_up(end.audience, end.confidence, hearers):
            why = "promise" if end.is_promise else "expectation"
            towards = _concerned(set(end.entities), near)
            yield Chance(why, towards, end.audience, entry_id=end.number)


def _concerned(people: Collection[str], near: Sequence[Any]) -> tuple[str, ...]:
    """Those of the people near whom something concerns, all of them where it concerns none."""
    here = [f"#{who.pk}" for who in near]
    return tuple(([who for who in here if who in people] or here)[:MOST_TOWARDS])


def _may_be_brought_up(audience: Audience, confided: bool, hearers: Sequence[str]) -> bool:
    """Whether those here may be told; what was confided is not said in the open."""
    if not audiences.may_be_told(audience, hearers):
        return False
    return not (confided and audience == audiences.PUBLIC)


def _from_goals(agent: Any, near: Sequence[Any], hearers: Sequence[str]) -> Iterator[Chance]:
    goals = agent.npc.memory.goals
    for goal in goals.open():
        if goal["parent_id"] is not None:
            continue
        step = next_step(goals.all, goal["goal_id"])
        if step is None or _told(step) >= MOST_TOLD:
            continue
        audience = audiences.intersect([goal["audience"], step["audience"]])
        if not audiences.may_be_told(audience, hearers):
            continue
        towards = _whom(agent.npc, goal, step, near)
        if towards:
            yield Chance("goal", towards, audience, goal["goal_id"], step["goal_id"])


def _from_silence(agent: Any, near: Sequence[Any]) -> Iterator[Chance]:
    now, profiles = agent.now(), agent.npc.memory.profiles
    for who in near:
        profile = profiles.get(f"#{who.pk}")
        last = None if profile is None else profile["last_seen"]
        if last and now - when_of(last) >= LONG_SILENCE:
            yield Chance("silence", (f"#{who.pk}",), audiences.PUBLIC)


def _whom(npc: Any, goal: Goal, step: Goal, near: Sequence[Any]) -> tuple[str, ...]:
    """Whom of those near a step is for; nobody when it is for somebody who is not here."""
    here = {f"#{who.pk}": who for who in near}
    errand = errand_of(step["description"])
    if errand is not None:
        meant = [who for who, obj in here.items() if _goes_by(npc, obj, errand.whom)]
        return tuple(meant[:1])
    named = _named(npc, f"{goal['description']} {step['description']}", here)
    if named:
        return tuple(who for who in named if who in here)[:MOST_TOWARDS]
    asked = [who for who in goal["asked_by"] if who in here]
    return tuple((asked or list(here))[:MOST_TOWARDS])


def _named(npc: Any, text: str, here: Mapping[str, Any]) -> list[str]:
    """Entity ids of those it knows or sees that a text names, written as they write themselves."""
    words = set(_WORD.findall(text))
    found = [
        who
        for who, profile in npc.memory.profiles.store.data.items()
        if any(_in(name.text, words) for name in known_names(profile) if name.audience == PUBLIC)
    ]
    seen = [who for who, obj in here.items() if any(_in(name, words) for name in names_of(obj))]
    return list(dict.fromkeys((*found, *seen)))


def _in(name: object, words: Collection[str]) -> bool:
    parts = _WORD.findall(str(name or ""))
    return bool(parts) and parts[0][:1].isupper() and set(parts) <= set(words)


def _goes_by(npc: Any, obj: Any, name: str) -> bool:
    wanted = name.casefold()
    names = {*names_of(obj), _shown(npc, obj), *obj.aliases.all()}
    return any(wanted == each.casefold() or wanted in each.casefold().split() for each in names)


def _involved(entry: Mapping[str, Any]) -> set[str]:
    return {str(who) for who in (get(entry, "source_id"), *get(entry, "entities")) if who}


def _told(goal: Goal) -> int:
    told = goal["metadata"].get(TOLD)
    return told if isinstance(told, int) else 0


def _goal(npc: Any, goal_id: str | None) -> Goal | None:
    return next((goal for goal in npc.memory.goals.all if goal["goal_id"] == goal_id), None)


def _hearers(npc: Any) -> tuple[str, ...]:
    """Entity ids of all who would hear the NPC, itself left out."""
    me = entity_id(npc)
    return tuple(who for who in those_present(npc.location, npc, "say") if who != me)


def _shown(npc: Any, obj: Any) -> str:
    return strip_ansi(obj.get_display_name(npc)) if obj is not None else "somebody"
