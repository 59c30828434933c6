"""
The JSON that models write, read with patience.

They wrap it in code fences, talk before and after it, put an object into a list or a string. All
that is understood; what is not is refused with a text the model can act on:

    >>> parse_arguments('Here you are: {"text": "hi"}')
    {'text': 'hi'}
    >>> parse_arguments('{"text": "hi"')
    Traceback (most recent call last):
    evennia_assistant.errors.InvalidArguments: ... Expecting ',' delimiter at the end.

"""

from __future__ import annotations

import json
import math
from typing import Any

from ..errors import InvalidArguments

#: Longest arguments, in characters, that are looked at.
MAX_ARGUMENTS = 20_000


def parse_arguments(text: Any, *, max_chars: int = MAX_ARGUMENTS) -> dict[str, Any]:
    """
    The arguments of a tool call.

    Args:
        text: What the model wrote; empty means no arguments.
        max_chars: Longest text that is looked at.

    Returns:
        The one object in the text.

    Raises:
        InvalidArguments: Saying what is wrong, in words for the model.

    """
    if isinstance(text, dict):
        return text
    if text is None:
        return {}
    if not isinstance(text, str):
        raise InvalidArguments(f"The arguments are {_kind(text)}, not a JSON object.")
    if len(text) > max_chars:
        raise InvalidArguments(
            f"The arguments are {len(text)} characters long; at most {max_chars} are read."
        )
    if not text.strip():
        return {}
    value = _unwrapped(_read(text))
    if not isinstance(value, dict):
        raise InvalidArguments(f"The arguments are {_kind(value)}, not a JSON object.")
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise InvalidArguments("The arguments hold half a character (a lone surrogate).") from None
    return value


def _read(text: str) -> Any:
    """The first JSON value in a text; nothing but talk may follow it."""
    body = text.strip()
    decoder = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_finite)
    try:
        # Talk or a fence comes first unless the text begins like a value.
        start = 0 if body[0] in '{["' else max(0, body.find("{"))
        value, end = decoder.raw_decode(body, start)
        rest = body[end:]
        if "{" in rest:
            _refuse_second(decoder, value, rest)
    except json.JSONDecodeError as err:
        where = f"character {err.pos + 1}" if err.pos < len(err.doc) else "the end"
        raise InvalidArguments(f"The arguments are not valid JSON: {err.msg} at {where}.") from None
    except RecursionError:
        raise InvalidArguments("The arguments are nested too deeply.") from None
    except ValueError as err:  # a number beyond Python's limit of digits
        raise InvalidArguments(f"The arguments hold an unusable number: {err}") from None
    return value


def _refuse_second(decoder: json.JSONDecoder, value: Any, rest: str) -> None:
    """Refuse a further object, unless it only repeats the first."""
    try:
        second, _ = decoder.raw_decode(rest, rest.index("{"))
    except json.JSONDecodeError:  # a brace in the talk that follows
        return
    if second != value:
        raise InvalidArguments("There are two JSON objects; call the tool once for each.")


def _unwrapped(value: Any) -> Any:
    """What a list of one, or a string that is JSON itself, holds."""
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, str) and value.lstrip().startswith("{"):
        value = _read(value)
    return value


def _refuse_constant(name: str) -> Any:
    raise InvalidArguments(f"{name} is not a JSON value; use a number or null.")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise InvalidArguments(f"{text[:40]} is too large a number.")
    return number


def _kind(value: Any) -> str:
    names = {
        type(None): "null",
        bool: "true or false",
        int: "a number",
        float: "a number",
        str: "a text",
        list: "a list",
    }
    return names.get(type(value), f"a {type(value).__name__}")
