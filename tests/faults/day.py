"""
Days that NPCs live through in these suites: who says what when, and the nights after.

A day is a list of deeds made from a seed. `live` does them one after the other in a world whose
server may die at any moment: it is started again then, what was not acknowledged is said again, as
a player would who saw the game go down, and the day goes on. What was acknowledged and is not there
any more is lost.

"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from evennia.utils.dbserialize import deserialize

from evennia_assistant.asleep import modes
from evennia_assistant.asleep.night import night_of
from evennia_assistant.memory.outbox import outbox_of

from .answering import MARK
from .killing import Killed
from .world import KEY, Stopped, World

_PATTERN = MARK.encode()
_SYLLABLES = ("ba", "do", "fe", "gu", "ka", "lo", "mi", "nu", "pe", "ra", "so", "ti", "vu", "wa")
#: Nights after a day until all must be done; kills make it take longer.
MOST_NIGHTS = 12
#: Ticks of one night.
MOST_TICKS = 120
#: Deaths of one deed before the suite says that it never gets done.
MOST_DEATHS = 400


@dataclass(frozen=True)
class Deed:
    """
    One thing that happens.

    Args:
        kind: `say`, `overhear`, `whisper`, `tick` or `sleep`.
        who: The player.
        words: What is said.
        mark: The word in it that no other line has.

    """

    kind: str
    who: str = "Anna"
    words: str = ""
    mark: str = ""


def a_day(seed: int, lines: int = 14) -> list[Deed]:
    """The deeds of a day."""
    rng = random.Random(seed)
    deeds: list[Deed] = []
    for number in range(lines):
        mark = "zq" + "".join(rng.choice("abcdefghijklmnop") for _ in range(6))
        subject, place, thing = (_word(rng) for _ in range(3))
        said = rng.choice(
            (
                f"the {subject} {mark} lies under the {place}.",
                f"my {thing} is called {mark}, it comes from {place}.",
                f"I like {subject} and {mark}.",
                f"{subject.title()} took the {mark} to {place} for a {thing}.",
            )
        )
        kind = rng.choices(("say", "whisper", "overhear"), (6, 2, 2))[0]
        who = rng.choice(("Anna", "Tom"))
        other = "Tom" if who == "Anna" else "Anna"
        call = {"say": "Bram, ", "whisper": "", "overhear": f"{other}, "}[kind]
        deeds.append(Deed(kind, who, call + said, mark))
        if rng.random() < 0.4 or number == lines - 1:
            deeds.append(Deed("tick"))
    return [*deeds, Deed("sleep")]


def _word(rng: random.Random) -> str:
    return "".join(rng.choice(_SYLLABLES) for _ in range(rng.randint(2, 4)))


@dataclass
class Outcome:
    """
    What there is when all is at rest.

    Args:
        facts: Each fact's words with those it rests on, and how often it is there.
        keys: How often each key of a fact is there.
        lines: For each mark, entries of the journal and its archive that are what was said.
        mentions: For each mark, how often that entry says it was said.
        replies: Lines the NPC said.

    """

    facts: Counter[tuple[str, tuple[str, ...]]]
    keys: Counter[str]
    lines: Counter[str]
    mentions: dict[str, int]
    replies: Counter[str] = field(default_factory=Counter)


@dataclass
class Verdict:
    """
    What a run came to.

    Args:
        lost: What is missing, in words.
        doubled: What is there more than once.
        other: What else is not as it was without a kill.

    """

    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    other: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        """Whether anything is wrong."""
        return bool(self.lost or self.doubled or self.other)


class Story:
    """
    A day and its nights in one world.

    Args:
        world: The world, at its beginning.
        deeds: Of the day.
        between: Called before each deed and tick; it may set where the next kill falls, or have
            semantic memory fail.

    """

    def __init__(
        self, world: World, deeds: list[Deed], between: Callable[[], None] = lambda: None
    ) -> None:
        self.world = world
        self.deeds = deeds
        self.between = between
        self.verdict = Verdict()
        #: Times the server went down in order.
        self.stops = 0
        self._said: list[Deed] = []
        self._saying: Deed | None = None
        self._acknowledged: set[str] = set()
        self.night = 0
        world.killer.stage = self._stage

    def live(self) -> Outcome:
        """The whole of it, whatever dies meanwhile."""
        for deed in self.deeds:
            self._do(deed)
        for self.night in range(1, MOST_NIGHTS + 1):
            if self.at_rest():
                break
            self.sleep()
        else:
            waits = outbox_of(self.world.script).records
            self.verdict.other.append(f"not at rest after {MOST_NIGHTS} nights: {waits}")
        self.world.killer.at(None)
        self._look_after_lines()
        return outcome_of(self.world)

    def _stage(self) -> str:
        night = night_of(self.world.script)
        if night.is_open:
            return str(night.data["step"])
        return "asleep" if self.world.asleep else "day"

    def _do(self, deed: Deed) -> None:
        if deed.kind == "tick":
            self.survive(lambda: self.world.tick(7.0))
            self._acknowledged.update(one.mark for one in self._said)
        elif deed.kind == "sleep":
            self.night = 1
            self.sleep()
        else:
            self._said.append(deed)
            self._saying = deed
            self.survive(lambda: self._say(deed), again=lambda: not self._is_there(deed))
            self._saying = None
            self.survive(lambda: self.world.pass_by(2.0))

    def sleep(self) -> None:
        """A night, from an hour before it to being awake again, and seven hours after it."""
        self.survive(lambda: self.world.pass_by(3600.0))
        self.survive(
            lambda: modes.order_sleep(self.world.script, "deep"),
            again=lambda: not self.world.asleep,
        )
        number = night_of(self.world.script).data["id"]
        for _tick in range(MOST_TICKS):
            night = night_of(self.world.script)
            if night.data["id"] > number and not night.is_open:
                break
            self.survive(self.world.tick)
        else:
            self.verdict.other.append(f"a night did not end: {night_of(self.world.script).data}")
        self.survive(lambda: modes.order_wake(self.world.script), again=lambda: self.world.asleep)
        self.survive(lambda: self.world.tick(7.0))
        self.survive(lambda: self.world.pass_by(7 * 3600.0))

    def survive(
        self, action: Callable[[], Any], *, again: Callable[[], bool] = lambda: True
    ) -> None:
        """Do something; after each death start the server, and do it again if need be."""
        self.between()
        dead = False
        for _death in range(MOST_DEATHS):
            try:
                if dead:
                    self.world.restart()
                    self.world.do(lambda: None)
                    self._look_after_lines()
                    dead = False
                    if not again():
                        return
                self.world.do(action)
                return
            except Killed:
                dead = True
                self.between()
            except Stopped:
                self.stops += 1
                self.world.close_down(reload=bool(self.stops % 2))
                if not again():
                    return
        raise AssertionError(f"after {MOST_DEATHS} deaths it is not done yet")

    def at_rest(self) -> bool:
        """Whether nothing is on its way any more."""
        world = self.world
        memory = world.npc.memory
        return not (
            world.asleep
            or world.script.agent.has_work
            or world.script.agent.runner.events.data
            or outbox_of(world.script).records
            or any(memory.journal.unconsolidated())
            or night_of(world.script).is_open
        )

    # Lines ------------------------------------------------------------------------------------

    def _say(self, deed: Deed) -> None:
        kind = self.world.say(deed.who, deed.words, whispered=deed.kind == "whisper")
        if kind == "TRIGGER" and not self.world.killer.dead:
            # It was queued, and the queue is stored.
            self._acknowledged.add(deed.mark)

    def _is_there(self, deed: Deed) -> bool:
        return deed.mark in self.world.stored_words(_PATTERN)

    def _look_after_lines(self) -> None:
        """Miss what was acknowledged; say again what was not and went down with the server."""
        if not self._said:
            return
        there = self.world.stored_words(_PATTERN)
        missed = []
        for deed in self._said:
            if deed.mark in there:
                self._acknowledged.add(deed.mark)
            elif deed.mark in self._acknowledged:
                self.verdict.lost.append(f"line {deed.words!r}")
                self._acknowledged.discard(deed.mark)
                self._said = [one for one in self._said if one is not deed]
            else:
                missed.append(deed)
        if self.world.asleep:
            return
        for deed in missed:
            if deed is not self._saying:
                self.world.do(lambda deed=deed: self._say(deed))


# What there is ------------------------------------------------------------------------------------


def outcome_of(world: World) -> Outcome:
    """All that the database and semantic memory hold, counted."""
    said: dict[int, str] = {}
    lines: Counter[str] = Counter()
    mentions: dict[str, int] = {}
    for entry in stored_entries(world):
        said[entry["id"]] = entry["content"]
        if entry.get("kind", "event") != "event" or entry.get("evidence"):
            continue
        for mark in set(re.findall(MARK, entry["content"])):
            lines[mark] += 1
            mentions[mark] = entry.get("mention_count", 1)
    kept = world.memory.facts(KEY)
    facts = Counter(
        (
            fact.text,
            tuple(sorted(said.get(number, f"no entry {number}") for number in fact.entry_ids)),
        )
        for fact in kept
    )
    return Outcome(
        facts, Counter(fact.key for fact in kept), lines, mentions, Counter(world.replies)
    )


def stored_entries(world: World) -> list[dict[str, Any]]:
    """Every entry of the journal and its archive, as often as it is stored."""
    attributes = world.npc.attributes
    attributes.reset_cache()
    archived = attributes.get(category="assistant_archive", return_list=True)
    chunks = [deserialize(chunk) for chunk in archived if chunk]
    live = deserialize(attributes.get("journal")) or {"entries": []}
    return [entry for chunk in chunks for entry in chunk] + list(live["entries"])


def judge(verdict: Verdict, outcome: Outcome, wanted: Outcome) -> Verdict:
    """
    Compare what there is with what there would be without a kill.

    Args:
        verdict: What was found on the way; it is added to.
        outcome: What there is.
        wanted: Of the same day, lived through without one.

    """
    for fact, count in (wanted.facts - outcome.facts).items():
        verdict.lost.append(f"fact {fact[0]!r} ({count})")
    for fact, count in (outcome.facts - wanted.facts).items():
        kind = verdict.doubled if fact in wanted.facts else verdict.other
        kind.append(f"fact {fact[0]!r} on {fact[1]} ({count} too many)")
    verdict.doubled.extend(f"key {key}" for key, count in outcome.keys.items() if count > 1)
    for mark, count in wanted.lines.items():
        if outcome.lines[mark] < count:
            verdict.lost.append(f"entry of {mark}")
        if outcome.lines[mark] > count:
            verdict.doubled.append(f"entry of {mark}")
        if outcome.mentions.get(mark, 0) > wanted.mentions[mark]:
            verdict.doubled.append(f"mention of {mark}")
    return verdict
