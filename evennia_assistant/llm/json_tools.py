"""
Tool calls that a model without a tool interface writes as JSON into its answer.

One object or several, in a list, in fences, with talk around them, under the names that models
happen to use; each is read by itself, so that one bad one never costs the others::

    read_json_answer('```json\\n{"tool": "say", "parameters": {"text": "Aye."}}\\n```', ["say"])
    read_json_answer("Two silver a night.", ["say"]).text       # plain words are speech

"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import ModelAnswerError
from .json_items import parse_items
from .response import ToolCall

_NAMES = ("tool", "tool_name", "name", "function", "action")
_ARGUMENTS = ("parameters", "arguments", "args", "params", "input")
_REASONS = ("reasoning", "reason", "thought")
#: What may stand beside a call without being an argument of it.
_BESIDE = frozenset({*_NAMES, *_ARGUMENTS, *_REASONS, "id", "type"})
_LOOKS_LIKE = re.compile(r'"(?:tool|tool_name|tool_calls|name|function|parameters|arguments)"\s*:')
_FENCE = re.compile(r"^\s*```\w*\s*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """
    What a model wants: tools, or to say something.

    Args:
        calls: The calls, in order.
        text: Its words; beside calls, what it says of them.
        problems: What was meant as a call and cannot be read, one line each.

    """

    calls: tuple[ToolCall, ...] = ()
    text: str = ""
    problems: tuple[str, ...] = ()


def read_json_answer(text: str, known: Collection[str]) -> ToolAnswer:
    """
    The calls in an answer; an answer in which none is meant is speech.

    Args:
        text: What the model wrote.
        known: Names of the tools offered.

    """
    body = _FENCE.sub("", text).strip()
    meant = body.startswith(("{", "[{")) or bool(_LOOKS_LIKE.search(body))
    if "{" not in body or not (meant or any(f'"{name}"' in body for name in known)):
        return ToolAnswer(text=body)
    try:
        items, problems = parse_items(body, "tool_calls")
    except ModelAnswerError as err:
        return ToolAnswer(problems=(str(err),)) if meant else ToolAnswer(text=body)
    calls: list[ToolCall] = []
    for item in items:
        call = _call(item, known, len(calls) + 1)
        if call is None:
            problems.append(f"{json.dumps(item, default=str)[:80]} names no tool")
        else:
            calls.append(call)
    if not calls and not meant:
        return ToolAnswer(text=body)
    return ToolAnswer(tuple(calls), "", tuple(problems))


def _call(item: Any, known: Collection[str], number: int) -> ToolCall | None:
    """One call, None when the record names no tool."""
    if not isinstance(item, Mapping):
        return None
    inner = item.get("function")
    if isinstance(inner, Mapping):
        item = inner
    name = next((item[key] for key in _NAMES if isinstance(item.get(key), str)), None)
    if name is None:
        named = [key for key in item if key in known]
        if len(named) != 1:
            return None
        name, arguments = named[0], item[named[0]]
    else:
        arguments = next((item[key] for key in _ARGUMENTS if key in item), None)
        if arguments is None:
            arguments = {key: value for key, value in item.items() if key not in _BESIDE}
    reason = next((item[key] for key in _REASONS if isinstance(item.get(key), str)), "")
    if isinstance(arguments, Mapping) and reason:
        arguments = {**arguments, "reasoning": arguments.get("reasoning", reason)}
    written = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return ToolCall(f"json_{number}", name, written)
