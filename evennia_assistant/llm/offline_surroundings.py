"""
What an NPC can tell of where it stands: the place, the hour, who and what is there, the ways out.

"""

from __future__ import annotations

import random

from .offline_phrases import listed
from .offline_retelling import same_name
from .offline_situation import Situation
from .offline_volunteering import Volunteering


class Surroundings(Volunteering):
    """
    Answers from the scene of a situation, and asks for a look around where that says too little.

    Args:
        situation: What the turn is answered from.
        rng: Chooses among lines that would all do.

    """

    def __init__(self, situation: Situation, rng: random.Random) -> None:
        super().__init__(situation, rng)
        self.look_around = False

    def _where_am_i(self, speaker: str) -> str:
        if not self.now.place:
            return self._pick("place_unknown")
        here = self._pick("place", place=self.now.place)
        return " ".join(filter(None, (here, self._lore_of_place())))

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
            self._pick("present", people=listed(others)) if others else self._pick("present_nobody")
        )

    def _things(self, speaker: str) -> str:
        things = self.now.things or self._look("things")
        return (
            self._pick("things", things=listed(things)) if things else self._pick("things_nothing")
        )

    def _exits(self, speaker: str) -> str:
        exits = self._look("exits")
        return self._pick("exits", things=listed(exits)) if exits else self._unknown()

    def _look(self, kind: str) -> tuple[str, ...]:
        """Names from a look around; asks for one when there was none."""
        result = self.now.results.get("inspect_location")
        if result is None:
            self.look_around = True
            return ()
        names = result.get(kind)
        return tuple(n for n in names if isinstance(n, str)) if isinstance(names, list) else ()
