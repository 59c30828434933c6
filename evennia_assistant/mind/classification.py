"""
Whether a line is for this NPC, without asking a model.

Nine rules are tried in order; the first with something to say decides:

0. disabled-state check
1. self-message handling
2. direct addressing
3. direct messages
4. assistant cross-talk
5. permission-based trigger
6. channel configuration
7. room-message default
8. default fallback

>>> bram = ListenerState("#7", ("Bram",), present=(Addressee("#9", ("Anna",)),))
>>> heard = Percept("say", "#8", "Bob", "Bram, an ale!", 'Bob says, "Bram, an ale!"', 0.0)
>>> verdict = classify_message(heard, bram)
>>> verdict.kind, verdict.rule, verdict.reason
('TRIGGER', 'direct addressing', 'Bob called it "Bram"')

"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from evennia_assistant.mind.address_words import GREETING_TAIL, GREETINGS, SOFT
from evennia_assistant.mind.everyone import addresses_everyone
from evennia_assistant.mind.listener import ChannelMode, Heard, ListenerOptions, ListenerState
from evennia_assistant.mind.name_forms import Addressee, tokenize
from evennia_assistant.mind.percept import CONFIDENTIAL, Percept
from evennia_assistant.mind.turn_taking import Engagement

__all__ = [
    "RULES",
    "Addressee",
    "ChannelMode",
    "Classification",
    "Kind",
    "ListenerOptions",
    "ListenerState",
    "classify_message",
    "engagement_after",
]

Kind = Literal["TRIGGER", "CONTEXT", "IGNORE"]

_OUT_OF_CHARACTER = re.compile(
    r"\(\(.*|\[\s*ooc\b.*|[(<{]\s*ooc\b.*|ooc\s*[:\-,>].*|//.*|\{\{.*|\(ooc\).*",
    re.IGNORECASE | re.DOTALL,
)
_TO_COMPANIONS = re.compile(
    r"(?:(?:ok(?:ay)?|well|right|alright|so|come on|then|now),? )?"
    r"(?:let'?s|lets|shall we|we should|we'd better|we better|after you)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Classification:
    """
    What to do with a line.

    Args:
        kind: TRIGGER (take a turn), CONTEXT (remember it was said) or IGNORE (drop it).
        rule: Name of the rule that decided.
        reason: Why, in words for an admin.
        metadata: `classification` (`direct_addressing`, `direct_message`, `assistant_cross_talk`,
            `trust`, `channel`, `arrival`, `alone`, `engaged`, `everyone`, or `ambient`),
            `addressed` (ids called by name), `weak` (True when another assistant may as well
            answer), `queued` (True when the listener was busy).

    """

    kind: Kind
    rule: str
    reason: str
    metadata: Mapping[str, Any] = field(default_factory=dict)


def classify_message(percept: Percept, listener: ListenerState) -> Classification:
    """
    Whether a line is for this NPC, and why.

    Args:
        percept: What was heard or seen.
        listener: The NPC that perceived it.

    Returns:
        The verdict of the first rule that has one. The last rule always does.

    """
    heard = Heard(percept, listener)
    for rule in RULES:
        verdict = rule(heard)
        if verdict is not None:
            extra = {"addressed": heard.called_ids, "weak": False, "queued": listener.busy}
            return replace(verdict, metadata={**extra, **verdict.metadata})
    raise AssertionError("the default fallback has a verdict for everything")


def engagement_after(
    engagement: Engagement, percept: Percept, verdict: Classification, listener: ListenerState
) -> Engagement:
    """
    The NPC's conversations after a line.

    A player whose line it will answer is in conversation with it; one who turns to somebody else,
    is called by somebody else, or leaves, is not any more.

    Args:
        engagement: The conversations before.
        percept: The line.
        verdict: What `classify_message` said of it.
        listener: The NPC.

    Returns:
        The conversations after.

    """
    speaker = percept.speaker
    if speaker is None or speaker == listener.id:
        return engagement
    if percept.manner == "leave":
        return engagement.parted(speaker)
    if verdict.kind == "TRIGGER" and percept.speaker_kind == "player":
        kept = verdict.metadata.get("weak") or percept.manner in ("arrive", "channel")
        return engagement if kept else engagement.exchanged(speaker, percept.when)
    called = set(verdict.metadata.get("addressed", ())) - {listener.id}
    return engagement.parted(speaker, *called) if called else engagement


def _says(kind: Kind, rule: str, reason: str, classification: str, **extra: Any) -> Classification:
    return Classification(kind, rule, reason, {"classification": classification, **extra})


def disabled_state_check(heard: Heard) -> Classification | None:
    """0. disabled-state check: an NPC that is stopped hears nothing."""
    if heard.listener.enabled:
        return None
    return _says("IGNORE", "disabled-state check", "it is stopped", "disabled")


def self_message_handling(heard: Heard) -> Classification | None:
    """1. self-message handling: its own lines, and lines nobody in the world said."""
    rule = "self-message handling"
    percept = heard.percept
    if percept.speaker == heard.listener.id:
        return _says("IGNORE", rule, "it said this itself", "self")
    if percept.speaker_kind == "system" or percept.speaker is None:
        return _says("IGNORE", rule, "the game itself said this", "system")
    if percept.manner in ("arrive", "leave"):
        return None
    text = percept.words.strip() or percept.line.strip()
    if _OUT_OF_CHARACTER.match(text) or _OUT_OF_CHARACTER.match(heard.words.strip()):
        return _says("IGNORE", rule, "it is out of character", "out_of_character")
    if not text or (not heard.gesture and not percept.words.strip()):
        return _says("IGNORE", rule, "it is empty", "empty")
    if not any(unicodedata.category(character)[0] in "LN" for character in text):
        return _says("CONTEXT", rule, "there are no words in it", "ambient")
    return None


def direct_addressing(heard: Heard) -> Classification | None:
    """2. direct addressing: "@bram", "Bram, ...", a gesture towards it."""
    percept = heard.percept
    if not heard.by_player or percept.manner in CONFIDENTIAL or not heard.calls_me:
        return None
    if percept.receivers and heard.me.id not in percept.receivers:
        return None
    if percept.manner == "channel" and _channel_mode(heard) == "never":
        return None
    naming = next(
        (each for each in heard.namings if each.id == heard.me.id and each.how != "mention"), None
    )
    if naming is not None:
        reason = f'{percept.speaker_name} called it "{naming.text}"'
    elif heard.me.id in heard.involved:
        reason = f"the gesture of {percept.speaker_name} is for it"
    else:
        reason = f"{percept.speaker_name} said it to it"
    return _says("TRIGGER", "direct addressing", reason, "direct_addressing")


def direct_messages(heard: Heard) -> Classification | None:
    """3. direct messages: whisper, page and talk to it; those to others it merely overhears."""
    percept = heard.percept
    if not (percept.manner in ("whisper", "page", "talk") or percept.receivers):
        return None
    name, rule = percept.speaker_name, "direct messages"
    if percept.receivers and heard.me.id not in percept.receivers:
        return _says("CONTEXT", rule, f"{name} said it to somebody else", "ambient")
    if not heard.by_player:
        return None
    how = {"whisper": "whispered", "page": "paged"}.get(percept.manner, "talked")
    return _says("TRIGGER", rule, f"{name} {how} to it", "direct_message")


def assistant_cross_talk(heard: Heard) -> Classification | None:
    """4. assistant cross-talk: another NPC is answered when it calls it, while energy lasts."""
    if heard.by_player:
        return None
    name, rule = heard.percept.speaker_name, "assistant cross-talk"
    asked = heard.calls_me or heard.me.id in heard.percept.receivers
    asked = asked or (heard.percept.manner in ("whisper", "talk") and not heard.percept.receivers)
    if not asked or heard.percept.manner in ("arrive", "leave"):
        return _says("CONTEXT", rule, f"{name} is no player and did not call it", "ambient")
    if not heard.listener.energy.allows(heard.percept.speaker_kind):
        reason = f"{name} is no player and no player has spoken for a while (energy 0)"
        return _says("CONTEXT", rule, reason, "assistant_cross_talk")
    return _says("TRIGGER", rule, f"{name}, no player, called it", "assistant_cross_talk")


def permission_based_trigger(heard: Heard) -> Classification | None:
    """5. permission-based trigger: what its keeper says aloud, when it is told to answer that."""
    percept = heard.percept
    wanted = percept.privileged and heard.listener.options.answers_keepers
    if not wanted or percept.manner not in ("say", "channel") or heard.calls_another:
        return None
    if percept.manner == "channel" and _channel_mode(heard) == "never":
        return None
    reason = f"{percept.speaker_name} is its keeper or staff, and it answers those"
    return _says("TRIGGER", "permission-based trigger", reason, "trust")


def channel_configuration(heard: Heard) -> Classification | None:
    """6. channel configuration: a subscribed channel is answered always, when called, or never."""
    if heard.percept.manner != "channel":
        return None
    rule, channel = "channel configuration", heard.percept.channel or "?"
    mode = _channel_mode(heard)
    if mode == "never":
        return _says("IGNORE", rule, f"it does not listen to channel {channel}", "channel")
    if mode == "mention":
        reason = f"on channel {channel} it answers only when called"
        return _says("CONTEXT", rule, reason, "channel")
    if heard.calls_another or heard.tells_of_me:
        return _says("CONTEXT", rule, "somebody else was called", "channel")
    return _says("TRIGGER", rule, f"it answers everything on channel {channel}", "channel")


def room_message_default(heard: Heard) -> Classification | None:
    """7. room-message default: alone with the speaker, in conversation, or one of all called."""
    percept, options = heard.percept, heard.listener.options
    rule, name = "room-message default", percept.speaker_name
    if percept.manner == "arrive" and options.greets_arrivals:
        return _says("TRIGGER", rule, f"{name} came in and it greets", "arrival")
    if percept.manner in ("arrive", "leave", "channel"):
        return None
    if not heard.words:
        if heard.calls_another or not _waves_to_all(heard.action) or not options.answers_everyone:
            return _says("CONTEXT", rule, "the gesture is not for it", "ambient")
        return _says("TRIGGER", rule, "the gesture is for all here", "everyone", weak=True)
    if heard.calls_another:
        return _says("CONTEXT", rule, "somebody else was called", "ambient")
    if heard.alone and options.answer_when_alone:
        return _says("TRIGGER", rule, f"it is alone with {name}", "alone")
    if heard.tells_of_me:
        return _says("CONTEXT", rule, f"{name} talks about it, not to it", "ambient")
    to_all = addresses_everyone(heard.words, 1 + len(heard.others))
    if options.answers_everyone and (to_all or _greets_the_house(heard)):
        return _says("TRIGGER", rule, f"{name} spoke to all here", "everyone", weak=True)
    if heard.engaged and not _TO_COMPANIONS.match(heard.words):
        return _says("TRIGGER", rule, f"it is in conversation with {name}", "engaged")
    return None


def default_fallback(heard: Heard) -> Classification:
    """8. default fallback: what is for nobody in particular is remembered, not answered."""
    percept, rule = heard.percept, "default fallback"
    if percept.manner in ("arrive", "leave"):
        verb = "came" if percept.manner == "arrive" else "left"
        return _says("CONTEXT", rule, f"{percept.speaker_name} {verb}", "ambient")
    if heard.engaged:
        return _says("CONTEXT", rule, "the speaker turned to their company", "ambient")
    reason = "others are here, it was not called, and it is in no conversation with the speaker"
    return _says("CONTEXT", rule, reason, "ambient")


#: The rules in the order they are tried.
RULES: tuple[Callable[[Heard], Classification | None], ...] = (
    disabled_state_check,
    self_message_handling,
    direct_addressing,
    direct_messages,
    assistant_cross_talk,
    permission_based_trigger,
    channel_configuration,
    room_message_default,
    default_fallback,
)


def _channel_mode(heard: Heard) -> ChannelMode:
    """The mode of the percept's channel; one it is not subscribed to is never answered."""
    return heard.listener.channels.get((heard.percept.channel or "").lower(), "never")


def _waves_to_all(action: str) -> bool:
    """True for a gesture to everyone: "waves to everyone"."""
    return re.search(r"\b(?:to|at) (?:everyone|everybody|you all|all of you)\b", action) is not None


def _greets_the_house(heard: Heard) -> bool:
    """True for a bare "Good evening" where only assistants could answer it."""
    kinds = {other.kind for other in heard.others}
    if "player" in kinds or "assistant" not in kinds:
        return False
    said = {token.base for token in tokenize(heard.words)}
    return bool(said & GREETINGS) and said <= GREETINGS | GREETING_TAIL | SOFT
