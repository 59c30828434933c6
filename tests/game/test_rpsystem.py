"""An NPC in a game that uses the rpsystem contrib: emotes, short descriptions, recognition."""

from unittest import mock

from evennia.contrib.rpg.rpsystem.rpsystem import ContribRPCharacter, send_emote
from evennia.utils.create import create_object

from evennia_assistant.typeclasses.character import AssistantMixin

from tests.game.npc import NpcTest


class RPNpc(AssistantMixin, ContribRPCharacter):
    """An NPC on the contrib's own character."""


class TestRPSystem(NpcTest):
    def setUp(self):
        super().setUp()
        patcher = mock.patch("tests.game.npc.AssistantCharacter", RPNpc)
        with patcher:
            self.npc, self.script = self.make_npc("Greta", "greta")
        self.adopt()
        self.npc.sdesc.add("a sturdy innkeeper")
        self.anna = create_object(ContribRPCharacter, key="Anna", location=self.room1)
        self.anna.sdesc.add("a tall woman")
        self.anna.account = self.account2

    def emote(self, text):
        send_emote(self.anna, self.room1.contents, text, msg_type="emote", anonymous_add="first")
        self.pump()

    def last(self):
        percept, decision = self.agent.decisions[-1]
        return percept, decision.kind

    def test_an_emote_is_heard_with_the_short_description_of_who_did_it(self):
        self.emote('/me leans on the bar and says "A fine night."')
        percept, _kind = self.last()
        assert percept.manner == "emote" and percept.speaker_name == "a tall woman"
        assert "A fine night." in percept.words

    def test_an_emote_towards_the_npc_is_answered(self):
        self.model.add("Evening.")
        self.emote('/me nods at /sturdy and says "Good evening."')
        assert self.last()[1] == "TRIGGER"
        assert [line for line in self.heard_by(self.char1) if "Evening." in line]

    def test_an_emote_among_others_is_not(self):
        self.emote("/me yawns.")
        assert self.last()[1] == "CONTEXT"

    def test_speech_is_addressed_by_the_short_description(self):
        self.model.add("Aye?")
        self.anna.execute_cmd("say Innkeeper, two ales!")
        self.pump()
        assert self.last()[1] == "TRIGGER"

    def test_what_it_says_is_shown_through_the_contribs_own_formats(self):
        self.model.add('He said "|rno|n" {x} /me')
        self.anna.execute_cmd("say Innkeeper, what did he say?")
        self.pump()
        assert [line for line in self.heard_by(self.char1) if '"|rno|n" {x}' in line]
