"""Taking a night back, and trying one: nothing is lost, nothing is changed."""

from copy import deepcopy
from unittest import mock

import pytest
from evennia.utils.dbserialize import deserialize
from hypothesis import given
from hypothesis import strategies as st
from twisted.internet.defer import Deferred

from evennia_assistant.asleep.dry_run import run_night_on_copy
from evennia_assistant.asleep.undo import undo_last_night
from evennia_assistant.errors import SemanticMemoryError
from evennia_assistant.memory import live_index
from evennia_assistant.mind.stepping_back import MISSING, entries_without_night, without_night

from tests.asleep.sleeping import NightTest

data = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=6,
)


@given(data, data)
def test_without_a_day_in_between_a_night_is_taken_back_to_the_letter(before, after):
    assert without_night(before, after, after) == before


@given(data, data)
def test_where_the_night_did_nothing_the_day_stays_to_the_letter(before, now):
    assert without_night(before, before, now) == now


def test_what_the_day_brought_stays_beside_what_the_night_took():
    before = [{"id": 1, "n": 5}, {"id": 2, "n": 5, "by": "table"}, {"id": 3, "n": 2}]
    after = [{"id": 1, "n": 5}, {"id": 2, "n": 9, "by": "llm"}, {"id": 4, "n": 8}]
    now = [
        {"id": 1, "n": 5, "mentions": 2},
        {"id": 2, "n": 9, "by": "llm", "mentions": 3},
        {"id": 4, "n": 8},
        {"id": 5, "n": 6},
    ]
    assert entries_without_night(before, after, now) == [
        {"id": 1, "n": 5, "mentions": 2},
        {"id": 2, "n": 5, "by": "table", "mentions": 3},
        {"id": 3, "n": 2},
        {"id": 5, "n": 6},
    ]


def test_a_conversation_the_night_cleared_comes_before_the_one_that_followed():
    found = without_night(
        {"#5": {"messages": ["a", "b"], "last": 1}}, {}, {"#5": {"messages": ["c"], "last": 2}}
    )
    assert found == {"#5": {"messages": ["a", "b", "c"], "last": 2}}


def test_what_the_day_took_away_does_not_come_back():
    assert without_night({"a": 1, "b": 2}, {"a": 9, "b": 2}, {"a": 9}) == {"a": 1}
    assert without_night([1, 2], [1, 2, 3], [1, 3]) == [1]
    assert without_night(1, 2, MISSING) is MISSING


class UndoTest(NightTest):
    def setUp(self):
        super().setUp()
        self.model._handler = self.dream
        for number in range(26):
            self.write(1, content=f"Anna carried {number} sacks to the quay.")
        who = f"#{self.char1.pk}"
        self.npc.memory.profiles.ensure(who, "player", "Anna")
        for number in range(5):
            self.npc.memory.profiles.add_observation(
                who, f"I like tea, {number}.", audience="public", entry_id=1, when=1.0
            )
        self.npc.memory.save()
        self.before = self.memory_state()

    def undo(self):
        return self.fired(undo_last_night(self.script, self.npc, self.facts_kept))

    def kept(self):
        return [fact.text for fact in self.facts_kept.facts("bram")]

    def same(self, state):
        state = deepcopy(state)
        state["journal"].pop("entry_count")
        state["journal"].setdefault("waiting_archive", [])
        state["working_memory"] = state["working_memory"] or {}
        return state


