"""
Whether somebody calls the one they speak to names.

Only plain abuse to the face counts, in English: it costs favorability, so a line in doubt is none.

>>> is_insult("You stupid oaf!"), is_insult("You are no fool."), is_insult("He called you a fool.")
(True, False, False)

"""

from __future__ import annotations

import re

_NAMES = (
    "ass|arse(?:hole)?|asshole|bastard|bitch|blockhead|buffoon|bumpkin|churl|clown|coward|cretin|"
    "cur|dimwit|dog|dolt|dullard|dunce|dumbass|fool|halfwit|hag|idiot|imbecile|knave|liar|loser|"
    "lout|maggot|moron|nitwit|numbskull|oaf|pig|rat|scoundrel|scum|scumbag|simpleton|swine|thief|"
    "toad|twit|vermin|villain|weasel|worm|wretch"
)
_WORDS = (
    "ugly|stupid|filthy|dirty|rotten|worthless|useless|pathetic|miserable|lousy|damned?|bloody|"
    "fat|dumb|lying|cheating|stinking|greedy|old|little|cowardly|disgusting|brainless|foolish"
)
#: Words that are an insult without a name after them.
_ALONE = (
    "stupid|worthless|useless|pathetic|disgusting|brainless|dumb|ugly|an? disgrace|"
    "an? waste of (?:space|breath|time)|beneath contempt"
)
_INSULT = re.compile(
    rf"""
    \byou\s+(?:(?:{_WORDS})[\s,]+){{0,3}}(?:{_NAMES})(?=\s*(?:[.!,;]|$))
    | \byou(?:['\u2019]re|\s+are)\s+(?:such\s+|nothing\s+but\s+|just\s+|really\s+|so\s+)?
      (?:(?:an?|the)\s+)?(?:(?:{_WORDS})[\s,]+){{0,3}}(?:{_NAMES})\b
    | \byou(?:['\u2019]re|\s+are)\s+(?:so\s+|really\s+|just\s+|utterly\s+)?(?:{_ALONE})\b
    | \b(?:i\s+(?:hate|despise|loathe)\s+you|(?:curse|damn|screw)\s+you|f+u+c+k\s+(?:you|off)
      |go\s+to\s+hell|drop\s+dead|shut\s+up)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
#: In front of it, these say that somebody else said so, or that it is not so.
_REPORTED = re.compile(
    r"\b(?:says?|said|told|thinks?|thought|claims?|if|whether|never|not|don['\u2019]?t|didn['\u2019]?t|"
    r"wouldn['\u2019]?t|as\s+though)\b",
    re.IGNORECASE,
)


def is_insult(words: str) -> bool:
    """
    Whether a line abuses the one it is said to.

    Args:
        words: What was said, without the frame around it.

    """
    found = _INSULT.search(words)
    if found is None:
        return False
    clause = re.split(r"[.!?;\n]", words[: found.start()])[-1]
    ends_in_question = re.match(r"[^.!;\n]*\?", words[found.end() :]) is not None
    return not (ends_in_question or _REPORTED.search(clause))
