"""
A line without the call that opens or closes it.

"Innkeeper, my ship sails on Friday." told on to somebody else is "My ship sails on Friday.": whom
the words were for is part of the occasion, not of what was said.

"""

from __future__ import annotations

import re

from .addressing import find_addressees
from .name_forms import Addressee

_BEFORE = re.compile(
    r"(?:(?:hey|oi|oy|hail|so|well|ok|okay|now|ah|oh|please)[\s,]+)*@?", re.IGNORECASE
)
_AFTER = re.compile(r"\s*[,:;!.\u2013\u2014-]+\s*")
_CLOSING = re.compile(r"[\s.!?\u2026]*")


def without_call(words: str, me: Addressee) -> str:
    """
    The words without a call of `me` at their start or end.

    Args:
        words: What was said.
        me: Whom it was said to.

    Returns:
        The rest, beginning as a sentence does; `words` as they are when nothing else is left.

    """
    rest = words
    for naming in reversed(find_addressees(words, [me])):
        if naming.how == "mention":
            continue
        end = naming.start + len(naming.text)
        after = _AFTER.match(rest, end)
        if _BEFORE.fullmatch(rest, 0, naming.start) and after and after.end() < len(rest):
            rest = rest[after.end() :]
        elif _CLOSING.fullmatch(rest, end) and rest[: naming.start].rstrip().endswith(","):
            rest = rest[: naming.start].rstrip().rstrip(",") + rest[end:]
    if rest == words or not any(character.isalnum() for character in rest):
        return words
    return rest[0].upper() + rest[1:]
