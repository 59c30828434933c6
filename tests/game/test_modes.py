"""An NPC falls asleep and wakes when it should, and nothing keeps it in one mode for ever."""

from unittest import mock

import pytest
from evennia.commands.default.general import CmdLook
from evennia.scripts.tickerhandler import TICKER_HANDLER
from evennia.utils import gametime

from evennia_assistant.asleep import modes
from evennia_assistant.awake import by_hand
from evennia_assistant.conf import setting
from evennia_assistant.errors import ToolRefused
from evennia_assistant.mind.contexts import SLEEP_MODE_TOOLS
from evennia_assistant.tools import all_tools, get_tool_schemas, offered_to

from tests.game.bedtime import HOUR, SleepTest, dreaming


class TestTransition(SleepTest):
    def test_the_ticker_the_state_and_the_room_change_together(self):
        assert modes.transition_mode(self.script, "sleep", "it is late", depth="deep")
        assert self.script.db.operating_mode == "sleep"
        assert self.script.db.sleep_phase == "compacting"
        assert self.state()["by"] == "order" and self.state()["depth"] == "deep"
        assert self.script._tickers() == [60]
        shown = [line.replace("{name}", "Bram") for line in setting("ASSISTANT_SLEEP_LINES")]
        assert self.heard_by(self.char1)[-1] in shown
        assert modes.perform_wake_transition(self.script, "it is day")
        assert self.script.db.operating_mode == "awake"
        assert self.script.db.sleep_phase is None and self.script.db.sleep_state is None
        assert self.script._tickers() == [5]
        shown = [line.replace("{name}", "Bram") for line in setting("ASSISTANT_WAKE_LINES")]
        assert self.heard_by(self.char1)[-1] in shown

    def test_no_other_npc_loses_its_ticker(self):
        _other, script = self.make_npc("Mira", "tailor")
        modes.transition_mode(self.script, "sleep", "it is late")
        assert script._tickers() == [5] and self.script._tickers() == [60]

    def test_one_that_was_switched_off_in_the_middle_of_its_work_can_be_woken(self):
        self.sleep(phase="compacting")
        self.script.disable()
        assert modes.order_wake(self.script) == (True, False)
        assert not self.asleep and self.script._tickers() == []

    def test_the_mode_it_is_in_is_no_change(self):
        assert not modes.transition_mode(self.script, "awake", "again")
        assert not modes.perform_wake_transition(self.script, "again")
        self.sleep()
        lines = len(self.heard_by(self.char1))
        assert not modes.transition_mode(self.script, "sleep", "again")
        assert len(self.heard_by(self.char1)) == lines

    def test_a_mode_or_depth_there_is_not_is_refused(self):
        for mode, depth in (("coma", None), ("sleep", "dead")):
            with pytest.raises(ValueError, match="There is no mode"):
                modes.transition_mode(self.script, mode, "x", depth=depth)
        assert not self.asleep

    def test_the_game_may_do_something_of_its_own_with_it(self):
        told = []
        self.npc.at_mode_change = lambda mode, reason: told.append((mode, reason))
        modes.transition_mode(self.script, "sleep", "it is late")
        modes.perform_wake_transition(self.script, "it is day")
        assert told == [("sleep", "it is late"), ("awake", "it is day")]

    def test_what_it_overheard_before_is_remembered(self):
        self.npc.location.msg_contents(
            ("Char2 hides a silver key in the well.", {"type": "pose"}), from_obj=self.char2
        )
        self.sleep()
        assert "silver key" in str(self.npc.memory.journal.entries)

    def test_nobody_sees_it_when_the_operator_wants_no_lines(self):
        lines = len(self.heard_by(self.char1))
        with self.settings(ASSISTANT_SLEEP_LINES=(), ASSISTANT_WAKE_LINES=()):
            self.sleep()
            modes.perform_wake_transition(self.script, "x")
        assert self.asleep is False and len(self.heard_by(self.char1)) == lines


