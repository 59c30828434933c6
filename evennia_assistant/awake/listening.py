"""
What an NPC takes in of its surroundings: who is there, whom a line is for, what it is given.

"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from evennia.utils.ansi import strip_ansi

from ..mind.classification import (
    Classification,
    ListenerOptions,
    ListenerState,
    classify_message,
)
from ..mind.percept import Percept, SpeakerKind
from ..mind.turn_taking import chosen_answerer
from ..perception.company import addressee_of, names_of
from ..perception.hearing import audience_of, kind_of, sentient, those_present


def decide(percept: Percept, state: ListenerState) -> Classification:
    """Whether the NPC answers a percept; of all assistants who might answer everybody, one does."""
    decision = classify_message(percept, state)
    if decision.kind != "TRIGGER" or not decision.metadata.get("weak"):
        return decision
    rivals = [other.id for other in state.present if other.kind == "assistant"]
    if chosen_answerer(percept.words, [state.id, *rivals]) == state.id:
        return decision
    return replace(decision, kind="CONTEXT", reason="another NPC answers this for all")


def state_of(agent: Any) -> ListenerState:
    """What the classification wants to know of the NPC at this moment."""
    npc = agent.npc
    place = npc.location
    return ListenerState(
        id=agent.npc_id,
        names=names_of(npc),
        aliases=tuple(npc.aliases.all()),
        enabled=agent.active,
        present=tuple(
            addressee_of(obj)
            for obj in (place.contents if place is not None else ())
            if obj is not npc and sentient(obj)
        ),
        engagement=agent.engagement,
        energy=agent.energy,
        channels=dict(agent.script.db.channels or {}),
        options=ListenerOptions(
            answer_when_alone=agent.option("answer_when_alone"),
            answers_keepers=agent.option("answers_keepers"),
            greets_arrivals=agent.option("greets_arrivals"),
            idle_seconds=agent.option("engagement_seconds"),
        ),
        busy=agent.runner.turn is not None,
    )


def those_around(npc: Any) -> dict[str, SpeakerKind]:
    """Kind by entity id of those who are where an NPC is; None is nowhere."""
    place = npc.location if npc is not None else None
    return {
        f"#{obj.pk}": kind_of(obj)
        for obj in (place.contents if place is not None else ())
        if obj is not npc and sentient(obj)
    }


def take_gift(agent: Any, thing: Any, giver: Any) -> bool:
    """
    Take in that somebody put a thing into the NPC's hands.

    Args:
        agent: The NPC's.
        thing: What.
        giver: Who.

    Returns:
        Whether there is something new to store.

    """
    npc, profiles = agent.npc, agent.npc.memory.profiles
    who, name = f"#{giver.pk}", strip_ansi(giver.get_display_name(npc))
    witnesses = those_present(npc.location, giver, "pose")
    audience = audience_of(
        "pose", "", npc.location, witnesses, (who, agent.npc_id), agent.option("strict_audience")
    )
    profiles.ensure(who, kind_of(giver), name)
    return profiles.record_gift(
        who,
        f"#{thing.pk}",
        strip_ansi(thing.get_display_name(npc)),
        giver_name=name,
        audience=audience,
        when=agent.now(),
    )
