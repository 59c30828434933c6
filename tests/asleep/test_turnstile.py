"""Whoever talks while many dream waits for one piece of one night, not for all that are due."""

from itertools import pairwise
from unittest import mock

import pytest

from evennia_assistant.asleep import modes, turnstile
from evennia_assistant.asleep.turnstile import in_slices, its_turn
from evennia_assistant.testing import FakeClock

from tests.game.npc import NpcTest


@pytest.fixture
def clock():
    return FakeClock()


def step(clock):
    """Let the next thing that is due happen, and nothing else."""
    call = clock.calls.pop(0)
    call.called = 1
    call.func(*call.args, **call.kw)


def test_between_two_pieces_of_nights_everybody_else_has_their_turn(clock):
    happened = []
    with mock.patch.object(turnstile, "SLICE", 0.0):
        for name in "abc":
            its_turn(clock).addCallback(lambda _turn, name=name: happened.append(name))
            clock.callLater(0, happened.append, "player")
        while clock.calls:
            if len(happened) < 6:
                clock.callLater(0, happened.append, "player")
            step(clock)
    nights = [place for place, what in enumerate(happened) if what != "player"]
    assert sorted(happened[place] for place in nights) == ["a", "b", "c"]
    assert all(after - before > 1 for before, after in pairwise(nights))


def test_pieces_of_one_night_do_not_hold_up_another(clock):
    happened = []

    def steps(name):
        for _n in range(3):
            happened.append(name)
            yield

    with mock.patch.object(turnstile, "SLICE", 0.0):
        for name in "ab":
            in_slices(clock, steps(name))
        clock.settle()
    assert happened == ["a", "b"] * 3


def test_what_breaks_in_one_night_is_told_to_it_and_the_others_go_on(clock):
    told, happened = [], []

    def broken():
        yield
        raise ValueError("broken")

    in_slices(clock, broken()).addErrback(told.append)
    its_turn(clock).addCallback(happened.append)
    clock.settle()
    assert told[0].check(ValueError) and len(happened) == 1


def test_whoever_gave_up_waiting_keeps_nobody_from_their_turn(clock):
    happened = []
    waiting = its_turn(clock)
    waiting.addErrback(lambda _failure: None)
    waiting.cancel()
    its_turn(clock).addCallback(happened.append)
    clock.settle()
    assert len(happened) == 1


class TestNights(NpcTest):
    def test_an_npc_that_waits_for_its_turn_may_be_switched_off(self):
        modes.order_sleep(self.script, "deep")
        self.agent.sleeper.tick()
        assert self.agent.sleeper.running is not None
        self.script.disable()
        self.pump(1)
        assert self.script.db.sleep_cycle is None

    def test_an_npc_woken_while_it_waits_for_its_turn_begins_no_night_by_day(self):
        modes.order_sleep(self.script, "deep")
        self.agent.sleeper.tick()
        assert modes.perform_wake_transition(self.script, "a shout")
        self.pump(1)
        assert self.script.db.sleep_cycle is None and self.agent.sleeper.running is None

    def test_nights_of_many_begin_one_after_the_other(self):
        npcs = [self.make_npc(f"Dreamer{n}", f"dreamer{n}") for n in range(3)]
        begun = []
        with mock.patch.object(turnstile, "SLICE", 0.0):
            for _npc, script in npcs:
                modes.order_sleep(script, "deep")
                script.agent.sleeper.tick()
            for _step in range(40):
                begun.append([bool(script.db.sleep_cycle) for _npc, script in npcs].count(True))
                if not self.clock.calls:
                    break
                step(self.clock)
        assert {1, 2, 3} <= set(begun) and begun == sorted(begun)
