"""
From what Evennia sends an NPC to what it perceived.

Every object in a room gets the same messages a player's client gets. `perceive` reads one of
them: who did it, how, the words, and - frozen at this moment - who else could perceive it and who
may be told. What is neither speech nor something somebody did (descriptions, errors, tracebacks,
the NPC's own echoes) is None.

"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

from evennia.objects.objects import DefaultCharacter
from evennia.utils.ansi import strip_ansi
from evennia.utils.utils import class_from_module, make_iter

from ..conf import setting
from ..mind.confidence import is_off_the_record
from ..mind.percept import CONFIDENTIAL, Audience, Manner, Percept, SpeakerKind
from ..mind.speech_line import extract_words
from .speaking import utterance_of

#: Category of the tags below.
TAG_CATEGORY = "assistant"
#: Tag of a room in which nothing that is said leaves the circle of those present.
PRIVATE_TAG = "private"

_SPOKEN_TYPES: Mapping[str, Manner] = {
    "say": "say",
    "whisper": "whisper",
    "pose": "pose",
    "emote": "emote",
    "page": "page",
}
#: Manners that are seen; all others are heard.
_SEEN = frozenset({"pose", "emote", "arrive", "leave"})
#: Message types a move announces itself with, besides `move_type`s of a game's own.
_NOT_MOVES = frozenset({"look", "help", "channel", "error", "menu", "inventory"})


def entity_id(obj: Any) -> str | None:
    """The id an object has in memory, `"#12"`; None for no object or a deleted one."""
    return f"#{obj.pk}" if obj is not None and getattr(obj, "pk", None) else None


def kind_of(obj: Any) -> SpeakerKind:
    """What is behind an object: a player, one of our NPCs, another character, or a thing."""
    if getattr(obj, "is_assistant", False):
        return "assistant"
    if getattr(obj, "db_account_id", None) or obj.sessions.count():
        return "player"
    return "npc" if isinstance(obj, DefaultCharacter) else "object"


def can_perceive(witness: Any, actor: Any, manner: str) -> bool:
    """
    Whether `witness`, in the same place as `actor`, perceived what the actor did.

    Args:
        witness: Who might have.
        actor: Who did it.
        manner: As in `mind.percept.Manner`.

    """
    return perception_of(manner)(witness, actor)


def perception_of(manner: str) -> Callable[[Any, Any], bool]:
    """
    What decides who perceives what is done in one manner; for a whole room it is asked once.

    Args:
        manner: As in `mind.percept.Manner`.

    Returns:
        A function of a witness and an actor in the same place.

    """
    custom = setting("ASSISTANT_CAN_PERCEIVE")
    if custom:
        decide = class_from_module(custom)
        return lambda witness, actor: bool(decide(witness, actor, manner))
    if manner in _SEEN:
        return lambda witness, actor: (
            _open_to_all(actor.db_lock_storage, "view")
            or bool(actor.access(witness, "view", default=True))
        )
    return lambda witness, actor: (
        _open_to_all(witness.db_lock_storage, "hear")
        or bool(witness.access(actor, "hear", default=True))
    )


@lru_cache(maxsize=1024)
def _open_to_all(locks: str, kind: str) -> bool:
    """
    Whether a lock string has no rule of a kind, or one that everybody passes.

    Asking the lock costs a hundred times more, and a room may hold hundreds.

    """
    rules = (rule.partition(":") for rule in locks.split(";"))
    return all(test.strip() == "all()" for name, _colon, test in rules if name.strip() == kind)


def sentient(obj: Any) -> bool:
    """Whether an object is someone who can hear: a character of any kind, or puppeted."""
    return isinstance(obj, DefaultCharacter) or bool(obj.sessions.count())


def those_present(place: Any, actor: Any, manner: str) -> tuple[str, ...]:
    """
    Entity ids of everyone in `place` who perceives what `actor` does there, the actor included.

    Args:
        place: The room, None for nowhere.
        actor: Who acts.
        manner: How.

    """
    if place is None:
        return tuple(filter(None, (entity_id(actor),)))
    perceives = perception_of(manner)
    # A crowd is gone through three times for a line, so it is asked for as little as can be.
    return tuple(
        f"#{obj.id}"
        for obj in place.contents
        if (isinstance(obj, DefaultCharacter) or sentient(obj))
        and (obj is actor or perceives(obj, actor))
    )


def audience_of(
    manner: str,
    words: str,
    place: Any,
    witnesses: Iterable[str],
    parties: Iterable[str],
    strict: bool,
) -> Audience:
    """
    Who may be told of something (trust.md, rule 1).

    Args:
        manner: How it was said or done.
        words: What was said.
        place: The room.
        witnesses: Who perceived it.
        parties: The speaker, the listener and those it was directed to.
        strict: The listener tells what it heard to those who heard it only.

    """
    if manner in CONFIDENTIAL or is_off_the_record(words):
        return tuple(dict.fromkeys(parties))
    if strict or (place is not None and _is_private(place)):
        return tuple(witnesses)
    return "public"


def _is_private(place: Any) -> bool:
    # Asked for by its name, a tag that is not there costs a query each time; by category it does
    # not.
    return PRIVATE_TAG in place.tags.get(category=TAG_CATEGORY, return_list=True)


def perceive(
    listener: Any,
    text: Any,
    from_obj: Any,
    *,
    now: float,
    known_present: dict[str, SpeakerKind],
    strict: bool = False,
) -> Percept | None:
    """
    What a listener perceived in one message.

    Args:
        listener: The NPC.
        text: As `at_msg_receive` gets it: a line, or `(line, {"type": ...})`.
        from_obj: Who sent it.
        now: UTC seconds since the epoch.
        known_present: What kind each one near was, by entity id, before this message; it tells an
            arrival from a departure, and is brought up to date.
        strict: The listener's option `strict_audience`.

    Returns:
        The percept, None for anything that is neither speech nor somebody's doing.

    """
    actor = next(iter(make_iter(from_obj)), None) if from_obj is not None else None
    if actor is None or actor is listener:
        return None
    if not hasattr(actor, "contents") or not sentient(actor):
        return None
    options: Mapping[str, Any] = {}
    if isinstance(text, tuple | list):
        if len(text) > 1 and isinstance(text[1], Mapping):
            options = text[1]
        text = text[0] if text else None
    if text is None:
        return None
    line = strip_ansi(str(text))[: setting("ASSISTANT_MAX_LINE") + 200].strip()
    if not line:
        return None
    manner = _manner(str(options.get("type") or ""), actor, listener, known_present)
    if manner is None or not can_perceive(listener, actor, manner):
        return None
    return _percept(listener, actor, manner, line, now=now, strict=strict)


def urgency_of(text: Any) -> dict[str, Any]:
    """
    What the game says of how urgent a message is; a player's command cannot say anything of it.

    Args:
        text: As `at_msg_receive` gets it: `(line, {"type": ..., "urgent": True})` or with
            `"priority": 1 to 10`.

    """
    given = text[1] if isinstance(text, tuple | list) and len(text) > 1 else None
    if not isinstance(given, Mapping):
        return {}
    return {key: given[key] for key in ("urgent", "priority") if key in given}


def perceive_channel(
    listener: Any, message: str, channel: Any, sender: Any, *, now: float, strict: bool = False
) -> Percept | None:
    """
    What a listener heard on a channel.

    Args:
        listener: The NPC, a subscriber.
        message: The words, as the channel distributes them.
        channel: The channel.
        sender: Character or account that spoke, None for a broadcast.
        now: UTC seconds since the epoch.
        strict: The listener's option `strict_audience`.

    Returns:
        The percept, None for a broadcast or the listener's own words.

    """
    actor = getattr(sender, "puppet", None) or sender
    if actor is None or actor is listener:
        return None
    words = strip_ansi(str(message))[: setting("ASSISTANT_MAX_LINE")].strip()
    if not words:
        return None
    subscribers = tuple(
        filter(None, (entity_id(_body(sub)) for sub in channel.subscriptions.all()))
    )
    listen = [rule for rule in channel.db_lock_storage.split(";") if rule.startswith("listen:")]
    open_to_all = not listen or listen == ["listen:all()"]
    is_object = hasattr(actor, "contents")
    return Percept(
        manner="channel",
        speaker=entity_id(actor) if is_object else None,
        speaker_name=strip_ansi(actor.get_display_name(listener)),
        words=words,
        line=f"[{channel.key}] {words}",
        when=now,
        witnesses=subscribers,
        audience="public" if open_to_all and not strict else subscribers,
        exact=True,
        speaker_kind=kind_of(actor) if is_object else "player",
        privileged=may_command(actor, listener),
        channel=channel.key,
    )


def may_command(actor: Any, listener: Any) -> bool:
    """Whether `actor` is a keeper of `listener`: whether it holds `control` over it."""
    return bool(listener.access(actor, "control", default=False))


def _body(subscriber: Any) -> Any:
    return subscriber if hasattr(subscriber, "contents") else getattr(subscriber, "puppet", None)


def _manner(
    kind: str, actor: Any, listener: Any, known_present: dict[str, SpeakerKind]
) -> Manner | None:
    """Which manner a message type stands for; keeps `known_present` up to date."""
    who = f"#{actor.pk}"
    here = actor.location is not None and actor.location == listener.location
    if kind in _SPOKEN_TYPES:
        if here or kind != "page":
            known_present[who] = kind_of(actor)
        return _SPOKEN_TYPES[kind]
    if kind in _NOT_MOVES:
        return None
    if who not in known_present:
        if here:
            known_present[who] = kind_of(actor)
        return "arrive" if here else None
    # A typed message from someone known to be here announces a move. An untyped one is something
    # they do, unless they were a player and nobody plays them any more: then it is a logout.
    logged_out = known_present[who] == "player" and kind_of(actor) != "player"
    if kind or not here or logged_out:
        del known_present[who]
        return "leave"
    return "pose"


def _percept(
    listener: Any, actor: Any, manner: Manner, line: str, *, now: float, strict: bool
) -> Percept:
    name = strip_ansi(actor.get_display_name(listener))
    spoken = utterance_of(actor)
    receivers: tuple[str, ...] = ()
    exact = False
    if spoken is not None:
        words, exact = strip_ansi(spoken.words), True
        receivers = tuple(filter(None, (entity_id(obj) for obj in spoken.receivers)))
        if manner == "say" and spoken.manner == "talk":
            manner = "talk"
    else:
        words, exact = extract_words(line, (name, actor.key), manner)
    if manner in CONFIDENTIAL and not receivers:
        receivers = (f"#{listener.pk}",)
    words = words[: setting("ASSISTANT_MAX_LINE")].strip() or line
    me, them = f"#{listener.pk}", f"#{actor.pk}"
    parties = (them, me, *receivers)
    place = listener.location
    if manner in CONFIDENTIAL:
        witnesses = tuple(dict.fromkeys(parties))
    else:
        witnesses = those_present(place, actor, manner)
    return Percept(
        manner=manner,
        speaker=them,
        speaker_name=name,
        words=words,
        line=line,
        when=now,
        place=entity_id(place),
        place_name=strip_ansi(place.get_display_name(listener)) if place else "",
        witnesses=witnesses,
        audience=audience_of(manner, words, place, witnesses, parties, strict),
        receivers=receivers,
        exact=exact,
        speaker_kind=kind_of(actor),
        privileged=may_command(actor, listener),
    )
