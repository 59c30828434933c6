"""`aihistory`, `aiwhy`, `aiinteract`: why an NPC said what it said, or nothing."""

from unittest import mock

from evennia_assistant.errors import ModelTransientError
from evennia_assistant.testing.replies import tool_call

from tests.game.commanding import HOSTILE, CommandTest

SECRET = "The gold ring is under the hearth."


class TestHistory(CommandTest):
    def test_a_turn_is_shown_from_what_was_heard_to_what_was_said(self):
        self.model.add(tool_call("recall_memories", query="ferry"), "At dawn.")
        self.say("Bram, when does the ferry leave?")
        lines = self.type_in("aihistory bram").splitlines()
        tokens = self.agent.turns.last(1)[0]["tokens"]
        assert lines == [
            "The last 1 turn of Bram, newest last:",
            "#1, just now, 0 ms, scripted-model, 2 calls, "
            f"{tokens['prompt']}+{tokens['completion']} tokens",
            '  heard    Char (say): "Bram, when does the ferry leave?"',
            '  tool     recall_memories {"query": "ferry"}',
            '  said     (say) "At dawn."',
        ]

    def test_a_failed_turn_shows_its_cause(self):
        self.model.add(ModelTransientError("The service is busy."))
        self.say("Bram, hello?")
        told = self.type_in("aihistory bram")
        assert "  said     nothing\n  failed   The service is busy." in told

    def test_a_confidential_turn_is_counted_and_not_shown(self):
        self.model.add("Is it?", "I will not tell.")
        self.say("Bram, the ferry leaves at dawn.")
        self.whisper(SECRET, self.admin)
        told = self.type_in("aihistory bram", self.builder)
        assert "ferry" in told and "hearth" not in told and "not tell" not in told
        assert told.endswith(
            "1 more is confidential; only a keeper of the NPC or an Admin may see more."
        )
        assert "hearth" in self.type_in("aihistory bram", self.admin)
        self.model.add("Are you?")
        self.whisper("I am a spy.", self.builder)
        assert "a spy" not in self.type_in("aihistory bram", self.admin)
        with mock.patch("evennia.utils.logger.log_sec") as log_sec:
            assert "a spy" in self.type_in("aihistory/all bram", self.admin)
        assert log_sec.call_count == 1

    def test_how_many(self):
        self.model.add("One.", "Two.", "Three.")
        for number in ("one", "two", "three"):
            self.say(f"Bram, {number}?")
        told = self.type_in("aihistory bram = 2")
        assert "One." not in told and "Two." in told and "Three." in told
        for hostile in ("0", "21", "many", "", "9" * 10_000, "{x}", "²"):
            told = self.type_in(f"aihistory bram = {hostile}")
            assert told.startswith("Ask for 1 to 20 turns, which are all that is kept"), hostile
            assert len(told) < 200

    def test_a_broken_record_is_set_aside_and_the_others_are_shown(self):
        self.model.add("One.", "Two.")
        self.say("Bram, one?")
        self.say("Bram, two?")
        self.script.db.turn_log[0] = {"id": 1, "heard": "nonsense"}
        told = self.type_in("aihistory bram")
        assert "Two." in told and "The last 1 turn of Bram" in told
        assert self.type_in("aiwhy bram = 1").startswith('There is no turn "1" on record')
        assert self.script.db.turn_log_set_aside

    def test_before_the_first_turn(self):
        assert self.type_in("aihistory bram") == (
            "Bram has not taken a turn yet; it takes one when spoken to."
        )


