"""
What a line of speech is about: its terms, whether it asks, and whom it names.

One way of reading text serves the memory index, the rule-based brain and anything else that
compares lines. English words are stemmed (Snowball) after irregular forms are led back to their
base, because Snowball leaves "bought" and "buy" apart and people ask in the one what was told in
the other. Scripts written without spaces become character bigrams, so no language is dropped.

    >>> content_terms("Where have you hidden the knives?")
    ['hide', 'knife']
    >>> content_terms("銀の指輪")
    ['銀の', 'の指', '指輪']

"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Container, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TypeVar

import snowballstemmer

#: Words that say nothing about what a line is about.
STOP_WORDS: frozenset[str] = frozenset(
    """
    a about after again against all am an and any are aren as at be because been before being
    below between both but by can cannot could couldn d did didn do does doesn doing don down
    during each few for from further had hadn has hasn have haven having he her here hers herself
    him himself his how i if in into is isn it its itself just ll let m me more most mustn my
    myself no nor not now of off on once only or other ought our ours ourselves out over own re s
    same shan she should shouldn so some such t than that the their theirs them themselves then
    there these they this those through to too under until up ve very was wasn we were weren what
    when where which while who whom whose why will with won would wouldn you your yours yourself
    yourselves
    """.split()  # noqa: SIM905
)

_IRREGULAR_FORMS = """
    begin began begun | bind bound | bite bit bitten | bleed bled | blow blew blown
    break broke broken | bring brought | build built | buy bought | catch caught
    child children | choose chose chosen | come came | creep crept | deal dealt | dig dug
    draw drew drawn | drink drank drunk | drive drove driven | eat ate eaten | fall fell fallen
    feed fed | feel felt | fight fought | find found | flee fled | fly flew flown | foot feet
    forget forgot forgotten | forgive forgave forgiven | freeze froze frozen | get got gotten
    give gave given | go goes went gone | grow grew grown | hang hung | hear heard
    hide hid hidden | hold held | keep kept | knife knives | know knew known | lay laid
    lead led | leaf leaves | lend lent | lie lain | life lives | light lit | lose lost
    make made | man men | mean meant | meet met | mouse mice | pay paid | person people
    ride rode ridden | ring rang rung | rise rose risen | run ran | say said | see saw seen
    seek sought | sell sold | send sent | shake shook shaken | shine shone | shoot shot
    show shown | sing sang sung | sink sank sunk | sit sat | slay slew slain | sleep slept
    speak spoke spoken | spend spent | stand stood | steal stole stolen | stick stuck
    strike struck | swear swore sworn | sweep swept | swim swam swum | swing swung
    take took taken | teach taught | tear tore torn | tell told | thief thieves
    think thought | throw threw thrown | tooth teeth | understand understood
    wake woke woken | wear wore worn | weep wept | wife wives | win won | wolf wolves
    woman women | write wrote written
"""

_BASE_FORM: dict[str, str] = {
    form: base
    for base, *forms in (group.split() for group in re.split(r"[|\n]", _IRREGULAR_FORMS.strip()))
    for form in forms
}

# Han, kana, Hangul, Thai, Lao, Burmese, Khmer: no spaces, or (Korean) endings glued to words.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
_TOKEN = re.compile(rf"[{_UNSPACED}]+|[^\W_{_UNSPACED}]+")
_IS_UNSPACED = re.compile(rf"[{_UNSPACED}]")
_POSSESSIVE = re.compile("['\u2019]s\\b|n['\u2019]t\\b")
_COMBINING = re.compile("[\u0300-\u036f]")
_TRAILER = re.compile(r"\s*[\[(][^\])]*[\])]\s*$")
_CLOSERS = "\"'\u2019\u201d\u00bb\u300d\u300f)]*_~ \t\r\n"
_ASKING = ("?", "\uff1f", "\u061f")
_FIRST_PERSON = re.compile(r"\b(?:i|me|my|mine|myself)\b", re.IGNORECASE)

#: Names of more words, or of more characters in a script without spaces, are not looked for.
_LONGEST_NAME = 6

_Ids = TypeVar("_Ids")


class _Stemmer(threading.local):
    """One for each thread: a stemmer keeps the word it works on, and facts are embedded on one."""

    def __init__(self) -> None:
        self.stem = snowballstemmer.stemmer("english").stemWord


_stemmer = _Stemmer()


def words(text: str) -> list[str]:
    """
    The words of `text` in order, in one case and without accents; nothing is left out.

    Args:
        text: Any text, in any script.

    Returns:
        Lower-case words; a run of a script written without spaces gives its character bigrams
        (the character itself when it stands alone).

    """
    tokens: list[str] = _TOKEN.findall(_POSSESSIVE.sub("", _folded(text)))
    if text.isascii():
        return tokens
    found: list[str] = []
    for token in tokens:
        if len(token) > 1 and _IS_UNSPACED.match(token):
            found.extend(token[i : i + 2] for i in range(len(token) - 1))
        else:
            found.append(token)
    return found


def content_terms(text: str) -> list[str]:
    """
    What `text` is about: its stems in order, repeated as often as they occur, no stop words.

    Args:
        text: Any text, in any script.

    Returns:
        Terms two texts can be compared by. Empty when the text says nothing of its own
        ("who are you?").

    """
    return [stem(word) for word in words(text) if word not in STOP_WORDS]


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The form all inflections of a lower-case `word` share ("stolen", "stealing" -> "steal")."""
    return str(_stemmer.stem(_BASE_FORM.get(word, word)))


