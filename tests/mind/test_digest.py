"""Without a model, what is kept of a conversation is what was said in it, and the telling part."""

import re

from hypothesis import given
from hypothesis import strategies as st

from evennia_assistant.mind.digest import MOST, SPEAKERS, Line, digest
from evennia_assistant.mind.text import content_terms

WORDS = st.lists(
    st.sampled_from("the ring lies at old quarry where is my ship hello 銀の指輪 a!".split()),  # noqa: SIM905
    max_size=40,
).map(" ".join)
LINES = st.lists(
    st.builds(Line, st.sampled_from(["Anna", "Bram", "Petra"]), WORDS, st.floats(0, 1e6)),
    max_size=30,
).map(lambda lines: sorted(lines, key=lambda line: line.when))
RARITY = st.dictionaries(st.sampled_from(content_terms("ring quarry ship old")), st.floats(0.1, 9))


def quoted(text):
    return re.findall(r'(\w+): "([^"]*)"', text)


@given(LINES, RARITY)
def test_a_digest_quotes_only_what_was_said_in_the_order_it_was_said(lines, rarity):
    said = [(line.speaker, " ".join(line.text.split())) for line in lines]
    at = -1
    for speaker, words in quoted(digest(lines, rarity)):
        begins = words.removesuffix("...")
        later = [
            n
            for n, (who, text) in enumerate(said)
            if n > at and who == speaker and text.startswith(begins)
        ]
        assert later, f"{speaker} did not say {words!r}, or not after what stands before it"
        at = later[0]


@given(LINES, RARITY, st.integers(80, 900))
def test_a_digest_keeps_to_its_length(lines, rarity, most):
    assert len(digest(lines, rarity, most=most)) <= most


@given(LINES, RARITY)
def test_a_digest_names_everybody_who_spoke_and_says_nothing_twice(lines, rarity):
    text = digest(lines, rarity)
    assert all(line.speaker in text for line in lines)
    assert len(set(quoted(text))) == len(quoted(text))
    assert (text == "") is (not lines)


@given(LINES, RARITY)
def test_a_line_without_a_word_of_its_own_is_not_quoted(lines, rarity):
    assert all(content_terms(words) for _who, words in quoted(digest(lines, rarity)))


def test_the_rarest_line_is_quoted_before_the_common_ones():
    lines = [Line("Anna", f"The weather is fine on day {n}.", n) for n in range(20)]
    lines[7] = Line("Anna", "My ring lies at the quarry.", 7)
    rarity = {"weather": 0.2, "fine": 0.2, "day": 0.2, "ring": 5.0, "quarri": 6.0}
    assert '"My ring lies at the quarry."' in digest(lines, rarity, quoted=1)


def test_an_answer_says_more_than_the_question():
    lines = [
        Line("Anna", "Where is my ring?", 0),
        Line("Anna", "My ring is in the well.", 1),
    ]
    assert quoted(digest(lines, {}, quoted=1)) == [("Anna", "My ring is in the well.")]


def test_a_crowd_is_named_in_part_and_a_span_in_words():
    lines = [Line(f"Guest{n}", "My ring lies at the quarry.", n * 3600.0) for n in range(8)]
    text = digest(lines, {})
    assert "and others talked for 7 hours, 8 lines." in text
    assert text.count("Guest") - len(quoted(text)) == SPEAKERS


def test_names_and_lines_of_any_length_fit():
    lines = [Line("N" * 500, "ring " * 500, 0.0), Line("", "ring\nquarry", 60.0)]
    text = digest(lines, {})
    assert len(text) <= MOST and "somebody" in text and "\n" not in text
