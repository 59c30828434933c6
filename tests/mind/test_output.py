"""Whatever a model says, a client is shown the words and nothing happens."""

from __future__ import annotations

import re
import unicodedata
from html import unescape

import pytest
from evennia.server.portal.mxp import mxp_parse
from evennia.utils import ansi
from evennia.utils.funcparser import ACTOR_STANCE_CALLABLES, FUNCPARSER_CALLABLES, FuncParser
from evennia.utils.text2html import parse_html
from hypothesis import given
from hypothesis import strategies as st

from evennia_assistant.mind.output import for_emote, for_speech, sanitize_speech, speakable

# --- the hostile strings: families of marks, each in several wordings ------------------------

COLOURS = (
    ["|" + code for code in "nrgybmcwxRGYBMCWXhHuUiIsS"]
    + ["|!R", "|[R", "|[r", "|[x", "|500", "|[050", "|=a", "|=z", "|[=m", "|#ff0000", "|[#0f0"]
    + ["|*", "|^", "|-", "|_", "|>"]
    + ["||r", "|||r", "||||r", "|||[r", "|\\r", "|{r", "|", "||", "|||", "{r", "{n", "%cr", "\\|r"]
)
FUNCTIONS = [
    "$You()",
    "$your()",
    "$conj(give)",
    "$pron(I,he)",
    "$obj(x)",
    "$eval(1+1)",
    "$random(1,9)",
    "$pad(x,500)",
    "$crop($pad(x,99),5)",
    "$clr(r,x)",
    "$search(#1)",
    "$choice(a,b)",
    "$$You()",
    "\\$You()",
    "\\\\$You()",
    "\\\\\\$You()",
    "$$$You()",
    "$You(",
    '$You("',
    "$5",
    "$",
    "C:\\new\\",
    "\\",
    "\\\\",
]
FIELDS = [
    "{}",
    "{0}",
    "{x}",
    "{you}",
    "{x.__class__}",
    "{x!r}",
    "{x:>9999}",
    "{{x}}",
    "{{",
    "}}",
    "{",
    "}",
    "{{{x}}}",
    "{{{{",
    "{ {",
    "{speech}",
    "{object}",
    "{|r}",
    "$You({x})",
]
LINKS = [
    "|lcdrop all|ltclick me|le",
    "|luhttp://evil.example|ltfree gold|le",
    "||lcdrop all||ltclick||le",
    "|||lcdrop all|||ltclick|||le",
    "|lcquit",
    "|ltclick",
    "|le",
    "|l|lcc|ltx|le",
    "|lc|lcx|lty|le|ltz|le",
    "|\u200blcquit|ltx|le",
    "|\x1b[0mlcquit|ltx|le",
    "|LCquit|LTx|LE",
]
BREAKS = ["a\nb", "a\r\nb", "a\rb", "a|/b", "a||/b", "a\x0bb", "a\x85b", "a\u2028b", "a\u2029b"]
UNSEEN = [
    "\x1b[31mred\x1b[0m",
    "\x1b[2J",
    "\x1b[4z<SEND HREF='quit'>x</SEND>",
    "\x1b]0;title\x07",
    "\x1b]8;;http://evil.example\x1b\\x\x1b]8;;\x1b\\",
    "\x9b31m",
    "\x1b",
    "\x1b(0",
    "\x00",
    "\x07",
    "\x08\x08\x08",
    "\x7f",
    "\xff\xf4\x80",
    "\u202eevil\u202c",
    "\u2066x\u2069",
    "z\u200be\u200cr\u200do",
    "\ufeff",
    "\u00ad",
    "\U000e0041\U000e007f",
    "\ud800",
    "\u3164",
    "x" + "\u0301" * 60,
]
WORDINGS = ["{}", "Take this: {} and go.", '"{}"', "{}{}", "So{}so", "{} x {}", "(gives him {})"]
HOSTILE = [
    wording.replace("{}", mark)
    for family in (COLOURS, FUNCTIONS, FIELDS, LINKS, BREAKS, UNSEEN)
    for mark in family
    for wording in WORDINGS
]

#: What may come in any order from a model that means harm.
MARKS = st.lists(
    st.one_of(
        st.sampled_from("|${}\\lcutenr/[]=#500() \n\x1b\"'<>&%:,"),
        st.sampled_from(["|r", "|n", "|lc", "|lt", "|le", "|/", "$You()", "{x}", "<think>"]),
        st.characters(),
    ),
    max_size=40,
).map("".join)

# --- how Evennia prints a line ---------------------------------------------------------------


class Someone:
    """Stands where Evennia has a character."""

    def get_display_name(self, looker=None, **kwargs):
        return "Someone"


