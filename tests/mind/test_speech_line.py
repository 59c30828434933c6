"""The words inside a formatted line: what an NPC would mishear if they were read wrongly."""

# ruff: noqa: RUF001 - punctuation of other scripts is data here

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evennia_assistant.mind.speech_line import (
    QUOTES,
    extract_words,
    outside_quotes,
    quoted_pieces,
    strip_markup,
)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('Bob says, "hello"', "hello"),
        ('Bob says: "hello there."', "hello there."),
        ('Bob whispers: "psst"', "psst"),
        ("Bob sagt: „Guten Abend“", "Guten Abend"),
        ("Bob dit : « Bonsoir, Bram ! »", "Bonsoir, Bram !"),
        ("Bob dice: «hola»", "hola"),
        ("Bob säger: ”hej”", "hej"),
        ("Bob siger: »hej«", "hej"),
        ("Боб говорит: «привет»", "привет"),
        ("ボブ「こんばんは」", "こんばんは"),
        ("小明说：“你好”", "你好"),
        ("Bob says, 'it's me, don't shoot'", "it's me, don't shoot"),
        ('Bob says, "He said "run" and ran"', 'He said "run" and ran'),
        ("Bob says, \"don't 'do' that\"", "don't 'do' that"),
        ('"Good evening," says Bob.', "Good evening,"),
        ('Bob exclaims to Anna, "no!"', "no!"),
        ("[say] Bob: hello there", "hello there"),
        ("Bob: what's up?", "what's up?"),
        ("<Bob> hi all", "hi all"),
        ("[Public] Bob: anyone here?", "anyone here?"),
        ("Bob: he said: no", "he said: no"),
        ('|cBob|n says, "|wBram|n, |500are|n you |=athere|n?"', "Bram, are you there?"),
        ('\x1b[1;36mBob\x1b[0m says, "\x1b[31mhello\x1b[0m"', "hello"),
    ],
)
def test_what_was_said_is_read_from_any_format(line: str, words: str) -> None:
    assert extract_words(line, ("Bob", "Боб", "ボブ", "小明"), "say") == (words, True)


@pytest.mark.parametrize(
    "line",
    [
        "Bob mumbles incomprehensibly",
        "The ghost of Bob moans",
        'Bob says, ""',
        "Bob's dog barks",
    ],
)
def test_a_line_that_cannot_be_read_comes_back_whole_and_unsure(line: str) -> None:
    assert extract_words(line, ("Bob",), "say") == (line, False)


def test_speech_broken_by_its_tag_is_put_together() -> None:
    words, _ = extract_words('"Ah," says Bob, "it is you."', ("Bob",), "say")
    assert words == "Ah, it is you."


def test_a_speaker_with_quotes_in_the_name_is_not_misheard() -> None:
    line = 'Bob "Ox" Miller says, "hello"'
    assert extract_words(line, ('Bob "Ox" Miller',), "say") == ("hello", True)
    assert extract_words("K'thar says, 'well met'", ("K'thar",), "say") == ("well met", True)


def test_an_emote_yields_the_pieces_that_were_spoken() -> None:
    line = 'a tall man smiles, says "hello" and adds "friend"'
    assert extract_words(line, ("a tall man",), "emote") == ("hello friend", True)


@pytest.mark.parametrize(
    "line",
    [
        "Bob polishes the guards' boots and the kids' toys.",
        "Bob mutters that 'tis late.",
        "Bob's dog barks at Anna's cat.",
    ],
)
def test_an_apostrophe_is_not_speech(line: str) -> None:
    assert extract_words(line, ("Bob",), "pose") == (line, False)


def test_what_was_done_is_told_apart_from_what_was_said() -> None:
    assert (
        outside_quotes('Bob nods to Anna. "Bram, an ale!" He sits.') == "Bob nods to Anna. He sits."
    )


@pytest.mark.parametrize("line", ["", "   ", "|n", "\x1b[0m", "\t"])
def test_nothing_said_is_nothing_heard(line: str) -> None:
    assert extract_words(line, ("Bob",), "say") == ("", False)


@pytest.mark.parametrize(
    ("marked", "plain"),
    [
        ("|rred|n |[500back|n |=gray|[=z", "red back ray"),
        ("a || b", "a | b"),
        ("||r", "|r"),
        ("click |lclook|ltthe mill|le now", "click the mill now"),
        ("|luhttp://x|ltthe site|le", "the site"),
        ("|lcno end", "no end"),
        ("one|/two|-three", "one two three"),
        ("\x1b]0;title\x07text", "text"),
        ("zero\u200bwidth \u202eflip", "zerowidth flip"),
        ("{x} $You() stays", "{x} $You() stays"),
        ("|#ff0000true colour|n", "true colour"),
    ],
)
def test_colour_codes_links_and_control_characters_are_no_words(marked: str, plain: str) -> None:
    assert strip_markup(marked) == plain


_PLAIN = st.text(
    alphabet=st.characters(
        blacklist_categories=("Cc", "Cf", "Cs", "Zl", "Zp"),
        blacklist_characters="".join({*QUOTES, *"".join(QUOTES.values())}) + "|\u00a0",
    ),
    min_size=1,
).map(str.strip)


@given(_PLAIN.filter(bool))
def test_plain_words_in_the_default_format_come_through_unchanged(words: str) -> None:
    assert extract_words(f'Bob says, "{words}"', ("Bob",), "say") == (words, True)


@given(st.text(max_size=200), st.sampled_from(["say", "whisper", "pose", "emote", "arrive"]))
def test_no_line_can_break_the_reading_of_speech(line: str, manner: str) -> None:
    words, exact = extract_words(line, ("Bob", ""), manner)  # type: ignore[arg-type]
    assert words or not exact
    assert all(piece.words for piece in quoted_pieces(line))


@pytest.mark.parametrize(
    "unit", ["|lc", "|lt", '"', "'", "„", "«", ", '", "\x1b]", "|", "Bob: ", "「", "||r", "` "]
)
def test_ten_thousand_hostile_characters_are_read_through(unit: str) -> None:
    line = "Bob says, " + unit * (10_000 // len(unit))
    words, _ = extract_words(line, ("Bob",), "say")
    extract_words(line, ("Bob",), "pose")
    assert len(words) <= len(line)
