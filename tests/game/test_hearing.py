"""What an NPC makes of the lines Evennia sends it, with Evennia's own commands as the speakers."""

from unittest import mock

from evennia.commands.default.general import CmdDrop, CmdPose, CmdSay, CmdWhisper
from evennia.objects.objects import DefaultCharacter
from evennia.utils.create import create_object

from evennia_assistant.perception.hearing import perceive
from evennia_assistant.perception.speaking import speaking
from evennia_assistant.typeclasses.character import AssistantCharacter, ExactSpeechMixin

from tests.game.standing import StandingTest

NOW = 1_780_000_000.0


class Listening(StandingTest):
    """An NPC in a room with two players; `self.heard` collects its percepts."""

    strict = False
    # Evennia's own speakers, which tell nobody their exact words.
    character_typeclass = DefaultCharacter

    def setUp(self):
        super().setUp()
        self.heard = []
        self.known = {f"#{self.char1.pk}": "player", f"#{self.char2.pk}": "player"}

        def receive(text=None, from_obj=None, **kwargs):
            percept = perceive(
                self.npc,
                text,
                from_obj,
                now=NOW,
                known_present=self.known,
                strict=self.strict,
            )
            if percept is not None:
                self.heard.append(percept)
            return True

        patcher = mock.patch.object(self.npc, "at_msg_receive", receive)
        patcher.start()
        self.addCleanup(patcher.stop)

    def stand(self):
        self.npc = create_object(AssistantCharacter, key="Bram", location=self.room1, nohome=True)

    def ids(self, *objects):
        return tuple(f"#{obj.pk}" for obj in objects)


class TestManners(Listening):
    def test_a_say_is_heard_with_its_words_witnesses_and_place(self):
        self.call(CmdSay(), "Two ales, please.", caller=self.char1)
        [percept] = self.heard
        assert percept.manner == "say" and percept.words == "Two ales, please."
        assert percept.speaker == f"#{self.char1.pk}" and percept.speaker_name == "Char"
        assert set(percept.witnesses) == set(self.ids(self.char1, self.char2, self.npc))
        assert percept.audience == "public" and percept.place == f"#{self.room1.pk}"

    def test_a_whisper_is_for_its_two_parties_alone(self):
        self.call(CmdWhisper(), "Bram = The key is under the mat.", caller=self.char1)
        [percept] = self.heard
        assert percept.manner == "whisper" and percept.words == "The key is under the mat."
        assert set(percept.audience) == set(self.ids(self.char1, self.npc))
        assert set(percept.witnesses) == set(self.ids(self.char1, self.npc))

    def test_a_whisper_to_somebody_else_is_not_heard_at_all(self):
        self.call(CmdWhisper(), "Char2 = Not for Bram.", caller=self.char1)
        assert self.heard == []

    def test_a_page_is_for_its_two_parties_alone_wherever_it_comes_from(self):
        page = ("Char pages you: Meet me at the mill.", {"type": "page"})
        self.npc.msg(page, from_obj=self.char1)
        self.char1.location = self.room2
        del self.known[f"#{self.char1.pk}"]
        self.npc.msg(page, from_obj=self.char1)
        assert [percept.manner for percept in self.heard] == ["page", "page"]
        assert {percept.words for percept in self.heard} == {"Meet me at the mill."}
        for percept in self.heard:
            assert set(percept.audience) == set(self.ids(self.char1, self.npc))
            assert set(percept.witnesses) == set(self.ids(self.char1, self.npc))
            assert percept.receivers == self.ids(self.npc)
        assert f"#{self.char1.pk}" not in self.known

    def test_a_pose_is_seen(self):
        self.call(CmdPose(), "grins at Bram.", caller=self.char1)
        [percept] = self.heard
        assert percept.manner == "pose" and percept.line == "Char grins at Bram."

    def test_coming_and_going_are_told_apart(self):
        self.char1.move_to(self.room2)
        self.char1.move_to(self.room1)
        assert [percept.manner for percept in self.heard] == ["leave", "arrive"]
        assert {percept.speaker for percept in self.heard} == {f"#{self.char1.pk}"}

    def test_somebody_unknown_who_speaks_first_did_not_arrive(self):
        self.known.clear()
        self.call(CmdSay(), "I was here all along.", caller=self.char1)
        assert [percept.manner for percept in self.heard] == ["say"]
        self.char1.move_to(self.room2)
        assert self.heard[-1].manner == "leave"

    def test_own_echoes_looks_errors_and_tracebacks_are_not_speech(self):
        self.npc.at_say("I speak.", msg_self=True)
        self.npc.msg(self.npc.at_look(self.room1), from_obj=self.npc)
        self.npc.msg((self.npc.at_look(self.room1), {"type": "look"}), from_obj=None)
        self.npc.msg("Command 'x' is not available. Type \"help\" for help.")
        self.npc.msg("Traceback (most recent call last): ...")
        self.npc.msg((None, {"type": "say"}), from_obj=self.char1)
        assert self.heard == []

    def test_a_login_is_an_arrival_and_a_logout_a_departure(self):
        self.char2.location = self.room2
        self.known.clear()
        self.char1.at_post_puppet()
        del self.char1.account
        self.char1.sessions.clear()
        self.char1.at_post_unpuppet(self.account)
        assert [percept.manner for percept in self.heard] == ["arrive", "leave"]

    def test_what_somebody_does_with_things_is_seen(self):
        self.obj1.location = self.char1
        self.call(CmdDrop(), "Obj", caller=self.char1)
        assert [percept.manner for percept in self.heard] == ["pose"]

    def test_things_do_not_speak(self):
        self.room1.msg_contents("A cold wind blows.", from_obj=self.obj1)
        self.room1.msg_contents("The room shakes.", from_obj=self.room1)
        assert self.heard == []


