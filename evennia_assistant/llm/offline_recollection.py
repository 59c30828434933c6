"""
Answering questions from memory: what is known of a thing, and whose word it is.

Where the memories given do not answer, the key words to look up are noted beside an admission; the
brain looks them up first, and says the admission only when that did not help.

"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Sequence

from ..mind.text import content_terms
from .offline_gestures import as_seen, asks_what_was_seen
from .offline_intents import Intent, read_line, without_address
from .offline_matching import HALF, WHOLE, Found, answers, ask, distinct, key_words
from .offline_own_words import introduction, own_words
from .offline_phrases import bare, capital, goes_by, joined, topic_of
from .offline_retelling import retell, same_name
from .offline_situation import Memory, Situation
from .offline_vocabulary import ASKED_WITH
from .offline_wants import Want
from .offline_wording import Wording

#: What a thing somebody told may have been, to be brought up again.
_TOLD = frozenset({Want.STATEMENT, Want.REMEMBER_THAT, Want.GREET, Want.SECRET, Want.NEWCOMER})
_REMEMBER = re.compile(
    r"^(?:please )?(?:remember|note|don't forget)(?: that |[:,] ?)", re.IGNORECASE
)
#: What nobody wants to hear again.
_EMPTY = frozenset({Want.GIBBERISH, Want.NOTHING, Want.ODD, Want.LONG, Want.FOREIGN})


#: What answers no question: what was asked of the NPC, and mere talk.
_NO_ANSWER = _EMPTY | {
    Want.ACK,
    Want.CALLED,
    Want.COME,
    Want.DOUBT,
    Want.ECHO,
    Want.FAREWELL,
    Want.FORGET,
    Want.GESTURE,
    Want.GREET,
    Want.HELP,
    Want.IDLE,
    Want.JOKE,
    Want.LOST,
    Want.MORE,
    Want.NO,
    Want.ORDER,
    Want.ABOUT_ME,
    Want.MESSAGES,
    Want.NEWS,
    Want.PRAISE,
    Want.REMEMBER_ME,
    Want.SURE,
    Want.TIME,
    Want.WELLBEING,
    Want.WHAT,
    Want.WHAT_I_TOLD,
    Want.WHO_AM_I,
    Want.WHO_ARE_YOU,
    Want.WHO_TOLD,
    Want.WHY,
    Want.QUIET,
    Want.SORRY,
    Want.THANKS,
    Want.WISH,
    Want.YES,
}


class Recollection(Wording):
    """
    Answers from the memories of a situation.

    Args:
        situation: What the turn is answered from.
        rng: Chooses among lines that would all do.

    """

    def __init__(self, situation: Situation, rng: random.Random) -> None:
        super().__init__(situation, rng)
        self.look_up: list[str] = []
        self.used: set[str] = set()
        heard = {bare(line.text) for line in situation.heard}
        fresh = [m for m in situation.memories if bare(m.text) not in heard]
        #: What it saw others do answers only who asks for that.
        self.seen = [m for m in fresh if m.how == "saw"]
        self.taught = [
            *(m for m in fresh if m.how == "keeper"),
            *self._in_own_words(situation.digest, ""),
            *self._in_own_words((situation.description,), "persona"),
        ]
        self.known = [*(m for m in fresh if m.how not in ("saw", "keeper")), *self.taught]
        self.names = {
            *situation.present,
            *(line.speaker for line in situation.heard),
            *(memory.who for memory in situation.memories if memory.who.casefold() != "you"),
        }

    def _in_own_words(self, texts: Iterable[str], kind: str) -> Iterable[Memory]:
        """What the keeper wrote, sentence by sentence, in the NPC's own mouth."""
        for text in texts:
            for sentence in filter(None, re.split(r"(?<=[.!?])\s+", text)):
                yield Memory(own_words(sentence, self.now.name), how="keeper", kind=kind)

    def _tell_about(self, intent: Intent, speaker: str) -> str:
        """Up to two memories on a topic."""
        return self._question(intent, speaker, most=2)

    def _question(self, intent: Intent, speaker: str, most: int = 1) -> str:
        if self._is_about_me(intent.text):
            return self._who_are_you(speaker)
        here = self._is_here(intent, speaker)
        if here:
            return here
        words = self._from(self._bearing_on(intent.text), intent, speaker, most=most)
        if words:
            return words
        if intent.want is Want.TELL_ABOUT:
            theirs = [m for m in self.known if goes_by(m.who, intent.focus)]
            words = self._from(theirs, intent, speaker, anything=True, besides=intent.focus)
            if words:
                return words
        topic = topic_of(intent.focus) if intent.want is Want.TELL_ABOUT else ""
        if topic and not self.now.unknown:
            return self._look_up_or(intent, self._pick("unknown_topic", topic=topic))
        return self._look_up_or(intent, self._unknown())

    def _bearing_on(self, text: str) -> list[Memory]:
        """The memories that may answer a question; those of gestures when it is after one."""
        known = [m for m in self.known if m.how == "keeper" or self._answers(m)]
        terms = ask(text, me=self.now.name).terms
        named = set(ask(" ".join(self.names)).terms)
        if asks_what_was_seen(text):
            return [*known, *self.seen]
        if not terms - named:
            return known
        whole = [
            memory
            for memory in self.seen
            if terms <= set(ask(f"{memory.who} {memory.text}", me=self.now.name).terms)
        ]
        return [*known, *whole]

    def _is_about_me(self, text: str) -> bool:
        """Whether a question names nothing but the NPC itself."""
        terms = set(content_terms(text)) - ASKED_WITH
        return bool(terms) and terms <= set(content_terms(self.now.name))

    def _who_are_you(self, speaker: str) -> str:
        about = introduction(self.now.description, self.now.name)
        if about.casefold().startswith(f"i am {self.now.name}".casefold()):
            return about
        if re.match(r"I am (?:an?|the) ", about):
            return f"I am {self.now.name}, {about[5:]}"
        return " ".join(filter(None, (self._pick("who_am_i"), about)))

    def _is_here(self, intent: Intent, speaker: str) -> str:
        """The answer to "where is Anna?" when Anna stands there."""
        match = re.match(
            r"(?:where(?: is|'s)|is|have you seen|has) (?:the )?(.+?)"
            r"(?: been)?(?: here| around| today| lately)*\W*$",
            intent.text,
            re.IGNORECASE,
        )
        if match is None:
            return ""
        for name in (*self.now.present, *self.now.things):
            if same_name(name, match[1]) or same_name(re.sub(r"^(?:an?|the) ", "", name), match[1]):
                return self._pick("here_yes", topic=capital(name))
        return ""

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
        """What some memories answer; with `anything`, the best of them when none is asked for."""
        text = re.sub(re.escape(besides), " ", intent.text) if besides else intent.text
        question = ask(text, me=self.now.name, hints=() if anything else self._earlier(speaker))
        found: Iterable[Found]
        if anything and not question.terms:
            found = [Found(m, 1.0) for m in memories if self._says_something(m)]
            found = found or [Found(m, 1.0) for m in memories if self._answers(m)]
            most = 2
        else:
            found = answers(question, memories, speaker)
            if most == 1:
                found = _with_dissent(list(found))
                most = 2
        chosen = [
            item
            for at, item in enumerate(distinct(found, most))
            if item.memory.text not in self.used and not (at and item.akin)
        ]
        parts: list[str] = []
        for item in chosen:
            self.used.add(item.memory.text)
            words = self._retold(item.memory, speaker)
            if parts:
                words = joined(self._pick("also"), words)
            elif item.partly or (item.share < HALF and not question.names):
                words = joined(self._pick("partly"), words)
            parts.append(words)
        return " ".join(parts)

    def _earlier(self, speaker: str) -> list[str]:
        lines = [line.text for line in self.now.before if same_name(line.speaker, speaker)]
        return [*lines[-2:], *self.now.spoken[-1:]]

    def _retold(self, memory: Memory, speaker: str) -> str:
        if memory.how == "saw":
            return as_seen(memory, speaker, self.now.name)
        text, _greeted = without_address(memory.text, self.now.name)
        text = _REMEMBER.sub("", text)
        return retell(
            Memory(text or memory.text, memory.who, memory.when, memory.how, memory.kind),
            speaker,
            self.names,
        )

    def _look_up_or(self, intent: Intent, words: str) -> str:
        """Note that something is missing; the words are for when looking it up did not help."""
        if ask(intent.text, me=self.now.name).terms:
            self.look_up.append(key_words(intent.text, self.now.name))
        return words

    def _said_before(self, words: str) -> bool:
        return any(words in line for line in self.now.spoken)

    def _says_something(self, memory: Memory) -> bool:
        """Whether a memory is more than a greeting, an order or a question."""
        intents = {intent.want for intent in read_line(memory.text, self.now.name)}
        return bool(intents & _TOLD - {Want.GREET}) and intents <= _TOLD

    def _answers(self, memory: Memory) -> bool:
        """Whether a memory may answer a question."""
        return not {i.want for i in read_line(memory.text, self.now.name)} <= _NO_ANSWER

    def _is_empty(self, memory: Memory) -> bool:
        intents = {intent.want for intent in read_line(memory.text, self.now.name)}
        return intents <= _EMPTY


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
