"""
What an NPC is in the middle of: its goals, the project it works at, what it noted for itself, what
the last night left it, and what came to its mind in its last turns.

These stand in every prompt, whatever was said, so they go by a stricter rule than what was recalled
for a question: one that is open to fewer people than the conversation itself would make every
answer as confidential as it is. Aloud in company, such a one stays out; asked about, it is found by
its tool.

"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import StoreError
from ..llm.tokens import count_tokens
from ..memory.carry_notes import carry_notes_of
from ..mind import audience as audiences
from ..mind import goal_tree
from ..prompts.cutting import clipped
from ..prompts.layout import Layout

#: Open goals told of, and tokens of the words of one.
GOALS = 5
GOAL_TOKENS = 60
#: Tokens of a goal's parts, and of what it is a part of.
PARTS_TOKENS = 90
#: What is carried from the last night: the kinds of `memory.carry_notes`, and what a prompt calls
#: one of each.
CARRIED = (("notes", "note"), ("questions", "question"), ("self_view", "of_yourself"))
#: Memories of the last turns told of.
ON_ITS_MIND = 5
#: Tokens that names and marks of a record take.
FRAME = 12


def goals_of(npc: Any, material: Any, *, first: str | None = None) -> list[dict[str, Any]]:
    """
    What the NPC is after, as far as all listeners may be told; the audiences are noted.

    Each goal says what it is part of and how far it is; one that is to be broken down says what
    parts it has already.

    Args:
        npc: The NPC.
        material: The turn's.
        first: The id of the goal it is about, which comes first and with its parts; None for the
            open ones, the most urgent first.

    Returns:
        Records `{"id", "goal", "priority"}` and, where there is something to say, `part_of`,
        `done`, `status`, `parts`.

    """
    try:
        goals = npc.memory.goals
    except StoreError:
        # Without a script there is nowhere to keep any.
        return []
    if not goals.all:
        return []
    hearers = material.standing_listeners
    visible = [goal for goal in goals.visible(hearers) if not _only_whispered(material, goal)]
    seen = {goal["goal_id"]: goal for goal in visible}
    chosen = [goal for goal in goals.open() if goal["goal_id"] in seen]
    if first is not None:
        chosen.sort(key=lambda goal: goal["goal_id"] != first)
    records: list[dict[str, Any]] = []
    for goal in chosen[:GOALS]:
        records.append(_goal(goals, goal, seen, with_parts=goal["goal_id"] == first))
        _note(material, goal, *(seen[above] for above in _above(goals, goal, seen)))
        if goal["goal_id"] == first:
            _note(material, *(seen[part["goal_id"]] for part in _parts(goals, goal, seen)))
    return records


def project_of(npc: Any, material: Any, layout: Layout) -> list[dict[str, Any]]:
    """
    The project the NPC works at and where it stands, as far as all listeners may be told.

    Returns:
        One record `{"project", "summary", "context"}`, cut to the room there is; none when no
        project is active, or it is nothing for those who listen.

    """
    projects = npc.memory.projects
    key = projects.active
    slot = projects.slots.get(key) if key is not None else None
    if slot is None or not audiences.may_be_told(slot.get("audience"), material.standing_listeners):
        return []
    if _only_whispered(material, slot):
        return []
    _note(material, slot)
    room = layout.section_budget("project") - count_tokens(key) - FRAME
    summary = clipped(slot["summary"], room // 2)
    context = clipped(slot["context"], room - count_tokens(summary))
    return [{"project": key, "summary": summary, **({"context": context} if context else {})}]


def session_of(npc: Any, material: Any, layout: Layout) -> list[dict[str, Any]]:
    """
    The facts and patterns the NPC keeps in mind, as far as all listeners may be told.

    Returns:
        Records `{"fact"}` and `{"pattern"}`, the last confirmed first, as many as have room.

    """
    notes, hearers = npc.memory.session_memory, material.standing_listeners
    told = [
        (note["timestamp"], label, note)
        for kind, label in (("facts", "fact"), ("patterns", "pattern"))
        for note in notes.told_to(kind, hearers)
        if not _only_whispered(material, note)
    ]
    told.sort(key=lambda each: each[0], reverse=True)
    records, room = [], layout.section_budget("session")
    for _when, label, note in told:
        room -= count_tokens(note["text"]) + 2
        if room < 0:
            break
        records.append({label: note["text"]})
        _note(material, note)
    return records


def carried_of(npc: Any, material: Any, layout: Layout, now: float) -> list[dict[str, Any]]:
    """
    What the last night left the NPC to begin its day with, as far as all listeners may be told.

    Returns:
        Records `{"note"}`, `{"question"}` and `{"of_yourself"}`, as many as have room; none when
        the last night is long ago.

    """
    script = npc.assistant_script
    if script is None:
        return []
    carried, hearers = carry_notes_of(script), material.standing_listeners
    if not carried.fresh(now):
        return []
    aloud = material.manner == "say"
    records: list[dict[str, Any]] = []
    room = layout.section_budget("carry")
    for kind, label in CARRIED:
        for note in carried.told_to(kind, hearers, aloud=aloud):
            room -= count_tokens(note["text"]) + 2
            if room < 0:
                return records
            records.append({label: note["text"]})
            _note(material, note)
            # What it rests on is as good as recalled: said again, it becomes no new memory.
            for name in note.get("evidence", ()):
                material.recalled.setdefault(name, {"score": None})
    return records


def on_its_mind(npc: Any, material: Any, ids: Sequence[str]) -> list[dict[str, Any]]:
    """
    Memories that came to the NPC's mind in its last turns, as far as all listeners may be told.

    Args:
        npc: The NPC.
        material: The turn's; what it recalled anew is left out.
        ids: Of the memories, the last recalled first.

    Returns:
        Records `{"text", "who"}`, at most `ON_ITS_MIND`.

    """
    records: list[dict[str, Any]] = []
    for name in ids:
        if len(records) >= ON_ITS_MIND:
            break
        item = npc.memory.index.get(name, listeners=material.standing_listeners)
        if item is None or name in material.recalled:
            continue
        if item.confidence and material.manner == "say":
            continue
        material.audiences.append(item.audience)
        material.recalled[name] = {"score": None}
        records.append({"text": item.text, "who": item.speaker_name or "you"})
    return records


def _only_whispered(material: Any, record: Any) -> bool:
    """Whether a record was learned in confidence and the answer is for the open."""
    return material.manner == "say" and bool(record.get("confidence"))


def _goal(goals: Any, goal: Any, seen: Any, *, with_parts: bool) -> dict[str, Any]:
    record: dict[str, Any] = {
        "id": goal["goal_id"],
        "goal": clipped(goal["description"], GOAL_TOKENS),
        "priority": goal["priority"],
    }
    above = _above(goals, goal, seen)
    if above:
        whole = " < ".join(seen[goal_id]["description"] for goal_id in above)
        record["part_of"] = clipped(whole, PARTS_TOKENS if with_parts else GOAL_TOKENS)
    if goal["status"] != "active":
        record["status"] = goal["status"]
    done = goals.progress(goal["goal_id"])
    if done:
        record["done"] = f"{done:.0%}"
    parts = _parts(goals, goal, seen) if with_parts else []
    if parts:
        listed = "; ".join(f"{part['description']} ({part['status']})" for part in parts)
        record["parts"] = clipped(listed, PARTS_TOKENS)
    return record


def _above(goals: Any, goal: Any, seen: Any) -> Sequence[str]:
    """What a goal is part of, from the nearest up, as far as it may be told without a gap."""
    line = goal_tree.line_of(goals.all, goal["goal_id"])[1:]
    hidden = next((at for at, goal_id in enumerate(line) if goal_id not in seen), len(line))
    return line[:hidden]


def _parts(goals: Any, goal: Any, seen: Any) -> list[Any]:
    parts = goal_tree.parts_of(goals.all, goal["goal_id"])
    return [part for part in parts if part["goal_id"] in seen]


def _note(material: Any, *drawn_on: Any) -> None:
    """Leave in the turn who may be told of what it has drawn on."""
    for record in drawn_on:
        material.audiences.append(audiences.frozen(record.get("audience")))
