"""
An NPC that listens, and one line as it hears it.

`ListenerState` is what the rules of `classification` need to know of an NPC; `Heard` puts it beside
a percept and answers their questions: was it called, is it alone with the speaker, are they in
conversation?

"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from evennia_assistant.mind.addressing import Naming, find_addressees, find_involved
from evennia_assistant.mind.name_forms import Addressee
from evennia_assistant.mind.percept import Percept
from evennia_assistant.mind.speech_line import outside_quotes, quoted_pieces
from evennia_assistant.mind.turn_taking import IDLE_SECONDS, Energy, Engagement

#: When a line on a channel is answered: when it calls the NPC, always, or never.
ChannelMode = Literal["mention", "all", "never"]

_YOU = re.compile(r"\byou(?:r)?\b", re.IGNORECASE)
_TO_YOU = re.compile(r"\b(?:to|at|asks?|tells?|greets?) you\b")
_DIRECTED = re.compile(r"\b(?:to|at|asks?|tells?|answers?|replies|greets?|calls?|addresses)\b")


@dataclass(frozen=True, slots=True)
class ListenerOptions:
    """
    What an NPC's keeper may choose about its turn-taking.

    Args:
        answer_when_alone: Answer a speaker it is alone with, though nobody is named.
        answers_everyone: Answer a line to all who are there ("Good evening, all").
        answers_keepers: Answer whatever a privileged speaker says aloud to nobody in particular.
        greets_arrivals: Greet a player who comes in.
        idle_seconds: Silence after which a conversation is over.

    """

    answer_when_alone: bool = True
    answers_everyone: bool = True
    answers_keepers: bool = False
    greets_arrivals: bool = False
    idle_seconds: float = IDLE_SECONDS


@dataclass(frozen=True, slots=True)
class ListenerState:
    """
    What the rules need to know of an NPC at the moment it hears something.

    Args:
        id: Its entity id.
        names: The names it goes by, its key first.
        aliases: Other words it answers to.
        enabled: False while it is stopped.
        present: Who else is there; the speaker may be among them.
        engagement: Whom it is talking with.
        energy: How much it may still say to other NPCs.
        channels: Mode of each channel it is subscribed to, by name in lower case.
        options: What its keeper chose.
        busy: True while a turn runs. A line still triggers; it is gathered into the next turn.

    """

    id: str
    names: tuple[str, ...]
    aliases: tuple[str, ...] = ()
    enabled: bool = True
    present: tuple[Addressee, ...] = ()
    engagement: Engagement = field(default_factory=Engagement)
    energy: Energy = field(default_factory=Energy)
    channels: Mapping[str, ChannelMode] = field(default_factory=dict)
    options: ListenerOptions = field(default_factory=ListenerOptions)
    busy: bool = False


class Heard:
    """One line as the rules look at it; each finding is worked out once, when first asked for."""

    def __init__(self, percept: Percept, listener: ListenerState) -> None:
        self.percept = percept
        self.listener = listener
        self.me = Addressee(listener.id, listener.names, listener.aliases, "assistant")
        self.others = tuple(
            other for other in listener.present if other.id not in (listener.id, percept.speaker)
        )
        self.gesture = percept.manner in ("pose", "emote")

    @cached_property
    def words(self) -> str:
        """What was said: of a pose, only what it quotes."""
        if self.gesture:
            return " ".join(piece.words for piece in quoted_pieces(self.percept.line))
        return self.percept.words

    @cached_property
    def action(self) -> str:
        """What was done: of a pose, what it does not quote, without the speaker's name."""
        if not self.gesture:
            return ""
        action = outside_quotes(self.percept.line)
        name = self.percept.speaker_name
        return action[len(name) :] if name and action.startswith(name) else action

    @cached_property
    def namings(self) -> tuple[Naming, ...]:
        return find_addressees(self.words, (self.me, *self.others)) if self.words else ()

    @cached_property
    def directed(self) -> frozenset[str]:
        """Whom the frame around the words names: `Bob says to Anna, "..."`."""
        percept = self.percept
        if percept.manner not in ("say", "talk") or not percept.words:
            return frozenset()
        frame, _, _ = percept.line.partition(percept.words)
        frame = frame.removeprefix(percept.speaker_name)
        verb = _DIRECTED.search(frame)
        if verb is None or len(frame) > 200:
            return frozenset()
        involved = set(find_involved(frame[verb.start() :], (self.me, *self.others)))
        if _TO_YOU.search(frame):
            involved.add(self.me.id)
        return frozenset(involved)

    @cached_property
    def involved(self) -> frozenset[str]:
        """Whom the gesture of a pose is for; "you" in it is the listener."""
        if not self.action:
            return frozenset()
        involved = set(find_involved(self.action, (self.me, *self.others)))
        if _YOU.search(self.action):
            involved.add(self.me.id)
        return frozenset(involved)

    @cached_property
    def called_ids(self) -> tuple[str, ...]:
        """Everyone the line turns to by name or gesture, in order."""
        called = [naming.id for naming in self.namings if naming.how != "mention"]
        return tuple(dict.fromkeys((*called, *sorted(self.directed), *sorted(self.involved))))

    @property
    def calls_me(self) -> bool:
        return self.me.id in self.called_ids

    @property
    def calls_another(self) -> bool:
        """True when somebody else there is called and the listener is not."""
        return bool(self.called_ids) and not self.calls_me

    @property
    def tells_of_me(self) -> bool:
        """True when the listener is talked about in the third person."""
        return any(naming.id == self.me.id for naming in self.namings) and not self.calls_me

    @property
    def alone(self) -> bool:
        """True when nobody who could be meant instead is there."""
        return not any(other.kind in ("player", "assistant") for other in self.others)

    @property
    def engaged(self) -> bool:
        """True when the speaker and the listener are in conversation."""
        partners = self.listener.engagement.current(
            self.percept.when, self.listener.options.idle_seconds
        )
        return self.percept.speaker in partners

    @property
    def by_player(self) -> bool:
        return self.percept.speaker_kind == "player"
