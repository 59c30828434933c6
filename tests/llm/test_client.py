"""Asking a model over real HTTP, when all goes well."""

import subprocess
import sys
import threading
import time

import pytest

from evennia_assistant.errors import ConfigError
from evennia_assistant.llm.client import LLMConfig, UnifiedLLMClient, circuit_breakers, get_client
from evennia_assistant.llm.response import ToolCall, Usage
from evennia_assistant.testing import Reply, ScriptedModelServer, replies

HELLO = [{"role": "user", "content": "Hello"}]
SAY = {"type": "function", "function": {"name": "say", "parameters": {"type": "object"}}}


@pytest.fixture
def server():
    with ScriptedModelServer(handler=lambda body: "Well met!") as running:
        yield running


def test_an_answer_comes_and_never_before_the_asker_has_its_deferred(wait, server):
    deferred = get_client(server.config()).chat_completion(HELLO)
    assert not deferred.called
    answer = wait(deferred)
    assert (answer.content, answer.tool_calls, answer.finish_reason) == ("Well met!", (), "stop")
    assert answer.model == "scripted-model"


def test_tools_are_offered_and_the_calls_of_them_come_back(wait, server):
    server.add(replies.tool_calls(("look", {"at": "door"}), ("say", {"text": "Grüß dich!"})))
    answer = wait(get_client(server.config()).chat_completion(HELLO, [SAY], tool_choice="required"))
    assert answer.tool_calls == (
        ToolCall("call_1", "look", '{"at": "door"}'),
        ToolCall("call_2", "say", '{"text": "Grüß dich!"}'),
    )
    assert server.requests[0].body["tools"] == [SAY]
    assert server.requests[0].body["tool_choice"] == "required"


def test_no_tool_choice_is_sent_without_tools(wait, server):
    wait(get_client(server.config()).chat_completion(HELLO))
    assert server.requests[0].body == {"model": "scripted-model", "messages": HELLO}


def test_arguments_that_are_no_json_come_back_as_written(wait, server):
    server.add(replies.bad_arguments("say", '{"text": '))
    answer = wait(get_client(server.config()).chat_completion(HELLO, [SAY]))
    assert answer.tool_calls[0].arguments == '{"text": '


def test_tokens_are_those_the_server_counted(wait, server):
    server.add(replies.text("Hm.", usage=Usage(120, 7)))
    assert wait(get_client(server.config()).chat_completion(HELLO)).usage == Usage(120, 7)


def test_tokens_are_estimated_when_the_server_does_not_count(wait, server):
    usage = wait(get_client(server.config()).chat_completion(HELLO)).usage
    assert usage.prompt_tokens > 0 < usage.completion_tokens


def test_the_options_of_an_npc_reach_the_server(wait, server):
    config = server.config(
        temperature=0.3,
        top_p=0.9,
        max_tokens=200,
        reasoning_effort="low",
        extra_params={"min_p": 0.05},
    )
    wait(get_client(config).chat_completion(HELLO, seed=7))
    sent = server.requests[0].body
    assert {name: sent[name] for name in sent if name not in ("model", "messages")} == {
        "temperature": 0.3,
        "top_p": 0.9,
        "max_tokens": 200,
        "reasoning_effort": "low",
        "min_p": 0.05,
        "seed": 7,
    }


def test_one_call_may_differ_from_the_options(wait, server):
    client = get_client(server.config(temperature=0.3, max_tokens=200))
    wait(client.chat_completion(HELLO, temperature=0.0, max_tokens=5))
    assert server.requests[0].body["temperature"] == 0.0
    assert server.requests[0].body["max_tokens"] == 5


def test_the_full_endpoint_is_as_good_as_the_base_url(wait, server):
    config = server.config(api_url=f"{server.url}/chat/completions")
    wait(get_client(config).chat_completion(HELLO))
    assert server.requests[0].path == "/v1/chat/completions"


def test_openrouter_is_told_which_game_asks(wait, server, monkeypatch):
    monkeypatch.setenv("OPENROUTER_API_KEY", "sk-or-1")
    config = server.config(
        provider="openrouter", app_name="Café Mud\n", site_url="https://mud.test"
    )
    wait(get_client(config).chat_completion(HELLO))
    headers = server.requests[0].headers
    assert (headers["x-title"], headers["http-referer"]) == ("Caf Mud", "https://mud.test")
    assert headers["authorization"] == "Bearer sk-or-1"


