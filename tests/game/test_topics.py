"""Recalling by topic, in a turn and with `aimemory`: what is told, to whom, and what it wakes."""

from twisted.python.failure import Failure

from evennia_assistant.asleep.retention import run_retention
from evennia_assistant.asleep.topics import run_topics
from evennia_assistant.memory.retention import flush_hits

from tests.asleep.remembering import told
from tests.game.commanding import CommandTest
from tests.game.tooling import ToolTest


class Sorted:
    """Topics without a model; mixed into a test."""

    def tell(self, words, **fields):
        fields = {"audience": "public", **fields}
        entry = self.npc.memory.write(words, when=self.agent.now(), **fields)
        self.npc.memory.save()
        return entry["id"]

    def sort(self):
        self.script.attributes.add("memory_enabled", False)
        model, self.agent.model = self.agent.model, None
        for step in (run_topics, run_retention):
            outcome = []
            step(self.script, self.npc).addBoth(outcome.append)
            self.pump()
            assert not isinstance(outcome[0], Failure), outcome
        self.agent.model = model

    def sleepy(self, number):
        """Have a memory be dormant."""
        self.npc.memory.journal.update({number: {"state": "dormant", "cycles": 60}})
        self.npc.memory.save()
        self.npc.memory.follow([f"j{number}"])


class TestRecallMemory(Sorted, ToolTest):
    allowed = "recall_memory"

    def test_without_a_topic_it_lists_what_there_is(self):
        for _name, words in told(4, ["ferry", "wolves"]):
            self.tell(words)
        self.sort()
        listed = self.use("recall_memory")["topics"]
        assert sum(each["memories"] for each in listed) == 8
        assert all(each["name"] and each["digest"] for each in listed)

    def test_a_topic_is_opened_by_its_name_and_the_important_comes_first(self):
        for number in range(4):
            self.tell(f"The ferry to Ashford costs {number} coppers", importance=3 + number)
        self.sort()
        name = self.use("recall_memory")["topics"][0]["name"]
        found = self.use("recall_memory", topic=name.upper(), limit=2)
        assert found["digest"]
        assert ["3 coppers" in memory["text"] for memory in found["memories"]] == [True, False]
        asked = self.use("recall_memory", topic=name, query="1 coppers", limit=1)
        assert "1 coppers" in asked["memories"][0]["text"]

    def test_it_reaches_what_faded_and_brings_it_nearer(self):
        numbers = [self.tell(f"The ferry to Ashford costs {n} coppers") for n in range(3)]
        self.sort()
        self.sleepy(numbers[0])
        topic = self.npc.memory.journal.find(numbers[0])["topic"]
        found = self.use("recall_memory", topic=topic)
        assert any(memory["id"] == f"j{numbers[0]}" for memory in found["memories"])
        assert self.script.ndb.hits[f"j{numbers[0]}"] == 2
        assert self.script.ndb.hits[f"j{numbers[1]}"] == 1
        for store in flush_hits(self.script, self.npc):
            store.save()
        assert self.npc.memory.journal.find(numbers[0])["hits"] == 2

    def test_recall_memories_reaches_what_faded_only_when_told_to_look_deep(self):
        number = self.tell("The ferry to Ashford costs three coppers")
        awake = self.tell("The ferry to the island costs too much")
        self.sleepy(number)
        question = "What does the ferry cost?"
        found = self.use("recall_memories", query=question)["memories"]
        assert [memory["id"] for memory in found] == [f"j{awake}"]
        deep = self.use("recall_memories", query=question, deep=True)["memories"]
        assert {memory["id"] for memory in deep} == {f"j{number}", f"j{awake}"}

    def test_a_confidence_is_in_no_list_and_under_no_name_for_others(self):
        only = [f"#{self.char1.pk}", f"#{self.npc.pk}"]
        for number in range(3):
            self.tell(f"The ferry hides zqaxv{number}", audience=only, tags=["whisper"])
        for number in range(3):
            self.tell(f"The ferry is late, {number}")
        self.sort()
        for who in (self.char2, self.char1):
            # Aloud, not even its owner is told.
            listed = self.use("recall_memory", who)
            assert "zqaxv" not in str(listed)
            for each in listed["topics"]:
                assert "zqaxv" not in str(self.use("recall_memory", who, topic=each["topic"]))

    def test_a_topic_there_is_not_is_refused_with_those_there_are(self):
        assert "while you sleep" in self.refusal("recall_memory", topic="dragons")
        for number in range(3):
            self.tell(f"The ferry to Ashford costs {number} coppers")
        self.sort()
        assert "There are: " in self.refusal("recall_memory", topic="dragons")

    def test_what_it_gives_has_room_in_a_result(self):
        for number in range(10):
            self.tell(f"The ferry to Ashford, {number}: " + "very late " * 90)
        self.sort()
        topic = self.use("recall_memory")["topics"][0]["topic"]
        found = self.use("recall_memory", topic=topic, limit=20)
        assert len(str(found)) <= 4000
        assert found["left_out"]


class TestCommands(Sorted, CommandTest):
    def setUp(self):
        super().setUp()
        self.only = [f"#{self.admin.pk}", f"#{self.npc.pk}"]

    def test_topics_show_each_reader_what_they_may_be_told(self):
        for number in range(3):
            self.tell(f"The ring zqaxv lies under the altar, {number}", audience=self.only)
        assert self.type_in("aimemory/topics bram").startswith("Bram has no topics")
        self.sort()
        assert "zqaxv" in self.type_in("aimemory/topics bram", self.admin)
        assert "zqaxv" not in self.type_in("aimemory/topics bram", self.builder)

    def test_one_topic_shows_its_memories_and_which_of_them_sleep(self):
        numbers = [self.tell(f"The ferry to Ashford costs {n} coppers") for n in range(3)]
        self.sort()
        self.sleepy(numbers[1])
        topic = self.npc.memory.journal.find(numbers[0])["topic"]
        shown = self.type_in(f"aimemory/topics bram = {topic}")
        assert shown.count("(dormant)") == 1
        assert shown.count("coppers") >= 3
        assert 'no topic "dragons"' in self.type_in("aimemory/topics bram = dragons")

    def test_a_pin_holds_until_it_is_taken_out(self):
        number = self.tell("The key is under the stone")
        assert "never fades now" in self.type_in(f"aimemory/pin bram = j{number}", self.admin)
        assert self.npc.memory.journal.find(number)["pinned"] is True
        told = self.type_in(f"aimemory/pin bram = {number}", self.admin)
        assert "fades as others do again" in told
        assert not self.npc.memory.journal.find(number).get("pinned")

    def test_only_a_keeper_may_pin_and_only_what_they_may_be_told(self):
        number = self.tell("The key is under the stone", audience=["#999"])
        assert "pin" not in self.npc.memory.journal.find(number)
        self.type_in(f"aimemory/pin bram = j{number}", self.builder)
        told = self.type_in(f"aimemory/pin bram = j{number}", self.admin)
        assert "that you may be told of" in told
        assert not self.npc.memory.journal.find(number).get("pinned")
        told = self.type_in("aimemory/pin bram = j998", self.admin)
        assert "no memory" in told
