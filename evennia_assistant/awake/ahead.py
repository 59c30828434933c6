"""
What lies ahead of an NPC in a turn: how it feels, what it promised, what it expects.

These stand in the prompt whether somebody asks for them or not, so they go by the rule of all that
does (`awake.standing`): aloud in company, what is open to fewer people than the conversation stays
out. Of an expectation the line at hand may have to do with, the prompt says so; nothing is stored
for that.

"""

from __future__ import annotations

from typing import Any

from ..mind import audience as audiences
from ..mind.open_ends import (
    BROKEN,
    EXPECTATION,
    PROMISE,
    OpenEnd,
    lately_unkept,
    pressing,
)
from ..mind.phrases import DAY, until
from ..mind.substance import has_substance
from ..perception.company import names_of
from ..prompts.cutting import clipped
from .material import Material

#: Promises and expectations told of, and of the promises those that were not kept.
PROMISES = 5
EXPECTED = 3
UNKEPT = 2
#: An expectation is told of when its time is as near as this, or a line has to do with it.
SOON = DAY
#: What was not kept is told of for so long to those it was promised.
LATELY = 7 * DAY
#: Tokens of the words of one.
TOKENS = 45


def feeling_of(npc: Any, material: Material, now: float) -> dict[str, str]:
    """
    How the NPC feels, for the scene, as far as all listeners may notice; {} while it is neutral.

    Args:
        npc: The NPC.
        material: The turn's; who may notice is noted in it.
        now: UTC seconds since the epoch.

    """
    mood = npc.memory.mood
    words = mood.shown_to(material.standing_listeners, now, aloud=material.manner != "whisper")
    if not words:
        return {}
    material.audiences.append(mood.audience)
    return {"you_feel": words}


def ahead_of(npc: Any, material: Material, now: float) -> list[dict[str, Any]]:
    """
    What the NPC promised and expects, as far as all listeners may be told; audiences are noted.

    Args:
        npc: The NPC.
        material: The turn's.
        now: UTC seconds since the epoch.

    Returns:
        Records `{"promise", "due", "status"}` and `{"expected", "due", "bears_on"}`.

    """
    ends = npc.memory.open_ends
    if not len(ends):
        return []
    hearers, aloud = material.standing_listeners, material.manner != "whisper"
    tellable = [
        end
        for end in ends.all()
        if not (aloud and end.confidence) and audiences.may_be_told(end.audience, hearers)
    ]
    hinted = [end for end in _hinted(npc, material) if end in tellable]
    promises = _promises(tellable, material, now)
    expected = _expected(tellable, hinted, material, now)
    material.audiences.extend(end.audience for end in (*promises, *expected))
    return [_record(end, now, end in hinted) for end in (*promises, *expected)]


def _promises(ends: list[OpenEnd], material: Material, now: float) -> list[OpenEnd]:
    about = material.partners
    unkept = lately_unkept(ends, now, about=about, within=LATELY, most=UNKEPT)
    made = [end for end in ends if end.kind == PROMISE]
    return [*unkept, *pressing(made, now, about=about, most=PROMISES - len(unkept))]


def _expected(
    ends: list[OpenEnd], hinted: list[OpenEnd], material: Material, now: float
) -> list[OpenEnd]:
    soon = [
        end
        for end in ends
        if end.kind == EXPECTATION and end.due is not None and end.due <= now + SOON
    ]
    bearing = [end for end in hinted if end.kind == EXPECTATION]
    pressed = pressing(soon, now, about=material.partners, most=EXPECTED)
    return list(dict.fromkeys((*bearing, *pressed)))[:EXPECTED]


def _hinted(npc: Any, material: Material) -> list[OpenEnd]:
    """What the lines at hand may have to do with."""
    words = " ".join(percept.words for percept in material.percepts)
    if not has_substance(words, *names_of(npc)):
        return []
    found: list[OpenEnd] = npc.memory.open_ends.matching(words, npc.memory.live.vector_of(words))
    return found


def _record(end: OpenEnd, now: float, hinted: bool) -> dict[str, Any]:
    words = clipped(end.text, TOKENS)
    record: dict[str, Any] = {"promise" if end.is_promise else "expected": words}
    if end.due is not None:
        record["due"] = until(end.due - now)
    if not end.is_open:
        record["status"] = "broken" if end.outcome == BROKEN else "its time went by"
    if hinted and end.is_open:
        record["bears_on"] = "what was just said"
    return record
