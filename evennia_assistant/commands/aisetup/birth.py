"""
What a new assistant is made of: its character, and a persona to begin with.

The key says enough for a first persona: an "innkeeper" keeps an inn. The keeper writes a better
one when there is time.

"""

from __future__ import annotations

import re
from typing import Any

from evennia.utils import create

from ...typeclasses.character import AssistantCharacter
from ...typeclasses.script import AssistantScript
from ..base import Refusal
from ..plain import plain

MAX_KEY = 40
MAX_NAME = 60
_KEY = re.compile(r"[a-z0-9_-]+\Z")
CLASS_PATH = "evennia_assistant.typeclasses.character.AssistantCharacter"

_TRADES = """
    abbot alchemist apothecary archer armorer artist bailiff baker banker barber barkeep
    barkeeper barmaid bartender beggar blacksmith bodyguard bookseller bouncer brewer
    butcher butler captain caretaker carpenter chef clerk cook councillor courier dealer
    doctor doorman driver druid elder engineer farmer ferryman fisher fisherman florist
    gardener gatekeeper gravedigger greeter groom grocer guard guardian guide harbormaster
    healer herald herbalist hermit historian host hostess hunter innkeeper jailer jeweler
    judge keeper king knight landlady landlord lawyer librarian mage maid mason mayor
    mechanic medic merchant messenger midwife miller miner minstrel monk nurse officer
    oracle painter pilot porter postman priest priestess prince princess professor queen
    ranger receptionist sage sailor scholar scout sentry sergeant servant shepherd sheriff
    shopkeeper smith smuggler soldier stablehand steward storyteller tailor tanner teacher
    thief tinker trader trainer traveler traveller vendor waiter waitress watchman weaver
    witch wizard woodcutter
"""


def usable_key(key: str) -> str:
    """
    A key as it is kept: in lower case.

    Raises:
        Refusal: If it holds anything but letters, digits, `_` and `-`.

    """
    wanted = key.strip().lower()
    if len(wanted) > MAX_KEY or not _KEY.match(wanted):
        raise Refusal(
            f'"{plain(key.strip(), 60)}" cannot be a key: use up to {MAX_KEY} of a to z, 0 to 9, _ '
            "and -. The character may have any name: aisetup/init old_bram = Old Bram"
        )
    return wanted


def name_from(key: str) -> str:
    """A name for the character of a key: `old_bram` makes "Old bram"."""
    words = re.sub(r"[_-]+", " ", key).strip() or key
    return words[0].upper() + words[1:]


def persona_from(key: str, name: str, place: Any) -> dict[str, Any]:
    """
    A persona to begin with.

    Args:
        key: The assistant's key; a trade in it becomes the NPC's.
        name: The character's name.
        place: Where it is, None for nowhere.

    """
    words = re.sub(r"[_-]+|\d+", " ", key).split()
    where = f" at {place.key}" if place is not None else ""
    if words and words[-1] in _TRADES.split():
        who = f"The {' '.join(words)}{where}."
    else:
        who = f"{name} lives here{where}."
    return {
        "description": f"{who} Friendly and down to earth, curious about strangers, and good at "
        "remembering who said what."
    }


def make_character(name: str, key: str, maker: Any, typeclass: Any = AssistantCharacter) -> Any:
    """
    A new NPC where its maker stands, and its maker is its keeper.

    Args:
        name: Its name.
        key: The assistant's key, for the persona.
        maker: Who makes it.
        typeclass: Its class, one with `AssistantMixin`.

    Raises:
        Refusal: If the name is no name, or the maker is nowhere.

    """
    name = name.strip()
    if not name or len(name) > MAX_NAME or not name.isprintable() or set(name) & set("|{}#=$\\"):
        raise Refusal(
            f"A character's name has 1 to {MAX_NAME} characters and none of | {{ }} # = $ \\: "
            f'"{plain(name, 60)}" will not do.'
        )
    if getattr(maker, "location", None) is None:
        raise Refusal("You are nowhere; go to the room where the NPC is to be.")
    keepers = f"id({maker.pk}) or perm(Admin)"
    npc = create.create_object(
        typeclass,
        key=name,
        location=maker.location,
        home=maker.location,
        locks=f"control:{keepers};edit:{keepers};delete:{keepers}",
    )
    npc.db.persona = persona_from(key, name, maker.location)
    npc.db.desc = f"{name} looks up when somebody comes near, ready for a word."
    return npc


def make_script(key: str, npc: Any) -> AssistantScript:
    """The script of a new assistant, bound to its character and switched on."""
    script = create.create_script(AssistantScript, key=f"assistant_{key}")
    script.bind(key, npc)
    script.enable()
    return script
