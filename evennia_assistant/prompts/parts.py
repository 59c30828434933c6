"""What goes into a prompt, as plain data, and what comes out of its assembly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .layout import Layout, layout_for

#: A text of a prompt, and the id of the component it belongs to.
Piece = tuple[int, str]


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
        occasion: Why it acts though nobody spoke to it: at most one record.
        goals: What the NPC is after, the most urgent first.
        ahead: What it promised and what it expects.
        tool_results: What tools answered before this prompt, oldest first.
        project: The project it works on, and what it keeps in mind of it.
        session: What it keeps in mind of the present session.
        carry: What the last night left it to begin its day with.
        in_mind: Memories of its last turns, the last recalled first.
        layout: Which of these parts the prompt has, and with which texts.

    """

    persona: dict[str, Any]
    digest: Sequence[Mapping[str, Any]] = ()
    history: Sequence[dict[str, Any]] = ()
    scene: dict[str, Any] = field(default_factory=dict)
    relationships: Sequence[dict[str, Any]] = ()
    memories: Sequence[dict[str, Any]] = ()
    recent: Sequence[dict[str, Any]] = ()
    heard: Sequence[dict[str, Any]] = ()
    occasion: Sequence[Mapping[str, Any]] = ()
    goals: Sequence[Mapping[str, Any]] = ()
    ahead: Sequence[Mapping[str, Any]] = ()
    tool_results: Sequence[Mapping[str, Any]] = ()
    project: Sequence[Mapping[str, Any]] = ()
    session: Sequence[Mapping[str, Any]] = ()
    carry: Sequence[Mapping[str, Any]] = ()
    in_mind: Sequence[Mapping[str, Any]] = ()
    layout: Layout = field(default_factory=layout_for)


@dataclass(frozen=True, slots=True)
class Prompt:
    """
    A prompt with the parts it was made of.

    Args:
        messages: Chat-completion messages.
        first: The pieces of each message before the conversation.
        history: The messages of the conversation.
        last: The pieces of the last message.
        left_out: By part, how many of its records had no room.

    """

    messages: list[dict[str, Any]]
    first: Sequence[Sequence[Piece]]
    history: Sequence[dict[str, Any]]
    last: Sequence[Piece]
    left_out: Mapping[str, int]
