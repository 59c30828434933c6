"""Where a model is asked, and which key goes there."""

import pytest

from evennia_assistant.errors import ConfigError, ModelAuthError
from evennia_assistant.llm.providers import (
    PROVIDERS,
    app_headers,
    base_url_for,
    get_provider,
    is_loopback,
    key_for,
    normalize_base_url,
    resolve_key,
)


@pytest.mark.parametrize(
    ("given", "base"),
    [
        ("https://openrouter.ai/api/v1/chat/completions", "https://openrouter.ai/api/v1"),
        ("https://openrouter.ai/api/v1/chat/completions/", "https://openrouter.ai/api/v1"),
        ("https://api.openai.com/v1/", "https://api.openai.com/v1"),
        (" http://LocalHost:8000/v1 ", "http://localhost:8000/v1"),
        ("http://[::1]:8000/v1", "http://[::1]:8000/v1"),
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000"),
    ],
)
def test_the_full_endpoint_and_the_base_url_mean_the_same(given, base):
    assert normalize_base_url(given) == base


@pytest.mark.parametrize(
    "bad", ["", "openai.com/v1", "ftp://x/v1", "https://", "http://x:port/v1", "http://[::1/v1"]
)
def test_what_is_no_address_is_refused_with_an_example(bad):
    with pytest.raises(ConfigError, match=r"like https://host/v1"):
        normalize_base_url(bad)


@pytest.mark.parametrize(
    "bad", ["https://me:pw@x.test/v1", "https://sk-1@x.test/v1", "https://x.test/v1?key=sk-1"]
)
def test_an_address_may_not_carry_a_key(bad):
    with pytest.raises(ConfigError, match="environment") as caught:
        normalize_base_url(bad)
    assert "sk-1" not in str(caught.value)
    assert "pw" not in str(caught.value)


def test_an_unknown_provider_is_answered_with_those_there_are():
    with pytest.raises(ConfigError, match="openai, openrouter, anthropic, ollama, local, offline"):
        get_provider("chatgpt")


def test_the_documented_default_of_openai_at_openrouters_address_means_openrouter():
    url = "https://openrouter.ai/api/v1/chat/completions"
    assert get_provider("openai", url) is PROVIDERS["openrouter"]
    assert get_provider("offline", url) is PROVIDERS["offline"]
    assert get_provider("openai", "https://proxy.test/v1") is PROVIDERS["openai"]


def test_a_provider_has_an_address_unless_it_is_any_server():
    assert base_url_for(PROVIDERS["ollama"]) == "http://127.0.0.1:11434/v1"
    assert base_url_for(PROVIDERS["ollama"], "http://pi:11434/v1") == "http://pi:11434/v1"
    with pytest.raises(ConfigError, match="llm_api_url"):
        base_url_for(PROVIDERS["local"])


def test_keys_are_looked_for_in_the_settings_then_the_own_then_the_common_variable(
    monkeypatch, settings
):
    assert resolve_key("openai") == ""
    monkeypatch.setenv("ASSISTANT_API_KEY", "sk-common")
    assert resolve_key("openai") == "sk-common"
    monkeypatch.setenv("OPENAI_API_KEY", "sk-own\n")
    assert resolve_key("openai") == "sk-own"
    assert resolve_key("anthropic") == "sk-common"
    settings.ASSISTANT_API_KEYS = {"openai": "sk-set"}
    assert resolve_key("openai") == "sk-set"


@pytest.mark.parametrize(
    ("provider", "variable"),
    [
        ("openai", "OPENAI_API_KEY"),
        ("openrouter", "OPENROUTER_API_KEY"),
        ("anthropic", "ANTHROPIC_API_KEY"),
    ],
)
def test_a_missing_key_names_its_variable(provider, variable):
    spec = PROVIDERS[provider]
    with pytest.raises(ModelAuthError, match=variable):
        key_for(spec, spec.base_url)


@pytest.mark.parametrize("provider", ["ollama", "local"])
def test_no_key_is_needed_for_ones_own_server(provider):
    assert key_for(PROVIDERS[provider], "http://192.168.1.5:8000/v1") == ""


@pytest.mark.parametrize(
    ("url", "sent"),
    [
        ("https://api.openai.com/v1", True),
        ("https://api.openai.com.evil.test/v1", False),
        ("https://evil.test/api.openai.com", False),
        ("http://127.0.0.1:8000/v1", True),
        ("http://localhost:8000/v1", True),
        ("http://127.0.0.1.evil.test/v1", False),
        ("https://gateway.test/v1", True),
    ],
)
def test_a_key_is_sent_only_where_the_operator_trusts(monkeypatch, settings, url, sent):
    settings.ASSISTANT_API_HOSTS = ["gateway.test"]
    monkeypatch.setenv("ASSISTANT_API_KEY", "sk-1")
    if sent:
        assert key_for(PROVIDERS["openai"], url) == "sk-1"
    else:
        with pytest.raises(ModelAuthError, match="ASSISTANT_API_HOSTS"):
            key_for(PROVIDERS["openai"], url)
    assert key_for(PROVIDERS["local"], url) == ("sk-1" if sent and "openai" not in url else "")


@pytest.mark.parametrize("key", ["sk-1 2", "sk-1\nX-Evil: 1", "sk-ü"])
def test_a_key_cannot_smuggle_in_a_header(monkeypatch, key):
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with pytest.raises(ModelAuthError, match="OPENAI_API_KEY"):
        resolve_key("openai")


def test_only_who_wants_to_know_is_told_the_games_name():
    assert app_headers(PROVIDERS["openai"], "My Mud", "https://mud.test") == {}
    assert app_headers(PROVIDERS["openrouter"], "My\r\nMud", "") == {"X-Title": "MyMud"}


@pytest.mark.parametrize(
    ("url", "yes"),
    [
        ("http://127.0.0.1/v1", True),
        ("http://127.8.8.8/v1", True),
        ("http://[::1]:1/v1", True),
        ("http://localhost/v1", True),
        ("http://192.168.0.1/v1", False),
        ("http://localhost.test/v1", False),
    ],
)
def test_this_machine_is_known(url, yes):
    assert is_loopback(url) is yes
