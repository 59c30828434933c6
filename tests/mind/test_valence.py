"""What a line's valence is without a model, and what it must not be taken for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evennia_assistant.mind.entry import make_entry
from evennia_assistant.mind.valence import valence_of


@pytest.mark.parametrize(
    "line",
    [
        "My brother was murdered.",
        "He died last night.",
        "Anna's father drowned in the river.",
        "The baron betrayed us all!",
    ],
)
def test_what_breaks_a_heart_is_strongly_bad(line):
    assert valence_of(line) <= -0.8


@pytest.mark.parametrize(
    "line",
    ["We got married yesterday!", "I love you, Bram.", "My son was rescued, I am so happy."],
)
def test_what_gladdens_a_heart_is_strongly_good(line):
    assert valence_of(line) >= 0.8


@pytest.mark.parametrize(
    "line",
    [
        "I'm fired up for the fair!",
        "We are dying to meet the queen.",
        "A murder of crows sits on the roof.",
        "Good evening.",
        "Where is the nearest well?",
        "Do you have a room for the night?",
        "I would love a beer.",
        "The skill of the deadline keeper",
        "",
    ],
)
def test_words_inside_words_and_set_phrases_are_neither(line):
    assert valence_of(line) == 0.0


def test_not_turns_a_word_and_leaves_less_of_it():
    assert valence_of("I am happy.") > 0 > valence_of("I am not happy.")
    assert valence_of("It is bad.") < 0 < valence_of("It is not bad.")
    assert abs(valence_of("I am not happy.")) < valence_of("I am happy.")
    for line in ("I don't love him.", "I don\u2019t love him.", "I never loved him."):
        assert valence_of(line) < 0, line
    assert valence_of("No, I love him.") > 0
    assert valence_of("I have never been so happy.") > 0.5


def test_a_question_and_a_maybe_are_half_of_it():
    assert valence_of("Is he dead?") == valence_of("He is dead.") / 2
    assert valence_of("Perhaps he is dead.") == valence_of("He is dead.") / 2


def test_abuse_to_the_face_is_bad_whatever_its_words():
    assert valence_of("You stupid oaf!") <= -0.6


def test_saying_it_again_and_again_does_not_make_it_worse():
    assert valence_of("He is dead, dead, dead!") == valence_of("He is dead!")


@given(st.text(max_size=300))
def test_no_text_leaves_the_scale(text):
    assert -1.0 <= valence_of(text) <= 1.0


def test_an_entry_gets_the_valence_of_the_words_said_and_not_of_their_frame():
    def entry(content, **fields):
        return make_entry(1, content, when=0.0, source_type="direct", **fields)

    heard = entry('Grim Killer said: "I like the ale."', source_entity="Grim Killer")
    assert "valence" not in heard
    assert entry('Anna said: "My brother is dead."', source_entity="Anna")["valence"] <= -0.8
    assert entry("My brother is dead.", valence=0.2)["valence"] == 0.2
    assert "valence" not in entry("Everybody died.", kind="summary")


def test_the_valence_of_an_emotion_and_of_its_entry_are_one_number():
    made = make_entry(1, "I love it.", when=0.0, emotion={"valence": -0.5, "arousal": 0.1})
    assert made["valence"] == -0.5
    both = make_entry(1, "x", when=0.0, emotion={"valence": -0.5}, valence=0.25)
    assert both["valence"] == both["emotion"]["valence"] == 0.25
