"""
Who a line is addressed to, and how.

>>> bram = Addressee("#7", ("Old Bram the Innkeeper",), ("barkeep",))
>>> [(found.id, found.how) for found in find_addressees("Evening, innkeeper!", [bram])]
[('#7', 'vocative')]
>>> [(found.id, found.how) for found in find_addressees("I like Bram's stew.", [bram])]
[('#7', 'mention')]
>>> find_addressees("The old road is long.", [bram])
()

A vocative is told from a mention by grammar alone (see `vocative`); no word of a line is looked at
more than a fixed number of times for each name present.

"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from evennia_assistant.mind import address_words as words
from evennia_assistant.mind.cut_line import CONTINUES, cut_line
from evennia_assistant.mind.name_forms import TITLES, Addressee, name_forms, tokenize
from evennia_assistant.mind.vocative import find_names, is_called, name_groups

# ruff: noqa: RUF001 - typographic apostrophes are data here

__all__ = ["Addressee", "How", "Naming", "find_addressees", "find_involved"]

#: How a name stands in a line: "@bram", "Bram, ...", or merely talked about.
How = Literal["at", "vocative", "mention"]

_AT = re.compile(r"(?<![\w@])@([\w'’-]+)")


@dataclass(frozen=True, slots=True)
class Naming:
    """
    One place where a line names somebody.

    Args:
        id: Who is named.
        how: In what way.
        text: The words that name them, as written.
        start: Where they stand in the (NFC) line.

    """

    id: str
    how: How
    text: str
    start: int


def find_addressees(text: str, present: Iterable[Addressee]) -> tuple[Naming, ...]:
    """
    Everyone of `present` whom the line names, in the order they are named.

    Args:
        text: The words of the line, without markup.
        present: Whom it could name. Leave the speaker out.

    Returns:
        A naming for each place. One person may be named several times and in several ways; the
        words inside a quotation are reported speech, so a name there is a mention.

    """
    people = tuple(present)
    line = cut_line(text)
    line.roles = TITLES.union(
        *(
            form.tokens
            for person in people
            for form in name_forms(person.names, person.aliases)
            if form.common
        )
    )
    namings = list(_at_names(line.text, people))
    taken = {naming.start for naming in namings}
    for group in name_groups(line, list(find_names(line, people))):
        called = is_called(line, group)
        for match in group:
            start, end = line.tokens[match.first].start, line.tokens[match.last].end
            if start in taken:
                continue
            how: How = "vocative" if called and not line.reported[match.first] else "mention"
            namings += [Naming(owner, how, line.text[start:end], start) for owner in match.owners]
    return tuple(sorted(namings, key=lambda naming: naming.start))


def find_involved(action: str, present: Iterable[Addressee]) -> frozenset[str]:
    """
    Whom a gesture is for: "waves at Bram", "taps Bram's arm", but not "thinks of Bram".

    Args:
        action: What was done, without the name of who did it and without quoted speech.
        present: Whom it could be for.

    Returns:
        Their ids.

    """
    line = cut_line(action)
    involved: set[str] = set()
    for match in find_names(line, tuple(present)):
        before = [token.base for token in line.tokens[max(0, match.first - 3) : match.first]]
        last = before[-1] if before else ""
        if last in ("the", "old", "poor", "dear", "good") and len(before) > 1:
            last = before[-2]
        name = line.tokens[match.first]
        pointed = bool(before) and before[-1] in ("at", "to", "with", "toward", "towards")
        if match.form.ambiguous and not name.capital and not pointed:
            continue
        ends = line.breaks[match.last + 1] != CONTINUES
        if last == "for" and not name.capital and not match.form.common:
            continue
        if last in words.UNINVOLVING or (last in ("before", "after") and not ends):
            continue
        if last == "of" and not words.BEFORE_OF & set(before):
            continue
        if line.tokens[match.last].clitic:
            after = [token.base for token in line.tokens[match.last + 1 : match.last + 3]]
            if not words.BODY & set(after):
                continue
        involved.update(match.owners)
    return frozenset(involved)


def _at_names(line: str, people: Sequence[Addressee]) -> Iterator[Naming]:
    """Names written "@bram" or "@old_bram"."""
    for found in _AT.finditer(line):
        tokens = tokenize(found.group(1).replace("_", " "))
        written = "".join(token.text for token in tokens)
        base = written[:-2] if written.endswith("'s") else written
        for person in people:
            forms = name_forms(person.names, person.aliases)
            if any("".join(form.tokens) in (written, base) for form in forms):
                yield Naming(person.id, "at", found.group(), found.start() + 1)
