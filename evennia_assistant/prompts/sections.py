"""
What is new in a turn, as the records of its last message: each part within its own budget.

When they are too long together, they give way one record at a time, the least needed first, down to
the new lines themselves, which are shortened at last.

"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..llm.tokens import count_tokens
from ..mind.contexts import Component
from ..mind.slots import render_record
from .cutting import CUT, clipped, cost_of, fitting
from .parts import TurnContext

#: Most tokens of one earlier line, and least of a new line.
EARLIER_LINE = 120
NEW_LINE = 16
#: Tokens of a slot of its own: its tags, and the words before it.
FRAME = 30


def sections_of(context: TurnContext) -> dict[str, list[Mapping[str, Any]]]:
    """The records of the last message by slot, each within its own budget."""
    layout = context.layout
    sections: dict[str, list[Mapping[str, Any]]] = {
        "heard": [],
        "occasion": [],
        "scene": [],
        "relationship": [],
        "memories": [],
        "in_mind": [],
        "recent": [],
        "goals": [],
        "ahead": [],
        "tool_results": [],
    }
    if layout.shows(Component.PENDING_EVENT):
        share = layout.section_budget("heard") // max(1, len(context.heard))
        sections["heard"] = _within(context.heard, share)
        sections["occasion"] = [_brief(record) for record in context.occasion]
        sections["scene"] = [context.scene]
    if layout.shows(Component.ENTITY_CONTEXT):
        others = context.relationships[1:]
        sections["relationship"] = fitting(others, layout.section_budget("others"))
    if layout.shows(Component.CONTEXT_BUFFER):
        newest_first = list(reversed(context.recent))
        sections["recent"] = fitting(newest_first, layout.section_budget("recent"))[::-1]
    for name, component, records in (
        ("memories", Component.SEMANTIC_MEMORIES, context.memories),
        ("goals", Component.GOALS, context.goals),
        ("ahead", Component.GOALS, context.ahead),
        ("tool_results", Component.TOOL_RESULT, context.tool_results),
    ):
        if layout.shows(component):
            sections[name] = fitting(records, layout.section_budget(name))
    # What came to mind before has the room that what this line brings to mind leaves.
    room = layout.section_budget("memories") - cost_of(sections["memories"]) - FRAME
    if layout.shows(Component.SEMANTIC_MEMORIES):
        sections["in_mind"] = fitting(context.in_mind, min(room, layout.section_budget("in_mind")))
    return sections


def give_way(sections: dict[str, list[Mapping[str, Any]]]) -> bool:
    """Take one record away, the least needed; False when all that is left is needed."""
    if sections["in_mind"]:
        sections["in_mind"].pop()
        return True
    if sections["recent"]:
        del sections["recent"][0]
        return True
    for name in ("memories", "relationship", "ahead", "goals"):
        if sections[name]:
            sections[name].pop()
            return True
    if sections["tool_results"]:
        del sections["tool_results"][0]
        return True
    for seen in ("things", "present"):
        if sections["scene"] and sections["scene"][0].get(seen):
            scene = sections["scene"][0]
            sections["scene"] = [{**scene, seen: scene[seen][:-1]}]
            return True
    return False


def shorten(sections: dict[str, list[Mapping[str, Any]]]) -> bool:
    """Cut the longest of the new lines by a third; False when all are as short as they get."""
    heard = sections["heard"]
    if not heard:
        return False
    # As they are written, for there are characters that take six to write.
    costs = [count_tokens(render_record({"text": line["text"]})) for line in heard]
    at = costs.index(max(costs))
    words = str(heard[at]["text"]).removesuffix(CUT)
    if costs[at] <= NEW_LINE:
        return False
    heard[at] = {**heard[at], "text": words[: len(words) * 2 // 3].rstrip() + CUT}
    return True


def _within(heard: Sequence[Mapping[str, Any]], share: int) -> list[Mapping[str, Any]]:
    """The new lines, each cut to its share of tokens."""
    return [{**line, "text": clipped(str(line.get("text", "")), share)} for line in heard]


def _brief(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """A record none of whose texts takes more than an earlier line does."""
    return {
        key: clipped(value, EARLIER_LINE) if isinstance(value, str) else value
        for key, value in record.items()
    }
