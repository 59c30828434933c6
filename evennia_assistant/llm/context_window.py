"""
How much fits into a model's context window, and how full it is.

Windows are those the documented interface and the providers' model pages state; a model nobody
listed gets `DEFAULT_WINDOW`, which is careful: every model of today has more.

"""

from __future__ import annotations

from typing import TypedDict

#: Tokens of a window by the beginning of the model's name; the longest that fits counts.
WINDOWS: dict[str, int] = {
    "claude": 200_000,
    "command-r": 128_000,
    "deepseek": 128_000,
    "gemini-1.5": 1_000_000,
    "gemini-2": 1_000_000,
    "gemma": 8_192,
    "gpt-3.5": 16_385,
    "gpt-4": 128_000,
    "gpt-4.1": 1_047_576,
    "gpt-5": 400_000,
    "llama-2": 4_096,
    "llama-3": 8_192,
    "llama-3.1": 128_000,
    "llama-3.2": 128_000,
    "llama-3.3": 128_000,
    "llama3": 8_192,
    "llama3.1": 128_000,
    "llama3.2": 128_000,
    "llama3.3": 128_000,
    "mistral": 32_768,
    "mistral-large": 128_000,
    "mixtral": 32_768,
    "o1": 200_000,
    "o3": 200_000,
    "o4": 200_000,
    "phi3": 4_096,
    "qwen2.5": 32_768,
    "qwen3": 32_768,
}
DEFAULT_WINDOW = 8_192


class UtilizationStatus(TypedDict):
    """How full a window is: the level, the colour it is shown in, and what to tell a keeper."""

    level: str
    color: str
    message: str


def normalized_model(model: str) -> str:
    """A model's own name: in lower case, without a provider in front or a variant behind."""
    return model.strip().lower().removeprefix("ft:").rsplit("/", 1)[-1].partition(":")[0]


def get_model_max_tokens(model: str) -> int:
    """
    How many tokens a model's context window holds.

    Args:
        model: Its name, with or without a provider in front (`openai/gpt-4`).

    """
    name = normalized_model(model)
    fitting = [start for start in WINDOWS if name.startswith(start)]
    return WINDOWS[max(fitting, key=len)] if fitting else DEFAULT_WINDOW


def calculate_utilization(tokens: int, model: str) -> float:
    """
    How full a model's context window is, in percent; more than 100 when it is not enough.

    Raises:
        ValueError: If the number of tokens is negative.

    """
    if tokens < 0:
        raise ValueError(f"{tokens} is no number of tokens.")
    return 100.0 * tokens / get_model_max_tokens(model)


def get_utilization_status(percent: float) -> UtilizationStatus:
    """
    What a share of the window means, by the documented table.

    The documented example puts 85.0 with the warnings: from there on a bound belongs to the lower
    level, while 70.0, whose range begins with it, is a warning already.

    Args:
        percent: As `calculate_utilization` gives it.

    Raises:
        ValueError: If it is no number.

    """
    if percent != percent:
        raise ValueError("A utilization must be a number.")
    if percent < 70.0:
        return {"level": "ok", "color": "success", "message": "Token budget healthy"}
    if percent <= 85.0:
        return {"level": "warning", "color": "warning", "message": "Approaching token limit"}
    if percent <= 95.0:
        return {"level": "danger", "color": "danger", "message": "Critical: Near token limit"}
    return {"level": "critical", "color": "danger", "message": "Token limit exceeded"}
