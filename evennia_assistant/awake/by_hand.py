"""
One tool, run as the NPC at a keeper's hand instead of a model's.

The keeper stands where a speaker would: their rights count beside the NPC's, they and those present
are the listeners, and what comes of it is kept and shown under the same audiences.

"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any

from evennia.utils.ansi import strip_ansi
from twisted.internet.defer import Deferred, inlineCallbacks, maybeDeferred
from twisted.internet.defer import TimeoutError as DeferredTimeout

from ..errors import ToolError
from ..mind.percept import Percept
from ..perception.hearing import entity_id, kind_of
from ..tools import Tool
from .turn import Turn


@inlineCallbacks
def run_by_hand(
    agent: Any, tool: Tool, arguments: Mapping[str, Any], keeper: Any
) -> Generator[Deferred[Any], Any, dict[str, Any]]:
    """
    Run a tool as the NPC, and store what it changed.

    Args:
        agent: The NPC's `Agent`.
        tool: The tool.
        arguments: Its arguments, unchecked.
        keeper: The character at whose word it runs.

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
    turn = Turn(agent, [_percept(agent, keeper)])
    turn.material.audiences.extend(percept.audience for percept in turn.percepts)
    npc.ndb.assistant_turn = turn
    try:
        running = maybeDeferred(tool.execute, npc, **arguments)
        seconds = min(tool.timeout, agent.option("default_tool_timeout"))
        result = yield running.addTimeout(seconds, agent.clock)
    except DeferredTimeout:
        raise ToolError(f"{tool.name} took too long and was given up.") from None
    finally:
        if agent.exists:
            del npc.ndb.assistant_turn
            npc.memory.save()
    if not isinstance(result, dict):
        raise ToolError(f"{tool.name} gave no usable result.")
    return result


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
