"""
One profile of an entity: its documented keys, what is sound of a stored one, and how it stands.

Pure; the store is `memory.entity_profiles`.

"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..mind import relationship
from ..mind.alias_book import Name
from ..mind.audience import PUBLIC, frozen
from ..mind.entry import when_of
from ..mind.percept import Audience

#: Type of those that were only told of.
MENTIONED = "mentioned"
KINDS = ("person", "place", "org", "pet", "object", "other")
KIND_OF_TYPE = {"player": "person", "npc": "person", "assistant": "person", "object": "object"}

#: What is known of who an entity is: itself; perhaps its `merge_target`; certainly not that one.
CONFIRMED = "confirmed"
UNCERTAIN = "uncertain"
DISAMBIGUATED = "disambiguated"


def names_of(profile: Mapping[str, Any]) -> list[Name]:
    """
    All names in a profile, each with who may be told that it is theirs.

    Args:
        profile: Of anybody.

    Returns:
        The name they go by first. What they went by before the NPC's eyes is everybody's; what
        was only told has its own audience.

    """
    seen = dict.fromkeys(filter(None, (profile["canonical_name"], *profile["aliases"])))
    told = profile.get("names") or {}
    return [
        Name(str(name), frozen(told[name].get("audience")) if name in told else PUBLIC)
        for name in (*seen, *(name for name in told if name not in seen))
    ]


def audience_of(profile: Mapping[str, Any]) -> Audience:
    """Who may be told that there is such an entity, and what it is called."""
    told = (profile.get("names") or {}).get(profile["canonical_name"])
    return frozen(told.get("audience")) if told else PUBLIC


def create_entity_profile(entity_id: str, entity_type: str, name: str = "") -> dict[str, Any]:
    """
    The profile of someone never met before.

    Args:
        entity_id: `"#123"`.
        entity_type: `player`, `npc`, `assistant` or `object`; `mentioned` for whom the game does
            not know (`memory.mentions`), whose id is then `"@7"`.
        name: The name they went by.

    Returns:
        A profile with the documented keys, plain data.

    """
    return {
        "entity_id": entity_id,
        "entity_type": entity_type,
        "canonical_name": name,
        "aliases": [],
        "names": {},
        "kind": KIND_OF_TYPE.get(entity_type, "other"),
        "merge_status": CONFIRMED,
        "merge_target": None,
        "attributes": {},
        "observations": [],
        "relationship": {
            "state": relationship.relationship_state(relationship.NEUTRAL),
            "favorability": relationship.NEUTRAL,
            "interaction_count": 0,
        },
        "meetings": 0,
        "last_seen": None,
        "last_signal": None,
        "description": None,
        "owner_override": False,
    }


def standing(profile: Mapping[str, Any], now: float) -> dict[str, Any]:
    """
    How the NPC stands to someone at a moment.

    Args:
        profile: Theirs.
        now: UTC seconds since the epoch.

    Returns:
        The documented `relationship`, its favorability faded since something moved it last.

    """
    relation = profile["relationship"]
    last = profile.get("last_signal") or profile.get("last_seen")
    idle = now - when_of(last) if last else 0.0
    favorability = relationship.faded(relationship.sound(relation["favorability"]), idle)
    return {
        "state": relationship.relationship_state(favorability),
        "favorability": favorability,
        "interaction_count": relation["interaction_count"],
    }


def repair_profiles(raw: Any) -> tuple[dict[str, Any], str | None]:
    """The sound profiles of whatever is stored, and what was wrong, None if nothing was."""
    if not isinstance(raw, Mapping):
        return {}, "not a mapping"
    sound, problems = {}, []
    for entity_id, profile in raw.items():
        try:
            standing = profile["relationship"]
            usable = (
                isinstance(profile["observations"], list)
                and isinstance(profile["attributes"], Mapping)
                and isinstance(standing["favorability"], int | float)
                and isinstance(standing["interaction_count"], int)
            )
        except (KeyError, TypeError):
            usable = False
        if usable:
            sound[entity_id] = {**create_entity_profile(str(entity_id), "player"), **profile}
        else:
            problems.append(f"holding a broken profile of {entity_id}")
    return sound, "; ".join(problems) or None
