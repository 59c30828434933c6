"""
The profiles of one NPC by id and by name.

A name that the NPC saw somebody go by stands in `canonical_name` and `aliases`, as documented. One
that it was only told stands in `names`, with who may be told of it and the journal entries it rests
on::

    profile["names"]["Robert"] = {
        "audience": ["#5"], "evidence": [12], "confidence": True, "at": "2026-01-05T03:10:00Z"
    }

"""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from typing import Any

from ..mind.alias_book import AliasBook
from ..mind.audience import PUBLIC, frozen, intersect, stored
from ..mind.entry import timestamp_of
from ..mind.percept import Audience
from .attribute_store import AttributeStore
from .profile_record import audience_of, create_entity_profile, names_of, repair_profiles

MAX_ALIASES = 5
#: Names of one entity that were told, the longest of them, and the entries one rests on.
MAX_TOLD_NAMES = 12
MAX_NAME = 60
MAX_EVIDENCE = 20


class NamedProfiles:
    """
    The profiles of one NPC.

    Args:
        character: The NPC.

    """

    def __init__(self, character: Any) -> None:
        self.store = AttributeStore(
            character, "entity_profiles", dict, repair=repair_profiles, sectioned=True
        )
        self._book = AliasBook()
        #: Of which state of the store the book was made; what changes names here, changes both.
        self._read = -1

    def get(self, entity_id: str) -> dict[str, Any] | None:
        """The profile of an entity, None when the NPC has never met it."""
        return self.store.data.get(entity_id)

    def ensure(self, entity_id: str, entity_type: str, name: str) -> dict[str, Any]:
        """The profile of an entity, made if there is none; a new name becomes an alias."""
        profiles = self.store.data
        profile = profiles.get(entity_id)
        if profile is None:
            profile = profiles[entity_id] = create_entity_profile(entity_id, entity_type, name)
            self.renamed(profile)
        elif name and name != profile["canonical_name"]:
            before = profile["canonical_name"]
            aliases = [alias for alias in profile["aliases"] if alias not in (name, before)]
            profile["aliases"] = [*aliases, *filter(None, [before])][-MAX_ALIASES:]
            profile["canonical_name"] = name
            profile["names"].pop(name, None)
            self.renamed(profile)
        return profile

    def remove(self, entity_id: str) -> None:
        """Take a profile out; one that is not there is passed over."""
        if self.store.data.pop(entity_id, None) is not None:
            self.book.put(entity_id, ())
            self.store.touch()

    def named(self, name: str) -> list[dict[str, Any]]:
        """
        The profiles of those who go by a name before everybody, or went by it once.

        Args:
            name: A name in any case, or an entity id.

        Returns:
            Those who go by it now; where nobody does, those who did.

        """
        profiles = self.store.data
        if name in profiles:
            return [profiles[name]]
        wanted = name.strip().casefold()
        open_to_all = [p for p in profiles.values() if audience_of(p) == PUBLIC]
        now = [p for p in open_to_all if str(p["canonical_name"]).casefold() == wanted]
        return now or [
            profile
            for profile in open_to_all
            if any(
                each.audience == PUBLIC and each.text.casefold() == wanted
                for each in names_of(profile)
            )
        ]

    @property
    def book(self) -> AliasBook:
        """All names, to be looked up in a text."""
        profiles = self.store.data
        if self._read != self.store.loads:
            self._read = self.store.loads
            self._book = AliasBook()
            for who, profile in profiles.items():
                self._book.put(who, names_of(profile))
        return self._book

    def ids_in(self, text: str, listeners: Collection[str]) -> list[str]:
        """
        Ids of those a text names, and of those who turned out to be them.

        Args:
            text: A line or a question.
            listeners: Entity ids of all who will hear what comes of it.

        """
        found = self.book.ids_in(text, listeners)
        profiles = self.store.data
        return [*found, *(old for who in found for old in profiles[who].get("absorbed", ()))]

    def learn_alias(
        self,
        entity_id: str,
        alias: str,
        *,
        audience: Audience,
        evidence: Collection[int] = (),
        confidence: bool = False,
        when: float | None = None,
    ) -> bool:
        """
        Note another name of somebody in the profiles.

        Args:
            entity_id: Whose.
            alias: The name, as it was written.
            audience: Who may be told that it is theirs.
            evidence: Journal entries it rests on.
            confidence: It was told in confidence.
            when: UTC seconds since the epoch; None is now.

        Returns:
            Whether there is such a name now; False for what is no name, and where there are
            enough.

        Raises:
            KeyError: If there is no such profile.

        """
        profile = self.store.data[entity_id]
        name = " ".join(alias.split())
        if not name or len(name) > MAX_NAME:
            return False
        if (
            name in (profile["canonical_name"], *profile["aliases"])
            and name not in profile["names"]
        ):
            return True
        held = profile["names"].get(name)
        if held is None and len(profile["names"]) >= MAX_TOLD_NAMES:
            return False
        known: list[int] = []
        if held is not None:
            same = frozen(held["audience"]) == frozen(audience)
            if same and held["confidence"] == confidence:
                known = list(held["evidence"])
            elif not _is_more_open(audience, confidence, held):
                return True
        profile["names"][name] = {
            "audience": stored(audience),
            "evidence": list(dict.fromkeys([*known, *evidence]))[-MAX_EVIDENCE:],
            "confidence": confidence,
            "at": timestamp_of(time.time() if when is None else when),
        }
        self.renamed(profile)
        return True

    def renamed(self, profile: dict[str, Any]) -> None:
        """Look a profile's names up anew, and have it stored."""
        self.book.put(profile["entity_id"], names_of(profile))
        self.store.touch(profile["entity_id"])


def _is_more_open(audience: Audience, confidence: bool, held: Mapping[str, Any]) -> bool:
    """Whether a name, told this way, may be told to all who might be told before, and to more."""
    before = frozen(held["audience"])
    if confidence and not held["confidence"]:
        return False
    return intersect([before, audience]) == before
