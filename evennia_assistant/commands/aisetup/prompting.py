"""What `/template`, `/context`, `/component` and `/tokens` share: reading what was typed."""

from __future__ import annotations

import re
from typing import Any

from ...errors import ConfigError
from .. import finding
from ..base import Refusal
from ..plain import plain

#: A line break in a text that is typed on one line, as Evennia shows one.
_BREAK = re.compile(r"\|/|\\n")


def asked(command: Any, verbs: tuple[str, ...], usage: str) -> tuple[Any, str | None, str]:
    """
    Which assistant, which verb, and the rest of what was typed before the `=`.

    Args:
        command: The command as it runs.
        verbs: The words that may follow the assistant's name.
        usage: How the whole should look.

    Returns:
        The script, the verb or None, and the words after it.

    Raises:
        Refusal: If no assistant is named, or what follows its name is no verb.

    """
    typed = (command.lhs or "").strip()
    usage = usage.replace("|", "||")
    words = typed.split()
    # The longest beginning that names an assistant: names may have several words.
    for end in range(len(words), 0, -1):
        if finding.find_assistants(" ".join(words[:end])):
            script = command.assistant(" ".join(words[:end]), usage)
            break
    else:
        return command.assistant(typed, usage), None, ""
    if end == len(words):
        return script, None, ""
    verb = words[end].lower()
    if verb not in verbs:
        raise Refusal(f'"{plain(words[end], 40)}" is none of {", ".join(verbs)}. Usage: {usage}')
    return script, verb, " ".join(words[end + 1 :])


def text_typed(command: Any, usage: str) -> str:
    """
    The text after the `=`, with its line breaks.

    Raises:
        Refusal: If there is none.

    """
    words = _BREAK.sub("\n", command.rhs or "").strip()
    if not words:
        raise Refusal(f"Which text? Usage: {usage.replace('|', '||')}")
    return words


def refusing(error: ConfigError) -> Refusal:
    """A registry's error as it is told."""
    return Refusal(plain(error, 600))


def instead_of(before: str, after: str) -> str:
    """
    What a text took the place of, uncut, so that whoever wrote it has it still.

    Two keepers may write the same one; the second is told, and can put it back.

    """
    if not before or before == after:
        return ""
    return "\n".join(["", "It takes the place of this:", *in_lines(before)])


def in_lines(words: str) -> list[str]:
    """A text as it stands in a prompt, each line made fit to be printed."""
    return [f"  {plain(line)}" if line.strip() else "" for line in words.splitlines()]
