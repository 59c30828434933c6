"""`aimemory/reflect`, `/dryrun`, `/diff`, `/undo`: what keepers see of nights, others do not."""

from unittest import mock

from twisted.internet.defer import Deferred

from evennia_assistant.commands.base import AICommand
from evennia_assistant.memory import live_index
from evennia_assistant.testing import replies

from tests.asleep.sleeping import NightTest
from tests.game.commanding import CommandTest


class TestNightCommands(NightTest, CommandTest):
    def setUp(self):
        super().setUp()
        self.model._handler = self.dream
        self.secret = f"#{self.admin.pk}"
        for number in range(24):
            self.write(1, content=f"Anna carried {number} sacks to the quay.")

        def soon(batches):
            done = Deferred()
            self.clock.callLater(0, lambda: done.callback([*batches]))
            return done

        for patch in (
            mock.patch.object(live_index, "coiterate", soon),
            mock.patch.object(AICommand, "page", lambda command, text: command.msg(text)),
        ):
            patch.start()
            self.addCleanup(patch.stop)

    def later(self, line, who=None):
        """What a command says, the lines that come when its work is done among them."""
        at_once = self.type_in(line, who)
        start = len(self.heard_by(who or self.admin))
        for _try in range(1_000):
            self.clock.advance(0.01)
        return "\n".join([at_once, *self.heard_by(who or self.admin)[start:]])

    def test_the_state_of_reflection_is_told_without_words_of_anybody(self):
        assert self.type_in("aimemory/reflect bram") == (
            "What Bram has to think about\n"
            "  importance     144 of 150 since the last reflection, not due yet\n"
            "  entries        24 to begin from\n"
            "  reflections    0 in all, 0 of 3 in the last 24 hours\n"
            "  last           never\n"
            "To have it reflect now: aimemory/reflect bram = now"
        )

    def test_a_keeper_has_it_reflect_at_once(self):
        told = self.later("aimemory/reflect bram = now")
        assert told.startswith(
            "Bram reflects ...\nBram came to 1 insight.\n"
            "  j25: [SYNTHESIS] The quay is a busy place.\n"
            "      rests on j"
        )

    def test_what_could_not_be_done_is_said(self):
        self.model.add(replies.status(500))
        told = self.later("aimemory/reflect bram = now")
        assert "That could not be done: scripted" in told
        self.script.ndb.agent.model = None
        told = self.later("aimemory/reflect bram = now")
        assert told.endswith("Bram concluded nothing: there is no model; the count stays.")

    def test_before_the_first_night_there_is_nothing_to_show_or_take_back(self):
        assert self.type_in("aimemory/diff bram") == "Bram has not slept through a night yet."
        assert self.type_in("aimemory/undo bram") == (
            "There is no night to take back, or it was taken back already."
        )

    def test_the_last_night_is_shown_with_its_cost_and_its_evidence(self):
        self.write(1, importance=9)
        self.sleep()
        told = self.type_in("aimemory/diff bram")
        assert told.startswith("What the last night of Bram changed\nNight 1, ")
        assert "model calls (" in told
        assert "  score_pending_entries: done: scored 24; 2 calls" in told
        assert "    scored j1 6 -> 4: Anna carried 0 sacks to the quay." in told
        assert "    added j26: [SYNTHESIS] The quay is a busy place." in told
        assert "        rests on j" in told
        assert "  extract_conversations: done" in told

    def test_a_confidence_is_shown_to_nobody_who_was_not_told(self):
        for number in range(4):
            self.write(
                1,
                content=f"Char whispered of the ring, {number}.",
                audience=[self.secret],
                importance=9,
            )
        self.sleep()
        told = self.type_in("aimemory/diff bram", self.builder)
        assert "ring" not in told
        assert "confidential; only a keeper of the NPC or an Admin may see more." in told
        assert "ring" in self.type_in("aimemory/diff bram", self.admin)
        assert "Only a keeper of Bram" in self.type_in("aimemory/diff/all bram", self.builder)

    def test_a_night_is_tried_and_nothing_changes(self):
        before = self.memory_state()
        after = self.later("aimemory/dryrun bram")
        assert after.startswith("A copy of Bram goes to sleep ...")
        assert "  extract_conversations ..." in after
        assert "What tonight would change in Bram (nothing has changed)" in after
        assert "scored j1 6 -> 4" in after
        assert "Facts for semantic memory would be made of 24 entries:" in after
        assert self.memory_state() == before

    def test_the_last_night_is_taken_back(self):
        self.write(1, importance=9)
        self.sleep()
        assert self.later("aimemory/undo bram") == (
            "Bram's last night is taken back ...\n"
            "Bram is as it was before its last night, with all that it heard since: "
            "27 journal entries changed back, 25 facts removed."
        )
        assert "It was taken back" in self.type_in("aimemory/diff bram")
        assert "[SYNTHESIS]" not in self.type_in("aimemory/journal/all bram")

    def test_builders_who_keep_nothing_may_look_and_change_nothing(self):
        for line in ("reflect bram = now", "dryrun bram", "undo bram"):
            told = self.type_in(f"aimemory/{line}", self.builder)
            assert (
                "only its keeper (who holds its 'control' lock) or an Admin may change it" in told
            )
        assert self.model.requests == []
        assert "importance     144 of 150" in self.type_in("aimemory/reflect bram", self.builder)

    def test_a_slip_is_told_how_it_is_done(self):
        assert self.type_in("aimemory/reflect bram = never") == (
            "Usage: aimemory/reflect <npc> [= now]"
        )
