"""
A list of records as models write it, read item by item: one bad item never costs the others.

    >>> parse_items('```json\n[{"a": 1}, {"a": 2}, {"a": ')
    ([{'a': 1}, {'a': 2}], ['the list breaks off'])
    >>> parse_items('{"facts": []}', "facts")
    ([], [])
    >>> parse_items("I would rather not.")
    Traceback (most recent call last):
    evennia_assistant.errors.ModelAnswerError: The answer holds no JSON.

"""

from __future__ import annotations

import json
import re
from typing import Any

from ..errors import ModelAnswerError

#: Longest answer, in characters, that is looked at.
MAX_ANSWER = 100_000

_PLUS = re.compile(r"([:\[,]\s*)\+(?=\d)")
_NEXT = re.compile(r"\}\s*,?\s*(?=\{)")


def parse_items(text: str, key: str | None = None) -> tuple[list[Any], list[str]]:
    """
    The records in an answer.

    Args:
        text: What the model wrote: a list, an object that holds one, one record alone, records one
            after the other, with talk or fences around.
        key: Name under which an object may hold the list; any list in it is taken otherwise.

    Returns:
        The records as they were written, unchecked, and what of the answer could not be read.

    Raises:
        ModelAnswerError: If there is no JSON in it at all. An empty list is an answer.

    """
    body = _PLUS.sub(r"\1", text[:MAX_ANSWER].strip())
    decoder = json.JSONDecoder(parse_constant=_refuse)
    starts = [at for at in (body.find("["), body.find("{")) if at >= 0]
    if not starts:
        raise ModelAnswerError("The answer holds no JSON.")
    try:
        value, end = decoder.raw_decode(body, min(starts))
    except (ValueError, RecursionError):
        return _salvaged(decoder, body)
    if isinstance(value, dict) and "{" in body[end:]:
        held = _list_in(value, key)
        if held is None:
            return _salvaged(decoder, body)
    return _records(value, key), []


def _records(value: Any, key: str | None) -> list[Any]:
    if isinstance(value, list):
        return value
    held = _list_in(value, key)
    return [value] if held is None else held


def _list_in(value: dict[str, Any], key: str | None) -> list[Any] | None:
    if key is not None and isinstance(value.get(key), list):
        held: list[Any] = value[key]
        return held
    lists = [inner for inner in value.values() if isinstance(inner, list)]
    # A record may have lists of its own; a wrapper has nothing else.
    if len(lists) == 1 and len(value) == 1:
        return lists[0]
    return None


def _salvaged(decoder: json.JSONDecoder, body: str) -> tuple[list[Any], list[str]]:
    """Every record that can be read, where the whole cannot."""
    at = body.find("{")
    items: list[Any] = []
    problems: list[str] = []
    while at >= 0:
        try:
            value, end = decoder.raw_decode(body, at)
            items.append(value)
            at = body.find("{", end)
        except (ValueError, RecursionError):
            following = _NEXT.search(body, at + 1)
            problems.append("one record cannot be read" if following else "the list breaks off")
            at = following.end() if following else -1
    if not items:
        raise ModelAnswerError("The answer holds no JSON that can be read.")
    return items, problems


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON value")
