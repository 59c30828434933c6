"""
The two forms in which a model and its tools speak with each other.

Most models have an interface of their own for tools; those that have none are told of them in the
prompt and answer with JSON (`llm.json_tools`). Both forms send the prompt on, read an answer, and
write down what was called and what came of it.

"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Protocol

from ..errors import InvalidArguments
from ..mind.slots import render_record, render_slot, without_tags
from .json_tools import ToolAnswer, read_json_answer
from .response import LLMResponse, ToolCall
from .structured import parse_arguments

#: Longest arguments that are repeated to a model which wrote them.
REPEATED = 2000

_UNFIT = re.compile(r"[^A-Za-z0-9_-]+")


class ToolForm(Protocol):
    """How tools are offered, and how calls are read and answered."""

    #: What is sent along with the prompt.
    schemas: list[dict[str, Any]]

    def read(self, answer: LLMResponse) -> ToolAnswer:
        """What the model wants."""

    def record(
        self, answer: LLMResponse, calls: Sequence[ToolCall], results: Sequence[Mapping[str, Any]]
    ) -> list[dict[str, Any]]:
        """
        The messages that stand for an answer and what came of it.

        Args:
            answer: The model's.
            calls: Those that were taken up.
            results: One for each of them, and further ones for what could not be read.

        """


class NativeTools:
    """
    Tools in the model's own interface.

    Args:
        schemas: The tools in the function form.

    """

    def __init__(self, schemas: Sequence[dict[str, Any]]) -> None:
        self.schemas = list(schemas)

    def read(self, answer: LLMResponse) -> ToolAnswer:
        """See `ToolForm`."""
        return ToolAnswer(answer.tool_calls, answer.content)

    def record(
        self, answer: LLMResponse, calls: Sequence[ToolCall], results: Sequence[Mapping[str, Any]]
    ) -> list[dict[str, Any]]:
        """See `ToolForm`; ids, names and arguments are made such that every server takes them."""
        repeated = _repeatable(calls)
        return [
            {
                "role": "assistant",
                "content": answer.content or "",
                "tool_calls": [call.as_message() for call in repeated],
            },
            *(
                {"role": "tool", "tool_call_id": call.id, "content": render_record(result)}
                for call, result in zip(repeated, results, strict=False)
            ),
        ]


class JsonTools:
    """
    Tools described in the prompt, and called in JSON.

    Args:
        names: Of the tools offered.

    """

    def __init__(self, names: Collection[str]) -> None:
        self.schemas: list[dict[str, Any]] = []
        self.names = tuple(names)

    def read(self, answer: LLMResponse) -> ToolAnswer:
        """See `ToolForm`."""
        return read_json_answer(answer.content, self.names)

    def record(
        self, answer: LLMResponse, calls: Sequence[ToolCall], results: Sequence[Mapping[str, Any]]
    ) -> list[dict[str, Any]]:
        """See `ToolForm`."""
        named = [call.name[:60] for call in calls] + [""] * len(results)
        records = [
            {**({"tool": name} if name else {}), "result": dict(result)}
            for name, result in zip(named, results, strict=False)
        ]
        return [
            {"role": "assistant", "content": without_tags(answer.content[:REPEATED])},
            {"role": "user", "content": render_slot("tool_results", records)},
        ]


def _repeatable(calls: Sequence[ToolCall]) -> list[ToolCall]:
    """Calls as a server takes them back: ids of their own, plain names, arguments that are JSON."""
    made: list[ToolCall] = []
    ids: set[str] = set()
    for number, call in enumerate(calls, start=1):
        name_id = _UNFIT.sub("_", str(call.id or ""))[:60] or f"call_{number}"
        if name_id in ids:
            name_id = f"{name_id[:50]}_{number}"
        ids.add(name_id)
        name = _UNFIT.sub("_", str(call.name or ""))[:60] or "unnamed"
        made.append(ToolCall(name_id, name, _readable(call.arguments)))
    return made


def _readable(arguments: Any) -> str:
    """Arguments a server can read, `{}` for those nobody can."""
    try:
        parse_arguments(arguments)
    except InvalidArguments:
        return "{}"
    written = arguments if isinstance(arguments, str) else ""
    plain = written.strip().startswith("{") and written.strip().endswith("}")
    return written if plain and len(written) <= REPEATED else "{}"
