"""
What an NPC means by a name: one thing, one person or one exit that it can see.

Names are matched as a player's are, by key, alias or what they look like; of two alike, `coin-2` is
the second. What the NPC cannot see does not exist for it.

"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from evennia.utils.ansi import strip_ansi

from ..errors import InvalidArguments
from ..perception.company import names_of
from ..perception.hearing import perception_of, sentient

_NUMBERED = re.compile(r"(?P<name>.+?)-(?P<number>\d{1,3})\Z")
_ARTICLE = re.compile(r"(?:the|an?|my|your)\s+", re.IGNORECASE)
_ITSELF = frozenset({"me", "myself", "self", "i"})


def named(character: Any, name: str, among: Iterable[Any], where: str) -> Any:
    """
    The one object of those given that a name means.

    Args:
        character: The NPC.
        name: As the model wrote it.
        among: Objects; those the NPC cannot see are passed over.
        where: "here", "among your things": completes the text of an error.

    Raises:
        InvalidArguments: If there is none or it could be several; the text names what there is.

    """
    sees = perception_of("pose")
    seen = [
        obj for obj in dict.fromkeys(among) if obj.pk and (obj is character or sees(character, obj))
    ]
    wanted = _ARTICLE.sub("", " ".join(name.split()).casefold(), count=1)
    found = _matching(character, wanted, seen)
    numbered = _NUMBERED.match(wanted)
    if not found and numbered is not None:
        alike = _matching(character, numbered["name"], seen)
        number = int(numbered["number"])
        found = alike[number - 1 : number] if number else []
    if len(found) == 1:
        return found[0]
    if found:
        choices = ", ".join(f"{wanted}-{number}" for number in range(1, len(found) + 1)[:9])
        raise InvalidArguments(f"{len(found)} things {where} go by {wanted!r}: say {choices}.")
    listed = ", ".join(shown(character, obj) for obj in seen[:12] if obj is not character)
    raise InvalidArguments(
        f"There is no {wanted[:60]!r} {where}; there is {listed or 'nothing'} to be seen."
    )


def things_here(character: Any) -> list[Any]:
    """What lies where the NPC stands."""
    return [obj for obj in _contents(character) if not obj.destination and not sentient(obj)]


def people_here(character: Any) -> list[Any]:
    """Who stands where the NPC stands, itself left out."""
    return [obj for obj in _contents(character) if sentient(obj) and obj is not character]


def exits_here(character: Any) -> list[Any]:
    """The ways out."""
    return [obj for obj in _contents(character) if obj.destination]


def shown(character: Any, obj: Any) -> str:
    """An object's name as the NPC sees it, in plain text."""
    return str(strip_ansi(obj.get_display_name(character)))


def _contents(character: Any) -> list[Any]:
    return [] if character.location is None else list(character.location.contents)


def _matching(character: Any, wanted: str, seen: list[Any]) -> list[Any]:
    if wanted in _ITSELF:
        return [obj for obj in seen if obj is character]
    names = [(obj, _names(character, obj)) for obj in seen]
    exact = [obj for obj, known in names if wanted in known]
    if exact or not wanted:
        return exact
    words = set(wanted.split())
    return [obj for obj, known in names if any(words <= set(name.split()) for name in known)]


def _names(character: Any, obj: Any) -> set[str]:
    names = (*names_of(obj), *obj.aliases.all(), shown(character, obj))
    return {str(name).casefold() for name in names}
