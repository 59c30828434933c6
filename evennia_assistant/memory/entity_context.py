"""
What a prompt is told of one entity: who it is, how the NPC stands to it, and what it knows of it.

All of it goes through the audience gate: what may not be told to every listener is not there.

"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..mind import audience as audiences
from ..mind.entry import when_of
from ..mind.mood import passed
from ..mind.percept import Audience
from ..mind.phrases import ago
from ..mind.slots import render_slot
from .profile_record import MENTIONED, standing

#: Of each, told in one prompt; the newest.
ATTRIBUTES = 6
OBSERVATIONS = 3


@dataclass(slots=True)
class EntityContext:
    """
    One entity as a prompt has it.

    Args:
        record: The record of the slot, JSON-able.
        audiences: Of all that it draws on.

    """

    record: dict[str, Any]
    audiences: list[Audience] = field(default_factory=list)


def entity_context(
    profile: Mapping[str, Any] | None,
    name: str,
    *,
    listeners: Collection[str],
    now: float,
    before: str | None = None,
) -> EntityContext:
    """
    What listeners may hear drawn on of one entity.

    Args:
        profile: Its profile, None for one never met.
        name: The name it goes by now.
        listeners: Entity ids of all who will hear the answer.
        now: UTC seconds since the epoch.
        before: When the present conversation began, as a timestamp. What came up since stands in
            the conversation itself, so the record stays as it is for the whole of it, and with it
            the beginning of the prompt. None when there is none.

    """
    if profile is None:
        return EntityContext({"name": name, "state": "stranger", "meetings": 0, "last_seen": None})
    last = profile["last_seen"]
    seen = ago(0.0 if before else now - when_of(last)) if last else None
    context = EntityContext({"name": name})
    if profile["entity_type"] == "object":
        context.record.update(kind="thing", last_seen=seen)
    elif profile["entity_type"] == MENTIONED:
        context.record.update(kind=profile["kind"], never_met=True)
    else:
        at = when_of(before) if before else now
        context.record.update(
            state=standing(profile, at)["state"],
            meetings=profile.get("meetings", 0),
            last_seen=seen,
        )
    seemed = profile.get("seemed")
    if _still_seems(seemed, listeners, when_of(before) if before else now):
        for held in _tellable([seemed], listeners, before, context):
            context.record["seemed"] = str(held["signal"])
    described = _tellable([profile.get("description")], listeners, before, context)
    if described:
        context.record["description"] = str(described[0]["text"])
    # A settled fact that says nothing of who may be told is told to nobody.
    known = [
        {**held, "key": key}
        for key, held in profile["attributes"].items()
        if isinstance(held, Mapping) and held.get("value")
    ]
    known.sort(key=lambda held: str(held.get("at", "")))
    attributes = _tellable(known, listeners, before, context, most=ATTRIBUTES)
    if attributes:
        context.record["attributes"] = [f"{held['key']}: {held['value']}" for held in attributes]
    notes = _tellable(profile["observations"], listeners, before, context, most=OBSERVATIONS)
    if notes:
        context.record["observations"] = [note["text"] for note in notes]
    return context


def format_entity_context_for_prompt(
    character: Any,
    entity_id: str,
    *,
    listeners: Collection[str] = (),
    now: float | None = None,
) -> str:
    """
    The slot on one entity, as a prompt has it; the documented function.

    Args:
        character: The NPC (with `AssistantMixin`).
        entity_id: About whom, `"#123"`.
        listeners: Entity ids of all who will hear the answer; with none, only what is public.
        now: UTC seconds since the epoch; None is now.

    Returns:
        `<relationship>` with one record; of an entity never met, that it is a stranger.

    """
    if now is None:
        now = character.assistant_script.agent.now()
    profile = character.memory.profiles.get(entity_id)
    name = profile["canonical_name"] if profile else entity_id
    talk = character.memory.working.open_conversation(entity_id, when=now)
    context = entity_context(
        profile,
        name,
        listeners=listeners,
        now=now,
        before=talk["started_at"] if talk else None,
    )
    return render_slot("relationship", [context.record])


def _still_seems(seemed: Any, listeners: Collection[str], moment: float) -> bool:
    """Whether how somebody seemed when a talk ended has not passed, and may show here."""
    if not isinstance(seemed, Mapping) or passed(seemed.get("at"), moment):
        return False
    return not (seemed.get("confidence") and audiences.ANYONE in listeners)


def _tellable(
    records: Collection[Any],
    listeners: Collection[str],
    before: str | None,
    context: EntityContext,
    most: int = 1,
) -> list[Mapping[str, Any]]:
    """The newest records that all listeners may be told of; their audiences are noted."""
    told = [
        record
        for record in records
        if isinstance(record, Mapping)
        and audiences.may_be_told(record.get("audience"), listeners)
        and (before is None or str(record.get("at") or record.get("timestamp") or "") < before)
    ][-most:]
    context.audiences.extend(audiences.frozen(record["audience"]) for record in told)
    return told