class TestWhy(CommandTest):
    def test_the_chain_leads_down_to_who_said_what_where(self):
        self.model.add("Is it?", "Char2 says that the ferry leaves at dawn.")
        self.say("Bram, the ferry leaves at dawn.", self.builder)
        self.pump(3 * 3600)
        self.say("Bram, when does the ferry leave?")
        told = self.type_in("aiwhy bram")
        lines = told.splitlines()
        assert lines[:5] == [
            "Why Bram said it (turn 2, just now)",
            '  (say) "Char2 says that the ferry leaves at dawn."',
            "Heard",
            '  Char (say): "Bram, when does the ferry leave?", kept as j2',
            "Answered by scripted-model",
        ]
        assert lines[5] == "Drew on"
        assert lines[6].startswith("  j1 (score ")
        assert lines[6].endswith(') "The ferry leaves at dawn."')
        assert lines[7] == (
            "      Char2, 3 hours ago (2026-05-28 20:26 UTC), in Room; told it, trusted 0.90, "
            "importance 7; anyone may be told"
        )
        assert lines[8] == "Of all this, anyone may be told."

    def test_a_taught_fact_is_named_though_every_prompt_holds_it(self):
        self.type_in("aisetup/teach bram = The ferry leaves at dawn.")
        self.type_in("aisetup/teach bram = The well is dry.")
        self.model.add("The ferry leaves at dawn, friend.")
        self.say("Bram, when does the ferry leave?")
        told = self.type_in("aiwhy bram")
        assert '  k0 (always at hand) "The ferry leaves at dawn."\n' in told
        assert "      taught by a keeper; anyone may be told" in told
        assert "The well is dry" not in told

    def test_a_line_from_persona_alone_says_so(self):
        self.model.add("Well met.")
        self.say("Bram, hello.")
        assert "It drew on no memory: it had its persona and the conversation." in self.type_in(
            "aiwhy bram"
        )

    def test_a_confidential_line_is_kept_back_with_the_way_on(self):
        self.model.add("Is it?", "I will not tell.")
        self.say("Bram, the ferry leaves at dawn.")
        self.whisper(SECRET, self.admin)
        assert self.type_in("aiwhy bram", self.builder) == (
            "Turn 2 of Bram is confidential. Only a keeper of the NPC or an Admin may see it. The "
            "newest you may see is 'aiwhy bram = 1'."
        )
        assert "hearth" in self.type_in("aiwhy bram", self.admin)
        self.model.add("Are you?")
        self.whisper("I am a spy.", self.builder)
        assert self.type_in("aiwhy bram", self.admin) == (
            "Turn 3 of Bram is confidential. 'aiwhy/all bram = 3' shows it (that is logged). The "
            "newest you may see is 'aiwhy bram = 2'."
        )
        with mock.patch("evennia.utils.logger.log_sec") as log_sec:
            told = self.type_in("aiwhy/all bram = 3", self.admin)
        assert '"I am a spy."' in told and "Of all this, only Bram, Char2 may be told." in told
        assert log_sec.call_count == 1

    def test_a_memory_of_others_in_an_open_turn_is_kept_back_too(self):
        self.model.add("Is it?")
        self.say("Bram, the ferry leaves at dawn.")
        entry = self.npc.memory.write(SECRET, when=1.0, audience=[f"#{self.builder.pk}"])
        turn = self.agent.turns.store.data[-1]
        turn["recalled"] = [{"id": f"j{entry['id']}", "score": 0.5}, {"id": "j99", "score": 0.4}]
        told = self.type_in("aiwhy bram", self.admin)
        assert f"  j{entry['id']} is confidential.\n  j99 is no longer kept." in told
        assert "1 more is confidential; add /all to see it (that is logged)." in told
        assert "hearth" in self.type_in("aiwhy/all bram", self.admin)

    def test_who_is_gone_is_said_to_be_gone(self):
        self.model.add("Is it?", "So they say.")
        self.whisper(SECRET, self.builder)
        number = self.builder.pk
        self.builder.delete()
        told = self.type_in("aiwhy/all bram")
        assert f"somebody who is gone (#{number})" in told

    def test_what_is_not_there_is_said(self):
        assert self.type_in("aiwhy bram") == (
            "Bram has said nothing yet that is on record. 'aiinteract/whynot bram' tells why it "
            "kept silent."
        )
        assert self.type_in("aiwhy bram = 3") == (
            'There is no turn "3" on record: none is kept yet.'
        )
        self.model.add("Well met.")
        self.say("Bram, hello.")
        for hostile in HOSTILE:
            told = self.type_in(f"aiwhy bram = {hostile}")
            assert told.startswith('There is no turn "') and told.endswith("1 to 1 are kept."), told
            assert len(told) < 200


