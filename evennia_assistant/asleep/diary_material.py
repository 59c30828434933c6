"""
What the days since the last diary held, by those who may be told of it.

It is read from the journal and its archive, never from what the steps of the night have used up,
and from the night's own ledger: what was heard and seen, and what tonight concluded from it. A day
that has a diary already is looked at as a whole again.

"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..memory.archive import first_of
from ..memory.carry_notes import CarryNotes
from ..memory.diary import find_day, is_diary
from ..memory.journal import NO_FACTS, RECALLED
from ..mind import entry as entries
from ..mind.audience import PUBLIC, frozen
from ..mind.diary import Happening, day_of, newest_days, weightiest
from ..mind.entry import number_of, when_of
from ..mind.percept import Audience
from ..mind.substance import has_substance
from ..mind.text import is_question
from .night import Night

#: Days looked back upon at most, when the NPC did not sleep for long.
MOST_DAYS = 7
#: Happenings of one circle, the weightiest.
MOST_HAPPENINGS = 40
#: Attributes of the archive read for one diary.
MOST_ARCHIVED = 8
#: What a question says less than an answer, and what an attribute that was settled matters.
QUESTION = 2.0
SETTLED = 5.0
#: The step whose changes are no journal entries.
SETTLING = "run_entity_consolidation_batch"

#: Who may be told, and whether it was said in confidence.
Circle = tuple[Audience, bool]


@dataclass
class Days:
    """
    What the days held.

    Args:
        circles: Happenings by circle, the weightiest circle first.
        through: The last entry that has its place in the diary when this is written.
        entities: Ids of those a memory is about, by its name.

    """

    circles: dict[Circle, list[Happening]] = field(default_factory=dict)
    through: int = 0
    entities: dict[str, tuple[str, ...]] = field(default_factory=dict)


def days_since_the_last(character: Any, night: Night, carried: CarryNotes) -> Days:
    """
    Gather what is to be written of.

    Args:
        character: The NPC.
        night: Its night; when none is open, all entries there are count.
        carried: Says up to where the diary came.

    """
    journal = character.memory.journal
    last = journal.store.data["entry_count"]
    if night.is_open:
        last = max(night.data["entry_ids"], default=0)
    through = carried.data["through"]
    if through > journal.store.data["entry_count"]:
        # The journal was begun anew.
        through = 0
    # What this night concluded has its place once the night has written of it.
    written = carried.data["night"] == night.data["id"]
    made = set(night.data["made"]) if night.is_open and not written else set()
    fresh = [
        entry
        for entry in _entries_after(journal, through)
        if (entry["id"] <= last or entry["id"] in made) and _counts(entry, made, npc=character.key)
    ]
    found = Days(through=max(through, last))
    held: dict[Circle, dict[str, Happening]] = {}
    days = _days_of(character, fresh, made)
    newest = newest_days(days.values(), MOST_DAYS)
    for entry in fresh:
        if days[entry["id"]] in newest:
            _put(held, found, entry, days[entry["id"]])
    for circle, happenings in list(held.items()):
        for day in {each.day for each in happenings.values()}:
            for entry in _written_of(character, day, circle, carried):
                _put(held, found, entry, day)
    for circle, happening in _settled(character, night, newest):
        held.setdefault(circle, {})[happening.id] = happening
    found.circles = _by_weight(held)
    return found


def _entries_after(journal: Any, number: int) -> Iterator[dict[str, Any]]:
    """The entries after one, those that have gone to the archive meanwhile included."""
    for key in list(reversed(journal.archive.keys()))[:MOST_ARCHIVED]:
        chunk = list(journal.archive.entries_in(key))
        yield from (entry for entry in chunk if entry["id"] > number)
        if first_of(key) <= number:
            break
    yield from (entry for entry in list(journal.entries) if entry["id"] > number)


def _counts(entry: Mapping[str, Any], made: set[int], *, npc: str) -> bool:
    """Whether an entry is something the day held, or that tonight was concluded from it."""
    if entries.get(entry, "state") not in ("active", "dying", "dormant") or is_diary(entry):
        return False
    if frozen(entry.get("audience")) is None or RECALLED in entry.get("tags", ()):
        return False
    if _is_derived(entry):
        # What an earlier night concluded had its place then.
        return entry["id"] in made
    words = entries.words_of(entry)
    return has_substance(words, npc) and entries.get(entry, "kind") != "knowledge"


def _is_derived(entry: Mapping[str, Any]) -> bool:
    return bool(entries.get(entry, "evidence")) or entries.get(entry, "kind") in NO_FACTS


def _days_of(character: Any, fresh: Iterable[Mapping[str, Any]], made: set[int]) -> dict[int, str]:
    """
    The day of each entry; what a night concluded belongs to the day it is concluded from.

    A night often begins on the next day of the calendar.

    """
    heard = {entry["id"]: day_of(when_of(entry["timestamp"])) for entry in fresh}
    days = dict(heard)
    latest = max((heard[number] for number in heard if number not in made), default=None)
    for entry in fresh:
        if entry["id"] in made:
            numbers = map(number_of, entries.get(entry, "evidence"))
            named = [number for number in numbers if number is not None]
            known = [heard[number] for number in named if number in heard and number not in made]
            days[entry["id"]] = max(known, default=latest or heard[entry["id"]])
    return days


def _put(
    held: dict[Circle, dict[str, Happening]], found: Days, entry: Mapping[str, Any], day: str
) -> None:
    name = f"j{entry['id']}"
    circle = (frozen(entry.get("audience")), entries.in_confidence(entry))
    text = str(entry["content"]).removeprefix("[SYNTHESIS]").strip()
    weight = float(entry["importance"]) + abs(float(entries.get(entry, "valence")))
    if is_question(entries.words_of(entry)):
        weight -= QUESTION
    when = when_of(entry["timestamp"])
    held.setdefault(circle, {})[name] = Happening(name, day, text, when, weight, (name,))
    found.entities[name] = tuple(entries.get(entry, "entities"))


def _written_of(
    character: Any, day: str, circle: Circle, carried: CarryNotes
) -> Iterator[dict[str, Any]]:
    """The memories a day's diary rests on already: it is not written anew from the rest alone."""
    known = find_day(character.memory, day, *circle, carried.numbers_of(day))
    if known is None:
        return
    for name in entries.get(known, "evidence"):
        number = number_of(name)
        entry = None if number is None else character.memory.journal.find_anywhere(number)
        if entry is None or entries.get(entry, "state") in ("superseded", "merged"):
            continue
        if (frozen(entry.get("audience")), entries.in_confidence(entry)) == circle:
            yield entry


