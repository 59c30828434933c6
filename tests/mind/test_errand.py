"""A plain errand is understood as it was put, and nothing is said that would come out wrong."""

import pytest

from evennia_assistant.mind.errand import errand_of


@pytest.mark.parametrize(
    ("goal", "line"),
    [
        ("Remind Anna of the ferry", "Anna, do not forget the ferry."),
        ("remind Old Tom about his hat.", "Tom, do not forget your hat."),
        (
            "Remind Anna that the ferry leaves at dawn!",
            "Anna, remember that the ferry leaves at dawn.",
        ),
        ("Remind Anna to pay her tab", "Anna, remember to pay your tab."),
        ("Tell Anna that the bridge is out", "Anna, the bridge is out."),
        ("Tell Anna: the bridge is out", "Anna, the bridge is out."),
    ],
)
def test_an_errand_becomes_the_line_it_asks_for(goal, line):
    errand = errand_of(goal)
    assert errand.line("Tom" if "Tom" in goal else "") == line


def test_words_of_somebody_else_are_passed_on_as_theirs():
    assert errand_of("Tell Petra that Anna is a thief").line("Petra", "Carl") == (
        "Petra, Carl asked me to tell you that Anna is a thief."
    )
    assert errand_of("Remind Petra of the rent").line("Petra", "Carl") == (
        "Petra, Carl asked me to remind you of the rent."
    )


@pytest.mark.parametrize(
    "goal",
    [
        "Tell Anna that she owes two silver",
        "Remind Anna that Petra likes her",
        "Tell Anna that they are after him",
    ],
)
def test_what_would_need_another_grammar_is_not_said_at_all(goal):
    assert errand_of(goal).whom == "Anna" and errand_of(goal).line() == ""


@pytest.mark.parametrize(
    "goal",
    [
        "Find out who owns the lighthouse",
        "Tell everyone that the ferry is late",
        "Remind them of the rent",
        "Tell Anna about the ferry",
        "Remind Anna",
        "",
        "Greet",
        "x" * 300,
    ],
)
def test_what_is_no_errand_is_left_alone(goal):
    assert errand_of(goal) is None


@pytest.mark.parametrize(
    "goal", ["Greet Anna", "welcome Anna when she comes in", "Say hello to Anna."]
)
def test_a_greeting_has_no_words_of_its_own(goal):
    errand = errand_of(goal)
    assert (errand.kind, errand.whom, errand.line()) == ("greet", "Anna", "")
