"""
Names in a line, and whether they are called or talked about.

`find_names` finds every place where a line names somebody; `is_called` tells "Bram, an ale!" from
"Bram is asleep" by grammar alone: where the name stands in its sentence, the punctuation around it
and the few words beside it. What is doubtful is taken for talk: a player who was not heard says the
name again, one who was interrupted cannot take it back.

"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evennia_assistant.mind import address_words as words
from evennia_assistant.mind.cut_line import CLAUSE, CONTINUES, SENTENCE, CutLine
from evennia_assistant.mind.name_forms import (
    ADJECTIVES,
    AUXILIARY_NAMES,
    TITLES,
    Addressee,
    Form,
    is_spaceless,
    name_forms,
)

#: What holds words together to one: a hyphenated word, a file, a web or mail address.
_GLUE = frozenset({"-", ".", "/", "://", "\\", "_", "@", "&", "=", "#", "+"})


@dataclass(frozen=True, slots=True)
class Match:
    """Words `first` to `last` of a line are a name of each of `owners`."""

    first: int
    last: int
    form: Form
    owners: tuple[str, ...]


def find_names(line: CutLine, people: Sequence[Addressee]) -> Iterator[Match]:
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
        yield Match(position, last, chosen[0][0], owners)
        position = last + 1


def _fits(line: CutLine, position: int, form: tuple[str, ...]) -> bool:
    """True when these words stand at `position`, and are not part of a longer one."""
    last = position + len(form) - 1
    if last >= len(line.tokens):
        return False
    for offset, word in enumerate(form):
        token = line.tokens[position + offset]
        if word != token.text and not (offset == len(form) - 1 and word == token.base):
            return False
        if offset and line.breaks[position + offset] == CLAUSE:
            return False
    glued = position > 0 and line.gap(position) in _GLUE
    return not glued and not (last + 1 < len(line.tokens) and line.gap(last + 1) in _GLUE)


def name_groups(line: CutLine, matches: list[Match]) -> Iterator[list[Match]]:
    """Names that share their place in the sentence: "Anna, Bram and Carl"."""
    group: list[Match] = []
    joined = False
    for match in matches:
        if group:
            left, between = group[-1], match.first - group[-1].last - 1
            word = line.base(left.last + 1)
            same = left.owners == match.owners
            if not any(
                line.breaks[at] == SENTENCE for at in range(left.last + 1, match.first + 1)
            ) and (
                (between == 1 and word in words.CONJUNCTIONS)
                or (between == 0 and same is (line.breaks[match.first] == CONTINUES))
            ):
                joined = joined or between == 1
                group.append(match)
                continue
            yield from _regroup(line, group, joined)
        group, joined = [match], False
    if group:
        yield from _regroup(line, group, joined)


def _regroup(line: CutLine, group: list[Match], joined: bool) -> Iterator[list[Match]]:
    """Take a list apart where its commas set off a call: "Bram, Anna is looking for you"."""
    alike = all(match.owners == group[0].owners for match in group)
    closed = line.breaks[group[-1].last + 1] != CONTINUES
    opened = line.breaks[group[0].first] != CONTINUES
    if len(group) == 1 or alike:
        yield group
    elif joined and not closed and len(group) > 2 and _speaks_to_you(line, group[-1].last):
        yield group[:1]
        yield group[1:]
    elif joined or (closed and (opened or len(group) > 2)):
        yield group
    else:
        yield from ([match] for match in group)


def _speaks_to_you(line: CutLine, index: int) -> bool:
    """True when "you" follows within a few words."""
    return any(line.base(at) in ("you", "your") for at in range(index + 1, index + 12))


def is_called(line: CutLine, group: list[Match]) -> bool:
    """Whether the names of a group are called, rather than talked about."""
    first, last, form = group[0].first, group[-1].last, group[0].form
    if line.tokens[last].clitic:
        return False
    if is_spaceless(form.tokens[0]):
        return _is_called_spaceless(line, first, last)
    unclear = form.ambiguous and (not line.tokens[first].capital or line.text.isupper())
    start, greeted = _opening(line, first)
    if line.base(last + 1) in words.ENDEARMENTS and line.breaks[last + 1] == CONTINUES:
        last += 1
    closed = line.breaks[last + 1]
    if start is None:
        return not unclear and closed != CONTINUES and _called_at_end(line, first, closed, form)
    if greeted:
        if line.base(first - 1) in ("to", "a") and line.breaks[first] == CONTINUES:
            return False
        return closed != CONTINUES or not _is_told_of(line, last)
    if start < first and (unclear or (form.common and line.base(first - 1) in words.PRAISE)):
        return False
    if closed == CONTINUES:
        return _is_spoken_on_to(line, last, form, several=len(group) > 1)
    if line.breaks[start] == closed == SENTENCE and start == first:
        return not _answers_or_wonders(line, first, last)
    if closed == CLAUSE and _is_told_of_after_comma(line, last):
        return False
    return not _is_apposed(line, first) if start == first else True


def _answers_or_wonders(line: CutLine, first: int, last: int) -> bool:
    """Whether a sentence of a name only tells of it: "Who cooks? Bram.", "Bram? I saw him."""
    after = line.gap(last + 1)
    if "?" in after:
        following = {line.base(at) for at in range(last + 1, last + 9)}
        return bool(following & {"he", "she", "him", "her", "his"})
    return first > 0 and "?" in line.gap(first) and "!" not in after


