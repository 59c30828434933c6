"""What somebody says of themselves: lose this and a night without a model learns nothing of it."""

import pytest

from evennia_assistant.mind.self_statement import attribute_in


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("My name is Anna.", ("name", "Anna")),
        ("call me Sam", ("name", "Sam")),
        ("I am looking for work at the mill; ask there.", ("looks for", "work at the mill")),
        ("I'm a sailor.", ("is", "a sailor")),
        ("I hail from Kell.", ("comes from", "Kell")),
        ("I really love black tea.", ("likes", "black tea")),
        ("I don't drink ale.", ("dislikes", "ale")),
        ("I\u2019m afraid of the dark", ("fears", "the dark")),
        ("My cat is called Mochi.", ("cat", "Mochi")),
        ("I seek gold.", ("looks for", "gold")),
        ("The well is dry.", None),
        ("I love you.", None),
    ],
)  # fmt: skip
def test_a_statement_gives_its_key_and_its_value(words, found):
    assert attribute_in(words) == found
