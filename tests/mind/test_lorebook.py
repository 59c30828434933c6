"""What an entry of a lorebook means, and when its line comes to mind."""

import time

import pytest

from evennia_assistant.errors import CardError
from evennia_assistant.mind import lorebook
from evennia_assistant.mind.lore_gate import ALL, ANY, NONE, NOT_ALL, LoreGate
from evennia_assistant.mind.lorebook import book_of, content_of, entries_of, keys_of

from tests.cards import SERAPHINA, WORLD_INFO


def test_a_world_info_export_is_read_with_all_it_has():
    about, entries = book_of(WORLD_INFO)
    assert about == {} and len(entries) == 3
    ferry = entries[0]
    assert ferry["keys"] == ["ferry", "boat"] and ferry["enabled"] is True
    assert ferry["insertion_order"] == 100 and ferry["id"] == 0
    assert ferry["extensions"]["probability"] == 100, "what is not used is kept"


def test_a_book_of_its_own_and_one_in_a_card_are_read_alike():
    book = SERAPHINA["character_book"]
    about, entries = book_of({"spec": "lorebook_v3", "data": book})
    assert about["name"] == "Eldoria" and entries == entries_of(book)
    assert lorebook.is_book(book) and lorebook.is_book(WORLD_INFO)
    assert not lorebook.is_book({"first_mes": "", "entries": []}) and not lorebook.is_book([])


def test_no_expression_is_run_and_one_that_lists_words_is_taken_as_these():
    assert keys_of({"keys": ["/mill|miller/i"]}) == (["mill", "miller"], [])
    assert keys_of({"keys": ["\\bmill\\b", "St. John"], "use_regex": True})[0] == [
        "mill",
        "St. John",
    ]
    assert keys_of({"keys": ["/(a+)+$/", "plain"]}) == (["plain"], ["/(a+)+$/"])
    assert keys_of({"keys": ["(a+)+$"], "use_regex": True}) == ([], ["(a+)+$"])


def test_decorators_are_no_words_of_an_entry():
    entry = {"content": "@@depth 4\n@@@role system\n\nThe mill burnt down.", "keys": ["mill"]}
    assert content_of(entry) == "The mill burnt down."
    assert not lorebook.is_enabled({"content": "@@dont_activate\nNo.", "keys": ["x"]})
    assert lorebook.is_constant({"content": "@@activate\nYes.", "keys": ["x"]})


@pytest.mark.parametrize(
    "entry",
    [
        {},
        {"keys": 7, "content": None, "extensions": [], "insertion_order": "first"},
        {"key": None, "extensions": "x", "position": []},
        {"keys": [None, 3, "", "x" * 5000], "secondary_keys": {"a": 1}, "selective": "yes"},
        {"keys": "a, b", "extensions": {"selectiveLogic": True}, "insertion_order": 1e400},
    ],
)
def test_an_entry_with_fields_of_the_wrong_kind_breaks_nothing(entry):
    (read,) = entries_of({"entries": [entry]})
    keys, unused = keys_of(read)
    assert all(len(key) <= lorebook.MAX_KEY for key in (*keys, *unused))
    assert isinstance(content_of(read), str) and lorebook.logic_of(read) == 0
    assert -1e9 < lorebook.order_of(read) < 1e9
    assert lorebook.further_keys(read) in ([], [])


def test_a_book_of_a_million_entries_is_refused():
    with pytest.raises(CardError, match="at most"):
        entries_of({"entries": [{}] * (lorebook.MAX_ENTRIES + 1)})
    with pytest.raises(CardError, match="no list"):
        entries_of({"entries": "many"})
    assert entries_of({"entries": ["no entry", {"keys": []}]}) == [{"keys": []}]


# When a line comes to mind ------------------------------------------------------------------------


def gate(**line):
    return LoreGate([(3, {"text": "x", **line})])


@pytest.mark.parametrize(
    ("key", "said", "opens"),
    [
        ("wolf", "Did you see the wolf?", True),
        ("wolf", "Did you see the WOLVES?", True),
        ("wolf", "wolfram is a metal", False),
        ("Al", "Also, the Alps", False),
        ("al", "I met Al", True),
        ("old mill", "Who lives at the Old Mill?", True),
        ("old mill", "the mill is old", False),
        ("caf\u00e9", "the cafe\u0301 is open", True),
        (
            "\u9280\u306e\u6307\u8f2a",
            "\u79c1\u306e\u9280\u306e\u6307\u8f2a\u306f\u3069\u3053\uff1f",
            True,
        ),
        ("", "anything", False),
    ],
)
def test_a_line_comes_to_mind_when_its_word_is_said(key, said, opens):
    assert gate(keys=[key, ""]).opened(said) == ([3] if opens else [])


def test_letters_count_where_an_entry_says_so():
    assert gate(keys=["Rose"], cased=True).opened("a rose") == []
    assert gate(keys=["Rose"], cased=True).opened("Ask Rose") == [3]


@pytest.mark.parametrize(
    ("logic", "neither", "one", "both"),
    [
        (ANY, False, True, True),
        (NOT_ALL, True, True, False),
        (NONE, True, False, False),
        (ALL, False, False, True),
    ],
)
def test_further_words_count_as_the_entry_says(logic, neither, one, both):
    asked = gate(keys=["amulet"], also=["curse", "witch"], logic=logic)
    assert bool(asked.opened("the amulet")) == neither
    assert bool(asked.opened("the amulet has a curse")) == one
    assert bool(asked.opened("the witch put a curse on the amulet")) == both
    assert not asked.opened("the witch and her curse"), "the first words must be there"


def test_lines_come_in_the_order_their_book_gives():
    lines = [(0, {"keys": ["mill"], "order": 5}), (1, {"keys": ["mill"], "order": 1})]
    assert LoreGate([*lines, (2, "a plain line"), (4, {"keys": []})]).opened("the mill") == [1, 0]


def test_five_thousand_lines_cost_a_line_of_speech_next_to_nothing():
    many = LoreGate((n, {"keys": [f"name{n}x", f"of two {n}"]}) for n in range(5000))
    said = "And then name77x came to the inn and asked for of two 12, if you believe it."
    assert many.opened(said) == [12, 77]
    started = time.perf_counter()
    for _ in range(200):
        many.opened(said)
    assert (time.perf_counter() - started) / 200 < 0.002
