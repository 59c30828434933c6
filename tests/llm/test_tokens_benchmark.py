"""The estimate is as near to a real tokenizer as it says, where one is installed."""

import pytest

from evennia_assistant.llm.tokens import estimate_tokens

from benchmarks.tokens import TEXTS, error, tokenizers

FOUND, MISSING = tokenizers()


@pytest.mark.parametrize("name", ["llama-2", "claude-2", "deepseek", "gpt-4", "gpt-4o"])
def test_english_is_within_fifteen_percent_and_chinese_not_wildly_off(name):
    if name not in FOUND:
        pytest.skip(f"no tokenizer of {name} is installed")
    count = FOUND[name]
    for language in ("english", "json"):
        assert abs(error(TEXTS[language], count, estimate_tokens)) <= 0.15, language
    for language in ("chinese", "japanese", "korean"):
        assert abs(error(TEXTS[language], count, estimate_tokens)) <= 0.6, language


def test_a_missing_tokenizer_is_named():
    assert len(FOUND) + len(MISSING) in (4, 5)
    assert all(" need" in line for line in MISSING)
