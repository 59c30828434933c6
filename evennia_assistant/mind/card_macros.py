"""
The placeholders of character cards, `{{char}}`, `{{user}}` and their like, made plain text.

A card speaks of one user; an NPC speaks with many. `{{user}}` becomes whoever it speaks with, in
words that stay true for each of them, and what claims more of a visitor than that is for the keeper
to see: `Filled.speaks_of_user`.

    >>> filled("{{char}} waits for {{user}}.", "Bram").text
    'Bram waits for your visitor.'

"""

from __future__ import annotations

import re
from dataclasses import dataclass

#: Stands for whoever an NPC speaks with.
VISITOR = "your visitor"
#: Stands for them in a greeting, as `db.persona` has it.
NAME = "{name}"
_MACRO = re.compile(r"\{\{([^{}]{0,2000})\}\}|<(user|bot|char)>", re.IGNORECASE)
#: Placeholders inside placeholders are filled in from the inside, so many times at most.
_DEPTH = 4
#: Left out with all they hold: notes, and what other programs work out for themselves.
_SILENT = ("//", "comment:", "hidden_key:", "noop", "trim")


@dataclass(frozen=True, slots=True)
class Filled:
    """
    A text without placeholders.

    Args:
        text: The text.
        speaks_of_user: `{{user}}` stood in it.
        unknown: Placeholders nobody here knows; they were left out.

    """

    text: str
    speaks_of_user: bool = False
    unknown: tuple[str, ...] = ()


def filled(text: str, name: str, user: str = VISITOR) -> Filled:
    """
    A text with its placeholders filled in.

    Args:
        text: As it stands in a card.
        name: The NPC's name, for `{{char}}`.
        user: What stands for `{{user}}`.

    """
    unknown: list[str] = []
    spoke = False

    def put(match: re.Match[str]) -> str:
        nonlocal spoke
        inside = (match[1] if match[1] is not None else match[2]).strip()
        word = inside.casefold()
        if word in ("char", "bot"):
            return name
        if word == "user":
            spoke = True
            return user
        if word == "newline":
            return "\n"
        if word.startswith(_SILENT):
            return ""
        kind, _colon, rest = inside.partition(":")
        if kind.casefold() in ("random", "pick") and rest:
            # One text for all turns: a prompt that differs each time is computed anew each time.
            parts = rest.lstrip(":").split("::" if "::" in rest else ",")
            return parts[0].strip()
        if kind.casefold() == "reverse":
            return rest.strip()[::-1]
        unknown.append(inside[:40])
        return ""

    for _ in range(_DEPTH):
        made = _MACRO.sub(put, text)
        if made == text:
            break
        text = made
    return Filled(text, spoke, tuple(dict.fromkeys(unknown)))
