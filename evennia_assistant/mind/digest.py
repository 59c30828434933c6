"""
A conversation in a few lines without a model: who spoke, for how long, and the lines that say most.

A line says the more, the rarer its words are among all that the NPC remembers (tf-idf); a question
says less than an answer. The lines are quoted as they were said, in the order they were said.

    >>> lines = [
    ...     Line("Anna", "Good evening.", 0.0),
    ...     Line("Anna", "My ring lies at the quarry.", 30.0),
    ...     Line("Bram", "Well, well.", 60.0),
    ... ]
    >>> digest(lines, {"ring": 5.0, "lie": 3.0, "quarri": 6.0})
    'Anna and Bram talked for a minute, 3 lines. Anna: "My ring lies at the quarry."'

"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .text import content_terms, is_question

#: Longest digest, longest quotation and longest name in it, in characters.
MOST = 700
MOST_QUOTED = 160
MOST_NAME = 40
#: Speakers named, and lines quoted.
SPEAKERS = 5
QUOTED = 5
#: What a question counts for beside a line that tells something.
QUESTION = 0.5
#: Rarity of a word nobody has counted.
UNKNOWN = 1.0


class Line(NamedTuple):
    """One line of a conversation: who said it, the words, and when, UTC seconds."""

    speaker: str
    text: str
    when: float


def digest(
    lines: Sequence[Line], rarity: Mapping[str, float], *, most: int = MOST, quoted: int = QUOTED
) -> str:
    """
    The gist of a conversation.

    Args:
        lines: Its lines, oldest first.
        rarity: How rare a term of `content_terms` is, higher for rarer; `UNKNOWN` where missing.
        most: Longest text, in characters.
        quoted: Most lines quoted.

    Returns:
        One line of text, no longer than `most`; "" when there is no line at all.

    """
    if not lines:
        return ""
    text = f"{_speakers(lines)} talked{_span(lines)}, {_counted(len(lines), 'line')}."[:most]
    room = most - len(text)
    chosen: dict[int, str] = {}
    said: set[str] = set()
    for place in sorted(range(len(lines)), key=lambda n: (-_weight(lines[n], rarity), n)):
        if len(chosen) >= quoted or _weight(lines[place], rarity) <= 0.0:
            break
        quotation = f' {_name(lines[place])}: "{_cut(lines[place].text)}"'
        if len(quotation) <= room and quotation not in said:
            said.add(quotation)
            chosen[place] = quotation
            room -= len(quotation)
    return text + "".join(chosen[place] for place in sorted(chosen))


def _weight(line: Line, rarity: Mapping[str, float]) -> float:
    """How much a line says; 0.0 for one without a word of its own."""
    terms = Counter(content_terms(line.text))
    if not terms:
        return 0.0
    score = sum(
        (1.0 + math.log(count)) * rarity.get(term, UNKNOWN) for term, count in terms.items()
    )
    # A long line holds more rare words, yet it should not win by its length alone.
    return score / math.sqrt(len(terms)) * (QUESTION if is_question(line.text) else 1.0)


def _speakers(lines: Sequence[Line]) -> str:
    names = list(dict.fromkeys(map(_name, lines)))
    if len(names) > SPEAKERS:
        names = [*names[:SPEAKERS], "others"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _name(line: Line) -> str:
    return " ".join(line.speaker.split())[:MOST_NAME] or "somebody"


def _cut(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= MOST_QUOTED else words[: MOST_QUOTED - 3].rstrip() + "..."


def _span(lines: Sequence[Line]) -> str:
    minutes = round((max(line.when for line in lines) - min(line.when for line in lines)) / 60.0)
    if minutes < 1:
        return ""
    if minutes < 90:
        return " for a minute" if minutes == 1 else f" for {minutes} minutes"
    hours = round(minutes / 60)
    return f" for {hours} hours" if hours < 48 else f" over {round(hours / 24)} days"


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
