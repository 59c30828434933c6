"""`talk`: a player speaks to an NPC, everyone hears it, and the NPC takes the very words."""

from evennia.utils.create import create_object

from evennia_assistant.commands.talk import CmdTalk

from tests.game.commanding import HOSTILE, CommandTest


class TestTalk(CommandTest):
    def heard_words(self):
        return [percept.words for percept, _decision in self.agent.decisions]

    def test_everyone_hears_to_whom_it_is_said_and_the_npc_answers(self):
        self.model.add("Good evening!")
        assert self.type_in("talk bram Good evening! What news?") == (
            'You say to Bram, "Good evening! What news?"'
        )
        assert self.heard_by(self.char2)[-1] == 'Char says to Bram, "Good evening! What news?"'
        percept, decision = self.agent.decisions[-1]
        assert percept.words == "Good evening! What news?" and percept.exact
        assert percept.manner == "talk" and percept.receivers == (f"#{self.npc.pk}",)
        assert percept.audience == "public"
        assert decision.kind == "TRIGGER"
        self.pump(1)
        assert self.heard_by(self.char2)[-1] == 'Bram says, "Good evening!"'

    def test_names_of_several_words_and_the_equal_sign(self):
        self.npc.key = "Old Bram"
        self.npc.aliases.add("barkeep")
        for line in (
            "talk old bram hello there",
            "talk Old Bram = hello there",
            "talk old bram, hello there",
            "talk to old bram: hello there",
            "talk barkeep hello there",
            "talk old hello there",
        ):
            assert self.type_in(line) == 'You say to Old Bram, "hello there"', line
        assert set(self.heard_words()) == {"hello there"}
        assert self.type_in("talk old bram is 2 = 2?") == 'You say to Old Bram, "is 2 = 2?"'

    def test_a_longer_name_is_meant_when_it_fits(self):
        self.make_npc("Bram Junior", "junior")
        assert self.type_in("talk bram junior hello") == 'You say to Bram Junior, "hello"'
        assert self.type_in("talk bram juniper berries?") == 'You say to Bram, "juniper berries?"'

    def test_a_name_goes_before_an_alias_and_an_equal_one_is_asked_about(self):
        other, _script = self.make_npc("Innkeeper", "second")
        self.npc.aliases.add("innkeeper")
        assert self.type_in("talk innkeeper hello") == 'You say to Innkeeper, "hello"'
        other.aliases.add("barkeep")
        self.npc.aliases.add("barkeep")
        assert self.type_in("talk barkeep hello") == (
            "Several here go by that name. Say which: barkeep-1 (Bram), barkeep-2 (Innkeeper)."
        )
        assert self.type_in("talk barkeep-2 hello") == 'You say to Innkeeper, "hello"'
        assert self.type_in("talk barkeep-1 = hello") == 'You say to Bram, "hello"'
        create_object(self.obj1.typeclass_path, key="Bram", location=self.room1)
        assert self.type_in("talk bram hello") == 'You say to Bram, "hello"'

    def test_another_npc_that_overhears_is_not_spoken_to(self):
        _other, script = self.make_npc("Mira", "tailor")
        self.model.add("Aye.")
        self.type_in("talk bram hello")
        percept, decision = script.agent.decisions[0]
        assert percept.words == "hello" and percept.receivers == (f"#{self.npc.pk}",)
        assert decision.kind == "CONTEXT"

    def test_whatever_a_player_types_is_words(self):
        for line, words in (
            ("{x} {speech} {0}", "{x} {speech} {0}"),
            ("$You() $eval(1+1)", "$You() $eval(1+1)"),
            ("a |rred|n word", "a red word"),
            ("Ünïcödé 文字", "Ünïcödé 文字"),
            ('she said "hi"', 'she said "hi"'),
            ("/look", "/look"),
        ):
            assert self.type_in(f"talk bram {line}") == f'You say to Bram, "{words}"'
            assert self.heard_by(self.char2)[-1] == f'Char says to Bram, "{words}"'
            assert self.heard_words()[-1] == words

    def test_nothing_a_player_types_breaks_it(self):
        for hostile in HOSTILE:
            for line in (f"talk {hostile}", f"talk bram {hostile}", f"talk bram = {hostile}"):
                told = self.type_in(line)
                assert told and "Traceback" not in told, line[:80]
                assert "ltclick" not in "".join(self.raw(self.char2)[-1:]) or (
                    "|lt" not in self.raw(self.char2)[-1]
                )

    def test_a_very_long_line_is_said_and_its_teller_knows_what_gets_lost(self):
        told = self.type_in(f"talk bram {'word ' * 2000}")
        assert told.endswith("Bram follows only the first 2000 characters of that.")
        assert len(self.heard_words()[-1]) == 1999

    def test_who_is_not_there_and_who_could_be_meant(self):
        assert self.type_in("talk zed hello") == (
            'There is nobody called "zed" here. You could talk to Char2 or Bram.'
        )
        self.make_npc("Brom", "second")
        assert self.type_in("talk br hello") == (
            "Several here go by that name. Say which: br-1 (Bram), br-2 (Brom)."
        )

    def test_things_and_players_are_not_for_talk(self):
        assert self.type_in("talk obj hello") == "Obj doesn't seem to want to talk."
        statue = create_object(self.char2.typeclass_path, key="Statue", location=self.room1)
        assert self.type_in("talk statue hello") == "Statue doesn't seem to want to talk."
        assert statue.pk
        assert self.type_in("talk char hello") == (
            "You would be talking to yourself; 'say' does that."
        )

    def test_what_is_missing_is_asked_for(self):
        assert self.type_in("talk") == (
            "Usage: talk <who> <what you say>, for example: talk bram Good evening!"
        )
        assert self.type_in("talk bram") == "What do you want to say to Bram?"
        assert self.type_in("talk bram = |n") == "What do you want to say to Bram?"

    def test_a_stopped_npc_does_not_react(self):
        self.script.disable()
        self.account2.permissions.remove("Builder")
        unsaid = "Bram does not react to anyone at the moment. You leave it unsaid."
        assert self.type_in("talk bram hello", self.char2) == unsaid
        assert self.type_in("talk bram hello") == f"{unsaid} (aisetup/start bram)"
        assert not [line for line in self.heard_by(self.char1) if "hello" in line]

    def test_a_player_the_game_keeps_silent_stays_silent(self):
        self.char1.at_pre_say = lambda message, **kwargs: None
        assert self.type_in("talk bram hello") == ""
        assert self.heard_words() == []

    def test_nowhere_there_is_nobody(self):
        self.char1.location = None
        assert self.type_in("talk bram hello") == "There is nobody here to talk to."

    def test_it_is_for_everyone(self):
        assert CmdTalk().access(self.char2, "cmd") is True
