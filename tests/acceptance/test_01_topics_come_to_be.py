"""1. 200 entries, 5 topics, no model: at least 4 topics, and none above 10 after the split."""

from evennia_assistant.memory.members import Members

from tests.asleep.remembering import Remembering, told
from tests.asleep.sleeping import NightTest


class TestTopicsComeToBe(Remembering, NightTest):
    def setUp(self):
        super().setUp()
        self.agent.model = None

    def tell(self, lines):
        for _name, words in lines:
            self.npc.memory.write(
                f'Anna said: "{words}"',
                when=self.clock.seconds(),
                source_entity="Anna",
                source_id="#77",
                source_type="direct",
                audience="public",
            )
            self.clock.advance(60)
        self.npc.memory.save()

    def subjects_of(self, subject_of):
        """The share of members of each topic that are of its main subject."""
        shares = []
        for members in self.topics().values():
            subjects = [subject_of[self.words(name)] for name in members]
            shares.append(max(map(subjects.count, subjects)) / len(subjects))
        return shares

    def words(self, name):
        return Members(self.npc.memory).item(name).text

    def check(self):
        lines = told(40)
        lines.sort(key=lambda line: line[1].split()[-1])
        self.tell(lines)
        self.sleep()
        held = self.topics()
        assert len(held) >= 4
        assert max(map(len, held.values())) <= 10
        assert sum(map(len, held.values())) >= 190
        shares = self.subjects_of({words: name for name, words in lines})
        assert sum(shares) / len(shares) >= 0.9
        names = [record["name"] for record in self.npc.memory.topics.records.values()]
        assert all(names)

    def test_with_facts_in_semantic_memory(self):
        self.check()

    def test_with_the_journal_alone(self):
        self.script.attributes.add("memory_enabled", False)
        self.check()