class TestInteract(CommandTest):
    def test_whynot_names_the_line_the_rule_and_the_reason(self):
        self.model.add("Aye.")
        self.say("Char2, did you hear that?")
        self.say("Bram, hello?")
        _percept, decision = self.agent.decisions[0]
        assert self.type_in("aiinteract/whynot bram") == (
            "What Bram made of the last 2 lines, newest last:\n"
            '  just now, Char (say): "Char2, did you hear that?"\n'
            f"      CONTEXT: listens only, by rule '{decision.rule}': {decision.reason}\n"
            '  just now, Char (say): "Bram, hello?"\n'
            "      TRIGGER: answers, by rule 'direct addressing': Char called it \"Bram\""
        )

    def test_a_whisper_is_counted_and_not_shown(self):
        self.model.add("I will not tell.")
        self.whisper(SECRET, self.admin)
        told = self.type_in("aiinteract/whynot bram", self.builder)
        assert "hearth" not in told
        assert told.endswith(
            "1 more is confidential; only a keeper of the NPC or an Admin may see more."
        )
        with mock.patch("evennia.utils.logger.log_sec") as log_sec:
            assert "hearth" in self.type_in("aiinteract/whynot/all bram", self.admin)
        assert log_sec.call_count == 1

    def test_an_npc_that_is_off_says_so_first(self):
        self.script.disable()
        assert self.type_in("aiinteract/whynot bram") == (
            "Bram is switched off: aisetup/start bram\n"
            "Bram has heard nothing since the server started or it was."
        )
        self.script.db.emergency_stop = True
        assert self.type_in("aiinteract/whynot bram").startswith(
            "Bram is in emergency stop; the log has the cause. When it is mended: aisetup/start "
            "bram\n"
        )

    def test_state_shows_what_goes_on(self):
        self.model.add("Aye.")
        self.say("Bram, hello?")
        self.pump(4)
        assert self.type_in("aiinteract/state bram") == (
            "State of Bram (assistant bram)\n"
            "  It hears and answers.\n"
            "  in conversation  Char (spoke 5 s ago)\n"
            "  energy           2 of 2 lines to other NPCs\n"
            "  waiting lines    0\n"
            "  busy             no\n"
            "  cooldown         0.0 s\n"
            "  errors in a row  0 of 5"
        )

    def test_it_does_not_speak_for_anybody(self):
        assert self.type_in("aiinteract bram = hello") == (
            "aiinteract only looks. To speak to Bram, go there and use: talk Bram hello"
        )
        assert self.type_in("aiinteract bram") == (
            "Usage: aiinteract/whynot <npc>, aiinteract/state <npc> or aiinteract/initiative <npc>"
        )

    def test_nothing_typed_breaks_it(self):
        for hostile in HOSTILE:
            for line in (
                f"aiinteract/whynot {hostile}",
                f"aiwhy {hostile}",
                f"aihistory {hostile}",
            ):
                told = self.type_in(line)
                assert told and "Traceback" not in told and len(told) < 300, line[:80]


class TestHistoryFilters(CommandTest):
    def setUp(self):
        super().setUp()
        self.model.add("One.", ModelTransientError("The service is busy."), "Three.")
        self.say("Bram, one?", self.admin)
        self.pump(3 * 86400)
        self.say("Bram, two?", self.builder)
        self.model.add(tool_call("recall_memories", query="ferry"), "Four.")
        self.say("Bram, three?", self.builder)
        self.say("Bram, four?", self.admin)

    def turns(self, filters, who=None):
        """The numbers of the turns that are shown."""
        told = self.type_in(f"aihistory bram = {filters}", who)
        return [int(line[1 : line.index(",")]) for line in told.splitlines() if line[0] == "#"]

    def test_each_filter_leaves_what_fits_and_several_leave_what_fits_all(self):
        assert self.turns("20") == [1, 2, 3, 4]
        assert self.turns("by char2") == [2, 3]
        assert self.turns("tool recall_memories") == [4]
        assert self.turns("failed") == [2]
        assert self.turns("days 2") == [2, 3, 4]
        assert self.turns("by CHAR2, failed") == [2]
        assert self.turns("days 2, by char, 2") == [3, 4]
        told = self.type_in("aihistory bram = by char2, failed, days 2")
        assert told.startswith(
            "The last 1 turn of Bram (by char2, failed, days 2), newest last:\n#2,"
        )
        assert self.type_in("aihistory bram = by nobody, tool say") == (
            "No turn of Bram on record fits: by nobody, tool say."
        )

    def test_a_filter_does_not_tell_whose_the_confidential_turns_are(self):
        self.model.add("I will not tell.")
        self.whisper(SECRET, self.admin)
        notes = {
            self.type_in(f"aihistory bram = {filters}", self.builder).splitlines()[-1]
            for filters in ("by char", "by nobody", "tool say", "failed", "days 1")
        }
        assert notes == {
            "1 more is confidential; only a keeper of the NPC or an Admin may see more."
        }

    def test_what_cannot_be_asked_for_is_answered_with_what_can(self):
        for typed in ("by", "tool", "failed twice", "days many", "days 99999999", "by anna,", "²"):
            told = self.type_in(f"aihistory bram = {typed}")
            assert "by <player>, tool <name>, failed or days <number>" in told, typed
        for hostile in HOSTILE:
            for typed in (f"by {hostile}", f"tool {hostile}", f"days {hostile}"):
                told = self.type_in(f"aihistory bram = {typed}")
                assert "Traceback" not in told and len(told) < 600, typed[:60]


