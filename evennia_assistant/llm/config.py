"""Which model answers an NPC, and how."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..errors import ConfigError

# What a request is made of already, or what would have the answer come in a form not read here.
_NOT_EXTRA = frozenset({"api_key", "messages", "model", "n", "stream", "tool_choice", "tools"})


@dataclass(frozen=True, slots=True)
class LLMConfig:
    """
    Which model answers, and how; NPCs with equal ones share a client.

    Args:
        provider: One of `providers.PROVIDERS`.
        api_url: Address, or full chat-completion endpoint; "" for the provider's own.
        model: Model name.
        temperature: 0 to 2, None for the provider's default, as with the following.
        top_p: 0 to 1.
        max_tokens: Longest answer, in tokens.
        reasoning_effort: `low`, `medium` or `high`, for models that reason.
        extra_params: Further fields of the request, such as `{"min_p": 0.05}`.
        app_name: The game's name, for a provider that wants to know.
        site_url: The game's site, likewise.
        total_timeout: Seconds after which a call is given up.

    Raises:
        ConfigError: If `extra_params` is unusable.

    """

    provider: str = "offline"
    api_url: str = ""
    model: str = ""
    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    reasoning_effort: str | None = None
    extra_params: Mapping[str, Any] = field(default_factory=dict, hash=False)
    app_name: str = "Evennia AI Assistant"
    site_url: str = ""
    total_timeout: float = 45.0

    def __post_init__(self) -> None:
        # What comes from an Attribute writes to the database when touched; the loop thread must
        # not, so only plain copies go there.
        object.__setattr__(self, "extra_params", plain_fields(self.extra_params))


def plain_fields(params: Mapping[str, Any]) -> dict[str, Any]:
    """
    Further fields of a request, as plain data.

    Raises:
        ConfigError: If one of them is not for a keeper to set, or is no JSON value.

    """
    if refused := sorted(_NOT_EXTRA.intersection(params)):
        raise ConfigError(f"llm_extra_params must not hold {', '.join(refused)}.")
    return {str(name): _plain(value) for name, value in params.items()}


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, Mapping):
        return {str(name): _plain(inner) for name, inner in value.items()}
    if isinstance(value, Sequence):
        return [_plain(inner) for inner in value]
    raise ConfigError(
        f"llm_extra_params holds a {type(value).__name__}, which JSON has no form for."
    )
