"""
Who a line is addressed to, and how.

>>> bram = Addressee("#7", ("Old Bram the Innkeeper",), ("barkeep",))
>>> [(found.id, found.how) for found in find_addressees("Evening, innkeeper!", [bram])]
[('#7', 'vocative')]
>>> [(found.id, found.how) for found in find_addressees("I like Bram's stew.", [bram])]
[('#7', 'mention')]
>>> find_addressees("The old road is long.", [bram])
()

A vocative is told from a mention by grammar alone: where the name stands in its sentence, the
punctuation around it and the few words beside it. One pass over the words; no word is looked at
more than a fixed number of times for each name present.

"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from evennia_assistant.mind import address_words as words
from evennia_assistant.mind.name_forms import (
    ADJECTIVES,
    AUXILIARY_NAMES,
    TITLES,
    Addressee,
    Form,
    Token,
    is_spaceless,
    name_forms,
    tokenize,
)
from evennia_assistant.mind.speech_line import quoted_pieces

# ruff: noqa: RUF001 - punctuation of other scripts is data here

__all__ = ["Addressee", "How", "Naming", "addresses_everyone", "find_addressees", "find_involved"]

#: How a name stands in a line: "@bram", "Bram, ...", or merely talked about.
How = Literal["at", "vocative", "mention"]

_AT = re.compile(r"(?<![\w@])@([\w'’-]+)")
_CONTINUES, _CLAUSE, _SENTENCE = 0, 1, 2
#: What holds words together to one: a hyphenated word, a file, a web or mail address.
_GLUE = frozenset({"-", ".", "/", "://", "\\", "_", "@", "&", "=", "#", "+"})


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


@dataclass(frozen=True, slots=True)
class _Match:
    """Words `first` to `last` of a line are a name of each of `owners`."""

    first: int
    last: int
    form: Form
    owners: tuple[str, ...]


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
    line = _Line(text)
    namings = list(_at_names(line.text, people))
    taken = {naming.start for naming in namings}
    for group in _groups(line, list(_matches(line, people))):
        called = _is_called(line, group)
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
    line = _Line(action)
    involved: set[str] = set()
    for match in _matches(line, tuple(present)):
        before = [token.base for token in line.tokens[max(0, match.first - 3) : match.first]]
        last = before[-1] if before else ""
        if last in ("the", "old", "poor", "dear", "good") and len(before) > 1:
            last = before[-2]
        name = line.tokens[match.first]
        pointed = bool(before) and before[-1] in ("at", "to", "with", "toward", "towards")
        if match.form.ambiguous and not name.capital and not pointed:
            continue
        ends = line.breaks[match.last + 1] != _CONTINUES
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


def addresses_everyone(text: str, others: int = 0) -> bool:
    """
    Whether a line is to all who are there, or to whoever will answer.

    Args:
        text: The words of the line.
        others: How many are there besides the speaker; "you two" means all of exactly two.

    Returns:
        True for "Good evening, all", "Everyone, listen!", "Does anyone know ...?"; False for
        "everyone knows that".

    """
    line = _Line(text)
    phrases = words.ALL_OF_YOU + (words.BOTH_OF_YOU if others == 2 else ())
    for first, end in line.sentences():
        if not any(line.reported[first:end]) and _is_to_all(line, first, end, phrases):
            return True
    everyone = Addressee("*", ("everyone", "everybody", "ladies and gentlemen"), _EVERYONE_ALIASES)
    return any(
        naming.how == "vocative" and not _RELATIVE.match(line.text, naming.start + len(naming.text))
        for naming in find_addressees(text, [everyone])
    )


_RELATIVE = re.compile(r"\s+(?:i|we|you|they|he|she|that's|it's|got)\b", re.IGNORECASE)
_EVERYONE_ALIASES = (
    *("folks", "friends", "gentlemen", "lads", "y'all", "yall"),
    *("alle", "leute", "tout le monde", "todos", "tutti", "все"),
    *("大家", "みんな", "皆さん", "여러분"),
)


def _is_to_all(line: _Line, first: int, end: int, phrases: tuple[str, ...]) -> bool:
    """Whether one sentence is to everybody, or to whoever knows the answer."""
    sentence = [token.base for token in line.tokens[first:end]]
    greets = len(sentence) <= 9 and (
        bool(words.GREETINGS & set(sentence[:2])) or tuple(sentence[:2]) in words.GREETING_PAIRS
    )
    if greets and (sentence[-1] in words.EVERYONE or sentence[-1] == "all"):
        return True
    opening = 0
    while opening < len(sentence) and sentence[opening] in words.SOFT | words.GREETINGS:
        opening += 1
    head = sentence[opening:]
    said = " ".join(head)
    if any(said == phrase or (greets and said.endswith(phrase)) for phrase in phrases):
        return True
    for phrase in phrases:
        length = len(phrase.split())
        if said.startswith(f"{phrase} "):
            called = line.breaks[first + opening + length] != _CONTINUES
            if called or (phrase.endswith("of you") and head[length] in words.IMPERATIVES):
                return True
        asked = head[0] if head else ""
        if asked in words.AUXILIARIES | {"what"} and f" {phrase} " in f"{said} "[:40]:
            return line.question[first] and not phrase.startswith("you all")
    if len(head) > 1 and head[0] in words.AUXILIARIES and head[1] in words.ANYONE:
        return head[1] not in words.EVERYONE or head[0] not in ("did", "does", "has", "was")
    if head and head[0] in words.ANYONE:
        asks = len(head) > 1 and head[1] in words.IMPERATIVES
        clitic = line.tokens[first + opening].clitic
        return asks or (line.question[first] and not clitic and head[0] not in words.EVERYONE)
    return False


class _Line:
    """A line cut into words, with what stands between them worked out once."""

    def __init__(self, text: str) -> None:
        self.text = unicodedata.normalize("NFC", text)
        self.tokens: list[Token] = tokenize(self.text)
        self.breaks = [_SENTENCE, *self._gaps(), _SENTENCE]
        self.reported = self._reported()
        self.question = self._questions()

    def gap(self, index: int) -> str:
        """What stands before word `index`; after the last word, what ends the line."""
        start = self.tokens[index - 1].end if index > 0 else 0
        end = self.tokens[index].start if index < len(self.tokens) else len(self.text)
        return self.text[start:end]

    def sentences(self) -> Iterator[tuple[int, int]]:
        """First word and end of each sentence."""
        first = 0
        for index in range(1, len(self.tokens) + 1):
            if self.breaks[index] == _SENTENCE and index > first:
                yield first, index
                first = index

    def base(self, index: int) -> str:
        """The word at `index`, "" beyond the line's ends."""
        return self.tokens[index].base if 0 <= index < len(self.tokens) else ""

    def text_at(self, index: int) -> str:
        """The word at `index` with its ending ("i'm"), "" beyond the line's ends."""
        return self.tokens[index].text if 0 <= index < len(self.tokens) else ""

    def _gaps(self) -> Iterator[int]:
        for index in range(1, len(self.tokens)):
            gap = self.gap(index)
            if gap.isspace() or not gap:
                yield _CONTINUES
            elif words.SENTENCE_END.search(gap):
                yield _SENTENCE
            else:
                yield _CLAUSE if words.CLAUSE_END.search(gap) else _CONTINUES

    def _reported(self) -> list[bool]:
        """For each word, whether it stands inside a quotation that is not the whole line."""
        whole = len(self.text.strip())
        pieces = [piece for piece in quoted_pieces(self.text) if piece.end - piece.start < whole]
        flags, upcoming = [], 0
        for token in self.tokens:
            while upcoming < len(pieces) and pieces[upcoming].end <= token.start:
                upcoming += 1
            flags.append(upcoming < len(pieces) and pieces[upcoming].start <= token.start)
        return flags

    def _questions(self) -> list[bool]:
        """For each word, whether its sentence ends in a question mark."""
        flags = [False] * len(self.tokens)
        asks = False
        for index in range(len(self.tokens), 0, -1):
            if self.breaks[index] == _SENTENCE:
                asks = any(mark in self.gap(index) for mark in "?？")
            flags[index - 1] = asks
        return flags


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


