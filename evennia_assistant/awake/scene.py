"""
Where an NPC stands in a turn: the place, the partner, their talk, and what went on around it.

"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evennia.utils.ansi import strip_ansi
from evennia.utils.gametime import gametime

from ..memory.entity_context import entity_context
from ..memory.mentions import open_questions
from ..memory.profile_record import audience_of
from ..mind import audience as audiences
from ..mind.audience import ANYONE
from ..mind.confidence import is_off_the_record
from ..mind.conversation import in_confidence
from ..mind.percept import CONFIDENTIAL
from ..mind.phrases import time_of_day
from ..perception.hearing import perception_of, sentient
from .material import Material
from .talk_lines import earlier_lines

#: Lines of what went on around it, people and things that are here: told to the model.
RECENT = 5
MAX_PEOPLE = 12
MAX_THINGS = 8
#: People a line names, and the prompt says something of.
MAX_TALKED_ABOUT = 3
#: What a name that is more than its letters has in it, in Evennia's markup or a terminal's.
_CODED = frozenset("|\x1b\\{")


def history(npc: Any, material: Material, now: float) -> list[dict[str, Any]]:
    """
    The conversation with the first partner, as far as all listeners may be told.

    What was said in confidence is not replayed into an answer given aloud, even before its owner
    alone: it would make everything that follows as confidential. Asked about, it is recalled.

    """
    partner = next(iter(material.partners), None)
    if partner is None:
        return []
    messages = npc.memory.working.messages_for(partner, material.listeners, when=now)
    if material.manner == "say":
        messages = [message for message in messages if not in_confidence(message)]
    # Most lines of a conversation have one audience; once is enough for all that asks for it later.
    material.audiences.extend({audiences.frozen(message.get("audience")) for message in messages})
    return messages


def scene(npc: Any, material: Material) -> dict[str, Any]:
    """Where the NPC is, who and what it sees there, and how its answer will be given."""
    place = npc.location
    people: list[str] = []
    things: list[str] = []
    sees = perception_of("pose")
    for obj in place.contents if place is not None else ():
        seen, most = (people, MAX_PEOPLE) if sentient(obj) else (things, MAX_THINGS)
        if len(seen) >= most or obj is npc or obj.db_destination_id:
            continue
        if sees(npc, obj):
            seen.append(_plain(obj.get_display_name(npc)))
    hour = int(gametime(absolute=True) // 3600 % 24)
    return {
        "place": _plain(place.get_display_name(npc)) if place is not None else "nowhere",
        "time": time_of_day(hour),
        "present": people,
        "things": things,
        "manner": material.manner,
    }


def _plain(name: str) -> str:
    """A name without colour; most have none, and looking for it takes long."""
    return name if _CODED.isdisjoint(name) else str(strip_ansi(name))


def relationship(npc: Any, material: Material, who: str, name: str, now: float) -> dict[str, Any]:
    """
    How the NPC stands to one speaker, as it was when their conversation began.

    See `memory.entity_context`.

    """
    talk = npc.memory.working.open_conversation(who, when=now)
    # Aloud, what a confidence showed of somebody is as little to the point as the confidence.
    hearers = (*material.listeners, ANYONE) if material.manner == "say" else material.listeners
    context = entity_context(
        npc.memory.profiles.get(who),
        name,
        listeners=hearers,
        now=now,
        before=talk["started_at"] if talk else None,
    )
    for question, audience in open_questions(npc.memory.profiles, who, hearers)[:1]:
        material.audiences.append(audience)
        context.record["unsure"] = question
    material.audiences.extend(context.audiences)
    began = talk["started_at"] if talk else None
    earlier = earlier_lines(npc, material, who, hearers=hearers, began=began, now=now)
    return {**context.record, "earlier": earlier} if earlier else context.record


def talked_about(npc: Any, material: Material, query: str, now: float) -> list[dict[str, Any]]:
    """
    What the NPC knows of those a line names who are not its partners, if anything may be told.

    Args:
        npc: The NPC.
        material: The turn's; what is used is noted in it.
        query: What was said.
        now: UTC seconds since the epoch.

    """
    hearers = (*material.listeners, ANYONE) if material.manner == "say" else material.listeners
    records: list[dict[str, Any]] = []
    for who in npc.memory.profiles.ids_in(query, hearers):
        profile = npc.memory.profiles.get(who)
        if profile is None or who in material.partners or len(records) >= MAX_TALKED_ABOUT:
            continue
        context = entity_context(profile, profile["canonical_name"], listeners=hearers, now=now)
        if not audiences.may_be_told(audience_of(profile), hearers) or not context.audiences:
            continue
        material.audiences.extend((*context.audiences, audience_of(profile)))
        records.append(context.record)
    return records


def recent(npc: Any, material: Material) -> list[dict[str, Any]]:
    """The newest lines that went on around the NPC, as far as all listeners may be told."""
    lines = []
    for line in npc.memory.context.data[-RECENT:]:
        audience = audiences.frozen(line.get("audience"))
        held_back = material.manner == "say" and _was_confided(line)
        if not held_back and audiences.may_be_told(audience, material.listeners):
            material.audiences.append(audience)
            lines.append({"text": str(line.get("line", ""))[:200]})
    return lines


def _was_confided(line: Mapping[str, Any]) -> bool:
    return line.get("manner") in CONFIDENTIAL or is_off_the_record(str(line.get("line", "")))
