"""An NPC walks where its own way and that of whoever asked are open."""

from evennia.utils.create import create_object

from tests.game.tooling import ToolTest


class TestGo(ToolTest):
    def test_it_leaves_through_an_exit_and_both_rooms_see_it(self):
        self.char2.location = self.room2
        told = self.use("go", self.char1, exit="out")
        assert told == {"went": "out", "now_in": "Room2"}
        assert self.npc.location == self.room2
        assert "Bram is leaving Room" in self.heard_by(self.char1)[-1]
        assert "Bram arrives" in self.heard_by(self.char2)[-1]

    def test_a_locked_door_stays_locked_in_its_own_words(self):
        self.exit.locks.add("traverse:false()")
        self.exit.db.err_traverse = "The door is locked."
        assert self.refusal("go", exit="out") == "The door is locked."
        assert self.npc.location == self.room1

    def test_a_player_opens_no_way_through_an_npc_that_is_closed_to_it(self):
        self.exit.locks.add(f"traverse:id({self.npc.pk})")
        assert self.refusal("go", exit="out") == (
            "Char2 may not do that, so you do not do it for them."
        )

    def test_what_is_no_exit_is_no_way(self):
        for name in ("Char", "Obj", "north", "the moon", "Room2"):
            assert "There is no" in self.refusal("go", exit=name)

    def test_a_move_that_fails_is_told_as_failed(self):
        self.npc.at_pre_move = lambda destination, **kwargs: False
        assert "you are where you were" in self.refusal("go", exit="out")

    def test_nowhere_has_no_way_out(self):
        self.npc.location = None
        assert "nothing to be seen" in self.refusal("go", exit="out")


class TestFollow(ToolTest):
    def walk(self, who=None):
        walker = who or self.char2
        way = next(iter(walker.location.exits))
        way.at_traverse(walker, way.destination)
        self.pump(2)

    def test_it_goes_after_whom_it_follows_until_told_to_stop(self):
        assert self.use("follow", who="Char2") == {"following": "Char2"}
        self.walk()
        assert self.npc.location == self.room2
        assert self.use("stop_following") == {"following": None, "stays_in": "Room2"}
        create_object(
            "evennia.objects.objects.DefaultExit",
            key="back",
            location=self.room2,
            destination=self.room1,
        )
        self.walk()
        assert self.npc.location == self.room2 and self.char2.location == self.room1

    def test_it_follows_after_a_reload(self):
        self.use("follow", who="Char2")
        self.forget_caches()
        self.walk()
        assert self.npc.location == self.room2

    def test_only_the_one_it_follows_takes_it_along(self):
        self.use("follow", who="Char2")
        self.walk(self.char1)
        assert self.npc.location == self.room1

    def test_it_stays_at_a_door_that_is_locked_for_it_and_has_lost_them(self):
        self.use("follow", who="Char2")
        self.exit.locks.add(f"traverse:not id({self.npc.pk})")
        self.walk()
        assert self.npc.location == self.room1 and self.npc.db.following is None

    def test_it_stays_when_the_tool_was_taken_from_it(self):
        self.use("follow", who="Char2")
        self.script.set_option("allowed_tools", "none")
        self.walk()
        assert self.npc.location == self.room1

    def test_a_leader_who_is_deleted_is_followed_nowhere(self):
        self.use("follow", who="Char2")
        way = self.exit
        way.at_traverse(self.char2, way.destination)
        self.char2.delete()
        self.pump(2)
        assert self.npc.location == self.room1 and self.npc.db.following is None

    def test_it_follows_neither_itself_nor_the_absent_nor_those_who_forbid_it(self):
        assert self.refusal("follow", who="Bram") == "You cannot follow yourself."
        assert "There is no 'anna' here" in self.refusal("follow", who="Anna")
        self.char1.locks.add("follow:false()")
        assert self.refusal("follow", who="Char") == "Char may not be followed."
        assert self.refusal("stop_following") == "You follow nobody."
