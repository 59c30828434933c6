"""4. What is written while the NPC sleeps survives, and is the next night's."""

from tests.asleep.sleeping import NightTest


class TestMidSleep(NightTest):
    def setUp(self):
        super().setUp()
        self.model._handler = self.dream

    def test_what_is_written_during_the_night_waits_for_the_next(self):
        self.write(25)
        self.tick()
        late = self.write(1, content="A ship burns in the harbour!")[0]
        self.sleep()
        assert late["importance_method"] == "heuristic"
        state = self.npc.memory.reflection.store.data
        assert state["entries_since_reflection"] == [late["id"]]
        assert state["cumulative_importance"] == late["importance"]
        self.wake()
        self.sleep()
        assert late["importance_method"] == "llm"

    def test_what_is_written_between_any_two_steps_is_kept_and_becomes_one_fact(self):
        self.write(12)
        late, is_open = [], True
        while is_open:
            late.append(f"Guest {len(late)} knocked in the night.")
            self.write(1, content=late[-1])
            is_open = self.tick()["open"]
        assert len(late) >= 5
        facts = [fact.text for fact in self.facts_kept.facts("bram")]
        assert not set(late[1:]) & set(facts)
        self.wake()
        self.sleep()
        facts = [fact.text for fact in self.facts_kept.facts("bram")]
        assert [facts.count(words) for words in late] == [1] * len(late)
        contents = [entry["content"] for entry in self.npc.memory.journal.all_entries()]
        assert [contents.count(words) for words in late] == [1] * len(late)
