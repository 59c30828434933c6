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
from functools import lru_cache
from typing import Any

from ..llm.tokens import count_message_tokens, count_tokens
from ..mind.slots import render_record, render_slot, without_tags
from .cutting import CUT, clipped, fitting, newest
from .texts import text

#: Most tokens of a prompt, tools included.
PROMPT_BUDGET = 2500
#: Most tokens of each part. When together they are too long, the first of these gives way first.
SECTION_BUDGETS: Mapping[str, int] = {
    "history": 700,
    "recent": 120,
    "memories": 150,
    "others": 160,
    "heard": 600,
    "digest": 320,
    "persona": 500,
}
#: Tokens kept free of history for all that is new in a turn; what a turn needs beyond that comes
#: out of its history. Without it every longer line would move the start of the history.
NEW = 320
#: Tokens kept free of what a keeper wrote, so that eight people can still be answered at once.
LEAST = 620
#: Most tokens of one earlier line, and least of a new one.
EARLIER_LINE = 120
NEW_LINE = 16


@dataclass(slots=True)
class TurnContext:
    """
    What a turn puts before the model, as plain data; every text in it is data, not instruction.

    Args:
        persona: Name, description and phrases of the NPC, as its keeper wrote them.
        digest: Long-lived knowledge, `{"text"}`.
        history: Earlier lines of the conversation, `{"role", "name", "manner", "content"}`.
        scene: Place, time, who and what is here, and the manner of the answer.
        relationships: One record for each speaker, the first that of whose conversation it is.
        memories: Recalled, best first.
        recent: What went on around, oldest first.
        heard: The new lines.

    """

    persona: dict[str, Any]
    digest: Sequence[Mapping[str, Any]] = ()
    history: Sequence[dict[str, Any]] = ()
    scene: dict[str, Any] = field(default_factory=dict)
    relationships: Sequence[dict[str, Any]] = ()
    memories: Sequence[dict[str, Any]] = ()
    recent: Sequence[dict[str, Any]] = ()
    heard: Sequence[dict[str, Any]] = ()


def fitting_digest(
    persona: Mapping[str, Any],
    digest: Sequence[Mapping[str, Any]],
    tools: Sequence[Mapping[str, Any]] = (),
) -> list[Mapping[str, Any]]:
    """The first lines of long-lived knowledge that have room beside the persona and the tools."""
    fixed = [{"content": text("rules")}, {"content": _persona(persona)}]
    room = PROMPT_BUDGET - LEAST - count_message_tokens(fixed, tools)
    return fitting(digest, min(SECTION_BUDGETS["digest"], room))


def opening(
    persona: Mapping[str, Any],
    digest: Sequence[Mapping[str, Any]],
    relationships: Sequence[Mapping[str, Any]],
) -> list[dict[str, Any]]:
    """
    The messages before the conversation: who the NPC is, and how it stands to its partner.

    The first of them, with rules, persona and digest, changes only when a keeper changes the NPC.
    What it has noticed of somebody are their words, so they stand in a message of their own.

    Args:
        persona: As `TurnContext` has it.
        digest: From `fitting_digest`.
        relationships: As `TurnContext` has it.

    """
    system = (text("rules"), _persona(persona), render_slot("digest", digest))
    messages = [{"role": "system", "content": "\n\n".join(system)}]
    if relationships:
        messages.append({"role": "user", "content": render_slot("relationship", relationships[:1])})
    return messages


