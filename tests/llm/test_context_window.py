"""How full a model's window is, and who counts."""

import hashlib
import sys
import types

import pytest

from evennia_assistant.llm import tokenizers
from evennia_assistant.llm.tokens import (
    calculate_utilization,
    count_tokens,
    count_tokens_batch,
    estimate_tokens,
    get_model_max_tokens,
    get_utilization_status,
)


@pytest.mark.parametrize(
    ("model", "window"),
    [
        # The documented examples.
        ("gpt-4", 128_000),
        ("claude-3-opus", 200_000),
        ("openai/gpt-4", 128_000),
        ("anthropic/claude-3-opus", 200_000),
        ("gpt-4o-mini", 128_000),
        (" GPT-4.1-mini ", 1_047_576),
        ("ft:gpt-4o-2024:org:id", 128_000),
        ("meta-llama/llama-3.1-8b-instruct:free", 128_000),
        ("llama3:8b", 8_192),
        ("nobody/knows-this", 8_192),
        ("", 8_192),
    ],
)
def test_a_model_has_its_window(model, window):
    assert get_model_max_tokens(model) == window


def test_utilization_is_in_percent():
    assert calculate_utilization(64_000, "gpt-4") == 50.0
    assert calculate_utilization(0, "openai/gpt-4") == 0.0
    assert calculate_utilization(256_000, "gpt-4") == 200.0
    with pytest.raises(ValueError, match="-1 is no number of tokens"):
        calculate_utilization(-1, "gpt-4")


@pytest.mark.parametrize(
    ("percent", "level", "color", "message"),
    [
        (0.0, "ok", "success", "Token budget healthy"),
        (69.99, "ok", "success", "Token budget healthy"),
        (70.0, "warning", "warning", "Approaching token limit"),
        # The documented example.
        (85.0, "warning", "warning", "Approaching token limit"),
        (85.01, "danger", "danger", "Critical: Near token limit"),
        (95.0, "danger", "danger", "Critical: Near token limit"),
        (95.01, "critical", "danger", "Token limit exceeded"),
        (float("inf"), "critical", "danger", "Token limit exceeded"),
    ],
)
def test_the_levels_are_as_documented(percent, level, color, message):
    assert get_utilization_status(percent) == {"level": level, "color": color, "message": message}


def test_what_is_no_number_has_no_level():
    with pytest.raises(ValueError, match="must be a number"):
        get_utilization_status(float("nan"))


@pytest.fixture
def libraries(monkeypatch, tmp_path):
    """Pretended toksum and tiktoken, an empty cache folder, and what was asked of them."""
    asked = []

    class TokenCounter:
        def __init__(self, model):
            asked.append(("toksum", model))
            if model == "gpt-4-unheard-of":
                raise toksum.UnsupportedModelError(model)
            self.provider = "openai"

        def count(self, text):
            if "<|" in text:
                raise toksum.TokenizationError(text)
            return 1000 + len(text)

    class Encoding:
        def encode(self, text, disallowed_special):
            assert disallowed_special == ()
            return text.split()

    def get_encoding(name):
        asked.append(("tiktoken", name))
        return Encoding()

    toksum = types.ModuleType("toksum")
    toksum.TokenCounter = TokenCounter
    toksum.UnsupportedModelError = type("UnsupportedModelError", (Exception,), {})
    toksum.TokenizationError = type("TokenizationError", (Exception,), {})
    tiktoken = types.ModuleType("tiktoken")
    tiktoken.get_encoding = get_encoding
    for module in (toksum, tiktoken):
        module.__spec__ = types.SimpleNamespace(name=module.__name__)
        monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    forget()
    yield types.SimpleNamespace(asked=asked, folder=tmp_path)
    forget()


def forget():
    """Count anew what was counted."""
    tokenizers.tokenizer_for.cache_clear()
    count_tokens.cache_clear()


def vocabulary(libraries, monkeypatch, encoding, words=b"a vocabulary"):
    """Put a vocabulary into the folder."""
    address = f"https://openaipublic.blob.core.windows.net/encodings/{encoding}.tiktoken"
    (libraries.folder / hashlib.sha1(address.encode()).hexdigest()).write_bytes(words)
    monkeypatch.setitem(
        tokenizers._VOCABULARIES, encoding, hashlib.sha256(b"a vocabulary").hexdigest()
    )


def test_nothing_is_downloaded_where_no_vocabulary_is(libraries):
    assert count_tokens("one two three", "gpt-4") == estimate_tokens("one two three") == 3
    assert libraries.asked == []


def test_a_spoilt_vocabulary_is_left_alone(libraries, monkeypatch):
    vocabulary(libraries, monkeypatch, "cl100k_base", b"half of i")
    assert count_tokens("one two three", "gpt-4") == 3
    assert libraries.asked == []


def test_toksum_goes_before_tiktoken_and_that_before_the_estimate(libraries, monkeypatch):
    vocabulary(libraries, monkeypatch, "cl100k_base")
    assert count_tokens("one two", "openai/gpt-4") == 1007
    assert count_tokens("one two", "gpt-4-unheard-of") == 2
    assert libraries.asked == [
        ("toksum", "gpt-4"),
        ("toksum", "gpt-4-unheard-of"),
        ("tiktoken", "cl100k_base"),
    ]
    # Without a library of its own, or another model's vocabulary, it is the estimate.
    assert count_tokens("one two", "gpt-4o") == 2
    assert count_tokens("one two", "claude-3-opus") == 2


def test_what_a_player_types_is_counted_whatever_it_looks_like(libraries, monkeypatch):
    vocabulary(libraries, monkeypatch, "cl100k_base")
    assert count_tokens("one <|endoftext|> three", "gpt-4") == 3
    monkeypatch.setitem(sys.modules, "tiktoken", None)
    forget()
    assert count_tokens("one <|endoftext|> three", "gpt-4") == 5


def test_without_toksum_tiktoken_counts(libraries, monkeypatch):
    vocabulary(libraries, monkeypatch, "o200k_base")
    monkeypatch.setitem(sys.modules, "toksum", None)
    assert count_tokens("one-two three", "gpt-4o") == 2
    assert libraries.asked == [("tiktoken", "o200k_base")]
    monkeypatch.setitem(sys.modules, "tiktoken", None)
    forget()
    assert count_tokens("one two three", "gpt-4o") == 3


def test_an_empty_folder_name_means_no_cache(libraries, monkeypatch):
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "")
    assert not tokenizers.vocabulary_is_here("cl100k_base")


def test_without_a_model_the_figure_does_not_depend_on_what_is_installed(libraries, monkeypatch):
    vocabulary(libraries, monkeypatch, "cl100k_base")
    assert count_tokens("one two three") == 3 and libraries.asked == []


def test_several_texts_are_counted_at_once():
    assert count_tokens_batch(["", "one two", "one"]) == [0, 2, 1]
    assert count_tokens_batch(iter(["one two"]), model="unknown") == [2]
    assert count_tokens_batch([]) == []
