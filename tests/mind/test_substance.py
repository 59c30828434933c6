"""Courtesies do not fill the journal, and everything else gets into it."""

import pytest

from evennia_assistant.mind.substance import has_substance


@pytest.mark.parametrize(
    "line", ["Hello Bram!", "Thanks, Bram.", "Good evening again", "Who are you?", "...", ""]
)
def test_a_courtesy_is_not_worth_an_entry(line):
    assert not has_substance(line, "Old Bram")


@pytest.mark.parametrize(
    "line", ["My cat is called Tom.", "Two ales", "Thank the duke", "我的貓叫湯姆", "17"]
)
def test_anything_else_is(line):
    assert has_substance(line, "Old Bram")
