"""
What an NPC perceived, as plain data.

A :class:`Percept` is made once, at the moment something is heard or seen, and never changes: who
said it, the words, how, where, who else could perceive it and who may be told (`trust` rule 1:
witnesses and audience are frozen at hearing time).

"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

#: Who may be told: everyone, or exactly these entity ids. `None` means nobody (it fails closed).
Audience = Literal["public"] | tuple[str, ...] | None

#: How something reached the listener.
Manner = Literal["say", "whisper", "talk", "pose", "emote", "arrive", "leave", "page", "channel"]

#: Manners that carry words meant to be understood.
SPOKEN: frozenset[str] = frozenset({"say", "whisper", "talk", "page", "channel"})

#: Manners only their receivers perceive.
CONFIDENTIAL: frozenset[str] = frozenset({"whisper", "page"})

#: What kind of entity is behind a percept; "assistant" is another NPC of ours.
SpeakerKind = Literal["player", "assistant", "npc", "object", "system"]


@dataclass(frozen=True, slots=True)
class Percept:
    """
    One thing perceived.

    Args:
        manner: How it came, one of `Manner`.
        speaker: Entity id (`"#12"`) of who did it, None for the system.
        speaker_name: The name the listener knew the speaker by.
        words: The words alone when they are known, else the whole line. No colour codes.
        line: The line as a client would have shown it, without colour codes.
        when: UTC, seconds since the epoch.
        place: Entity id of the room, None when there is none.
        place_name: The room's name.
        witnesses: Entity ids of everyone who could perceive it, speaker and listener included.
        audience: Who may be told of it.
        receivers: Entity ids it was explicitly directed to (whisper, talk, page), else empty.
        exact: True when `words` are the speaker's own words, not guessed from a formatted line.
        speaker_kind: What the speaker is.
        privileged: True when the speaker may give this NPC orders (its keeper, or staff).
        channel: The channel's name when `manner` is "channel".

    """

    manner: Manner
    speaker: str | None
    speaker_name: str
    words: str
    line: str
    when: float
    place: str | None = None
    place_name: str = ""
    witnesses: tuple[str, ...] = ()
    audience: Audience = None
    receivers: tuple[str, ...] = ()
    exact: bool = False
    speaker_kind: SpeakerKind = "player"
    privileged: bool = False
    channel: str | None = None
