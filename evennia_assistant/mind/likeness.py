"""
Whether two names may be one entity's: by their words and their spelling.

Vectors of sentences do not tell: what they compare is meaning, and "Anna" means much the same as
"Bella". Nothing here is certain, so nobody is taken for another because of it; it is asked about.

    >>> may_be_one("Robert", "Roberto"), may_be_one("Bram", "Old Bram the Innkeeper")
    (True, True)
    >>> may_be_one("Anna", "Bella"), may_be_one("Al", "Alps")
    (False, False)

"""

from __future__ import annotations

from difflib import SequenceMatcher

from .text import name_keys

#: Names of fewer letters are alike by chance.
SHORTEST = 4
#: Share of equal letters from which on two names may be two spellings of one.
ALIKE = 0.8
#: Words of names that say nothing of who it is.
_TITLES = {
    *("old", "young", "big", "little", "saint", "miss", "mrs", "master", "mistress", "aunt"),
    *("lord", "lady", "sir", "king", "queen", "prince", "captain", "doctor", "uncle"),
    *("father", "mother", "brother", "sister"),
}


def may_be_one(one: str, other: str) -> bool:
    """
    Whether two names differ no more than names of one entity do.

    Args:
        one: A name.
        other: A name.

    Returns:
        True where they share a word that says who it is, or are spelled nearly alike.

    """
    mine, theirs = name_keys(one), name_keys(other)
    if not mine or not theirs:
        return False
    if mine[0] == theirs[0] or set(mine).intersection(theirs) - _TITLES:
        return True
    if min(len(mine[0]), len(theirs[0])) < SHORTEST:
        return False
    matcher = SequenceMatcher(None, mine[0], theirs[0], autojunk=False)
    return matcher.real_quick_ratio() >= ALIKE and matcher.ratio() >= ALIKE
