"""
Errands: goals so plain that no model is needed to do them.

To greet somebody, to remind somebody of something, to tell somebody something: that is one step,
and what is said follows from how it was put.

    >>> errand_of("Remind Anna of the ferry")
    Errand(kind='remind', whom='Anna', how='of', what='the ferry')
    >>> errand_of("Remind Anna of her ferry").line()
    'Anna, do not forget your ferry.'
    >>> errand_of("Find out who owns the lighthouse") is None
    True

"""

from __future__ import annotations

import re
from dataclasses import dataclass

_NAME = r"(?P<whom>[^\W\d_][\w'-]*(?: [^\W\d_][\w'-]*){0,2}?)"
_FORMS = (
    re.compile(
        rf"(?P<kind>remind) {_NAME},? (?P<how>of|about|that|to) (?P<what>\S.*)", re.IGNORECASE
    ),
    re.compile(rf"(?P<kind>tell) {_NAME}(?P<how>,? that |: )(?P<what>\S.*)", re.IGNORECASE),
    re.compile(
        rf"(?P<kind>greet|welcome|say hello to) {_NAME}(?P<how>)(?P<what>)"
        r"(?:,? (?:when|if|as soon as|every time|at the|by name)\b.*)?",
        re.IGNORECASE,
    ),
)
#: Words for which the one who is spoken to would need another form of the verb beside them.
_ABOUT_THEM = re.compile(r"\b(?:she|he|they|him|them|herself|himself|themselves)\b", re.IGNORECASE)
_THEIRS = re.compile(r"\b(?:her|his|their)\b(?= \w)", re.IGNORECASE)
_HER = re.compile(r"\bher\b", re.IGNORECASE)
#: "Tell everyone" is no name, and nobody can be waited for under it.
_NOBODY = frozenset({"everyone", "everybody", "them", "him", "her", "someone", "people", "me"})


@dataclass(frozen=True, slots=True)
class Errand:
    """
    Something to be said to one person.

    Args:
        kind: `greet`, `remind` or `tell`.
        whom: Their name, as it was written.
        how: What joins it to the rest: `of`, `about`, `that`, `to`; "" for none.
        what: The rest.

    """

    kind: str
    whom: str
    how: str = ""
    what: str = ""

    def line(self, name: str = "", asked_by: str = "") -> str:
        """
        What to say to them.

        Args:
            name: Their name as it is shown; "" takes the errand's own.
            asked_by: Whose words they are, when they are somebody else's.

        Returns:
            "" where what is to be said is about them in a way that cannot simply be turned round,
            and for a greeting, which everyone has words of their own for.

        """
        words = _THEIRS.sub("your", self.what)
        if not words or _ABOUT_THEM.search(words) or _HER.search(words):
            return ""
        to = name or self.whom
        if asked_by:
            joint = {"of": "of", "about": "of", "to": "to"}.get(self.how, "that")
            verb = "remind you" if self.kind == "remind" else "tell you"
            return f"{to}, {asked_by} asked me to {verb} {joint} {_ended(words)}"
        if self.kind == "tell":
            return f"{to}, {_ended(words)}"
        verb = {"that": "remember that", "to": "remember to"}.get(self.how, "do not forget")
        return f"{to}, {verb} {_ended(words)}"


def errand_of(text: str) -> Errand | None:
    """The errand a goal comes to, None when it is more than that."""
    plain = " ".join(text.split()).rstrip(".!")
    for form in _FORMS:
        found = form.fullmatch(plain)
        if found is not None and found["whom"].casefold() not in _NOBODY:
            kind = found["kind"].lower()
            return Errand(
                kind if kind in ("remind", "tell") else "greet",
                found["whom"],
                found["how"].strip(" ,:").lower(),
                found["what"].strip(),
            )
    return None


def _ended(words: str) -> str:
    return words if words.endswith((".", "!", "?")) else f"{words}."
