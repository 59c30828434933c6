"""7. Ids a model invents, pinned memories and the survivor itself are left alone."""

import contextlib

from evennia_assistant.errors import ModelAnswerError

from tests.asleep.remembering import Remembering, told
from tests.asleep.sleeping import NightTest
from tests.asleep.test_topics import TopicTest


class TestInventedIds(TopicTest):
    def test_invented_foreign_and_repeated_ids_move_nothing(self):
        for _name, words in told(11, ["ferry", "wolves"]):
            self.tell(words)
        hidden = self.tell("zqaxv is hidden", audience=["#5"], tags=["whisper"])

        def name_for(group):
            ids = [line["id"] for line in group["memories"]]
            parts = [
                {"name": "Invented", "memories": ["j998", "j999", f"j{hidden['id']}"]},
                {"name": "One alone", "memories": [ids[0], ids[0]]},
                {"name": "Nobody stays", "memories": ids},
                {"name": "No list", "memories": {"id": ids[0]}},
            ]
            return {"topic": group["topic"], "name": "Fine", "digest": "", "split": parts}

        self.name_for = name_for
        before = set(self.members())
        self.sort()
        assert set(self.members()) == before
        names = {record["name"] for record in self.records().values()}
        assert not names & {"Invented", "One alone"}
        sizes = [len(held) for held in self.topics().values()]
        assert all(2 <= size <= 10 for size in sizes)
        place = self.npc.memory.journal.find_anywhere(hidden["id"])["topic"]
        assert place in self.npc.memory.topics.records
        assert self.npc.memory.topics.records[place]["parent"] is None

    def test_a_record_about_a_topic_that_was_not_shown_is_dropped(self):
        for _name, words in told(4):
            self.tell(words)
        self.name_for = lambda group: {"topic": "t77", "name": "Elsewhere", "digest": ""}
        with contextlib.suppress(ModelAnswerError):
            self.sort()
        assert "Elsewhere" not in {record["name"] for record in self.records().values()}


class TestPinnedAndSelf(Remembering, NightTest):
    def setUp(self):
        super().setUp()
        self.agent.model = None
        self.script.attributes.add("memory_enabled", False)

    def test_pinned_memories_are_never_absorbed_and_nothing_absorbs_itself(self):
        fields = {"audience": "public", "importance": 3}
        pinned = self.npc.memory.write("The ferry leaves at noon", when=0.0, pinned=True, **fields)
        weak = self.npc.memory.write("The ferry leaves at noon.", when=0.0, **fields)
        lone = self.npc.memory.write("Cora breeds goats", when=0.0, **fields)
        self.npc.memory.save()
        self.nights(120)
        assert self.state(pinned["id"]) == "active"
        assert self.state(weak["id"]) == "merged"
        assert self.npc.memory.journal.find_anywhere(weak["id"])["successor"] == pinned["id"]
        assert self.state(lone["id"]) == "dormant"
        successors = {e["id"]: e.get("successor") for e in self.npc.memory.journal.all_entries()}
        assert all(number != successor for number, successor in successors.items())