def build_messages(
    context: TurnContext, tools: Sequence[dict[str, Any]] = ()
) -> list[dict[str, Any]]:
    """
    The messages of a turn, within the budget.

    When the parts together are too long, they give way in the order of `SECTION_BUDGETS`, down to
    the new lines, of which `NEW_LINE` tokens each are kept. What a keeper wrote is in every prompt,
    as far as it has room there at all (`fitting_digest`).

    Args:
        context: What there is to say.
        tools: The schemas that will be sent along; they count towards the budget.

    Returns:
        Chat-completion messages.

    """
    digest = fitting_digest(context.persona, context.digest, tools)
    first = opening(context.persona, digest, context.relationships)
    room = PROMPT_BUDGET - count_message_tokens(first, tools)
    history = [_as_message(line) for line in fitting_history(context.history, first, tools)]
    sections = _sections(context)
    while True:
        last = {"role": "user", "content": _new(sections)}
        over = count_message_tokens([*history, last]) - room
        if over <= 0:
            return [*first, *history, last]
        if history:
            history = history[(len(history) + 1) // 2 :]
        elif not _give_way(sections) and not _shorten(sections):
            return [*first, last]


def fitting_history(
    lines: Sequence[dict[str, Any]],
    first: Sequence[dict[str, Any]],
    tools: Sequence[dict[str, Any]] = (),
) -> list[dict[str, Any]]:
    """
    The earlier lines that have room in a prompt, which is the same in every turn.

    Args:
        lines: The conversation as `TurnContext.history` has it.
        first: The messages before them, from `opening`.
        tools: The schemas that will be sent along.

    """
    room = PROMPT_BUDGET - count_message_tokens(first, tools) - NEW
    return newest(lines, [_cost(line) for line in lines], min(SECTION_BUDGETS["history"], room))


def _cost(line: Mapping[str, Any]) -> int:
    """About how many tokens an earlier line takes, without rendering it."""
    frame = 0 if line["role"] == "assistant" else _frame_cost(line["name"], line["manner"])
    return min(count_tokens(line["content"]), EARLIER_LINE) + frame + 4


@lru_cache(maxsize=512)
def _frame_cost(name: str, manner: str) -> int:
    return count_tokens(render_slot("heard", [{"from": name, "how": manner, "text": ""}]))


def _sections(context: TurnContext) -> dict[str, list[Mapping[str, Any]]]:
    """The records of the last message by slot, each within its own budget."""
    recent = fitting(list(reversed(context.recent)), SECTION_BUDGETS["recent"])
    others = fitting(context.relationships[1:], SECTION_BUDGETS["others"])
    share = SECTION_BUDGETS["heard"] // max(1, len(context.heard))
    return {
        # First, and as they will stand in the history of the next turn: one more piece of prefix.
        "heard": _within(context.heard, share),
        "scene": [context.scene],
        "relationship": others,
        "memories": fitting(context.memories, SECTION_BUDGETS["memories"]),
        "recent": recent[::-1],
    }


def _give_way(sections: dict[str, list[Mapping[str, Any]]]) -> bool:
    """Take one record away, the least needed; False when all that is left is needed."""
    if sections["recent"]:
        del sections["recent"][0]
        return True
    for name in ("memories", "relationship"):
        if sections[name]:
            sections[name].pop()
            return True
    for seen in ("things", "present"):
        if sections["scene"][0].get(seen):
            scene = sections["scene"][0]
            sections["scene"] = [{**scene, seen: scene[seen][:-1]}]
            return True
    return False


def _shorten(sections: dict[str, list[Mapping[str, Any]]]) -> bool:
    """Cut the longest of the new lines by a third; False when all are as short as they get."""
    heard = sections["heard"]
    # As they are written, for there are characters that take six to write.
    costs = [count_tokens(render_record({"text": line["text"]})) for line in heard]
    at = costs.index(max(costs))
    words = str(heard[at]["text"]).removesuffix(CUT)
    if costs[at] <= NEW_LINE:
        return False
    heard[at] = {**heard[at], "text": words[: len(words) * 2 // 3].rstrip() + CUT}
    return True


def _new(sections: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    """The last message: all that is new in this turn."""
    parts = [render_slot(name, records) for name, records in sections.items() if records]
    return "\n".join((*parts, text("instruction")))


def _within(heard: Sequence[Mapping[str, Any]], share: int) -> list[Mapping[str, Any]]:
    """The new lines, each cut to its share of tokens."""
    return [{**line, "text": clipped(str(line.get("text", "")), share)} for line in heard]


def _persona(persona: Mapping[str, Any]) -> str:
    description = str(persona.get("description", ""))
    cut = {**persona, "description": clipped(description, SECTION_BUDGETS["persona"])}
    return render_slot("persona", [cut])


def _as_message(line: Mapping[str, Any]) -> dict[str, Any]:
    """An earlier line of the conversation as a message."""
    words = clipped(line["content"], EARLIER_LINE)
    if line["role"] == "assistant":
        return {"role": "assistant", "content": without_tags(words)}
    record = {"from": line["name"], "how": line["manner"], "text": words}
    return {"role": "user", "content": render_slot("heard", [record])}
