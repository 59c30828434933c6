"""
A turn of an NPC with ten thousand facts takes at most twice as long as one with a hundred.

`python -m benchmarks.layers` measures the same in a game of its own, on a quiet machine.

"""

import pytest

from benchmarks import layers
from tests.game.npc import NpcTest

TURNS = 40


@pytest.mark.slow
class TestOldNpc(NpcTest):
    def test_age_and_what_is_expected_cost_hardly_anything(self):
        figures = layers.turn_times([self.char1, self.char2], TURNS)
        assert figures["old_to_young"] <= 2.0, figures
        assert figures["expecting_to_young"] <= 1.5, figures
        assert figures["writes_on_read"] == 0

    def test_among_five_thousand_names_a_line_is_looked_up_in_a_fifth_of_a_millisecond(self):
        figures = layers.name_times(self.char1, TURNS)
        assert figures["names"] >= 5_000
        assert figures["name_ms_p50"] <= 0.2, figures
