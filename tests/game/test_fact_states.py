"""What became of facts is said of many entries at once as it is of each by itself."""

import random

from evennia_assistant.memory.memory_links import ROOM

from tests.game.npc import NpcTest

STATES = ("active", "active", "superseded", "merged", "dormant", "dying")


class TestStates(NpcTest):
    def setUp(self):
        super().setUp()
        self.links = self.npc.memory.facts.links
        self.ids = [f"fact-{n:04d}" for n in range(ROOM + 40)]
        self.choose = random.Random(3)
        for fact_id in self.ids:
            self.links.change(
                fact_id,
                state=self.choose.choice(STATES),
                processed_at="2026-01-05T03:10:00.000000Z",
            )
        self.links.save()

    def entries(self):
        made = [self.choose.sample([*self.ids, "unheard of"], n % 4) for n in range(300)]
        return [{"mem0_ids": ids} for ids in made] + [{"state": "dormant"}, {}]

    def as_one_by_one(self):
        facts, states = self.npc.memory.facts, self.npc.memory.facts.states()
        found = set()
        for entry in self.entries():
            assert states.hides(entry) == facts.hides(entry)
            assert states.sleeps(entry) == facts.sleeps(entry)
            found.add((facts.hides(entry), facts.sleeps(entry)))
        return found

    def test_they_are_the_same_in_every_attribute_and_after_a_start(self):
        assert len(self.as_one_by_one()) == 3
        assert self.links.fading()
        self.forget_caches()
        assert len(self.as_one_by_one()) == 3

    def test_a_change_is_seen_at_once_wherever_the_record_stands(self):
        before = self.links.fading()
        for fact_id in (self.ids[0], self.ids[-1]):
            self.links.change(fact_id, state="merged")
            assert self.links.fading()[fact_id] == "merged"
            self.links.change(fact_id, state="active")
            assert fact_id not in self.links.fading()
        self.links.remove([self.ids[5]])
        expected = {key: state for key, state in before.items() if key in self.links.fading()}
        assert {k: v for k, v in self.links.fading().items() if k in expected} == expected

    def test_what_somebody_writes_past_the_store_is_seen(self):
        self.npc.assistant_script.db.memory_links = {
            "fact-x": {"state": "superseded", "processed_at": None, "linked_to": []}
        }
        assert self.links.fading()["fact-x"] == "superseded"
