"""`aimemory/diary`: its days and what it carries, as far as whoever asks may be told."""

from unittest import mock

from evennia_assistant.commands.base import AICommand
from evennia_assistant.memory.carry_notes import carry_notes_of
from evennia_assistant.mind.diary import bounds_of, day_of

from tests.asleep.sleeping import NightTest
from tests.game.commanding import CommandTest

DAY = 86_400


class TestDiaryCommand(NightTest, CommandTest):
    def setUp(self):
        super().setUp()
        self.script.ndb.agent.model = None
        self.secret = "#99"
        patch = mock.patch.object(AICommand, "page", lambda command, text: command.msg(text))
        patch.start()
        self.addCleanup(patch.stop)

    def two_days(self):
        self.write(1, content="The ferry was late at the quay.")
        self.clock.advance(DAY)
        self.write(1, content="A ship burned in the harbour.")
        self.write(
            1, content="The crown lies in the well.", audience=[self.secret], tags=["whisper"]
        )
        self.sleep()

    def test_days_come_newest_first_and_then_what_is_carried(self):
        self.two_days()
        today = day_of(bounds_of(day_of(self.clock.seconds()))[0])
        before = day_of(bounds_of(today)[0] - 1)
        told = self.type_in("aimemory/diary bram")
        assert told.startswith(f"Diary of Bram: 2 days, newest first.\n{today} j")
        assert (
            "\n  A ship burned in the harbour.\n    anyone may be told; rests on j2\n"
            f"{before} j" in told
        )
        assert "crown" not in told
        assert "Carried into the day, made " in told
        assert "\n  note       A ship burned in the harbour. (anyone may be told)\n" in told
        assert told.endswith("2 more are confidential; add /all to see them (that is logged).")

    def test_a_keeper_may_look_at_all_of_it(self):
        self.two_days()
        told = self.type_in("aimemory/diary/all bram")
        assert "\n  The crown lies in the well.\n" in told
        assert "may be told, in a whisper)" in told

    def test_one_day_may_be_asked_for(self):
        self.two_days()
        day = day_of(self.clock.seconds() - DAY)
        told = self.type_in(f"aimemory/diary bram = {day}")
        assert "The ferry was late at the quay." in told
        assert "ship" not in told and "Carried" not in told

    def test_a_slip_is_told_how_it_is_done(self):
        assert self.type_in("aimemory/diary bram") == (
            "Bram has written no diary yet; it writes in the nights."
        )
        self.two_days()
        told = self.type_in("aimemory/diary bram = yesterday")
        assert told == "A day is written like 2026-01-05."
        told = self.type_in("aimemory/diary bram = 2020-01-05")
        newest = day_of(self.clock.seconds())
        assert told == f"Bram wrote nothing of 2020-01-05; its newest day is {newest}."

    def test_notes_of_long_ago_are_shown_as_such(self):
        self.two_days()
        self.clock.advance(3 * DAY)
        assert "; too old for its prompts:" in self.type_in("aimemory/diary bram")
        carry_notes_of(self.script).data["made_at"] = None
        assert "Carried" not in self.type_in("aimemory/diary bram")
