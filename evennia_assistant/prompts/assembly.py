"""
The prompt of one turn: what stays the same first, what is new last.

The system message (rules, persona, digest) and the history only ever grow at the end, so that the
prompt of a turn begins with the very bytes the turn before began with; providers charge little
for such a prefix and local models compute it once. Scene, memories and the new lines stand in the
last message. Everything that is not ours stands in data slots (`mind.slots`); which parts there
are, and with which texts, says the layout (`prompts.layout`).

"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from ..llm.tokens import count_message_tokens, count_tokens
from ..mind.contexts import Component
from ..mind.conversation import SUMMARY
from ..mind.slots import render_slot, without_tags
from .cutting import clipped, fitting, newest
from .layout import PROMPT_BUDGET, SECTION_BUDGETS, Layout, layout_for
from .parts import Piece, Prompt, TurnContext
from .sections import EARLIER_LINE, give_way, sections_of, shorten
from .texts import text

__all__ = [
    "PROMPT_BUDGET",
    "SECTION_BUDGETS",
    "Prompt",
    "TurnContext",
    "assemble",
    "build_messages",
    "fitting",
    "fitting_digest",
    "fitting_history",
    "opening",
]

#: Tokens kept free of history for all that is new in a turn; what a turn needs beyond that comes
#: out of its history. Without it every longer line would move the start of the history.
NEW = 320
#: Tokens kept free of what a keeper wrote, so that eight people can still be answered at once.
LEAST = 620
#: Most tokens of a summary of earlier lines.
SUMMARY_LINE = 200


def fitting_digest(
    persona: Mapping[str, Any],
    digest: Sequence[Mapping[str, Any]],
    tools: Sequence[Mapping[str, Any]] = (),
    layout: Layout | None = None,
    *,
    project: Sequence[Mapping[str, Any]] = (),
    session: Sequence[Mapping[str, Any]] = (),
    carry: Sequence[Mapping[str, Any]] = (),
) -> list[Mapping[str, Any]]:
    """The first lines of long-lived knowledge that have room beside all else that stays."""
    layout = layout or layout_for()
    alone = TurnContext(dict(persona), project=project, session=session, carry=carry, layout=layout)
    (system, *others) = _first(alone, None)
    fixed = [{"content": words} for part in (system, *others) for _number, words in part]
    room = layout.budget - LEAST - count_message_tokens(fixed, tools)
    return fitting(digest, min(layout.section_budget("digest"), room))


def opening(
    persona: Mapping[str, Any],
    digest: Sequence[Mapping[str, Any]],
    relationships: Sequence[Mapping[str, Any]],
    layout: Layout | None = None,
    *,
    project: Sequence[Mapping[str, Any]] = (),
    session: Sequence[Mapping[str, Any]] = (),
    carry: Sequence[Mapping[str, Any]] = (),
) -> list[dict[str, Any]]:
    """
    The messages before the conversation: who the NPC is, and how it stands to its partner.

    The first of them, with rules, persona and digest, changes only when a keeper changes the NPC.
    What it has noticed of somebody are their words, so they stand in a message of their own.

    Args:
        persona: As `TurnContext` has it.
        digest: From `fitting_digest`.
        relationships: As `TurnContext` has it.
        layout: The NPC's.
        project: As `TurnContext` has it.
        session: As `TurnContext` has it.
        carry: As `TurnContext` has it.

    """
    context = TurnContext(
        dict(persona),
        relationships=[dict(record) for record in relationships],
        project=project,
        session=session,
        carry=carry,
        layout=layout or layout_for(),
    )
    return _as_messages(_first(context, digest))


def build_messages(
    context: TurnContext, tools: Sequence[dict[str, Any]] = ()
) -> list[dict[str, Any]]:
    """The messages of a turn, as `assemble` makes them."""
    return assemble(context, tools).messages


def assemble(context: TurnContext, tools: Sequence[dict[str, Any]] = ()) -> Prompt:
    """
    The prompt of a turn, within the budget.

    When the parts together are too long, they give way in the order of `SECTION_BUDGETS`, down to
    the new lines, of which `NEW_LINE` tokens each are kept. What a keeper wrote is in every prompt,
    as far as it has room there at all (`fitting_digest`).

    Args:
        context: What there is to say.
        tools: The schemas that will be sent along; they count towards the budget.

    """
    layout = context.layout
    digest = fitting_digest(
        context.persona,
        context.digest,
        tools,
        layout,
        project=context.project,
        session=context.session,
        carry=context.carry,
    )
    pieces = _first(context, digest)
    first = _as_messages(pieces)
    room = layout.budget - count_message_tokens(first, tools)
    history = [_as_message(line) for line in fitting_history(context.history, first, tools, layout)]
    sections = sections_of(context)
    while True:
        last = _last(sections, layout)
        message = {"role": "user", "content": _joined(last)}
        over = count_message_tokens([*history, message]) - room
        if over <= 0:
            break
        if history:
            history = history[(len(history) + 1) // 2 :]
        elif not give_way(sections) and not shorten(sections):
            break
    kept = {
        "history": len(history),
        "memories": len(sections["memories"]),
        "goals": len(sections["goals"]),
        "tool_results": len(sections["tool_results"]),
    }
    left_out = {part: len(getattr(context, part)) - number for part, number in kept.items()}
    return Prompt([*first, *history, message], pieces, history, last, left_out)


def fitting_history(
    lines: Sequence[dict[str, Any]],
    first: Sequence[dict[str, Any]],
    tools: Sequence[dict[str, Any]] = (),
    layout: Layout | None = None,
) -> list[dict[str, Any]]:
    """
    The earlier lines that have room in a prompt, which is the same in every turn.

    Args:
        lines: The conversation as `TurnContext.history` has it.
        first: The messages before them, from `opening`.
        tools: The schemas that will be sent along.
        layout: The NPC's.

    """
    layout = layout or layout_for()
    if not layout.shows(Component.CONVERSATION_HISTORY):
        return []
    room = layout.budget - count_message_tokens(first, tools) - NEW
    budget = min(layout.section_budget("history"), room)
    # A summary stands for all that is older than the conversation; it is the last to give way.
    summaries = [line for line in lines if line["role"] == SUMMARY]
    while summaries and sum(map(_cost, summaries)) > budget:
        del summaries[0]
    spoken = [line for line in lines if line["role"] != SUMMARY]
    budget -= sum(map(_cost, summaries))
    return [*summaries, *newest(spoken, [_cost(line) for line in spoken], budget)]


def _first(context: TurnContext, digest: Sequence[Mapping[str, Any]] | None) -> list[list[Piece]]:
    """
    The pieces of the messages before the conversation: all that stays as it is for long.

    Args:
        context: The turn's.
        digest: Long-lived knowledge that has room; None leaves its slot out.

    """
    layout = context.layout
    entity = int(Component.ENTITY_CONTEXT)
    system = _system(context, digest)
    partner: list[Piece] = []
    if layout.shows(entity) and context.relationships:
        partner = [(entity, words) for words in layout.text(entity)]
        partner.append((entity, render_slot("relationship", context.relationships[:1])))
    partner += layout.following(entity)
    return [system, partner] if partner else [system]


#: What went into the system messages made last, and their pieces. They stand still from turn to
#: turn, and a turn asks for them several times.
_made: deque[tuple[Layout, tuple[Any, ...], list[Piece]]] = deque(maxlen=32)


def _system(context: TurnContext, digest: Sequence[Mapping[str, Any]] | None) -> list[Piece]:
    """The pieces of the system message, as `_first` has them."""
    records = (
        None if digest is None else list(digest),
        list(context.project),
        list(context.session),
        list(context.carry),
    )
    made_from = (context.persona, *records)
    for layout, known, pieces in _made:
        if layout is context.layout and known == made_from:
            return list(pieces)
    made = _system_anew(context, digest)
    kept = [None if each is None else [dict(record) for record in each] for each in records]
    _made.append((context.layout, (dict(context.persona), *kept), made))
    return list(made)


def _system_anew(context: TurnContext, digest: Sequence[Mapping[str, Any]] | None) -> list[Piece]:
    layout = context.layout
    rules, character = int(Component.SYSTEM_PROMPT), int(Component.CHARACTER_CONTEXT)
    system = [(rules, words) for words in layout.text(rules)]
    system += layout.following(rules)
    if layout.shows(character):
        system += [(character, words) for words in layout.text(character)]
        description = str(context.persona.get("description", ""))
        cut = clipped(description, layout.section_budget("persona"))
        system.append(
            (character, render_slot("persona", [{**context.persona, "description": cut}]))
        )
        if digest is not None:
            system.append((character, render_slot("digest", digest)))
        for name in ("project", "session", "carry"):
            records = fitting(getattr(context, name), layout.section_budget(name))
            if records:
                system.append((character, f"{text(name)}\n{render_slot(name, records)}"))
    return [*system, *layout.following(character)]


def _as_messages(pieces: Sequence[Sequence[Piece]]) -> list[dict[str, Any]]:
    """The messages before the conversation."""
    system, *others = pieces
    return [
        {"role": "system", "content": "\n\n".join(words for _number, words in system)},
        *({"role": "user", "content": _joined(part)} for part in others),
    ]


def _cost(line: Mapping[str, Any]) -> int:
    """About how many tokens an earlier line takes, without rendering it."""
    if line["role"] == SUMMARY:
        return min(count_tokens(line["content"]), SUMMARY_LINE) + _frame_cost("", "") + 4
    frame = 0 if line["role"] == "assistant" else _frame_cost(line["name"], line["manner"])
    return min(count_tokens(line["content"]), EARLIER_LINE) + frame + 4


@lru_cache(maxsize=512)
def _frame_cost(name: str, manner: str) -> int:
    return count_tokens(render_slot("heard", [{"from": name, "how": manner, "text": ""}]))


def _last(sections: Mapping[str, Sequence[Mapping[str, Any]]], layout: Layout) -> list[Piece]:
    """The pieces of the last message: all that is new in this turn."""
    pieces: list[Piece] = []

    def put(component: Component, slot: str) -> None:
        if sections[slot]:
            pieces.append((int(component), render_slot(slot, sections[slot])))

    # First, and as they will stand in the history of the next turn: one more piece of prefix.
    put(Component.PENDING_EVENT, "heard")
    put(Component.PENDING_EVENT, "occasion")
    history = Component.CONVERSATION_HISTORY
    if layout.shows(history):
        pieces += [(int(history), words) for words in layout.text(history)]
    pieces += layout.following(history)
    put(Component.PENDING_EVENT, "scene")
    put(Component.ENTITY_CONTEXT, "relationship")
    for component, slot in (
        (Component.SEMANTIC_MEMORIES, "memories"),
        (Component.CONTEXT_BUFFER, "recent"),
        (Component.GOALS, "goals"),
    ):
        if layout.shows(component):
            before = layout.text(component)
            if slot == "goals" and sections[slot] and not before:
                before = [text(slot)]
            pieces += [(int(component), words) for words in before]
        put(component, slot)
        if slot == "memories" and sections["in_mind"]:
            pieces.append((int(component), text("in_mind")))
            put(component, "in_mind")
        if slot == "goals" and sections["ahead"]:
            pieces.append((int(component), text("ahead")))
            put(component, "ahead")
        pieces += layout.following(component)
    if layout.shows(Component.TOOL_RESULT):
        words_before = layout.text(Component.TOOL_RESULT)
        pieces += [(int(Component.TOOL_RESULT), words) for words in words_before]
    put(Component.TOOL_RESULT, "tool_results")
    pieces += layout.following(Component.PENDING_EVENT)
    pieces += layout.following(Component.TOOL_RESULT)
    what_to_do = layout.text(Component.PENDING_EVENT)
    return [*pieces, *((int(Component.PENDING_EVENT), words) for words in what_to_do)]


def _joined(pieces: Sequence[Piece]) -> str:
    return "\n".join(words for _number, words in pieces)


def _as_message(line: Mapping[str, Any]) -> dict[str, Any]:
    """An earlier line of the conversation as a message."""
    if line["role"] == SUMMARY:
        summary = {"text": clipped(line["content"], SUMMARY_LINE)}
        return {"role": "user", "content": render_slot("earlier", [summary])}
    words = clipped(line["content"], EARLIER_LINE)
    if line["role"] == "assistant":
        return {"role": "assistant", "content": without_tags(words)}
    record = {"from": line["name"], "how": line["manner"], "text": words}
    return {"role": "user", "content": render_slot("heard", [record])}
