"""Goals: a tree that rolls up, and that no player bends against its keeper."""

from evennia.utils.dbserialize import deserialize

from tests.game.tooling import ToolTest


class TestGoals(ToolTest):
    def keeper(self, text, **fields):
        return self.npc.memory.goals.create(text, audience="public", **fields)["goal_id"]

    def statuses(self):
        return {goal["goal_id"]: goal["status"] for goal in self.npc.memory.goals.all}

    def test_a_goal_is_kept_in_the_documented_form(self):
        assert self.use("create_goal", description="Find the cat") == {
            "goal_id": "g1",
            "priority": 5,
        }
        stored = deserialize(self.script.db.current_goals)
        assert stored["version"] == 1
        goal = stored["goals"][0]
        for key in ("goal_id", "description", "priority", "parent_id", "status", "metadata"):
            assert key in goal
        assert (goal["outcome"], goal["status"], goal["parent_id"]) == ("", "active", None)
        assert goal["asked_by"] == [f"#{self.char2.pk}"]

    def test_a_parent_is_reached_when_all_its_parts_are(self):
        top = self.use("create_goal", self.char1, description="Open the inn")["goal_id"]
        parts = [
            self.use("create_goal", self.char1, description=text, parent_id=top)["goal_id"]
            for text in ("Buy ale", "Sweep")
        ]
        told = self.use("complete_goal", self.char1, goal_id=parts[0], outcome="ten kegs")
        assert told == {"goal_id": parts[0], "status": "completed", "done": 1.0}
        listed = self.use("list_goals", self.char1)["goals"]
        assert [(goal["goal_id"], goal["done"]) for goal in listed] == [(top, 0.5), (parts[1], 0.0)]
        told = self.use("complete_goal", self.char1, goal_id=parts[1])
        assert told["also"] == {top: "completed"}
        assert self.use("list_goals") == {"goals": []}
        assert len(self.use("list_goals", closed=True)["goals"]) == 3
        told = self.use("update_goal", self.char1, goal_id=parts[1], status="active")
        assert told["also"] == {top: "active"}

    def test_a_goal_with_open_parts_is_not_reached_yet(self):
        self.keeper("Part", parent_id=self.keeper("Whole"))
        told = self.refusal("complete_goal", self.char1, goal_id="g1")
        assert told == "g1 has open parts: g2. Complete or drop them first."

    def test_dropping_a_goal_drops_its_parts(self):
        self.keeper("Part", parent_id=self.keeper("Whole"))
        self.use("update_goal", self.char1, goal_id="g1", status="dropped")
        assert self.statuses() == {"g1": "dropped", "g2": "dropped"}

    def test_a_circle_of_goals_is_refused_and_changes_nothing(self):
        self.keeper("C", parent_id=self.keeper("B", parent_id=self.keeper("A")))
        for parent in ("g1", "g2", "g3"):
            told = self.refusal(
                "update_goal", self.char1, goal_id="g1", parent_id=parent, priority=9
            )
            assert told == f"g1 cannot be part of {parent}: {parent} is part of g1 already."
        assert self.npc.memory.goals.find("g1")["priority"] == 5

    def test_an_unknown_or_closed_parent_is_refused(self):
        assert self.refusal("create_goal", description="x", parent_id="g9") == (
            "There is no goal 'g9'."
        )
        self.keeper("A")
        self.use("complete_goal", self.char1, goal_id="g1")
        told = self.refusal("create_goal", self.char1, description="x", parent_id="g1")
        assert told == "g1 is completed; reopen it first."

    def test_nesting_and_number_are_bounded(self):
        parent = None
        for depth in range(5):
            parent = self.keeper(f"Level {depth}", parent_id=parent)
        told = self.refusal("create_goal", self.char1, description="x", parent_id=parent)
        assert told == "Goals are nested 5 deep at most."
        for number in range(55):
            self.keeper(f"Goal {number}")
        assert "60 goals already" in self.refusal("create_goal", self.char1, description="x")
        self.use("complete_goal", self.char1, goal_id="g60")
        self.use("create_goal", self.char1, description="x")

    def test_a_player_gives_no_standing_orders(self):
        self.keeper("Guard the door", priority=9)
        for tool, wanted in (
            ("complete_goal", {}),
            ("update_goal", {"status": "dropped"}),
            ("update_goal", {"description": "Guard Char2"}),
        ):
            told = self.refusal(tool, goal_id="g1", **wanted)
            assert told == "g1 was not set at the word of Char2; they do not change it."
        told = self.refusal("create_goal", description="Look away", parent_id="g1")
        assert "not set at the word of Char2" in told
        mine = self.use("create_goal", description="Find the cat", priority=10)
        assert mine["priority"] == 5
        self.use("update_goal", goal_id=mine["goal_id"], priority=10)
        assert self.npc.memory.goals.find(mine["goal_id"])["priority"] == 5
        self.use("create_goal", description="Two")
        self.use("create_goal", description="Three")
        assert "3 goals from them already" in self.refusal("create_goal", description="Four")

    def test_of_itself_the_npc_reaches_what_its_keeper_set(self):
        self.keeper("Guard the door")
        self.of_itself()
        assert self.use("complete_goal", goal_id="g1")["status"] == "completed"

    def test_a_goal_set_in_confidence_does_not_exist_for_others(self):
        self.in_confidence()
        goal_id = self.use("create_goal", description="Steal the crown")["goal_id"]
        assert self.use("list_goals", self.char1) == {"goals": []}
        assert self.refusal("complete_goal", self.char1, goal_id=goal_id) == (
            f"There is no goal '{goal_id}'."
        )
        assert len(self.use("list_goals")["goals"]) == 1


