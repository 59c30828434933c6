"""A fact on its way to semantic memory is neither lost nor stored twice, whatever happens."""

import collections
from unittest import mock

from evennia.typeclasses.attributes import Attribute

from evennia_assistant.errors import MemoryFault, SemanticMemoryError
from evennia_assistant.memory import outbox as outboxes
from evennia_assistant.memory import semantic
from evennia_assistant.memory.attribute_store import AttributeStore
from evennia_assistant.memory.boundaries import watched_by
from evennia_assistant.memory.outbox import POINTS, outbox_of
from evennia_assistant.mind.fact import Fact, fact_key
from evennia_assistant.testing import FakeSemanticMemory

from tests.game.npc import NpcTest


class Killed(BaseException):
    """The process is gone."""


def fact(number, text=None):
    text = text or f"Anna told of ring {number}."
    return Fact(fact_key("bram", "fact", [number]), text, 1000.0 + number, "public", (number,))


class OutboxTest(NpcTest):
    """Marks are kept in an Attribute of the character, as consolidation keeps its own."""

    def setUp(self):
        super().setUp()
        self.memory = FakeSemanticMemory()
        installed = semantic.stand_in(self.memory)
        installed.__enter__()
        self.addCleanup(installed.__exit__, None, None, None)

    def new_process(self):
        """Nothing of this process is left but what stands in the database."""
        self.script.ndb.mem0_outbox = None
        Attribute.flush_instance_cache(force=True)
        self.script.attributes.reset_cache()
        self.npc.attributes.reset_cache()

    @property
    def outbox(self):
        return outbox_of(self.script)

    def mark(self, ids):
        store = AttributeStore(self.npc, "marks", dict)
        store.data.update(ids)
        store.touch()
        return [store]

    def deliver(self, *facts):
        return self.settled(self.outbox.deliver(facts, mark=self.mark))

    def resume(self, **options):
        return self.settled(self.outbox.resume(lambda facts: self.mark, **options))

    def fired(self, deferred):
        outcome = []
        deferred.addBoth(outcome.append)
        return outcome

    def settled(self, deferred):
        outcome = self.fired(deferred)
        self.assertTrue(outcome, "it has not fired")
        return outcome[0]

    def failure(self, outcome):
        self.assertTrue(hasattr(outcome, "value"), f"it did not fail: {outcome}")
        self.assertIsInstance(outcome.value, SemanticMemoryError)
        return outcome.value

    def assert_once_each(self, *facts):
        stored = collections.Counter(kept.key for kept in self.memory.facts("bram"))
        self.assertEqual(stored, {one.key: 1 for one in facts})
        by_key = {kept.key: kept.id for kept in self.memory.facts("bram")}
        self.assertEqual(dict(self.npc.attributes.get("marks") or {}), by_key)
        self.assertEqual(self.outbox.records, [])


