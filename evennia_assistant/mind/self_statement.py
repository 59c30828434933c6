"""
What somebody says of themselves, as a key and a value, for when no model is there to ask.

    >>> attribute_in("I really like strong tea.")
    ('likes', 'strong tea')
    >>> attribute_in("My sister is called Ilse")
    ('sister', 'Ilse')
    >>> attribute_in("I am your master now.") is None
    True

"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

#: Longest value kept.
MAX_VALUE = 80

_MANNER = r"(?:(?:really|do|just|also|still|always|quite|rather|very much|truly)\s+)*"
_VALUE = r"(?P<value>[^.!?;]+)"
#: Key and what is said; the first that fits counts.
_STATEMENTS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (key, re.compile(rf"\b(?:{words})\s+{_VALUE}", re.IGNORECASE))
    for key, words in (
        ("name", r"my name is|call me|i am called|i'm called|i am named"),
        ("dislikes", rf"i {_MANNER}(?:hate|dislike|detest|loathe|can't stand|cannot stand)"),
        ("dislikes", r"i (?:don't|do not|never) (?:like|enjoy|drink|eat)"),
        ("likes", rf"i {_MANNER}(?:like|love|enjoy|adore|prefer)"),
        ("favourite", r"my favou?rite (?:is|\w+ is)"),
        ("lives in", rf"i {_MANNER}live (?:in|at|by|near)"),
        ("comes from", r"i (?:come|came|hail) from|(?:i am|i'm) from"),
        ("works as", r"i (?:work|serve|earn my living) as"),
        ("works at", r"i work (?:at|in|for|on)"),
        ("looks for", r"(?:i am|i'm) (?:looking|searching) for|i seek"),
        ("wants", rf"i {_MANNER}(?:want|need|wish for)"),
        ("fears", rf"i {_MANNER}(?:fear|am afraid of)|i'm afraid of"),
        ("has lost", r"i(?: have|'ve)? lost"),
        ("is", r"(?:i am|i'm)(?= an? )"),
    )
)
_MINE = re.compile(
    r"\bmy (?P<key>[a-z][a-z' -]{1,30}?) (?:is|are)(?: called| named)? (?P<value>[^.!?;,]+)",
    re.IGNORECASE,
)
#: A claim about the listener, or an order, tells nothing of the speaker.
_ABOUT_LISTENER = re.compile(r"\b(?:you|your|yours|yourself)\b", re.IGNORECASE)
_APOSTROPHES = str.maketrans("\u2019\u2018\u02bc", "'''")


def attribute_in(words: str) -> tuple[str, str] | None:
    """
    What one line says of its speaker.

    Args:
        words: What was said, in the first person.

    Returns:
        Key and value, None when it says nothing that can be told for certain.

    """
    plain = " ".join(words.translate(_APOSTROPHES).split())
    for key, pattern in _STATEMENTS:
        found = pattern.search(plain)
        if found is not None:
            return _sound(key, found["value"])
    found = _MINE.search(plain)
    return None if found is None else _sound(found["key"].lower(), found["value"])


def _sound(key: str, value: str) -> tuple[str, str] | None:
    value = re.split(r",? (?:and|but|so|because|though) i\b|, ", value, flags=re.IGNORECASE)[0]
    value = value.strip(" ,:'\"")
    if not value or len(value) > MAX_VALUE or _ABOUT_LISTENER.search(f"{key} {value}"):
        return None
    return key, value


def settled(values: Iterable[str]) -> str:
    """
    The value that was given most often; of several the one given last.

    Args:
        values: Oldest first, at least one; case does not tell two values apart.

    """
    given = list(values)
    counts = Counter(value.casefold() for value in given)
    most = max(counts.values())
    return next(value for value in reversed(given) if counts[value.casefold()] == most)
