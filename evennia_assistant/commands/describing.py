"""`aimemory/describe`: a keeper says who somebody is, and the NPC keeps to it."""

from __future__ import annotations

from typing import Any

from evennia.utils import logger

from ..asleep.night import night_of
from ..mind.audience import PUBLIC
from .base import Refusal
from .merging import called, profile_of
from .plain import plain, quoted


def describe_by_command(command: Any, script: Any, npc: Any) -> None:
    """
    Write a description, or hand it back to the NPC.

    Args:
        command: The command that was typed; `rhs` is "<who>: <words>", or "<who>:" to hand it back.
        script: The AssistantScript.
        npc: Its character.

    Raises:
        Refusal: If it cannot be understood or done; the text says what to type.

    """
    command.need_keeper(script)
    key = script.db.assistant_key
    who, colon, words = (command.rhs or "").partition(":")
    words = " ".join(words.split())
    if not who.strip() or not colon:
        raise Refusal(
            f"Usage: aimemory/describe {key} = <who>: <in a sentence or two>; nothing behind the "
            "colon leaves it to the NPC"
        )
    if night_of(script).running:
        raise Refusal(f"A step of {plain(npc.key)}'s night is under way; ask again in a minute.")
    profile = profile_of(npc, who)
    profiles = npc.memory.profiles
    profiles.describe(
        profile["entity_id"], words, audience=PUBLIC, by_owner=True, when=script.agent.now()
    )
    npc.memory.save()
    logger.log_sec(f"Assistant {key}: {command.caller.key} described {profile['entity_id']}.")
    if not words:
        command.msg(f"{plain(npc.key)} may describe {called(profile)} itself again.")
        return
    kept = quoted(profile["description"]["text"], None)
    command.msg(
        f"To {plain(npc.key)}, {called(profile)} is: {kept} Anyone may be told, and no night "
        "changes it."
    )
