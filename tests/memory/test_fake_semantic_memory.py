"""The stand-in for semantic memory fails as the real one may, and keeps what it acknowledged."""

import pytest
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from evennia_assistant.errors import SemanticMemoryError
from evennia_assistant.memory import semantic
from evennia_assistant.mind.fact import Fact, fact_key
from evennia_assistant.testing import FakeClock, FakeSemanticMemory


def fact(number, text="Anna lost a ring."):
    return Fact(fact_key("bram", "fact", [number]), text, 1000.0 + number, "public", (number,))


def now(deferred):
    """What a Deferred fired with, at once."""
    outcome = []
    deferred.addBoth(outcome.append)
    assert outcome, "it has not fired"
    if isinstance(outcome[0], Failure):
        outcome[0].raiseException()
    return outcome[0]


def test_it_gives_back_what_was_stored_to_its_owner_only():
    memory = FakeSemanticMemory()
    ids = now(memory.add("bram", [fact(1), fact(2, "The ferry leaves at dawn.")]))
    assert now(memory.find_by_keys("bram", [fact(1).key, "?"])) == {fact(1).key: ids[0]}
    assert [kept.id for kept in now(memory.all("bram"))] == ids[::-1]
    assert [kept.id for kept in now(memory.all("bram", limit=1))] == ids[1:]
    (best, cosine), (_other, less) = now(memory.search("bram", "When does the ferry leave?"))
    assert best.id == ids[1] and 1 > cosine > less
    assert now(memory.get("bram", [ids[1], "?"]))[0].text == "The ferry leaves at dawn."
    assert now(memory.all("mary")) == [] == now(memory.search("mary", "ferry"))
    now(memory.delete("bram", ids[:1]))
    assert [kept.id for kept in memory.facts("bram")] == ids[1:]


@pytest.mark.parametrize(("fault", "stored"), [("raise", 0), ("half", 1), ("lost", 2)])
def test_a_failing_add_stores_what_its_fault_says(fault, stored):
    memory = FakeSemanticMemory()
    memory.fail("add", fault)
    with pytest.raises(SemanticMemoryError):
        now(memory.add("bram", [fact(1), fact(2)]))
    assert len(memory.facts("bram")) == stored
    assert memory.fired == [("add", fault)]
    assert len(now(memory.add("bram", [fact(3)]))) == 1


def test_a_dropped_row_is_acknowledged_and_not_there():
    memory = FakeSemanticMemory()
    memory.fail("add", "drop")
    assert len(now(memory.add("bram", [fact(1), fact(2)]))) == 2
    assert [kept.key for kept in memory.facts("bram")] == [fact(1).key]


def test_a_hanging_call_never_answers_and_a_waiting_one_when_told():
    memory = FakeSemanticMemory()
    memory.fail("add", "hang")
    memory.fail("all", "wait")
    assert not memory.add("bram", [fact(1)]).called
    waiting: Deferred = memory.all("bram")
    assert not waiting.called
    now(memory.add("bram", [fact(2)]))
    memory.release()
    assert [kept.key for kept in now(waiting)] == [fact(2).key]


def test_with_a_clock_nothing_is_answered_before_the_call_returns():
    clock = FakeClock()
    memory = FakeSemanticMemory(clock)
    deferred = memory.add("bram", [fact(1)])
    assert not deferred.called
    clock.settle()
    assert deferred.called


def test_an_unknown_fault_is_an_error():
    with pytest.raises(ValueError, match="hang"):
        FakeSemanticMemory().fail("add", "explode")


def test_within_the_block_it_is_the_semantic_memory():
    with semantic.stand_in(FakeSemanticMemory()) as memory:
        assert semantic.semantic_memory() is memory
