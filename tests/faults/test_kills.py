"""
T7: a process killed anywhere costs an NPC nothing, and doubles nothing.

Here a share of it runs: each place that has a name once in several runs of the suite, and some
hundred at random. All of it is `python -m benchmarks.faults`.

"""

import itertools

import pytest

from .campaign import Tally, kill_again_and_again, kill_once_at_each_name
from .day import a_day
from .world import a_world

#: Kills at random here; `make faults` has many more.
AT_RANDOM = 60
#: Fewer places with a name than this would mean that the suite has become hollow.
LEAST_NAMES = 130


def told(tally):
    return "\n".join(f"{run}: {verdict}" for run, verdict in itertools.islice(tally.wrong, 5))


@pytest.mark.slow
@pytest.mark.parametrize("by_model", [False, True], ids=["rules", "model"])
def test_a_kill_at_every_place_that_has_a_name_loses_and_doubles_nothing(by_model):
    tally = Tally()
    with a_world(by_model=by_model) as world:
        missed, names = kill_once_at_each_name(world, a_day(1, 6), tally)
    assert not missed
    assert tally.kills >= names >= LEAST_NAMES
    assert not tally.wrong, told(tally)


@pytest.mark.slow
@pytest.mark.parametrize("by_model", [False, True], ids=["rules", "model"])
def test_kills_at_random_lose_and_double_nothing(by_model):
    tally = Tally()
    with a_world(by_model=by_model, max_entries=30) as world:
        kill_again_and_again(world, AT_RANDOM, tally, seed=1)
    assert tally.kills >= AT_RANDOM
    assert all(tally.manners[manner] for manner in ("before", "after", "torn"))
    assert not tally.wrong, told(tally)