def is_question(text: str) -> bool:
    """
    Whether a line ends by asking: what it says last is what it wants answered.

    Quotes, emphasis and a bracketed stage direction after the question mark do not hide it.

    """
    if not any(mark in text for mark in _ASKING):
        return False
    return _TRAILER.sub("", text).rstrip(_CLOSERS).endswith(_ASKING)


def speaks_of_self(text: str) -> bool:
    """Whether the one who says `text` speaks of themself ("my ring", "what did I tell you")."""
    return _FIRST_PERSON.search(text) is not None


def name_keys(name: str) -> list[str]:
    """
    The ways people shorten a name: all of it, and each word of it that can stand for it.

    Args:
        name: A display name, for example `"Old Bram the Innkeeper"`.

    Returns:
        Folded keys for `names_in`: the whole name first, then its words of three letters or more
        that are no stop words. A one-word name has one key, whatever it is.

    """
    return list(_name_keys(name))


@lru_cache(maxsize=4096)
def _name_keys(name: str) -> tuple[str, ...]:
    parts = _TOKEN.findall(_folded(name))
    whole = " ".join(parts)
    if len(parts) < 2:
        return (whole,) if whole else ()
    return (whole, *(part for part in parts if len(part) > 2 and part not in STOP_WORDS))


def names_in(
    text: str, names: Mapping[str, _Ids], firsts: Container[str] | None = None
) -> dict[str, _Ids]:
    """
    Which of `names` a text uses; costs the length of the text, however many names there are.

    Args:
        text: A line or a question.
        names: Folded name (from `name_keys`) to whatever stands for those who answer to it.
        firsts: `first_unit` of every name, where somebody keeps them: nothing is then looked up
            but what begins as a name does.

    Returns:
        The part of `names` that is used: whole words only ("the Alps" names no Al), except in
        scripts without spaces, where a name is looked for inside the text. A name that is also a
        stop word ("Will") counts only when written with its capital.

    """
    tokens = _TOKEN.findall(_POSSESSIVE.sub("", _folded(text)))
    candidates = set(_runs(tokens, " ", firsts))
    for token in tokens:
        if _IS_UNSPACED.match(token):
            candidates.update(_runs(token, "", firsts))
    return {
        key: names[key]
        for key in candidates
        if key in names and (key not in STOP_WORDS or is_capitalised(key, text))
    }


def is_capitalised(key: str, text: str) -> bool:
    """Whether a text writes a folded word with a capital, accents aside."""
    if not text.isascii():
        text = _COMBINING.sub("", unicodedata.normalize("NFKD", text))
    return key.capitalize() in text


def first_unit(key: str) -> str:
    """What a folded name begins with: its first word, or character in a script without spaces."""
    return key[:1] if _IS_UNSPACED.match(key) else key.partition(" ")[0]


def _runs(units: Sequence[str], joint: str, firsts: Container[str] | None) -> Iterator[str]:
    """All runs of neighbouring units that are as short as names are, joined."""
    for start in range(len(units)):
        if firsts is not None and first_unit(units[start]) not in firsts:
            continue
        for end in range(start + 1, min(len(units), start + _LONGEST_NAME) + 1):
            yield joint.join(units[start:end])


def _folded(text: str) -> str:
    """Lower case without accents, composed, so that two spellings of one word are one."""
    if text.isascii():
        return text.lower()
    bare = _COMBINING.sub("", unicodedata.normalize("NFKD", text.casefold()))
    return unicodedata.normalize("NFC", bare)
