"""10. A night that fails at any step and is taken up after a restart ends as one that did not."""

from dataclasses import replace
from unittest import mock

from twisted.internet.defer import maybeDeferred

from evennia_assistant.asleep import cycle
from evennia_assistant.asleep.steps import STEPS

from tests.asleep.whole_nights import WholeNightTest


class GoneError(Exception):
    """The server is gone."""


class TestRestart(WholeNightTest):
    def night(self, name=None, after=False):
        """A night in which the server goes before or after a step has done its first batch."""
        gone = []

        def failing(step):
            def run(script, character, ask):
                if gone or step.name != name:
                    return step.run(script, character, ask)
                gone.append(step.name)
                if not after:
                    raise GoneError
                return maybeDeferred(step.run, script, character, ask).addCallback(fail)

            return replace(step, run=run)

        def fail(_result):
            raise GoneError

        with mock.patch.object(cycle, "STEPS", tuple(map(failing, STEPS))):
            try:
                self.sleep()
            except GoneError:
                self.forget_caches()
                # A server has its index some moments after it has started.
                self.pump()
                self.model._handler = self.dream
                self.sleep()
        assert bool(gone) == (name is not None)
        return self.without_times(self.memory_state())

    def test_the_end_is_the_same_wherever_it_broke_off(self):
        self.day()
        usual = self.night()
        assert usual["reflection_state"]["reflection_count"] == 1
        for step in STEPS:
            for after in (False, True):
                self.restored()
                state = self.night(step.name, after)
                assert state == usual, (step.name, after)
