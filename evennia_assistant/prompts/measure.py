"""
How a prompt fills the room it has: tokens, place and share of every component, and what is wrong.

"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..llm.tokens import (
    UtilizationStatus,
    calculate_utilization,
    count_message_tokens,
    count_tokens,
    get_model_max_tokens,
    get_utilization_status,
)
from ..mind.contexts import Component
from .assembly import Prompt, TurnContext, assemble
from .components import STATIC_COMPONENTS

#: Tokens of conversation below which its start moves so often that no prefix stands still.
LEAST_HISTORY = 150
#: What both sides say in the conversation by which prefixes are compared.
_SAMPLE = "A line of the conversation, as long as people say them."


@dataclass(frozen=True, slots=True)
class Usage:
    """
    One component's part of a prompt.

    Args:
        label: Its key; `tools` and `message frames` are no components.
        number: Its id, None for what is no component.
        tokens: How many.
        start: Tokens before it, in the order in which the model reads.
        share: Of all tokens of the prompt, 0.0 to 1.0.

    """

    label: str
    number: int | None
    tokens: int
    start: int
    share: float


@dataclass(frozen=True, slots=True)
class Window:
    """
    A prompt measured.

    Args:
        usage: Its parts in the order in which the model reads them.
        tokens: Of all of it.
        budget: Most tokens it may have.
        model_max: The model's context window.
        percent: Of that window.
        status: What this share means.

    """

    usage: tuple[Usage, ...]
    tokens: int
    budget: int
    model_max: int
    percent: float
    status: UtilizationStatus


def measured(
    prompt: Prompt,
    tools: Sequence[dict[str, Any]],
    budget: int,
    model: str,
    most: int | None = None,
) -> Window:
    """
    What each component of a prompt takes.

    Args:
        prompt: The prompt.
        tools: The schemas sent along, which the model reads first.
        budget: Most tokens the prompt may have.
        model: The model's name.
        most: The operator's own limit of the window (`max_context_tokens`), None for the model's.

    """
    total = count_message_tokens(prompt.messages, tools)
    parts: list[tuple[str, int | None, int]] = []
    if tools:
        parts.append(("tools", None, count_message_tokens((), tools) - count_message_tokens(())))
    for pieces in prompt.first:
        parts += [_part(number, words) for number, words in pieces]
    if prompt.history:
        number = int(Component.CONVERSATION_HISTORY)
        spoken = sum(count_tokens(str(line["content"])) for line in prompt.history)
        parts.append((_label(number), number, spoken))
    parts += [_part(number, words) for number, words in prompt.last]
    parts.append(("message frames", None, max(0, total - sum(tokens for *_, tokens in parts))))
    usage, start = [], 0
    for label, part, tokens in _joined(parts):
        usage.append(Usage(label, part, tokens, start, tokens / total if total else 0.0))
        start += tokens
    window = most or get_model_max_tokens(model)
    percent = 100.0 * total / most if most else calculate_utilization(total, model)
    return Window(tuple(usage), total, budget, window, percent, get_utilization_status(percent))


def stable_share(context: TurnContext, tools: Sequence[dict[str, Any]]) -> float:
    """
    How much of a prompt, what is new left aside, is byte for byte how the next turn's begins.

    Measured on a short conversation, by putting a question and its answer into it, as a turn does,
    and changing everything that is new in a turn.

    Returns:
        1.0 for all of it.

    """
    lines = [
        {"role": role, "name": "Anna", "manner": "say", "content": _SAMPLE}
        for role in ("user", "assistant")
    ]
    before = replace(context, history=lines)
    after = replace(
        before,
        history=[*lines, *lines],
        scene={**context.scene, "time": "another time"},
        memories=[],
        recent=[],
        goals=[],
    )
    fixed = assemble(before, tools).messages[:-1]
    later = assemble(after, tools).messages
    whole = "".join(str(message) for message in fixed)
    other = "".join(str(message) for message in later)
    pairs = enumerate(zip(whole, other, strict=False))
    same = next((n for n, (one, two) in pairs if one != two), min(len(whole), len(other)))
    return same / len(whole) if whole else 1.0


def health(
    context: TurnContext, tools: Sequence[dict[str, Any]], *, native: bool = True
) -> list[str]:
    """
    What is wrong with the prompts of an NPC, one line each; [] when nothing is.

    Args:
        context: A turn's, with the NPC's own layout and persona.
        tools: The schemas sent along.
        native: False for a model without a tool interface.

    """
    layout = context.layout
    found = list(layout.problems)
    rules = "".join(layout.text(Component.SYSTEM_PROMPT))
    names = [schema["function"]["name"] for schema in tools]
    if not native and names and not ('"tool"' in rules and all(name in rules for name in names)):
        found.append(
            "The model has no tool interface, and its system prompt does not say how to use a "
            'tool: put {tool_schemas} and the form {"tool": ..., "parameters": ...} into it.'
        )
    sent = tools if native else ()
    if not layout.shows(Component.CHARACTER_CONTEXT):
        found.append("Component 1000 is off: the model is not told who the NPC is.")
    description = str(context.persona.get("description", ""))
    room = layout.section_budget("persona")
    if count_tokens(description) > room:
        found.append(
            f"The persona's description takes {count_tokens(description)} tokens; what is beyond "
            f"{room} is cut off."
        )
    prompt = assemble(context, sent)
    total = count_message_tokens(prompt.messages, sent)
    if total > layout.budget:
        found.append(
            f"A prompt takes {total} tokens with nothing left to leave out, more than its budget "
            f"of {layout.budget}."
        )
    fixed = count_message_tokens(prompt.messages[: len(prompt.first)], sent)
    left = layout.budget - fixed - count_message_tokens(prompt.messages[-1:])
    if layout.shows(Component.CONVERSATION_HISTORY) and left < LEAST_HISTORY:
        found.append(
            f"What is in every prompt takes {fixed} of {layout.budget} tokens, which leaves "
            f"{max(0, left)} for the conversation: its beginning moves at every turn, so the "
            "prompt has no stable prefix."
        )
    elif (share := stable_share(context, sent)) < 1.0:
        found.append(f"Only {share:.0%} of a prompt stay as they are from turn to turn.")
    return found


def _part(number: int, words: str) -> tuple[str, int | None, int]:
    return _label(number), number, count_tokens(words)


def _label(number: int) -> str:
    static = STATIC_COMPONENTS.get(number)
    return static.key if static is not None else f"component_{number}"


def _joined(parts: Sequence[tuple[str, int | None, int]]) -> list[tuple[str, int | None, int]]:
    """Neighbours of one component as one."""
    joined: list[tuple[str, int | None, int]] = []
    for label, number, tokens in parts:
        if joined and joined[-1][0] == label:
            joined[-1] = (label, number, joined[-1][2] + tokens)
        else:
            joined.append((label, number, tokens))
    return joined
