"""16. A model that takes its time over a step of the night delays no other ticker."""

from evennia.scripts.tickerhandler import Ticker
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock

from evennia_assistant.asleep import modes
from evennia_assistant.testing.replies import hang

from tests.asleep.sleeping import NightTest
from tests.game.bedtime import SleepTest


class TestSlowStep(SleepTest):
    def test_a_slow_step_delays_no_other_ticker(self):
        self.sleep()
        slow = Deferred()
        self.night.next = [slow]
        called = []
        ticker, clock = Ticker(60), Clock()
        ticker.task.clock = clock
        ticker.add("npc", _obj=self.script, _callback="at_tick")
        ticker.add("other", _callback=lambda: called.append(clock.seconds()))
        self.addCleanup(ticker.stop)
        for _ in range(3):
            clock.advance(60)
            self.pump(60)
        assert called == [60.0, 120.0, 180.0]
        assert self.night.ticks == 1 and not slow.called


class TestSlowModel(NightTest):
    def test_a_model_that_does_not_answer_delays_no_other_ticker(self):
        self.write(5)
        modes.order_sleep(self.script, "deep")
        self.model._handler = lambda asked: hang()
        called = []
        ticker, clock = Ticker(60), Clock()
        ticker.task.clock = clock
        ticker.add("npc", _obj=self.script, _callback="at_tick")
        ticker.add("other", _callback=lambda: called.append(clock.seconds()))
        self.addCleanup(ticker.stop)
        for _ in range(3):
            clock.advance(60)
            self.pump(60)
        assert called == [60.0, 120.0, 180.0]
        assert len(self.model.requests) == 1
        assert self.agent.sleeper.running is not None
