"""
How many tokens a text takes, estimated without a tokenizer.

A tokenizer's vocabulary is a download of megabytes and differs between models, while a budget needs
a figure within some 15 %. The estimate does what byte-pair vocabularies do: a word of ordinary
length is one token together with the space before it, a long one is several, digits go in threes,
and Chinese, Japanese and Korean take one or a little more for each character. On English prose,
markdown and JSON it is within 11 % of the vocabularies of GPT-4 and GPT-4o, on other European and
on East Asian languages within about a quarter of GPT-4o's.

"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

# What one message costs beyond its text (its role and the marks around it), and what asks the model
# to begin its answer.
_PER_MESSAGE = 4
_PER_PROMPT = 3

_PIECES = re.compile(
    r"(?P<latin>[A-Za-z]+(?:'[A-Za-z]{1,2}\b)?)"
    r"|(?P<digits>[0-9]+)"
    # Han, kana, Hangul, full-width forms, CJK marks.
    r"|(?P<wide>[\u1100-\u11ff\u3000-\u30ff\u3130-\u318f\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
    r"\uff00-\uffef\U00020000-\U0003ffff])"
    r"|(?P<letters>[^\W\d_]+)"
    r"|(?P<blank>\s+)"
    r"|(?P<marks>[!-/:-@\[-`{-~]+)"
    r"|(?P<other>.)",
    re.DOTALL,
)


@lru_cache(maxsize=512)
def count_tokens(text: str) -> int:
    """
    About how many tokens a text takes.

    Args:
        text: Any text.

    Returns:
        0 for "", at least 1 for anything else.

    """
    if not text:
        return 0
    total = 0.0
    for piece in _PIECES.finditer(text):
        length = piece.end() - piece.start()
        match piece.lastgroup:
            case "latin":
                total += 1 if length <= 8 else 1 + (length - 8) / 5
            case "digits":
                total += math.ceil(length / 3)
            case "letters":
                total += max(1, length / 2.5)
            case "marks":
                total += math.ceil(length / 2)
            case "blank":
                # One space belongs to the word after it.
                total += 0 if piece.group() == " " else 1
            case "wide":
                total += 1.1
            case _:
                total += 2
    return max(1, round(total))


def count_message_tokens(
    messages: Iterable[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]] | None = None
) -> int:
    """
    About how many tokens a prompt takes.

    Args:
        messages: Messages in the chat-completion form.
        tools: The tools offered with them, in the function form.

    """
    total = _PER_PROMPT
    for message in messages:
        total += _PER_MESSAGE
        for field, value in message.items():
            if field != "role" and value is not None:
                total += count_tokens(value if isinstance(value, str) else _compact(value))
    if tools:
        total += sum(count_tokens(_compact(tool)) for tool in tools)
    return total


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