class TestOneTurn(CommandTest):
    def test_a_turn_in_full_has_its_prompt_its_memories_and_its_tools(self):
        self.npc.memory.teach("The well is dry.")
        self.npc.memory.goals.create("Mend the roof.", audience="public")
        self.model.add("Is it?")
        self.say("Bram, the ferry leaves at dawn.")
        self.pump(7200)
        self.model.add(tool_call("recall_memories", query="ferry"), "At dawn.")
        self.say("Bram, when does the ferry leave?")
        self.script.db.execution_log = [
            {
                "tick": 2,
                "tool": "recall_memories",
                "reasoning": "to be sure",
                "duration_ms": 4,
                "audience": "public",
            },
            {"tick": 1, "tool": "recall_memories", "reasoning": "not this", "audience": "public"},
            "junk",
        ]
        lines = self.type_in("aihistory/turn bram = 2").splitlines()
        assert lines[0].startswith("#2, just now, ") and "2 calls" in lines[0]
        assert lines[1] == "  anyone may be told of it"
        assert lines[2] == '  heard    Char (say): "Bram, when does the ferry leave?", kept as j2'
        assert lines[3] == ("  prompt   digest 1, relationships 1, heard 1, memories 1, goals 1")
        assert lines[4].startswith("  recalled j1 (score ")
        assert lines[-4:] == [
            '  tool     recall_memories {"query": "ferry"}',
            "           done, 4 ms",
            '           because "to be sure"',
            '  said     (say) "At dawn."',
        ]
        assert "not this" not in str(lines)

    def test_a_confidential_turn_is_for_those_it_is_for(self):
        self.model.add("I will not tell.")
        self.whisper(SECRET, self.builder)
        assert "hearth" in self.type_in("aihistory/turn bram = 1", self.builder)
        told = self.type_in("aihistory/turn bram = 1", self.admin)
        assert told.startswith("Turn 1 is confidential. ") and "hearth" not in told
        with mock.patch("evennia.utils.logger.log_sec") as log_sec:
            assert "hearth" in self.type_in("aihistory/turn/all bram = 1", self.admin)
        assert log_sec.call_count == 1

    def test_why_a_tool_was_used_is_as_confidential_as_its_record(self):
        self.model.add(tool_call("recall_memories", query="ferry"), "At dawn.")
        self.say("Bram, when does the ferry leave?")
        self.script.db.execution_log = [
            {"tick": 1, "tool": "recall_memories", "reasoning": "she owes us", "audience": None}
        ]
        assert "she owes us" not in self.type_in("aihistory/turn bram = 1")
        assert "she owes us" in self.type_in("aihistory/turn/all bram = 1")

    def test_a_turn_that_is_not_there_is_said_so(self):
        self.model.add("Aye.")
        self.say("Bram, hello?")
        assert self.type_in("aihistory/turn bram") == (
            "Which turn? Usage: aihistory/turn <npc> = <turn>"
        )
        for hostile in HOSTILE:
            told = self.type_in(f"aihistory/turn bram = {hostile}")
            assert told.startswith('There is no turn "') and told.endswith("1 to 1 are kept."), told
