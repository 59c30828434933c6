"""One rounding for all who ask whether something is a shock."""

import pytest

from evennia_assistant.mind.initiative import is_shock
from evennia_assistant.mind.shock import SHOCK, impact, impact_of, shakes

NOON = 1_750_000_000.0


@pytest.mark.parametrize(
    ("valence", "importance", "struck"),
    [(-1.0, 10, -10), (1.0, 10, 10), (-0.95, 9, -9), (0.5, 9, 4), (-0.8, 10, -8), (0.0, 10, 0)],
)
def test_impact_is_valence_times_importance_rounded(valence, importance, struck):
    assert impact(valence, importance) == struck


def test_reflection_and_initiative_mean_the_same_by_a_shock():
    stamp = "2025-06-15T15:06:40Z"
    for importance in range(1, 11):
        for hundredths in range(-100, 101, 5):
            entry = {"timestamp": stamp, "importance": importance, "valence": hundredths / 100}
            assert shakes(entry) == is_shock(entry, NOON)
            assert shakes(entry) == (abs(impact_of(entry)) >= SHOCK)


def test_an_entry_without_a_valence_shakes_nobody():
    assert not shakes({"importance": 10})
    assert not shakes({"importance": 10, "valence": None})
