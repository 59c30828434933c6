"""Attributes read at once are those Evennia reads one by one, and the absent ones stay absent."""

from django.db import connection
from django.test.utils import CaptureQueriesContext

from evennia_assistant.memory.attribute_value import know, know_all

from tests.game.npc import NpcTest

ARCHIVE = "assistant_archive"


class TestKnowAll(NpcTest):
    def setUp(self):
        super().setUp()
        self.npc.attributes.add("favourite", ["blue", {"and": "green"}])
        self.npc.attributes.add("c1", [1, 2], category=ARCHIVE)
        self.npc.nicks.add("favourite", "gray", category=None)
        self.npc.attributes.reset_cache()

    def queries(self, function):
        with CaptureQueriesContext(connection) as asked:
            self.read = function()
        return len(asked)

    def test_nothing_is_asked_for_afterwards_but_the_archive(self):
        know_all(self.npc)
        get = self.npc.attributes.get
        assert self.queries(lambda: get("favourite")) == 0
        assert self.read == ["blue", {"and": "green"}]
        assert self.queries(lambda: [get(f"absent{n}") for n in range(9)]) == 0
        assert self.read == [None] * 9
        assert self.queries(lambda: know_all(self.npc)) == 0
        assert get("c1", category=ARCHIVE) == [1, 2]
        assert get("c2", category=ARCHIVE) is None

    def test_what_is_written_and_removed_later_is_seen(self):
        know_all(self.npc)
        self.npc.db.absent = "present"
        assert self.npc.db.absent == "present"
        del self.npc.db.favourite
        assert self.npc.db.favourite is None
        self.npc.db.favourite = "red"
        self.npc.attributes.reset_cache()
        assert (self.npc.db.favourite, self.npc.db.absent) == ("red", "present")

    def test_what_was_in_hand_before_stays_the_same_row(self):
        self.npc.attributes.reset_cache()
        row = self.npc.attributes.get("favourite", return_obj=True)
        know_all(self.npc)
        assert self.npc.attributes.get("favourite", return_obj=True) is row
        assert {attribute.key for attribute in self.npc.attributes.all()} >= {"favourite", "c1"}

    def test_some_are_read_with_one_query_and_those_it_lacks_are_not_looked_for_again(self):
        self.npc.db.colour = "green"
        self.npc.attributes.reset_cache()
        assert self.queries(lambda: know(self.npc, "favourite", "colour", "absent")) == 1
        get = self.npc.attributes.get
        assert self.queries(lambda: [get("favourite"), get("colour"), get("absent")]) == 0
        assert self.read == [["blue", {"and": "green"}], "green", None]
        assert self.queries(lambda: know(self.npc, "favourite", "absent")) == 0
        assert self.queries(lambda: get("c1", category=ARCHIVE)) > 0 and self.read == [1, 2]

    def test_a_start_asks_for_what_it_reads_of_a_script_at_once(self):
        self.script.at_server_shutdown()
        self.script.attributes.reset_cache()
        with CaptureQueriesContext(connection) as asked:
            self.script.at_server_start()
        own = [q["sql"] for q in asked if "scripts_scriptdb_db_attributes" in q["sql"]]
        # One for the list, and one for the links of facts; one by one it would be fifteen.
        assert len(own) <= 2
