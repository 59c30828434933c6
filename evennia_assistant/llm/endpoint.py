"""
One address at which models are asked, shared by all NPCs that ask there.

However many NPCs there are, an address sees a bounded number of calls at once, and when it keeps
failing they all leave it alone together. A call has one limit over everything it does: waiting for
its turn, connecting, a slow answer, the wait before a retry.

What is here runs on the loop thread (see `loop`), apart from making an `Endpoint`.

"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ..errors import (
    ModelError,
    ModelRequestError,
    ModelTimeout,
    ModelTransientError,
    should_retry,
    should_trip_circuit_breaker,
)
from .completion import error_of_status, parse_completion
from .loop import at_stop
from .providers import is_loopback
from .rate_limits import RateLimitInfo, read_rate_limits, read_retry_after
from .resilience import CircuitBreaker, RetryConfig
from .response import LLMResponse

if TYPE_CHECKING:
    from openai import AsyncOpenAI

#: Seconds to reach the server.
CONNECT_TIMEOUT = 3.0
#: Seconds in which a server must send something.
READ_TIMEOUT = 30.0


@dataclass(frozen=True, slots=True)
class Call:
    """
    One question to a model.

    Args:
        service: What to call the server in error texts: the provider's name.
        variable: Environment variable of its key.
        body: The request, in chat-completion form.
        key: Sent as the bearer token; "" for none.
        headers: Sent besides.
        total: Seconds after which the call is given up, whatever it is doing.
        retry: When to try again.
        breaker: Watches the server.

    """

    service: str
    variable: str
    body: Mapping[str, Any] = field(repr=False)
    key: str = field(repr=False)
    headers: Mapping[str, str]
    total: float
    retry: RetryConfig
    breaker: CircuitBreaker


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a call, and what the server said about further ones."""

    response: LLMResponse
    limits: RateLimitInfo


class Endpoint:
    """
    An address, its breaker, and the seats for calls in flight.

    Args:
        base_url: Where the OpenAI-compatible interface is.
        concurrency: Calls in flight at once.

    """

    def __init__(self, base_url: str, concurrency: int) -> None:
        self.base_url = base_url
        self.place = urlsplit(base_url).netloc
        self.breaker = CircuitBreaker(self.place)
        self.concurrency = concurrency
        self._loop: asyncio.AbstractEventLoop | None = None
        self._seats: asyncio.Semaphore
        self._connections: dict[str, AsyncOpenAI] = {}

    async def ask(self, call: Call) -> Answer:
        """
        Put a question and wait for the answer, trying again where that can help.

        Raises:
            ModelError: If there is none.

        """
        # Loaded with the first question, and no part of the time it is given.
        import openai  # noqa: F401

        loop = asyncio.get_running_loop()
        if loop is not self._loop:
            # The loop was stopped since, and what belonged to it is closed.
            self._loop = loop
            self._seats = asyncio.Semaphore(self.concurrency)
            self._connections = {}
        deadline = loop.time() + call.total
        retry = 0
        while True:
            # Errors are returned as far as here and raised here: raised where they arose they
            # would take along the library's own, which knows the request with its key.
            outcome = await self._attempt(call, deadline)
            if isinstance(outcome, Answer):
                return outcome
            wait = (
                call.retry.delay(retry, outcome.retry_after)
                if should_retry(outcome) and loop.time() < deadline
                else None
            )
            if wait is None or loop.time() + wait >= deadline:
                raise outcome
            retry += 1
            await asyncio.sleep(wait)

    async def _attempt(self, call: Call, deadline: float) -> Answer | ModelError:
        """Ask once, when there is a seat and the breaker agrees."""
        call.breaker.check()
        try:
            async with asyncio.timeout_at(deadline):
                await self._seats.acquire()
        except TimeoutError:
            return ModelTimeout(
                f"{call.service} was not asked: {self.concurrency} other calls were in flight for "
                f"{call.total:g} s."
            )
        try:
            permit = call.breaker.acquire()
            try:
                outcome = await self._send(call, deadline)
            except BaseException:
                # Cancelled, or a fault of ours: neither says anything about the server.
                call.breaker.release(permit)
                raise
            if isinstance(outcome, Answer) or not should_trip_circuit_breaker(outcome):
                call.breaker.record_success(permit)
            else:
                call.breaker.record_failure(permit)
            return outcome
        finally:
            self._seats.release()

    async def _send(self, call: Call, deadline: float) -> Answer | ModelError:
        """One request over the wire."""
        import openai

        try:
            body = _sendable(call.body)
        except (TypeError, ValueError) as err:
            return ModelRequestError(
                f"The request cannot be written as JSON ({type(err).__name__})."
            )
        headers: dict[str, Any] = dict(call.headers)
        if not call.key:
            headers["Authorization"] = openai.Omit()
        try:
            async with asyncio.timeout_at(deadline):
                raw = await self._connection(call.key).chat.completions.with_raw_response.create(
                    model=body.pop("model"),
                    # The messages go along in `extra_body`: as an argument, openai would compare
                    # each field with its types, for 2 ms in which the game has to wait.
                    messages=[],
                    extra_body=body,
                    extra_headers=headers,
                )
        except TimeoutError:
            return ModelTimeout(
                f"{call.service} at {self.place} took longer than {call.total:g} s."
            )
        except openai.APITimeoutError:
            return ModelTimeout(f"{call.service} at {self.place} did not answer in time.")
        except openai.APIStatusError as err:
            return error_of_status(
                err.status_code,
                service=call.service,
                model=call.body["model"],
                variable=call.variable,
                body=err.body,
                retry_after=read_retry_after(err.response.headers),
                secret=call.key,
            )
        except openai.APIConnectionError:
            return ModelTransientError(f"{call.service} at {self.place} cannot be reached.")
        except openai.OpenAIError as err:
            return ModelError(f"{call.service} cannot be asked ({type(err).__name__}).")
        try:
            response = parse_completion(
                raw.content,
                service=call.service,
                model=call.body["model"],
                messages=call.body["messages"],
                tools=call.body.get("tools"),
                secret=call.key,
            )
        except ModelError as err:
            return err.with_traceback(None)
        return Answer(response, read_rate_limits(raw.headers))

    def _connection(self, key: str) -> AsyncOpenAI:
        """The client for a key, made on the loop it will live on."""
        import openai

        connection = self._connections.get(key)
        if connection is None:
            connection = self._connections[key] = openai.AsyncOpenAI(
                base_url=self.base_url,
                api_key=key or "none",  # it insists on one
                max_retries=0,
                timeout=openai.Timeout(READ_TIMEOUT, connect=CONNECT_TIMEOUT),
                # A proxy in the environment is for the world outside.
                http_client=openai.DefaultAsyncHttpxClient(trust_env=False)
                if is_loopback(self.base_url)
                else None,
            )
            at_stop(connection.close)
        return connection


def _sendable(body: Mapping[str, Any]) -> dict[str, Any]:
    """
    A copy of a request that can be sent: half a character (a lone surrogate) in it becomes "?".

    One that a player sent would otherwise stay in the NPC's memory and fail every later prompt.

    """
    text = json.dumps(body, ensure_ascii=False, allow_nan=False)
    copy: dict[str, Any] = json.loads(text.encode(errors="replace"))
    return copy