class TestSchedule(SleepTest):
    def test_it_sleeps_at_its_hours_and_wakes_after_them(self):
        self.keep_hours()
        self.until(1, 59)
        self.tick(0)
        assert not self.asleep
        self.until(2)
        self.tick()
        assert self.asleep and self.state()["by"] == "schedule"
        self.until(5, 50)
        self.script.db.sleep_phase = "dreaming"
        self.tick()
        assert self.asleep
        self.until(6)
        self.tick()
        assert not self.asleep
        self.until(2)
        self.tick()
        assert self.asleep

    def test_without_hours_it_stays_up(self):
        self.until(3)
        assert modes.check_sleep_schedule(self.script) == (
            False,
            "awake",
            "it keeps no hours of sleep",
        )
        self.tick()
        assert not self.asleep

    def test_it_stays_up_for_whoever_talks_with_it(self):
        self.keep_hours()
        self.until(1, 59)
        self.model.add("Aye.")
        self.say("Bram, an ale!")
        self.pump(1)
        self.until(2)
        self.say("Bram, and bread?")
        self.tick(0)
        assert modes.check_sleep_schedule(self.script)[2] == "it is in conversation"
        assert not self.asleep
        self.model.add("Here.")
        self.pump(120)
        self.tick()
        assert self.asleep

    def test_it_must_have_been_awake_for_so_many_ticks(self):
        self.keep_hours(wake_cooldown_minutes=0, min_awake_ticks=10)
        self.until(3)
        self.sleep()
        modes.perform_wake_transition(self.script, "noise")
        self.tick(0)
        assert modes.check_sleep_schedule(self.script)[2] == "it has not been awake for long enough"
        assert modes.awake_ticks(self.script) == 0
        self.clock.advance(49)
        assert not modes.check_sleep_schedule(self.script)[0]
        self.clock.advance(1)
        assert modes.awake_ticks(self.script) == 10
        assert modes.check_sleep_schedule(self.script)[:2] == (True, "sleep")

    def test_woken_at_night_it_stays_up_for_an_hour(self):
        self.keep_hours()
        self.until(3)
        self.tick()
        self.script.db.sleep_phase = "dreaming"
        modes.order_wake(self.script)
        assert not self.asleep
        self.clock.advance(59 * 60)
        should, _mode, reason = modes.check_sleep_schedule(self.script)
        assert not should and reason.startswith("it woke too short a time ago; in a minute it may")
        self.clock.advance(61)
        self.tick()
        assert self.asleep

    def test_hours_taken_away_wake_whoever_slept_by_them(self):
        for change in ({"enabled": False}, {"sleep_start_hour": "x"}, {"sleep_start_hour": 12}):
            self.keep_hours(wake_cooldown_minutes=0)
            self.until(3)
            self.tick()
            assert self.asleep, change
            self.script.db.sleep_phase = "dreaming"
            self.script.db.sleep_schedule = {**dict(self.script.db.sleep_schedule), **change}
            self.tick()
            assert not self.asleep, change
            self.clock.advance(HOUR)

    def test_hours_that_cannot_be_read_never_break_a_tick(self):
        self.keep_hours(start="two")
        self.tick()
        assert not self.asleep
        assert modes.check_sleep_schedule(self.script)[2] == (
            "sleep_schedule: sleep_start_hour must be an hour from 0 to 23; 'two' is not."
        )

    def test_hours_of_game_time_are_counted_by_the_games_clock(self):
        self.keep_hours(sleep_clock="game")
        for shown, asleep in ((1, False), (3, True), (5, True), (6, False)):
            with mock.patch.object(gametime, "gametime", return_value=10 * 86_400.0 + shown * HOUR):
                self.tick()
                assert self.asleep is asleep, shown
            if asleep:
                self.script.db.sleep_phase = "dreaming"

    def test_hours_of_another_zone_are_counted_there(self):
        self.keep_hours(sleep_time_zone="Asia/Tokyo")
        self.until(17)
        self.tick()
        assert self.asleep

    def test_an_npc_with_hours_and_nothing_to_do_writes_nothing(self):
        self.keep_hours()
        self.until(12)
        self.tick()
        with self.assertNumQueries(0):
            for _ in range(20):
                self.script.at_tick()
                self.pump(5)


class TestOrders(SleepTest):
    def test_an_order_goes_before_everything_that_keeps_it_up(self):
        self.keep_hours()
        self.until(12)
        modes.perform_wake_transition(self.script, "x")
        self.say("Bram, an ale!")
        assert modes.order_sleep(self.script, "deep")
        assert self.asleep

    def test_ordered_at_noon_it_sleeps_until_its_next_night_is_over(self):
        self.keep_hours()
        self.until(12)
        self.sleep()
        for hour in (18, 1, 3, 5):
            self.until(hour)
            self.tick()
            assert self.asleep, hour
        self.until(6)
        self.tick()
        assert not self.asleep

    def test_without_hours_it_sleeps_until_it_is_woken(self):
        self.sleep()
        self.clock.advance(40 * 24 * HOUR)
        self.tick()
        assert self.asleep
        assert modes.order_wake(self.script) == (True, False)
        assert modes.order_wake(self.script) == (True, False)

    def test_an_order_to_one_that_sleeps_by_its_hours_outlasts_them(self):
        self.keep_hours()
        self.until(5)
        self.tick()
        assert not modes.order_sleep(self.script, "deep")
        assert self.state()["by"] == "order" and self.state()["depth"] == "deep"

    def test_a_line_that_waited_when_it_was_sent_to_bed_does_not_wake_it(self):
        self.script.set_option("cooldown", "30")
        self.restart()
        self.model.add("One.", "Two.")
        self.say("Bram, one?")
        self.pump()
        self.say("Bram, two?")
        self.pump(1)
        self.sleep()
        self.tick()
        assert self.asleep and len(self.model.requests) == 1
        modes.order_wake(self.script)
        self.pump(60)
        assert len(self.model.requests) == 2


