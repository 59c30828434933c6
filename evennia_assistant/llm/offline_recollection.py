"""
Answering from memory: what somebody told, what is known of a thing, who is remembered.

Where the memories given do not answer, the key words to look up are noted beside an admission; the
brain looks them up first, and says the admission only when that did not help.

"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Sequence

from ..mind.text import content_terms, is_question
from .offline_intents import Intent, read_line, without_address
from .offline_matching import WHOLE, Found, answers, ask, distinct, key_words
from .offline_own_words import introduction, own_words
from .offline_patterns import Want
from .offline_phrases import bare, capital, goes_by, joined, recent, topic_of
from .offline_retelling import clipped, ended, quoted, retell, said_by_me, same_name
from .offline_situation import Memory, Situation
from .offline_wording import Wording

#: What a thing somebody told may have been, to be brought up again.
_TOLD = frozenset({Want.STATEMENT, Want.REMEMBER_THAT, Want.GREET, Want.SECRET})


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
        self.known = [
            *(m for m in situation.memories if bare(m.text) not in heard),
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

    def _who_are_you(self, speaker: str) -> str:
        about = introduction(self.now.description, self.now.name)
        if about.casefold().startswith(f"i am {self.now.name}".casefold()):
            return about
        if re.match(r"I am (?:an?|the) ", about):
            return f"I am {self.now.name}, {about[5:]}"
        return " ".join(filter(None, (self._pick("who_am_i"), about)))

    def _who_am_i(self, intent: Intent, speaker: str) -> str:
        return self._pick("you_are", name=speaker) if speaker else self._pick("remember_no")

    def _remember_me(self, intent: Intent, speaker: str) -> str:
        relation = self.now.relation(speaker)
        told = self._something_they_told(speaker)
        if not told and relation.state == "stranger" and relation.meetings < 2:
            return self._pick("remember_no")
        parts = [self._pick("remember_yes", name=speaker)]
        if relation.last_seen and not recent(relation.last_seen):
            parts.append(self._pick("last_seen", last_seen=relation.last_seen))
        return " ".join(filter(None, (*parts, told)))

    def _what_i_told(self, intent: Intent, speaker: str) -> str:
        before = [line.text for line in self.now.before if same_name(line.speaker, speaker)]
        if before and re.search(r"\bjust\b", intent.text, re.IGNORECASE):
            return f"You said: {quoted(clipped(before[-1]))}"
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
        theirs = [m for m in self.known if goes_by(m.who, who)]
        words = self._from(theirs, intent, speaker, anything=True, besides=who)
        if words:
            return words
        topic = topic_of(who)
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
            theirs = [m for m in self.known if goes_by(m.who, intent.focus)]
            words = self._from(theirs, intent, speaker, anything=True, besides=intent.focus)
            if words:
                return words
        topic = topic_of(intent.focus) if intent.want is Want.TELL_ABOUT else ""
        if topic and not self.now.unknown:
            return self._look_up_or(intent, self._pick("unknown_topic", topic=topic))
        return self._look_up_or(intent, self._unknown())

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

    def _news(self, intent: Intent, speaker: str) -> str:
        """Something another told that was not passed on yet."""
        for memory in self.now.memories:
            if memory in self.known and memory.who.casefold() != "you" and memory.how != "keeper":
                if same_name(memory.who, speaker) or is_question(memory.text):
                    continue
                words = self._retold(memory, speaker)
                if words and not any(words in line for line in self.now.spoken):
                    return words
        if intent.text and not re.search(r"\b(?:new|news|rumou?r|gossip|heard)", intent.text, re.I):
            fresh = [t for t in self.now.digest if not self._was_last(own_words(t, self.now.name))]
            if fresh:
                return ended(own_words(self._choose(fresh), self.now.name))
        return self._pick("no_news")

    def _who_told(self, intent: Intent, speaker: str) -> str:
        """The source of what was said last."""
        last = self.now.spoken[-1] if self.now.spoken else ""
        for memory in self.known:
            if last and self._retold(memory, speaker) in last:
                if memory.how in ("keeper", "saw", "concluded") or memory.who.casefold() == "you":
                    return self._pick("source_me")
                return self._pick(
                    "source", topic="you" if same_name(memory.who, speaker) else memory.who
                )
        return self._unknown()

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
                words = joined(self._pick("also"), words)
            elif item.partly or (item.share < WHOLE and not question.names):
                words = joined(self._pick("partly"), words)
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
        """Note that something is missing; the words are for when looking it up did not help."""
        if ask(intent.text, me=self.now.name).terms:
            self.look_up.append(key_words(intent.text, self.now.name))
        return words

    def _says_something(self, memory: Memory) -> bool:
        """Whether a memory is more than a greeting, an order or a question."""
        intents = {intent.want for intent in read_line(memory.text, self.now.name)}
        return bool(intents & _TOLD - {Want.GREET}) and intents <= _TOLD

    def _something_they_told(self, speaker: str) -> str:
        """The best memory of what a speaker told, unless it was brought up before."""
        for memory in self.now.memories:
            if not same_name(memory.who, speaker) or is_question(memory.text):
                continue
            if len(set(content_terms(memory.text))) < 3 or memory not in self.known:
                continue
            if not self._says_something(memory):
                continue
            words = self._retold(memory, speaker)
            if words and not any(words in line for line in self.now.spoken):
                return words
        return ""


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
