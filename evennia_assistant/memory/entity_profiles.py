"""
What an NPC knows of each person, on `character.db.entity_profiles`.

A profile has the documented keys (document 001, after O-Mem): attributes are settled facts,
observations what was noticed lately, and the relationship says how well the two know each other.
Keys are entity ids, `"#123"`. An observation carries the audience of the words it came from.

"""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from typing import Any

from ..mind import audience as audiences
from ..mind import relationship
from ..mind.entry import timestamp_of, when_of
from ..mind.percept import Audience
from .attribute_store import AttributeStore

MAX_OBSERVATIONS = 10
MAX_OBSERVATION_LENGTH = 160


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


class EntityProfiles:
    """
    The profiles of one NPC.

    Args:
        character: The NPC.

    """

    def __init__(self, character: Any) -> None:
        self.store = AttributeStore(
            character, "entity_profiles", dict, repair=repair_profiles, sectioned=True
        )

    def get(self, entity_id: str) -> dict[str, Any] | None:
        """The profile of an entity, None when the NPC has never met it."""
        return self.store.data.get(entity_id)

    def ensure(self, entity_id: str, entity_type: str, name: str) -> dict[str, Any]:
        """The profile of an entity, made if there is none; a new name becomes an alias."""
        profiles = self.store.data
        profile = profiles.get(entity_id)
        if profile is None:
            profile = profiles[entity_id] = create_entity_profile(entity_id, entity_type, name)
            self.store.touch(entity_id)
        elif name and name != profile["canonical_name"]:
            if profile["canonical_name"]:
                profile["aliases"] = [*profile["aliases"], profile["canonical_name"]][-5:]
            profile["canonical_name"] = name
            self.store.touch(entity_id)
        return profile

    def record_exchange(
        self, entity_id: str, *, when: float | None = None, new_meeting: bool = False
    ) -> dict[str, Any]:
        """
        Count one exchange of words with someone already in the profiles.

        Args:
            entity_id: Whose.
            when: UTC seconds since the epoch; None is now.
            new_meeting: This exchange opens a conversation.

        Returns:
            The profile.

        Raises:
            KeyError: If there is no such profile; call `ensure` first.

        """
        now = time.time() if when is None else when
        profile = self.store.data[entity_id]
        standing = profile["relationship"]
        last = profile["last_seen"]
        idle = now - when_of(last) if last else 0.0
        day = datetime.fromtimestamp(now, UTC).date().isoformat()
        gained = profile.get("gained_today", 0.0) if profile.get("gained_on") == day else 0.0
        favorability, gained = relationship.after_exchange(
            relationship.faded(standing["favorability"], idle), gained
        )
        standing["favorability"] = round(favorability, 4)
        standing["state"] = relationship.relationship_state(favorability)
        standing["interaction_count"] += 1
        profile["gained_on"], profile["gained_today"] = day, round(gained, 4)
        profile["meetings"] += int(new_meeting)
        profile["last_seen"] = timestamp_of(now)
        self.store.touch(entity_id)
        return profile

    def add_observation(
        self,
        entity_id: str,
        text: str,
        *,
        audience: Audience,
        entry_id: int | None = None,
        when: float | None = None,
    ) -> None:
        """
        Note something about someone already in the profiles.

        Args:
            entity_id: About whom.
            text: What was noticed; cut at `MAX_OBSERVATION_LENGTH` characters.
            audience: Who may be told.
            entry_id: The journal entry it rests on.
            when: UTC seconds since the epoch; None is now.

        Raises:
            KeyError: If there is no such profile.

        """
        profile = self.store.data[entity_id]
        note = {
            "text": text[:MAX_OBSERVATION_LENGTH],
            "timestamp": timestamp_of(time.time() if when is None else when),
            "entry_id": entry_id,
            "audience": audience
            if audience is None or isinstance(audience, str)
            else list(audience),
        }
        kept = [old for old in profile["observations"] if old.get("text") != note["text"]]
        profile["observations"] = [*kept, note][-MAX_OBSERVATIONS:]
        self.store.touch(entity_id)

    def notes_for(self, entity_id: str, listeners: Collection[str]) -> list[dict[str, Any]]:
        """What was noticed about someone, oldest first, as far as all listeners may be told."""
        profile = self.store.data.get(entity_id)
        if profile is None:
            return []
        return [
            note
            for note in profile["observations"]
            if audiences.may_be_told(note.get("audience"), listeners)
        ]


def add_entity_observation(
    character: Any, entity_id: str, text: str, *, audience: Audience = None
) -> None:
    """
    Note something about an entity and save it; the documented function.

    Args:
        character: The NPC (with `AssistantMixin`).
        entity_id: About whom, `"#123"`.
        text: What was noticed.
        audience: Who may be told; None is nobody but the NPC's keepers.

    """
    profiles = character.memory.profiles
    profiles.ensure(entity_id, "player", "")
    profiles.add_observation(entity_id, text, audience=audience)
    profiles.store.save()
