"""What goes and what stays, as plain logic."""

import pytest

from evennia_assistant.mind.entry import make_entry
from evennia_assistant.mind.forgetting import Subject, choose, words_of_their_own

ANNA = Subject(entity="#5", names=("Anna",), npc="#1")


def entry(number, content="Something happened.", **fields):
    fields.setdefault("audience", "public")
    return make_entry(number, content, when=1_780_000_000.0, **fields)


@pytest.mark.parametrize(
    ("fields", "goes"),
    [
        ({"source_id": "#5"}, True),
        ({"source_id": "#7", "audience": ["#5", "#1"]}, True),
        ({"entities": ["#5"]}, True),
        ({"entities": ["#5", "#7"]}, False),
        ({"source_id": "#7", "entities": ["#5"]}, False),
        ({"content": "Anna came in."}, True),
        ({"content": "Anna came in.", "source_id": "#7"}, False),
        ({"content": "Hannah came in."}, False),
        ({"audience": ["#5", "#7"]}, False),
        ({"audience": None}, False),
    ],
)
def test_own_memories_are_told_from_those_of_others(fields, goes):
    content = fields.pop("content", "Something happened.")
    assert ANNA.owns(entry(1, content, **fields)) is goes


def test_a_thing_has_no_name_by_which_others_words_could_go():
    ring = Subject(entity="#9", npc="#1")
    assert not ring.owns(entry(1, "The ring shines."))


@pytest.mark.parametrize(("mode", "stays"), [("orphan", True), ("cascade", False)])
def test_a_conclusion_from_both_stays_or_goes_by_the_mode(mode, stays):
    journal = {
        1: entry(1, source_id="#5"),
        2: entry(2, source_id="#7"),
        3: entry(3, evidence=["j1", "j2"], kind="synthesis"),
        4: entry(4, evidence=["j3"], kind="synthesis"),
        5: entry(5, evidence=["j1"], kind="synthesis"),
    }
    choice = choose(ANNA, mode, journal, {}, {}, frozenset())
    assert (3 in choice.orphans) is stays and (4 not in choice.entries) is stays
    assert 5 in choice.derived and 2 not in choice.entries


def test_a_fact_nobody_could_read_goes_and_its_other_entries_wait_again():
    journal = {1: entry(1, source_id="#5"), 2: entry(2, source_id="#7")}
    choice = choose(ANNA, "orphan", journal, {"f": [1, 2]}, {}, frozenset())
    assert choice.facts == {"f"} and choice.again == {2}


def test_words_others_use_give_nobody_away():
    words = words_of_their_own(["the crimson ferry"], ["a ferry sails"])
    choice = choose(ANNA, "orphan", {}, {}, {}, words)
    assert choice.gives_away("It is crimson.") and not choice.gives_away("Where sails the ferry?")
    assert choice.gives_away("Ask Anna.")


def test_there_are_two_modes():
    with pytest.raises(ValueError, match="orphan and cascade"):
        choose(ANNA, "burn", {}, {}, {}, frozenset())
