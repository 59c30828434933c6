"""Whom a line names: lose one of these and the NPC thinks of the wrong one, or tells a secret."""

import random
import time

import pytest

from evennia_assistant.mind.alias_book import AliasBook, Name
from evennia_assistant.mind.likeness import may_be_one

ANNA, BOB = "#5", "#6"
ALL = ["*"]


def book(**names):
    made = AliasBook()
    for who, theirs in names.items():
        made.put(who, [Name(name) for name in theirs])
    return made


def test_a_name_inside_another_word_names_nobody_and_case_does_not_matter():
    names = book(al=["Al"])
    assert names.ids_in("Also, the Alps are high.", ALL) == []
    assert names.ids_in("is al here?", ALL) == ["al"]
    assert names.ids_in("Al's boat sank.", ALL) == ["al"]


@pytest.mark.parametrize("said", ["莫奈的睡莲", "印象派的莫奈", "我喜欢莫奈。"])
def test_where_words_are_not_spaced_a_name_is_found_inside_the_text(said):
    assert book(monet=["莫奈"]).ids_in(said, ALL) == ["monet"]


def test_a_part_of_a_name_counts_where_it_is_written_as_a_name():
    names = book(bram=["Old Bram the Innkeeper"], elodie=["Élodie Vert"])
    assert names.ids_in("Where is Bram?", ALL) == ["bram"]
    assert names.ids_in("old bram the innkeeper sleeps", ALL) == ["bram"]
    assert names.ids_in("My old innkeeper friend sleeps.", ALL) == []
    assert names.ids_in("Élodie sings.", ALL) == ["elodie"]


def test_a_name_that_is_also_a_common_word_counts_with_its_capital_only():
    names = book(will=["Will"])
    assert names.ids_in("Will you come?", ALL) == ["will"]
    assert names.ids_in("she will come", ALL) == []


def test_a_name_several_go_by_names_none_of_them_for_certain():
    names = book(one=["Anna"], two=["Anna", "Annie"])
    assert names.ids_in("Anna and Annie", ALL) == ["two"]
    assert names.named_in("Anna", ALL) == {"anna": {"one", "two"}}


def test_a_confided_name_is_none_before_others():
    names = AliasBook()
    names.put(BOB, [Name("Bob"), Name("Robert", (ANNA, BOB)), Name("Nobody", None)])
    assert names.ids_in("Robert was here", [ANNA]) == [BOB]
    for listeners in ([ANNA, "#9"], ["#9"], ALL, []):
        assert names.ids_in("Robert was here", listeners) == []
        assert names.who_is("robert", listeners) == set()
    assert names.ids_in("Nobody was here", [ANNA]) == []


def test_a_new_set_of_names_takes_the_place_of_the_old():
    names = book(bob=["Bob Smith", "Bobby"])
    names.put("bob", [Name("Robert")])
    assert names.ids_in("Bob Smith, Bobby", ALL) == []
    names.put("bob", ())
    assert len(names) == 0 and not names._firsts


def test_five_thousand_names_are_looked_up_in_no_more_time_than_a_line_takes():
    rng = random.Random(7)
    made = AliasBook()
    for number in range(5000):
        made.put(f"#{number}", [Name("".join(rng.choices("abcdefghiklmnoprstuvw", k=7)).title())])
    made.put("al", [Name("Al")])
    line = "Do you remember what al told you of the silver ring he lost behind the mill?"
    fastest = 1.0
    for _ in range(50):
        started = time.perf_counter()
        assert made.ids_in(line, ALL) == ["al"]
        fastest = min(fastest, time.perf_counter() - started)
    assert fastest <= 0.0002


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("Robert", "Roberto", True),
        ("Bram", "Old Bram the Innkeeper", True),
        ("Mochi", "Mocchi", True),
        ("Anna", "anna", True),
        ("Anna", "Bella", False),
        ("Al", "Alps", False),
        ("Old Tom", "Old Bram", False),
        ("", "Anna", False),
    ],
)
def test_names_are_alike_by_their_words_and_spelling(one, other, alike):
    assert may_be_one(one, other) is alike
    assert may_be_one(other, one) is alike
