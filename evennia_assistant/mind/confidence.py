"""
Words that ask for discretion.

Whoever says "between you and me" has spoken to one listener only, whoever else stood near.

"""

from __future__ import annotations

import re
from functools import lru_cache

_PHRASES = re.compile(
    r"""
    \b(?:
        between\ (?:you\ and\ (?:me|i)|us|ourselves)
      | off\ the\ record
      | in\ (?:strict(?:est)?\ )?confidence
      | (?:keep|hold)\ (?:this|that|it)\ (?:(?:a\ |between\ us\ )?secret|to\ yourself)
      | (?:keep|hold)\ (?:this|that|it)\ (?:quiet|private|between)
      | (?:do\ not|don'?t|dont|never|please\ don'?t)\ (?:you\ )?(?:tell|repeat|mention|breathe)\b
      | (?:tell|breathe\ a\ word\ to)\ (?:no\ ?one|nobody|not\ a\ soul)
      | (?:not\ a\ word|say\ nothing)\ (?:to|about|of)
      | (?:our|a)\ little\ secret
      | our\ secret
      | promise\ (?:me\ )?(?:you\ won'?t|not\ to)\ tell
      | for\ your\ ears\ only
      | just\ between
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)


# Every prompt asks it again of every line of the conversation.
@lru_cache(maxsize=1024)
def is_off_the_record(words: str) -> bool:
    """
    Whether the speaker asks that these words go no further.

    It errs on the side of discretion: "don't mention it" counts as well.

    Args:
        words: What was said.

    """
    return _PHRASES.search(words.replace("\u2019", "'")) is not None
