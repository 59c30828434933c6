"""
The words of an answer: each intent of each speaker, put together into one line.

`Answer` holds what to say and, where a question needs more memories than were given, what to look
up first. Everything said comes from persona, digest and memories, or from `offline_lines`; of what
was heard only a short phrase is ever given back ("The Grey Gull on Friday - ...").

"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .offline_gestures import gesture_of
from .offline_intents import Intent, read_line
from .offline_manners import Manners
from .offline_phrases import addressed
from .offline_retelling import clipped
from .offline_situation import Line
from .offline_wants import Want

#: Longest line, in characters.
MOST_CHARACTERS = 420

#: Intents that answer by themselves; of the rest only the first is reacted to.
_ASKED = frozenset(
    {
        Want.WELLBEING,
        Want.WHO_ARE_YOU,
        Want.NATURE,
        Want.WHERE_AM_I,
        Want.WHO_IS_HERE,
        Want.TIME,
        Want.THINGS,
        Want.EXITS,
        Want.WHO_AM_I,
        Want.REMEMBER_ME,
        Want.WHAT_I_TOLD,
        Want.WHAT_THEY_SAID,
        Want.TELL_ABOUT,
        Want.NEWS,
        Want.STORY,
        Want.SECRETS,
        Want.WHO_TOLD,
        Want.QUESTION,
        Want.HELP,
        Want.SEEN,
        Want.ABOUT_ME,
        Want.AGE,
        Want.MESSAGES,
        Want.SURE,
        Want.WHY,
        Want.WHAT,
        Want.JOKE,
        Want.OPINION,
        Want.IDLE,
        Want.WEATHER,
        Want.FLIRT,
        Want.MORE,
    }
)
#: What needs no reply of its own where a question was asked as well.
_PASSING = frozenset({Want.STATEMENT, Want.CALLED, Want.YES, Want.THANKS, Want.WELL, Want.ACK})
_PLAIN = {
    Want.THANKS: "thanks",
    Want.SORRY: "sorry",
    Want.CALLED: "called",
    Want.NATURE: "nature",
    Want.SECRETS: "no_secret",
    Want.PLEASED: "pleased",
    Want.AMUSED: "amused",
    Want.FORGET: "decline_forget",
    Want.SECRET: "secret",
    Want.PRAISE: "praise",
    Want.HELP: "help",
    Want.QUIET: "decline_quiet",
    Want.ECHO: "decline_words",
    Want.INSULT: "insult",
    Want.ODD: "odd",
    Want.NOTHING: "silence",
    Want.LONG: "long",
    Want.GIBBERISH: "puzzled",
    Want.JOKE: "no_joke",
    Want.COME: "stay",
    Want.THREAT: "threat",
    Want.DOUBT: "doubt",
    Want.WHY: "why",
    Want.NEWCOMER: "welcome_new",
    Want.WELL: "well",
    Want.LOST: "misunderstood",
    Want.GIVEN: "pose_gift",
    Want.ACK: "ack",
    Want.UNWELL: "sorrow",
}


@dataclass(frozen=True, slots=True)
class Answer:
    """
    What a turn comes to.

    Args:
        said: The words by speaker, in the order they spoke.
        look_up: Key words to recall before answering, "" when nothing is missing.
        look_around: True when the place must be looked at before answering.
        notes: What the NPC was asked to remember, as journal entries.
        gesture: An emote it was asked for.
        silent: True when nothing need be said.

    """

    said: tuple[tuple[str, str], ...] = ()
    look_up: str = ""
    look_around: bool = False
    notes: tuple[str, ...] = ()
    gesture: str = ""
    silent: bool = False

    def in_one(self) -> str:
        """One line that answers everybody, each by name when there are several."""
        if len(self.said) == 1:
            return clipped(self.said[0][1], MOST_CHARACTERS)
        share = MOST_CHARACTERS // max(1, len(self.said))
        return " ".join(clipped(addressed(name, words), share) for name, words in self.said)


class Composer(Manners):
    """
    Puts an answer together.

    Args:
        situation: What the turn is answered from.
        rng: Chooses among lines that would all do.

    """

    def answer(self) -> Answer:
        """The answer to everything that was heard."""
        lines = [line for line in self.now.heard if line.to_you] or list(self.now.heard)
        by_speaker: dict[str, list[Line]] = {}
        for line in lines:
            by_speaker.setdefault(line.speaker, []).append(line)
        if not by_speaker:
            return Answer(silent=True)
        said = []
        for speaker, spoken in by_speaker.items():
            if spoken[0].assistant and self._has_closed():
                continue
            said.append((speaker, self._to_speaker(speaker, spoken)))
        return Answer(
            said=tuple((name, words) for name, words in said if words),
            look_up=" ".join(dict.fromkeys(" ".join(self.look_up).split())),
            look_around=self.look_around,
            notes=tuple(self.notes),
            gesture=self.gesture,
            silent=not said,
        )

    # --- one speaker

    def _to_speaker(self, speaker: str, lines: Sequence[Line]) -> str:
        parts: list[str] = []
        intents: list[Intent] = []
        for line in lines:
            if line.how in ("arrive", "leave"):
                parts.append(self._greeting(speaker, alone=True) if line.how == "arrive" else "")
                continue
            gesture = gesture_of(line)
            if gesture is not None:
                parts.append(self._returned(gesture, speaker))
            if gesture is None or gesture.words:
                text = gesture.words if gesture else line.text
                intents += read_line(text, self.now.name)
        wants = {intent.want for intent in intents}
        rest = [i for i in intents if i.want not in (Want.GREET, Want.FAREWELL)]
        if Want.GREET in wants:
            parts.append(self._greeting(speaker, alone=not rest and Want.FAREWELL not in wants))
        asked = [intent for intent in rest if intent.want in _ASKED][:2]
        other = [intent for intent in rest if intent.want not in _ASKED]
        if Want.SECRET in wants:
            other = [intent for intent in other if intent.want is Want.SECRET]
        parts += [self._reply(intent, speaker) for intent in asked]
        if other and not (asked and other[0].want in _PASSING):
            parts.append(self._reply(_weightiest(other), speaker))
        if Want.FAREWELL in wants:
            parts.append(self._farewell(speaker))
        words = " ".join(dict.fromkeys(part for part in parts if part))
        if lines[0].assistant and not asked:
            return self._pick("closing", name=speaker) if len(self.now.spoken) > 1 else words
        if _only_statement(other, asked) and not lines[0].assistant and not words.count("? "):
            words = f"{words} {self._asked_back(_weightiest(other).text)}".strip()
        return words

    def _reply(self, intent: Intent, speaker: str) -> str:
        special = {
            Want.WHO_ARE_YOU: self._who_are_you,
            Want.WHERE_AM_I: self._where_am_i,
            Want.WHO_IS_HERE: self._who_is_here,
            Want.TIME: self._time,
            Want.THINGS: self._things,
            Want.EXITS: self._exits,
            Want.AGE: self._age,
        }
        if intent.want in special:
            return special[intent.want](speaker)
        told = {
            Want.WHO_AM_I: self._who_am_i,
            Want.REMEMBER_ME: self._remember_me,
            Want.WHAT_I_TOLD: self._what_i_told,
            Want.WHAT_THEY_SAID: self._what_they_said,
            Want.TELL_ABOUT: self._tell_about,
            Want.NEWS: self._news,
            Want.WHO_TOLD: self._who_told,
            Want.QUESTION: self._question,
            Want.REMEMBER_THAT: self._remember_that,
            Want.NAME_GIVEN: self._name_given,
            Want.GESTURE: self._gesture,
            Want.GESTURED: self._gestured,
            Want.MORE: self._more,
            Want.ORDER: self._order,
            Want.STATEMENT: self._statement,
            Want.FOREIGN: self._foreign,
            Want.WELLBEING: self._wellbeing,
            Want.SEEN: self._seen_doing,
            Want.ABOUT_ME: self._about_me,
            Want.MESSAGE: self._message,
            Want.MESSAGES: self._messages,
            Want.OPINION: self._opinion,
            Want.IDLE: self._idle,
            Want.STORY: self._story,
            Want.WEATHER: self._weather,
            Want.WISH: self._wish,
            Want.FLIRT: self._flirt,
            Want.YES: self._yes,
            Want.NO: self._no,
            Want.WHAT: self._what,
            Want.SURE: self._sure,
        }
        if intent.want in told:
            return told[intent.want](intent, speaker)
        return self._pick(_PLAIN[intent.want], name=speaker)


def _weightiest(intents: Sequence[Intent]) -> Intent:
    """What matters most of what was told: a request before a statement, the longest statement."""
    requests = [
        i for i in intents if i.want not in (Want.STATEMENT, Want.CALLED, Want.YES, Want.NO)
    ]
    return requests[0] if requests else max(intents, key=lambda intent: len(intent.text))


def _only_statement(other: Sequence[Intent], asked: Sequence[Intent]) -> bool:
    return bool(other) and not asked and all(intent.want is Want.STATEMENT for intent in other)