def _matches(line: _Line, people: Sequence[Addressee]) -> Iterator[_Match]:
    """The names in a line, longest first at each place; whole names before parts of names."""
    index: dict[str, list[tuple[Form, str]]] = {}
    for person in people:
        for form in name_forms(person.names, person.aliases):
            index.setdefault(form.tokens[0], []).append((form, person.id))
    position = 0
    while position < len(line.tokens):
        token = line.tokens[position]
        best: tuple[int, bool] = (0, False)
        chosen: list[tuple[Form, str]] = []
        for key in {token.text, token.base}:
            for form, owner in index.get(key, ()):
                rank = (len(form.tokens), form.whole)
                if rank >= best and _fits(line, position, form.tokens):
                    chosen = [*chosen, (form, owner)] if rank == best else [(form, owner)]
                    best = rank
        if not chosen:
            position += 1
            continue
        last = position + best[0] - 1
        owners = tuple(dict.fromkeys(owner for _, owner in chosen))
        yield _Match(position, last, chosen[0][0], owners)
        position = last + 1


def _fits(line: _Line, position: int, form: tuple[str, ...]) -> bool:
    """True when these words stand at `position`, and are not part of a longer one."""
    last = position + len(form) - 1
    if last >= len(line.tokens):
        return False
    for offset, word in enumerate(form):
        token = line.tokens[position + offset]
        if word != token.text and not (offset == len(form) - 1 and word == token.base):
            return False
        if offset and line.breaks[position + offset] == _CLAUSE:
            return False
    glued = position > 0 and line.gap(position) in _GLUE
    return not glued and not (last + 1 < len(line.tokens) and line.gap(last + 1) in _GLUE)


