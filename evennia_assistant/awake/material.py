"""
What a turn may draw on: who spoke, who will hear the answer, and what they may be told.

Every piece of memory comes through `awake.gathering` or `Turn.recall`, and each leaves its audience
behind, so that the answer can be held back from anyone who came in while the NPC was thinking.

"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..mind import audience as audiences
from ..mind.audience import ANYONE
from ..mind.confidence import is_off_the_record
from ..mind.percept import CONFIDENTIAL, Audience, Percept
from ..perception.hearing import entity_id, those_present


@dataclass(slots=True)
class Material:
    """
    Who a turn answers, who hears it, and what it has drawn on so far.

    Args:
        percepts: The lines it answers, in order.
        manner: `say`, `whisper` or `channel`.
        listeners: Entity ids of those who will hear the answer.
        audiences: Of everything the turn has drawn on.
        recalled: Score by memory id, as used.
        parts: Number of records by part of the prompt, as `gather` found them.
        towards: Name by entity id of those it turns to without having been spoken to.
        asked_by: Entity ids of those at whose word it acts now, without having been spoken to.
        occasion: Why it acts without having been spoken to, as `TurnContext` has it; None for an
            answer.

    """

    percepts: Sequence[Percept]
    manner: str
    listeners: tuple[str, ...]
    audiences: list[Audience] = field(default_factory=list)
    recalled: dict[str, dict[str, Any]] = field(default_factory=dict)
    parts: dict[str, int] = field(default_factory=dict)
    towards: Mapping[str, str] = field(default_factory=dict)
    asked_by: tuple[str, ...] = ()
    occasion: Mapping[str, Any] | None = None

    @property
    def speakers(self) -> dict[str, str]:
        """Name by entity id of those who spoke, in order."""
        return {p.speaker: p.speaker_name for p in self.percepts if p.speaker}

    @property
    def partners(self) -> dict[str, str]:
        """Name by entity id of those it speaks with: who spoke to it, or whom it turns to."""
        return self.speakers or dict(self.towards)

    @property
    def asked(self) -> tuple[str, ...]:
        """Entity ids of those whose rights hold its tools back, none when it acts of itself."""
        return tuple(self.speakers) or self.asked_by

    @property
    def confidential(self) -> bool:
        """Whether what comes out of this turn was learned in confidence, and is to stay so."""
        return self.manner == "whisper" or any(
            p.manner in CONFIDENTIAL or is_off_the_record(p.words) for p in self.percepts
        )

    @property
    def standing_listeners(self) -> tuple[str, ...]:
        """
        All who must be in the audience of what stands there whether it was asked for or not.

        Aloud, what is open to fewer people than the conversation itself is as good as a confidence.

        """
        if self.manner != "say":
            return tuple(self.listeners)
        said: list[str] = []
        for percept in self.percepts:
            members = audiences.frozen(percept.audience)
            said += members if isinstance(members, tuple) else (ANYONE,)
        # Of itself, before whoever is here, it speaks in the open.
        return tuple(dict.fromkeys((*self.listeners, *(said or (ANYONE,)))))

    def may_be_told_to(self, hearers: Sequence[str]) -> bool:
        """Whether all that the turn has drawn on may be told to all of these."""
        return all(audiences.may_be_told(audience, hearers) for audience in self.audiences)

    def audience(self) -> Audience:
        """Who may be told what comes out of this turn: the intersection of all it rests on."""
        return audiences.intersect([*self.audiences, *(p.audience for p in self.percepts)])


def begin(npc: Any, percepts: Sequence[Percept]) -> Material:
    """
    Decide how an answer will be given and who will hear it.

    A whisper is answered by a whisper. So is anything said aloud in confidence while others stand
    near; open speech is answered aloud, before everyone who is here now.

    Args:
        npc: The NPC.
        percepts: The lines to answer, all of one kind.

    """
    first = percepts[0]
    speakers = tuple(dict.fromkeys(p.speaker for p in percepts if p.speaker))
    if first.manner == "channel":
        listeners = tuple(first.witnesses) if first.audience != "public" else ()
        return Material(percepts, "channel", (*listeners, *speakers, ANYONE))
    me = entity_id(npc)
    hearers = tuple(who for who in those_present(npc.location, npc, "say") if who != me)
    confidential = first.manner in ("whisper", "page") or not all(
        audiences.may_be_told(p.audience, hearers) for p in percepts
    )
    if confidential:
        return Material(percepts, "whisper", speakers)
    return Material(percepts, "say", tuple(dict.fromkeys((*speakers, *hearers))))
