"""A night on real Attributes: it ends, whatever goes wrong in it, and doubles nothing."""

import os
import time
from unittest import mock

from evennia.utils.dbserialize import deserialize

from evennia_assistant.asleep import cycle, modes, steps
from evennia_assistant.asleep.cycle import MAX_ATTEMPTS, run_sleep_tick
from evennia_assistant.asleep.night import COMPACTING, DREAMING, MAX_CHANGES, night_of
from evennia_assistant.asleep.steps import STEPS, Step
from evennia_assistant.errors import ModelTransientError, StoreError
from evennia_assistant.memory import attribute_store
from evennia_assistant.testing import replies

from tests.asleep.sleeping import NightTest
from tests.asleep.whole_nights import WholeNightTest


class TestCycle(NightTest):
    def setUp(self):
        super().setUp()
        self.model._handler = self.dream

    def last(self):
        return deserialize(self.script.db.last_night)

    def steps(self, *table):
        for module in (cycle, steps):
            patch = mock.patch.object(module, "STEPS", table)
            patch.start()
            self.addCleanup(patch.stop)

    def test_a_night_takes_every_step_and_says_what_each_did(self):
        self.write(45)
        done = [report["step"] for report in self.sleep()]
        assert list(dict.fromkeys(done)) == [step.name for step in STEPS]
        last = self.last()
        assert {line["state"] for line in last["ledger"].values()} == {"done"}
        scored = last["ledger"]["score_pending_entries"]
        assert (scored["counts"]["scored"], scored["ticks"], scored["calls"]) == (45, 3, 3)
        assert scored["in"] > 0
        assert scored["out"] > 0
        assert last["budget"]["calls"] == 10
        assert last["budget"]["calls"] == len(self.model.requests)
        assert self.script.db.sleep_phase == DREAMING

    def test_a_tick_makes_one_batch_of_calls(self):
        self.write(45)
        self.tick()
        assert len(self.model.requests) == 1

    def test_a_night_of_a_hundred_entries_takes_few_calls(self):
        self.write(100)
        self.sleep()
        assert len(self.model.requests) <= 30

    def test_a_night_that_is_over_is_not_begun_again_until_the_next_sleep(self):
        self.sleep()
        assert self.tick() == {"resting": True, "cycle": 1, "done": [], "open": False}
        self.wake()
        assert self.tick()["cycle"] == 2

    def test_a_long_sleep_has_a_second_night(self):
        self.sleep()
        self.clock.advance(cycle.BETWEEN_NIGHTS)
        assert self.tick()["cycle"] == 2

    def test_a_night_that_was_interrupted_yesterday_is_given_up_for_tonights(self):
        self.write(45)
        self.tick()
        self.wake()
        self.clock.advance(cycle.BETWEEN_NIGHTS)
        self.write(1)
        assert self.tick()["cycle"] == 2
        assert len(night_of(self.script).data["entry_ids"]) == 46

    def test_nobody_is_woken_inside_a_step_or_while_the_day_is_compacted(self):
        self.write(25)
        modes.order_sleep(self.script, "deep")
        sleeper = self.script.agent.sleeper
        sleeper.tick()
        assert sleeper.running is not None and sleeper.must_finish
        while sleeper.running is not None:
            self.clock.advance(0.01)
        assert self.script.db.sleep_phase == COMPACTING
        assert sleeper.must_finish
        while self.script.db.sleep_phase == COMPACTING:
            self.tick()
        assert night_of(self.script).is_open
        assert not sleeper.must_finish

    def test_a_step_that_could_not_is_passed_over_with_its_reason(self):
        self.model._handler = lambda asked: ModelTransientError("The line is dead.")
        self.write(30)
        self.sleep()
        line = self.last()["ledger"]["score_pending_entries"]
        assert line["state"] == "passed over"
        assert line["why"] == "ModelTransientError: The line is dead. (3 attempts)"
        assert len(line["failures"]) == line["calls"] == MAX_ATTEMPTS
        found_nothing = self.last()["ledger"]["prune_low_importance_entries"]
        assert found_nothing["state"] == "done"
        state = self.npc.memory.reflection.store.data
        assert state["cumulative_importance"] >= 150
        assert state["reflection_count"] == 0

    def test_a_failure_in_between_costs_nothing_but_the_call(self):
        self.write(45)
        self.model.add(replies.status(500), "I would rather not.", "Not at all.")
        self.sleep()
        line = self.last()["ledger"]["score_pending_entries"]
        assert line["state"] == "done"
        assert (line["counts"]["scored"], line["calls"], len(line["failures"])) == (45, 6, 2)

    def test_a_spent_budget_ends_the_asking_and_not_the_night(self):
        self.script.set_option("sleep_calls", "2")
        self.write(60)
        self.sleep()
        assert len(self.model.requests) == 2
        line = self.last()["ledger"]["score_pending_entries"]
        assert (line["state"], line["counts"]["scored"]) == ("passed over", 40)
        assert line["why"] == "The night has made its 2 model calls."
        self.wake()
        self.sleep()
        methods = [entry["importance_method"] for entry in self.npc.memory.journal.entries[:60]]
        assert methods == ["llm"] * 60

    def test_a_call_counts_before_it_is_made(self):
        self.write(5)
        self.model.add(replies.hang())
        run_sleep_tick(self.script, self.npc)
        self.clock.settle()
        self.forget_caches()
        self.model._handler = self.dream
        assert deserialize(self.script.db.sleep_cycle)["budget"]["calls"] == 1
        self.sleep()
        assert self.last()["ledger"]["score_pending_entries"]["calls"] == 2

    def test_tokens_have_a_limit_too(self):
        self.script.set_option("sleep_tokens", "10")
        self.write(5)
        self.sleep()
        assert self.model.requests == []
        line = self.last()["ledger"]["score_pending_entries"]
        assert line["why"] == "The night's 10 tokens do not last for another call."

    def test_a_step_that_never_ends_is_left_behind(self):
        endless = Step("endless", COMPACTING, lambda *_args: {"completed": False})
        self.steps(endless, STEPS[-1])
        self.sleep()
        line = self.last()["ledger"]["endless"]
        assert (line["state"], line["why"]) == ("passed over", "it was not done after 60 ticks")

    def test_a_step_nobody_foresaw_to_break_is_left_behind_after_three_ticks(self):
        def broken(*_args):
            raise RuntimeError("a bug")

        self.steps(Step("broken", COMPACTING, broken), STEPS[-1])
        for _tick in range(MAX_ATTEMPTS):
            with self.assertRaisesRegex(RuntimeError, "a bug"):
                self.tick()
        self.sleep()
        assert self.last()["ledger"]["broken"]["why"] == "it broke off (3 attempts)"

    def test_steps_that_need_semantic_memory_are_skipped_without_it(self):
        self.script.attributes.add("memory_enabled", False)
        needs = Step("facts", COMPACTING, lambda *_args: {"completed": True}, needs_memory=True)
        self.steps(needs, STEPS[-1])
        self.sleep()
        assert self.last()["ledger"]["facts"]["state"] == "skipped"
        assert self.last()["ledger"]["facts"]["why"] == "memory_enabled is off"

    def test_a_store_that_cannot_be_read_is_named(self):
        def cannot(*_args):
            raise StoreError("The store is locked by another process.")

        self.steps(Step("facts", COMPACTING, cannot), STEPS[-1])
        self.sleep()
        why = self.last()["ledger"]["facts"]["why"]
        assert why == "StoreError: The store is locked by another process. (3 attempts)"

    def test_the_ledger_is_bounded(self):
        self.write(95)
        self.sleep()
        line = self.last()["ledger"]["score_pending_entries"]
        assert (len(line["changes"]), line["more"]) == (MAX_CHANGES, 95 - MAX_CHANGES)

    def test_a_hundred_nights_without_a_model_are_bounded_and_end(self):
        self.script.ndb.agent.model = None
        sizes = []
        for day in range(100):
            self.wake()
            self.write(3, content=None)
            self.write(1, content=f"Anna walked past, day {day}.", importance=2)
            reports = self.sleep(most=20)
            assert all(report["completed"] for report in reports), reports
            self.clock.advance(86_400)
            sizes.append(len(str(deserialize(self.script.db.last_night))))
        state = self.npc.memory.reflection.store.data
        assert state["reflection_count"] == 0
        assert state["cumulative_importance"] > 150
        assert len(state["entries_since_reflection"]) == 200
        assert len(self.npc.memory.journal.entries) <= 100
        assert max(sizes) < 20_000

    def test_a_record_of_the_night_that_somebody_broke_is_set_aside(self):
        self.sleep()
        self.script.db.sleep_cycle = {"id": "x", "ledger": 3}
        self.wake()
        self.sleep()
        assert self.script.db.sleep_cycle_set_aside == {"id": "x", "ledger": 3}
        assert self.last()["ledger"]


