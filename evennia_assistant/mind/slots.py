"""
The marked data slots of a prompt: what was said is data, and stays data.

Everything a model is told that somebody else wrote (speech, names, descriptions, memories) goes
into the prompt inside a slot, one JSON object per line::

    <heard>
    {"from": "Anna", "how": "say", "text": "My ship sails on Friday."}
    </heard>

The prose around slots is ours. A text cannot end its slot, open another, begin a line, or hide
from whoever reads the prompt: `<`, `>`, `&`, control characters, format characters (zero-width,
bidirectional), line separators and lone surrogates are written as JSON escapes. Reading the slot
back gives the text exactly as it went in.

Example:
    ::

        prompt = "Answer as yourself.\\n" + render_slot("heard", [{"from": "Anna", "text": "Hi!"}])
        parse_slots(prompt)["heard"][0]["text"]      # "Hi!"

"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any

_NAME = re.compile(r"[a-z][a-z0-9_]*\Z")
_SLOT = re.compile(r"^<([a-z][a-z0-9_]*)>\n(.*?)^</\1>$", re.MULTILINE | re.DOTALL)

#: Control, format, surrogate, line separator, paragraph separator.
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


class _Escapes(dict[int, str]):
    """A translation table that looks each code point up once."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        if char in "<>&" or unicodedata.category(char) in _UNSEEN:
            escaped = json.dumps(char) if code > 0xFFFF else f'"\\u{code:04x}"'
            self[code] = escaped[1:-1]
        else:
            self[code] = char
        return self[code]


_ESCAPES = _Escapes()
#: Made once: `json.dumps` makes an encoder for every call that is not the plainest.
_as_json = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def render_slot(name: str, records: Iterable[Mapping[str, Any]]) -> str:
    """
    One slot, ready to stand on its own lines in a prompt.

    Args:
        name: The slot's name, lower-case letters, digits and underscores.
        records: JSON-able objects, one line each, in order. None at all gives an empty slot.

    Returns:
        The opening tag, the lines and the closing tag, joined by newlines, none at the end.

    Raises:
        ValueError: The name cannot be a tag, or a record holds NaN or an infinity.
        TypeError: A record holds something JSON cannot.

    """
    if not _NAME.match(name):
        raise ValueError(f"not a slot name: {name!r}")
    return "\n".join([f"<{name}>", *map(render_record, records), f"</{name}>"])


def render_record(record: Mapping[str, Any]) -> str:
    """
    One JSON object on a line of its own, in which no text can look like a tag or a line.

    Raises:
        ValueError: It holds NaN or an infinity.
        TypeError: It holds something JSON cannot.

    """
    return _as_json(dict(record)).translate(_ESCAPES)


def without_tags(text: str) -> str:
    """Text for a place outside the slots, with angle brackets that open and close nothing."""
    return text.replace("<", "\u2039").replace(">", "\u203a")


def parse_slots(text: str) -> dict[str, list[dict[str, Any]]]:
    """
    Every slot in a prompt, by name, as the objects that went in.

    Prose around slots is passed over, as is a line in a slot that is not a JSON object. A slot
    that appears twice gives the objects of both, in order.

    Args:
        text: A prompt, or any text at all.

    Returns:
        Objects by slot name; a slot that is there and empty has an empty list.

    """
    slots: dict[str, list[dict[str, Any]]] = {}
    for match in _SLOT.finditer(text):
        records = slots.setdefault(match[1], [])
        for line in match[2].split("\n"):
            record = _read(line)
            if record is not None:
                records.append(record)
    return slots


def _read(line: str) -> dict[str, Any] | None:
    """The object on a line, None when there is none."""
    if not line.startswith("{"):
        return None
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None
