"""
Whole nights over a folder of facts that cannot be used: they end, say so, and lose nothing.

The real Mem0 on real files; what is wrong with them is real as well.

"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from unittest import mock

from django.test import override_settings
from evennia.utils.dbserialize import deserialize

from evennia_assistant.asleep.cycle import MAX_ATTEMPTS, run_sleep_tick
from evennia_assistant.awake import memory_trouble
from evennia_assistant.memory import mem0_places, semantic
from evennia_assistant.memory.mem0_memory import Mem0Memory

from tests.asleep.sleeping import NightTest
from tests.llm.conftest import spin_until

HOLDS_OPEN = (
    "import sys\n"
    "from qdrant_client import QdrantClient\n"
    "client = QdrantClient(path=sys.argv[1])\n"
    "print('open', flush=True)\n"
    "sys.stdin.read()\n"
    "client.close()\n"
)


class TestNightsWithoutFacts(NightTest):
    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name) / "bram"
        for patch in (
            override_settings(ASSISTANT_MEM0_CONFIG={"path": folder.name}),
            mock.patch.object(mem0_places, "PATIENCE", 0.1),
            mock.patch.object(memory_trouble, "tell_keepers", self.note),
        ):
            patch.__enter__()
            self.addCleanup(patch.__exit__, None, None, None)
        self.told = []
        self.open()
        self.model._handler = self.dream

    def note(self, line):
        self.told.append(line)

    def open(self):
        """A semantic memory as a new process has it."""
        self.real = Mem0Memory(clock=self.clock.seconds)
        self.real.listener = memory_trouble.tell
        standing = semantic.stand_in(self.real)
        standing.__enter__()
        self.addCleanup(standing.__exit__, None, None, None)
        self.addCleanup(self.real.close)

    def fired(self, deferred):
        outcome = []
        deferred.addBoth(outcome.append)
        spin_until(lambda: self.clock.advance(0.01) or outcome)
        if not isinstance(outcome[0], dict | list):
            outcome[0].raiseException()
        return outcome[0]

    def tick(self):
        return self.fired(run_sleep_tick(self.script, self.npc))

    def night(self):
        """A whole night; the line of its ledger on the facts."""
        self.wake()
        self.sleep()
        return deserialize(self.script.db.last_night)["ledger"]["run_sleep_consolidation"]

    def facts(self):
        return [fact.text for fact in self.fired(self.real.all("bram"))]

    def tell_of(self, *words):
        for each in words:
            self.write(1, content=each)

    def entries(self):
        return [entry["content"] for entry in self.npc.memory.journal.all_entries()]

    def check_left_for_the_next(self, line, *words, fault):
        """The night is over, without facts; its keeper knows, and all is there still."""
        assert line["state"] == "passed over" and f"({MAX_ATTEMPTS} attempts)" in line["why"]
        assert not deserialize(self.script.db.sleep_cycle)["ledger"]
        assert len(self.told) == 1 and f"({fault})" in self.told[0]
        assert [words.count(each) for each in words] == [1] * len(words)
        waiting = [entry["content"] for entry in self.npc.memory.journal.unconsolidated()]
        assert waiting == list(words) and not self.npc.memory.journal.set_aside()
        assert set(words) <= set(self.entries())

    def check_caught_up(self, line, *words):
        assert line["state"] == "done"
        facts = self.facts()
        assert [facts.count(each) for each in words] == [1] * len(words)
        assert len(facts) == len(words)
        assert not list(self.npc.memory.journal.unconsolidated())
        assert "again" in self.told[-1] and len(self.told) == 2

    def test_a_folder_another_process_holds_is_left_alone_until_it_is_free(self):
        self.tell_of("The well is dry.", "The mill burnt down.")
        self.folder.mkdir(parents=True)
        with subprocess.Popen(
            [sys.executable, "-c", HOLDS_OPEN, str(self.folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as other:
            assert other.stdout.readline() == "open\n"
            line = self.night()
            self.check_left_for_the_next(
                line, "The well is dry.", "The mill burnt down.", fault="locked"
            )
            other.stdin.close()
            other.wait(20)
        self.check_caught_up(self.night(), "The well is dry.", "The mill burnt down.")

    def test_a_folder_that_is_gone_and_cannot_be_made_is_filled_when_it_can_be(self):
        self.tell_of("The well is dry.", "The mill burnt down.")
        root = self.folder.parent
        root.rmdir()
        root.write_text("a file where the folder was")
        line = self.night()
        self.check_left_for_the_next(
            line, "The well is dry.", "The mill burnt down.", fault="unavailable"
        )
        root.unlink()
        root.mkdir()
        self.check_caught_up(self.night(), "The well is dry.", "The mill burnt down.")

    def test_a_corrupt_folder_is_not_written_to_and_goes_on_when_it_was_put_back(self):
        self.tell_of("The well is dry.")
        assert self.night()["state"] == "done"
        self.real.close()
        backup = self.folder.with_name("backup")
        shutil.copytree(self.folder, backup)
        (stored,) = self.folder.rglob("storage.sqlite")
        stored.write_bytes(b"no database" * 500)
        self.open()
        self.forget_caches()
        self.tell_of("The mill burnt down.")
        line = self.night()
        self.check_left_for_the_next(line, "The mill burnt down.", fault="corrupt")
        assert stored.read_bytes() == b"no database" * 500
        shutil.rmtree(self.folder)
        backup.rename(self.folder)
        self.check_caught_up(self.night(), "The well is dry.", "The mill burnt down.")

    def test_a_folder_removed_while_it_is_in_use_costs_no_entry(self):
        self.tell_of("The well is dry.")
        self.night()
        shutil.rmtree(self.folder)
        self.tell_of("The mill burnt down.")
        line = self.night()
        assert line["state"] == "done" and len(line["failures"]) == 1
        assert "was removed or replaced" in line["failures"][0]
        assert "(unavailable)" in self.told[0] and "again" in self.told[1]
        assert self.facts() == ["The mill burnt down."]
        assert set(self.entries()) >= {"The well is dry.", "The mill burnt down."}
