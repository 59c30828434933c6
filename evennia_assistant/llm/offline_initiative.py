"""
What the offline brain does of its own accord: an errand it was set, a word to an old acquaintance.

Anything that takes more than that it leaves alone; without a question there is nothing to answer,
and it never talks for the sake of talking.

"""

from __future__ import annotations

import random

from ..mind.errand import Errand, errand_of
from .offline_answers import Answer
from .offline_manners import Manners
from .offline_retelling import same_name
from .offline_situation import Occasion, Situation


class OwnAccord(Manners):
    """
    What to do when nobody has spoken.

    Args:
        situation: What there is to go by.
        rng: Chooses among lines that would all do.

    """

    def answer(self, occasion: Occasion) -> Answer:
        """One line to one person, or nothing."""
        if occasion.why == "silence" and len(occasion.present) == 1:
            return self._said(occasion.present[0], self._greeting(occasion.present[0], alone=False))
        errand = errand_of(occasion.step or occasion.goal)
        if occasion.why != "goal" or errand is None:
            return Answer(silent=True)
        whom = next((name for name in occasion.present if _is(name, errand)), "")
        if not whom:
            return Answer(silent=True)
        if errand.kind == "greet":
            return self._said(whom, self._greeting(whom, alone=False))
        others = [name for name in occasion.asked_by if not same_name(name, whom)]
        return self._said(whom, errand.line(whom, others[0] if others else ""))

    def _said(self, name: str, words: str) -> Answer:
        return Answer(said=((name, words),)) if words else Answer(silent=True)


def own_accord(now: Situation, occasion: Occasion, rng: random.Random) -> Answer:
    """What the NPC does without having been spoken to."""
    return OwnAccord(now, rng).answer(occasion)


def _is(name: str, errand: Errand) -> bool:
    wanted = errand.whom.casefold()
    return wanted == name.casefold() or wanted in name.casefold().split()
