"""16. A model that takes its time over a step of the night delays no other ticker."""

from evennia.scripts.tickerhandler import Ticker
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock

from evennia_assistant.asleep import modes
from evennia_assistant.testing.replies import hang

from tests.asleep.sleeping import NightTest
from tests.game.bedtime import SleepTest


def calls_beside(test, *, times):
    """When another subscriber of the NPC's ticker is called."""
    called = []
    ticker, clock = Ticker(60), Clock()
    ticker.task.clock = clock
    ticker.add("npc", _obj=test.script, _callback="at_tick")
    ticker.add("other", _callback=lambda: called.append(clock.seconds()))
    test.addCleanup(ticker.stop)
    for _ in range(times):
        clock.advance(60)
        test.pump(60)
    return called


class TestSlowStep(SleepTest):
    def test_a_slow_step_delays_no_other_ticker(self):
        self.sleep()
        slow = Deferred()
        self.night.next = [slow]
        assert calls_beside(self, times=3) == [60.0, 120.0, 180.0]
        assert self.night.ticks == 1 and not slow.called


class TestSlowModel(NightTest):
    def test_a_model_that_does_not_answer_delays_no_other_ticker(self):
        self.write(5)
        modes.order_sleep(self.script, "deep")
        self.model._handler = lambda asked: hang()
        assert calls_beside(self, times=3) == [60.0, 120.0, 180.0]
        assert len(self.model.requests) == 1
        assert self.agent.sleeper.running is not None