ACTOR_STANCE = FuncParser(ACTOR_STANCE_CALLABLES)
OUTGOING = FuncParser(FUNCPARSER_CALLABLES, raise_errors=True)
HERE, THERE = Someone(), Someone()
SAID = '{object} says, "{speech}"'


def room_line(template: str, mapping: dict, inlines: bool = False) -> str:
    """What `DefaultObject.msg_contents` sends, up to the session."""
    text = ACTOR_STANCE.parse(
        template, return_string=True, caller=HERE, receiver=THERE, mapping=mapping
    )
    text = text.format_map(mapping)
    return OUTGOING.parse(text) if inlines else text


def speech_line(speech: str, inlines: bool = False) -> str:
    return room_line(SAID, {"object": "Bram", "speech": speech}, inlines)


def emote_line(emote: str, inlines: bool = False) -> str:
    return room_line("Bram nods: " + emote, {"you": HERE}, inlines)


def telnet(line: str, **options) -> str:
    """What `TelnetProtocol.send_text` writes."""
    mxp = options.get("mxp", False)
    ending = "||n" if line.endswith("|") else "|n"
    line = ansi.parse_ansi(re.sub(r"\|n$", "", line) + ending, **options)
    return mxp_parse(line) if mxp else line


def plain(line: str) -> str:
    return ansi.strip_raw_ansi(line)


def reads(line: str) -> str:
    """The words as MXP and colour are left out: a bar less where a link or break was."""
    return re.sub(r"\|+(?=l[cute]|/)", "", line)


def shown(line: str) -> list[str]:
    """What each kind of client shows of a line."""
    return [
        plain(telnet(line)),
        plain(telnet(line, xterm256=True, truecolor=True)),
        telnet(line, strip_ansi=True),
        ansi.strip_mxp(plain(ansi.parse_ansi(line))),
        unescape(re.sub(r"<span class=[^>]*>|</span>|</?a\b[^>]*>", "", parse_html(line))),
    ]


# --- literal for every client ----------------------------------------------------------------


def test_there_are_enough_hostile_strings() -> None:
    assert len(set(HOSTILE)) >= 600


@pytest.mark.parametrize("answer", HOSTILE)
def test_speech_is_shown_as_the_literal_words(answer: str) -> None:
    words = speakable(answer)
    line = speech_line(for_speech(words))
    assert {*shown(line)} == {f'Bram says, "{reads(words)}"'}


@pytest.mark.parametrize("answer", HOSTILE)
def test_an_emote_is_shown_as_the_literal_words(answer: str) -> None:
    words = speakable(answer)
    line = emote_line(for_emote(words))
    assert {*shown(line)} == {f"Bram nods: {reads(words)}"}


@pytest.mark.parametrize("answer", HOSTILE)
def test_a_game_that_parses_every_line_shows_the_same(answer: str) -> None:
    words = speakable(answer)
    speech = speech_line(for_speech(words, inlines_parsed=True), inlines=True)
    emote = emote_line(for_emote(words, inlines_parsed=True), inlines=True)
    assert speech == speech_line(for_speech(words))
    assert emote == emote_line(for_emote(words))


@pytest.mark.parametrize("answer", HOSTILE)
def test_no_client_gets_a_link_a_break_or_a_terminal_code(answer: str) -> None:
    for line in (speech_line(sanitize_speech(answer)), emote_line(for_emote(speakable(answer)))):
        assert_inert(line)