class TestWords(Listening):
    def test_colour_codes_braces_and_inlines_are_only_text(self):
        self.call(CmdSay(), "|rred|n {x} $You() |lcquit|ltclick|le", caller=self.char1)
        [percept] = self.heard
        assert "|r" not in percept.words and "{x}" in percept.words
        assert "$You()" in percept.words and "|lc" not in percept.words

    def test_a_very_long_line_is_cut_not_refused(self):
        self.call(CmdSay(), "word " * 3000, caller=self.char1)
        assert 0 < len(self.heard[0].words) <= 2000

    def test_a_translated_line_gives_its_words(self):
        self.char1.at_say("Guten Abend.", msg_location="{object} sagt: „{speech}“")
        assert self.heard[0].words == "Guten Abend."

    def test_a_speaker_with_the_mixin_gives_exact_words_whatever_the_format(self):
        class Speaker(ExactSpeechMixin, type(self.char1)):
            class Meta:
                proxy = True
                app_label = "objects"

        self.char1.swap_typeclass(Speaker, clean_attributes=False, run_start_hooks=None)
        self.char1.at_say('She said "no" to me', msg_location="<<{speech}>> ({object})")
        assert self.heard[0].words == 'She said "no" to me' and self.heard[0].exact

    def test_receivers_are_known_when_the_speaker_tells(self):
        with speaking(self.char1, "An ale.", receivers=[self.npc], manner="talk"):
            self.char1.at_say("An ale.")
        assert self.heard[0].manner == "talk"
        assert self.heard[0].receivers == self.ids(self.npc)


class TestAudience(Listening):
    def test_off_the_record_words_are_for_the_two_of_them(self):
        self.call(CmdSay(), "Between you and me, Bram, I am the duke.", caller=self.char1)
        assert set(self.heard[0].audience) == set(self.ids(self.char1, self.npc))

    def test_in_a_private_room_only_those_present_may_be_told(self):
        self.room1.tags.add("private", category="assistant")
        self.call(CmdSay(), "The vote is on Monday.", caller=self.char1)
        assert set(self.heard[0].audience) == set(self.ids(self.char1, self.char2, self.npc))

    def test_a_deaf_bystander_is_no_witness(self):
        self.char2.locks.add("hear:false()")
        self.call(CmdSay(), "Can you hear me?", caller=self.char1)
        assert f"#{self.char2.pk}" not in self.heard[0].witnesses

    def test_who_cannot_see_is_no_witness_of_a_gesture(self):
        self.char1.locks.add(f"view:id({self.npc.pk})")
        self.call(CmdPose(), "waves.", caller=self.char1)
        assert f"#{self.char2.pk}" not in self.heard[0].witnesses


class TestStrict(Listening):
    strict = True

    def test_a_strict_npc_tells_only_those_who_were_there(self):
        self.call(CmdSay(), "Open speech.", caller=self.char1)
        assert set(self.heard[0].audience) == set(self.ids(self.char1, self.char2, self.npc))
