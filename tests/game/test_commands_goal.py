"""`aigoal`: a keeper sees what an NPC is after, and sets it."""

from unittest import mock

from tests.game.commanding import HOSTILE, CommandTest


class TestGoalCommand(CommandTest):
    def test_goals_are_set_shown_as_a_tree_and_reached(self):
        assert self.type_in("aigoal bram") == (
            "Bram has no goal. Set one: aigoal/add bram = <text>"
        )
        assert self.type_in("aigoal/add bram = Find out who owns the lighthouse, 8") == (
            "Bram has the new goal g1: Find out who owns the lighthouse (priority 8)."
        )
        assert self.type_in("aigoal/sub bram = g1 Ask the smith, the old one") == (
            "Bram has the new goal g2 as part of g1: Ask the smith, the old one (priority 5)."
        )
        self.type_in("aigoal/sub bram = G1 Look at the books, 7")
        assert self.type_in("aigoal/done bram = g2 he does not know") == "g2 is completed."
        assert self.type_in("aigoal bram") == (
            "Goals of Bram: 2 open, 1 closed.\n"
            "  g1  Find out who owns the lighthouse (priority 8, 2 parts, 50 % done)\n"
            "    g3  Look at the books (priority 7)\n"
            "    g2  Ask the smith, the old one (priority 5, completed) - he does not know"
        )
        assert self.type_in("aigoal/done bram = g3") == (
            "g3 is completed. With it, g1 is completed."
        )
        self.type_in("aigoal/add bram = Rest")
        assert self.type_in("aigoal/drop bram = g4 no time") == "g4 is dropped."

    def test_what_does_not_fit_is_said(self):
        assert self.type_in("aigoal/sub bram = g9 Ask") == (
            "There is no goal 'g9'; open goals: none."
        )
        assert self.type_in("aigoal/add bram = Rest, 11") == "priority is 1 to 10."
        assert self.type_in("aigoal/add bram =") == (
            "Usage: aigoal/add <npc> = <text>[, <priority>]"
        )
        assert self.type_in("aigoal/sub bram = g1") == (
            "Usage: aigoal/sub <npc> = <goal> <text>[, <priority>]"
        )
        assert self.type_in("aigoal bram = Rest") == (
            "Do you want to set a goal? aigoal/add bram = Rest"
        )
        assert self.type_in("aigoal") == (
            "Usage: aigoal[/add, /sub, /done, /drop, /decompose] <npc> [= <...>]"
        )
        assert self.npc.memory.goals.all == []

    def test_only_keepers_set_goals(self):
        told = self.type_in("aigoal/add bram = Serve me", self.builder)
        assert told.startswith("You may look at bram, but only its keeper")
        assert self.npc.memory.goals.all == []
        self.npc.locks.add(f"control:id({self.builder.pk})")
        assert "new goal g1" in self.type_in("aigoal/add bram = Serve ale", self.builder)

    def test_a_goal_set_in_confidence_is_only_counted(self):
        only = [f"#{self.admin.pk}", f"#{self.npc.pk}"]
        self.npc.memory.goals.create(
            "Hide the crown", audience=only, asked_by=[f"#{self.admin.pk}"]
        )
        told = self.type_in("aigoal bram", self.builder)
        assert told == (
            "Goals of Bram: 1 open, 0 closed.\n"
            "1 more is confidential; only a keeper of the NPC or an Admin may see more."
        )
        told = self.type_in("aigoal bram", self.admin)
        assert "Hide the crown (priority 5, at a player's word)" in told
        self.npc.locks.add(f"control:id({self.builder.pk})")
        with mock.patch("evennia.utils.logger.log_sec") as log_sec:
            assert "Hide the crown" in self.type_in("aigoal/all bram", self.builder)
        log_sec.assert_called_once()

    def test_nothing_typed_breaks_it(self):
        for hostile in HOSTILE:
            for line in (
                f"aigoal {hostile}",
                f"aigoal/add bram = {hostile}",
                f"aigoal/sub bram = {hostile}",
                f"aigoal/done bram = {hostile}",
            ):
                told = self.type_in(line)
                assert told and "Traceback" not in told and len(told) < 3000, line[:80]
        assert "Traceback" not in self.type_in("aigoal bram")
