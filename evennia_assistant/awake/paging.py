"""Words to somebody who is elsewhere."""

from __future__ import annotations

from typing import Any

from evennia.server.sessionhandler import SESSIONS
from evennia.utils.ansi import strip_ansi

from ..errors import InvalidArguments, ToolRefused
from ..perception.company import names_of
from ..perception.hearing import entity_id
from . import speech


def page(turn: Any, to: str, text: str) -> dict[str, Any]:
    """
    Page one connected character on behalf of a turn.

    Args:
        turn: The `Turn` whose words these are.
        to: The character's name.
        text: What the model wrote.

    Returns:
        What was sent, for the model.

    Raises:
        ToolRefused: If they may not be told, or do not want to be paged.
        InvalidArguments: If nobody of that name is connected, or nothing in the text can be sent.

    """
    npc = turn.agent.npc
    target = _connected(npc, to)
    who = entity_id(target) or ""
    if not turn.material.may_be_told_to([who]):
        raise ToolRefused(f"{to} may not be told that.")
    asking = [turn.agent.find(speaker) for speaker in turn.material.asked]
    for sender in (npc, *filter(None, asking)):
        for receiver in (target, target.account):
            if receiver is not None and not receiver.access(sender, "msg", default=True):
                raise ToolRefused(f"{target.key} does not want to be paged.")
    words = speech.sayable(npc, text, others=list(turn.material.partners.values()))
    if not words:
        raise InvalidArguments("There is nothing in that text that could be sent.")
    if not speech.page(npc, words, target):
        raise ToolRefused("You cannot page now.")
    turn.said.append({"manner": "page", "text": words, "hearers": [who]})
    return {"said": words, "manner": "page", "to": strip_ansi(target.get_display_name(npc))}


def _connected(npc: Any, name: str) -> Any:
    """The one connected character of a name."""
    wanted = name.strip().casefold()
    puppets = {
        session.puppet.pk: session.puppet
        for session in SESSIONS.get_sessions()
        if session.puppet is not None and session.puppet is not npc
    }
    found = [
        puppet
        for puppet in puppets.values()
        if wanted in {known.casefold() for known in names_of(puppet)}
    ]
    if len(found) != 1:
        problem = "Nobody" if not found else "More than one"
        raise InvalidArguments(f"{problem} of the name {name.strip()[:60]!r} can be reached now.")
    return found[0]
