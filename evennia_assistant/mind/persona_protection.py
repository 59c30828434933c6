"""
What an NPC must not keep as knowledge: sentences about itself.

Stored words about the NPC's own behaviour come back as if they were facts of the world and wear
its persona down. So wherever something is extracted, concluded or stored for good, it is looked
through first (document 000, "Persona Protection in Insights"; MIRIX, arXiv:2507.07957).

    >>> is_self_referential("I should be more patient with players")
    True
    >>> is_self_referential("Players respond better to patient guidance")
    False

"""

from __future__ import annotations

import re

#: The documented patterns, and what says the same in other words.
SELF_REFERENCE: tuple[str, ...] = (
    r"\bI should(?:n't)?\b",
    r"\bmy (?:own )?(?:behaviou?r|persona(?:lity)?|instructions?|system prompt|guidelines)\b",
    r"\bthe (?:assistant|AI|NPC|(?:language )?model|chat ?bot)\b",
    r"\bI need to\b",
    r"\bI will\b",
    r"\bI(?:'ll|'m going to| must| ought to| am going to)\b",
    r"\bas an? (?:AI|assistant|language model)\b",
    r"\b(?:you|I) (?:are|am) now (?:an?|the|my|your)\b",
)

_PATTERN = re.compile("|".join(SELF_REFERENCE), re.IGNORECASE)
_APOSTROPHES = str.maketrans("\u2019\u2018\u02bc", "'''")


def is_self_referential(text: str) -> bool:
    """
    Whether a text is about whoever keeps it rather than about the world.

    What somebody is quoted with counts as theirs: `Anna said: "I will leave at dawn"` is a fact
    about Anna.

    Args:
        text: One or more sentences.

    """
    plain = text.translate(_APOSTROPHES)
    return _PATTERN.search(_QUOTED.sub('""', plain)) is not None


_QUOTED = re.compile(r'"[^"]*"|\u201c[^\u201d]*\u201d')
