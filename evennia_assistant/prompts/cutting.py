"""What gives way when a part of a prompt is longer than its room."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..llm.tokens import count_tokens

#: Share of its room a conversation is cut to once it has outgrown it: the less, the longer the
#: start of the prompt stays as it is until the next cut.
KEPT = 0.3
#: Stands where a text was cut.
CUT = " ..."


def fitting(records: Sequence[Mapping[str, Any]], budget: int) -> list[Mapping[str, Any]]:
    """The first records whose texts together stay within a number of tokens."""
    kept, spent = [], 0
    for record in records:
        spent += cost_of([record])
        if spent > budget:
            break
        kept.append(record)
    return kept


def cost_of(records: Iterable[Mapping[str, Any]]) -> int:
    """About how many tokens records take."""
    return sum(count_tokens(str(value)) + 2 for record in records for value in record.values())


def clipped(words: str, budget: int) -> str:
    """A text cut to a number of tokens."""
    tokens = count_tokens(words)
    if tokens <= budget:
        return words
    # Four characters to a token holds for English; a denser script is cut by ratio.
    return words[: int(len(words) * budget / tokens)].rstrip() + CUT


def newest(
    lines: Sequence[dict[str, Any]], costs: Sequence[int], budget: int
) -> list[dict[str, Any]]:
    """
    The end of a conversation that has room; where it starts changes seldom.

    A conversation that outgrows its room is cut to `KEPT` of it at once. So that the cut falls on
    the same line in every turn, it is found by going through the conversation from its start.

    Args:
        lines: Records with a `role`, oldest first.
        costs: Tokens of each.
        budget: Tokens there is room for.

    Returns:
        Lines, the first of them a user's where some were cut off before it: an answer without its
        question says nothing. A conversation the NPC began, begins with its own words.

    """
    start = held = 0
    for number, cost in enumerate(costs):
        held += cost
        if held > budget:
            while start <= number and held > budget * KEPT:
                held -= costs[start]
                start += 1
    kept = list(lines[start:])
    while start and kept and kept[0]["role"] == "assistant":
        del kept[0]
    return kept
