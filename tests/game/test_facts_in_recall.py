"""Facts come to mind like anything else: once, in bounds, and without being waited for."""

from django.test import override_settings

from evennia_assistant.memory.retrieval import retrieve_relevant_memories

from tests.game.sleeping import SleepTest


class TestFactsInRecall(SleepTest):
    def test_a_fact_and_its_entry_are_one_memory(self):
        self.hear("I lost my silver ring at the old mill")
        self.consolidate(lambda e, known: {"fact": "Anna lost a silver ring at the old mill."})
        found = self.recalled("Where is the silver ring?")
        assert len([item for item in found if "ring" in item.text]) == 1

    def test_what_a_model_made_plain_is_found_where_the_entry_s_words_are_not(self):
        self.hear("They took it from my pocket while I watched the jugglers")
        self.consolidate(lambda e, known: {"fact": "Anna's purse was stolen at the fair."})
        (item,) = self.recalled("Whose purse was stolen at the fair?")
        assert item.text == "Anna's purse was stolen at the fair."
        assert item.kind == "fact"

    def test_after_a_restart_facts_are_there_whose_entries_are_gone(self):
        self.hear("I lost my silver ring at the old mill")
        self.consolidate()
        self.memory.journal.entries.clear()
        self.memory.journal.store.touch()
        self.memory.save()
        self.forget_caches()
        self.pump(1)
        (item,) = self.recalled("Where is the ring?")
        assert item.text == "I lost my silver ring at the old mill"
        assert (item.speaker_name, item.audience) == ("Anna", "public")

    def test_an_npc_whose_facts_cannot_be_read_goes_on_with_its_journal(self):
        self.hear("I lost my silver ring at the old mill")
        self.consolidate()
        for fault in ("raise", "hang"):
            self.facts_kept.fail("all", fault)
            self.forget_caches()
            self.pump(1)
            assert self.recalled("Where is the ring?")
        assert len(self.facts_kept.fired) == 2

    def test_an_npc_without_facts_never_asks_semantic_memory(self):
        self.hear("The bridge is out")
        self.forget_caches()
        self.recalled("bridge")
        assert self.facts_kept.calls == []

    def test_a_switched_off_memory_is_not_asked(self):
        self.hear("The bridge is out")
        self.consolidate()
        self.script.set_option("memory_enabled", "no")
        self.facts_kept.calls.clear()
        self.forget_caches()
        self.pump(1)
        assert self.recalled("bridge")
        assert self.facts_kept.calls == []

    def test_taking_an_entry_back_takes_back_what_was_made_of_it(self):
        entry = self.hear("I lost my silver ring at the old mill")
        self.consolidate(lambda e, known: {"fact": "Anna's silver ring lies at the mill."})
        self.memory.forget(entry["id"])
        self.memory.save()
        assert self.recalled("silver ring") == []
        self.forget_caches()
        self.pump(1)
        assert self.recalled("silver ring") == []

    @override_settings(ASSISTANT_INDEX_CAPACITY=40)
    def test_memory_stays_within_its_bounds_and_old_facts_are_still_found(self):
        self.hear("The crown of Eldra lies under the lighthouse")
        for n in range(120):
            self.hear(f"House number {n} has {n + 3} windows", save=n % 10 == 9)
        self.consolidate(most=25, tries=60)
        self.memory.save()
        for _ in ("at once", "after a restart"):
            assert len(self.memory.index) <= 120
            self.forget_caches()
            self.pump(1)
        index = self.memory.index
        assert len(index) <= 40
        assert self.recalled("crown of Eldra") == []
        self.memory.warm("Where is the crown of Eldra?")
        assert any("Eldra" in item.text for item in self.recalled("Where is the crown of Eldra?"))

    @override_settings(ASSISTANT_INDEX_CAPACITY=20)
    def test_a_turn_waits_seconds_at_most_for_what_is_not_at_hand(self):
        for n in range(60):
            self.hear(f"House number {n} has {n + 3} windows", save=n % 10 == 9)
        self.consolidate(most=25)
        self.facts_kept.fail("search", "hang")
        warmed = []
        self.memory.warm("Which house?").addBoth(warmed.append)
        assert not warmed
        self.pump(5)
        assert warmed == [None]


class TestRetrieval(SleepTest):
    def retrieve(self, *args, **kwargs):
        found = []
        retrieve_relevant_memories(self.script, *args, **kwargs).addCallback(found.append)
        self.pump()
        return found[0]

    def test_what_bears_on_events_or_goals_is_given_in_the_documented_form(self):
        self.hear("The silver ring lies at the old mill")
        self.hear("Cora likes honey cakes")
        self.consolidate()
        (memory,) = self.retrieve([{"words": "Where is the silver ring?"}], [])
        assert memory["memory"].endswith('"The silver ring lies at the old mill"')
        assert memory["metadata"]["source_trust"] == 0.9
        assert 0.18 <= memory["score"] <= 1.0
        assert self.retrieve([], [{"description": "Find the silver ring"}])[0]["id"] == memory["id"]

    def test_what_is_trusted_too_little_is_left_out(self):
        self.hear("The silver ring lies at the old mill", source_trust=0.3)
        self.consolidate()
        assert self.retrieve(["the silver ring"], []) == []
        assert self.retrieve(["the silver ring"], [], 0.2)

    def test_it_tells_nobody_what_they_may_not_be_told(self):
        self.hear("The silver ring lies at the old mill", manner="whisper", audience=["#5"])
        self.consolidate()
        for listeners in ((), ["#6"], ["#5", "#6"]):
            assert self.retrieve(["the silver ring"], [], listeners=listeners) == []
        assert self.retrieve(["the silver ring"], [], listeners=["#5"])

    def test_what_holds_no_longer_is_left_out(self):
        self.hear("The silver ring lies at the old mill")
        self.consolidate()
        self.links.change(self.kept()[0].id, state="superseded")
        assert self.retrieve(["the silver ring"], []) == []
