"""`aisetup/sleep`, `/wake` and `/schedule`: what a keeper types and is told."""

from datetime import UTC, datetime

from evennia_assistant.asleep import modes

from tests.game.commanding import HOSTILE, CommandTest

NO_KEEPER = (
    "You may look at bram, but only its keeper (who holds its 'control' lock) or an Admin may "
    "change it."
)


class TestSleepAndWake(CommandTest):
    def test_light_sleep(self):
        assert self.type_in("aisetup/sleep bram").splitlines()[-1] == (
            "Bram falls asleep, lightly: whoever speaks to it wakes it, and so does 'aisetup/wake "
            "bram'."
        )
        assert modes.mode_of(self.script) == "sleep"
        assert "| asleep " in self.type_in("aisetup bram")
        assert "Bram sleeps: aisetup/wake bram" in self.type_in("aiinteract/state bram")

    def test_deep_sleep(self):
        assert self.type_in("aisetup/sleep bram deep").splitlines()[-1] == (
            "Bram falls asleep, deeply: only 'aisetup/wake bram' wakes it."
        )
        assert self.type_in("aisetup/sleep bram = light") == (
            "Bram sleeps already, lightly: whoever speaks to it wakes it, and so does "
            "'aisetup/wake bram'."
        )

    def test_the_end_of_its_hours_is_named(self):
        self.type_in("aisetup/schedule bram 2-6")
        assert self.type_in("aisetup/sleep bram deep").splitlines()[-1] == (
            "Bram falls asleep, deeply: only 'aisetup/wake bram', or the end of its hours (02:00 "
            "to 06:00) wakes it."
        )

    def test_wake(self):
        assert self.type_in("aisetup/wake bram") == "Bram is awake already."
        self.type_in("aisetup/sleep bram")
        assert self.type_in("aisetup/wake bram") == (
            "Bram puts its day in order first, and wakes as soon as that is done."
        )
        self.script.db.sleep_phase = "dreaming"
        assert self.type_in("aisetup/wake bram").splitlines()[-1] == "Bram is awake."

    def test_one_that_is_off_is_switched_on_first(self):
        self.script.disable()
        for line in ("aisetup/sleep bram", "aisetup/wake bram"):
            assert self.type_in(line) == (
                "Bram is not running; 'aisetup/start bram' switches it on."
            )

    def test_usage_and_a_depth_there_is_not(self):
        assert self.type_in("aisetup/sleep") == "Usage: aisetup/sleep <key> [light or deep]"
        assert self.type_in("aisetup/wake") == "Usage: aisetup/wake <key>"
        assert self.type_in("aisetup/sleep bram soundly") == (
            "Sleep is light or deep, not soundly."
        )
        assert modes.mode_of(self.script) == "awake"

    def test_a_name_of_several_words(self):
        self.npc.key = "Old Tom"
        assert self.type_in("aisetup/sleep old tom deep").splitlines()[-1].startswith("Old Tom f")

    def test_only_its_keeper(self):
        for line in (
            "aisetup/sleep bram",
            "aisetup/wake bram",
            "aisetup/schedule bram 2-6",
            "aisetup/schedule bram off",
        ):
            assert self.type_in(line, self.builder) == NO_KEEPER, line
        assert modes.mode_of(self.script) == "awake"
        assert self.type_in("aisetup/schedule bram", self.builder).startswith("Bram keeps no hours")


class TestSchedule(CommandTest):
    def clock_shows(self):
        return datetime.fromtimestamp(self.clock.seconds(), UTC).strftime("%H:%M")

    def test_none_is_kept_at_first(self):
        assert self.type_in("aisetup/schedule bram") == (
            "Bram keeps no hours of sleep. 'aisetup/schedule bram 22-06' sets some; "
            "'aisetup/schedule bram on' has it sleep 02:00 to 06:00."
        )

    def test_hours_are_set_and_shown(self):
        with self.settings(TIME_ZONE="UTC"):
            assert self.type_in("aisetup/schedule bram 22-06") == (
                f"Bram sleeps from 22:00 to 06:00 UTC, lightly. It is {self.clock_shows()} there, "
                "and Bram is awake."
            )
        assert modes.schedule_of(self.script).enabled
        assert self.type_in("aisetup/schedule bram off").startswith("Bram keeps no hours of sleep.")
        assert "22:00 to 06:00" in self.type_in("aisetup/schedule bram on")

    def test_several_words_at_once(self):
        told = self.type_in("aisetup/schedule bram 23-7 Asia/Tokyo deep")
        assert told.startswith("Bram sleeps from 23:00 to 07:00 Asia/Tokyo, deeply.")
        assert self.script.option("sleep_time_zone") == "Asia/Tokyo"
        assert self.script.option("sleep_depth") == "deep"
        told = self.type_in("aisetup/schedule bram game")
        assert told.startswith("Bram sleeps from 23:00 to 07:00 in game time, deeply.")

    def test_what_says_nothing_is_refused_and_changes_nothing(self):
        before = dict(self.script.db.sleep_schedule)
        for words, told in (
            ("25-3", "'25-3': an hour is a number from 0 to 23."),
            ("5-5", "'5-5': it must be awake for an hour of the day at least."),
            ("22", "'22' is no span of hours; write for instance 22-06."),
            ("22-6 nonsense", "There is no time zone 'nonsense'; name one such as Europe/Paris"),
        ):
            assert self.type_in(f"aisetup/schedule bram {words}").startswith(told), words
        assert dict(self.script.db.sleep_schedule) == before

    def test_hours_that_became_unreadable_are_named_and_mended(self):
        self.script.db.sleep_schedule = {"enabled": True, "sleep_start_hour": "late"}
        assert self.type_in("aisetup/schedule bram") == (
            "sleep_schedule: sleep_start_hour must be an hour from 0 to 23; 'late' is not. "
            "'aisetup/schedule bram 22-06' sets its hours."
        )
        assert self.type_in("aisetup/schedule bram 22-06").startswith("Bram sleeps from 22:00")

    def test_options_are_checked_as_the_command_checks_them(self):
        for line, told in (
            ("sleep_start_hour 24", "sleep_start_hour must be a whole number from 0 to 23"),
            ("sleep_duration_hours 0", "sleep_duration_hours must be a whole number from 1 to 23"),
            ("sleep_time_zone Mars", "sleep_time_zone: There is no time zone 'Mars'"),
            ("sleep_clock sundial", "sleep_clock must be one of real, game"),
            ("sleep_depth dead", "sleep_depth must be one of light, deep"),
        ):
            assert self.type_in(f"aisetup/config bram set {line}").startswith(told), line
        self.type_in("aisetup/config bram set sleep_time_zone Europe/Paris")
        assert modes.schedule_of(self.script).sleep_time_zone == "Europe/Paris"
        self.type_in("aisetup/config bram set sleep_time_zone none")
        assert modes.schedule_of(self.script).sleep_time_zone == ""

    def test_hostile_words_are_answered_in_one_line(self):
        for words in HOSTILE:
            for line in (f"aisetup/schedule bram {words}", f"aisetup/sleep bram {words}"):
                told = self.type_in(line)
                assert told and len(told) < 500 and "\x1b" not in told, line
        assert not modes.schedule_of(self.script).enabled
