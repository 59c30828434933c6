"""The one read path: lose one of these and a failure passes for having forgotten."""

import logging

import pytest

from evennia_assistant.errors import ConfigError, StoreError
from evennia_assistant.memory.index import MemoryIndex, MemoryItem
from evennia_assistant.memory.recall import RecallError, recall, recall_for_keeper


@pytest.fixture
def index() -> MemoryIndex:
    made = MemoryIndex()
    made.add(
        [
            MemoryItem("j1", "The bridge is down.", "#5", "Anna", 1.0, "public"),
            MemoryItem("j2", "I cut the bridge's ropes.", "#5", "Anna", 2.0, ("#5",)),
            MemoryItem("j3", "Who cut them?", "#6", "Bob", 3.0, None),
        ]
    )
    return made


def test_listeners_get_what_is_theirs_and_learn_only_how_much_is_not(index):
    remembered = recall(index, "What of the bridge?", listeners=["#6"], now=9.0)
    assert [hit.item.id for hit in remembered.hits] == ["j1"]
    assert remembered.gated == 2
    assert "ropes" not in repr(remembered)
    assert remembered.query == "What of the bridge?"
    assert remembered.milliseconds >= 0.0


def test_remembering_nothing_is_an_empty_recollection(index):
    assert recall(index, "zeppelin", listeners=["#6"], now=9.0).hits == ()


class Broken(MemoryIndex):
    """An index whose search fails."""

    def search(self, query, **options):
        raise IndexError("row 7")


def test_could_not_is_never_found_nothing(index):
    with pytest.raises(RecallError, match="row 7"):
        recall(Broken(), "bridge", listeners=["#6"], now=9.0)
    assert issubclass(RecallError, StoreError)


@pytest.mark.parametrize(
    "bad", [{"now": None}, {"now": float("nan")}, {"listeners": None}, {"colour": 1}]
)
def test_a_question_that_makes_no_sense_is_an_error_with_a_name(index, bad):
    with pytest.raises(RecallError):
        recall(index, "the bridge yesterday", **({"listeners": ["#6"], "now": 9.0} | bad))


def test_an_unknown_preset_reaches_the_operator_as_it_is(index):
    with pytest.raises(ConfigError):
        recall(index, "bridge", listeners=["#6"], now=9.0, preset="nope")
    with pytest.raises(ConfigError):
        recall_for_keeper(index, "bridge", keeper="#1", now=9.0, preset="nope")


def test_a_keepers_look_past_the_audiences_is_logged_without_what_was_seen(index, caplog):
    with caplog.at_level(logging.INFO):
        remembered = recall_for_keeper(index, "bridge ropes", keeper="#1", now=9.0)
    assert {"j1", "j2"} <= {hit.item.id for hit in remembered.hits}
    assert remembered.gated == 0
    assert "#1" in caplog.text
    assert "ropes" not in caplog.text


def test_options_reach_the_search(index):
    remembered = recall(index, "bridge", listeners=["#5"], now=9.0, limit=1, exclude=["j1"])
    assert [hit.item.id for hit in remembered.hits] == ["j2"]


def fact(item_id, text, *sources):
    return MemoryItem(item_id, text, "#5", "Anna", 4.0, "public", kind="fact", sources=sources)


def test_a_fact_and_its_entry_come_back_as_the_better_of_them():
    index = MemoryIndex()
    index.add(
        [
            MemoryItem("j1", "It was stolen by the bridge, they say.", "#5", "Anna", 1.0, "public"),
            fact("m1", "Anna's purse was stolen.", "j1"),
            fact("m2", "The bridge is a place of thieves.", "j1"),
        ]
    )
    purse = recall(index, "Whose purse was stolen?", listeners=["#6"], now=9.0)
    assert next(hit.item.id for hit in purse.hits) == "m1"
    assert "j1" not in [hit.item.id for hit in purse.hits]
    thieves = recall(index, "Are there thieves, was a purse stolen?", listeners=["#6"], now=9.0)
    assert {hit.item.id for hit in thieves.hits} == {"m1", "m2"}


def test_what_is_collapsed_makes_room_for_what_is_not():
    index = MemoryIndex()
    for n in range(12):
        index.add([MemoryItem(f"j{n}", f"Bridge {n}.", "#5", "Anna", n, "public")])
        index.add([fact(f"m{n}", f"The bridge {n}.", f"j{n}")])
    found = recall(index, "bridge", listeners=["#6"], now=99.0, limit=10)
    assert len({hit.item.id[1:] for hit in found.hits}) == 10