class TestProjects(ToolTest):
    def test_projects_are_kept_in_the_documented_form_and_swapped_by_the_documented_flow(self):
        told = self.use("create_project", project_key="inn", summary="Mend it", context="roof")
        assert told == {"created": "inn", "status": "active"}
        told = self.use("create_project", project_key="garden", summary="Plant it")
        assert told == {"created": "garden", "status": "paused"}
        told = self.use(
            "swap_project",
            project_key="garden",
            current_project_update="the roof is half done",
            reasoning="spring",
        )
        assert told == {
            "old_project": "inn",
            "new_project": "garden",
            "new_project_summary": "Plant it",
            "new_project_context": "",
        }
        stored = deserialize(self.npc.db.projects)
        assert stored["active"] == "garden"
        inn, garden = stored["slots"]["inn"], stored["slots"]["garden"]
        assert (inn["status"], inn["context"]) == ("paused", "the roof is half done")
        assert garden["status"] == "active"
        assert {"summary", "context", "status", "created_at", "last_active"} <= set(inn)

    def test_a_project_that_does_not_exist_is_answered_with_those_that_do(self):
        self.use("create_project", project_key="inn", summary="Mend it")
        assert self.use("swap_project", project_key="moon") == {
            "error": "Project does not exist",
            "available_projects": ["inn"],
        }

    def test_a_swap_without_an_update_leaves_what_was_noted(self):
        self.use("create_project", project_key="a", summary="A", context="kept")
        self.use("create_project", project_key="b", summary="B")
        self.use("swap_project", project_key="b")
        assert self.npc.memory.projects.slots["a"]["context"] == "kept"
        self.use("swap_project", project_key="b", current_project_update="not for b")
        assert self.npc.memory.projects.slots["b"]["context"] == ""

    def test_the_active_project_is_updated_and_completed(self):
        assert "No project is active" in self.refusal("update_project", context="x")
        self.use("create_project", project_key="inn", summary="Mend it")
        assert self.use("update_project", context="roof done") == {
            "updated": "inn",
            "status": "active",
        }
        assert self.use("update_project", completed=True)["status"] == "completed"
        assert self.use("list_projects") == {
            "active": None,
            "projects": [{"project_key": "inn", "summary": "Mend it", "status": "completed"}],
        }

    def test_a_key_is_used_once_and_there_are_not_too_many(self):
        for number in range(20):
            self.use("create_project", project_key=f"p{number}", summary="x")
        assert "already; update or swap" in self.refusal(
            "create_project", project_key="p1", summary="x"
        )
        assert "20 projects already" in self.refusal("create_project", project_key="q", summary="x")
        self.use("update_project", completed=True)
        self.use("create_project", project_key="q", summary="x")
        assert "p0" not in self.npc.memory.projects.slots

    def test_a_confidential_project_does_not_exist_for_others(self):
        self.use("create_project", project_key="inn", summary="Mend it")
        self.in_confidence()
        self.use("create_project", project_key="crown", summary="Steal it")
        self.use("swap_project", project_key="crown")
        assert self.use("list_projects", self.char1) == {
            "active": None,
            "projects": [{"project_key": "inn", "summary": "Mend it", "status": "paused"}],
        }
        assert "nothing for those who listen" in self.refusal(
            "update_project", self.char1, context="x"
        )
        assert self.use("swap_project", self.char1, project_key="crown") == {
            "error": "Project does not exist",
            "available_projects": ["inn"],
        }
        told = self.use(
            "swap_project", self.char1, project_key="inn", current_project_update="wiped"
        )
        assert told["old_project"] is None
        assert self.npc.memory.projects.slots["crown"]["context"] == ""

    def test_what_was_added_in_confidence_makes_the_project_confidential(self):
        self.use("create_project", project_key="inn", summary="Mend it")
        self.in_confidence()
        self.use("update_project", context="the duke pays")
        assert self.use("list_projects", self.char1)["projects"] == []