class TestWaking(SleepTest):
    def test_compacting_defers_it_and_the_end_of_the_phase_wakes_it(self):
        self.sleep(phase="compacting")
        assert modes.order_wake(self.script) == (False, True)
        assert modes.check_wake_conditions(self.script) == (False, "its keeper wakes it", True)
        self.night.next = [None, None, dreaming]
        self.pump(1)
        self.pump(1)
        assert self.asleep and self.night.ticks == 2
        self.pump(1)
        assert self.night.ticks == 3 and not self.asleep

    def test_nothing_to_wake_for_is_no_reason(self):
        self.sleep()
        assert modes.check_wake_conditions(self.script) == (False, "", False)
        modes.perform_wake_transition(self.script, "x")
        assert modes.check_wake_conditions(self.script) == (False, "", False)

    def test_its_hours_end_while_it_compacts_and_it_wakes_when_that_is_done(self):
        self.keep_hours()
        self.until(3)
        self.tick()
        self.until(6)
        self.tick(0)
        assert modes.check_wake_conditions(self.script) == (
            False,
            "its hours of sleep, 02:00 to 06:00, are over",
            True,
        )
        self.script.db.sleep_phase = "dreaming"
        self.tick()
        assert not self.asleep

    def test_it_forgets_the_sleep_and_may_not_lie_down_for_an_hour(self):
        self.sleep()
        modes.perform_wake_transition(self.script, "x")
        assert self.script.db.wake_cooldown_until == self.clock.seconds() + HOUR
        assert modes.sleep_state(self.script) == {}
        assert modes.why_not_of_itself(self.script) == (
            "Not now: it woke too short a time ago; in 60 minutes it may sleep again."
        )


class TestLyingDown(SleepTest):
    def lie_down(self):
        """Run the tool as the NPC in a turn of its own."""
        self.npc.db.persona = {"description": "x"}
        outcome = []
        running = by_hand.run_by_hand(self.agent, all_tools()["go_to_sleep"], {}, self.char1)
        running.addBoth(outcome.append)
        self.pump(1)
        if not isinstance(outcome[0], dict):
            outcome[0].raiseException()
        return outcome[0]

    def setUp(self):
        super().setUp()
        self.clock.advance(HOUR)

    def test_it_sleeps_once_its_turn_is_over(self):
        assert self.lie_down() == {"falls_asleep": "when this turn is over"}
        assert self.asleep and self.state()["by"] == "self"

    def test_it_does_not_twice(self):
        self.sleep()
        with pytest.raises(ToolRefused, match=r"\AAlready in sleep mode\Z"):
            self.lie_down()

    def test_it_does_not_right_after_waking(self):
        self.sleep()
        modes.perform_wake_transition(self.script, "x")
        with pytest.raises(ToolRefused, match="it woke too short a time ago"):
            self.lie_down()

    def test_it_does_not_before_it_was_awake_for_long(self):
        self.script.db.awake_since = self.clock.seconds()
        with pytest.raises(ToolRefused, match="it has not been awake for long enough"):
            self.lie_down()

    def test_it_does_not_while_somebody_talks_with_it(self):
        self.model.add("Aye.")
        self.say("Bram, an ale!")
        self.pump(1)
        with pytest.raises(ToolRefused, match="it is in conversation"):
            self.lie_down()

    def test_somebody_who_turns_to_it_meanwhile_keeps_it_up(self):
        assert self.agent.go_to_bed() is None
        self.model.add("Aye.")
        self.say("Bram, an ale!")
        self.pump(2)
        assert not self.asleep

    def test_outside_its_hours_it_sleeps_as_long_as_a_night(self):
        self.keep_hours()
        self.until(12)
        self.lie_down()
        assert self.script.db.schedule_disabled_by == "go_to_sleep"
        self.script.db.sleep_phase = "dreaming"
        self.clock.advance(3.9 * HOUR)
        self.tick()
        assert self.asleep
        self.clock.advance(0.2 * HOUR)
        self.tick()
        assert not self.asleep and self.script.db.schedule_disabled_by is None
        self.until(3)
        self.tick()
        assert self.asleep and self.state()["by"] == "schedule"

    def test_in_its_hours_it_wakes_with_them(self):
        self.keep_hours()
        self.until(5)
        self.lie_down()
        assert self.state()["by"] == "schedule"


