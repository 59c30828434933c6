"""
The words of an answer: each intent of each speaker, put together into one line.

`Answer` holds what to say and, where a question needs more memories than were given, what to look
up first. Everything said comes from persona, digest and memories, or from `offline_lines`; of what
was heard only a short phrase is ever given back ("The Grey Gull on Friday - ...").

"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..mind.text import content_terms
from .offline_intents import Intent, read_line
from .offline_lines import GESTURES
from .offline_matching import DATES
from .offline_patterns import Want
from .offline_phrases import addressed, gist_of, recent, topic_of
from .offline_retelling import clipped, ended, same_name
from .offline_situation import Line, Situation
from .offline_surroundings import Surroundings

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
    }
)
_PLAIN = {
    Want.THANKS: "thanks",
    Want.SORRY: "sorry",
    Want.CALLED: "called",
    Want.WELLBEING: "wellbeing",
    Want.NATURE: "nature",
    Want.STORY: "no_story",
    Want.SECRETS: "no_secret",
    Want.PLEASED: "pleased",
    Want.AMUSED: "amused",
    Want.GESTURED: "gestured",
    Want.FORGET: "decline_forget",
    Want.SECRET: "secret",
    Want.YES: "yes",
    Want.NO: "no",
    Want.PRAISE: "praise",
    Want.HELP: "help",
    Want.QUIET: "decline_quiet",
    Want.ECHO: "decline_words",
    Want.INSULT: "insult",
    Want.ODD: "odd",
    Want.NOTHING: "silence",
    Want.LONG: "long",
    Want.GIBBERISH: "puzzled",
}
_SORROW = frozenset(
    content_terms(
        "lost died dead death killed murdered sick ill hurt wounded broken stolen robbed afraid "
        "scared sad lonely burned drowned missing grave funeral miserable crying"
    )
)
_JOY = frozenset(
    content_terms(
        "married wedding born birthday engaged happy glad celebrate victory cured rescued reward"
    )
)
_ASK_BACK = (
    ("ask_loss", frozenset(content_terms("lost lose missing stolen misplaced forgot"))),
    (
        "ask_travel",
        frozenset(content_terms("sail travel journey road going leave ship ride walk trip north")),
    ),
    (
        "ask_work",
        frozenset(
            content_terms("work job trade apprentice craft baker smith sailor farmer hunter")
        ),
    ),
)
_I_AM = re.compile(r"(?:i am|i'm|this is) ([A-Z][a-z]+(?: [A-Z][a-z]+)?)$")


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


class Composer(Surroundings):
    """
    Puts an answer together.

    Args:
        situation: What the turn is answered from.
        rng: Chooses among lines that would all do.

    """

    def __init__(self, situation: Situation, rng: random.Random) -> None:
        super().__init__(situation, rng)
        self.notes: list[str] = []
        self.gesture = ""

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
        intents = [intent for line in lines for intent in read_line(line.text, self.now.name)]
        wants = {intent.want for intent in intents}
        parts: list[str] = []
        rest = [i for i in intents if i.want not in (Want.GREET, Want.FAREWELL)]
        if Want.GREET in wants:
            parts.append(self._greeting(speaker, alone=not rest and Want.FAREWELL not in wants))
        asked = [intent for intent in rest if intent.want in _ASKED][:2]
        other = [intent for intent in rest if intent.want not in _ASKED]
        if Want.SECRET in wants:
            other = [intent for intent in other if intent.want is Want.SECRET]
        parts += [self._reply(intent, speaker) for intent in asked]
        if other and not (asked and other[0].want in (Want.STATEMENT, Want.CALLED, Want.YES)):
            parts.append(self._reply(_weightiest(other), speaker))
        if Want.FAREWELL in wants:
            parts.append(self._farewell(speaker))
        words = " ".join(part for part in parts if part)
        if lines[0].assistant and not asked:
            return self._pick("closing", name=speaker) if len(self.now.spoken) > 1 else words
        if _only_statement(other, asked) and not lines[0].assistant:
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
            Want.ORDER: self._order,
            Want.STATEMENT: self._statement,
            Want.FOREIGN: self._foreign,
        }
        if intent.want in told:
            return told[intent.want](intent, speaker)
        return self._pick(_PLAIN[intent.want], name=speaker)

    # --- meeting and parting

    def _greeting(self, speaker: str, *, alone: bool) -> str:
        relation = self.now.relation(speaker)
        if any(same_name(line.speaker, speaker) for line in self.now.before) and self.now.spoken:
            return self._pick("greet_again", name=speaker) if alone else ""
        if relation.state == "stranger" and relation.meetings < 2 and not relation.last_seen:
            if self.now.greeting:
                return ended(self.now.greeting.replace("{name}", speaker))
            return self._pick("greet_named_stranger" if speaker else "greet_stranger", name=speaker)
        key = relation.state if relation.state in ("friend", "ally") else "acquaintance"
        parts = [self._pick(f"greet_{key}", name=speaker)]
        if relation.last_seen and not recent(relation.last_seen):
            parts.append(self._pick("last_seen", last_seen=relation.last_seen))
        if alone:
            parts.append(self._something_they_told(speaker))
        return " ".join(filter(None, parts))

    def _farewell(self, speaker: str) -> str:
        if self.now.farewell and not self._was_last(self.now.farewell):
            return ended(self.now.farewell.replace("{name}", speaker))
        return self._pick("farewell", name=speaker)

    # --- what was told

    def _remember_that(self, intent: Intent, speaker: str) -> str:
        self.notes.append(
            f'{speaker or "Somebody"} asked me to remember: "{clipped(intent.focus, 400)}"'
        )
        topic = gist_of(intent.focus)
        return self._pick("kept", topic=topic) if topic else self._pick("noted", name=speaker)

    def _name_given(self, intent: Intent, speaker: str) -> str:
        topic = topic_of(intent.focus)
        return self._pick("met_name", topic=topic) if topic else self._pick("kept_plain")

    def _gesture(self, intent: Intent, speaker: str) -> str:
        if "emote" not in self.now.tools or self.now.manner != "say":
            return self._pick("decline", name=speaker)
        self.gesture = GESTURES[intent.focus.lower()]
        return ""

    def _order(self, intent: Intent, speaker: str) -> str:
        return self._pick("decline" if intent.focus else "decline_wish", name=speaker)

    def _statement(self, intent: Intent, speaker: str) -> str:
        introduced = _I_AM.match(intent.text.rstrip(".! "))
        if introduced and introduced[1] not in self.now.place:
            return self._pick("met_name", topic=introduced[1])
        stems = set(content_terms(intent.text))
        topic = gist_of(intent.text)
        parts: list[str] = []
        if not topic and len(stems - DATES) < 3 and not stems & (_SORROW | _JOY):
            return self._pick("small")
        if stems & _SORROW:
            return self._pick("sorrow", name=speaker)
        if stems & _JOY or re.search(r"\b(?:i|we) (?:have )?won\b", intent.text, re.IGNORECASE):
            parts.append(self._pick("joy", name=speaker))
        elif self.now.voice and self.rng.random() < 0.2:
            parts.append(self._voiced())
        if parts and not topic:
            return " ".join(parts)
        parts.append(self._pick("kept", topic=topic) if topic else self._pick("kept_plain"))
        return " ".join(filter(None, parts))

    def _asked_back(self, text: str) -> str:
        """A question of its own, now and then, never twice running."""
        if any("?" in line for line in self.now.spoken[-2:]) or self.rng.random() < 0.4:
            return ""
        stems = set(content_terms(text))
        kind = next((kind for kind, about in _ASK_BACK if stems & about), "")
        if not kind and len(stems - DATES) < 3:
            return ""
        return self._pick(kind or "ask_any")


def _weightiest(intents: Sequence[Intent]) -> Intent:
    """What matters most of what was told: a request before a statement, the longest statement."""
    requests = [
        i for i in intents if i.want not in (Want.STATEMENT, Want.CALLED, Want.YES, Want.NO)
    ]
    return requests[0] if requests else max(intents, key=lambda intent: len(intent.text))


def _only_statement(other: Sequence[Intent], asked: Sequence[Intent]) -> bool:
    return bool(other) and not asked and all(intent.want is Want.STATEMENT for intent in other)
