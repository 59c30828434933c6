"""What a keeper sees before an NPC forgets, and what a player may ask for."""

import re
from unittest import mock

from django.test import override_settings
from evennia.utils.ansi import strip_ansi

from evennia_assistant.commands import forgetme
from evennia_assistant.commands import forgetting as command
from evennia_assistant.memory import semantic
from evennia_assistant.testing import FakeSemanticMemory

from tests.game.commanding import HOSTILE, CommandTest


class TestForgetCommands(CommandTest):
    def setUp(self):
        self.facts_kept = FakeSemanticMemory()
        standing = semantic.stand_in(self.facts_kept)
        standing.__enter__()
        self.addCleanup(standing.__exit__, None, None, None)
        super().setUp()
        self.heard("the old ferry is painted crimson")
        self.heard("well, the mill grinds barley", who="#77", name="Bo")

    def heard(self, words, who=None, name="Anna"):
        who = who or f"#{self.char2.pk}"
        self.npc.memory.write(
            f'{name} said: "{words}"',
            when=self.agent.now(),
            source_entity=name,
            source_id=who,
            source_type="direct",
            audience="public",
            entities=[who],
        )
        self.npc.memory.save()

    def later(self, line, who=None):
        """All that a command says, what comes afterwards included."""
        told = []
        caller = who or self.admin
        with mock.patch.object(
            caller, "msg", lambda text=None, **_k: told.append(strip_ansi(str(text)))
        ):
            name, _space, rest = line.partition(" ")
            key, slash, switches = name.partition("/")
            from tests.game.commanding import COMMANDS

            cmd = COMMANDS[key]()
            cmd.caller, cmd.cmdstring, cmd.session = caller, key, None
            cmd.raw_string = line
            cmd.args = f"/{switches} {rest}" if slash else f" {rest}"
            cmd.parse()
            cmd.func()
            for _ in range(40):
                self.pump(0.01)
        self.agent = self.script.agent
        return "\n".join(told)

    def entries(self):
        return [entry["source_id"] for entry in self.npc.memory.journal.entries]

    def test_a_keeper_sees_what_goes_and_nothing_is_changed(self):
        before = self.entries()
        shown = self.later("aimemory/forget bram = anna")
        assert "goes           1 entry: j1" in shown
        assert "Nothing was changed. There is no way back from it." in shown
        assert self.entries() == before

    def test_what_was_shown_is_done_when_it_is_confirmed(self):
        for confirm in ("token", "plain"):
            self.npc.db.journal = None
            self.heard("the old ferry is painted crimson")
            self.heard("well, the mill grinds barley", who="#77", name="Bo")
            shown = self.later("aimemory/forget bram = anna, cascade")
            assert "(cascade)" in shown
            token = re.search(r"confirm (\w{6})", shown)[1]
            given = f" {token}" if confirm == "token" else ""
            said = self.later(f"aimemory/forget bram = confirm{given}")
            assert "Bram has forgotten 1 entry and 0 facts." in said
            assert self.entries() == ["#77"]
            assert "There is nothing to confirm" in self.later("aimemory/forget bram = confirm")

    def test_another_token_another_npc_or_too_late_confirms_nothing(self):
        self.make_npc("Greta", "greta")
        self.later("aimemory/forget bram = anna")
        assert "is confirmed by" in self.later("aimemory/forget bram = confirm abcdef")
        assert "nothing to confirm" in self.later("aimemory/forget greta = confirm")
        self.clock.advance(command.WAITS + 1)
        assert "nothing to confirm" in self.later("aimemory/forget bram = confirm")
        self.later("aimemory/forget bram = anna")
        assert self.later("aimemory/forget bram = cancel") == "Nothing is forgotten."
        assert "nothing to confirm" in self.later("aimemory/forget bram = confirm")
        assert len(self.entries()) == 2

    def test_a_keeper_is_told_what_cascade_would_take_and_which_card_names_the_person(self):
        self.npc.memory.write(
            "[SYNTHESIS] People talk of mills",
            kind="synthesis",
            audience="public",
            evidence=["j1", "j2"],
        )
        self.npc.memory.save()
        self.type_in("aisetup/import bram = You are fond of Anna.")
        shown = self.later("aimemory/forget bram = anna")
        assert "  keeps the rest 1 stay with less evidence: j3" in shown
        assert "To have what keeps the rest go, too: add ', cascade'." in shown
        assert "  stays          a card that was imported names them (aisetup/import)" in shown
        shown = self.later("aimemory/forget bram = anna, cascade")
        assert "  rests on it    1 go with it: j3" in shown and "go, too: add" not in shown

    def test_one_entry_can_be_named(self):
        assert "1 entry: j2" in self.later("aimemory/forget bram = j2")
        self.later("aimemory/forget bram = confirm")
        assert self.entries() == [f"#{self.char2.pk}"]

    def test_builders_who_keep_nothing_make_nobody_forget(self):
        said = self.later("aimemory/forget bram = anna", who=self.builder)
        assert "only its keeper" in said and len(self.entries()) == 2

    def test_a_slip_is_told_how_it_is_done(self):
        for what in ("nobody", "j999", "#", *HOSTILE):
            said = self.later(f"aimemory/forget bram = {what}")
            assert said and "Traceback" not in said and len(said) < 2000, what
            assert len(self.entries()) == 2

    def test_a_semantic_memory_out_of_reach_is_said_and_gone_on_with(self):
        self.npc.memory.facts.links.change("m1", entry_ids=[1])
        self.npc.memory.facts.links.save()
        self.facts_kept.fail("all", "raise", times=9)
        assert "waits          its facts" in self.later("aimemory/forget bram = anna")
        said = self.later("aimemory/forget bram = confirm")
        assert "Semantic memory could not be reached" in said
        assert "It still waits" in self.later("aimemory/forget bram")
        self.facts_kept._faults.clear()
        assert "nothing left" in self.later("aimemory/forget bram")
        assert "nothing half forgotten" in self.later("aimemory/forget bram")

    def test_it_is_in_the_security_log_without_a_name(self):
        with mock.patch.object(command.logger, "log_sec") as logged:
            self.later("aimemory/forget bram = anna")
            self.later("aimemory/forget bram = confirm")
        lines = [call.args[0] for call in logged.call_args_list]
        assert len(lines) >= 2 and not any("anna" in line.casefold() for line in lines)

    # A player's own ------------------------------------------------------------------------------

    def test_a_player_asks_and_the_keepers_are_told(self):
        with mock.patch.object(forgetme, "tell_staff") as told:
            said = self.later("forgetme bram", who=self.char2)
            assert "are asked" in said and len(self.entries()) == 2
            assert f"aimemory/forget bram = #{self.char2.pk}" in told.call_args.args[0]
            assert "asked already" in self.later("forgetme bram", who=self.char2)
            assert told.call_count == 1

    def test_where_the_game_allows_it_a_player_is_forgotten_after_saying_so_twice(self):
        with override_settings(ASSISTANT_FORGET_ME="allow"):
            assert "forgetme bram = yes" in self.later("forgetme bram", who=self.char2)
            assert len(self.entries()) == 2
            assert "has forgotten you" in self.later("forgetme bram = yes", who=self.char2)
        assert self.entries() == ["#77"]

    def test_nobody_has_others_forgotten(self):
        with override_settings(ASSISTANT_FORGET_ME="allow"):
            self.later("forgetme bram = yes", who=self.char1)
        assert len(self.entries()) == 2

    def test_off_and_mistyped_settings_say_so(self):
        with override_settings(ASSISTANT_FORGET_ME="off"):
            assert "cannot be asked here" in self.later("forgetme bram", who=self.char2)
        with override_settings(ASSISTANT_FORGET_ME="perhaps"):
            assert "ASSISTANT_FORGET_ME must be" in self.later("forgetme bram", who=self.char2)
        assert "Usage: forgetme" in self.later("forgetme ", who=self.char2)
        assert "nobody called" in self.later("forgetme Obj", who=self.char2)
