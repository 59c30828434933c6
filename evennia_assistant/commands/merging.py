"""`aimemory/merge`: whether two whom an NPC knows by name are one."""

from __future__ import annotations

import re
from typing import Any

from evennia.utils import logger

from ..asleep.night import night_of
from ..errors import StoreError
from ..memory.mentions import keep_apart, merge, uncertain
from ..memory.profile_record import audience_of, names_of
from ..mind.audience import intersect
from .base import Refusal
from .plain import plain
from .shown import who_may_be_told

_AND = re.compile(r"\s+(?:is|into|=)\s+", re.IGNORECASE)
_NOT = re.compile(r"^(?:not|isn't|is not)\s+", re.IGNORECASE)


def settle_names(command: Any, script: Any, npc: Any) -> None:
    """
    Show who may be somebody else, or settle it.

    Args:
        command: The command that was typed; `rhs` is empty, "<one> is <other>" or "<one> is not
            <other>".
        script: The AssistantScript.
        npc: Its character.

    Raises:
        Refusal: If it cannot be understood or done; the text says what to type.

    """
    typed, key = (command.rhs or "").strip(), script.db.assistant_key
    if not typed:
        command.page("\n".join(_open_lines(command.reader(npc), npc, key)))
        return
    command.need_keeper(script)
    if night_of(script).running:
        raise Refusal(f"A step of {plain(npc.key)}'s night is under way; ask again in a minute.")
    parts = _AND.split(typed, maxsplit=1)
    if len(parts) != 2:
        raise Refusal(f"Usage: aimemory/merge {key} = <one> is <other>, or <one> is not <other>")
    apart = _NOT.match(parts[1])
    one = profile_of(npc, parts[0])
    other = profile_of(npc, parts[1][apart.end() :] if apart else parts[1])
    profiles = npc.memory.profiles
    try:
        if apart:
            first = one if one.get("merge_target") == other["entity_id"] else other
            keep_apart(profiles, first["entity_id"])
            said = f"{called(one)} is not {called(other)}; {plain(npc.key)} asks no more."
        else:
            stays = merge(profiles, one["entity_id"], other["entity_id"])
            said = f"{called(one)} and {called(other)} are one now: {called(stays)}."
    except StoreError as err:
        raise Refusal(plain(err)) from None
    npc.memory.save()
    logger.log_sec(f"Assistant {key}: {command.caller.key} settled names: {typed}")
    command.msg(said)


def _open_lines(reader: Any, npc: Any, key: str) -> list[str]:
    profiles = npc.memory.profiles
    lines = []
    for profile in uncertain(profiles):
        target = profiles.get(profile["merge_target"])
        audience = intersect([audience_of(profile), audience_of(target)])
        if reader.may(audience):
            lines.append(
                f"  {called(profile)} may be {called(target)}; {who_may_be_told(audience)}"
            )
    if not lines:
        lines = [f"{plain(npc.key)} takes nobody it was told of for somebody else, perhaps."]
    else:
        lines = [
            f"|wWho {plain(npc.key)} is not sure about|n:",
            *lines,
            f"Settle it: aimemory/merge {key} = <one> is <other>, or <one> is not <other>",
        ]
    return [*lines, *filter(None, [reader.note()])]


def profile_of(npc: Any, typed: str) -> Any:
    """
    The one profile that goes by a name or an id, confided names included: a keeper asks.

    Raises:
        Refusal: If there is none, or there are several.

    """
    wanted = typed.strip()
    held = npc.memory.profiles.store.data
    if wanted in held:
        return held[wanted]
    folded = wanted.casefold()
    found = [
        profile
        for profile in held.values()
        if folded in (name.text.casefold() for name in names_of(profile))
    ]
    if len(found) == 1:
        return found[0]
    if not found:
        raise Refusal(f'{plain(npc.key)} knows nobody called "{plain(wanted, 60)}".')
    ids = ", ".join(plain(each["entity_id"], 20) for each in found)
    raise Refusal(f'Several go by "{plain(wanted, 60)}": {ids}. Name one by its id.')


def called(profile: Any) -> str:
    """A name and the id it goes by, for keepers."""
    return f"{plain(profile['canonical_name'], 40)} ({plain(profile['entity_id'], 20)})"