def test_openai_is_asked_in_its_own_words(wait, server, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
    wait(get_client(server.config(provider="openai", max_tokens=50)).chat_completion(HELLO))
    assert server.requests[0].body["max_completion_tokens"] == 50
    assert "max_tokens" not in server.requests[0].body


def test_a_server_that_needs_no_key_is_sent_none(wait, server):
    wait(get_client(server.config()).chat_completion(HELLO))
    assert "authorization" not in server.requests[0].headers


def test_a_key_changed_in_the_environment_is_used_at_once(wait, server, monkeypatch):
    client = get_client(server.config(provider="openai"))
    for key in ("sk-old", "sk-new"):
        monkeypatch.setenv("OPENAI_API_KEY", key)
        wait(client.chat_completion(HELLO))
    sent = [request.headers["authorization"] for request in server.requests]
    assert sent == ["Bearer sk-old", "Bearer sk-new"]


def test_what_the_server_says_about_limits_can_be_read(wait, server):
    limits = {"x-ratelimit-limit-requests": "60", "x-ratelimit-remaining-tokens": "1200"}
    server.add(Reply(content="Hm.", headers=tuple(limits.items())))
    client = get_client(server.config())
    wait(client.chat_completion(HELLO))
    assert client.rate_limit_info.limit_requests == 60
    assert client.rate_limit_info.remaining_tokens == 1200
    assert client.rate_limit_info.limit_tokens is None


def test_equal_npcs_share_a_client_and_all_of_an_address_share_a_breaker(server):
    calm = get_client(server.config(temperature=0.1, extra_params={"min_p": 0.05}))
    assert get_client(server.config(temperature=0.1, extra_params={"min_p": 0.05})) is calm
    wild = get_client(server.config(temperature=1.5))
    assert wild is not calm
    assert wild.circuit_breaker is calm.circuit_breaker is circuit_breakers()[server.url]


def test_many_npcs_do_not_flood_the_server(wait, settings):
    settings.ASSISTANT_MODEL_CONCURRENCY = 3
    lock, now, most = threading.Lock(), [0], [0]

    def busy(body):
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        time.sleep(0.02)
        with lock:
            now[0] -= 1
        return "Yes?"

    with ScriptedModelServer(handler=busy) as server:
        client = get_client(server.config())
        calls = [client.chat_completion(HELLO) for _ in range(12)]
        assert {wait(call).content for call in calls} == {"Yes?"}
    assert most == [3]


def test_half_a_character_from_a_player_does_not_silence_the_npc(wait, server):
    wait(get_client(server.config()).chat_completion([{"role": "user", "content": "Hi \ud83d!"}]))
    assert server.requests[0].body["messages"][0]["content"] == "Hi ?!"


def test_a_proxy_in_the_environment_is_not_asked_for_a_server_on_this_machine(
    wait, server, monkeypatch
):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    assert wait(get_client(server.config()).chat_completion(HELLO)).content == "Well met!"


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"provider": "opnai"}, "openai, openrouter, anthropic, ollama, local, offline"),
        ({"provider": "local", "api_url": "", "model": "m"}, "llm_api_url"),
        ({"provider": "local", "api_url": "not an address", "model": "m"}, "https://host/v1"),
        ({"provider": "ollama"}, "llm_model"),
    ],
)
def test_an_unusable_option_says_which_and_what_to_do(wrong, said):
    with pytest.raises(ConfigError, match=said):
        UnifiedLLMClient(LLMConfig(**wrong))


@pytest.mark.parametrize("name", ["api_key", "messages", "model", "stream", "tools"])
def test_extra_params_cannot_replace_what_the_request_is_made_of(name):
    with pytest.raises(ConfigError, match=f"must not hold {name}"):
        LLMConfig(extra_params={name: "x"})


def test_extra_params_are_copied_out_of_where_they_are_kept():
    kept = {"logit_bias": {"50256": -100}, "stop": ["\n"]}
    config = LLMConfig(extra_params=kept)
    kept["logit_bias"]["50256"] = 0
    assert config.extra_params == {"logit_bias": {"50256": -100}, "stop": ["\n"]}
    with pytest.raises(ConfigError, match="holds a object"):
        LLMConfig(extra_params={"x": object()})


def test_a_server_that_never_asks_a_model_does_not_load_openai():
    code = (
        "import sys, django.conf\n"
        "django.conf.settings.configure()\n"
        "from evennia_assistant.llm.client import LLMConfig, get_client\n"
        "import evennia_assistant.errors, evennia_assistant.llm.tokens\n"
        "get_client(LLMConfig(provider='ollama', model='llama3'))\n"
        "print(sorted({'openai', 'httpx2', 'mem0'}.intersection(sys.modules)))\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
