"""
Breaking a goal down into steps.

One question to the model, on the occasion `goal_decompose`: no tools, and nothing in the prompt but
who the NPC is, what everybody may know, and that one goal. Its steps become parts of the goal, with
the goal's own audience and at the word of whoever asked for the goal. Every attempt is counted on
the goal before the model is asked. Without a model a goal is its own one step.

"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Any

from twisted.internet.defer import Deferred, inlineCallbacks

from ..llm.asking import Ask, Records, ask_for_records
from ..mind import goal_tree
from ..mind.audience import frozen
from ..mind.contexts import CONTEXT_GOAL_DECOMPOSE
from ..mind.goal_steps import Step, arranged, checked_step
from ..prompts.assembly import TurnContext, build_messages, fitting_digest
from ..prompts.registry import registry_of
from . import gathering
from .models import has_model

#: In `goal["metadata"]`: how often a model was asked for its steps.
ATTEMPTS = "decompose_attempts"


@dataclass(frozen=True, slots=True)
class Decomposition:
    """
    What came of breaking a goal down.

    Args:
        goal_id: The goal.
        steps: Ids of the goals that were made, each after the one it is part of.
        why_none: Why there are none, "" when there are some.
        problems: What of the model's answer was not used, one line each.

    """

    goal_id: str
    steps: Sequence[str] = ()
    why_none: str = ""
    problems: Sequence[str] = field(default_factory=list)


@inlineCallbacks
def decompose_goal(
    script: Any, goal_id: str, *, ask: Ask | None = None
) -> Generator[Deferred[Any], Any, Decomposition]:
    """
    Break a goal down, and store its steps.

    Args:
        script: The NPC's AssistantScript.
        goal_id: An open goal without open parts.
        ask: Puts a prompt before the model; None is `Agent.ask`.

    Returns:
        The steps, or why there are none.

    Raises:
        ValueError: If there is no such goal, or it cannot have parts now; the text says why.
        ModelError: If the model could not be asked, or nothing in its answers was a step.

    """
    agent, goals = script.agent, script.character.memory.goals
    goal = _open_leaf(goals, goal_id)
    if ask is None and not has_model(script):
        return Decomposition(
            goal_id, why_none=f"without a model {goal_id} is not broken down: it is its one step"
        )
    tried = goal["metadata"].get(ATTEMPTS)
    goals.change(goal_id, metadata={ATTEMPTS: (tried if isinstance(tried, int) else 0) + 1})
    goals.store.save()
    answer: Records = yield ask_for_records(
        ask or agent.ask, _messages(script, goal), checked_step, key="steps"
    )
    if not agent.exists:
        return Decomposition(goal_id, why_none="the NPC is gone")
    goals = script.character.memory.goals
    try:
        goal = _open_leaf(goals, goal_id)
    except ValueError as err:
        return Decomposition(goal_id, why_none=f"it was changed meanwhile: {err}")
    steps, problems = arranged(answer.items, goals.all, goal_id)
    made, unmade = _made(goals, goal, steps, agent.now())
    goals.store.save()
    return Decomposition(
        goal_id,
        made,
        "" if made else f"{goal_id} is one step already",
        [*answer.problems, *problems, *unmade],
    )


def was_tried(goal: goal_tree.Goal) -> bool:
    """Whether a model was asked for the steps of a goal before."""
    return bool(goal["metadata"].get(ATTEMPTS))


def _open_leaf(goals: Any, goal_id: str) -> goal_tree.Goal:
    goal: goal_tree.Goal = goals.find(goal_id)
    if goal["status"] in goal_tree.CLOSED:
        raise ValueError(f"{goal_id} is {goal['status']}.")
    parts = [
        p for p in goal_tree.parts_of(goals.all, goal_id) if p["status"] not in goal_tree.CLOSED
    ]
    if parts:
        raise ValueError(
            f"{goal_id} has parts already: {', '.join(part['goal_id'] for part in parts)}."
        )
    goal_tree.check_parent(goals.all, None, goal_id)
    return goal


def _messages(script: Any, goal: goal_tree.Goal) -> list[dict[str, Any]]:
    npc = script.character
    layout = registry_of(script).layout(CONTEXT_GOAL_DECOMPOSE)
    persona = gathering.persona_of(npc)
    taught = [{"text": line} for line in npc.memory.knowledge.public()]
    return build_messages(
        TurnContext(
            persona=persona,
            digest=fitting_digest(persona, taught, (), layout),
            goals=[{"goal": goal["description"], "priority": goal["priority"]}],
            layout=layout,
        )
    )


def _made(
    goals: Any, goal: goal_tree.Goal, steps: Sequence[Step], now: float
) -> tuple[list[str], list[str]]:
    """Make goals of the steps, as far as there is room for them."""
    made: list[str] = []
    for step in steps:
        try:
            part = goals.create(
                step.description,
                priority=step.priority,
                parent_id=goal["goal_id"] if step.part_of is None else made[step.part_of],
                metadata={"from": CONTEXT_GOAL_DECOMPOSE},
                asked_by=goal["asked_by"],
                audience=frozen(goal["audience"]),
                confidence=bool(goal.get("confidence")),
                when=now,
            )
        except ValueError as err:
            return made, [str(err)]
        made.append(part["goal_id"])
    return made, []
