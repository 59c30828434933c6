"""Who a line is addressed to: what players would lose if an NPC misread its own name."""

# ruff: noqa: RUF001 - punctuation of other scripts is data here

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evennia_assistant.mind.addressing import Addressee, find_addressees, find_involved
from evennia_assistant.mind.everyone import addresses_everyone
from evennia_assistant.mind.name_forms import name_forms

BRAM = Addressee("#7", ("Old Bram the Innkeeper",), ("barkeep",), "assistant")
ANNA = Addressee("#9", ("Anna",))
ROSE = Addressee("#10", ("Rose",))
WILL = Addressee("#11", ("Will",))


def how(text: str, *people: Addressee) -> dict[str, str]:
    """The strongest way each is named."""
    order = ("mention", "vocative", "at")
    found: dict[str, str] = {}
    for naming in find_addressees(text, people or (BRAM, ANNA)):
        if naming.id not in found or order.index(naming.how) > order.index(found[naming.id]):
            found[naming.id] = naming.how
    return found


def answers_to(*names: str, aliases: tuple[str, ...] = ()) -> set[str]:
    return {" ".join(form.tokens) for form in name_forms(names, aliases)}


def test_an_npc_answers_to_every_part_of_its_name_that_is_a_name() -> None:
    assert answers_to("Old Bram the Innkeeper", aliases=("barkeep",)) == {
        "old bram the innkeeper",
        "old bram",
        "bram",
        "innkeeper",
        "barkeep",
    }


@pytest.mark.parametrize(
    ("name", "never"),
    [
        ("Old Bram the Innkeeper", {"old", "the"}),
        ("a city guard", {"a", "city"}),
        ("Eldrin the Grey", {"the", "grey"}),
        ("Sylvaine of the Silver Wood", {"silver", "wood", "silver wood", "of", "the"}),
        ("The Lady in Red", {"the", "lady", "in", "red"}),
        ("Sir Tom", {"sir"}),
    ],
)
def test_a_common_word_of_a_name_wakes_nobody(name: str, never: set[str]) -> None:
    assert not answers_to(name) & never


def test_an_alias_that_is_only_grammar_is_no_name() -> None:
    assert "the" not in answers_to("Bram", aliases=("the", "Red"))
    assert "red" in answers_to("Bram", aliases=("the", "Red"))


@pytest.mark.parametrize(
    "text",
    [
        "Bram, an ale please!",
        "An ale, Bram.",
        "And you, Bram, where were you?",
        "hey innkeeper",
        "HEY BRAM",
        "thanks bram",
        "bram do you have a room",
        "two mugs barkeep",
        "Old Bram the Innkeeper, I greet you.",
        "Bram?",
        "Bram: two ales",
        "Wow Bram, that's a lot",
        "there you are Bram",
        "Bram dear, a word?",
    ],
)
def test_a_player_who_calls_the_npc_is_heard(text: str) -> None:
    assert how(text) == {"#7": "vocative"}


@pytest.mark.parametrize(
    "text",
    [
        "I like Bram's stew.",
        "Did Bram say that?",
        "Have you met Bram?",
        "Bram is a good man.",
        "My friend, Bram, runs this place.",
        "Bram, who runs this place, was a soldier once.",
        "the innkeeper, I think",
        "She shouted 'Bram, run!' and 'Bram, hide!'",
        'She shouted "Bram, look out!" and ran.',
        "Who runs the inn? Bram.",
        "Bram? No, I haven't seen him.",
        "I know a man named Bram.",
    ],
)
def test_talk_about_the_npc_is_not_talk_to_it(text: str) -> None:
    assert how(text) == {"#7": "mention"}


@pytest.mark.parametrize(
    "text",
    [
        "brambles everywhere",
        "Abram, is that you?",
        "Brams and bolts",
        "http://bram.example.com/stew",
        "bob@bram.example",
        "a bram-like fellow",
        "the old road",
        "",
        "...",
    ],
)
def test_a_name_inside_another_word_names_nobody(text: str) -> None:
    assert how(text) == {}


@pytest.mark.parametrize("text", ["@bram", "ask @Bram's opinion", "hi @innkeeper!", "@old_bram hi"])
def test_an_at_sign_always_calls(text: str) -> None:
    assert how(text) == {"#7": "at"}


def test_when_two_are_named_the_call_decides() -> None:
    assert how("Anna, what does Bram charge?") == {"#9": "vocative", "#7": "mention"}
    assert how("Does Anna owe you money, Bram?") == {"#9": "mention", "#7": "vocative"}
    assert how("Bram, Anna is looking for you") == {"#7": "vocative", "#9": "mention"}
    assert how("Anna, Bram, come here!") == {"#9": "vocative", "#7": "vocative"}
    assert how("Bram and Anna went home.") == {"#7": "mention", "#9": "mention"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Rose, are you there?", "vocative"),
        ("hey rose", "vocative"),
        ("how are you, rose?", "vocative"),
        ("I like Rose.", "mention"),
        ("prices rose again", "mention"),
        ("a lily, a tulip and a rose", "mention"),
        ("oh, the smoke rose.", "mention"),
    ],
)
def test_a_name_that_is_a_word_is_called_only_when_it_is_meant(text: str, expected: str) -> None:
    assert how(text, ROSE) == {"#10": expected}


