"""
Courtesy: meeting and parting, gestures, and small replies that lean on what was said last.

"""

from __future__ import annotations

import random
import re

from ..mind.text import content_terms
from .offline_gestures import RETURNED, WORDED, Gesture, kind_of
from .offline_intents import Intent
from .offline_lines import GESTURES, LINES
from .offline_matching import DATES
from .offline_phrases import a_moment_ago, gist_of, recent, topic_of
from .offline_retelling import clipped, ended, quoted, same_name
from .offline_situation import Situation
from .offline_surroundings import Surroundings

_SORROW = frozenset(
    content_terms(
        "lost died dead death killed murdered sick ill hurt wounded broken stolen robbed afraid "
        "bleeding headache fever pain injured starving dying scared sad lonely burned drowned "
        "missing grave funeral miserable crying"
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


class Manners(Surroundings):
    """
    Answers to what asks for no knowledge.

    Args:
        situation: What the turn is answered from.
        rng: Chooses among lines that would all do.

    """

    def __init__(self, situation: Situation, rng: random.Random) -> None:
        super().__init__(situation, rng)
        self.gesture = ""
        self.notes: list[str] = []

    # --- meeting and parting

    def _greeting(self, speaker: str, *, alone: bool) -> str:
        relation = self.now.relation(speaker)
        talking = self._is_talking_to(speaker) and (
            not relation.last_seen or a_moment_ago(relation.last_seen)
        )
        if talking:
            if not alone:
                return ""
            told = self._left_for(speaker) or self._something_they_told(speaker)
            return " ".join(filter(None, (self._pick("greet_again", name=speaker), told)))
        if self._is_new(speaker):
            if self.now.greeting:
                greeting = ended(self.now.greeting.replace("{name}", speaker))
            else:
                key = "greet_named_stranger" if speaker else "greet_stranger"
                greeting = self._pick(key, name=speaker)
            return " ".join(filter(None, (greeting, self._left_for(speaker) if alone else "")))
        key = relation.state if relation.state in ("friend", "ally") else "acquaintance"
        parts = [self._pick(f"greet_{key}", name=speaker)]
        if relation.last_seen and not recent(relation.last_seen):
            parts.append(self._pick("last_seen", last_seen=relation.last_seen))
        if alone:
            parts.append(self._left_for(speaker) or self._something_they_told(speaker))
        return " ".join(filter(None, parts))

    def _is_talking_to(self, speaker: str) -> bool:
        return bool(self.now.spoken) and any(
            same_name(line.speaker, speaker) for line in self.now.before
        )

    def _farewell(self, speaker: str) -> str:
        if self.now.farewell and not self._was_last(self.now.farewell):
            return ended(self.now.farewell.replace("{name}", speaker))
        return self._pick("farewell", name=speaker)

    # --- gestures

    def _returned(self, gesture: Gesture, speaker: str) -> str:
        """A gesture for a gesture, shown where it can be, and what there is to say to it."""
        kind = gesture.kind
        showing = "emote" in self.now.tools and self.now.manner == "say"
        if showing:
            forms = [form.replace("{name}", speaker or "the stranger") for form in RETURNED[kind]]
            self.gesture = self.rng.choice(forms)
        if gesture.words:
            return ""
        if kind == "greeting" and not self._is_talking_to(speaker):
            return self._greeting(speaker, alone=True)
        if kind == "parting":
            return self._farewell(speaker)
        if showing and kind not in WORDED:
            return ""
        return self._pick(f"pose_{kind}" if kind in WORDED else "gestured", name=speaker)

    def _gestured(self, intent: Intent, speaker: str) -> str:
        """A gesture described in a line of speech ("*waves*")."""
        return self._returned(Gesture(kind_of(intent.focus)), speaker)

    def _gesture(self, intent: Intent, speaker: str) -> str:
        """A gesture it was asked for."""
        if "emote" not in self.now.tools or self.now.manner != "say":
            return self._pick("decline", name=speaker)
        self.gesture = GESTURES[intent.focus.lower()]
        return ""

    # --- leaning on what was said last

    def _asked_last(self) -> bool:
        return bool(self.now.spoken) and self.now.spoken[-1].endswith("?")

    def _wellbeing(self, intent: Intent, speaker: str) -> str:
        """How it is; it does not ask back who has just asked back."""
        last = self.now.spoken[-1] if self.now.spoken else ""
        asked = any(
            line.split(".")[-1].split(",")[0].strip() in last for line in LINES["wellbeing"]
        )
        short = re.match(r"(?:and |what about |how about )?you", intent.text, re.IGNORECASE)
        return self._pick("wellbeing_back" if asked or short else "wellbeing", name=speaker)

    def _yes(self, intent: Intent, speaker: str) -> str:
        return self._pick("answered_yes" if self._asked_last() else "yes", name=speaker)

    def _no(self, intent: Intent, speaker: str) -> str:
        return self._pick("answered_no" if self._asked_last() else "no", name=speaker)

    def _what(self, intent: Intent, speaker: str) -> str:
        """What it said last, once more."""
        if not self.now.spoken:
            return self._pick("called", name=speaker)
        last = self.now.spoken[-1]
        return f"I said: {quoted(clipped(last))}" if not last.startswith("I said:") else last

    def _sure(self, intent: Intent, speaker: str) -> str:
        """Whose word it rests on."""
        source = self._source(speaker)
        if source and source != "you":
            return self._pick("source", topic=source)
        return self._pick("sure" if source is not None else "sure_plain", name=speaker)

    # --- being told something

    def _remember_that(self, intent: Intent, speaker: str) -> str:
        self.notes.append(
            f'{speaker or "Somebody"} asked me to remember: "{clipped(intent.focus, 400)}"'
        )
        topic = gist_of(intent.focus, (self.now.name,))
        return self._pick("kept", topic=topic) if topic else self._pick("noted", name=speaker)

    def _name_given(self, intent: Intent, speaker: str) -> str:
        topic = topic_of(intent.focus)
        return self._pick("met_name", topic=topic) if topic else self._pick("kept_plain")

    def _order(self, intent: Intent, speaker: str) -> str:
        return self._pick("decline" if intent.focus else "decline_wish", name=speaker)

    def _statement(self, intent: Intent, speaker: str) -> str:
        introduced = _I_AM.match(intent.text.rstrip(".! "))
        if introduced and introduced[1] not in self.now.place:
            return self._pick("met_name", topic=introduced[1])
        stems = set(content_terms(intent.text))
        topic = gist_of(intent.text, (self.now.name,))
        sought = self._sought(intent.text, speaker)
        if sought and not self._said_before(sought):
            return sought
        reminded = self._reminded(intent.text, speaker)
        if stems & _SORROW:
            return " ".join(filter(None, (self._pick("sorrow", name=speaker), reminded)))
        if reminded:
            named = set(content_terms(topic)) & set(content_terms(reminded))
            return f"{topic[:1].upper()}{topic[1:]}? {reminded}" if named else reminded
        if not topic and len(stems - DATES) < 3 and not stems & _JOY:
            return self._pick("answered" if self._asked_last() else "small")
        if self.now.manner == "whisper":
            return self._pick("secret", name=speaker)
        parts: list[str] = []
        if stems & _JOY or re.search(r"\b(?:i|we) (?:have )?won\b", intent.text, re.IGNORECASE):
            parts.append(self._pick("joy", name=speaker))
        elif self.now.voice and self.rng.random() < 0.2:
            parts.append(self._voiced())
        if parts and not topic:
            return " ".join(parts)
        parts.append(self._pick("kept", topic=topic) if topic else self._pick("kept_plain"))
        return " ".join(filter(None, parts))

    def _asked_back(self, text: str) -> str:
        """A question of its own, now and then, never twice running, and none about a confidence."""
        if (
            self.now.manner == "whisper"
            or any("?" in line for line in self.now.spoken[-2:])
            or self.rng.random() < 0.4
        ):
            return ""
        stems = set(content_terms(text))
        kind = next((kind for kind, about in _ASK_BACK if stems & about), "")
        if not kind and len(stems - DATES) < 3:
            return ""
        return self._pick(kind or "ask_any")
