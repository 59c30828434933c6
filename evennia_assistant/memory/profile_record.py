"""
One profile of an entity: its documented keys, what is sound of a stored one, and how it stands.

Pure; the store is `memory.entity_profiles`.

"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..mind import relationship
from ..mind.entry import when_of


def create_entity_profile(entity_id: str, entity_type: str, name: str = "") -> dict[str, Any]:
    """
    The profile of someone never met before.

    Args:
        entity_id: `"#123"`.
        entity_type: `player`, `npc`, `assistant` or `object`.
        name: The name they went by.

    Returns:
        A profile with the documented keys, plain data.

    """
    return {
        "entity_id": entity_id,
        "entity_type": entity_type,
        "canonical_name": name,
        "aliases": [],
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
