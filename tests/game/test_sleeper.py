"""A sleeping NPC hears what is for it and nothing else, and its night never holds anybody up."""

from unittest import mock

from evennia.commands.default.general import CmdPose, CmdWhisper
from evennia.utils import logger
from twisted.internet.defer import Deferred

from evennia_assistant.asleep import modes, sleeper
from evennia_assistant.conf import setting

from tests.game.bedtime import HOUR, SleepTest, dreaming


class TestHearing(SleepTest):
    def lines(self, name="ASSISTANT_ASLEEP_LINES"):
        return [line.replace("{name}", "Bram") for line in setting(name)]

    def shown(self, character, name="ASSISTANT_ASLEEP_LINES"):
        """How often a character saw a line that says the NPC sleeps."""
        return sum(line in self.lines(name) for line in self.heard_by(character))

    def speak(self, words, who=None):
        self.say(words, who)
        self.pump()

    def whisper(self, who):
        self.call(CmdWhisper(), "Bram = Psst.", caller=who)
        self.pump()

    def remembered(self):
        return str(self.npc.memory.journal.entries)

    def test_a_light_sleeper_wakes_for_its_name_and_answers(self):
        self.sleep("light")
        self.model.add("Huh? An ale, aye.")
        self.say("Bram, an ale!")
        self.pump(1)
        assert not self.asleep
        assert "an ale, aye" in self.heard_by(self.char1)[-1].lower()
        assert self.shown(self.char1) == 0
        _percept, decision = self.agent.decisions[-1]
        assert decision.kind == "TRIGGER" and decision.reason.endswith(", which woke it")

    def test_a_light_sleeper_wakes_for_a_whisper(self):
        self.sleep("light")
        self.model.add("Who is there?")
        self.call(CmdWhisper(), "Bram = The house burns.", caller=self.char1)
        self.pump(1)
        assert not self.asleep and len(self.model.requests) == 1

    def test_a_deep_sleeper_sleeps_on_and_says_so_once_to_each(self):
        self.sleep("deep")
        for _ in range(3):
            self.speak("Bram, wake up!")
        assert self.asleep and self.shown(self.char1) == 1
        self.speak("Bram?", self.char2)
        assert self.shown(self.char1) == 2
        self.whisper(self.char2)
        assert self.shown(self.char1) == 2
        assert not self.model.requests
        assert len(self.agent.runner.events.data) == 5

    def test_who_was_told_is_remembered_through_a_restart_and_not_into_the_next_sleep(self):
        self.sleep("deep")
        self.speak("Bram, wake up!")
        self.forget_caches()
        self.speak("Bram, wake up!")
        assert self.shown(self.char1) == 1
        modes.order_wake(self.script)
        self.sleep("deep")
        self.speak("Bram, wake up!")
        assert self.shown(self.char1) == 2

    def test_a_whisperer_alone_sees_that_it_sleeps(self):
        self.sleep("deep")
        self.whisper(self.char1)
        assert self.shown(self.char1) == 1 and self.shown(self.char2) == 0

    def test_nobody_is_told_when_the_operator_wants_no_lines(self):
        self.sleep("deep")
        with self.settings(ASSISTANT_ASLEEP_LINES=()):
            self.speak("Bram, wake up!")
        assert self.state()["told"] == []

    def test_what_is_said_around_it_is_not_remembered(self):
        for depth in ("light", "deep"):
            self.sleep(depth)
            self.say("Anna buried the silver spoons under the old oak.")
            self.call(CmdPose(), "hides a golden key in the well.", caller=self.char2)
            self.say("Good evening, everyone, the toll is nine crowns now!")
            self.tick()
            modes.order_wake(self.script)
            self.pump(1)
            self.agent.save()
            for words in ("silver spoons", "golden key", "nine crowns"):
                assert words not in self.remembered(), (depth, words)
                assert words not in str(self.npc.db.context_buffer)
        assert self.agent.decisions[-1][1].rule == "asleep"

    def test_a_line_said_shortly_before_it_wakes_is_answered(self):
        self.sleep("deep")
        self.say("Bram, what does the room cost?")
        self.clock.advance(10 * 60)
        self.model.add("Two crowns.")
        modes.order_wake(self.script)
        self.pump(1)
        assert "Two crowns." in self.heard_by(self.char1)[-1]

    def test_a_line_of_hours_ago_is_remembered_and_not_answered(self):
        self.sleep("deep")
        self.say("Bram, the bridge at Overford has fallen into the river.")
        self.clock.advance(3 * HOUR)
        modes.order_wake(self.script)
        self.pump(1)
        assert not self.model.requests and "bridge at Overford" in self.remembered()

    def test_a_line_of_somebody_who_left_is_remembered_and_not_answered(self):
        self.sleep("deep")
        self.say("Bram, the bridge at Overford has fallen into the river.", self.char2)
        self.char2.move_to(self.room2, quiet=True)
        modes.order_wake(self.script)
        self.pump(1)
        assert not self.model.requests and "bridge at Overford" in self.remembered()

    def test_the_game_wakes_a_light_sleeper_with_what_is_urgent(self):
        for urgency, wakes in (
            ({"urgent": True}, True),
            ({"priority": 8}, True),
            ({"priority": 7}, False),
            ({}, False),
        ):
            self.sleep("light")
            self.model.add("Fire? Fire!")
            self.npc.location.msg_contents(
                ("Char2 rings the fire bell.", {"type": "pose", **urgency}), from_obj=self.char2
            )
            self.pump(1)
            assert self.asleep is not wakes, urgency

    def test_the_game_does_not_wake_a_deep_one(self):
        self.sleep("deep")
        self.npc.location.msg_contents(
            ("Char2 rings the fire bell.", {"type": "pose", "urgent": True}), from_obj=self.char2
        )
        self.tick()
        assert self.asleep

    def test_an_urgent_event_the_game_queued_itself_wakes_it(self):
        self.sleep("light")
        percept = {
            "manner": "say",
            "speaker": f"#{self.char1.pk}",
            "speaker_name": "Char",
            "words": "Fire!",
            "line": 'Char says, "Fire!"',
            "when": self.clock.seconds(),
        }
        self.script.db.pending_events = [{"percept": percept, "metadata": {"urgent": True}}]
        self.model.add("Where?")
        self.tick()
        assert not self.asleep

    def test_whoever_calls_while_it_compacts_waits_and_is_answered(self):
        self.sleep("light", phase="compacting")
        self.night.next = [None, dreaming]
        self.model.add("I am up.")
        self.speak("Bram, wake up!")
        assert self.asleep and self.shown(self.char1) == 1
        self.pump(1)
        self.pump(1)
        self.pump(1)
        assert not self.asleep and self.night.ticks == 2
        assert "I am up." in self.heard_by(self.char1)[-1]

    def test_it_does_not_follow_in_its_sleep(self):
        self.npc.db.following = f"#{self.char2.pk}"
        self.sleep("deep")
        self.char2.move_to(self.room2)
        self.pump(5)
        assert self.npc.location == self.room1

    def test_a_flood_at_a_sleeper_is_bounded(self):
        self.sleep("deep")
        for number in range(200):
            self.speak(f"Bram, wake up for the {number}th time!")
        assert len(self.agent.runner.events.data) == 5 and self.shown(self.char1) == 1


