"""`aiexec`: a tool is tried as the NPC, and does no more than both of them may do."""

from unittest import mock

from evennia_assistant.testing.replies import text

from tests.game.commanding import HOSTILE, CommandTest


class TestExecCommand(CommandTest):
    def test_dry_it_says_what_would_run_and_runs_nothing(self):
        assert self.type_in('aiexec bram = say {"text": "Good evening."}') == (
            'Bram would run say {"text": "Good evening."}\n'
            "  category   terminal; given up after 30 s\n"
            "  allowed    to Bram: every NPC may; to you (Char): use:all()\n"
            "  refuses    nothing more\n"
            "Nothing was run; aiexec/run runs it."
        )
        assert not [line for line in self.heard_by(self.char2) if "Good evening" in line]

    def test_run_it_really_runs_and_is_in_the_log(self):
        with mock.patch("evennia.utils.logger.log_sec") as log_sec:
            told = self.type_in('aiexec/run bram = say {"text": "Good evening."}')
        assert 'Bram ran say: {"said": "Good evening.", "manner": "say"}' in told
        assert self.heard_by(self.char2)[-1] == 'Bram says, "Good evening."'
        log_sec.assert_called_once_with(
            f"Assistant tool: Char #{self.admin.pk} ran say "
            f'{{"text": "Good evening."}} as Bram #{self.npc.pk}'
        )
        told = self.type_in('aiexec/run bram = add_journal_entry {"content": "It rains."}')
        assert "entry_id" in told
        self.forget_caches()
        assert self.npc.memory.journal.entries[-1]["content"] == "It rains."

    def test_a_gated_tool_needs_its_option(self):
        assert self.type_in('aiexec/run bram = get {"thing": "Obj"}') == (
            "It would not run: Bram may not use get; its option allowed_tools does not name it."
        )
        self.type_in("aisetup/config bram set allowed_tools get, go")
        told = self.type_in('aiexec bram = get {"thing": "Obj"}')
        assert "to Bram: its option allowed_tools names it" in told
        told = self.type_in('aiexec/run bram = get {"thing": "Obj"}')
        assert 'Bram ran get: {"got": "an Obj"}' in told
        assert self.obj1.location == self.npc

    def test_what_cannot_be_done_is_said_with_its_reason(self):
        self.script.set_option("allowed_tools", "go")
        told = self.type_in('aiexec/run bram = go {"exit": "north"}')
        assert told.startswith("Bram did not do it: There is no 'north' here")
        self.admin.location = self.room2
        told = self.type_in('aiexec/run bram = say {"text": "Hello."}')
        assert told == "Bram did not do it: nobody is left to hear the answer"

    def test_a_tool_that_breaks_is_named_and_logged(self):
        with (
            mock.patch(
                "evennia_assistant.tools.world.InspectLocation.execute", side_effect=OSError
            ),
            mock.patch("evennia.utils.logger.log_err") as log_err,
        ):
            told = self.type_in("aiexec/run bram = inspect_location")
        assert told == "inspect_location failed (OSError); the log has the traceback."
        log_err.assert_called_once()
        assert self.npc.ndb.assistant_turn is None

    def test_arguments_that_do_not_fit_and_unknown_tools_are_said(self):
        assert self.type_in('aiexec bram = say {"txt": 5}').startswith("It would not run: say: ")
        assert self.type_in('aiexec bram = say {"text": ').startswith("It would not run: ")
        assert self.type_in("aiexec bram = sya {}") == (
            'There is no tool "sya". Did you mean say? aiexec <npc> lists them.'
        )
        assert self.type_in("aiexec bram =") == (
            "Usage: aiexec[/run] <npc> = <tool> [{<arguments as JSON>}]"
        )

    def test_only_keepers_run_tools_and_everything_staff_may_look(self):
        told = self.type_in('aiexec/run bram = say {"text": "Hi."}', self.builder)
        assert told.startswith("You may look at bram, but only its keeper")
        assert "would run say" in self.type_in('aiexec bram = say {"text": "Hi."}', self.builder)
        told = self.type_in("aiexec bram", self.builder)
        assert told.startswith("Tools of Bram; - is not allowed to it.\n  say ")
        assert "\n -go " in told

    def test_a_keeper_has_no_more_rights_through_the_npc_than_it_has(self):
        self.npc.locks.add(f"control:id({self.builder.pk})")
        self.script.set_option("allowed_tools", "set_attribute")
        self.script.set_option("attribute_allowlist", "char:hp")
        told = self.type_in(
            'aiexec/run bram = set_attribute {"target": "Char", "attribute": "hp", "value": 0}',
            self.builder,
        )
        # A Builder edits no player's character, and so does no NPC for it.
        assert "may not do that" in told and self.char1.db.hp is None

    def test_the_allow_lists_are_for_admins_to_set(self):
        self.npc.locks.add(f"control:id({self.builder.pk})")
        for name in ("command_allowlist", "attribute_allowlist"):
            told = self.type_in(f"aisetup/config bram set {name} look", self.builder)
            assert told == "Only an Admin may say what an NPC may do to the game; ask one."
        told = self.type_in("aisetup/config bram set allowed_tools go, get", self.builder)
        assert told == "allowed_tools of bram is now go, get (it was none)."
        told = self.type_in("aisetup/config bram set allowed_tools none", self.builder)
        assert told == "allowed_tools of bram is now none (it was go, get)."

    def test_a_confidence_of_others_does_not_come_out_by_hand(self):
        self.model.add("Safe with me.")
        self.whisper("The crown is under the hearth.", self.builder)
        told = self.type_in('aiexec/run bram = recall_memories {"query": "crown hearth"}')
        assert "hearth" not in told.replace("crown hearth", "")

    def test_while_it_thinks_it_is_not_interrupted(self):
        self.model.add(text("Well.").after(5))
        self.say("Bram, a question?")
        told = self.type_in("aiexec/run bram = noop {}")
        assert told == "Bram did not do it: Bram is thinking; try again in a moment."
        self.pump(10)

    def test_nothing_typed_breaks_it(self):
        for hostile in HOSTILE:
            for line in (
                f"aiexec {hostile}",
                f"aiexec bram = {hostile}",
                f"aiexec/run bram = say {hostile}",
                f"aiexec/run bram = emote {{{hostile}}}",
            ):
                told = self.type_in(line)
                assert told and "Traceback" not in told and len(told) < 3000, line[:80]
