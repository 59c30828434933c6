"""
Who may be told: the one rule that every reading of memory goes through.

An audience is frozen when something is heard: `"public"`, the entity ids that may be told, or
`None` for nobody. The NPC whose memory it is need not be listed; it does not tell itself.

    >>> may_be_told("public", ["#7"])
    True
    >>> may_be_told(["#5", "#6"], ["#5"])
    True
    >>> may_be_told(["#5", "#6"], ["#5", "#7"])
    False
    >>> may_be_told(None, ["#5"])
    False

"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from evennia_assistant.mind.percept import Audience

#: The audience of what was said or done in the open.
PUBLIC: Final = "public"
#: A listener nobody's words are meant for: where it listens, only what is public may be told.
ANYONE: Final = "*"


def may_be_told(audience: object, listeners: Iterable[str]) -> bool:
    """
    Whether every one of `listeners` may be told; whatever is unclear means no.

    Args:
        audience: What the store holds, unchecked: `"public"`, or a list, tuple or set of entity
            ids. Anything else, None and a single id as a bare string included, is nobody.
        listeners: Entity ids of all who will hear the answer.

    Returns:
        True only when all listeners are in the audience. With no listener given, only what is
        public may be told: a caller who forgot to say who listens gets no confidences.

    """
    allowed = frozen(audience)
    if allowed is None:
        return False
    if allowed == PUBLIC:
        return True
    if isinstance(listeners, str):
        return False
    asked = list(listeners)
    return bool(asked) and all(listener in allowed for listener in asked)


def listeners_of(audience: object) -> tuple[str, ...]:
    """
    Whom to reckon with in looking something up for an audience.

    Args:
        audience: As a store holds it.

    Returns:
        All who are in it; `ANYONE` where that is everybody, or nobody knows whom.

    """
    allowed = frozen(audience)
    return allowed if isinstance(allowed, tuple) else (ANYONE,)


def intersect(audiences: Iterable[object]) -> Audience:
    """
    Who may be told of something derived from several memories: those who may be told of each.

    Args:
        audiences: The audiences of the evidence.

    Returns:
        The ids in all of them, sorted. Public evidence takes nobody away. None when any of them
        is unclear, when nobody is in all of them, or when there is no evidence at all.

    """
    shared: set[str] | None = None
    some = False
    for audience in audiences:
        some = True
        allowed = frozen(audience)
        if allowed is None:
            return None
        if isinstance(allowed, tuple):
            shared = set(allowed) if shared is None else shared & set(allowed)
    if not some or shared == set():
        return None
    return PUBLIC if shared is None else tuple(sorted(shared))


def stored(audience: Audience) -> str | list[str] | None:
    """An audience as plain data for a store; `frozen` reads it again."""
    return audience if audience is None or isinstance(audience, str) else list(audience)


def frozen(audience: object) -> Audience:
    """
    An audience as one hashable value, read from whatever a store kept.

    Args:
        audience: `"public"`, or a list, tuple or set of entity ids, or anything else.

    Returns:
        `"public"`, a sorted tuple of ids, or None (nobody) for all that is neither, an empty
        list and a list holding anything but non-empty strings included.

    """
    if isinstance(audience, str):
        return PUBLIC if audience == PUBLIC else None
    if not isinstance(audience, list | tuple | set | frozenset) or not audience:
        return None
    if not all(isinstance(member, str) and member for member in audience):
        return None
    return tuple(sorted(set(audience)))