class TestNight(SleepTest):
    def test_a_tick_gives_evennia_nothing_to_wait_for(self):
        assert self.script.at_tick() is None
        self.sleep()
        self.night.next = [Deferred()]
        assert self.script.at_tick() is None
        self.pump(61)
        assert self.agent.sleeper.running is not None
        assert self.script.at_tick() is None

    def test_one_step_runs_at_a_time(self):
        self.sleep()
        slow = Deferred()
        self.night.next = [slow]
        for _ in range(5):
            self.tick()
        assert self.night.ticks == 1
        slow.callback({"completed": True})
        self.tick()
        assert self.night.ticks == 2

    def test_somebody_to_wake_for_waits_for_the_step_that_runs(self):
        self.sleep("light")
        slow = Deferred()
        self.night.next = [slow]
        self.tick()
        self.say("Bram, wake up!")
        self.pump(5)
        assert self.asleep
        assert modes.check_wake_conditions(self.script)[2]
        self.model.add("Huh?")
        slow.callback({"completed": False})
        self.pump(1)
        assert not self.asleep

    def test_an_error_is_logged_and_the_night_goes_on(self):
        self.sleep()
        self.night.next = [RuntimeError("the roof leaks")]
        with mock.patch.object(logger, "log_err") as log:
            self.tick()
        assert "a step of its night failed" in log.call_args_list[0].args[0]
        assert "the roof leaks" in log.call_args_list[0].args[0]
        assert self.agent.sleeper.failures == 1
        self.tick()
        assert self.agent.sleeper.failures == 0 and self.night.ticks == 2
        assert not self.script.db.emergency_stop

    def test_a_night_that_only_fails_is_left_and_its_keepers_told_once(self):
        self.sleep(phase="compacting")
        self.night.next = [RuntimeError("no store")] * 20
        with mock.patch.object(logger, "log_err") as log:
            for _ in range(8):
                self.tick()
        assert self.night.ticks == 5
        told = [call.args[0] for call in log.call_args_list if "leaves the rest" in call.args[0]]
        assert len(told) == 1 and "bram" in told[0] and "RuntimeError" in told[0]

    def test_nobody_sleeps_for_ever_because_a_night_fails(self):
        self.keep_hours()
        self.until(3)
        self.tick()
        self.night.next = [RuntimeError("no store")] * 20
        for _ in range(6):
            self.tick()
        assert self.asleep and self.script.db.sleep_phase == "compacting"
        self.until(6)
        self.tick()
        assert not self.asleep

    def test_the_next_night_is_tried_again(self):
        self.sleep()
        self.night.next = [RuntimeError("no store")] * 5
        for _ in range(6):
            self.tick()
        modes.order_wake(self.script)
        self.sleep()
        self.tick()
        assert self.night.ticks == 6

    def test_a_step_that_hangs_is_given_up(self):
        self.sleep()
        self.night.next = [Deferred()]
        self.tick()
        self.pump(sleeper.STEP_TIMEOUT)
        assert self.agent.sleeper.running is None and self.agent.sleeper.failures == 1

    def test_a_reload_breaks_the_step_off_and_leaves_nothing_running(self):
        self.sleep()
        cancelled = []
        self.night.next = [Deferred(cancelled.append)]
        self.tick()
        with mock.patch.object(logger, "log_err") as log:
            self.script.at_server_reload()
        assert len(cancelled) == 1 and not log.called
        self.adopt()
        self.tick()
        assert self.night.ticks == 2

    def test_an_emergency_stop_stops_the_night_too(self):
        self.sleep()
        self.script.db.emergency_stop = True
        self.tick()
        assert self.night.ticks == 0

    def test_a_steps_end_after_a_restart_touches_nothing(self):
        self.sleep()
        late = Deferred(lambda _deferred: None)
        late.addErrback(lambda _failure: None)
        self.night.next = [late]
        self.tick()
        old = self.agent
        self.forget_caches()
        assert old.sleeper.running is None or self.agent is not old
        modes.order_wake(self.script)
        assert not self.asleep