def assert_inert(line: str) -> None:
    sent = telnet(line, mxp=True)
    assert set(re.findall(r"\x1b[^m]*m?", sent)) <= {ansi.ANSI_NORMAL}
    assert "mxplink" not in parse_html(line)
    # a client without colours, and one for screen readers, which is sent what was parsed twice
    for once in (ansi.strip_ansi(line), telnet(line, strip_ansi=True)):
        assert not re.search(r"\|l[cute]", once)
        assert not re.search(r"[\r\n]", ansi.parse_ansi(once))
    bare = plain(sent)
    assert all(unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Zl", "Zp") for char in bare)
    bare.encode("utf-8")


@given(MARKS)
def test_any_mixture_of_marks_is_literal_and_inert(answer: str) -> None:
    words = speakable(answer)
    speech, emote = speech_line(for_speech(words)), emote_line(for_emote(words))
    assert {*shown(speech)[:4]} == {f'Bram says, "{reads(words)}"'}
    assert {*shown(emote)[:4]} == {f"Bram nods: {reads(words)}"}
    assert_inert(speech)
    assert_inert(emote)


@given(MARKS, st.sets(st.sampled_from(["r", "n", "500", "=m", "[r", "#ff0000", "u"])))
def test_allowed_colours_let_nothing_else_through(answer: str, allowed: set[str]) -> None:
    line = speech_line(for_speech(speakable(answer), allowed_colours=allowed))
    for client in (ansi.strip_ansi(line), plain(telnet(line, mxp=True))):
        assert not re.search(r"\|l[cute]|[\r\n\t]", client)
    assert "mxplink" not in parse_html(line) and "mxplink" not in parse_html(line, strip_ansi=True)
    assert not re.search(r"[\r\n]", ansi.parse_ansi(ansi.strip_ansi(line)))


@given(MARKS, st.integers(min_value=1, max_value=60))
def test_a_line_is_one_line_of_at_most_its_length(answer: str, cap: int) -> None:
    words = speakable(answer, max_length=cap)
    assert len(words) <= cap
    assert words == " ".join(words.split())


# --- what is left of an answer ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        ("Good evening.", "Good evening."),
        ("  Good\n\n evening. \t", "Good evening."),
        ("First.|/Second.", "First. Second."),
        ('"Good evening."', "Good evening."),
        ("“Good evening.”", "Good evening."),
        ('"Yes," he says, "and no."', '"Yes," he says, "and no."'),
        ('""', ""),
        ('"', ""),
        ("'Tis a fine day, Cap'n.", "'Tis a fine day, Cap'n."),
        ("Bram: Good evening.", "Good evening."),
        ("**Bram:** Good evening.", "Good evening."),
        ("[Bram]: Good evening.", "Good evening."),
        ('Bram says, "Good evening."', "Good evening."),
        ("Bram the Smith says: Good evening.", "Good evening."),
        ("BRAM: one\nBram: two", "one two"),
        ("Assistant: Good evening.", "Good evening."),
        ("Bram, that is me.", "Bram, that is me."),
        ("Note: the bridge is out.", "Note: the bridge is out."),
        ("Hello.\nAnna: Hello, Bram!\nBram: Sit down.", "Hello."),
        ("Hello.\nUser: and now?", "Hello."),
        ("Anna: the room is free.", "Anna: the room is free."),
        ("<think>She wants gold.</think>\n\nNo gold here.", "No gold here."),
        ("She wants gold.</think>No gold here.", "No gold here."),
        ("No gold here.<think>She wants", "No gold here."),
        ("<think>She wants", ""),
        ("<THINKING>a</THINKING>Hm.<think>b</think> No.", "Hm. No."),
        ("<thi\u200bnk>a</think>No.", "No."),
        ("No gold here.<|im_end|>", "No gold here."),
        ("*wipes a mug* (sighs) No.", "*wipes a mug* (sighs) No."),
        ("I think <the north> & south", "I think <the north> & south"),
        ("", ""),
        ("\n \u200b\u3164\x00", ""),
        ("\u0301", ""),
        ("...", "..."),
        ("Käse für 王さん, 👩\u200d🌾!", "Käse für 王さん, 👩🌾!"),
    ],
)
def test_what_is_left_of_an_answer(answer: str, line: str) -> None:
    assert speakable(answer, speaker="Bram the Smith", others=["Anna"]) == line


def test_a_long_line_ends_after_a_word() -> None:
    assert speakable("The ship sails on Friday at dawn.", max_length=20) == "The ship sails on..."
    assert speakable("The ship, sails on Friday.", max_length=13) == "The ship..."
    assert speakable("a" * 30, max_length=10) == "aaaaaaa..."
    assert speakable("Exactly ten", max_length=11) == "Exactly ten"
    assert len(speakable("word " * 100_000)) <= 500


def test_words_that_skipped_the_first_step_forge_no_line_either() -> None:
    assert for_speech("and|/or ||/ |lcx") == "and/or / lcx"
    assert for_speech("|r|/", allowed_colours={"r"}) == "|r/|n"


def test_an_allowed_colour_lives_and_is_closed() -> None:
    line = for_speech("|rred|n |bblue", allowed_colours={"r", "n"})
    assert line == "|rred|n ||bblue"
    assert for_speech("|rred", allowed_colours={"r"}) == "|rred|n"
    assert ansi.parse_ansi(line).startswith("\x1b[1m\x1b[31mred\x1b[0m |b")


@pytest.mark.parametrize("code", ["lc", "/", "", "-", "^", "r|", ".", "lcx|lty|le", "|r", "r\n"])
def test_only_colours_can_be_allowed(code: str) -> None:
    with pytest.raises(ValueError, match="not colour codes"):
        for_speech("x", allowed_colours={code})


def test_the_gate_in_one_step_is_the_two_steps() -> None:
    answer = 'Bram: "Take |rthis|n {x} $You()"'
    assert sanitize_speech(answer, speaker="Bram") == "Take ||rthis||n {x} $You()"
    assert for_emote("Take |rthis|n {x} $You()") == "Take ||rthis||n {{x}} \\$You()"
