"""
The words of an answer: each intent of each speaker, put together into one line.

`Answer` holds what to say and, where a question needs more memories than were given, what to look
up first. Everything said comes from persona, digest and memories, or from `offline_lines`; of what
was heard only a short phrase is ever given back ("The Grey Gull on Friday - ...").

"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..mind.text import content_terms, is_question
from .offline_intents import Intent, Want, read_line, without_address
from .offline_lines import GESTURES, LINES
from .offline_matching import WHOLE, Found, Question, answers, ask, distinct, key_words
from .offline_retelling import (
    clipped,
    ended,
    introduction,
    own_words,
    retell,
    said_by_me,
    same_name,
)
from .offline_situation import Line, Memory, Situation

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
    Want.SECRET: "secret",
    Want.YES: "yes",
    Want.NO: "no",
    Want.PRAISE: "praise",
    Want.HELP: "help",
    Want.QUIET: "decline_quiet",
    Want.ECHO: "decline_words",
    Want.ORDER: "decline",
    Want.INSULT: "insult",
    Want.ODD: "odd",
    Want.NOTHING: "silence",
    Want.LONG: "long",
    Want.GIBBERISH: "puzzled",
}
_SORROW = frozenset(
    content_terms(
        "lost died dead death killed murdered sick ill hurt wounded broken stolen robbed afraid scared sad "
        "lonely burned drowned missing grave funeral miserable crying"
    )
)
_JOY = frozenset(
    content_terms(
        "won married wedding born birthday engaged happy glad celebrate victory cured rescued reward"
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
        frozenset(content_terms("work job trade apprentice craft baker smith sailor farmer hunter")),
    ),
)
_WHEN_SAID = re.compile(
    r"\b(?:on|at|by|before|after|until|in) (?:the )?(?:next )?(?:\w+day|dawn|dusk|noon|midnight|"
    r"sunrise|sunset|morning|evening|spring|summer|autumn|winter)\b|\b(?:tomorrow|tonight|today)\b",
    re.IGNORECASE,
)
_PROPER = re.compile(
    r"(?<![.!?] )(?<!^)(?:\b[Tt]he )?\b[A-Z][a-z'’]+(?: (?:of (?:the )?)?[A-Z][a-z'’]+)*"
)  # noqa: RUF001
_MINE = re.compile(
    r"\b(?:my|our|the|a|an) (?:(?:(?!(?:and|or|but|is|was|are|were|in|on|at|to|of|that|has|will)\b)"
    r"[a-z]+ ){0,2}[a-z]+(?=$|[,;:.!]| (?:and|or|but|is|was|are|were|in|on|at|to|of|that|has|will|by|"
    r"from|with|for|under|near)\b)|[a-z]+)",
    re.IGNORECASE,
)
_DETERMINER = re.compile(r"^(?:The|An?|Your|His|Her|Their|This|That)\b")
_I_AM = re.compile(r"(?:i am|i'm|this is) ([A-Z][a-z]+(?: [A-Z][a-z]+)?)$")
_RUDE = frozenset(
    content_terms(
        "fuck shit bitch ass asshole bastard cunt dick cock whore slut damn hell idiot fool crap piss"
    )
)


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
        return " ".join(clipped(_addressed(name, words), share) for name, words in self.said)


class Composer:
    """
    Puts an answer together.

    Args:
        situation: What the turn is answered from.
        rng: Chooses among lines that would all do.

    """

    def __init__(self, situation: Situation, rng: random.Random) -> None:
        self.now = situation
        self.rng = rng
        self.look_up: list[str] = []
        self.look_around = False
        self.notes: list[str] = []
        self.gesture = ""
        self.used: set[str] = set()
        heard = {_bare(line.text) for line in situation.heard}
        self.known = [
            *(m for m in situation.memories if _bare(m.text) not in heard),
            *(
                Memory(text=own_words(sentence, situation.name), how="keeper")
                for text in (*situation.digest, situation.description)
                for sentence in re.split(r"(?<=[.!?])\s+", text)
                if sentence
            ),
        ]
        self.names = {
            *situation.present,
            *(line.speaker for line in situation.heard),
            *(memory.who for memory in situation.memories if memory.who.casefold() != "you"),
        }

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
            Want.QUESTION: self._question,
            Want.REMEMBER_THAT: self._remember_that,
            Want.NAME_GIVEN: self._name_given,
            Want.GESTURE: self._gesture,
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
        if relation.last_seen and not _recent(relation.last_seen):
            parts.append(self._pick("last_seen", last_seen=relation.last_seen))
        if alone:
            parts.append(self._something_they_told(speaker))
        return " ".join(filter(None, parts))

    def _something_they_told(self, speaker: str) -> str:
        """The best memory of what a speaker told, unless it was brought up before."""
        for memory in self.now.memories:
            if not same_name(memory.who, speaker) or is_question(memory.text):
                continue
            if len(set(content_terms(memory.text))) < 3 or memory not in self.known:
                continue
            intents = {intent.want for intent in read_line(memory.text, self.now.name)}
            if not intents <= {Want.STATEMENT, Want.REMEMBER_THAT, Want.GREET, Want.SECRET}:
                continue
            words = self._retold(memory, speaker)
            if words and not any(words in line for line in self.now.spoken):
                return words
        return ""

    def _farewell(self, speaker: str) -> str:
        if self.now.farewell and not self._was_last(self.now.farewell):
            return ended(self.now.farewell.replace("{name}", speaker))
        return self._pick("farewell", name=speaker)

    # --- oneself and the scene

    def _who_are_you(self, speaker: str) -> str:
        about = introduction(self.now.description, self.now.name)
        if about.casefold().startswith(f"i am {self.now.name}".casefold()):
            return about
        if re.match(r"I am (?:an?|the) ", about):
            return f"I am {self.now.name}, {about[5:]}"
        return " ".join(filter(None, (self._pick("who_am_i"), about)))

    def _where_am_i(self, speaker: str) -> str:
        if not self.now.place:
            return self._pick("place_unknown")
        return self._pick("place", place=self.now.place)

    def _time(self, speaker: str) -> str:
        return (
            self._pick("time", time=self.now.time) if self.now.time else self._pick("time_unknown")
        )

    def _who_is_here(self, speaker: str) -> str:
        others = [
            name
            for name in self.now.present
            if not same_name(name, speaker) and not same_name(name, self.now.name)
        ]
        return (
            self._pick("present", people=_listed(others))
            if others
            else self._pick("present_nobody")
        )

    def _things(self, speaker: str) -> str:
        things = self.now.things or self._seen("things")
        return (
            self._pick("things", things=_listed(things)) if things else self._pick("things_nothing")
        )

    def _exits(self, speaker: str) -> str:
        exits = self._seen("exits")
        return self._pick("exits", things=_listed(exits)) if exits else self._unknown()

    def _seen(self, kind: str) -> tuple[str, ...]:
        """Names from a look around; asks for one when there was none."""
        result = self.now.results.get("inspect_location")
        if result is None:
            self.look_around = True
            return ()
        names = result.get(kind)
        return tuple(n for n in names if isinstance(n, str)) if isinstance(names, list) else ()

    # --- from memory

    def _who_am_i(self, intent: Intent, speaker: str) -> str:
        return self._pick("you_are", name=speaker) if speaker else self._pick("remember_no")

    def _remember_me(self, intent: Intent, speaker: str) -> str:
        relation = self.now.relation(speaker)
        told = self._something_they_told(speaker)
        if not told and relation.state == "stranger" and relation.meetings < 2:
            return self._pick("remember_no")
        parts = [self._pick("remember_yes", name=speaker)]
        if relation.last_seen and not _recent(relation.last_seen):
            parts.append(self._pick("last_seen", last_seen=relation.last_seen))
        return " ".join(filter(None, (*parts, told)))

    def _what_i_told(self, intent: Intent, speaker: str) -> str:
        mine = [m for m in self.known if same_name(m.who, speaker)]
        words = self._from(mine, intent, speaker, anything=True)
        return words or self._look_up_or(intent, self._pick("told_nothing"))

    def _what_they_said(self, intent: Intent, speaker: str) -> str:
        who = re.sub(r"^(?:the|my|our) (?=[A-Z])", "", intent.focus)
        if who.casefold() in ("i", "me", "we"):
            return self._what_i_told(intent, speaker)
        if who.casefold() == "you":
            own = [memory for memory in self.known if said_by_me(memory)]
            retold = [self._retold(memory, speaker) for memory in own[:1]]
            return retold[0] if retold else self._question(intent, speaker)
        if who.casefold() in ("they", "he", "she", "anyone", "anybody", "someone", "people"):
            return self._tell_about(intent, speaker)
        theirs = [m for m in self.known if _goes_by(m.who, who)]
        words = self._from(theirs, intent, speaker, anything=True, besides=who)
        if words:
            return words
        topic = _topic(who)
        nothing = self._pick("they_said_nothing", topic=topic) if topic else self._unknown()
        return self._look_up_or(intent, nothing)

    def _tell_about(self, intent: Intent, speaker: str) -> str:
        """Up to two memories on a topic."""
        if same_name(intent.focus, self.now.name) or intent.focus in ("you", "yourself"):
            return self._who_are_you(speaker)
        if re.fullmatch(r"me|myself", intent.focus, re.IGNORECASE):
            return self._remember_me(intent, speaker)
        return self._question(intent, speaker, most=2)

    def _question(self, intent: Intent, speaker: str, most: int = 1) -> str:
        here = self._is_here(intent, speaker)
        if here:
            return here
        words = self._from(self.known, intent, speaker, most=most)
        if words:
            return words
        if intent.want is Want.TELL_ABOUT:
            theirs = [m for m in self.known if _goes_by(m.who, intent.focus)]
            words = self._from(theirs, intent, speaker, anything=True, besides=intent.focus)
            if words:
                return words
        topic = _topic(intent.focus) if intent.want is Want.TELL_ABOUT else ""
        if topic and not self.now.unknown:
            return self._look_up_or(intent, self._pick("unknown_topic", topic=topic))
        return self._look_up_or(intent, self._unknown())

    def _is_here(self, intent: Intent, speaker: str) -> str:
        """The answer to "where is Anna?" when Anna stands there."""
        match = re.match(
            r"(?:where(?: is|'s)|is|have you seen) (?:the )?(.+?)(?: here)?\W*$", intent.text, re.I
        )
        if match is None:
            return ""
        for name in (*self.now.present, *self.now.things):
            if same_name(name, match[1]) or same_name(re.sub(r"^(?:an?|the) ", "", name), match[1]):
                return self._pick("here_yes", topic=_capital(name))
        return ""

    def _news(self, intent: Intent, speaker: str) -> str:
        """Something another told that was not passed on yet."""
        for memory in self.now.memories:
            if memory in self.known and memory.who.casefold() != "you" and memory.how != "keeper":
                if same_name(memory.who, speaker) or is_question(memory.text):
                    continue
                words = self._retold(memory, speaker)
                if words and not any(words in line for line in self.now.spoken):
                    return words
        return self._pick("no_news")

    def _foreign(self, intent: Intent, speaker: str) -> str:
        words = self._from(self.known, intent, speaker) if intent.asks else ""
        return words or self._pick("foreign", name=speaker)

    def _from(
        self,
        memories: Sequence[Memory],
        intent: Intent,
        speaker: str,
        *,
        most: int = 1,
        anything: bool = False,
        besides: str = "",
    ) -> str:
        """What some memories answer; with `anything`, the best of them when nothing special is asked."""
        text = re.sub(re.escape(besides), " ", intent.text) if besides else intent.text
        question = ask(text, me=self.now.name, hints=self._earlier(speaker))
        if anything and not (question.terms - question.hints):
            question = Question(frozenset())
        found: Iterable[Found]
        if anything and not question.terms:
            found = [Found(m, 1.0) for m in memories if not is_question(m.text)]
            found = found or [Found(m, 1.0) for m in memories]
            most = 2
        else:
            found = answers(question, memories, speaker)
            if most == 1:
                found = _with_dissent(list(found))
                most = 2
        chosen = [item for item in distinct(found, most) if item.memory.text not in self.used]
        parts: list[str] = []
        for item in chosen:
            self.used.add(item.memory.text)
            words = self._retold(item.memory, speaker)
            if parts:
                words = self._pick("also") + words
            elif item.share < WHOLE and not question.names:
                words = self._pick("partly") + words
            parts.append(words)
        return " ".join(parts)

    def _earlier(self, speaker: str) -> list[str]:
        lines = [line.text for line in self.now.before if same_name(line.speaker, speaker)]
        return [*lines[-2:], *self.now.spoken[-1:]]

    def _retold(self, memory: Memory, speaker: str) -> str:
        text, _greeted = without_address(memory.text, self.now.name)
        text = re.sub(
            r"^(?:please )?(?:remember|note|don't forget) that ", "", text, flags=re.IGNORECASE
        )
        return retell(
            Memory(text or memory.text, memory.who, memory.when, memory.how, memory.kind),
            speaker,
            self.names,
        )

    def _look_up_or(self, intent: Intent, words: str) -> str:
        """Remember that something is missing; the words are said when looking it up did not help."""
        self.look_up.append(key_words(intent.text, self.now.name))
        return words

    def _unknown(self) -> str:
        if self.now.unknown:
            return ended(self._choose(self.now.unknown))
        return self._pick("unknown")

    # --- what was told

    def _remember_that(self, intent: Intent, speaker: str) -> str:
        self.notes.append(
            f'{speaker or "Somebody"} asked me to remember: "{clipped(intent.focus, 400)}"'
        )
        topic = _gist(intent.focus)
        return self._pick("kept", topic=topic) if topic else self._pick("noted", name=speaker)

    def _name_given(self, intent: Intent, speaker: str) -> str:
        topic = _topic(intent.focus)
        return self._pick("met_name", topic=topic) if topic else self._pick("kept_plain")

    def _gesture(self, intent: Intent, speaker: str) -> str:
        if "emote" not in self.now.tools or self.now.manner != "say":
            return self._pick("decline", name=speaker)
        self.gesture = GESTURES[intent.focus.lower()]
        return ""

    def _statement(self, intent: Intent, speaker: str) -> str:
        introduced = _I_AM.match(intent.text.rstrip(".! "))
        if introduced and introduced[1] not in self.now.place:
            return self._pick("met_name", topic=introduced[1])
        stems = set(content_terms(intent.text))
        topic = _gist(intent.text)
        parts = []
        if stems & _SORROW:
            parts.append(self._pick("sorrow", name=speaker))
        elif stems & _JOY:
            parts.append(self._pick("joy", name=speaker))
        elif self.now.voice and self.rng.random() < 0.2:
            parts.append(self._voiced())
        if parts and not topic:
            return " ".join(parts)
        parts.append(self._pick("kept", topic=topic) if topic else self._pick("kept_plain"))
        return " ".join(filter(None, parts))

    def _voiced(self) -> str:
        short = [
            phrase for phrase in self.now.voice if len(phrase) <= 60 and not is_question(phrase)
        ]
        return ended(self._choose(short)) if short else ""

    def _asked_back(self, text: str) -> str:
        """A question of its own, now and then, never twice running."""
        if any("?" in line for line in self.now.spoken[-2:]) or self.rng.random() < 0.4:
            return ""
        stems = set(content_terms(text))
        kind = next((kind for kind, about in _ASK_BACK if stems & about), "ask_any")
        return self._pick(kind)

    # --- choosing words

    def _has_closed(self) -> bool:
        return bool(self.now.spoken) and any(
            self.now.spoken[-1].startswith(line.split("{")[0].rstrip(", "))
            for line in LINES["closing"]
        )

    def _was_last(self, words: str) -> bool:
        return bool(self.now.spoken) and ended(words) in self.now.spoken[-1]

    def _choose(self, options: Sequence[str]) -> str:
        """One of some lines, not one of the last two said when there is a choice."""
        last = " ".join(self.now.spoken[-2:])
        fresh = [option for option in options if option.rstrip(".!?") not in last]
        return self.rng.choice(fresh or list(options))

    def _pick(self, key: str, **parts: str) -> str:
        """A line of the table, filled; one without a name when the speaker has none."""
        parts = {"me": self.now.name or "nobody of note", "hour": self._hour(), **parts}
        lines = [line for line in LINES[key] if parts.get("name", "") or "{name}" not in line] or [
            line.replace(", {name}", "").replace("{name}", "friend") for line in LINES[key]
        ]
        return _capital(self._choose([line.format_map(parts) for line in lines]))

    def _hour(self) -> str:
        """A greeting that fits the time of day."""
        low = self.now.time.lower()
        match = re.match(r"(\d{1,2})\b", low)
        hour = int(match[1]) if match else -1
        if re.search(r"morning|dawn|sunrise", low) or 5 <= hour < 12:
            return "Good morning"
        if re.search(r"evening|dusk|night|sunset", low) or 18 <= hour < 24 or 0 <= hour < 5:
            return "Good evening"
        return "Good day"


def _weightiest(intents: Sequence[Intent]) -> Intent:
    """What matters most of what was told: a request before a statement, the longest statement."""
    requests = [
        i for i in intents if i.want not in (Want.STATEMENT, Want.CALLED, Want.YES, Want.NO)
    ]
    return requests[0] if requests else max(intents, key=lambda intent: len(intent.text))


def _only_statement(other: Sequence[Intent], asked: Sequence[Intent]) -> bool:
    return bool(other) and not asked and all(intent.want is Want.STATEMENT for intent in other)


def _with_dissent(found: list[Found]) -> list[Found]:
    """The best answer, and what somebody else says to the same, if that is nearly as good."""
    if not found:
        return []
    best = found[0]
    others = [
        item
        for item in found[1:]
        if item.memory.who
        and not same_name(item.memory.who, best.memory.who)
        and item.share >= max(WHOLE, 0.75 * best.share)
    ]
    return [best, *others[:1]]


def _gist(text: str) -> str:
    """A short phrase of a statement to give back: what it names, and when."""
    body = text.strip().rstrip(".! ")
    named = [
        match[0] for match in _PROPER.finditer(body) if not _WHEN_SAID.search(f"on {match[0]}")
    ]
    when = _WHEN_SAID.search(body)
    own = _MINE.search(body)
    phrase = _topic(max(named, key=len, default=own[0] if own else ""))
    return f"{phrase} {when[0]}" if phrase and when else phrase


def _topic(phrase: str) -> str:
    """A phrase fit to be given back: short, plain words, nothing rude; else ""."""
    phrase = " ".join(phrase.strip(" .,!?").split())
    if not re.fullmatch(r"[^\W\d_][\w'’ -]{1,39}", phrase) or set(content_terms(phrase)) & _RUDE:  # noqa: RUF001
        return ""
    if not content_terms(phrase):
        return ""
    phrase = re.sub(r"^(?:my|our)\b", "your", phrase, flags=re.IGNORECASE)
    return _DETERMINER.sub(lambda match: match[0].lower(), phrase)


def _listed(names: Sequence[str]) -> str:
    names = list(names)[:8]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _recent(last_seen: str) -> bool:
    return bool(re.search(r"just now|moment|minute", last_seen))


def _goes_by(name: str, wanted: str) -> bool:
    """Whether a name is the one asked for, or a word of it is."""
    return same_name(name, wanted) or wanted.casefold() in name.casefold().split()


def _addressed(name: str, words: str) -> str:
    if not name or name.casefold() in words.casefold():
        return words
    return f"{name}, {_uncapital(words)}"


#: First words of our own lines, which lose their capital after a name.
_OPENERS = frozenset(
    line.split()[0].strip(",.!?:")
    for lines in LINES.values()
    for line in lines
    if not line.startswith("{")
) - {"I"} | {"You"}


def _uncapital(words: str) -> str:
    first = words.split(" ", 1)[0].strip(",.!?:")
    return words[0].lower() + words[1:] if first in _OPENERS else words


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _bare(text: str) -> str:
    return re.sub(r"\W+", " ", text).strip().casefold()
