"""
An NPC's facts through the outbox into the real Mem0, which fails on the way in every manner.

In a folder and in PostgreSQL: nothing is lost, nothing stored twice, and keepers hear of it once.

"""

import collections
import shutil
import tempfile
import threading
from unittest import mock

import pytest
from django.test import override_settings
from evennia.typeclasses.attributes import Attribute
from twisted.internet import reactor

from evennia_assistant.errors import MemoryFault, SemanticMemoryError
from evennia_assistant.memory import mem0_memory, semantic
from evennia_assistant.memory.attribute_store import AttributeStore
from evennia_assistant.memory.mem0_rows import Mem0Rows
from evennia_assistant.memory.outbox import outbox_of
from evennia_assistant.testing import FakeClock

from tests.facts import fact
from tests.game.npc import NpcTest
from tests.llm.conftest import spin_until
from tests.memory.conftest import pgvector_config, thread_is_gone
from tests.postgres import new_database


class Lost(ConnectionError):
    """A line that broke."""


class RealMemoryTest(NpcTest):
    """The same with each place; `config` names it."""

    __test__ = False

    def setUp(self):
        super().setUp()
        settings = override_settings(ASSISTANT_MEM0_CONFIG=self.config())
        settings.enable()
        self.addCleanup(settings.disable)
        self.pause = FakeClock()
        self.told = []
        self.new_process()
        self.addCleanup(self.end_process)
        # The other tests' stand-in is set aside.
        standing, semantic._stand_ins[:] = list(semantic._stand_ins), []
        self.addCleanup(semantic._stand_ins.extend, standing)

    def end_process(self):
        semantic.shutdown()
        spin_until(thread_is_gone)

    def new_process(self):
        self.end_process()
        self.script.ndb.mem0_outbox = None
        Attribute.flush_instance_cache(force=True)
        self.script.attributes.reset_cache()
        self.npc.attributes.reset_cache()
        memory = mem0_memory.Mem0Memory(clock=self.pause)
        memory.listener = lambda user_id, error: self.told.append(error and error.fault)
        semantic._own.append(memory)

    def wait(self, deferred):
        outcome = []
        deferred.addBoth(outcome.append)
        spin_until(lambda: outcome)
        if hasattr(outcome[0], "raiseException"):
            outcome[0].raiseException()
        return outcome[0]

    def mark(self, ids):
        store = AttributeStore(self.npc, "marks", dict)
        store.data.update(ids)
        store.touch()
        return [store]

    def deliver(self, *facts):
        return self.wait(outbox_of(self.script).deliver(facts, mark=self.mark))

    def resume(self):
        self.pause.advance(mem0_memory.PAUSE + 1)
        return self.wait(outbox_of(self.script).resume(lambda facts: self.mark))

    def assert_once_each(self, *facts):
        kept = self.wait(semantic.semantic_memory().all("bram"))
        assert collections.Counter(one.key for one in kept) == {one.key: 1 for one in facts}
        assert dict(self.npc.attributes.get("marks")) == {one.key: one.id for one in kept}
        assert outbox_of(self.script).records == []

    def failing(self, fault):
        """Within, the next calls of Mem0's `add` fail so."""
        add, calls = Mem0Rows.add, []

        def fail(rows, user_id, facts):
            calls.append(fault)
            if fault == "lost":
                add(rows, user_id, facts)
            elif fault == "half":
                add(rows, user_id, facts[: len(facts) // 2])
            raise Lost("the line broke")

        return mock.patch.object(Mem0Rows, "add", fail), calls

    def test_an_answer_that_is_lost_or_half_or_never_done_costs_nothing(self):
        every, fired = [], 0
        for count, fault in enumerate(("raise", "lost", "half") * 2):
            wanted = [fact(10 * count + n) for n in range(4)]
            every += wanted
            patch, calls = self.failing(fault)
            with patch, pytest.raises(SemanticMemoryError) as caught:
                self.deliver(*wanted)
            assert caught.value.fault is MemoryFault.UNAVAILABLE
            assert "the line broke" in str(caught.value)
            fired += len(calls)
            if count % 2:
                self.new_process()
            self.resume()
        assert fired == 6
        self.assert_once_each(*every)

    def test_keepers_hear_of_it_once_and_when_it_is_over(self):
        patch, _calls = self.failing("raise")
        with patch:
            for number in range(3):
                with pytest.raises(SemanticMemoryError):
                    self.deliver(fact(number))
                self.pause.advance(mem0_memory.PAUSE + 1)
        self.resume()
        assert self.told == [MemoryFault.UNAVAILABLE, None]
        self.assert_once_each(*(fact(n) for n in range(3)))

    def test_a_call_that_hangs_is_done_once_in_the_end(self):
        self.deliver(fact(0))
        memory = semantic.semantic_memory()
        patience, memory._worker.time_limit = memory._worker.time_limit, 2.0
        go_on, add = threading.Event(), Mem0Rows.add

        def hang(rows, user_id, facts):
            result = add(rows, user_id, facts)
            go_on.wait(20)
            return result

        with mock.patch.object(Mem0Rows, "add", hang), pytest.raises(SemanticMemoryError) as caught:
            self.deliver(fact(1), fact(2))
        assert caught.value.fault is MemoryFault.TIMED_OUT
        # Meanwhile the game goes on: the reactor is not held up.
        ticked = []
        reactor.callLater(0, ticked.append, 1)
        spin_until(lambda: ticked, 10)
        go_on.set()
        spin_until(thread_is_gone)
        memory._worker.time_limit = patience
        self.resume()
        self.assert_once_each(fact(0), fact(1), fact(2))


class TestInFolders(RealMemoryTest):
    __test__ = True

    def config(self):
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        return {"path": folder}


class TestInPostgres(RealMemoryTest):
    __test__ = True

    def config(self):
        return pgvector_config(new_database())
