"""`aimemory/facts` and `/verify`: a reader sees what they may be told, a keeper what went wrong."""

from unittest import mock

from evennia_assistant.asleep import verify
from evennia_assistant.errors import MemoryFault, SemanticMemoryError
from evennia_assistant.memory import semantic
from evennia_assistant.testing import FakeSemanticMemory

from tests.facts import fact
from tests.game.commanding import HOSTILE, CommandTest
from tests.game.sleeping import SleepTest

SECRET = "The gold ring is under the hearth."


class FactsTest(CommandTest, SleepTest):
    """Two entries and their facts: one for all, one told to the Admin in confidence."""

    def setUp(self):
        super().setUp()
        # Pages would be cut.
        self.admin.sessions.count = self.builder.sessions.count = lambda: 0
        self.hear("The ferry leaves at dawn.")
        self.hear(SECRET, manner="whisper", audience=[f"#{self.admin.pk}"])
        self.consolidate()

    def type_in(self, line, who=None, inputs=None):
        """What was said at once, and what was said when it was found out."""
        heard = []
        caller = who or self.admin
        with mock.patch.object(caller, "msg", lambda text=None, **_: heard.append(str(text))):
            said = super().type_in(line, caller, inputs)
            for _ in range(20):
                self.pump(0.1)
        return "\n".join([said, *heard]).strip()


class TestFacts(FactsTest):
    def test_each_reader_sees_the_facts_they_may_be_told(self):
        told = self.type_in("aimemory/facts bram", self.builder)
        assert "ferry leaves at dawn" in told and "hearth" not in told
        assert "1 more is confidential; only a keeper of the NPC or an Admin may see more." in told
        told = self.type_in("aimemory/facts bram", self.admin)
        assert "hearth" in told and "Facts of Bram: 2 facts, newest first." in told
        assert "anyone may be told" in told and "only Char may be told" in told

    def test_words_find_facts_but_no_confidences(self):
        told = self.type_in("aimemory/facts bram = Where is the gold ring?", self.builder)
        assert "hearth" not in told and "confidential" not in told
        assert "1 fact, as near to" in told
        told = self.type_in("aimemory/facts bram = When does the ferry leave?", self.builder)
        assert "dawn" in told

    def test_a_keepers_look_past_the_audiences_is_logged(self):
        self.npc.locks.add(f"control:id({self.builder.pk})")
        with mock.patch("evennia.utils.logger.log_sec") as log_sec:
            assert "hearth" in self.type_in("aimemory/facts/all bram", self.builder)
        assert log_sec.call_count == 1

    def test_what_is_not_taken_is_shown_with_its_reason_and_without_its_words(self):
        self.hear("I sail on Friday.")
        self.facts_kept.fail("add", "raise")
        self.agent.model = None
        with self.assertRaises(SemanticMemoryError):
            self.tick()
        told = self.type_in("aimemory/facts bram", self.builder)
        assert "1 fact on the way after 1 tries: Semantic memory failed in add" in told
        assert "Friday" not in told

    def test_what_cannot_be_asked_is_said_and_not_shown_as_nothing(self):
        self.facts_kept.fail("all", "raise")
        told = self.type_in("aimemory/facts bram")
        assert told.startswith("Semantic memory failed in all") and "0 facts" not in told

    def test_nothing_typed_breaks_it(self):
        for hostile in HOSTILE:
            for line in (
                f"aimemory/facts {hostile}",
                f"aimemory/facts bram = {hostile}",
                f"aimemory/verify bram = {hostile}",
            ):
                told = self.type_in(line)
                assert told and "Traceback" not in told and len(told) < 4000, line[:80]

    def test_what_a_fact_says_is_shown_as_its_very_characters(self):
        self.facts_kept.add("bram", [fact(9, "|rred|n $You() \x1b[2J")])
        told = self.type_in("aimemory/facts bram")
        assert '"|rred|n $You() [2J"' in told and "\x1b" not in told


