"""An NPC that sleeps and wakes on a clock the test turns, and a night the test holds."""

from datetime import UTC, datetime
from unittest import mock

from twisted.internet.defer import Deferred

from evennia_assistant.asleep import modes, sleeper

from tests.game.npc import NpcTest

HOUR = 3600


class Night:
    """Stands in for `asleep.cycle`: counts its ticks, and ends each when it is told to."""

    def __init__(self):
        self.ticks = 0
        #: What the next ticks do: a Deferred, an error, or a function of the script.
        self.next = []

    def __call__(self, script, character):
        self.ticks += 1
        does = self.next.pop(0) if self.next else None
        if isinstance(does, Exception):
            raise does
        if callable(does) and not isinstance(does, Deferred):
            does = does(script)
        return does if isinstance(does, Deferred) else {"completed": False}


def dreaming(script):
    """A step with which the compacting phase ends."""
    script.db.sleep_phase = "dreaming"


class SleepTest(NpcTest):
    """`self.night` is what runs instead of the steps of a night."""

    def setUp(self):
        super().setUp()
        self.night = Night()
        patch = mock.patch.object(sleeper, "run_cycle", self.night)
        patch.start()
        self.addCleanup(patch.stop)

    @property
    def asleep(self):
        return self.script.db.operating_mode == "sleep"

    def keep_hours(self, start=2, duration=4, **more):
        self.script.db.sleep_schedule = {
            **dict(self.script.db.sleep_schedule or {}),
            "enabled": True,
            "sleep_start_hour": start,
            "sleep_duration_hours": duration,
            "sleep_time_zone": "UTC",
            **more,
        }

    def until(self, hour, minute=0):
        """Let the time pass until a clock in UTC shows an hour, without a tick."""
        now = datetime.fromtimestamp(self.clock.seconds(), UTC)
        wanted = hour * HOUR + minute * 60
        so_far = now.hour * HOUR + now.minute * 60 + now.second
        self.clock.advance((wanted - so_far) % (24 * HOUR))

    def tick(self, seconds=61):
        """One tick of Evennia's, and time for all it starts."""
        assert self.script.at_tick() is None
        self.pump(seconds)

    def sleep(self, depth="light", phase="dreaming"):
        modes.order_sleep(self.script, depth)
        self.script.db.sleep_phase = phase
        self.pump()

    def state(self):
        return modes.sleep_state(self.script)
