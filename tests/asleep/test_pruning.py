"""What leaves the journal after a month, and what stays because something rests on it."""

from evennia_assistant.asleep.pruning import prune_low_importance_entries
from evennia_assistant.mind.entry import timestamp_of

from tests.asleep.sleeping import NightTest


class TestPruning(NightTest):
    def old(self, number, importance=3, days=31, consolidated=True, **fields):
        for entry in self.write(number, importance=importance, **fields):
            moment = self.clock.seconds() - days * 86_400
            entry["timestamp"] = timestamp_of(moment)
            if consolidated:
                ids = self.npc.memory.journal.store.data["consolidated_entry_ids"]
                ids.append(entry["id"])
        self.npc.memory.journal.store.touch()
        self.npc.memory.save()

    def left(self):
        return len(self.npc.memory.journal.entries)

    def test_ten_at_once_go_the_oldest_first_and_are_recalled_no_more(self):
        self.old(12)
        assert prune_low_importance_entries(self.npc) == {"completed": True, "pruned": 10}
        assert [entry["id"] for entry in self.npc.memory.journal.entries] == [11, 12]
        found = self.npc.memory.recall("Event 3 at the quay", listeners=["#1"]).hits
        assert "j3" not in [hit.item.id for hit in found]

    def test_importance_and_age_both_count(self):
        self.old(1, importance=4)
        self.old(1, days=29)
        assert prune_low_importance_entries(self.npc)["pruned"] == 0

    def test_what_is_no_fact_yet_stays_as_long_as_facts_are_kept(self):
        self.old(2, consolidated=False)
        assert prune_low_importance_entries(self.npc)["pruned"] == 0
        self.script.attributes.add("memory_enabled", False)
        assert prune_low_importance_entries(self.npc)["pruned"] == 2

    def test_pinned_entries_and_evidence_stay(self):
        self.old(1, pinned=True)
        self.old(3)
        self.write(1, content="It adds up.", kind="synthesis", evidence=["j2"], importance=8)
        self.npc.memory.profiles.ensure("#77", "player", "Anna")["attributes"]["drink"] = {
            "value": "tea",
            "evidence": [3],
        }
        assert prune_low_importance_entries(self.npc)["pruned"] == 1
        assert [entry["id"] for entry in self.npc.memory.journal.entries] == [1, 2, 3, 5]
