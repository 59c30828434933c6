"""Reading a line: lose one of these and NPCs stop finding what they were told."""

import sys
import threading

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from evennia_assistant.mind.text import (
    content_terms,
    is_question,
    name_keys,
    names_in,
    speaks_of_self,
    stem,
    words,
)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("buying", "bought"),
        ("hide", "hidden"),
        ("steal", "stolen"),
        ("knife", "knives"),
        ("child", "children"),
        ("goes", "went"),
        ("baking", "baked"),
        ("Anna's", "anna"),
        ("Café", "cafe"),
        ("STRASSE", "straße"),
    ],
)
def test_a_question_in_one_form_of_a_word_meets_an_answer_in_another(asked, told):
    assert content_terms(asked) == content_terms(told) != []


def test_filler_words_are_not_what_a_line_is_about():
    assert content_terms("Who are you, and what is this?") == []


def test_words_keep_their_number_so_that_repetition_counts():
    assert content_terms("ring, ring and bell") == ["ring", "ring", "bell"]


@pytest.mark.parametrize(
    ("text", "shared"),
    [
        ("銀の指輪をなくした", "指輪"),
        ("我把戒指藏在井里", "戒指"),
        ("반지를 잃어버렸다", "반지"),
        ("แหวนเงินหาย", "แหวน"),
    ],
)
def test_scripts_without_spaces_are_found_by_a_part(text, shared):
    assert set(content_terms(shared)) <= set(content_terms(text))
    assert content_terms(shared)


def test_a_single_character_of_such_a_script_is_not_dropped():
    assert words("井 here") == ["井", "here"]


def test_cyrillic_and_greek_are_words():
    assert words("Где кольцо? Πού είναι;") == ["где", "кольцо", "που", "ειναι"]


@pytest.mark.parametrize(
    "text",
    [
        "Where?",
        '"Where is it?"',
        "Where? [shares a picture: a map]",
        "どこですか\uff1f",
        "So?!  ",
        "*Really?*",
    ],
)
def test_a_line_that_asks_is_known_to_ask(text):
    assert is_question(text) is (text.strip()[-1] != "!")


@pytest.mark.parametrize("text", ["", "Did you? I did.", "No.", "?? no"])
def test_a_line_that_ends_otherwise_does_not_ask(text):
    assert not is_question(text)


def test_my_and_i_speak_of_oneself_and_mine_shaft_words_do_not():
    assert speaks_of_self("Where is my ring?")
    assert speaks_of_self("What did I say?")
    assert not speaks_of_self("Is the iron mined in Mytown?")


def test_people_are_named_by_any_word_of_their_name_but_not_by_its_filler():
    assert name_keys("Old Bram the Innkeeper") == [
        "old bram the innkeeper",
        "old",
        "bram",
        "innkeeper",
    ]
    assert name_keys("Al") == ["al"]
    assert name_keys("...") == []


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Also, the Alps", set()),
        ("al did it", {"al"}),
        ("What about Al's ring?", {"al"}),
        ("Is MARY ANN here?", {"mary ann"}),
        ("Mary and Ann", set()),
        ("will he come", set()),
        ("has Will come", {"will"}),
        ("小明在哪里", {"小明"}),
    ],
)
def test_only_whole_names_name_someone(text, named):
    assert set(names_in(text, dict.fromkeys(["al", "mary ann", "will", "小明"], "#1"))) == named


@given(st.text(max_size=200))
def test_no_text_whatever_breaks_the_reading(text):
    assert all(isinstance(term, str) and term for term in content_terms(text))
    assert is_question(text) in (True, False)
    assert names_in(text, dict.fromkeys(name_keys(text), "#1")) is not None


@given(st.text(alphabet=st.characters(categories=["Lu", "Ll"], max_codepoint=0x24F), min_size=1))
def test_case_never_hides_a_word(text):
    assume(text.upper().lower() == text.lower())
    assert words(text.upper()) == words(text)


def test_words_have_the_same_stems_on_two_threads_at_once():
    """Facts are embedded on a thread of their own while the game recalls on another."""
    sample = [f"{start}{end}" for start in ("steal", "hope", "walk", "generous") for end in
              ("ing", "s", "ly", "ness", "ed", "ation", "fully", "er")]  # fmt: skip
    expected = [stem.__wrapped__(word) for word in sample]
    wrong = []

    def stem_all():
        for _ in range(200):
            found = [stem.__wrapped__(word) for word in sample]
            if found != expected:
                wrong.append(found)

    threads = [threading.Thread(target=stem_all) for _ in range(4)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert wrong == []
