"""Who may be told each canary, kept apart from everything the NPC keeps."""

import re
from dataclasses import dataclass

#: A word nobody says by chance; `canary(7)` makes one.
CANARY = re.compile(r"zq\d{5}xv")
#: The audience of what was said in the open before the NPC.
EVERYBODY = None


def canary(number):
    return f"zq{number:05d}xv"


@dataclass(frozen=True)
class Planted:
    """
    One utterance with a word of its own.

    Args:
        word: The canary.
        act: How it was said.
        told: Entity ids of those who may be told, `EVERYBODY`, or the empty set for what the NPC
            never perceived.
        confidential: It was whispered, paged or said off the record: never to be said aloud.
        owner: Who said it.
        topic: What to ask for.

    """

    word: str
    act: str
    told: frozenset | None
    confidential: bool
    owner: object
    topic: str

    def may_reach(self, listeners):
        """Whether all of these may be told."""
        return self.told is EVERYBODY or (bool(listeners) and set(listeners) <= self.told)


class Ledger:
    """What was planted, where it was seen, and every place in which it should not have been."""

    def __init__(self):
        self.planted = {}
        self.reached = set()
        self.leaks = []
        self.prompts = 0
        #: Records of prompts whose audiences were compared.
        self.compared = 0

    def plant(self, act, told, confidential, owner):
        number = len(self.planted)
        word = canary(number)
        made = Planted(word, act, told, confidential, owner, f"matter{number:05d}")
        self.planted[word] = made
        return made

    def seen_in(self, text):
        """The canaries in a text."""
        return {word for word in CANARY.findall(text) if word in self.planted}

    def shown(self, text, listeners, where, *, aloud=False, spoken=()):
        """
        Look through something that reaches `listeners`.

        Args:
            text: What they, or a model that answers them, are shown.
            listeners: Entity ids.
            where: For the report.
            aloud: What is shown is for an answer given aloud.
            spoken: Canaries said just now by those who are answered.

        """
        for word in self.seen_in(text) - set(spoken):
            planted = self.planted[word]
            if not planted.may_reach(listeners):
                self.leaks.append((where, planted.act, word, tuple(listeners)))
            elif aloud and planted.confidential:
                self.leaks.append((f"{where}, aloud", planted.act, word, tuple(listeners)))
            else:
                self.reached.add(word)

    def nowhere(self, text, where):
        """Look through something nobody's confidence belongs in, such as a log."""
        for word in self.seen_in(text):
            if self.planted[word].told is not EVERYBODY:
                self.leaks.append((where, self.planted[word].act, word, ()))

    def kept(self, record, audience, confidential, where):
        """Look through a stored record: who may be told, and whether it stays a confidence."""
        for word in self.seen_in(record):
            planted = self.planted[word]
            if audience == "public":
                wider = planted.told is not EVERYBODY
            else:
                wider = planted.told is not EVERYBODY and bool(set(audience or ()) - planted.told)
            if wider:
                self.leaks.append((f"kept in {where}", planted.act, word, audience))
            if confidential is False and planted.confidential and audience is not None:
                self.leaks.append((f"unmarked in {where}", planted.act, word, audience))
