"""Abuse costs a player's standing; a line that only sounds like it must not."""

import pytest

from evennia_assistant.mind.insults import is_insult


@pytest.mark.parametrize(
    "words",
    [
        "You idiot!",
        "Bram, you fool.",
        "you stupid, ugly oaf",
        "You are a worthless liar and I know it.",
        "You're nothing but a filthy dog!",
        "You\u2019re pathetic.",
        "Oh, shut up.",
        "I hate you.",
        "Damn you, Bram!",
        "GO TO HELL",
        "Fine. You are so stupid.",
    ],
)
def test_abuse_is_seen(words):
    assert is_insult(words)


@pytest.mark.parametrize(
    "words",
    [
        "",
        "You are kind.",
        "You are no fool, Bram.",
        "You are not an idiot.",
        "He called you a fool.",
        "Anna says you are a liar.",
        "Do not think you are stupid.",
        "Are you a thief?",
        "You are a thief?",
        "I never said you are useless.",
        "I bring you pig iron and rat tails.",
        "The old dog bit me.",
        "That idiot stole my purse.",
        "I am such a fool.",
        "If you are a coward, stay here.",
        "We are friends, remember?",
        "x" * 20_000,
        "you " * 5_000,
        "you stupid " * 2_000,
    ],
)
def test_what_is_no_abuse_is_none(words):
    assert not is_insult(words)