@pytest.mark.parametrize(
    "text", ["Will you come?", "yes I will", "you will, won't you?", "will do"]
)
def test_a_question_beginning_with_will_is_not_for_will(text: str) -> None:
    assert how(text, WILL).get("#11") != "vocative"


def test_accents_and_case_do_not_hide_a_name() -> None:
    jose = Addressee("#3", ("José",))
    assert how("jose, amigo!", jose) == how("JOSÉ, amigo!", jose) == {"#3": "vocative"}
    # The same letters written as base letter and combining accent.
    assert how("Jose\u0301, amigo!", jose) == {"#3": "vocative"}


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("老王", "老王，来一壶酒", "vocative"),
        ("老王", "你好老王", "vocative"),
        ("老王", "我喜欢老王的菜", "mention"),
        ("ブラム", "ブラムさん、こんばんは", "vocative"),
        ("ブラム", "昨日ブラムに会った", "mention"),
        ("브람", "브람아, 맥주 하나", "vocative"),
        ("브람", "나는 브람은 싫어", "mention"),
        ("Борис", "Привет, Борис", "vocative"),
        ("K'thar", "hello K’thar", "vocative"),
        ("K'thar", "K'thar's forge", "mention"),
        ("Jean-Luc", "aye, Jean-Luc", "vocative"),
        ("James", "James' stew is cold", "mention"),
    ],
)
def test_names_of_any_script_and_spelling_are_found(name: str, text: str, expected: str) -> None:
    assert how(text, Addressee("#1", (name,))) == {"#1": expected}


def test_a_full_name_beats_the_same_word_in_a_longer_name() -> None:
    hunter = Addressee("#5", ("Hunter Anna",))
    assert how("Anna, did you hear?", hunter, ANNA) == {"#9": "vocative"}


@pytest.mark.parametrize(
    "text",
    [
        "Good evening, everyone!",
        "hi all",
        "Everyone, listen!",
        "Does anyone know where the mill is?",
        "Somebody help me!",
        "anyone?",
        "All of you, out!",
        "good night everyone",
    ],
)
def test_a_line_to_the_whole_room_reaches_the_room(text: str) -> None:
    assert addresses_everyone(text)


@pytest.mark.parametrize(
    "text",
    [
        "Everyone knows that.",
        "I don't trust anyone here.",
        "Someone stole my purse",
        "that's all folks say about it",
        "He is everyone's friend.",
        "You all look so happy!",
        "",
    ],
)
def test_a_line_about_everyone_wakes_nobody(text: str) -> None:
    assert not addresses_everyone(text)


def test_you_two_means_the_npc_only_when_two_are_there() -> None:
    assert addresses_everyone("Good evening, you two!", others=2)
    assert not addresses_everyone("Good evening, you two!", others=3)


@pytest.mark.parametrize(
    ("action", "is_for_bram"),
    [
        ("waves at Bram.", True),
        ("hands the innkeeper a coin.", True),
        ("taps Bram's shoulder.", True),
        ("drops the ore in front of Bram.", True),
        ("bows before the innkeeper.", True),
        ("leaves before Bram wakes.", False),
        ("admires Bram's stew.", False),
        ("thinks of Bram.", False),
        ("tells Anna about Bram.", False),
        ("waits until Bram is gone.", False),
        ("brushes off bramble thorns.", False),
    ],
)
def test_a_gesture_is_for_whom_it_touches(action: str, is_for_bram: bool) -> None:
    assert ("#7" in find_involved(action, (BRAM, ANNA))) is is_for_bram


def test_a_gesture_with_a_word_that_is_also_a_name_is_for_nobody() -> None:
    assert not find_involved("picks a rose and smells it.", (ROSE,))
    assert find_involved("bows to Rose.", (ROSE,)) == {"#10"}


_SNIPPETS = st.lists(
    st.one_of(
        st.text(max_size=12),
        st.sampled_from(
            [
                "Bram",
                "bram's",
                "@bram",
                ", ",
                "? ",
                '"',
                "and",
                "hey",
                "the",
                "innkeeper",
                "老",
                "...",
            ]
        ),
    ),
    max_size=25,
).map(" ".join)


@given(_SNIPPETS)
def test_no_line_can_break_the_reading_of_names(text: str) -> None:
    namings = find_addressees(text, (BRAM, ANNA, ROSE, WILL))
    assert all(naming.id in {"#7", "#9", "#10", "#11"} for naming in namings)
    assert [naming.start for naming in namings] == sorted(naming.start for naming in namings)
    find_involved(text, (BRAM, ANNA))
    addresses_everyone(text, 2)


@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=6))
def test_a_name_never_answers_inside_a_longer_word(letters: str) -> None:
    glued = find_addressees(f"{letters}bram, bram{letters}x, hello", (BRAM,))
    assert not [naming for naming in glued if naming.how != "mention"] or letters in ("old",)


@given(st.sampled_from(["Bram, {}", "{}, Bram?", "hey Bram {}"]), st.text(max_size=40))
def test_case_never_decides_who_is_called(pattern: str, words: str) -> None:
    text = pattern.format(words)
    assert bool(find_addressees(text, (BRAM,))) == bool(find_addressees(text.lower(), (BRAM,)))