class Killed(Exception):
    """The server is gone."""


#: Of the writes of a night, how many there are from one kill to the next.
EVERY = 1 if os.environ.get("FAULTS") == "all" else 7


class TestKilled(WholeNightTest):
    """A night that is killed at any of its writes ends as one that was not."""

    def night(self, kill_at, torn):
        """Sleep, killed at one write; the memory in the end, and how many writes there were."""
        writes = 0
        real = attribute_store.AttributeStore._write

        def write(store):
            nonlocal writes
            writes += 1
            if writes == kill_at:
                if torn:
                    real(store)
                raise Killed
            return real(store)

        with mock.patch.object(attribute_store.AttributeStore, "_write", write):
            for _start in range(2):
                try:
                    self.sleep()
                    break
                except Killed:
                    self.forget_caches()
                    self.model._handler = self.dream
        return self.without_times(self.memory_state()), writes

    def difference(self, state, usual, kill_at, torn):
        """What a failure prints: only the entries that differ."""
        pairs = zip(state["journal"]["entries"], usual["journal"]["entries"], strict=False)
        differing = [pair for pair in pairs if pair[0] != pair[1]]
        return f"killed at write {kill_at}, torn {torn}: {differing[:2]}"

    def test_a_kill_at_any_write_of_the_night_loses_and_doubles_nothing(self):
        self.day()
        usual, writes = self.night(kill_at=None, torn=False)
        assert sum(e.get("kind") == "synthesis" for e in usual["journal"]["entries"]) == 1
        assert sum("diary" in e["tags"] for e in usual["journal"]["entries"]) == 1
        assert len(usual["journal"]["entries"]) == 32
        assert usual["reflection_state"]["reflection_count"] == 1
        killed = 0
        moments = range(1, writes + 1, EVERY)
        for kill_at in moments:
            for torn in (False, True):
                self.restored()
                state, tried = self.night(kill_at, torn)
                killed += tried >= kill_at
                assert state == usual, self.difference(state, usual, kill_at, torn)
        assert killed == 2 * len(moments) >= 30

    def test_the_night_is_the_same_in_every_time_zone(self):
        self.day()
        states = []
        old = os.environ.get("TZ")
        try:
            for zone in ("UTC", "Asia/Shanghai", "America/New_York"):
                os.environ["TZ"] = zone
                time.tzset()
                self.restored()
                self.clock.rightNow = 1_780_100_000.0
                states.append(self.night(None, False)[0])
        finally:
            if old is None:
                del os.environ["TZ"]
            else:
                os.environ["TZ"] = old
            time.tzset()
        assert states[0] == states[1] == states[2]
