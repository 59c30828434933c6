"""A line told on to somebody else does not begin with the name of the one it was told to."""

import pytest

from evennia_assistant.mind.name_forms import Addressee
from evennia_assistant.mind.without_call import without_call

BRAM = Addressee("#1", ("Bram",), ("innkeeper",))


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Innkeeper, my ship sails on Friday.", "My ship sails on Friday."),
        ("Hey Bram, my dog ran away!", "My dog ran away!"),
        ("My dog ran away, Bram.", "My dog ran away."),
        ("When does it sail, innkeeper?", "When does it sail?"),
        ("@bram two ales", "@bram two ales"),
        ("I saw Bram at the mill.", "I saw Bram at the mill."),
        ("Bram is asleep.", "Bram is asleep."),
        ("Bram!", "Bram!"),
        ("Good evening, innkeeper!", "Good evening!"),
        ("", ""),
    ],
)
def test_only_the_call_goes(said, kept):
    assert without_call(said, BRAM) == kept
