"""When an NPC's turn is over: what a game would lose if NPCs talked on and on."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evennia_assistant.mind.turn_taking import (
    IDLE_SECONDS,
    Cooldowns,
    Energy,
    Engagement,
    chosen_answerer,
)


def test_a_conversation_goes_on_while_words_go_to_and_fro() -> None:
    engagement = Engagement().exchanged("#8", 100.0).exchanged("#8", 150.0)
    assert engagement.current(200.0) == {"#8"}


def test_a_conversation_lapses_in_silence() -> None:
    engagement = Engagement().exchanged("#8", 100.0)
    assert engagement.current(100.0 + IDLE_SECONDS) == {"#8"}
    assert engagement.current(100.1 + IDLE_SECONDS) == frozenset()
    assert engagement.current(131.0, idle_seconds=30.0) == frozenset()


def test_whoever_leaves_is_no_partner_any_more_and_the_others_stay() -> None:
    engagement = Engagement().exchanged("#8", 1.0).exchanged("#9", 1.0).parted("#8", "#77")
    assert engagement.current(2.0) == {"#9"}


def test_an_engagement_survives_a_reload_as_json() -> None:
    engagement = Engagement().exchanged("#8", 1.5).exchanged("#9", 2.5)
    assert Engagement.from_dict(json.loads(json.dumps(engagement.as_dict()))) == engagement


def test_an_unreadable_engagement_says_so() -> None:
    with pytest.raises(ValueError, match="soon"):
        Engagement.from_dict({"#8": "soon"})


def test_strangers_of_long_ago_are_not_kept() -> None:
    engagement = Engagement().exchanged("#8", 0.0).exchanged("#9", 1000.0)
    assert engagement.pruned(1001.0).as_dict() == {"#9": 1000.0}


def test_a_player_is_always_answered_and_an_npc_only_while_energy_lasts() -> None:
    tired = Energy()
    assert tired.allows("player")
    assert not tired.allows("assistant")
    assert not tired.allows(None)
    fresh = tired.heard("player")
    assert fresh.allows("assistant")
    assert fresh.spoke("player") == fresh


def test_a_line_that_energy_does_not_allow_cannot_be_booked() -> None:
    with pytest.raises(ValueError, match="energy"):
        Energy(0).spoke("assistant")


@pytest.mark.parametrize("kind", ["assistant", "npc", "object", "system"])
def test_only_a_human_gives_new_energy(kind: str) -> None:
    assert Energy(1).heard(kind) == Energy(1)  # type: ignore[arg-type]


@given(
    assistants=st.integers(min_value=1, max_value=6),
    full=st.integers(min_value=0, max_value=5),
    data=st.data(),
)
def test_npcs_come_to_rest_after_the_last_human_word(
    assistants: int, full: int, data: st.DataObject
) -> None:
    """Whatever they want: any policy, any order, remarks of their own included."""
    energies = [Energy(0, full).heard("player") for _ in range(assistants)]
    owed = set(range(assistants))
    spoken = 0
    bound = assistants * (full + 1)
    for _ in range(4 * bound + 4):
        speaker = data.draw(st.integers(min_value=0, max_value=assistants - 1))
        to = data.draw(st.sampled_from(["player", "assistant", "npc", None]))
        if to == "player":
            # One turn for one human line: that is what a TRIGGER is.
            if speaker not in owed:
                continue
            owed.remove(speaker)
        elif not energies[speaker].allows(to):
            continue
        energies[speaker] = energies[speaker].spoke(to)
        energies = [
            energy if index == speaker else energy.heard("assistant")
            for index, energy in enumerate(energies)
        ]
        spoken += 1
    assert spoken <= bound


@given(st.integers(min_value=1, max_value=5), st.integers(min_value=0, max_value=5))
def test_the_most_talkative_npcs_still_fall_silent(assistants: int, full: int) -> None:
    energies = [Energy(full, full) for _ in range(assistants)]
    spoken = 0
    while any(energy.allows("assistant") for energy in energies):
        for index, energy in enumerate(energies):
            if energy.allows("assistant"):
                energies[index] = energy.spoke("assistant")
                spoken += 1
    assert spoken == assistants * full


class _Clock:
    def __init__(self) -> None:
        self.now = 50.0

    def __call__(self) -> float:
        return self.now


def test_a_turn_may_start_at_once_when_nothing_happened() -> None:
    assert Cooldowns(_Clock()).wait("#7", "#8") == 0.0


def test_a_flood_of_lines_makes_turns_wait_and_says_how_long() -> None:
    clock = _Clock()
    cooldowns = Cooldowns(clock, npc_seconds=2.0, player_seconds=5.0)
    cooldowns.start("#7", "#8")
    assert cooldowns.wait("#7") == pytest.approx(2.0)
    assert cooldowns.wait("#7", "#8") == pytest.approx(5.0)
    assert cooldowns.wait("#70", "#8") == pytest.approx(5.0)
    assert cooldowns.wait("#70", "#80") == 0.0
    clock.now += 3.0
    assert cooldowns.wait("#7", "#80") == 0.0
    assert cooldowns.wait("#7", "#8") == pytest.approx(2.0)


@given(
    st.lists(
        st.tuples(st.sampled_from(["a", "b"]), st.sampled_from(["x", "y"]), st.floats(0.0, 3.0)),
        max_size=60,
    )
)
def test_two_turns_of_one_npc_are_never_closer_than_its_cooldown(
    asked: list[tuple[str, str, float]],
) -> None:
    clock = _Clock()
    cooldowns = Cooldowns(clock, npc_seconds=1.0, player_seconds=0.5)
    started: dict[str, float] = {}
    for npc, player, later in asked:
        clock.now += later
        if cooldowns.wait(npc, player) > 0.0:
            continue
        cooldowns.start(npc, player)
        for who, least in ((npc, 1.0), (player, 0.5)):
            assert clock.now - started.get(who, -10.0) >= least - 1e-6
            started[who] = clock.now


def test_exactly_one_npc_answers_a_line_to_all_and_all_agree_which() -> None:
    first = chosen_answerer("Good evening, all!", ["#7", "#9", "#12"])
    assert first in {"#7", "#9", "#12"}
    assert chosen_answerer("Good evening, all!", ["#12", "#9", "#7"]) == first
    assert chosen_answerer("Good evening, all!", []) is None


def test_over_many_lines_every_npc_gets_a_turn() -> None:
    winners = {chosen_answerer(f"hello {number}", ["#7", "#9", "#12"]) for number in range(60)}
    assert winners == {"#7", "#9", "#12"}
