"""
T8: `evennia reload`, `evennia stop` and a cold start at any moment of a turn and of a night.

The server goes down in order, between two of the things it does. Nobody is answered twice, nothing
is half done, and no thread is left.

"""

import re
import threading

import pytest

from .answering import MARK
from .day import Story, a_day, judge
from .world import Stopped, a_world

#: Things that happen between two stops; each run of the day begins to count one later.
APART = 12
LEAST_STOPS = 50


class StopAt:
    """Raises `Stopped` before every `APART`-th thing, from the one of a number on."""

    def __init__(self, first):
        self.first = first
        self.happened = 0

    def __call__(self):
        self.happened += 1
        if self.happened % APART == self.first:
            raise Stopped


def answers(outcome):
    """How often each line was answered, as far as it was."""
    counted = {}
    for reply, times in outcome.replies.items():
        for mark in re.findall(MARK, reply):
            counted[mark] = counted.get(mark, 0) + times
    return counted


@pytest.mark.slow
def test_a_server_that_stops_at_any_moment_answers_each_line_once_and_goes_on_with_the_night():
    stops, threads = 0, threading.active_count()
    with a_world(by_model=True) as world:
        deeds = a_day(3, 6)
        wanted = Story(world, deeds).live()
        assert answers(wanted), "nobody was answered"
        for first in range(APART):
            world.begin_anew()
            story = Story(world, deeds)
            world.before_each = world.life.before_each = StopAt(first)
            outcome = story.live()
            verdict = judge(story.verdict, outcome, wanted)
            stops += story.stops
            assert not verdict, f"stops from {first}: {verdict}"
            assert answers(outcome) == answers(wanted), f"stops from {first}"
            assert world.script._tickers() == [5], "it ticks, and once"
    assert stops >= LEAST_STOPS
    assert threading.active_count() == threads