class TestUndo(UndoTest):
    def test_a_night_is_taken_back_to_the_letter(self):
        self.sleep()
        assert len(self.kept()) == 26
        assert self.memory_state() != self.before
        done = self.undo()
        assert done == {"undone": True, "entries": 28, "facts": 26}
        assert self.kept() == []
        assert self.same(self.memory_state()) == self.same(self.before)
        assert deserialize(self.script.db.memory_links) == {}
        self.forget_caches()
        assert self.same(self.memory_state()) == self.same(self.before)

    def test_there_is_one_step_and_no_second(self):
        self.sleep()
        self.undo()
        again = self.undo()
        assert again["undone"] is False
        assert "taken back already" in again["why"]

    def test_what_was_heard_since_stays(self):
        self.sleep()
        late = self.write(1, content="A ship burns in the harbour!", importance=9)[0]
        self.npc.memory.write("Anna carried 3 sacks to the quay.", audience="public")
        self.npc.memory.profiles.record_exchange(f"#{self.char1.pk}", when=self.clock.seconds())
        self.npc.memory.save()
        assert self.undo()["undone"]
        entries = self.npc.memory.journal.entries
        assert [entry["id"] for entry in entries] == [*range(1, 27), late["id"]]
        assert entries[3]["mention_count"] == 2
        assert entries[3]["importance_method"] == "heuristic"
        profile = self.npc.memory.profiles.get(f"#{self.char1.pk}")
        assert profile["relationship"]["interaction_count"] == 1
        assert profile["attributes"] == {}
        state = self.npc.memory.reflection.store.data
        assert state["cumulative_importance"] == 26 * 6 + 9
        assert state["entries_since_reflection"] == [*range(1, 27), late["id"]]
        found = self.npc.memory.recall("What burns in the harbour?", listeners=["#1"]).hits
        assert found[0].item.id == f"j{late['id']}"

    def test_no_number_is_given_twice(self):
        self.sleep()
        made = self.npc.memory.journal.store.data["entry_count"]
        self.undo()
        assert self.write(1)[0]["id"] == made + 1

    def test_facts_of_earlier_nights_stay(self):
        self.sleep()
        self.wake()
        self.write(1, content="The mill stands still.")
        self.sleep()
        assert len(self.kept()) == 27
        assert self.undo()["facts"] == 1
        assert len(self.kept()) == 26
        assert "The mill stands still." not in self.kept()
        self.wake()
        self.sleep()
        assert len(self.kept()) == 27

    def test_a_night_under_way_is_not_taken_back(self):
        self.tick()
        assert self.undo()["why"] == "A night is under way; it can be taken back when it is over."
        assert len(self.npc.memory.journal.entries) == 26

    def test_facts_that_could_not_be_looked_up_stop_it_before_anything_changes(self):
        self.sleep()
        after = self.memory_state()
        self.facts_kept.fail("get", "raise")
        with pytest.raises(SemanticMemoryError):
            self.undo()
        assert self.memory_state() == after
        assert self.undo()["facts"] == 26

    def test_facts_that_could_not_be_removed_are_removed_the_next_time(self):
        self.sleep()
        self.facts_kept.fail("delete", "raise")
        with pytest.raises(SemanticMemoryError):
            self.undo()
        assert len(self.kept()) == 26
        self.forget_caches()
        assert self.undo() == {"undone": True, "entries": 0, "facts": 26}
        assert self.kept() == []

    def test_what_it_is_taken_back_with_is_small(self):
        self.sleep()
        kept = self.script.db.before_night
        assert len(kept["before"]) + len(kept["after"]) < 20_000


class TestDryRun(UndoTest):
    """What tonight would do is what tonight does, and trying it changes nothing."""

    def setUp(self):
        super().setUp()

        def soon(batches):
            done = Deferred()
            self.clock.callLater(0, lambda: done.callback([*batches]))
            return done

        # The reactor does not run, which would make the copy's index in the background.
        patch = mock.patch.object(live_index, "coiterate", soon)
        patch.start()
        self.addCleanup(patch.stop)

    def tried(self):
        steps = []
        night = self.fired(run_night_on_copy(self.script, steps.append))
        return night, steps

    def test_trying_a_night_changes_nothing(self):
        attributes = {row.db_key: row.value for row in self.script.attributes.all()}
        night, _steps = self.tried()
        assert self.memory_state() == self.before
        self.forget_caches()
        assert self.memory_state() == self.before
        assert self.kept() == []
        now = {row.db_key: row.value for row in self.script.attributes.all()}
        assert set(now) == set(attributes)
        assert len(night["facts"]) == 26

    def test_it_says_what_the_night_then_does(self):
        night, steps = self.tried()
        assert steps[0] == "extract_conversations"
        self.sleep()
        last = deserialize(self.script.db.last_night)
        for step in ("score_pending_entries", "run_reflection", "run_entity_consolidation_batch"):
            tried, done = night["ledger"][step], last["ledger"][step]
            assert [c["what"] for c in tried["changes"]] == [c["what"] for c in done["changes"]]
            assert tried["counts"] == done["counts"]
        assert night["ledger"]["run_reflection"]["changes"]
        assert night["ledger"]["run_sleep_consolidation"]["state"] == "skipped"

    def test_it_keeps_within_the_budget_of_a_night(self):
        self.script.set_option("sleep_calls", "1")
        night, _steps = self.tried()
        assert night["budget"]["calls"] == len(self.model.requests) == 1
