"""What an NPC does to the game is what its operator listed, and what whoever asks may do."""

from evennia.commands.cmdset import CmdSet
from evennia.commands.command import Command
from evennia.utils.dbserialize import deserialize

from tests.game.tooling import ToolTest


class CmdRing(Command):
    """
    ring a bell
    """

    key = "ring"
    locks = "cmd:all()"

    def func(self):
        self.caller.location.msg_contents(f"A bell rings{self.args}.")
        self.caller.msg("|gYou rang.|n")


class CmdBuild(CmdRing):
    """
    build
    """

    key = "raise"
    locks = "cmd:perm(Builder)"


class TestExecuteCommand(ToolTest):
    def setUp(self):
        super().setUp()
        own = CmdSet()
        own.add(CmdRing())
        own.add(CmdBuild())
        self.npc.cmdset.add(own)
        self.script.set_option("command_allowlist", "ring, raise, look, say, dance")

    def test_a_listed_command_runs_and_what_it_showed_comes_back(self):
        told = self.use("execute_command", command="ring", arguments="twice")
        assert told == {"typed": "ring twice", "shown": "A bell rings twice.\nYou rang."}
        assert self.heard_by(self.char1)[-1] == "A bell rings twice."
        assert "msg" not in self.npc.__dict__

    def test_a_command_of_evennias_own_runs(self):
        told = self.use("execute_command", command="look", arguments="obj")
        assert told["shown"].startswith("Obj")

    def test_what_is_not_listed_is_not_typed(self):
        for command in ("drop", "ring; drop", "ring\ndrop", "rin", "", "@py", "quell", "out"):
            told = self.refusal("execute_command", command=command)
            assert "may not type" in told or "command:" in told, told

    def test_speech_goes_through_the_output_gate_only(self):
        told = self.refusal("execute_command", command="say", arguments="hello")
        assert told == "'say' speaks; use your own say, whisper, emote or page."

    def test_a_command_the_npc_has_not_is_not_borrowed_from_the_room(self):
        self.script.set_option("command_allowlist", "out, dance")
        for command in ("out", "dance"):
            assert "You have no command" in self.refusal("execute_command", command=command)

    def test_a_player_has_no_command_run_that_is_closed_to_it(self):
        self.npc.permissions.add("Builder")
        assert self.refusal("execute_command", command="raise") == (
            "Char2 may not type 'raise', so you do not do it for them."
        )
        self.npc.permissions.clear()
        told = self.refusal("execute_command", self.char1, command="raise")
        assert told == "You may not type 'raise'."

    def test_arguments_are_one_plain_line(self):
        told = self.use("execute_command", command="ring", arguments="on\n\x1b[2J|rce|n\u202e")
        assert told["typed"] == "ring on ce"

    def test_a_confidence_is_not_typed_where_all_can_see_it(self):
        self.in_confidence()
        told = self.refusal("execute_command", command="ring", arguments="the crown is hidden")
        assert "private word" in told
        self.use("execute_command", command="ring")

    def test_without_an_allow_list_nothing_is_typed(self):
        self.script.set_option("command_allowlist", "none")
        told = self.refusal("execute_command", command="ring")
        assert told == "You may not type 'ring'; you may type nothing."


class TestSetAttribute(ToolTest):
    def setUp(self):
        super().setUp()
        self.script.set_option(
            "attribute_allowlist", f"apron, obj:lit, #{self.obj2.pk}:lit, char:hp, persona"
        )

    def test_a_keeper_has_listed_attributes_set(self):
        assert self.use("set_attribute", self.char1, attribute="apron", value="clean") == {
            "set": "apron",
            "of": "Bram",
            "to": "clean",
            "was": None,
        }
        self.use("set_attribute", self.char1, target="Obj", attribute="lit", value=True)
        self.use("set_attribute", self.char1, target="Obj2", attribute="lit", value=2.5)
        assert (self.npc.db.apron, self.obj1.db.lit, self.obj2.db.lit) == ("clean", True, 2.5)

    def test_a_player_changes_only_what_a_lock_opens_to_it(self):
        told = self.refusal("set_attribute", target="Obj", attribute="lit", value=True)
        assert told == "Char2 may not do that, so you do not do it for them."
        assert self.obj1.db.lit is None
        self.obj1.locks.add("assistant_edit:all()")
        self.use("set_attribute", target="Obj", attribute="lit", value=True)
        assert self.obj1.db.lit is True

    def test_what_is_not_listed_is_not_set(self):
        for target, attribute in (
            (None, "hp"),
            ("Obj", "apron"),
            ("Obj", "desc"),
            ("Char2", "hp"),
            ("Bram", "lit"),
        ):
            arguments = {
                "attribute": attribute,
                "value": 1,
                **({"target": target} if target else {}),
            }
            assert "You may not set" in self.refusal("set_attribute", self.char1, **arguments)

    def test_its_mind_is_not_set_even_where_somebody_listed_it(self):
        told = self.refusal("set_attribute", self.char1, attribute="persona", value="a servant")
        assert told == "You may not set persona of Bram."
        assert deserialize(self.npc.db.persona) == {"description": "An innkeeper."}

    def test_a_superuser_is_not_changed_for_a_player(self):
        self.account.is_superuser = True
        told = self.refusal("set_attribute", target="Char", attribute="hp", value=0)
        assert "may not do that" in told and self.char1.db.hp is None

    def test_the_absent_and_the_deleted_are_out_of_reach(self):
        self.obj1.location = self.room2
        self.obj2.delete()
        for target in ("Obj", "Obj2", "#1", "Nobody"):
            told = self.refusal(
                "set_attribute", self.char1, target=target, attribute="lit", value=1
            )
            assert "There is no" in told

    def test_values_are_scalars_and_texts_are_plain(self):
        for value in ("|rred|n", "$You()", "{x}", "two\nlines", "\u202eback", float("inf"), 1e300):
            told = self.refusal("set_attribute", self.char1, attribute="apron", value=value)
            assert "plain" in told or "value" in told.lower(), told
        for value in ([1], {"a": 1}, "x" * 501):
            assert "value" in self.refusal("set_attribute", attribute="apron", value=value)
        self.use("set_attribute", self.char1, attribute="apron", value=None)

    def test_a_confidence_is_not_written_where_all_can_read_it(self):
        self.in_confidence()
        told = self.refusal("set_attribute", self.char1, attribute="apron", value="the crown")
        assert "private word" in told