class TestVerifyCommand(FactsTest):
    def test_it_is_for_keepers(self):
        told = self.type_in("aimemory/verify bram", self.builder)
        assert "only its keeper" in told

    def test_all_is_well(self):
        told = self.type_in("aimemory/verify bram")
        assert told.endswith("Bram has 2 facts, 0 on the way.\nThey are what they should be.")

    def test_it_shows_first_and_mends_when_told_to(self):
        self.facts_kept.rows["bram"].popitem()
        told = self.type_in("aimemory/verify bram")
        assert "   1 known of, and not there\n" in told
        assert "Nothing was changed. To put it right: aimemory/verify bram = heal" in told
        assert len(self.kept()) == 1
        told = self.type_in("aimemory/verify bram = heal")
        assert "   1 known of, and not there: made again from the journal" in told
        assert "1 fact made again; of 0 lost no entry is left." in told
        assert len(self.kept()) == 2
        assert "They are what they should be." in self.type_in("aimemory/verify bram")

    def test_the_words_of_a_doubtful_fact_are_shown_to_those_alone_who_asked_for_all(self):
        self.facts_kept.add("bram", [fact(999, "Put here by hand.")])
        told = self.type_in("aimemory/verify bram")
        assert "resting on nothing that is known" in told and "by hand" not in told
        assert "by hand" in self.type_in("aimemory/verify/all bram")

    def test_long_work_says_how_far_it_is(self):
        with (
            mock.patch.object(verify, "BATCH", 2),
            mock.patch("evennia_assistant.commands.facts.BATCH", 2),
        ):
            self.facts_kept.add("bram", [fact(900 + n) for n in range(5)])
            told = self.type_in("aimemory/verify bram = heal")
        assert "Bram: 2 of 5 rows removed ..." in told and "Bram: 4 of 5 rows removed ..." in told

    def test_a_place_that_cannot_be_read_is_named(self):
        self.facts_kept.troubles["bram"] = SemanticMemoryError("torn", MemoryFault.CORRUPT)
        self.facts_kept.fail("inspect", "raise")
        told = self.type_in("aimemory/verify bram")
        assert "Semantic memory failed in inspect" in told and "torn" in told


class TestTellingKeepers(CommandTest):
    def test_they_are_told_which_npc_goes_on_without_its_facts_and_when_it_has_them_again(self):
        error = SemanticMemoryError("Its folder was removed.", MemoryFault.UNAVAILABLE)
        with mock.patch("evennia_assistant.awake.memory_trouble.tell_keepers") as tell:
            semantic._pass_on("bram", error)
            semantic._pass_on("bram", None)
            semantic._pass_on("", error)
        told = [call.args[0] for call in tell.call_args_list]
        assert told == [
            "Assistant bram goes on without its lasting facts; new ones wait in the outbox "
            "(unavailable). Its folder was removed.",
            "Assistant bram can use its lasting facts again.",
            "Every assistant goes on without its lasting facts; new ones wait in the outbox "
            "(unavailable). Its folder was removed.",
        ]

    def test_a_reload_lets_go_of_semantic_memory(self):
        with mock.patch.object(semantic, "shutdown") as shutdown:
            self.script.at_server_reload()
            self.script.at_server_start()
            self.script.at_server_shutdown()
            self.script.at_server_start()
        assert shutdown.call_count == 2

    def test_an_npc_whose_facts_cannot_be_asked_still_answers(self):
        memory = FakeSemanticMemory()
        for method in ("all", "search", "find_by_keys", "get", "inspect"):
            memory.fail(method, "raise", times=50)
        with semantic.stand_in(memory):
            self.restart()
            self.model.add("At dawn.")
            self.say("Bram, when does the ferry leave?", self.builder)
            self.pump(2)
            assert any("At dawn." in line for line in self.heard_by(self.builder))
