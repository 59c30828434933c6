"""
One tool, run as the NPC at a keeper's hand instead of a model's.

The keeper stands where a speaker would: their rights count beside the NPC's, they and those present
are the listeners, and what comes of it is kept and shown under the same audiences.

"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import Any

from evennia.utils.ansi import strip_ansi
from twisted.internet.defer import Deferred, inlineCallbacks

from ..errors import ToolError, ToolRefused
from ..mind.percept import Percept
from ..perception.hearing import entity_id, kind_of
from ..prompts.registry import registry_of
from ..tools import Tool, all_tools, get_tool
from .confirmation import heard_before
from .execution import Outcome, execute_tool_call
from .turn import Turn


@inlineCallbacks
def run_by_hand(
    agent: Any,
    tool: Tool,
    arguments: Mapping[str, Any],
    keeper: Any,
    *,
    heard: Sequence[Percept] = (),
) -> Generator[Deferred[Any], Any, dict[str, Any]]:
    """
    Run a tool as the NPC, and store what it changed.

    Args:
        agent: The NPC's `Agent`.
        tool: The tool.
        arguments: Its arguments, unchecked.
        keeper: The character at whose word it runs.
        heard: The lines at whose word it runs as well, when the NPC asked for leave.

    Returns:
        What the tool gives a model.

    Raises:
        ToolError: If the arguments do not fit, somebody may not, it cannot be done, or the NPC is
            busy.
        TurnDropped: If it was to speak, and the keeper is not there to hear it.

    """
    check_by_hand(agent, tool, arguments, keeper)
    npc = agent.npc
    if agent.runner.turn is not None or npc.ndb.assistant_turn is not None:
        raise ToolError(f"{npc.key} is thinking; try again in a moment.")
    turn = Turn(agent, [*heard, _percept(agent, keeper)])
    turn.material.audiences.extend(percept.audience for percept in turn.percepts)
    npc.ndb.assistant_turn = turn
    try:
        outcome: Outcome = yield execute_tool_call(
            agent.script,
            npc,
            {"tool": tool.name, "parameters": dict(arguments)},
            offered=[tool.name],
            by=keeper,
        )
    finally:
        if agent.exists:
            del npc.ndb.assistant_turn
            agent.save()
            npc.memory.save()
    if outcome.error is not None:
        raise outcome.error
    return outcome.result


def run_confirmed(agent: Any, request: Mapping[str, Any], keeper: Any) -> Deferred[dict[str, Any]]:
    """
    Run what an NPC asked for, at the word of its keeper and of those who had asked it.

    Args:
        agent: The NPC's `Agent`.
        request: One of `Confirmations.waiting`.
        keeper: The character who agrees.

    Returns:
        Fires as `run_by_hand` does.

    Raises:
        ToolError: If the NPC may not use the tool any more, or the keeper may not.

    """
    tool = get_tool(request["tool"], all_tools())
    why = registry_of(agent.script).pattern().why_not(tool.name, tool.category.value)
    if why is not None:
        raise ToolRefused(why)
    check_by_hand(agent, tool, request["arguments"], keeper)
    done: Deferred[dict[str, Any]] = run_by_hand(
        agent, tool, request["arguments"], keeper, heard=heard_before(request)
    )
    return done


def check_by_hand(agent: Any, tool: Tool, arguments: Mapping[str, Any], keeper: Any) -> None:
    """
    Check a call as far as it can be without running it.

    Raises:
        ToolError: If the arguments do not fit, or the NPC or the keeper may not.

    """
    tool.validate(dict(arguments))
    tool.permit(agent.npc, keeper)


def _percept(agent: Any, keeper: Any) -> Percept:
    npc, who = agent.npc, entity_id(keeper)
    return Percept(
        manner="say",
        speaker=who,
        speaker_name=strip_ansi(keeper.get_display_name(npc)),
        words="",
        line="",
        when=agent.now(),
        place=entity_id(npc.location),
        witnesses=tuple(filter(None, (who, entity_id(npc)))),
        audience="public",
        speaker_kind=kind_of(keeper),
        privileged=True,
    )