def _is_apposed(line: CutLine, first: int) -> bool:
    """Whether a name after a comma only says who is meant: "my friend, Bram, runs this place"."""
    before = line.base(first - 1)
    if line.breaks[first] != CLAUSE or before not in words.APPOSED | line.roles:
        return False
    if before in ("named", "called", "namely", "like"):
        return True
    to_you = any(line.text_at(at) in ("you", "you're") for at in range(first - 6, first - 1))
    return line.base(first - 2) in words.OWNERS and not to_you


def _opening(line: CutLine, first: int) -> tuple[int | None, bool]:
    """
    Where the address that a name ends begins, and whether it holds a greeting.

    Returns:
        The first word of "oh hey Bram", or None when other words of the sentence lead up to it.
    """
    start = first
    greeted = False
    opening = words.SOFT | words.PRAISE | words.GREETINGS | words.GREETING_TAIL
    while start > 0 and line.breaks[start] == CONTINUES:
        before = (line.base(start - 2), line.base(start - 1))
        if before in words.GREETING_PAIRS and line.breaks[start - 1] == CONTINUES:
            start -= 2
            greeted = True
        elif before[1] in opening:
            start -= 1
            greeted = greeted or before[1] in words.GREETINGS
        else:
            break
    if line.breaks[start] == CONTINUES:
        return None, False
    soft = words.SOFT | words.PRAISE
    only_soft = all(line.base(at) in soft for at in range(start, first))
    return (start, greeted) if greeted or only_soft else (None, False)


def _called_at_end(line: CutLine, first: int, closed: int, form: Form) -> bool:
    """Whether a name that ends a sentence without a comma is called: "two ales Bram"."""
    before = line.base(first - 1)
    if line.breaks[first] != CONTINUES or line.tokens[first - 1].clitic:
        return False
    leading = line.text_at(first - 2)
    if before in words.COMPLETE:
        # "It's me, Bram", "Are you Bram?", "Get me Bram!" name; "How are you Bram?" calls.
        named = (leading, before) in (("it's", "me"), ("are", "you")) or before == "me"
        starts = line.sentence_start(first) == first - 2
        return not (named and starts and leading not in ("tell", "help", "forgive", "excuse"))
    if (leading, before) == ("you", "are"):
        return line.base(first - 3) in ("there", "here")
    if (leading, before) in (("know", "what"), ("guess", "what")):
        return True
    opener = line.base(line.sentence_start(first))
    if before in ("this", "that") and opener in ("what", "where", "why", "how"):
        return True
    if leading == "you" and line.base(first - 3) == "are" and not before.endswith("ing"):
        return before not in words.TRANSITIVE
    if leading in words.PREDICATING and before not in words.APPOSED | words.PREDICATING:
        return True
    noun = leading in words.DETERMINERS | words.TAKING and line.breaks[first - 1] == CONTINUES
    # "The best hunter" is one noun, "two ales hunter" is not.
    noun = noun and (not form.common or (before.endswith("s") and not before.endswith("ss")))
    ruled_out = words.APPOSED | ADJECTIVES | TITLES | words.DETERMINERS | words.AUXILIARIES
    closed_well = closed == SENTENCE or not form.common
    if before in ruled_out:
        return False
    if noun and closed_well:
        return True
    about_it = (
        before in words.TRANSITIVE
        or before.endswith("ing")
        or leading in words.BEFORE_VERB
        or form.common
    )
    asks = opener in words.ASKING and first - line.sentence_start(first) >= 3
    return asks and closed == SENTENCE and not about_it


def _is_told_of(line: CutLine, last: int) -> bool:
    """Whether the words after a name tell something of it: "Bram is drunk again"."""
    verb, subject = line.base(last + 1), line.base(last + 2)
    return verb in words.THIRD_PERSON and not (
        subject in words.SECOND_PERSON or (line.question[last] and subject in words.PERSONS)
    )


def _is_told_of_after_comma(line: CutLine, last: int) -> bool:
    """Whether a name goes on as "Bram, who runs the inn, ..." or "Bram, the innkeeper, is ..."."""
    word = line.base(last + 1)
    if word in ("who", "which", "whose", "whom"):
        return not line.question[last]
    if word in ("the", "our", "my", "his", "her"):
        for at in range(last + 2, min(last + 7, len(line.tokens))):
            if line.breaks[at] != CONTINUES:
                return line.breaks[at] == CLAUSE and line.base(at) in words.THIRD_PERSON
    return False


def _is_spoken_on_to(line: CutLine, last: int, form: Form, *, several: bool) -> bool:
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


def _is_called_spaceless(line: CutLine, first: int, last: int) -> bool:
    """Whether a name is called in a script without spaces: by what touches it."""
    start, end = line.tokens[first].start, line.tokens[last].end
    before, after = line.text[max(0, start - 12) : start], line.text[end : end + 12]
    return bool(words.SPACELESS_BEFORE.search(before) and words.SPACELESS_AFTER.match(after))
