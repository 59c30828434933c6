"""5. What was merged never comes back; what is dormant does after two deep hits."""

from evennia_assistant.memory.retention import note_hits

from tests.asleep.remembering import Remembering
from tests.asleep.sleeping import NightTest


class TestMergedStaysMerged(Remembering, NightTest):
    """With the journal alone, and with facts in semantic memory."""

    facts = False

    def setUp(self):
        super().setUp()
        self.agent.model = None
        self.script.attributes.add("memory_enabled", self.facts)

    def tell(self, words, **fields):
        entry = self.npc.memory.write(
            f'Anna said: "{words}"',
            when=self.clock.seconds(),
            source_entity="Anna",
            source_id="#77",
            source_type="direct",
            audience="public",
            importance=fields.pop("importance", 5),
            **fields,
        )
        self.npc.memory.save()
        return entry["id"]

    def name(self, entry_id):
        """The entry, or the fact that was made of it."""
        entry = self.npc.memory.journal.find_anywhere(entry_id)
        return (entry.get("mem0_ids") or [f"j{entry_id}"])[0]

    def now(self, entry_id):
        """The state of what an entry became."""
        if not self.facts:
            return self.state(entry_id)
        return self.npc.memory.facts.links.state(self.name(entry_id))

    def set_up_pair(self):
        weak = self.tell("The old ferry across the river Ash leaves at noon today", importance=3)
        strong = self.tell("The old ferry across the river Ash leaves at noon today again")
        other = self.tell("Cora breeds goats on the northern slope", importance=3)
        self.sleep()
        self.wake()
        return weak, strong, other

    def search_deeply(self, entry_id, question):
        hits = [
            hit.item.id
            for hit in self.npc.memory.recall(
                question, listeners=["#1"], now=self.clock.seconds(), deep=True
            ).hits
            if f"j{entry_id}" in (hit.item.id, *hit.item.sources)
        ]
        assert hits
        note_hits(self.npc, hits[:1])

    def test_merged_never_revives_and_dormant_does(self):
        weak, strong, other = self.set_up_pair()
        self.nights(60)
        assert self.now(weak) == "merged"
        assert self.now(strong) == "active"
        assert self.now(other) == "dormant"

        # Whatever is recalled of the survivor, and however many nights pass.
        for _time in range(3):
            self.search_deeply(strong, "ferry across the river Ash")
        self.nights(2)
        assert self.now(weak) == "merged"

        self.search_deeply(other, "Who breeds goats?")
        self.nights(1, hours=1)
        first = self.now(other)
        self.search_deeply(other, "Who breeds goats?")
        self.nights(1, hours=1)
        assert (first, self.now(other)) in (("active", "active"), ("dormant", "active"))
        assert "goats" in self.texts_recalled("Who breeds goats?")

    def test_what_is_dormant_is_found_by_a_deep_search_only(self):
        _weak, _strong, other = self.set_up_pair()
        self.nights(60)
        for _time in ("at once", "after a restart"):
            assert "goats" not in self.texts_recalled("Who breeds goats?")
            assert "goats" in self.texts_recalled("Who breeds goats?", deep=True)
            self.forget_caches()
            self.pump(1)
        assert self.now(other) == "dormant"

    def test_the_survivor_gains_and_has_both_dates(self):
        weak, strong, _other = self.set_up_pair()
        self.nights(60)
        members = self.members()
        assert self.name(weak) not in members
        survivor = members[self.name(strong)]
        assert survivor.gained == 0.05
        record = self.npc.memory.journal.find_anywhere(strong)
        if self.facts:
            record = self.npc.memory.facts.links.get(self.name(strong))
        assert record["mention_count"] == 2
        assert record["when"]
        assert self.npc.memory.journal.find_anywhere(strong)["importance"] == 5

    def texts_recalled(self, question, deep=False):
        found = self.npc.memory.recall(
            question, listeners=["#1"], now=self.clock.seconds(), deep=deep
        )
        # A diary quotes what was at hand on its day.
        return " ".join(hit.item.text for hit in found.hits if hit.item.kind != "summary")


class TestMergedFactsStayMerged(TestMergedStaysMerged):
    facts = True
