"""With the real Mem0 on its embedded store: a day, a night, a restart, and the next day."""

import tempfile

from django.test import override_settings

from evennia_assistant.asleep.consolidation import run_sleep_consolidation
from evennia_assistant.asleep.links import prune_orphaned_memory_links, run_dreaming_tick
from evennia_assistant.memory import semantic
from evennia_assistant.memory.mem0_memory import Mem0Memory
from evennia_assistant.memory.retrieval import retrieve_relevant_memories

from tests.game.sleeping import SleepTest
from tests.llm.conftest import spin_until


class TestNightWithMem0(SleepTest):
    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        settings = override_settings(ASSISTANT_MEM0_CONFIG={"path": folder.name})
        settings.enable()
        self.addCleanup(settings.disable)
        self.open()

    def open(self):
        """A semantic memory as a new process has it."""
        real = Mem0Memory()
        standing = semantic.stand_in(real)
        standing.__enter__()
        self.addCleanup(standing.__exit__, None, None, None)
        self.addCleanup(real.close)
        return real

    def wait(self, deferred):
        outcome = []
        deferred.addBoth(outcome.append)
        spin_until(lambda: self.clock.settle() or outcome)
        return outcome[0]

    def test_what_was_heard_by_day_is_linked_kept_and_recalled_after_a_restart(self):
        self.agent.model = None
        entry = self.hear("I lost the silver ring of my aunt near the old mill")
        self.hear("the silver ring of an aunt shines near the old mill", who="#9", name="Bo")
        self.hear("The gold lies under the oak", manner="whisper", audience=["#5"], who="#5")
        report = self.wait(run_sleep_consolidation(self.script, self.npc, 10))
        assert (report["facts"], report["completed"]) == (3, True)
        again = self.wait(run_sleep_consolidation(self.script, self.npc, 10))
        assert (again["facts"], again["completed"]) == (0, True)
        while not self.wait(run_dreaming_tick(self.script, self.npc))["completed"]:
            pass
        (ring,) = self.memory.journal.find(entry["id"])["mem0_ids"]
        ((other, score),) = self.links.linked(ring)
        assert self.links.linked(other) == [(ring, score)]
        assert self.wait(prune_orphaned_memory_links(self.script))["records"] == 0

        semantic.semantic_memory().close()
        journal = self.memory.journal
        journal.entries.clear()
        journal.store.touch()
        self.memory.save()
        self.open()
        self.forget_caches()
        assert self.memory.index is not None
        spin_until(lambda: self.clock.settle() or len(self.memory.index) == 3)
        assert any("silver ring" in item.text for item in self.recalled("Where is the ring?"))
        assert not any("oak" in item.text for item in self.recalled("gold under the oak", "#6"))
        assert any("oak" in item.text for item in self.recalled("gold under the oak", "#5"))
        found = self.wait(retrieve_relevant_memories(self.script, ["the silver ring"], []))
        assert len(found) == 2
        assert {memory["metadata"]["source"] for memory in found} == {"journal"}
