"""
A chat completion as a server wrote it, made an `LLMResponse`.

Servers that call themselves compatible differ in what they leave out, so nothing is taken for
granted: arguments may come as an object, ids may be missing, usage may not be there, an error may
come with status 200.

"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..errors import (
    EmptyAnswer,
    ErrorCategory,
    ModelAnswerError,
    ModelAuthError,
    ModelError,
    ModelRequestError,
    ModelTransientError,
    classify_http_error,
)
from .response import LLMResponse, ToolCall, Usage
from .tokens import count_message_tokens, count_tokens

#: Longest answer, in bytes, that is read.
MAX_ANSWER = 4_000_000

_ERRORS: dict[ErrorCategory, type[ModelError]] = {
    ErrorCategory.AUTH: ModelAuthError,
    ErrorCategory.TRANSIENT: ModelTransientError,
    ErrorCategory.BUSINESS_LOGIC: ModelRequestError,
    ErrorCategory.UNKNOWN: ModelAnswerError,
}

_ADVICE = {
    ErrorCategory.AUTH: "refuses the key; check the environment variable {variable}",
    ErrorCategory.TRANSIENT: "is busy or broken at the moment",
    ErrorCategory.BUSINESS_LOGIC: (
        "does not accept the request; check llm_model ({model}), llm_api_url and llm_extra_params"
    ),
    ErrorCategory.UNKNOWN: "gave an answer that cannot be used",
}

# A code a server gives its error is an identifier. Anything longer or with spaces in it may be a
# sentence that repeats what we sent.
_CODE = re.compile(r"[A-Za-z][A-Za-z_.\-]{1,39}")

# Reasoning that some servers leave in the text of the answer.
_THINKING = re.compile(r"^\s*<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)


def parse_completion(
    body: bytes,
    *,
    service: str,
    model: str,
    messages: Iterable[Mapping[str, Any]] = (),
    tools: Sequence[Mapping[str, Any]] | None = None,
    secret: str = "",
) -> LLMResponse:
    """
    Read a chat completion.

    Args:
        body: The answer as it came.
        service: What to call the server in error texts.
        model: The model that was asked.
        messages: The prompt, to estimate its tokens if the server does not tell.
        tools: The tools offered with it.
        secret: What no error text may hold.

    Raises:
        ModelAnswerError: If there is nothing in it to use.
        ModelError: Of the kind a server names that reports an error with status 200.

    """
    data = _read(body, service)
    error = data.get("error")
    if isinstance(error, Mapping):
        status = error.get("code")
        raise error_of_status(
            status if isinstance(status, int) else 0,
            service=service,
            model=model,
            body=error,
            secret=secret,
        )
    choice = _first(data.get("choices"))
    message = choice.get("message")
    if not isinstance(message, Mapping):
        raise ModelAnswerError(f"{service} sent no choices.")
    content = _THINKING.sub("", _text(message.get("content"))).strip()
    calls = _tool_calls(message.get("tool_calls"))
    finish = choice.get("finish_reason")
    finish = finish if isinstance(finish, str) else ("tool_calls" if calls else "stop")
    if not content and not calls:
        reason = "refusal" if message.get("refusal") else finish
        # One that was cut off, or refused, was not meant to be empty.
        error = EmptyAnswer if reason == "stop" else ModelAnswerError
        raise error(f"{service} sent an empty answer ({_code(reason) or 'no reason'}).")
    named = data.get("model")
    return LLMResponse(
        content=content,
        tool_calls=calls,
        usage=_usage(data.get("usage"), content, calls, messages, tools),
        model=named if isinstance(named, str) and named else model,
        finish_reason=finish,
    )


def error_of_status(
    status: int,
    *,
    service: str,
    model: str = "",
    variable: str = "",
    body: Any = None,
    retry_after: float | None = None,
    secret: str = "",
) -> ModelError:
    """
    The error for a status, in words of our own.

    Args:
        status: HTTP status; 0 when there is none that means something.
        service: What to call the server.
        model: The model that was asked.
        variable: Environment variable of the key.
        body: The server's error as decoded JSON. Only its short codes are used: its sentences may
            repeat the request or the key.
        retry_after: Seconds the server asked for.
        secret: What the text must not hold.

    """
    category = classify_http_error(status)
    advice = _ADVICE[category].format(model=model or "none set", variable=variable or "of the key")
    details = [str(status)] if status else []
    if isinstance(body, Mapping):
        inner = body.get("error")
        fields = inner if isinstance(inner, Mapping) else body
        codes = [_code(fields.get(name)) for name in ("code", "type", "param")]
        details += [code for code in codes if code and not (secret and code in secret)]
    named = f" ({' '.join(dict.fromkeys(details))})" if details else ""
    return _ERRORS[category](
        f"{service} {advice}{named}.", status=status or None, retry_after=retry_after
    )


def _read(body: bytes, service: str) -> Mapping[str, Any]:
    if len(body) > MAX_ANSWER:
        raise ModelAnswerError(f"{service} sent an answer of {len(body)} bytes.")
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, Mapping):
        raise ModelAnswerError(f"{service} sent something that is no JSON object.")
    return data


def _first(choices: Any) -> Mapping[str, Any]:
    if isinstance(choices, list) and choices and isinstance(choices[0], Mapping):
        return choices[0]
    return {}


def _text(content: Any) -> str:
    """The text of a message, which some servers send in parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, Mapping)]
        return "".join(part for part in parts if isinstance(part, str))
    return ""


def _tool_calls(calls: Any) -> tuple[ToolCall, ...]:
    found: list[ToolCall] = []
    for number, call in enumerate(calls if isinstance(calls, list) else (), start=1):
        function = call.get("function") if isinstance(call, Mapping) else None
        if not isinstance(function, Mapping) or not isinstance(function.get("name"), str):
            continue
        arguments = function.get("arguments")
        if not isinstance(arguments, str):
            arguments = json.dumps(arguments) if arguments is not None else "{}"
        identity = call.get("id")
        found.append(
            ToolCall(
                id=identity if isinstance(identity, str) and identity else f"call_{number}",
                name=function["name"],
                arguments=arguments,
            )
        )
    return tuple(found)


def _usage(
    usage: Any,
    content: str,
    calls: Sequence[ToolCall],
    messages: Iterable[Mapping[str, Any]],
    tools: Sequence[Mapping[str, Any]] | None,
) -> Usage:
    """What the server counted; an estimate of what it did not count."""
    told = usage if isinstance(usage, Mapping) else {}
    prompt = _count(told.get("prompt_tokens"))
    if prompt is None:
        prompt = count_message_tokens(messages, tools)
    completion = _count(told.get("completion_tokens"))
    if completion is None:
        completion = count_tokens(content) + sum(
            count_tokens(call.name) + count_tokens(call.arguments) for call in calls
        )
    return Usage(prompt_tokens=prompt, completion_tokens=completion)


def _count(value: Any) -> int | None:
    is_count = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return value if is_count else None


def _code(value: Any) -> str:
    return value if isinstance(value, str) and _CODE.fullmatch(value) else ""
