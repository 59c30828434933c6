"""
Who asked for something, and whether they and the NPC may both have it.

A tool does no more than the NPC may do and whoever asked for it may do; Evennia's locks decide on
both. A superuser who happens to puppet the NPC lends it no rights.

"""

from __future__ import annotations

from typing import Any

from ..errors import ToolRefused
from ..mind.audience import PUBLIC


def requesters(character: Any) -> list[Any]:
    """
    Those whose words led to the present turn; empty when the NPC acts of itself alone.

    Args:
        character: The NPC.

    Raises:
        ToolRefused: If somebody asked and it is not known who, or they are gone.

    """
    turn = character.ndb.assistant_turn
    if turn is None:
        return []
    found = [turn.agent.find(who) for who in turn.material.asked]
    if None in found or any(percept.speaker is None for percept in turn.percepts):
        raise ToolRefused("Whoever asked for this is not here to be asked what they may do.")
    return found


def check_access(
    character: Any, target: Any, access_type: str, refusal: str, *, default: bool = False
) -> None:
    """
    Go on if the NPC and whoever asked both pass a lock.

    Args:
        character: The NPC.
        target: What carries the lock.
        access_type: `get`, `traverse`, `edit`, ...
        refusal: What the model is told when the NPC may not.
        default: What an unset lock means.

    Raises:
        ToolRefused: If one of them does not pass.

    """
    if not target.access(character, access_type, default=default, no_superuser_bypass=True):
        raise ToolRefused(refusal)
    for who in requesters(character):
        if not target.access(who, access_type, default=default):
            raise ToolRefused(f"{who.key} may not do that, so you do not do it for them.")


def check_open(character: Any, what: str) -> None:
    """
    Go on if nothing confidential stands behind this turn.

    For what everybody can see and what carries free text: there a confidence would come out.

    Raises:
        ToolRefused: If the turn draws on a confidence.

    """
    turn = character.ndb.assistant_turn
    if turn is not None and turn.material.audience() != PUBLIC:
        raise ToolRefused(f"This is a private word; {what} would show it to others.")
