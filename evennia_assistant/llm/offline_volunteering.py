"""
What an NPC brings up itself: news, what a statement reminds it of, something for idle hands.

All of it was taught by its keeper or told to it; it only chooses the occasion.

"""

from __future__ import annotations

import re

from ..mind.text import is_question
from .offline_acquaintance import Acquaintance
from .offline_intents import Intent, read_line
from .offline_matching import answers, ask, brought_up
from .offline_retelling import ended, same_name
from .offline_situation import Memory
from .offline_wants import Want

_NEWS = re.compile(
    r"\b(?:news|rumou?rs?|gossip|(?:they|people|folk|some|sailors) (?:say|tell|whisper)|word (?:is|"
    r"has it)|it is said|is said to|i hear(?:d)?)\b",
    re.IGNORECASE,
)
_CALLED_NEWS = re.compile(r"\bnews\b", re.IGNORECASE)
_RUMOUR = re.compile(r"\brumou?rs?\b|\bgossip\b|\b(?:they|people|folk|some) (?:say|tell)\b", re.I)
#: What a keeper taught that is worth telling, though it is not called news.
_NOTABLE = re.compile(
    r"\b(?:stranger|missing|vanish\w*|not been seen|stolen|thief|thieves|murder\w*|ghost|haunt\w*|"
    r"treasure|reward|storm|somebody|wolves|bandits?|pirates?|smuggl\w+|war|curse\w*|"
    r"nobody knows)\b",
    re.IGNORECASE,
)
_SEEKS = re.compile(
    r"(?:i|we)(?:'m|'re| am| are)? (?:(?:really |just )?(?:want|need|would like|wish|have|"
    r"try(?:ing)?|"
    r"hope) to (?:go|get|find|see|visit|speak|talk|meet|reach)|(?:looking|searching) for|seek) "
    r"(?P<focus>.+)",
    re.IGNORECASE,
)
_OF_PLACE = re.compile(
    r"\bthis (?:town|village|city|house|inn|tavern|place|shop|harbou?r|yard|hall|castle|keep)\b",
    re.IGNORECASE,
)
#: What a keeper taught that asks for somebody to do something.
_WANTED = re.compile(
    r"\b(?:whoever|whosoever|reward|want (?:it|them|him|her) back|want(?:s|ed)? (?:back|someone|"
    r"somebody)|will pay|looking for|in need of|lost my|treasure|nobody knows|somebody)\b",
    re.IGNORECASE,
)


