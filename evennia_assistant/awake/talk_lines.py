"""
What was said in earlier talks, for a prompt and for a tool, as far as all listeners may be told.

The last lines of the talk before stand beside how the NPC stands to its partner, each with the day
it was said. They are told from when the present talk began, so that they stay as they are for the
whole of it and the beginning of the prompt with them.

"""

from __future__ import annotations

from collections.abc import Collection, Generator
from typing import Any

from twisted.internet.defer import Deferred, inlineCallbacks
from twisted.internet.task import Cooperator

from ..memory.talk_search import Said
from ..mind.day_buckets import bucket_of
from ..mind.entry import timestamp_of, when_of
from ..mind.phrases import ago
from ..prompts.cutting import clipped
from .material import Material

#: Lines of the talk before that a prompt has, and tokens of each.
EARLIER = 4
TOKENS = 40


def earlier_lines(
    npc: Any,
    material: Material,
    who: str,
    *,
    hearers: Collection[str],
    began: str | None,
    now: float,
) -> list[dict[str, Any]]:
    """
    The last lines of earlier talks with a partner; their audiences are noted.

    Args:
        npc: The NPC.
        material: The turn's.
        who: Entity id of the partner.
        hearers: Entity ids of all who will hear the answer.
        began: When the present talk began, as a timestamp; None when it begins now.
        now: UTC seconds since the epoch.

    Returns:
        `{"when", "from", "text"}` each, oldest first.

    """
    before = began or timestamp_of(now)
    said = npc.memory.talks.last_with(
        who, listeners=hearers, before=before, aloud=material.manner == "say", limit=EARLIER
    )
    material.audiences.extend({line.audience for line in said})
    return [
        {
            "when": bucket_of(line.when, when_of(before)),
            "from": line.who,
            "text": clipped(line.text, TOKENS),
        }
        for line in said
    ]


@inlineCallbacks
def search_talks(
    turn: Any, query: str, *, partner: str | None, limit: int
) -> Generator[Deferred[Any], Any, list[dict[str, Any]]]:
    """
    Lines of any talk, word for word; what is found is noted in the turn's material.

    Args:
        turn: The `Turn`.
        query: Key words.
        partner: Entity id of whom the NPC talked with; None for everybody.
        limit: Most lines.

    Returns:
        `{"from", "text", "when"}` each, best first.

    Raises:
        TurnDropped: If the turn was closed meanwhile.

    """
    agent, material = turn.agent, turn.material
    in_slices = Cooperator(scheduler=lambda work: agent.clock.callLater(0, work))
    yield in_slices.coiterate(agent.npc.memory.talks.catch_up())
    turn.check_open()
    now = agent.now()
    found: list[Said] = agent.npc.memory.talks.find(
        query,
        listeners=material.listeners,
        now=now,
        partner=partner,
        aloud=material.manner == "say",
        limit=limit,
    )
    for line in found:
        material.audiences.append(line.audience)
        material.recalled[line.id] = {"score": None}
    return [{"from": line.who, "text": line.text, "when": ago(now - line.when)} for line in found]
