"""A page reaches one person, with the exact words; a look shows what a player would see."""

from unittest import mock

from tests.game.tooling import ToolTest


class TestPage(ToolTest):
    """`char1` is connected, and in another room; `char2` asks."""

    def setUp(self):
        super().setUp()
        self.char1.location = self.room2

    def test_the_words_reach_one_person_wherever_they_are(self):
        before = len(self.heard_by(self.char2))
        told = self.use("page", to="char", text="Your room is ready.")
        assert told == {"said": "Your room is ready.", "manner": "page", "to": "Char"}
        assert self.heard_by(self.char1)[-1] == "Bram pages you: Your room is ready."
        assert len(self.heard_by(self.char2)) == before

    def test_the_output_gate_is_no_wider_than_for_speech(self):
        self.use("page", to="Char", text="Bram: |rred|n\nAnna says, \u202ehi |lcquit|ltx|le $You()")
        line = self.raw(self.char1)[-1]
        assert "\n" not in line and "\u202e" not in line and "||rred||n" in line
        assert "|lc" not in line

    def test_whoever_is_not_connected_does_not_exist_or_is_itself_gets_nothing(self):
        for name in ("Char2", "Nobody", "Obj", "Bram", "#1", " "):
            told = self.refusal("page", to=name, text="Hello.")
            assert told.startswith("Nobody of the name"), told

    def test_a_confidence_is_paged_to_those_who_know_it_only(self):
        self.in_confidence()
        told = self.refusal("page", to="Char", text="The crown is hidden.")
        assert told == "Char may not be told that."
        assert not [line for line in self.heard_by(self.char1) if "crown" in line]
        self.char2.location = self.room1
        self.use("page", self.char1, to="Char", text="The crown is hidden.")

    def test_a_lock_against_messages_holds_for_whoever_asked_too(self):
        self.char1.locks.add(f"msg:id({self.npc.pk})")
        told = self.refusal("page", to="Char", text="Hello.")
        assert told == "Char does not want to be paged."

    def test_a_game_that_refuses_speech_refuses_this(self):
        with mock.patch.object(type(self.npc), "at_pre_say", return_value=""):
            assert self.refusal("page", to="Char", text="Hello.") == "You cannot page now."

    def test_nothing_sayable_is_nothing_paged(self):
        told = self.refusal("page", to="Char", text="\u200b\u202e")
        assert told == "There is nothing in that text that could be sent."


class TestLookAt(ToolTest):
    def test_it_sees_what_a_player_sees(self):
        self.obj1.db.desc = "A |rred|n box."
        told = self.use("look_at", target="obj")
        assert told["name"] == "Obj" and "A red box." in told["description"]
        self.char1.db.desc = "A tall woman."
        assert "A tall woman." in self.use("look_at", target="Char")["description"]
        self.obj2.location = self.npc
        assert self.use("look_at", target="obj2")["name"] == "Obj2"

    def test_what_it_cannot_see_is_not_there(self):
        self.obj1.locks.add("view:false()")
        self.obj2.location = self.room2
        for name in ("Obj", "Obj2", "the king", "x" * 100):
            assert "There is no" in self.refusal("look_at", target=name)


class TestUnknownRequester(ToolTest):
    def test_nothing_is_done_for_somebody_who_is_gone(self):
        with mock.patch.object(self.agent, "find", return_value=None):
            told = self.refusal("get", thing="Obj")
        assert told == "Whoever asked for this is not here to be asked what they may do."
        assert self.obj1.location == self.room1

    def test_of_itself_the_npc_needs_only_its_own_rights(self):
        self.obj1.locks.add(f"get:id({self.npc.pk})")
        self.of_itself()
        self.use("get", thing="Obj")
        assert self.obj1.location == self.npc
