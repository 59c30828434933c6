"""
What an NPC knows of people: who they are to it, what they told it, what they left for each other.

"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..mind.text import content_terms, is_question
from .offline_intents import Intent, read_line
from .offline_matching import ask
from .offline_phrases import goes_by, joined, recent, seconds_ago, topic_of
from .offline_recollection import Recollection
from .offline_retelling import clipped, quoted, said_by_me, same_name
from .offline_situation import Memory
from .offline_wants import Want

_SECRETS = re.compile(
    r"\b(?:secrets?|secretly|confiden\w+|whisper\w*|in private|privately)\b", re.I
)
_PEOPLE = frozenset({"they", "he", "she", "anyone", "anybody", "someone", "people", "anything"})
#: "Tell Bruno that ..." and the like; what is left of the line is the message.
_LEAD = re.compile(
    r"^.*?\b(?:tell|let|inform)s? (?:him|her|them|[^\W\d_]+)(?: know)?,?:? (?:that )?|"
    r"^.*?\b(?:message|word|note) (?:on )?(?:for|to) [^\W\d_]+[:,]? ?(?:that )?",
    re.IGNORECASE,
)


class Acquaintance(Recollection):
    """
    Answers about people, from what they told and what was seen of them.

    Args:
        situation: What the turn is answered from.
        rng: Chooses among lines that would all do.

    """

    def _age(self, speaker: str) -> str:
        """What the keeper wrote of its age."""
        for memory in self.taught:
            if re.search(r"\bI am\b.*\byears? old\b|\bmy age\b", memory.text):
                return memory.text
        return self._unknown()

    def _who_am_i(self, intent: Intent, speaker: str) -> str:
        return self._pick("you_are", name=speaker) if speaker else self._pick("remember_no")

    def _remember_me(self, intent: Intent, speaker: str) -> str:
        relation = self.now.relation(speaker)
        told = self._something_they_told(speaker, again=True)
        if not told and self._is_new(speaker):
            return self._pick("remember_no")
        parts = [self._pick("remember_yes", name=speaker)]
        if relation.last_seen and not recent(relation.last_seen):
            parts.append(self._pick("last_seen", last_seen=relation.last_seen))
        return " ".join(filter(None, (*parts, told)))

    def _is_new(self, speaker: str) -> bool:
        relation = self.now.relation(speaker)
        return relation.state == "stranger" and relation.meetings < 2 and not relation.last_seen

    def _about_me(self, intent: Intent, speaker: str) -> str:
        """All that somebody told of themselves, as far as two memories hold it."""
        mine = [m for m in self._told_by(speaker) if self._says_something(m)]
        if mine:
            return self._both(mine, speaker)
        if not self.look_up:
            self.look_up.append(speaker)
        return self._pick("know_little", name=speaker)

    def _what_i_told(self, intent: Intent, speaker: str) -> str:
        before = [line.text for line in self.now.before if same_name(line.speaker, speaker)]
        if before and re.search(r"\bjust\b", intent.text, re.IGNORECASE):
            return f"You said: {quoted(clipped(before[-1]))}"
        mine = self._told_by(speaker)
        secret = bool(_SECRETS.search(intent.text))
        confided = [m for m in mine if "confidence" in m.how or m.how == "whispered to me"]
        telling = ask(_SECRETS.sub(" ", intent.text), me=self.now.name).terms
        if not telling:
            chosen = confided if secret or (confided and self.now.manner == "whisper") else mine
            meant = [m for m in chosen if self._says_something(m)]
            if meant or (chosen := [m for m in chosen if not self._is_empty(m)]):
                return self._both(meant or chosen, speaker)
            self.look_up.append(f"{speaker} secret" if secret else speaker)
        elif words := self._from(mine, intent, speaker, anything=True):
            return words
        if secret and self.now.manner != "whisper":
            return self._pick("not_aloud", name=speaker)
        return self._look_up_or(intent, self._pick("told_nothing"))

    def _told_by(self, speaker: str) -> list[Memory]:
        """What a speaker told, newest first."""
        # Of what was said in this talk the last stands last.
        mine = [m for m in self.known[::-1] if same_name(m.who, speaker)]
        return sorted(mine, key=lambda memory: seconds_ago(memory.when))

    def _both(self, memories: Sequence[Memory], speaker: str) -> str:
        """The first two memories that do not say the same."""
        parts: list[str] = []
        for memory in memories:
            words = self._retold(memory, speaker)
            if words not in parts:
                parts.append(words)
        return " ".join([*parts[:1], *(joined(self._pick("also"), words) for words in parts[1:2])])

    def _what_they_said(self, intent: Intent, speaker: str) -> str:
        who = re.sub(r"^(?:the|my|our) (?=[A-Z])", "", intent.focus)
        if who.casefold() in ("i", "me", "we"):
            return self._what_i_told(intent, speaker)
        if who.casefold() == "you":
            own = [memory for memory in self.known if said_by_me(memory)]
            retold = [self._retold(memory, speaker) for memory in own[:1]]
            return retold[0] if retold else self._question(intent, speaker)
        if who.casefold() in _PEOPLE:
            return self._tell_about(intent, speaker)
        theirs = [m for m in self.known if goes_by(m.who, who)]
        left = self._left_for(speaker, who)
        words = left or self._from(theirs, intent, speaker, anything=True, besides=who)
        if words:
            return words
        topic = topic_of(who)
        nothing = self._pick("they_said_nothing", topic=topic) if topic else self._unknown()
        return self._look_up_or(intent, nothing)

    def _seen_doing(self, intent: Intent, speaker: str) -> str:
        """What somebody was seen doing, or what was seen of a thing."""
        here = self._is_here(intent, speaker)
        if here:
            return here
        who = intent.focus
        if who.casefold() in ("i", "me", "we"):
            who = speaker
        anybody = not who or who.casefold() in _PEOPLE | {"you", "happen", "everyone", "everybody"}
        chosen = [m for m in self.seen if anybody or goes_by(m.who, who)]
        if chosen:
            chosen.sort(key=lambda memory: seconds_ago(memory.when))
            return self._both(chosen, speaker)
        others = [m for m in [*self.known, *self.seen] if not same_name(m.who, speaker)]
        if anybody:
            self.look_up.append(" ".join(self.now.present[:4]))
            return self._pick("not_seen", name=speaker)
        words = self._from(others, intent, speaker)
        return words or self._look_up_or(intent, self._pick("not_seen", name=speaker))

    def _opinion(self, intent: Intent, speaker: str) -> str:
        """No judgement of its own, but what is known of whom it is asked about."""
        about = intent.focus
        if about.casefold() in ("me", "us"):
            return self._pick("opinion_you", name=speaker)
        if not topic_of(about) or about.casefold() in ("you", "yourself", "it here", "it"):
            return self._pick("opinion")
        words = self._from(self.taught, intent, speaker)
        if words:
            return words
        theirs = [m for m in self.known if goes_by(m.who, about) and self._says_something(m)]
        if theirs:
            return f"{self._pick('opinion')} {self._retold(theirs[0], speaker)}"
        others = [m for m in self.known if not same_name(m.who, speaker)]
        words = self._from(others, intent, speaker)
        return words or self._look_up_or(intent, self._pick("opinion"))

    def _who_told(self, intent: Intent, speaker: str) -> str:
        """The source of what was said last."""
        source = self._source(speaker)
        if source is None:
            return self._unknown()
        return self._pick("source", topic=source) if source else self._pick("source_me")

    def _source(self, speaker: str) -> str | None:
        """Whose word the last line was: a name, "" for its own, None when it was nobody's."""
        last = self.now.spoken[-1] if self.now.spoken else ""
        for memory in [*self.known, *self.seen]:
            words = self._retold(memory, speaker)
            if last and words and words in last:
                if memory.how in ("keeper", "saw", "concluded") or memory.who.casefold() == "you":
                    return ""
                return "you" if same_name(memory.who, speaker) else memory.who
        return None

    def _something_they_told(self, speaker: str, *, again: bool = False) -> str:
        """The best memory of what a speaker told, unless it was brought up before."""
        for memory in self.now.memories:
            if not same_name(memory.who, speaker) or is_question(memory.text):
                continue
            if len(set(content_terms(memory.text))) < 3 or memory not in self.known:
                continue
            if not self._says_something(memory):
                continue
            words = self._retold(memory, speaker)
            if words and (again or not self._said_before(words)):
                return words
        return ""

    # --- messages

    def _message(self, intent: Intent, speaker: str) -> str:
        """Taking a message: it is in memory already, and told to whom it is for when they ask."""
        who = topic_of(intent.focus)
        if not who or who.casefold() in ("him", "her", "them"):
            return self._pick("noted", name=speaker)
        who = who[:1].upper() + who[1:]
        for name in self.now.present:
            if goes_by(name, who):
                return self._pick("here_yes", topic=name)
        return self._pick("message_kept", topic=who)

    def _messages(self, intent: Intent, speaker: str) -> str:
        """What others left for a speaker."""
        words = self._left_for(speaker)
        if words:
            return words
        self.look_up.append(f"tell {speaker}")
        return self._pick("message_none", name=speaker)

    def _left_for(self, speaker: str, who: str = "") -> str:
        """The messages for a speaker, from one or all, not delivered yet in this talk."""
        parts: list[str] = []
        for memory in self.known:
            if not memory.who or same_name(memory.who, speaker) or said_by_me(memory):
                continue
            if who and not goes_by(memory.who, who):
                continue
            for intent in read_line(memory.text, self.now.name):
                if intent.want is not Want.MESSAGE or not goes_by(speaker, intent.focus):
                    continue
                message = _LEAD.sub("", intent.text).strip()
                when = "" if memory.when in ("", "just now", "always") else f" {memory.when}"
                words = quoted(clipped(message[:1].upper() + message[1:]))
                if len(message) > 1 and not self._said_before(words):
                    parts.append(f"{memory.who} left word for you{when}: {words}")
        return " ".join(dict.fromkeys(parts[:2]))