class Volunteering(Acquaintance):
    """
    Tells what it was not asked for in so many words.

    Args:
        situation: What the turn is answered from.
        rng: Chooses among lines that would all do.

    """

    def _news(self, intent: Intent, speaker: str) -> str:
        """What the keeper taught as news, then what others told or were heard to say."""
        everything = not re.search(
            r"new|rumou?r|gossip|hear|happen|say|talk|going", intent.text, re.I
        )
        wanted = _RUMOUR if re.search(r"rumou?r|gossip", intent.text, re.I) else _CALLED_NEWS
        for pattern in (wanted, _NEWS):
            words = self._untold(self._matching(pattern))
            if words and not everything:
                return words
        told = self._from_others(speaker)
        if told:
            return told
        if everything:
            words = self._untold([m for m in self.taught if m.kind != "persona"], any_of=True)
        else:
            words = self._untold(self._matching(_NOTABLE))
        if words:
            return words
        self.look_up.append("news rumour gossip")
        told_any = any(self._said_before(m.text) for m in self._matching(_NEWS))
        return self._pick("news_told" if told_any else "no_news")

    def _more(self, intent: Intent, speaker: str) -> str:
        """More of what was asked about before."""
        for line in reversed(self.now.before):
            if not same_name(line.speaker, speaker):
                continue
            asked = read_line(line.text, self.now.name)[-1]
            if asked.want is Want.MORE:
                continue
            if asked.want in (Want.NEWS, Want.IDLE, Want.STORY):
                return self._news(Intent(Want.NEWS, "news"), speaker)
            for found in answers(ask(asked.text, me=self.now.name), self.known, speaker):
                words = self._retold(found.memory, speaker)
                if not found.akin and self._answers(found.memory) and not self._said_before(words):
                    return words
            break
        return self._pick("no_more", name=speaker)

    def _from_others(self, speaker: str) -> str:
        """Something another said that was not passed on yet."""
        for memory in (*self.now.memories, *reversed(self.now.recent)):
            if memory.how in ("keeper", "saw") or memory.who.casefold() == "you" or not memory.who:
                continue
            if same_name(memory.who, speaker) or same_name(memory.who, self.now.name):
                continue
            if is_question(memory.text) or not self._says_something(memory):
                continue
            words = self._retold(memory, speaker)
            if words and not self._said_before(words):
                return words
        return ""

    def _idle(self, intent: Intent, speaker: str) -> str:
        """Something to do for who asks for it: what is wanted, else what is said to be going on."""
        if re.search(r"\b(?:work|jobs?)\b", intent.text, re.IGNORECASE):
            words = self._from(self.taught, intent, speaker)
            if words:
                return words
        words = self._untold([*self._matching(_WANTED), *self._matching(_NEWS, _NOTABLE)])
        return words or self._pick("no_idea", name=speaker)

    def _story(self, intent: Intent, speaker: str) -> str:
        words = self._untold(self._matching(_RUMOUR, _NOTABLE))
        return words or self._pick("no_story")

    def _weather(self, intent: Intent, speaker: str) -> str:
        weather = Intent(Want.QUESTION, "weather", asks=True)
        words = self._from(self.taught, weather, speaker)
        return words or self._look_up_or(intent, self._pick("weather"))

    def _wish(self, intent: Intent, speaker: str) -> str:
        """What is known of a thing somebody wants to have; the having is not the NPC's to grant."""
        found = answers(ask(intent.focus or intent.text, me=self.now.name), self.taught, speaker)
        found = [item for item in found if item.share >= 0.5]
        if found:
            return self._retold(found[0].memory, speaker)
        return self._look_up_or(intent, self._pick("decline_wish", name=speaker))

    def _flirt(self, intent: Intent, speaker: str) -> str:
        married = Intent(Want.QUESTION, "Are you married?", asks=True)
        words = self._from(self.taught, married, speaker)
        return (
            words if words and not self._said_before(words) else self._pick("flirt", name=speaker)
        )

    def _sought(self, text: str, speaker: str) -> str:
        """What was taught of what somebody says they look for."""
        match = _SEEKS.match(text)
        if match is None:
            return ""
        found = answers(ask(match["focus"], me=self.now.name), self.taught, speaker)
        return self._retold(found[0].memory, speaker) if found and found[0].share > 0.5 else ""

    def _reminded(self, text: str, speaker: str) -> str:
        """A taught line that a statement calls to mind, once in a talk."""
        lines = [m for m in self.taught if m.kind != "persona"]
        memory = brought_up(text, lines, (self.now.name, self.now.place, *self.now.present))
        if memory is None or self._said_before(memory.text):
            return ""
        return ended(memory.text)

    def _lore_of_place(self) -> str:
        """What was taught of the place itself, "" when it was told already."""
        return self._untold(self._matching(_OF_PLACE))

    # --- choosing

    def _matching(self, *patterns: re.Pattern[str]) -> list[Memory]:
        """What was taught that fits a pattern, in the order of the patterns."""
        fit = [m for pattern in patterns for m in self.taught if pattern.search(m.text)]
        return list(dict.fromkeys(fit))

    def _untold(self, memories: list[Memory], *, any_of: bool = False) -> str:
        """The first of some memories that was not told in this talk."""
        fresh = [m for m in memories if not self._said_before(ended(m.text))]
        if not fresh:
            return ""
        return ended(self.rng.choice(fresh).text if any_of else fresh[0].text)
