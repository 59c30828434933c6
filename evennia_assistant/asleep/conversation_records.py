"""
What a model is shown of talks that are over, and what of its answer may be used.

A record of the answer counts only if it names a talk and lines that were shown to it, and says
something of the world; each is judged by itself.

"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ..llm.tokens import count_tokens
from ..mind.conversation import SUMMARY, Part
from ..mind.persona_protection import is_self_referential
from ..mind.slots import render_slot
from ..prompts.cutting import clipped
from ..prompts.texts import text as prompt_text

#: Most tokens of one line in the prompt, and most characters of one record of the answer.
LINE = 300
MOST_TEXT = 400
#: Records of each kind kept of one part of a talk.
MOST_EACH = {"memory": 3, "about": 3, "summary": 1}


@dataclass(slots=True)
class Piece:
    """
    Lines of one talk with one audience, as many as one prompt holds, and what came of them.

    Args:
        conversation: The talk's id.
        entity_id: The partner.
        part: The lines.
        found: Checked records of the answer, by what they are.

    """

    conversation: str
    entity_id: str
    part: Part
    found: dict[str, list[dict[str, Any]]] = field(default_factory=dict)


def is_left(message: Any) -> bool:
    """Whether a line was not looked through yet."""
    return not message.get("extracted") and message["role"] != SUMMARY


def within(part: Part, room: int) -> tuple[Part, int]:
    """The first lines of a part that have room, and what they take."""
    held = number = 0
    for message in part.messages:
        cost = min(count_tokens(message["content"]), LINE) + 20
        if held + cost > room:
            break
        held += cost
        number += 1
    fitting = Part(part.audience, part.confidential, part.places[:number], part.messages[:number])
    return fitting, held


def prompt_of(batch: Sequence[Piece]) -> list[dict[str, Any]]:
    lines = [
        {
            "talk": talk,
            "line": line,
            "from": message.get("name", ""),
            "how": message["manner"],
            "text": clipped(message["content"], LINE),
        }
        for talk, piece in enumerate(batch, start=1)
        for line, message in enumerate(piece.part.messages, start=1)
    ]
    return [
        {"role": "system", "content": prompt_text("conversations")},
        {"role": "user", "content": render_slot("lines", lines)},
    ]


def checked(item: Any, batch: Sequence[Piece]) -> dict[str, Any]:
    """
    A record of the answer as it may be used.

    Raises:
        ValueError: With the reason why it may not.

    """
    if not isinstance(item, dict):
        raise ValueError("a record is no object")
    what, text, talk = item.get("what"), item.get("text"), item.get("talk")
    if not isinstance(what, str) or what not in MOST_EACH:
        # In our own words: what a model wrote may be a confidence, and this goes to a log.
        raise ValueError(f"a record is none of {', '.join(MOST_EACH)}")
    if not isinstance(text, str) or not any(char.isalnum() for char in text):
        raise ValueError(f"a {what} has no text")
    if len(text) > MOST_TEXT:
        raise ValueError(f"a {what} is longer than {MOST_TEXT} characters")
    if isinstance(talk, bool) or not isinstance(talk, int) or not 1 <= talk <= len(batch):
        raise ValueError(f"a {what} names a talk there is not")
    if is_self_referential(text):
        raise ValueError(f"a {what} is about the one who keeps it")
    count = len(batch[talk - 1].part.messages)
    named = item.get("lines") or []
    if not isinstance(named, list):
        named = [named]
    lines = [n for n in named if isinstance(n, int) and not isinstance(n, bool)]
    if len(lines) != len(named) or not all(1 <= line <= count for line in lines):
        raise ValueError(f"a {what} rests on a line there is not")
    if what != "summary" and not lines:
        raise ValueError(f"a {what} rests on no line")
    return {"what": what, "text": " ".join(text.split()), "talk": talk, "lines": lines}


def sorted_in(items: Sequence[dict[str, Any]], batch: Sequence[Piece]) -> list[str]:
    """Give each piece its records; what is beyond the number of them, one line each."""
    problems = []
    for item in items:
        held = batch[item["talk"] - 1].found.setdefault(item["what"], [])
        if item["text"] in [other["text"] for other in held]:
            continue
        if len(held) >= MOST_EACH[item["what"]]:
            problems.append(f"more than {MOST_EACH[item['what']]} of {item['what']} in one talk")
            continue
        held.append(item)
    return problems
