"""
Going after somebody who leaves.

The tool `follow` notes whom in `db.following`. When that one is seen leaving, the NPC goes the same
way a moment later, if an exit leads there that is open to it; else it has lost them.

"""

from __future__ import annotations

from typing import Any

from ..mind.percept import Percept
from ..perception.hearing import entity_id
from ..tools import all_tools

#: Seconds between the leader's leaving and the NPC's.
DELAY = 1.0


def somebody_left(agent: Any, percept: Percept) -> None:
    """
    Go after whoever left, if the NPC follows them.

    Args:
        agent: The NPC's `Agent`.
        percept: A departure it saw.

    """
    if percept.speaker is not None and agent.npc.db.following == percept.speaker:
        agent.clock.callLater(DELAY, _go_after, agent, percept.speaker, percept.place)


def _go_after(agent: Any, who: str, place: str | None) -> None:
    npc = agent.npc if agent.active else None
    if npc is None or npc.location is None or npc.db.following != who:
        return
    leader = agent.find(who)
    if leader is not None and leader.location == npc.location:
        return
    open_ways = [
        way
        for way in npc.location.exits
        if leader is not None
        and way.destination == leader.location
        and way.access(npc, "traverse", no_superuser_bypass=True)
    ]
    if entity_id(npc.location) != place or not open_ways or not _may_follow(npc):
        npc.attributes.remove("following")
        return
    open_ways[0].at_traverse(npc, open_ways[0].destination)


def _may_follow(npc: Any) -> bool:
    return all_tools()["follow"].allowed(npc)
