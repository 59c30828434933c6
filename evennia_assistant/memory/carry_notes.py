"""
What an NPC carries from one day into the next, on `script.db.carry_notes`.

::

    {
        "made_at": "2026-01-06T03:10:00.000000Z",
        "notes": [{"text": "Anna still looks for her ring.", "evidence": ["j12"],
                   "audience": "public", "confidence": False}],   # at most 7
        "questions": [...],                                       # at most 3
        "self_view": [...],                                       # at most 5; off by default
        "through": 140,                     # entries up to here have their place in the diary
        "night": 7,                         # which was written of by this night
        "days": [["2026-01-05", 143]],      # the newest entries of the diary, by day
        "replaced": [],                     # archived ones as they were before that night
    }

The night makes them anew (`asleep.diary`); they stand in the prompts of the day that follows, each
only where all who listen may be told it.

"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from copy import deepcopy
from typing import Any

from ..mind import audience as audiences
from ..mind import diary
from ..mind.entry import timestamp_of, when_of
from ..mind.percept import Audience
from .attribute_store import AttributeStore

#: Most of each kind.
KINDS: Mapping[str, int] = {
    "notes": diary.MOST_NOTES,
    "questions": diary.MOST_QUESTIONS,
    "self_view": diary.MOST_OF_SELF,
}
#: Seconds for which they stand in prompts: the day they were made for, and a late night.
LAST = 36 * 3600.0
#: What a night changes of an entry of the diary.
REPLACED = ("content", "importance", "evidence", "entities", "audience")
#: Entries of the diary that are remembered by number.
MAX_DAYS = 24


def empty_carry_notes() -> dict[str, Any]:
    """What an NPC carries that never slept."""
    return {
        "made_at": None,
        **{kind: [] for kind in KINDS},
        "through": 0,
        "night": 0,
        "days": [],
        "replaced": [],
    }


def repair_carry_notes(raw: Any) -> tuple[dict[str, Any], str | None]:
    """The sound part of whatever is stored, and what was wrong, None if nothing was."""
    held = empty_carry_notes()
    if not isinstance(raw, Mapping):
        return held, "not a mapping"
    held.update(raw)
    problems = []
    for kind, most in KINDS.items():
        notes = held[kind] if isinstance(held[kind], list) else []
        sound = [dict(note) for note in notes if _is_sound(note)][:most]
        if len(sound) != len(notes) or not isinstance(held[kind], list):
            problems.append(f"holding {kind} that cannot be read")
        held[kind] = sound
    for key in ("through", "night"):
        if isinstance(held[key], bool) or not isinstance(held[key], int):
            problems.append(f"without a usable {key}")
            held[key] = 0
    if not isinstance(held["replaced"], list):
        held["replaced"] = []
    days = held["days"] if isinstance(held["days"], list) else []
    held["days"] = [list(pair) for pair in days if _is_day(pair)]
    try:
        if held["made_at"] is not None:
            when_of(held["made_at"])
    except (TypeError, ValueError):
        problems.append("without a usable time")
        held["made_at"] = None
    return held, "; ".join(problems) or None


def _is_sound(note: Any) -> bool:
    return isinstance(note, Mapping) and isinstance(note.get("text"), str) and bool(note["text"])


def _is_day(pair: Any) -> bool:
    return (
        isinstance(pair, list | tuple)
        and len(pair) == 2
        and isinstance(pair[0], str)
        and isinstance(pair[1], int)
    )


def carry_notes_of(script: Any) -> CarryNotes:
    """The carry notes of an NPC, made once for each start of the server."""
    held = script.ndb.assistant_carry_notes
    if held is None:
        held = script.ndb.assistant_carry_notes = CarryNotes(script)
    return held


class CarryNotes:
    """
    What one NPC carries into its day.

    Args:
        script: Its AssistantScript.

    """

    def __init__(self, script: Any) -> None:
        self.store = AttributeStore(
            script, "carry_notes", empty_carry_notes, repair=repair_carry_notes
        )

    @property
    def data(self) -> dict[str, Any]:
        """The record; change it, then `store.touch()`."""
        return self.store.data

    def fresh(self, now: float) -> bool:
        """Whether they are of the last night and not of one long ago."""
        made_at = self.data["made_at"]
        return made_at is not None and now - when_of(made_at) < LAST

    def told_to(
        self, kind: str, listeners: Collection[str], *, aloud: bool
    ) -> list[dict[str, Any]]:
        """
        Those of one kind that all listeners may be told.

        Args:
            kind: `notes`, `questions` or `self_view`.
            listeners: Entity ids of those who will hear what comes of it.
            aloud: What was said in confidence stays out, its owner alone or not.

        """
        return [
            note
            for note in self.data[kind]
            if audiences.may_be_told(note.get("audience"), listeners)
            and not (aloud and note.get("confidence", True))
        ]

    def make_anew(self, when: float, **kinds: Iterable[Mapping[str, Any]]) -> None:
        """
        Put tonight's in the place of the last; the caller saves.

        Args:
            when: UTC seconds since the epoch.
            **kinds: Records of `note_of` by kind; a kind not named is empty.

        """
        for kind, most in KINDS.items():
            self.data[kind] = [dict(note) for note in kinds.get(kind, ())][:most]
        self.data["made_at"] = timestamp_of(when)
        self.store.touch()

    def begin_anew(self) -> None:
        """Let go of what only the night before could be taken back with."""
        if self.data["replaced"]:
            self.data["replaced"] = []
            self.store.touch()

    def keep_replaced(self, entry: Mapping[str, Any]) -> None:
        """Keep an archived entry as it is, so that the night that changes it can be taken back."""
        kept = {key: deepcopy(entry[key]) for key in REPLACED if key in entry}
        self.data["replaced"].append({"id": entry["id"], **kept})
        self.store.touch()

    def keep_day(self, day: str, number: int) -> None:
        """Remember which entry is a day's diary, so that the day's next night finds it."""
        days = self.data["days"]
        if [day, number] not in days:
            days.append([day, number])
            del days[:-MAX_DAYS]
            self.store.touch()

    def numbers_of(self, day: str) -> list[int]:
        """Numbers of the entries that are a day's diary."""
        return [number for known, number in self.data["days"] if known == day]

    def go_through(self, number: int, night: int) -> None:
        """Note that a night's diary has looked at all entries up to a number."""
        if (number, night) != (self.data["through"], self.data["night"]):
            self.data.update(through=number, night=night)
            self.store.touch()


def note_of(line: diary.Line, audience: Audience, confidential: bool) -> dict[str, Any]:
    """A line as it is carried."""
    return {
        "text": line.text,
        "evidence": list(line.evidence),
        "audience": audiences.stored(audience),
        "confidence": confidential,
    }