def _groups(line: _Line, matches: list[_Match]) -> Iterator[list[_Match]]:
    """Names that share their place in the sentence: "Anna, Bram and Carl"."""
    group: list[_Match] = []
    joined = False
    for match in matches:
        if group:
            left, between = group[-1], match.first - group[-1].last - 1
            word = line.base(left.last + 1)
            same = left.owners == match.owners
            if not any(
                line.breaks[at] == _SENTENCE for at in range(left.last + 1, match.first + 1)
            ) and (
                (between == 1 and word in words.CONJUNCTIONS)
                or (between == 0 and same is (line.breaks[match.first] == _CONTINUES))
            ):
                joined = joined or between == 1
                group.append(match)
                continue
            yield from _regroup(line, group, joined)
        group, joined = [match], False
    if group:
        yield from _regroup(line, group, joined)


def _regroup(line: _Line, group: list[_Match], joined: bool) -> Iterator[list[_Match]]:
    """Take a list apart where its commas set off a call: "Bram, Anna is looking for you"."""
    alike = all(match.owners == group[0].owners for match in group)
    closed = line.breaks[group[-1].last + 1] != _CONTINUES
    opened = line.breaks[group[0].first] != _CONTINUES
    if len(group) == 1 or alike:
        yield group
    elif joined and not closed and len(group) > 2 and _speaks_to_you(line, group[-1].last):
        yield group[:1]
        yield group[1:]
    elif joined or (closed and (opened or len(group) > 2)):
        yield group
    else:
        yield from ([match] for match in group)


def _speaks_to_you(line: _Line, index: int) -> bool:
    """True when "you" follows within a few words."""
    return any(line.base(at) in ("you", "your") for at in range(index + 1, index + 12))


def _is_called(line: _Line, group: list[_Match]) -> bool:
    """Whether the names of a group are called, rather than talked about."""
    first, last, form = group[0].first, group[-1].last, group[0].form
    if line.tokens[last].clitic:
        return False
    if is_spaceless(form.tokens[0]):
        return _is_called_spaceless(line, first, last)
    unclear = form.ambiguous and (not line.tokens[first].capital or line.text.isupper())
    start, greeted = _opening(line, first)
    if line.base(last + 1) in words.ENDEARMENTS and line.breaks[last + 1] == _CONTINUES:
        last += 1
    closed = line.breaks[last + 1]
    if start is None:
        return not unclear and closed != _CONTINUES and _called_at_end(line, first, closed, form)
    if greeted:
        if line.base(first - 1) in ("to", "a") and line.breaks[first] == _CONTINUES:
            return False
        return closed != _CONTINUES or not _is_told_of(line, last)
    if start < first and (unclear or (form.common and line.base(first - 1) in words.PRAISE)):
        return False
    if closed == _CONTINUES:
        return _is_spoken_on_to(line, last, form, several=len(group) > 1)
    if line.breaks[start] == closed == _SENTENCE and start == first:
        return not _answers_or_wonders(line, first, last)
    if closed == _CLAUSE and _is_told_of_after_comma(line, last):
        return False
    return not _is_apposed(line, first) if start == first else True


def _answers_or_wonders(line: _Line, first: int, last: int) -> bool:
    """Whether a sentence of a name only tells of it: "Who cooks? Bram.", "Bram? I saw him."""
    after = line.gap(last + 1)
    if "?" in after:
        following = {line.base(at) for at in range(last + 1, last + 9)}
        return bool(following & {"he", "she", "him", "her", "his"})
    return first > 0 and "?" in line.gap(first) and "!" not in after


