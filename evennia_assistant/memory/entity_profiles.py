"""
What an NPC knows of each player, NPC and thing, on `character.db.entity_profiles`.

A profile has the documented keys (document 001, after O-Mem): attributes (Pa) are settled facts,
observations (Pf) what was noticed lately, and the relationship says how well the two know each
other. Keys are entity ids, `"#123"`. Attributes, observations and the description carry the
audience of what they rest on, and its journal entries as evidence.

Favorability is stored as it was when something moved it last (`last_signal`); `standing` reads what
it has faded to since. The rules are those of `mind.relationship`.

"""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from typing import Any

from ..mind import audience as audiences
from ..mind import relationship
from ..mind.entry import timestamp_of
from ..mind.percept import Audience
from .named_profiles import NamedProfiles
from .profile_record import audience_of, standing

MAX_OBSERVATIONS = 10
MAX_OBSERVATION_LENGTH = 160
MAX_DESCRIPTION = 400
#: Things that have a profile at once; the one longest out of mind goes first.
MAX_OBJECTS = 50
#: Things one giver is remembered to have given, so that none counts twice.
MAX_GIFTS = 50


class EntityProfiles(NamedProfiles):
    """
    The profiles of one NPC.

    Args:
        character: The NPC.

    """

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
        self.record_deed(entity_id, "talk", when=now)
        profile["relationship"]["interaction_count"] += 1
        profile["meetings"] += int(new_meeting)
        profile["last_seen"] = timestamp_of(now)
        return profile

    def record_deed(
        self, entity_id: str, deed: str, *, when: float | None = None
    ) -> dict[str, Any]:
        """
        Let something that someone in the profiles did move how the NPC stands to them.

        Args:
            entity_id: Whose deed.
            deed: One of `mind.relationship.RULES`.
            when: UTC seconds since the epoch; None is now.

        Returns:
            The profile.

        Raises:
            KeyError: If there is no such profile or deed.

        """
        now = time.time() if when is None else when
        profile = self.store.data[entity_id]
        day = datetime.fromtimestamp(now, UTC).date().isoformat()
        moved = profile.get("moved_today") if profile.get("moved_on") == day else None
        favorability, moved = relationship.after(
            standing(profile, now)["favorability"], deed, moved or {}
        )
        relation = profile["relationship"]
        relation["favorability"] = round(favorability, 6)
        relation["state"] = relationship.relationship_state(favorability)
        profile["moved_on"] = day
        profile["moved_today"] = {kind: round(by, 6) for kind, by in moved.items()}
        profile["last_signal"] = timestamp_of(now)
        self.store.touch(entity_id)
        return profile

    def record_gift(
        self,
        giver: str,
        thing: str,
        name: str,
        *,
        giver_name: str,
        audience: Audience,
        when: float | None = None,
    ) -> bool:
        """
        Note that someone in the profiles gave the NPC a thing, and the thing itself.

        Args:
            giver: Who.
            thing: Entity id of the thing.
            name: What it is called.
            giver_name: What the giver is called.
            audience: Who may be told.
            when: UTC seconds since the epoch; None is now.

        Returns:
            Whether it counts: handed to and fro, a thing counts once.

        Raises:
            KeyError: If the giver has no profile.

        """
        gifts = self.store.data[giver].setdefault("gifts", [])
        if thing in gifts:
            return False
        self.store.data[giver]["gifts"] = [*gifts, thing][-MAX_GIFTS:]
        self.record_deed(giver, "gift", when=when)
        self.add_observation(giver, f"gave {name}", audience=audience, when=when)
        self.ensure(thing, "object", name)["last_seen"] = timestamp_of(
            time.time() if when is None else when
        )
        self.add_observation(thing, f"a gift of {giver_name}", audience=audience, when=when)
        self._bound_objects()
        return True

    def _bound_objects(self) -> None:
        profiles = self.store.data
        things = [who for who, held in profiles.items() if held["entity_type"] == "object"]
        things.sort(key=lambda who: str(profiles[who]["last_seen"] or ""))
        for who in things[:-MAX_OBJECTS]:
            self.remove(who)

    def note_signal(
        self,
        entity_id: str,
        signal: str,
        *,
        audience: Audience,
        confidence: bool = False,
        when: float | None = None,
    ) -> bool:
        """
        Note how someone in the profiles seemed when a talk with them ended.

        Args:
            entity_id: Who.
            signal: One of `mind.mood.SIGNALS`.
            audience: Who was in on that talk; None is nobody.
            confidence: Whether it was whispered, or said off the record.
            when: UTC seconds since the epoch; None is now.

        Returns:
            Whether it was noted; False for somebody the NPC has no profile of.

        """
        profile = self.store.data.get(entity_id)
        if profile is None:
            return False
        profile["seemed"] = {
            "signal": signal,
            "audience": audiences.stored(audience),
            "confidence": confidence,
            "at": timestamp_of(time.time() if when is None else when),
        }
        self.store.touch(entity_id)
        return True

    def describe(
        self,
        entity_id: str,
        text: str,
        *,
        audience: Audience,
        evidence: Collection[int] = (),
        by_owner: bool = False,
        when: float | None = None,
    ) -> bool:
        """
        Say in a few sentences who someone in the profiles is.

        Args:
            entity_id: About whom.
            text: The description, cut at `MAX_DESCRIPTION` characters; empty removes it.
            audience: Who may be told.
            evidence: Journal entries it rests on.
            by_owner: A keeper says so. From then on only a keeper changes it, until one empties it.
            when: UTC seconds since the epoch; None is now.

        Returns:
            Whether it was taken; False for what the NPC made up over a keeper's word.

        Raises:
            KeyError: If there is no such profile.

        """
        profile = self.store.data[entity_id]
        if profile.get("owner_override") and not by_owner:
            return False
        words = " ".join(text.split())[:MAX_DESCRIPTION]
        profile["owner_override"] = by_owner and bool(words)
        profile["description"] = (
            {
                "text": words,
                "audience": audiences.stored(audience),
                "evidence": list(evidence),
                "at": timestamp_of(time.time() if when is None else when),
            }
            if words
            else None
        )
        self.store.touch(entity_id)
        return True

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
        # Of whom was told of in confidence, nothing is known to more than may know of them.
        audience = audiences.intersect([audience, audience_of(profile)])
        note = {
            "text": text[:MAX_OBSERVATION_LENGTH],
            "timestamp": timestamp_of(time.time() if when is None else when),
            "entry_id": entry_id,
            "audience": audiences.stored(audience),
        }
        kept = [old for old in profile["observations"] if old.get("text") != note["text"]]
        profile["observations"] = [*kept, note][-MAX_OBSERVATIONS:]
        self.store.touch(entity_id)

    def take_back(self, entry_id: int) -> None:
        """
        Take out what rests on nothing but a journal entry that holds no longer.

        Args:
            entry_id: The entry's number.

        """
        for entity_id, profile in self.store.data.items():
            notes = [n for n in profile["observations"] if n.get("entry_id") != entry_id]
            attributes = {
                key: value
                for key, value in profile["attributes"].items()
                if not (isinstance(value, Mapping) and value.get("evidence") == [entry_id])
            }
            described = profile.get("description")
            if described and list(described.get("evidence") or ()) == [entry_id]:
                described = None
            left = {"observations": notes, "attributes": attributes, "description": described}
            if any(profile.get(key) != value for key, value in left.items()):
                profile.update(left)
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


def record_deed(
    character: Any, entity_id: str, deed: str, *, entity_type: str = "player", name: str = ""
) -> dict[str, Any]:
    """
    Tell an NPC of something an entity did to it, and save it; for a game's own code.

    A quest that is done, a blow that struck::

        record_deed(npc, f"#{player.pk}", "help", name=player.key)

    Args:
        character: The NPC (with `AssistantMixin`).
        entity_id: Who did it, `"#123"`.
        deed: One of `mind.relationship.RULES`: `help` and `harm` are for the game to report.
        entity_type: Of one it never met.
        name: What the entity is called.

    Returns:
        How the NPC stands to them now; see `standing`.

    Raises:
        KeyError: If there is no such deed.

    """
    profiles, now = character.memory.profiles, time.time()
    if deed not in relationship.RULES:
        raise KeyError(f"No deed {deed!r}; there are {', '.join(relationship.RULES)}.")
    profiles.ensure(entity_id, entity_type, name)
    profile = profiles.record_deed(entity_id, deed, when=now)
    profiles.store.save()
    return standing(profile, now)
