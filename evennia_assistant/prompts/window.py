"""How much of its model's context window an NPC may fill, and how much of that its prompts."""

from __future__ import annotations

from typing import Any

from ..conf import setting
from ..llm.context_window import get_model_max_tokens

#: Tokens kept free for the answer, of an NPC that does not limit its answers.
ANSWER = 300
#: Most of the window that is kept free for it.
ANSWER_SHARE = 0.25


def model_of(script: Any) -> str:
    """The model an NPC's prompts are made for."""
    return str(script.option("llm_model") or setting("ASSISTANT_MODEL"))


def context_window(script: Any) -> int:
    """
    Tokens that prompt and answer may have together.

    The option `max_context_tokens` where it is set, else the model's own window.

    """
    limit: Any = script.option("max_context_tokens")
    usable = isinstance(limit, int) and limit > 0
    return limit if usable else get_model_max_tokens(model_of(script))


def prompt_limit(script: Any) -> int:
    """Tokens a prompt may have, so that the window has room for the answer."""
    window = context_window(script)
    answer = script.option("llm_max_tokens") or ANSWER
    return window - min(int(answer), int(window * ANSWER_SHARE))
