"""
Text that somebody wrote, made fit to be printed among our own.

What players and models write may hold colour codes, links, inline functions or terminal escapes.
Staff must see them as the characters they are.

"""

from __future__ import annotations

import unicodedata
from typing import Any

from django.conf import settings

from ..mind import output

#: Longest piece of a text that is shown in a list.
IN_LISTS = 200


def plain(text: Any, most: int | None = None) -> str:
    """
    A text, escaped so that a client shows its very characters on one line.

    Args:
        text: Anything; what is no text is shown as its `str`.
        most: Cut it after so many characters; None shows all.

    Returns:
        A line for `msg`. In an EvTable its escapes would be undone too early: use `cell` there.

    """
    line = _seen(str(text))
    if most is not None and len(line) > most:
        line = f"{line[:most].rstrip()} ... ({len(line)} characters)"
    escaped = output.for_speech(
        line,
        inlines_parsed=bool(getattr(settings, "FUNCPARSER_PARSE_OUTGOING_MESSAGES_ENABLED", False)),
    )
    # telnet looks at the last characters of a line before it reads `||`
    return escaped + "|n" if escaped.endswith("|") else escaped


def quoted(text: Any, most: int | None = IN_LISTS) -> str:
    """As `plain`, in quotes."""
    return f'"{plain(text, most)}"'


def cell(text: Any, most: int = 40) -> str:
    """
    A text for a table.

    An EvTable undoes `||` while it is laid out, and what it leaves is read for colours once more.
    So bars are shown broken.

    """
    line = _seen(str(text)).replace("|", "\u00a6")
    return plain(line if len(line) <= most else line[: most - 3] + "...")


def count_of(number: int, one: str, many: str | None = None) -> str:
    """A number and what it counts: "1 entry", "2 entries"."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def _seen(text: str) -> str:
    """The text without characters that would move the cursor, hide, or turn the line around."""
    return "".join(
        char if char.isprintable() else " " if char.isspace() else ""
        for char in text
        if unicodedata.category(char) != "Cs"
    )
