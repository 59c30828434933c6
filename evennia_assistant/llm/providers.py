"""
The services a model may be asked at: their addresses, their habits, and who may see which key.

Keys come from the environment or from the setting `ASSISTANT_API_KEYS`, never from an Attribute::

    export OPENROUTER_API_KEY=...           # before `evennia start`

    ASSISTANT_API_KEYS = {"openai": os.environ["MY_KEY"]}       # or in the settings

An NPC's address (`llm_api_url`) can be changed from inside the game, its key cannot be read there.
So that nobody collects the key by naming an address of their own, a key is sent only to the
provider it belongs to, to this machine, and to the hosts the setting `ASSISTANT_API_HOSTS` lists.

"""

from __future__ import annotations

import ipaddress
import os
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import SplitResult, urlsplit

from ..errors import ConfigError, ModelAuthError

#: Variable read for any provider whose own is not set.
GENERIC_KEY_VARIABLE = "ASSISTANT_API_KEY"

_CHAT_PATH = "/chat/completions"


@dataclass(frozen=True, slots=True)
class Provider:
    """
    One way to reach a model.

    Args:
        name: Value of the option `llm_provider`.
        base_url: Where its OpenAI-compatible interface is; "" when the NPC must name an address.
        key_variable: Environment variable of its key.
        needs_key: Whether it answers nobody without one.
        supports_tools: Whether it is offered tools in the native form.
        max_tokens_field: What it calls the cap of an answer.
        wants_app_headers: Whether it is told the game's name and site.

    """

    name: str
    base_url: str = ""
    key_variable: str = GENERIC_KEY_VARIABLE
    needs_key: bool = False
    supports_tools: bool = True
    max_tokens_field: str = "max_tokens"
    wants_app_headers: bool = False


PROVIDERS: dict[str, Provider] = {
    provider.name: provider
    for provider in (
        Provider(
            "openai",
            "https://api.openai.com/v1",
            "OPENAI_API_KEY",
            needs_key=True,
            # Its reasoning models refuse `max_tokens`; all of them take this one.
            max_tokens_field="max_completion_tokens",
        ),
        Provider(
            "openrouter",
            "https://openrouter.ai/api/v1",
            "OPENROUTER_API_KEY",
            needs_key=True,
            wants_app_headers=True,
        ),
        Provider("anthropic", "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY", needs_key=True),
        Provider("ollama", "http://127.0.0.1:11434/v1", "OLLAMA_API_KEY"),
        Provider("local"),
        Provider("offline"),
    )
}


def get_provider(name: str, api_url: str = "") -> Provider:
    """
    The provider that a name and an address mean.

    Args:
        name: One of `PROVIDERS`.
        api_url: The NPC's own address, "" for the provider's. The address of another known provider
            means that provider: the documented defaults pair `openai` with OpenRouter's address.

    Raises:
        ConfigError: If there is no such provider, or the address is unusable.

    """
    if name not in PROVIDERS:
        raise ConfigError(
            f"There is no provider {name!r}; the providers are {', '.join(PROVIDERS)}."
        )
    if api_url and name != "offline":
        host = host_of(normalize_base_url(api_url))
        for provider in PROVIDERS.values():
            if provider.needs_key and host_of(provider.base_url) == host:
                return provider
    return PROVIDERS[name]


def base_url_for(provider: Provider, api_url: str = "") -> str:
    """
    Where a provider is asked.

    Raises:
        ConfigError: If the address is unusable, or the provider has none and none was given.

    """
    if api_url:
        return normalize_base_url(api_url)
    if not provider.base_url:
        raise ConfigError(
            f"Provider {provider.name!r} needs an address: set llm_api_url, for instance "
            "http://127.0.0.1:8000/v1"
        )
    return provider.base_url


