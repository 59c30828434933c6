"""With the real Mem0 on its embedded store: what was forgotten is not in its files either."""

import sqlite3
import tempfile
from pathlib import Path

from django.db import connection
from django.test import override_settings

from evennia_assistant.asleep.consolidation import run_sleep_consolidation
from evennia_assistant.asleep.forgetting import forget, person_subject
from evennia_assistant.memory import secure_delete, semantic
from evennia_assistant.memory.forgetting_record import forgetting_of
from evennia_assistant.memory.mem0_memory import Mem0Memory

from tests.game.forgetting import canary, encoded
from tests.game.sleeping import SleepTest
from tests.llm.conftest import spin_until

PLANNED = 40


class TestForgottenByMem0(SleepTest):
    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        settings = override_settings(ASSISTANT_MEM0_CONFIG={"path": folder.name})
        settings.enable()
        self.addCleanup(settings.disable)
        self.real = Mem0Memory()
        standing = semantic.stand_in(self.real)
        standing.__enter__()
        self.addCleanup(standing.__exit__, None, None, None)
        self.addCleanup(self.real.close)
        self.agent.model = None
        self.words = [canary(number) for number in range(PLANNED)]

    def wait(self, deferred):
        outcome = []
        deferred.addBoth(outcome.append)
        spin_until(lambda: self.clock.advance(0.01) or outcome)
        return outcome[0]

    def in_files(self):
        found = set()
        for path in self.folder.rglob("*"):
            if path.is_file():
                image = path.read_bytes()
                for word in self.words:
                    if word.encode() in image or any(form in image for form in encoded(word)):
                        found.add(word)
        return found

    def a_night(self):
        for word in self.words:
            self.hear(f"I keep the {word} under the floor, and nobody knows")
        self.hear("the mill of Bo grinds barley", who="#77", name="Bo")
        while not self.wait(run_sleep_consolidation(self.script, self.npc, 10))["completed"]:
            pass

    def forget_anna(self):
        subject = person_subject(self.script, f"#{self.char1.pk}")
        return self.wait(forget(self.script, subject))

    def test_no_byte_of_it_is_left_in_the_folder(self):
        self.a_night()
        assert len(self.in_files()) == PLANNED, "hollow"
        outcome = self.forget_anna()
        assert outcome.completed and len(outcome.choice.facts) == PLANNED
        assert self.in_files() == set()
        (left,) = self.wait(self.real.all("bram"))
        assert "barley" in left.text
        assert self.in_files() == set()

    def test_a_folder_in_other_hands_is_gone_through_when_it_is_free(self):
        self.a_night()
        self.real.close()
        storage = next(self.folder.rglob("storage.sqlite"))
        aside = self.folder.parent / f"{self.folder.name}-away"
        self.folder.rename(aside)
        self.folder.write_text("in the way")
        outcome = self.forget_anna()
        assert not outcome.completed and outcome.problem
        assert forgetting_of(self.script).under_way
        assert self.recalled("What is under the floor?") == [] or not any(
            word in item.text for item in self.recalled("floor") for word in self.words
        )
        self.folder.unlink()
        aside.rename(self.folder)
        assert storage.exists() and len(self.in_files()) == PLANNED
        again = Mem0Memory()
        self.addCleanup(again.close)
        with semantic.stand_in(again):
            self.forget_caches()
            spin_until(lambda: self.clock.advance(0.01) or not forgetting_of(self.script).under_way)
            assert self.in_files() == set()
            assert [fact.source_id for fact in self.wait(again.all("bram"))] == ["#77"]


class TestDeletedBytes(SleepTest):
    def pragma(self):
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA secure_delete")
            return cursor.fetchone()[0]

    def set(self, value):
        with connection.cursor() as cursor:
            cursor.execute(f"PRAGMA secure_delete = {value}")

    def test_every_connection_wipes_what_it_deletes_unless_it_is_told_not_to(self):
        self.set("OFF")
        with override_settings(ASSISTANT_SECURE_DELETE=False):
            secure_delete._set(connection)
            assert self.pragma() == 0
        secure_delete._set(connection)
        assert self.pragma() == 1

    def test_forgetting_wipes_whatever_the_setting_and_sets_it_back(self):
        self.set("OFF")
        with override_settings(ASSISTANT_SECURE_DELETE=False):
            word = canary(7)
            self.hear(f"I keep the {word} under the floor, and nobody knows " * 40)
            done = []
            subject = person_subject(self.script, f"#{self.char1.pk}")
            forget(self.script, subject).addBoth(done.append)
            while not done:
                self.pump(0.01)
            assert hasattr(done[0], "choice"), done[0]
            image = connection.connection.serialize()
            assert not any(form in image for form in encoded(word))
            assert self.pragma() == 0
        self.set("ON")

    def test_without_it_the_file_would_keep_them(self):
        """The check of bytes sees what a database leaves behind."""
        base = sqlite3.connect(":memory:")
        for switch, left in (("OFF", True), ("ON", False)):
            base.execute(f"PRAGMA secure_delete = {switch}")
            base.execute("CREATE TABLE t (x)")
            base.execute("INSERT INTO t VALUES (?)", ["zqword" * 2000])
            base.execute("UPDATE t SET x = 'gone'")
            base.commit()
            assert (b"zqword" in base.serialize()) is left
            base.execute("DROP TABLE t")
            base.execute("VACUUM")
