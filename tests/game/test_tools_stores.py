"""Goals, projects and session memory survive junk, other hands, and cost nothing unused."""

from django.db import connection
from django.test.utils import CaptureQueriesContext
from evennia.utils.dbserialize import deserialize

from tests.game.tooling import ToolTest

JUNK = ("text", 7, ["a"], {"slots": 5, "goals": "x", "facts": 3}, {1: 2}, [None])


class TestJunk(ToolTest):
    def test_junk_is_set_aside_and_the_npc_goes_on(self):
        for junk in JUNK:
            self.npc.db.projects = junk
            self.npc.db.session_memory = junk
            self.script.db.current_goals = junk
            self.use("create_project", project_key="inn", summary="x")
            self.use("remember_fact", fact="The inn is full.")
            self.use("create_goal", self.char1, description="x")
            for obj, name in (
                (self.npc, "projects"),
                (self.npc, "session_memory"),
                (self.script, "current_goals"),
            ):
                # Of these, a mapping with odd keys is a session memory in which nothing stands.
                aside = deserialize(obj.attributes.get(f"{name}_set_aside"))
                assert aside == junk or (name, junk) == ("session_memory", {1: 2}), (name, junk)

    def test_the_sound_part_is_used(self):
        self.npc.db.projects = {
            "active": "gone",
            "slots": {"inn": {"summary": "x", "status": "paused"}, "bad": {"status": "?"}, 3: {}},
        }
        projects = self.npc.memory.projects
        assert list(projects.slots) == ["inn"] and projects.active is None
        # Nobody wrote down who may be told, so nobody is.
        assert projects.visible([f"#{self.char2.pk}"]) == {}
        self.npc.db.session_memory = {"facts": ["The inn is full.", 5, {"text": "hidden"}]}
        memory = self.npc.memory.session_memory
        told = memory.told_to("facts", [f"#{self.char2.pk}"])
        assert [note["text"] for note in told] == ["The inn is full."]
        assert memory.told_to("patterns", []) == []

    def test_stored_circles_and_lost_parents_come_to_the_top(self):
        def goal(number, parent):
            return {"goal_id": f"g{number}", "description": "x", "parent_id": parent}

        chain = [goal(number, f"g{number - 1}") for number in range(20, 400)]
        self.script.db.current_goals = {
            "goals": [
                goal(1, "g2"),
                goal(2, "g3"),
                goal(3, "g1"),
                goal(4, "g4"),
                goal(5, "lost"),
                goal(5, None),
                {"goal_id": "g6", "description": "x", "status": "on fire"},
                {"goal_id": "", "description": "x"},
                "junk",
                *chain,
            ],
            "version": 1,
        }
        goals = self.npc.memory.goals
        known = {goal["goal_id"]: goal["parent_id"] for goal in goals.all}
        assert set(known) == {f"g{n}" for n in (1, 2, 3, 4, 5, *range(20, 400))}
        assert (known["g1"], known["g2"], known["g3"]) == (None, "g3", "g1")
        assert known["g4"] is None and known["g5"] is None
        assert goals.progress("g1") == 0.0
        assert self.script.attributes.has("current_goals_set_aside")


class TestSeveralHands(ToolTest):
    def test_two_keepers_editing_one_npc_lose_nothing_of_each_other(self):
        self.use("create_project", project_key="inn", summary="x")
        slots = deserialize(self.npc.db.projects)
        slots["slots"]["garden"] = {**slots["slots"]["inn"], "summary": "theirs"}
        self.npc.db.projects = slots
        self.use("update_project", context="ours")
        stored = deserialize(self.npc.db.projects)["slots"]
        assert stored["garden"]["summary"] == "theirs" and stored["inn"]["context"] == "ours"

    def test_a_goal_added_with_py_is_seen_and_kept(self):
        self.npc.memory.goals.create("One", audience="public")
        self.npc.memory.save()
        self.script.db.current_goals["goals"].append({"goal_id": "g7", "description": "Theirs"})
        self.npc.memory.goals.create("Three", audience="public")
        self.npc.memory.save()
        kept = [goal["goal_id"] for goal in deserialize(self.script.db.current_goals)["goals"]]
        assert kept == ["g1", "g7", "g8"]

    def test_all_of_it_is_there_after_a_restart(self):
        self.use("create_project", project_key="inn", summary="x")
        self.use("remember_fact", fact="The inn is full.")
        self.use("create_goal", description="Find the cat")
        self.forget_caches()
        memory = self.npc.memory
        assert list(memory.projects.slots) == ["inn"]
        assert memory.session_memory.store.data["facts"][0]["text"] == "The inn is full."
        assert memory.goals.find("g1")["description"] == "Find the cat"


class TestCost(ToolTest):
    def test_a_turn_that_does_not_touch_them_neither_reads_nor_writes_them(self):
        self.model.add("Aye.", "Aye.")
        self.say("Bram, hello there, is the inn full?")
        self.pump()
        with CaptureQueriesContext(connection) as queries:
            self.say("Bram, and the garden, is it green?")
            self.pump()
        text = " ".join(query["sql"] for query in queries)
        for name in ("projects", "session_memory", "current_goals"):
            assert name not in text
            assert not self.npc.attributes.has(name)