class TestDelivery(OutboxTest):
    def test_what_is_delivered_is_stored_marked_and_off_the_list(self):
        ids = self.deliver(fact(1), fact(2))
        self.assertEqual(list(ids), [fact(1).key, fact(2).key])
        self.assert_once_each(fact(1), fact(2))
        self.assertEqual(self.memory.facts("bram")[0].entry_ids, (1,))

    def test_what_is_there_already_is_marked_and_not_stored_again(self):
        self.deliver(fact(1))
        self.new_process()
        self.npc.attributes.remove("marks")
        self.deliver(fact(1, "The same evidence in other words."), fact(2))
        self.assert_once_each(fact(1), fact(2))

    def test_a_kill_at_any_point_costs_nothing(self):
        fired = 0
        for count, point in enumerate(POINTS):
            wanted = [fact(10 * count + n) for n in range(3)]

            def die(reached, point=point):
                if reached == point:
                    raise Killed

            with watched_by(die):
                outcome = self.settled(self.outbox.deliver(wanted, mark=self.mark))
            self.assertIsInstance(outcome.value, Killed, point)
            fired += 1
            self.new_process()
            recorded = bool(self.outbox.records) or point == POINTS[-1]
            self.assertEqual(recorded, point != POINTS[0], point)
            self.resume()
            if point == POINTS[0]:
                # Not even begun: whoever wanted it delivered has not marked it, and asks again.
                self.deliver(*wanted)
        self.assertEqual(fired, len(POINTS))
        every = [fact(10 * count + n) for count in range(len(POINTS)) for n in range(3)]
        self.assert_once_each(*every)

    def test_a_fault_of_any_kind_in_any_call_costs_nothing(self):
        number = 0
        for method in ("find_by_keys", "add"):
            for fault in ("raise", "lost", "half", *(["drop"] if method == "add" else [])):
                for skipped in (0, 1) if method == "find_by_keys" else (0,):
                    number += 3
                    with self.subTest(method=method, fault=fault, call=skipped):
                        wanted = [fact(number + n) for n in range(3)]
                        if skipped:
                            wait_for_the_second(self.memory, method, fault)
                        else:
                            self.memory.fail(method, fault)
                        error = self.failure(self.deliver(*wanted))
                        self.assertEqual(
                            [one.key for one in self.outbox.waiting()], [one.key for one in wanted]
                        )
                        record = self.outbox.records[0]
                        self.assertEqual((record["attempts"], record["reason"]), (1, str(error)))
                        self.new_process()
                        self.resume()
        self.assertEqual(len(self.memory.fired), 10)
        self.assert_once_each(*(fact(n) for n in range(3, number + 3)))

    def test_a_hang_in_a_dead_process_is_taken_up_by_the_next(self):
        self.memory.fail("add", "hang")
        self.assertEqual(self.fired(self.outbox.deliver([fact(1)], mark=self.mark)), [])
        self.new_process()
        self.resume()
        self.assert_once_each(fact(1))

    def test_two_deliveries_at_once_come_one_after_the_other(self):
        self.memory.fail("add", "wait")
        first = self.outbox.deliver([fact(1)], mark=self.mark)
        second = self.outbox.deliver([fact(1, "Anna lost a ring."), fact(2)], mark=self.mark)
        outcomes = self.fired(first), self.fired(second)
        self.assertEqual(outcomes, ([], []))
        self.memory.release()
        self.assertTrue(all(outcomes))
        self.assert_once_each(fact(1), fact(2))

    def test_a_failed_mark_leaves_all_as_it_was(self):
        def mark(ids):
            raise RuntimeError("no")

        outcome = self.settled(self.outbox.deliver([fact(1)], mark=mark))
        self.assertIsInstance(outcome.value, RuntimeError)
        self.resume()
        self.assert_once_each(fact(1))

    def test_the_mark_and_the_removal_are_one_write(self):
        writes, write = [], AttributeStore._write

        def torn(store):
            writes.append(store.key)
            if store.key == "mem0_outbox" and "marks" in writes:
                raise Killed
            write(store)

        with mock.patch.object(AttributeStore, "_write", torn):
            outcome = self.settled(self.outbox.deliver([fact(1)], mark=self.mark))
        self.assertIsInstance(outcome.value, Killed)
        self.assertEqual(writes, ["mem0_outbox", "marks", "mem0_outbox"])
        self.new_process()
        self.assertFalse(self.npc.attributes.get("marks"))
        self.assertEqual([one.key for one in self.outbox.waiting()], [fact(1).key])
        self.resume()
        self.assert_once_each(fact(1))

    def test_what_is_taken_back_on_its_way_is_in_neither_place(self):
        self.memory.fail("add", "wait")
        delivered = self.outbox.deliver([fact(1), fact(2)], mark=self.mark)
        self.assertEqual(self.outbox.withdraw([fact(1).key]), 1)
        self.outbox.store.save()
        self.memory.release()
        self.assertEqual(list(self.settled(delivered)), [fact(2).key])
        self.assert_once_each(fact(2))


