"""Six axes: what is sound is kept, what is not is named and costs nothing else."""

import pytest

from evennia_assistant.mind.emotion import AXES, checked_emotion, read_emotion


def test_all_axes_are_there_whichever_were_given():
    emotion, problems = read_emotion({"valence": -0.8, "trust": "+0.25"})
    assert emotion == {**dict.fromkeys(AXES, 0.0), "valence": -0.8, "trust": 0.25}
    assert problems == []


@pytest.mark.parametrize(
    "bad", [2, -1.01, "much", True, float("nan"), float("inf"), [0.5], {"is": 1}]
)
def test_one_bad_axis_costs_that_axis_alone(bad):
    emotion, problems = read_emotion({"valence": bad, "arousal": 0.5})
    assert emotion is not None and (emotion["valence"], emotion["arousal"]) == (0.0, 0.5)
    assert len(problems) == 1 and problems[0].startswith("valence")
    with pytest.raises(ValueError, match="valence"):
        checked_emotion({"valence": bad, "arousal": 0.5})


@pytest.mark.parametrize("nothing", ["angry", 5, ["valence"], {}, {"anger": 1}, {"valence": "x"}])
def test_what_holds_no_axis_is_no_emotion(nothing):
    assert read_emotion(nothing)[0] is None
    with pytest.raises(ValueError, match=r"\w"):
        checked_emotion(nothing)


def test_no_emotion_is_no_problem():
    assert read_emotion(None) == (None, [])


def test_a_problem_quotes_nothing_of_what_was_written():
    _emotion, problems = read_emotion({"the baron's secret": 1, "valence": "my secret"})
    assert "secret" not in " ".join(problems)
