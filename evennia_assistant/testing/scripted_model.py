"""
A model in the process that answers what a test tells it to, and a clock that a test moves.

With both, an NPC can be tested without a network, a running reactor, or a wait:

    >>> from evennia_assistant.testing import FakeClock, ScriptedModel, replies
    >>> clock = FakeClock()
    >>> model = ScriptedModel("Well met!", replies.tool_call("say", text="Hm."), clock=clock)
    >>> deferred = model.chat_completion([{"role": "user", "content": "Hello"}])
    >>> deferred.called
    False
    >>> clock.settle()                          # lets all that is due now happen
    >>> deferred.result.content
    'Well met!'
    >>> model.requests[0].messages[-1]["content"]
    'Hello'
    >>> with model.answering():                 # every NPC of the block is answered by it
    ...     pass

Replies are those of `evennia_assistant.testing.replies`, for which HTTP statuses and dead lines
become the errors a real client would give; an exception is given as it is. A function of the
request may answer in place of a list.

"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.task import Clock
from twisted.python.failure import Failure

from evennia_assistant.errors import (
    EmptyAnswer,
    ErrorCategory,
    ModelAnswerError,
    ModelError,
    ModelTransientError,
    classify_http_error,
)
from evennia_assistant.llm.client import stand_in
from evennia_assistant.llm.completion import error_of_status
from evennia_assistant.llm.rate_limits import RateLimitInfo
from evennia_assistant.llm.resilience import CircuitBreaker
from evennia_assistant.llm.response import LLMResponse, Usage
from evennia_assistant.llm.tokens import count_message_tokens, count_tokens

from .replies import Fault, Reply


class FakeClock(Clock):
    """
    A clock that stands still until a test moves it.

    It stands in for the reactor where something takes a `clock` with `callLater`, and, called, for
    `time.monotonic` where something takes a function that gives seconds.

    """

    def __init__(self, now: float = 0.0) -> None:
        super().__init__()
        self.rightNow = now

    def __call__(self) -> float:
        """Seconds now."""
        return float(self.seconds())

    def settle(self) -> None:
        """Let everything that is due now happen, and what becomes due by that."""
        self.advance(0)


@dataclass
class AskedModel:
    """
    One prompt a scripted model got.

    Args:
        messages: The messages.
        tools: The tools offered.
        options: Everything else: temperature, timeout, ...
        at: Seconds on the model's clock.
        cancelled: Whether the asker took it back.

    """

    messages: list[Mapping[str, Any]]
    tools: list[Mapping[str, Any]]
    options: dict[str, Any] = field(default_factory=dict)
    at: float = 0.0
    cancelled: bool = False


class ScriptedModel:
    """
    Answers from a script, through the interface of the client.

    Args:
        *script: Replies in order: a `Reply`, a `str`, an `LLMResponse`, an exception.
        handler: Function of the `AskedModel` that gives a reply when the script is at its end.
        clock: Anything with `callLater` and `seconds`; None for the reactor.

    """

    provider_name = "scripted"
    model = "scripted-model"
    supports_tools = True

    def __init__(
        self,
        *script: Any,
        handler: Callable[[AskedModel], Any] | None = None,
        clock: Any = None,
    ) -> None:
        if clock is None:
            from twisted.internet import reactor

            clock = reactor
        self.clock = clock
        self.requests: list[AskedModel] = []
        self.rate_limit_info = RateLimitInfo()
        self.circuit_breaker = CircuitBreaker(self.provider_name, clock=clock.seconds)
        self._script: deque[Any] = deque()
        self._handler = handler
        self.add(*script)

    def add(self, *script: Any) -> None:
        """Put more replies at the end of the script."""
        self._script.extend(
            reply if isinstance(reply, Exception) else Reply.of(reply) for reply in script
        )

    @property
    def left(self) -> int:
        """How many replies of the script were not asked for."""
        return len(self._script)

    def answering(self) -> AbstractContextManager[Any]:
        """Within the block, this model answers every NPC."""
        return stand_in(self)

    def chat_completion(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]] | None = None,
        **options: Any,
    ) -> Deferred[LLMResponse]:
        """
        Give the next reply.

        Returns:
            Fires when the clock comes to it, never before this returns. It fails with
            `AssertionError` if nothing is scripted.

        """
        asked = AskedModel(
            [dict(message) for message in messages],
            [dict(tool) for tool in tools or ()],
            options,
            self.clock.seconds(),
        )
        self.requests.append(asked)
        reply = self._next(asked)
        call: Any = None

        def cancel(_deferred: Deferred[LLMResponse]) -> None:
            asked.cancelled = True
            if call is not None and call.active():
                call.cancel()

        def fire() -> None:
            outcome = _outcome(reply, asked, self.model)
            if isinstance(outcome, Exception):
                deferred.errback(Failure(outcome))
            else:
                deferred.callback(outcome)

        deferred: Deferred[LLMResponse] = Deferred(cancel)
        never = isinstance(reply, Reply) and reply.fault in (Fault.HANG, Fault.DRIP)
        if not never:
            call = self.clock.callLater(getattr(reply, "delay", 0.0), fire)
        return deferred

    def _next(self, asked: AskedModel) -> Reply | Exception:
        if self._script:
            return self._script.popleft()
        if self._handler is not None:
            reply = self._handler(asked)
            return reply if isinstance(reply, Exception) else Reply.of(reply)
        return AssertionError(f"nothing is scripted for request {len(self.requests)}")


def _outcome(reply: Reply | Exception, asked: AskedModel, model: str) -> LLMResponse | Exception:
    """What a client would make of a reply."""
    if isinstance(reply, Exception):
        return reply
    error = _error(reply, model)
    if error is not None:
        return error
    usage = reply.usage or Usage(
        count_message_tokens(asked.messages, asked.tools),
        count_tokens(reply.content) + sum(count_tokens(c.arguments) for c in reply.tool_calls),
    )
    return LLMResponse(
        content=reply.content,
        tool_calls=reply.tool_calls,
        usage=usage,
        model=model,
        finish_reason="tool_calls" if reply.tool_calls else "stop",
    )


def _error(reply: Reply, model: str) -> ModelError | None:
    if classify_http_error(reply.http_status) is not ErrorCategory.UNKNOWN:
        return error_of_status(
            reply.http_status,
            service="scripted",
            model=model,
            body=reply.error,
            retry_after=reply.retry_after,
        )
    if reply.fault is Fault.DROP:
        return ModelTransientError("scripted cannot be reached.")
    if reply.fault is Fault.NO_CHOICES:
        return ModelAnswerError("scripted sent no choices.")
    if reply.fault is Fault.INVALID_JSON:
        return ModelAnswerError("scripted sent something that is no JSON object.")
    if not reply.content.strip() and not reply.tool_calls:
        return EmptyAnswer("scripted sent an empty answer (stop).")
    return None
