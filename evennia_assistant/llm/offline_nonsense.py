"""
Telling words from a hand run over the keys, and one tongue from another.

"""

from __future__ import annotations

import re
from collections.abc import Sequence

from .offline_vocabulary import ENGLISH_WORDS, FOREIGN_WORDS

_LATIN = re.compile(r"[^\W\d_]+")
_VOWEL = re.compile(r"[aeiouyà-ÿ]", re.IGNORECASE)
_CLUSTER = re.compile(r"[bcdfghjklmnpqrstvwxz]{6,}", re.IGNORECASE)
_REPEATED = re.compile(r"(.{1,3})\1{5,}")
#: Letters that stand side by side on a keyboard and in no word.
_RUN = re.compile(
    "|".join(
        row[at : at + 4]
        for keys in ("qwertyuiop", "qwertzuiop", "asdfghjkl", "zxcvbnm", "yxcvbnm")
        for row in (keys, keys[::-1])
        for at in range(len(row) - 3)
    )
)
#: Pairs no word has; a name may, so that they count only where they are most of what was said.
_PAIR = re.compile(
    r"j[bcdfghjklmnpqstvwxz]|q[bcdefghjklmnopqrstvwxyz]|[fgkvwxz][jqx]|[bdmpstv]x|vb|kj"
)
_BABBLE = re.compile(r"(?:bla+h?|la|na|da|ba|bl[ue]+b)(?:\W+(?:bla+h?|la|na|da|ba|bl[ue]+b))+")
_SHORT_WORDS = frozenset("hm hmm hmmm mm mmm psst shh tsk nth mr mrs dr st xd".split())  # noqa: SIM905


def is_nonsense(low: str) -> bool:
    """Whether these are no words of any tongue."""
    tokens = _LATIN.findall(low)
    if not tokens:
        return True
    if _BABBLE.fullmatch(low):
        return True
    odd = sum(
        len(token) > 24
        or bool(_RUN.search(token) or _PAIR.search(token))
        or bool(_CLUSTER.search(token))
        or (token.isascii() and len(token) > 1 and not _VOWEL.search(token))
        for token in tokens
        if token not in _SHORT_WORDS
    )
    return odd * 2 > len(tokens) or bool(_REPEATED.search(low)) or odd == len(tokens)


def is_foreign(low: str) -> bool:
    """Whether a sentence is in another tongue, by its script or its small words."""
    tokens: Sequence[str] = _LATIN.findall(low)
    letters = "".join(tokens)
    if sum(not char.isascii() and ord(char) > 0x24F for char in letters) * 2 > len(letters):
        return True
    foreign = sum(token in FOREIGN_WORDS for token in tokens)
    english = sum(token in ENGLISH_WORDS for token in tokens)
    return len(tokens) >= 2 and foreign >= 2 and foreign > english
