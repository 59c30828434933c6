"""
Asking a model, whichever it is, without holding up the game.

::

    from evennia_assistant.llm.client import LLMConfig, get_client

    client = get_client(LLMConfig(provider="openrouter", model="openai/gpt-4o-mini"))
    deferred = client.chat_completion([{"role": "user", "content": "Well met!"}])
    deferred.addCallback(lambda answer: print(answer.content))
    deferred.addErrback(lambda failure: print(failure.getErrorMessage()))
    deferred.cancel()       # takes the question back; the server sees the line drop

The answer is an `LLMResponse`, the failure a `ModelError` whose `.category` says what kind. The
offline brain and the models of `evennia_assistant.testing` are asked the same way.

"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from typing import Any, Protocol

from twisted.internet.defer import Deferred, fail
from twisted.internet.task import deferLater
from twisted.python.failure import Failure

from ..conf import setting
from ..errors import ConfigError, ModelError
from . import loop
from .config import LLMConfig, plain_fields
from .endpoint import Answer, Call, Endpoint
from .providers import Provider, app_headers, base_url_for, get_provider, key_for
from .rate_limits import RateLimitInfo
from .resilience import CircuitBreaker, RetryConfig
from .response import LLMResponse

Message = Mapping[str, Any]


class ChatModel(Protocol):
    """What a turn needs of a model; give it to an NPC in place of a client."""

    def chat_completion(
        self, messages: Sequence[Message], tools: Sequence[Message] | None = None, **options: Any
    ) -> Deferred[LLMResponse]:
        """Answer a prompt; never fires before it returns."""


class Brain(Protocol):
    """A model inside the process, such as the offline brain: it answers at once."""

    def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[Message] | None = None,
        *,
        temperature: float | None = None,
        seed: int | None = None,
        **options: Any,
    ) -> LLMResponse:
        """Answer a prompt."""


class UnifiedLLMClient:
    """
    A model of any provider.

    Args:
        config: Which.
        retry_config: When a failed call is tried again.
        circuit_breaker: In place of the one all clients of the address share.
        clock: In place of the reactor, for a model inside the process; anything with `callLater`.

    Raises:
        ConfigError: If the provider or the address is unusable.

    """

    def __init__(
        self,
        config: LLMConfig,
        *,
        retry_config: RetryConfig | None = None,
        circuit_breaker: CircuitBreaker | None = None,
        clock: Any = None,
    ) -> None:
        self.config = config
        self._provider: Provider = get_provider(config.provider, config.api_url)
        self._retry = retry_config or RetryConfig()
        self._clock = clock
        self._limits = RateLimitInfo()
        self._brain: Brain | None = None
        self._endpoint: Endpoint | None = None
        if self._provider.name not in _BRAINS:
            if not config.model:
                raise ConfigError(f"Provider {config.provider!r} needs a model: set llm_model.")
            self._endpoint = _endpoint_at(base_url_for(self._provider, config.api_url))
        self._breaker = circuit_breaker or (
            self._endpoint.breaker if self._endpoint else CircuitBreaker(self._provider.name)
        )

    @property
    def provider_name(self) -> str:
        """The provider that is asked."""
        return self._provider.name

    @property
    def model(self) -> str:
        """The model that is asked."""
        return self.config.model

    @property
    def supports_tools(self) -> bool:
        """Whether it takes tools in the native form."""
        return self._provider.supports_tools

    @property
    def rate_limit_info(self) -> RateLimitInfo:
        """What the server said with the last answer about how much more it will take."""
        return self._limits

    @property
    def circuit_breaker(self) -> CircuitBreaker:
        """What keeps a failing server from being asked."""
        return self._breaker

    def chat_completion(
        self,
        messages: Sequence[Message],
        tools: Sequence[Message] | None = None,
        tool_choice: str | Message = "auto",
        temperature: float | None = None,
        max_tokens: int | None = None,
        timeout: float | None = None,
        **extra: Any,
    ) -> Deferred[LLMResponse]:
        """
        Put a prompt before the model.

        Args:
            messages: In the chat-completion form.
            tools: What it may call, in the function form.
            tool_choice: "auto", "none", "required", or one tool in the function form.
            temperature: In place of the configured one.
            max_tokens: In place of the configured one.
            timeout: Seconds for the whole call, in place of `total_timeout`.
            **extra: Further fields of the request.

        Returns:
            Fires on the reactor thread and never before this returns, with the answer or a
            `ModelError`. Cancelling it takes the question back.

        """
        if self._endpoint is None:
            return self._ask_brain(
                messages, tools, tool_choice=tool_choice, temperature=temperature, **extra
            )
        try:
            call = Call(
                service=self._provider.name,
                variable=self._provider.key_variable,
                body=self._body(messages, tools, tool_choice, temperature, max_tokens, extra),
                key=key_for(self._provider, self._endpoint.base_url),
                headers=app_headers(self._provider, self.config.app_name, self.config.site_url),
                total=self.config.total_timeout if timeout is None else timeout,
                retry=self._retry,
                breaker=self._breaker,
            )
        except (ModelError, ConfigError) as err:
            return _later(self._clock, fail, err)
        return loop.run(self._endpoint.ask(call)).addCallbacks(self._take, self._note)

    def _body(
        self,
        messages: Sequence[Message],
        tools: Sequence[Message] | None,
        tool_choice: str | Message,
        temperature: float | None,
        max_tokens: int | None,
        extra: Mapping[str, Any],
    ) -> dict[str, Any]:
        config = self.config
        fields = {
            "temperature": config.temperature if temperature is None else temperature,
            "top_p": config.top_p,
            self._provider.max_tokens_field: config.max_tokens
            if max_tokens is None
            else max_tokens,
            "reasoning_effort": config.reasoning_effort,
            **config.extra_params,
            **plain_fields(extra),
        }
        body = {name: value for name, value in fields.items() if value is not None}
        if tools and self.supports_tools:
            body |= {"tools": list(tools), "tool_choice": tool_choice}
        return {"model": config.model, "messages": list(messages), **body}

    def _take(self, answer: Answer) -> LLMResponse:
        self._limits = answer.limits
        return answer.response

    def _note(self, failure: Failure) -> Failure:
        wait = getattr(failure.value, "retry_after", None)
        if wait is not None:
            self._limits = replace(self._limits, retry_after=wait)
        return failure

    def _ask_brain(
        self, messages: Sequence[Message], tools: Sequence[Message] | None, **options: Any
    ) -> Deferred[LLMResponse]:
        if self._brain is None:
            self._brain = _BRAINS[self._provider.name]()
        if options["temperature"] is None:
            options["temperature"] = self.config.temperature
        return _later(self._clock, self._brain.complete, list(messages), tools, **options)


def _offline_brain() -> Brain:
    brain: Brain = import_module("evennia_assistant.llm.offline").OfflineBrain()
    return brain


#: Providers that are asked inside the process, and what makes their brain.
_BRAINS: dict[str, Callable[[], Brain]] = {"offline": _offline_brain}

_clients: dict[LLMConfig, UnifiedLLMClient] = {}
_endpoints: dict[str, Endpoint] = {}
_stand_ins: list[Any] = []


def get_client(config: LLMConfig) -> Any:
    """
    The client for a configuration; equal ones share it.

    Raises:
        ConfigError: If the provider or the address is unusable.

    """
    if _stand_ins:
        return _stand_ins[-1]
    client = _clients.get(config)
    if client is None:
        client = _clients[config] = UnifiedLLMClient(config)
    return client


@contextmanager
def stand_in(model: ChatModel) -> Iterator[ChatModel]:
    """Within the block, `get_client` gives this model whatever it is asked for."""
    _stand_ins.append(model)
    try:
        yield model
    finally:
        _stand_ins.remove(model)


def shutdown_all() -> None:
    """
    Take every question back and forget all clients; called at reload and shutdown.

    Returns at once. The Deferreds in flight fail with `CancelledError` soon after.

    """
    loop.stop()
    _clients.clear()
    _endpoints.clear()


def circuit_breakers() -> dict[str, CircuitBreaker]:
    """The breaker of every address asked so far, for a keeper's health view."""
    return {base_url: endpoint.breaker for base_url, endpoint in _endpoints.items()}


def _endpoint_at(base_url: str) -> Endpoint:
    if base_url not in _endpoints:
        _endpoints[base_url] = Endpoint(base_url, setting("ASSISTANT_MODEL_CONCURRENCY"))
    return _endpoints[base_url]


def _later(
    clock: Any, function: Callable[..., Any], *args: Any, **kwargs: Any
) -> Deferred[LLMResponse]:
    """What a function gives, but not before the caller has its Deferred."""
    from twisted.internet import reactor

    return deferLater(clock or reactor, 0, function, *args, **kwargs)
