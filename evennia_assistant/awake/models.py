"""Which model answers for an NPC: its options, the game's settings, and what has a key."""

from __future__ import annotations

from typing import Any

from ..conf import setting
from ..llm.client import LLMConfig, UnifiedLLMClient, get_client
from ..llm.providers import get_provider, resolve_key

OFFLINE = "offline"


def effective_provider(script: Any) -> tuple[str, str | None]:
    """
    The provider that will answer, and why it is not the one that was asked for.

    Args:
        script: The AssistantScript.

    Returns:
        Its name, and a line for the keeper, None when it is the one the options name.

    Raises:
        ConfigError: If the options name a provider there is not.

    """
    wanted = script.option("llm_provider")
    if wanted == OFFLINE:
        return OFFLINE, None
    provider = get_provider(wanted, script.option("llm_api_url") or "")
    if provider.needs_key and not resolve_key(wanted):
        return OFFLINE, (
            f"{wanted} has no key ({provider.key_variable} is not set); the offline brain answers."
        )
    return wanted, None


def model_for(script: Any, model: str | None = None) -> UnifiedLLMClient:
    """
    The client an NPC talks through; NPCs with equal options share one.

    Args:
        script: The AssistantScript.
        model: Name of a model in place of the one the options name.

    Raises:
        ConfigError: If the options cannot be used together.
        ModelAuthError: If the provider's key cannot be used.

    """
    provider, _why = effective_provider(script)
    return get_client(
        LLMConfig(
            provider=provider,
            api_url=script.option("llm_api_url") or "",
            model=model or script.option("llm_model") or setting("ASSISTANT_MODEL"),
            temperature=script.option("llm_temperature"),
            top_p=script.option("llm_top_p"),
            max_tokens=script.option("llm_max_tokens"),
            reasoning_effort=script.option("llm_reasoning_effort"),
            extra_params=script.option("llm_extra_params") or {},
            app_name=script.option("llm_app_name"),
            site_url=script.option("llm_site_url"),
            total_timeout=script.option("turn_timeout"),
        )
    )


def has_model(script: Any) -> bool:
    """
    Whether there is a model that can judge and summarise, rather than the rule-based brain.

    Args:
        script: The AssistantScript.

    Raises:
        ConfigError: As `model_for` does.
        ModelAuthError: As `model_for` does.

    """
    agent = script.ndb.agent
    own = None if agent is None else agent.model
    return (own or model_for(script)).provider_name != OFFLINE
