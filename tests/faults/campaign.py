"""Kills by the thousand: days lived through again and again, with the process dying on the way."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from .day import Deed, Outcome, Story, Verdict, a_day, judge
from .world import World

#: Times a day is lived through with kills before the next one.
RUNS_OF_A_DAY = 4
#: Places between two kills, on an average; one of these for each run.
GAPS = (4, 10, 25)
#: Nights in which the process dies; those after them are there to finish what is left.
NIGHTS_OF_DYING = 3
#: Before how many deeds and ticks of a hundred semantic memory is made to fail.
FAULTS_IN_A_HUNDRED = 8
#: Times in one run that semantic memory does not have what it took.
MOST_DROPS = 3
_METHODS = ("add", "add", "add", "find_by_keys", "find_by_keys", "search", "get", "all")
_FAULTS = ("lost", "half", "raise", "drop", "hang")


@dataclass
class Tally:
    """
    What a campaign came to.

    Args:
        kills: How many fired.
        manners: How many of each manner.
        faults: How often semantic memory failed, by fault.
        runs: How often a day was lived through with kills.
        wrong: For each run that went wrong, how to repeat it, and what was wrong.
        lost: Things lost.
        doubled: Things doubled.

    """

    kills: int = 0
    manners: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    runs: int = 0
    wrong: list[tuple[str, Verdict]] = field(default_factory=list)
    lost: int = 0
    doubled: int = 0

    def take(self, run: str, world: World, verdict: Verdict) -> None:
        """Count a run."""
        self.runs += 1
        self.kills += sum(world.killer.kills.values())
        self.manners.update(world.killer.kills)
        self.faults.update(fault for _method, fault in world.memory.fired)
        world.killer.kills = dict.fromkeys(world.killer.kills, 0)
        world.memory.fired.clear()
        if world.killer.swallowed:
            verdict.other.append(f"a dead process tried to commit {world.killer.swallowed} times")
            world.killer.swallowed = 0
        self.lost += len(verdict.lost)
        self.doubled += len(verdict.doubled)
        if verdict:
            self.wrong.append((run, verdict))


def without_kill(world: World, deeds: list[Deed]) -> tuple[Outcome, list[str]]:
    """A day lived through in peace: what there is then, and the places it came by, once each."""
    world.begin_anew()
    world.killer.recording, world.killer.names = True, []
    story = Story(world, deeds)
    outcome = story.live()
    world.killer.recording = False
    if judge(story.verdict, outcome, outcome):
        raise AssertionError(f"a day without kills goes wrong: {story.verdict}")
    return outcome, list(dict.fromkeys(world.killer.names))


def kill_at_each_name(world: World, deeds: list[Deed], tally: Tally) -> None:
    """One run for each place that has a name, with one kill there."""
    wanted, names = without_kill(world, deeds)
    for name in names:
        world.begin_anew()
        world.killer.at_name(name)
        story = Story(world, deeds)
        outcome = story.live()
        tally.take(f"kill at {name!r}", world, judge(story.verdict, outcome, wanted))


def kill_once_at_each_name(world: World, deeds: list[Deed], tally: Tally) -> tuple[set[str], int]:
    """
    Die once at each place that has a name, as many of them in one run as come by.

    Returns:
        The names at which it did not die though a day in peace comes by them, and how many such
        there are.

    """
    wanted, names = without_kill(world, deeds)
    known: set[str] = set()
    for run in range(2):
        world.begin_anew()
        world.killer.at_new_names(known)
        story = Story(world, deeds)
        outcome = story.live()
        tally.take(f"each name, run {run}", world, judge(story.verdict, outcome, wanted))
    for name in names:
        if name not in known:
            # It does not come by there on a day of so many deaths.
            world.begin_anew()
            world.killer.at_name(name)
            story = Story(world, deeds)
            outcome = story.live()
            if sum(world.killer.kills.values()) == 1:
                known.add(name)
            tally.take(f"kill at {name!r}", world, judge(story.verdict, outcome, wanted))
    world.killer.at_new_names(None)
    return set(names) - known, len(names)


def kill_again_and_again(
    world: World, planned: int, tally: Tally, seed: int, told: Callable[[Tally], None] | None = None
) -> None:
    """
    Let the process die at random places, many times a day, on one day after the other.

    Args:
        world: The world.
        planned: Kills in this campaign.
        tally: Counts.
        seed: Of the first day.
        told: Told how far it is, after each day.

    """
    wanted_kills = tally.kills + planned
    while tally.kills < wanted_kills:
        deeds = a_day(seed)
        wanted, _names = without_kill(world, deeds)
        for run in range(RUNS_OF_A_DAY):
            rng = random.Random(f"{seed} {run}")
            world.begin_anew()
            story = Story(world, deeds)
            story.between = partial(_next_misfortune, world, story, rng, rng.choice(GAPS))
            outcome = story.live()
            tally.take(f"day {seed}, run {run}", world, judge(story.verdict, outcome, wanted))
        seed += 1
        if told is not None:
            told(tally)


def _next_misfortune(world: World, story: Story, rng: random.Random, gap: int) -> None:
    if story.night > NIGHTS_OF_DYING:
        world.killer.at(None)
        return
    if world.killer.safe:
        # Now and then it lives long enough for a write that takes many places.
        mean = gap if rng.random() < 0.7 else 10 * gap
        world.killer.at(1 + int(rng.expovariate(1 / mean)))
    if rng.randrange(100) < FAULTS_IN_A_HUNDRED:
        fault = rng.choice(_FAULTS)
        if fault == "drop" and world.memory.fired.count(("add", "drop")) >= MOST_DROPS:
            # A fact refused again and again is set aside for its keeper, and not stored.
            fault = "lost"
        world.memory.fail(rng.choice(_METHODS), fault)