def _is_apposed(line: _Line, first: int) -> bool:
    """Whether a name after a comma only says who is meant: "my friend, Bram, runs this place"."""
    if line.breaks[first] != _CLAUSE or line.base(first - 1) not in words.APPOSED:
        return False
    if line.base(first - 1) in ("named", "called", "namely", "like"):
        return True
    to_you = any(line.text_at(at) in ("you", "you're") for at in range(first - 6, first - 1))
    return line.base(first - 2) in words.OWNERS and not to_you


def _opening(line: _Line, first: int) -> tuple[int | None, bool]:
    """
    Where the address that a name ends begins, and whether it holds a greeting.

    Returns:
        The first word of "oh hey Bram", or None when other words of the sentence lead up to it.
    """
    start = first
    greeted = False
    opening = words.SOFT | words.PRAISE | words.GREETINGS | words.GREETING_TAIL
    while start > 0 and line.breaks[start] == _CONTINUES:
        before = (line.base(start - 2), line.base(start - 1))
        if before in words.GREETING_PAIRS and line.breaks[start - 1] == _CONTINUES:
            start -= 2
            greeted = True
        elif before[1] in opening:
            start -= 1
            greeted = greeted or before[1] in words.GREETINGS
        else:
            break
    if line.breaks[start] == _CONTINUES:
        return None, False
    soft = words.SOFT | words.PRAISE
    only_soft = all(line.base(at) in soft for at in range(start, first))
    return (start, greeted) if greeted or only_soft else (None, False)


def _called_at_end(line: _Line, first: int, closed: int, form: Form) -> bool:
    """Whether a name that ends a sentence without a comma is called: "two ales Bram"."""
    before = line.base(first - 1)
    if line.breaks[first] != _CONTINUES or line.tokens[first - 1].clitic:
        return False
    leading = line.text_at(first - 2)
    if before in words.COMPLETE:
        return (leading, before) != ("it's", "me")
    if (leading, before) == ("you", "are"):
        return line.base(first - 3) in ("there", "here")
    if (leading, before) in (("know", "what"), ("guess", "what")):
        return True
    if leading in words.PREDICATING and before not in words.APPOSED | words.PREDICATING:
        return True
    noun = leading in words.DETERMINERS | words.TAKING and line.breaks[first - 1] == _CONTINUES
    # "The best hunter" is one noun, "two ales hunter" is not.
    noun = noun and (not form.common or (before.endswith("s") and not before.endswith("ss")))
    ruled_out = words.APPOSED | ADJECTIVES | TITLES | words.DETERMINERS | words.AUXILIARIES
    closed_well = closed == _SENTENCE or not form.common
    return noun and closed_well and before not in ruled_out


def _is_told_of(line: _Line, last: int) -> bool:
    """Whether the words after a name tell something of it: "Bram is drunk again"."""
    verb, subject = line.base(last + 1), line.base(last + 2)
    return verb in words.THIRD_PERSON and not (
        subject in words.SECOND_PERSON or (line.question[last] and subject in words.PERSONS)
    )


def _is_told_of_after_comma(line: _Line, last: int) -> bool:
    """Whether a name goes on as "Bram, who runs the inn, ..." or "Bram, the innkeeper, is ..."."""
    word = line.base(last + 1)
    if word in ("who", "which", "whose", "whom"):
        return not line.question[last]
    if word in ("the", "our", "my", "his", "her"):
        for at in range(last + 2, min(last + 7, len(line.tokens))):
            if line.breaks[at] != _CONTINUES:
                return line.breaks[at] == _CLAUSE and line.base(at) in words.THIRD_PERSON
    return False


def _is_spoken_on_to(line: _Line, last: int, form: Form, *, several: bool) -> bool:
    """Whether the words after a name at the start of a sentence are to its bearer."""
    word, after = line.base(last + 1), line.base(last + 2)
    if form.tokens[0] in AUXILIARY_NAMES and len(form.tokens) == 1:
        return False
    if word in words.QUESTION_WORDS:
        return True
    if word in words.AUXILIARIES:
        if after in words.SECOND_PERSON:
            return True
        return not form.ambiguous and line.question[last] and after in words.PERSONS
    if form.ambiguous:
        return False
    if word in words.IMPERATIVES:
        return not several
    return line.text_at(last + 1) in words.FOLLOWING_PERSON


def _is_called_spaceless(line: _Line, first: int, last: int) -> bool:
    """Whether a name is called in a script without spaces: by what touches it."""
    start, end = line.tokens[first].start, line.tokens[last].end
    before, after = line.text[max(0, start - 12) : start], line.text[end : end + 12]
    return bool(words.SPACELESS_BEFORE.search(before) and words.SPACELESS_AFTER.match(after))