class TestWhatIsNotTaken(OutboxTest):
    def test_one_bad_fact_does_not_hold_the_others(self):
        bad = fact(2)
        add = self.memory.add

        def choosy(user_id, facts):
            if any(one.key == bad.key for one in facts):
                self.memory.fail("add", "drop")
            return add(user_id, [one for one in facts if one.key != bad.key] or facts)

        with mock.patch.object(self.memory, "add", choosy):
            self.failure(self.deliver(fact(1), bad, fact(3)))
            for _ in range(outboxes.SET_ASIDE_AFTER):
                self.new_process()
                self.resume()
            calls = len(self.memory.calls)
            self.resume()
            self.assertEqual(len(self.memory.calls), calls, "it is left alone now")
        (record,) = self.outbox.records
        self.assertEqual([one["key"] for one in record["facts"]], [bad.key])
        self.assertEqual(record["fault"], MemoryFault.DROPPED)
        self.assertTrue(outboxes.is_set_aside(record))
        stored = {kept.key for kept in self.memory.facts("bram")}
        self.assertEqual(stored, {fact(1).key, fact(3).key})
        self.resume(set_aside_too=True)
        self.assert_once_each(fact(1), bad, fact(3))

    def test_a_store_out_of_reach_is_not_held_against_the_facts(self):
        for _ in range(outboxes.SET_ASIDE_AFTER + 2):
            self.memory.fail("find_by_keys", "raise")
            self.failure(self.deliver(fact(1), fact(2)))
        (record,) = self.outbox.records
        self.assertEqual(len(record["facts"]), 2)
        self.assertFalse(outboxes.is_set_aside(record))
        self.memory.fail("add", "drop")
        self.resume()
        (record,) = self.outbox.records
        self.assertFalse(outboxes.is_set_aside(record), "it was refused once")
        self.resume()
        self.assert_once_each(fact(1), fact(2))

    def test_a_full_outbox_takes_no_more_and_keeps_what_it_has(self):
        with mock.patch.object(outboxes, "MOST_FACTS", 2):
            self.memory.fail("find_by_keys", "raise", times=2)
            self.failure(self.deliver(fact(1), fact(2)))
            error = self.failure(self.deliver(fact(2), fact(3)))
            self.assertEqual(error.fault, MemoryFault.BUSY)
            self.assertEqual({one.key for one in self.outbox.waiting()}, {fact(1).key, fact(2).key})
            self.resume()
            self.resume()
        self.assert_once_each(fact(1), fact(2))

    def test_the_evidence_of_what_waits_is_known(self):
        self.memory.fail("find_by_keys", "raise")
        self.deliver(fact(7), fact(9))
        self.assertEqual(self.outbox.entry_ids(), {7, 9})

    def test_an_unreadable_record_is_set_aside_and_the_sound_one_delivered(self):
        self.memory.fail("find_by_keys", "raise")
        self.deliver(fact(1))
        raw = {"count": "?", "records": [*self.outbox.records, {"id": 3, "facts": [{}]}, 7]}
        self.new_process()
        self.script.db.mem0_outbox = raw
        self.resume()
        self.assert_once_each(fact(1))
        self.assertTrue(self.script.attributes.has("mem0_outbox_set_aside"))

    def test_an_outbox_that_is_none_is_set_aside(self):
        self.script.db.mem0_outbox = "garbage"
        self.deliver(fact(1))
        self.assert_once_each(fact(1))
        self.assertEqual(self.script.db.mem0_outbox_set_aside, "garbage")


def wait_for_the_second(memory, method, fault):
    """Have the call after the next one fail."""
    called = getattr(memory, method)
    calls = []

    def once(*args):
        calls.append(args)
        if len(calls) == 1:
            result = called(*args)
            memory.fail(method, fault)
            return result
        setattr(memory, method, called)
        return called(*args)

    setattr(memory, method, once)
