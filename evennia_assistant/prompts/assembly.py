"""
The prompt of one turn: what stays the same first, what is new last.

The system message (rules, persona, digest) and the history only ever grow at the end, so that the
prompt of a turn begins with the very bytes the turn before began with; providers charge little
for such a prefix and local models compute it once. Scene, memories and the new lines stand in the
last message. Everything that is not ours stands in data slots (`mind.slots`).

"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..llm.tokens import count_message_tokens, count_tokens
from ..mind.slots import render_slot, without_tags
from .texts import text

#: Most tokens of a prompt, tools included.
PROMPT_BUDGET = 2500
#: Most tokens of the parts that may be cut, in the order they are cut.
SECTION_BUDGETS: Mapping[str, int] = {
    "recent": 120,
    "memories": 320,
    "history": 700,
    "digest": 320,
    "persona": 500,
    "heard": 700,
}
#: Lines by which the history is cut, so that its start stays put for several turns.
HISTORY_STEP = 6


@dataclass(slots=True)
class TurnContext:
    """
    What a turn puts before the model, as plain data; every text in it is data, not instruction.

    Args:
        persona: Name, description and phrases of the NPC, as its keeper wrote them.
        digest: Long-lived knowledge, `{"text"}`.
        history: Earlier lines of the conversation, `{"role", "name", "manner", "content"}`.
        scene: Place, time, who and what is here, and the manner of the answer.
        relationships: One record for each speaker.
        memories: Recalled, best first.
        recent: What went on around, oldest first.
        heard: The new lines.

    """

    persona: dict[str, Any]
    digest: Sequence[dict[str, Any]] = ()
    history: Sequence[dict[str, Any]] = ()
    scene: dict[str, Any] = field(default_factory=dict)
    relationships: Sequence[dict[str, Any]] = ()
    memories: Sequence[dict[str, Any]] = ()
    recent: Sequence[dict[str, Any]] = ()
    heard: Sequence[dict[str, Any]] = ()


def system_prefix(persona: Mapping[str, Any], digest: Sequence[Mapping[str, Any]]) -> str:
    """The system message: rules, persona, digest. It changes only when a keeper changes the NPC."""
    cut = dict(persona)
    description = str(cut.get("description", ""))
    if count_tokens(description) > SECTION_BUDGETS["persona"]:
        cut["description"] = description[: SECTION_BUDGETS["persona"] * 4]
    return "\n\n".join(
        (
            text("rules"),
            render_slot("persona", [cut]),
            render_slot("digest", fitting(digest, SECTION_BUDGETS["digest"])),
        )
    )


def build_messages(
    context: TurnContext, tools: Sequence[dict[str, Any]] = ()
) -> list[dict[str, Any]]:
    """
    The messages of a turn, within the budget.

    When the parts together are too long, the history gives way first, then the memories.

    Args:
        context: What there is to say.
        tools: The schemas that will be sent along; they count towards the budget.

    Returns:
        Chat-completion messages.

    """
    history = _history(context.history, SECTION_BUDGETS["history"])
    memories = list(fitting(context.memories, SECTION_BUDGETS["memories"]))
    while True:
        messages = [
            {"role": "system", "content": system_prefix(context.persona, context.digest)},
            *history,
            {"role": "user", "content": _new(context, memories)},
        ]
        if count_message_tokens(messages, list(tools)) <= PROMPT_BUDGET:
            return messages
        if history:
            del history[:HISTORY_STEP]
        elif memories:
            memories.pop()
        else:
            return messages


def fitting(records: Sequence[Mapping[str, Any]], budget: int) -> list[Mapping[str, Any]]:
    """The first records whose texts together stay within a number of tokens."""
    kept, spent = [], 0
    for record in records:
        spent += sum(count_tokens(str(value)) + 2 for value in record.values())
        if spent > budget:
            break
        kept.append(record)
    return kept


def _new(context: TurnContext, memories: Sequence[Mapping[str, Any]]) -> str:
    """The last message: all that is new in this turn."""
    recent = fitting(list(reversed(context.recent)), SECTION_BUDGETS["recent"])
    slots: list[tuple[str, Sequence[Mapping[str, Any]]]] = [
        ("scene", [context.scene]),
        ("relationship", context.relationships),
        ("memories", memories),
        ("recent", recent[::-1]),
        ("heard", _within(context.heard, SECTION_BUDGETS["heard"])),
    ]
    parts = [render_slot(name, records) for name, records in slots if records]
    return "\n".join((*parts, text("instruction")))


def _within(heard: Sequence[Mapping[str, Any]], budget: int) -> list[dict[str, Any]]:
    """The new lines, each cut to its share of the budget."""
    share = max(40, budget // max(1, len(heard)))
    cut = []
    for line in heard:
        words = str(line.get("text", ""))
        if count_tokens(words) > share:
            # Four characters to a token holds for English; a denser script is cut by ratio.
            keep = int(len(words) * share / count_tokens(words))
            words = words[:keep].rstrip() + " ..."
        cut.append({**line, "text": words})
    return cut


def _history(lines: Sequence[Mapping[str, Any]], budget: int) -> list[dict[str, Any]]:
    """The conversation as messages, its start cut in steps until it fits."""
    messages: list[dict[str, Any]] = []
    for line in lines:
        if line["role"] == "assistant":
            messages.append({"role": "assistant", "content": without_tags(line["content"])})
        else:
            record = {"from": line["name"], "how": line["manner"], "text": line["content"]}
            messages.append({"role": "user", "content": render_slot("heard", [record])})
    costs = [count_tokens(message["content"]) + 4 for message in messages]
    start = 0
    while sum(costs[start:]) > budget:
        start += HISTORY_STEP
    return messages[start:]
