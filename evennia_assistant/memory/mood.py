"""
How an NPC feels, on `character.db.mood`, and how those it talked with seemed, on their profiles.

`{"mood", "energy", "updated_at"}` are the documented keys. Beside them stands who may notice: a
mood that came of a confidence shows to nobody who was not in it. What has passed reads as neutral;
no reading writes.

"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from ..mind import audience as audiences
from ..mind.entry import timestamp_of
from ..mind.mood import (
    MOST_ENERGY,
    NEUTRAL,
    NEUTRAL_ENERGY,
    Mood,
    energy_of,
    in_words,
    mood_at,
    mood_named,
    passed,
    signal_named,
)
from ..mind.percept import Audience
from .attribute_store import AttributeStore


def empty_mood() -> dict[str, Any]:
    """The mood of an NPC nothing has moved yet."""
    return {
        "mood": NEUTRAL,
        "energy": NEUTRAL_ENERGY,
        "updated_at": None,
        "audience": audiences.PUBLIC,
        "confidence": False,
        "by": None,
    }


def repair_mood(raw: Any) -> tuple[dict[str, Any], str | None]:
    """The mood as it stands; one that cannot be read is none, and what was wrong with it."""
    mood = empty_mood()
    if not isinstance(raw, Mapping):
        return mood, "not a mapping"
    mood.update((key, raw[key]) for key in mood if key in raw)
    if isinstance(mood["energy"], float) and 0 < mood["energy"] <= 1:
        # As it was written when an energy was a share.
        mood["energy"] = round(mood["energy"] * MOST_ENERGY)
    try:
        mood["mood"], mood["energy"] = mood_named(mood["mood"]), energy_of(mood["energy"])
    except ValueError as err:
        return empty_mood(), str(err)
    return mood, None


class MoodKeeper:
    """
    The mood of one NPC.

    Args:
        character: The NPC.
        profiles: Its `EntityProfiles`.

    """

    def __init__(self, character: Any, profiles: Any) -> None:
        self.store = AttributeStore(character, "mood", empty_mood, repair=repair_mood)
        self._profiles = profiles

    def note(
        self,
        mood: str | None,
        energy: float | str | None = None,
        signal: str | None = None,
        *,
        now: float,
        entity_id: str | None = None,
        audience: Audience = None,
        confidence: bool = False,
    ) -> list[str]:
        """
        Take in how the NPC feels, and how whoever it talked with seemed; the caller saves.

        Each of the three is taken or left by itself.

        Args:
            mood: One of `mind.mood.MOODS`, or `neutral`; None leaves it.
            energy: 0 to 10; None leaves it.
            signal: One of `mind.mood.SIGNALS`; None leaves it.
            now: UTC seconds since the epoch, of what it comes from.
            entity_id: Whom the NPC talked with; the signal goes to their profile.
            audience: Who was in on what it comes from; None is nobody, so that it never shows.
            confidence: Whether that was whispered, or said off the record.

        Returns:
            What could not be used, one line each.

        """
        problems: list[str] = []
        before = self.at(now)
        after = Mood(
            _read(mood_named, mood, before.mood, problems),
            _read(energy_of, energy, before.energy, problems),
        )
        if after != before or not (mood is None and energy is None):
            self.store.data.update(
                mood=after.mood,
                energy=after.energy,
                updated_at=timestamp_of(now),
                audience=audiences.stored(audience),
                confidence=confidence,
                by=entity_id,
            )
            self.store.touch()
        seemed = _read(signal_named, signal, None, problems)
        if seemed is not None and entity_id is not None:
            self._profiles.note_signal(
                entity_id, seemed, audience=audience, confidence=confidence, when=now
            )
        return problems

    def at(self, now: float) -> Mood:
        """How the NPC feels at a moment, whoever may notice."""
        return mood_at(self.store.data, now)

    def shown_to(self, listeners: Collection[str], now: float, *, aloud: bool) -> str:
        """
        How it feels, in words, as far as all listeners may notice; "" while there is nothing.

        Args:
            listeners: Entity ids of all who will hear the answer.
            now: UTC seconds since the epoch.
            aloud: Whether the answer is given aloud, where what came of a confidence stays out.

        """
        held = self.store.data
        if passed(held["updated_at"], now) or (aloud and held["confidence"]):
            return ""
        if not audiences.may_be_told(held["audience"], listeners):
            return ""
        return in_words(self.at(now))

    @property
    def audience(self) -> Audience:
        """Who may notice it."""
        return audiences.frozen(self.store.data["audience"])


def _read(check: Any, value: Any, otherwise: Any, problems: list[str]) -> Any:
    """What a check makes of a value; `otherwise`, and a problem, when it makes nothing of it."""
    if value is None:
        return otherwise
    try:
        return check(value)
    except ValueError as err:
        problems.append(str(err))
        return otherwise