@lru_cache(maxsize=64)
def normalize_base_url(url: str) -> str:
    """
    An address in the form the client wants, from that or from the full chat-completion endpoint.

    Raises:
        ConfigError: If it is no http address, or carries a user, password, query or fragment, where
            a key would be seen by all who may see the address.

    """
    cleaned = url.strip().rstrip("/")
    try:
        parts = urlsplit(cleaned)
        port = parts.port
    except ValueError:
        raise _bad_address() from None
    if parts.scheme not in ("http", "https") or not parts.hostname or port == 0:
        raise _bad_address()
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        raise ConfigError(
            "llm_api_url must not carry a user, a password or parameters; a key belongs into the "
            "environment of the server."
        )
    path = parts.path.removesuffix(_CHAT_PATH).rstrip("/")
    return SplitResult(parts.scheme, parts.netloc.lower(), path, "", "").geturl()


def _bad_address() -> ConfigError:
    return ConfigError(
        "llm_api_url must be an address like https://host/v1 or https://host/v1/chat/completions"
    )


@lru_cache(maxsize=64)
def host_of(base_url: str) -> str:
    """The host an address names, "" if none."""
    return urlsplit(base_url).hostname or ""


@lru_cache(maxsize=64)
def is_loopback(base_url: str) -> bool:
    """Whether an address is on this machine."""
    host = host_of(base_url)
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:  # a name
        return False


def resolve_key(provider: str) -> str:
    """
    The key of a provider.

    Looked for in the setting `ASSISTANT_API_KEYS`, then in the provider's own environment variable,
    then in `ASSISTANT_API_KEY`.

    Args:
        provider: Its name.

    Returns:
        The key, "" when there is none.

    Raises:
        ConfigError: If there is no such provider.
        ModelAuthError: If what is there cannot be a key.

    """
    spec = get_provider(provider)
    found = (
        _setting("ASSISTANT_API_KEYS", {}).get(provider)
        or os.environ.get(spec.key_variable)
        or os.environ.get(GENERIC_KEY_VARIABLE)
        or ""
    )
    key = str(found).strip()
    # It would fail much later otherwise, in an error that quotes it.
    if not all("!" <= character <= "~" for character in key):
        raise ModelAuthError(
            f"The key of {provider} holds a space or a character no key has; check "
            f"{spec.key_variable}, {GENERIC_KEY_VARIABLE} and the setting ASSISTANT_API_KEYS."
        )
    return key


def key_for(provider: Provider, base_url: str) -> str:
    """
    The key to send to an address.

    Returns:
        "" when the provider needs none and there is none, or none that this address may see.

    Raises:
        ModelAuthError: If a key is needed and missing, or this address may not see it; the text
            says which variable or setting to set.

    """
    key = resolve_key(provider.name)
    if not key:
        if provider.needs_key:
            raise ModelAuthError(
                f"There is no key for {provider.name}: set the environment variable "
                f"{provider.key_variable}, or the setting ASSISTANT_API_KEYS, and restart."
            )
        return ""
    host = host_of(base_url)
    if host == host_of(provider.base_url) or is_loopback(base_url):
        return key
    if host in _setting("ASSISTANT_API_HOSTS", ()):
        return key
    if provider.needs_key:
        raise ModelAuthError(
            f"The key of {provider.name} is not sent to {host}: add the host to the setting "
            "ASSISTANT_API_HOSTS if it may have it."
        )
    return ""


def app_headers(provider: Provider, app_name: str, site_url: str) -> dict[str, str]:
    """How the game names itself to a provider that wants to know."""
    if not provider.wants_app_headers:
        return {}
    headers = {"X-Title": _header_text(app_name), "HTTP-Referer": _header_text(site_url)}
    return {name: value for name, value in headers.items() if value}


def _header_text(text: str) -> str:
    return "".join(character for character in text if " " <= character <= "~").strip()


def _setting(name: str, default: Any) -> Any:
    """A setting of the game, or its default; also where there is no game at all."""
    from django.conf import settings
    from django.core.exceptions import ImproperlyConfigured

    try:
        return getattr(settings, name, default)
    except ImproperlyConfigured:  # used outside a game
        return default