def _settled(character: Any, night: Night, days: list[str]) -> Iterator[tuple[Circle, Happening]]:
    """What tonight settled of somebody, from the ledger."""
    if not night.is_open or not days:
        return
    line = night.data["ledger"].get(SETTLING)
    for place, change in enumerate(line["changes"] if line else ()):
        evidence = tuple(name for name in change.get("evidence", ()) if number_of(name) is not None)
        audience = frozen(change["audience"])
        if change["what"] not in ("added", "changed") or not evidence or audience is None:
            continue
        numbers = (number_of(name) for name in evidence)
        known = [character.memory.journal.find_anywhere(number) for number in numbers]
        held = [entry for entry in known if entry is not None]
        if held and all(map(entries.is_taken_back, held)):
            continue
        # What only some may be told, and of which nothing tells how it was said, was confided.
        confided = any(map(entries.in_confidence, held)) if held else audience != PUBLIC
        newest = max((when_of(entry["timestamp"]) for entry in held), default=0.0)
        day = day_of(newest) if held else days[-1]
        if day in days:
            name = f"c{place + 1}"
            happening = Happening(name, day, change["text"], newest, SETTLED, evidence)
            yield (audience, confided), happening


def _by_weight(held: Mapping[Circle, Mapping[str, Happening]]) -> dict[Circle, list[Happening]]:
    """The weightiest happenings of each circle, the weightiest circle first, oldest first in it."""
    chosen = {
        circle: weightiest(happenings.values(), MOST_HAPPENINGS)
        for circle, happenings in held.items()
    }
    order = sorted(
        chosen,
        key=lambda circle: (-sum(each.weight for each in chosen[circle]), str(circle)),
    )
    return {
        circle: sorted(chosen[circle], key=lambda each: (each.when, each.id)) for circle in order
    }
