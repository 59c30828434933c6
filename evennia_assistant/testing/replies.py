"""
What a scripted model answers, for `ScriptedModel` and `ScriptedModelServer` alike.

::

    text("Well met!")                           # a plain answer; a bare str means the same
    tool_call("say", text="Well met!")          # the model calls a tool
    tool_calls(("recall_memories", {"query": "ring"}), ("say", {"text": "The mill."}))
    bad_arguments("say", '{"text": ')           # ... with arguments that are no JSON
    status(429, retry_after=1)                  # an HTTP error
    hang()                                      # no answer, ever
    drip()                                      # an answer that goes on coming, byte by byte
    drop()                                      # the line goes dead
    no_choices()                                # an answer with nothing in it
    invalid_json()                              # an answer that is no JSON
    text("Hmm.").after(2)                       # any of them, two seconds later

"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Self

from evennia_assistant.llm.response import LLMResponse, ToolCall, Usage


class Fault(StrEnum):
    """How an answer goes wrong other than by its status."""

    HANG = "hang"
    DRIP = "drip"
    DROP = "drop"
    NO_CHOICES = "no_choices"
    INVALID_JSON = "invalid_json"


@dataclass(frozen=True, slots=True)
class Reply:
    """
    One scripted answer.

    Args:
        content: Its text.
        tool_calls: Tools it calls.
        usage: Tokens it claims to have cost, None to leave that out.
        http_status: Its status.
        retry_after: Value of its Retry-After header.
        delay: Seconds before it is given.
        fault: How it goes wrong.
        headers: Further headers of it.
        error: Body of an answer with an error status; None for a plain one.

    """

    content: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage | None = None
    http_status: int = 200
    retry_after: float | None = None
    delay: float = 0.0
    fault: Fault | None = None
    headers: tuple[tuple[str, str], ...] = ()
    error: Any = None

    @classmethod
    def of(cls, value: Any) -> Self:
        """
        The reply that a `Reply`, a `str` or an `LLMResponse` means.

        Raises:
            TypeError: If it means none.

        """
        if isinstance(value, cls):
            return value
        if isinstance(value, str):
            return cls(content=value)
        if isinstance(value, LLMResponse):
            return cls(content=value.content, tool_calls=value.tool_calls, usage=value.usage)
        raise TypeError(f"{value!r} is no reply of a model")

    def after(self, seconds: float) -> Self:
        """The same, given later."""
        return replace(self, delay=seconds)

    def as_completion(self, model: str) -> dict[str, Any]:
        """The reply in the form of a chat completion."""
        message: dict[str, Any] = {"role": "assistant", "content": self.content or None}
        if self.tool_calls:
            message["tool_calls"] = [call.as_message() for call in self.tool_calls]
        completion: dict[str, Any] = {
            "id": "chatcmpl-scripted",
            "object": "chat.completion",
            "created": 0,
            "model": model,
            "choices": []
            if self.fault is Fault.NO_CHOICES
            else [
                {
                    "index": 0,
                    "message": message,
                    "finish_reason": "tool_calls" if self.tool_calls else "stop",
                }
            ],
        }
        if self.usage is not None:
            completion["usage"] = {
                "prompt_tokens": self.usage.prompt_tokens,
                "completion_tokens": self.usage.completion_tokens,
                "total_tokens": self.usage.total_tokens,
            }
        return completion


def text(content: str, usage: Usage | None = None) -> Reply:
    """A plain answer."""
    return Reply(content=content, usage=usage)


def tool_call(name: str, /, **arguments: Any) -> Reply:
    """A call of one tool."""
    return tool_calls((name, arguments))


def tool_calls(*calls: tuple[str, Mapping[str, Any]]) -> Reply:
    """Calls of several tools at once."""
    return Reply(
        tool_calls=tuple(
            ToolCall(f"call_{number}", name, json.dumps(dict(arguments), ensure_ascii=False))
            for number, (name, arguments) in enumerate(calls, start=1)
        )
    )


def bad_arguments(name: str, raw: str = '{"text": ') -> Reply:
    """A call of a tool with these characters for arguments."""
    return Reply(tool_calls=(ToolCall("call_1", name, raw),))


def status(code: int, *, retry_after: float | None = None, error: Any = None) -> Reply:
    """An HTTP error; `error` is the body of it."""
    return Reply(http_status=code, retry_after=retry_after, error=error)


def hang() -> Reply:
    """No answer until the asker goes away."""
    return Reply(fault=Fault.HANG)


def drip() -> Reply:
    """A body that comes byte by byte without end, so that no single read ever times out."""
    return Reply(fault=Fault.DRIP)


def drop() -> Reply:
    """The connection closed without an answer."""
    return Reply(fault=Fault.DROP)


def no_choices() -> Reply:
    """A completion without choices."""
    return Reply(fault=Fault.NO_CHOICES)


def invalid_json() -> Reply:
    """A page of a proxy where an answer should be."""
    return Reply(fault=Fault.INVALID_JSON)