class TestTools(SleepTest):
    def test_asleep_a_model_is_offered_the_tools_of_sleep_only(self):
        awake = [schema["function"]["name"] for schema in get_tool_schemas(self.script)]
        assert awake == [tool.name for tool in offered_to(self.npc)] and "say" in awake
        self.sleep()
        asleep = [schema["function"]["name"] for schema in get_tool_schemas(self.script)]
        assert asleep == list(SLEEP_MODE_TOOLS)
        assert asleep == [tool.name for tool in offered_to(self.npc)]


class TestLooks(SleepTest):
    def looked(self, at=""):
        return self.call(CmdLook(), at, caller=self.char1)

    def test_players_see_that_it_sleeps(self):
        self.npc.db.desc = "A gruff old sailor."
        assert "asleep" not in self.looked() + self.looked("Bram")
        self.sleep()
        assert "Bram (asleep)" in self.looked()
        assert "A gruff old sailor.\nBram is asleep." in self.looked("Bram")
        modes.perform_wake_transition(self.script, "x")
        assert "asleep" not in self.looked() + self.looked("Bram")

    def test_the_operator_words_it_or_leaves_it(self):
        self.sleep()
        with self.settings(ASSISTANT_ASLEEP_NAME="{name}", ASSISTANT_ASLEEP_DESCRIPTION=""):
            assert "asleep" not in self.looked() + self.looked("Bram")
        with self.settings(ASSISTANT_ASLEEP_NAME="snoring {name}"):
            assert "snoring Bram" in self.looked()

    def test_it_falls_asleep_and_wakes_under_its_plain_name(self):
        self.sleep()
        modes.perform_wake_transition(self.script, "x")
        assert not any("(asleep)" in line for line in self.heard_by(self.char1))

    def test_one_that_is_switched_off_looks_as_ever(self):
        self.sleep()
        self.script.disable()
        assert "asleep" not in self.looked()


class TestRestart(SleepTest):
    def test_asleep_it_sleeps_on_after_a_restart_and_keeps_why(self):
        self.keep_hours()
        self.until(3)
        self.tick()
        before = self.state()
        self.forget_caches()
        assert self.asleep and self.state() == before and self.script._tickers() == [60]
        self.script.db.sleep_phase = "dreaming"
        ticks = self.night.ticks
        self.tick()
        assert self.night.ticks == ticks + 1
        self.until(6)
        self.tick()
        assert not self.asleep

    def test_a_server_that_was_down_at_the_hour_wakes_it_with_its_first_tick(self):
        self.keep_hours()
        self.until(3)
        self.tick()
        self.script.db.sleep_phase = "dreaming"
        self.clock.advance(30 * HOUR)
        self.until(12)
        self.forget_caches()
        self.tick()
        assert not self.asleep

    def test_awake_it_is_awake_and_its_cooldown_goes_on(self):
        self.keep_hours()
        self.until(3)
        self.sleep()
        modes.perform_wake_transition(self.script, "x")
        self.forget_caches()
        assert not self.asleep and self.script._tickers() == [5]
        self.tick()
        assert not self.asleep

    def test_an_order_to_wake_outlives_a_restart_while_it_compacts(self):
        self.sleep(phase="compacting")
        modes.order_wake(self.script)
        self.forget_caches()
        self.night.next = [dreaming]
        self.tick(65)
        assert not self.asleep

    def test_an_npc_stopped_asleep_and_started_again_sleeps_on(self):
        self.sleep()
        self.script.disable()
        assert self.script._tickers() == []
        self.script.enable()
        assert self.asleep and self.script._tickers() == [60]

    def test_a_new_npc_has_the_documented_schedule(self):
        schedule = dict(self.script.db.sleep_schedule)
        assert {key: schedule[key] for key in ("enabled", "min_awake_ticks")} == {
            "enabled": False,
            "min_awake_ticks": 10,
        }
        assert len(TICKER_HANDLER.all(5)) >= 1
