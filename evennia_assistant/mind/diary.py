"""
A day in a few lines, and what is carried from it into the next.

What a day held is given as happenings; a diary is three to five lines of it, the carry notes are
what the next day begins with. A model writes them, each resting on happenings it was shown
(`checked`), or a rule chooses the weightiest and quotes them as they are (`lines_by_rule`,
`notes_by_rule`). All happenings given at once have one audience.

    >>> told = [
    ...     Happening("j1", "2026-01-05", 'Anna said: "I lost my ring."', 1.0, 6.0, ("j1",)),
    ...     Happening("j2", "2026-01-05", "The ferry was late.", 2.0, 4.0, ("j2",)),
    ... ]
    >>> [line.text for line in lines_by_rule(told)]
    ['Anna said: "I lost my ring."', 'The ferry was late.']

"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from .persona_protection import is_self_referential

#: Lines of one day.
MOST_LINES = 5
#: Notes for the next day: in all, and by rule of those who may be told the same.
MOST_NOTES = 7
NOTES_BY_RULE = 3
MOST_QUESTIONS = 3
MOST_OF_SELF = 5
#: Longest line, in characters, and most happenings one rests on.
MAX_TEXT = 240
MAX_EVIDENCE = 12

#: What a model may write, and how many of each; lines are counted by the day.
LINE, NOTE, QUESTION, OF_SELF = "line", "note", "question", "self"
MOST_EACH: Mapping[str, int] = {
    LINE: MOST_LINES,
    NOTE: MOST_NOTES,
    QUESTION: MOST_QUESTIONS,
    OF_SELF: MOST_OF_SELF,
}
#: What every night may write; the view of oneself only where a keeper allowed it.
USUAL = (LINE, NOTE, QUESTION)


@dataclass(frozen=True, slots=True)
class Happening:
    """
    Something a day held.

    Args:
        id: What it is called in a prompt.
        day: Its day, `YYYY-MM-DD`, in UTC.
        text: In words.
        when: UTC seconds since the epoch.
        weight: How much it matters, about as importance has it.
        evidence: Names of the memories it is known from, at least one.

    """

    id: str
    day: str
    text: str
    when: float
    weight: float
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """
    A line of the diary, or a note for the next day.

    Args:
        what: `line`, `note`, `question` or `self`.
        day: Of which day, "" for what is no line of the diary.
        text: In a sentence or two.
        evidence: Names of the memories it rests on.

    """

    what: str
    day: str
    text: str
    evidence: tuple[str, ...]


def day_of(when: float) -> str:
    """The day of an instant (UTC seconds since the epoch), in UTC, wherever the server stands."""
    return datetime.fromtimestamp(when, UTC).strftime("%Y-%m-%d")


def bounds_of(day: str) -> tuple[float, float]:
    """
    When a day begins and when the next one does, UTC seconds since the epoch.

    Raises:
        ValueError: If it is no `YYYY-MM-DD`.

    """
    start = datetime.strptime(day, "%Y-%m-%d").replace(tzinfo=UTC).timestamp()
    return start, start + 86_400.0


def newest_days(days: Iterable[str], most: int) -> list[str]:
    """Those of some days that lie within so many days up to the newest, oldest first."""
    found = sorted(set(days))
    return [day for day in found if bounds_of(found[-1])[1] - bounds_of(day)[0] <= most * 86_400.0]


# By rule ------------------------------------------------------------------------------------------


def lines_by_rule(happenings: Iterable[Happening], most: int = MOST_LINES) -> list[Line]:
    """
    The weightiest of one day's happenings, as they are, in the order they came about.

    Args:
        happenings: Of one day and one audience.
        most: How many lines.

    """
    chosen = sorted(weightiest(happenings, most), key=lambda each: (each.when, each.id))
    return [Line(LINE, each.day, cut(each.text), each.evidence) for each in chosen]


def notes_by_rule(happenings: Iterable[Happening], most: int = NOTES_BY_RULE) -> list[Line]:
    """The weightiest happenings, the weightiest first, as notes for the next day."""
    return [Line(NOTE, "", cut(each.text), each.evidence) for each in weightiest(happenings, most)]


def weightiest(happenings: Iterable[Happening], most: int) -> list[Happening]:
    """The `most` weightiest, of equals the later first; the same words count once."""
    found: dict[str, Happening] = {}
    for each in sorted(happenings, key=lambda each: (-each.weight, -each.when, each.id)):
        found.setdefault(" ".join(each.text.casefold().split()), each)
    return list(found.values())[:most]


def cut(text: str) -> str:
    """A text on one line, no longer than `MAX_TEXT`."""
    words = " ".join(text.split())
    return words if len(words) <= MAX_TEXT else words[: MAX_TEXT - 3].rstrip() + "..."


# By a model ---------------------------------------------------------------------------------------


def checked(
    record: Any, shown: Mapping[str, Happening], kinds: Collection[str] = USUAL
) -> Line | None:
    """
    A record of a model's answer as it may be used.

    Args:
        record: One item of the answer.
        shown: The happenings it was shown, by id.
        kinds: What it may write.

    Returns:
        The line; None for one about the NPC itself, where that is not asked for.

    Raises:
        ValueError: If it cannot be used, with the reason; nothing of what it says is in it, as it
            may be a confidence, and the reason goes to a log.

    """
    if not isinstance(record, Mapping):
        raise ValueError("a record is no object")
    what, text = record.get("what"), record.get("text")
    if what not in kinds:
        raise ValueError(f"a record is none of {', '.join(kinds)}")
    if not isinstance(text, str) or not any(char.isalnum() for char in text):
        raise ValueError(f"a {what} has no text")
    named = record.get("from")
    names = named if isinstance(named, list) else [named]
    known = [shown[name] for name in dict.fromkeys(map(str, names)) if name in shown]
    if not known:
        raise ValueError(f"a {what} rests on nothing it was shown")
    if what != OF_SELF and is_self_referential(text):
        return None
    day = ""
    if what == LINE:
        day = _day(record.get("day"), known)
        known = [each for each in known if each.day == day]
    evidence = dict.fromkeys(name for each in known for name in each.evidence)
    return Line(str(what), day, cut(text), tuple(evidence)[:MAX_EVIDENCE])


def _day(named: object, known: Sequence[Happening]) -> str:
    """The day a line is of: the one it names, if what it rests on is of it, else that one's."""
    days = [each.day for each in known]
    return named if isinstance(named, str) and named in days else days[-1]


def within_number(lines: Iterable[Line | None]) -> list[Line]:
    """Of a model's lines, no more of each kind, and of each day, than there may be."""
    kept: list[Line] = []
    counted: dict[tuple[str, str], int] = {}
    said: set[tuple[str, str]] = set()
    for line in lines:
        if line is None or (line.what, line.text.casefold()) in said:
            continue
        place = (line.what, line.day)
        counted[place] = counted.get(place, 0) + 1
        if counted[place] <= MOST_EACH[line.what]:
            said.add((line.what, line.text.casefold()))
            kept.append(line)
    return kept


# Sharing out --------------------------------------------------------------------------------------


def in_turns(groups: Sequence[Sequence[Any]], most: int) -> list[Any]:
    """
    One of each group after the other, until there are enough.

    >>> in_turns([["a", "b", "c"], ["x"]], 3)
    ['a', 'x', 'b']

    """
    found: list[Any] = []
    for place in range(max(map(len, groups), default=0)):
        found += [group[place] for group in groups if place < len(group)]
    return found[:most]
