"""
Phrases given back: what a statement is about, a list of names, a line turned to somebody.

Only short, plain, decent words of what was heard are ever repeated.

"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..mind.text import content_terms
from .offline_lines import LINES
from .offline_retelling import same_name
from .offline_vocabulary import VAGUE

_WHEN_SAID = re.compile(
    r"\b(?:on|at|by|before|after|until|in) (?:the )?(?:next )?(?:\w+day|dawn|dusk|noon|midnight|"
    r"sunrise|sunset|morning|evening|spring|summer|autumn|winter)\b|\b(?:tomorrow|tonight|today)\b",
    re.IGNORECASE,
)
_PROPER = re.compile(
    r"(?<![.!?] )(?<!^)(?:\b[Tt]he )?\b[A-Z][a-z'\u2019]+(?: (?:of (?:the )?)?[A-Z][a-z'\u2019]+)*"
)
_MINE = re.compile(
    r"\b(?:my|our|the|a|an) (?:(?:(?!(?:and|or|but|is|was|are|were|in|on|at|to|of|that|has|"
    r"will)\b)[a-z]+(?:'s)? ){0,2}[a-z]+(?=$|[,;:.!]| (?:and|or|but|is|was|are|were|in|on|at|to|"
    r"of|that|"
    r"has|will|by|from|with|for|under|near)\b)|[a-z]+)",
    re.IGNORECASE,
)
_DETERMINER = re.compile(r"^(?:The|An?|Your|His|Her|Their|This|That)\b")
_PLAIN = re.compile(r"[^\W\d_][\w'\u2019 -]{1,39}")
#: Whose meaning turns with who speaks.
_PRONOUN = re.compile(r"\b(?:i|me|you|we|us|he|him|she|they|them|it)\b", re.IGNORECASE)
_SECONDS = {
    "minute": 60.0,
    "hour": 3600.0,
    "day": 86400.0,
    "week": 604800.0,
    "month": 2.6e6,
    "year": 3.2e7,
}
_RUDE = frozenset(
    content_terms(
        "fuck shit bitch ass asshole bastard cunt dick cock whore slut damn hell idiot fool crap "
        "piss"
    )
)


def gist_of(text: str, but: Sequence[str] = ()) -> str:
    """
    A short phrase of a statement to give back: what it names, and when.

    Args:
        text: The statement.
        but: Names it need not give back, such as its own.

    """
    body = text.strip().rstrip(".! ")
    named = [
        match[0]
        for match in _PROPER.finditer(body)
        if not _WHEN_SAID.search(f"on {match[0]}") and not any(goes_by(n, match[0]) for n in but)
    ]
    when = _WHEN_SAID.search(body)
    named = [name for name in named if not name.endswith(("'s", "\u2019s"))]
    own = _MINE.search(body)
    phrase = topic_of(max(named, key=len, default=own[0] if own else ""))
    return f"{phrase} {when[0]}" if phrase and when else phrase


def topic_of(phrase: str) -> str:
    """A phrase fit to be given back: short, plain words, nothing rude; else ""."""
    phrase = " ".join(phrase.strip(" .,!?").split())
    if not _PLAIN.fullmatch(phrase) or set(content_terms(phrase)) & _RUDE:
        return ""
    terms = content_terms(phrase)
    if not terms or terms[-1] in VAGUE or _PRONOUN.search(phrase):
        return ""
    phrase = re.sub(r"^(?:my|our)\b", "your", phrase, flags=re.IGNORECASE)
    return _DETERMINER.sub(lambda match: match[0].lower(), phrase)


def listed(names: Sequence[str]) -> str:
    names = list(names)[:8]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def addressed(name: str, words: str) -> str:
    if not name or name.casefold() in words.casefold():
        return words
    return f"{name}, {_uncapital(words)}"


def recent(last_seen: str) -> bool:
    return bool(re.search(r"just now|moment|minute", last_seen))


def a_moment_ago(last_seen: str) -> bool:
    return bool(re.search(r"just now|moment", last_seen))


def goes_by(name: str, wanted: str) -> bool:
    """Whether a name is the one asked for, or a word of it is."""
    return same_name(name, wanted) or wanted.casefold() in name.casefold().split()


def seconds_ago(when: str) -> float:
    """How long ago "3 days ago" and the like is, for putting memories in order."""
    match = re.search(r"(\d+|an?|last) (minute|hour|day|week|month|year)", when)
    if match is None:
        return 0.0 if when in ("", "just now") else 86400.0 if when == "yesterday" else 1e9
    count = int(match[1]) if match[1].isdigit() else 1
    return count * _SECONDS[match[2]]


def bare(text: str) -> str:
    return re.sub(r"\W+", " ", text).strip().casefold()


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


#: First words of our own lines, which lose their capital after a name.
_OPENERS = frozenset(
    line.split()[0].strip(",.!?:")
    for lines in LINES.values()
    for line in lines
    if not line.startswith("{")
) - {"I"} | {"You"}


def joined(lead: str, words: str) -> str:
    """A lead like "And this: " and the words that follow it."""
    return lead + (_uncapital(words) if lead.rstrip().endswith(":") else words)


def _uncapital(words: str) -> str:
    first = words.split(" ", 1)[0].strip(",.!?:")
    return words[0].lower() + words[1:] if first in _OPENERS else words
