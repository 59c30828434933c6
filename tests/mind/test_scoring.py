"""How memories are weighed: lose one of these and the wrong memory comes first."""

import math
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from evennia_assistant.memory.items import MemoryItem
from evennia_assistant.mind.scoring import (
    PRESETS,
    Context,
    Weights,
    combine,
    recency,
    score_episodic_memory,
    score_memory,
)

NOW = datetime(2024, 5, 10, 12, tzinfo=UTC)


def entry(hours: float = 0.0, importance: int = 5, content: str = "the silver ring is lost"):
    return {
        "timestamp": NOW - timedelta(hours=hours),
        "importance": importance,
        "content": content,
    }


def item(text: str, **fields) -> MemoryItem:
    return MemoryItem(
        "j1",
        text,
        **{"speaker": "#5", "speaker_name": "Anna", "when": 0.0, "audience": "public"} | fields,
    )


@pytest.mark.parametrize("hours", [0, 1, 5, 24, 240])
@pytest.mark.parametrize("alphas", [(1.0, 1.0, 1.0), (0.1, 0.1, 1.0), (2, 0, 1)])
def test_the_documented_formula_gives_the_documented_numbers(hours, alphas):
    query = "where is the Ring"
    a, b, c = alphas
    expected = (a * math.exp(-0.99 * hours) + b * 0.5 + c * 3 / 4) / (a + b + c)
    scored = score_episodic_memory(entry(hours), query, NOW, *alphas)
    assert scored == pytest.approx(expected, abs=1e-15)


def test_the_documented_score_reads_timestamps_as_stores_keep_them():
    kept = entry(2) | {"timestamp": (NOW - timedelta(hours=2)).isoformat()}
    assert score_episodic_memory(kept, "ring", NOW.timestamp()) == pytest.approx(
        score_episodic_memory(entry(2), "ring", NOW)
    )


def test_a_timestamp_without_a_zone_is_utc_wherever_the_server_stands():
    naive = entry(2) | {"timestamp": (NOW - timedelta(hours=2)).replace(tzinfo=None)}
    for kept in (naive, naive | {"timestamp": naive["timestamp"].isoformat()}):
        assert score_episodic_memory(kept, "ring", NOW.replace(tzinfo=None)) == pytest.approx(
            score_episodic_memory(entry(2), "ring", NOW), abs=1e-12
        )


def test_an_entry_from_the_future_is_new_and_not_infinite():
    assert score_episodic_memory(entry(-5000), "ring", NOW) == score_episodic_memory(
        entry(0), "ring", NOW
    )


def test_weights_of_nothing_are_refused():
    with pytest.raises(ValueError, match="above 0"):
        score_episodic_memory(entry(), "ring", NOW, 0, 0, 0)


def test_an_empty_question_does_not_divide_by_zero():
    assert score_episodic_memory(entry(), "", NOW) == pytest.approx((1 + 0.5 + 0) / 3)


def test_episodic_preset_and_documented_function_are_one_formula():
    memory = item("the silver ring is lost", when=NOW.timestamp() - 3600, importance=7)
    score = score_memory(memory, Context("a ring", NOW.timestamp()), PRESETS["episodic"])
    assert score.total == pytest.approx(
        score_episodic_memory(entry(1, 7), "a ring", NOW), abs=1e-12
    )


def test_in_dialogue_the_one_who_is_named_and_tells_beats_the_one_who_asks():
    context = Context("What did Anna lose?", 0.0, named={"#5"}, relevance=0.5)
    told = score_memory(item("I lost my ring."), context, PRESETS["dialogue"])
    asked = score_memory(item("Did I lose my ring?"), context, PRESETS["dialogue"])
    other = score_memory(item("I lost my ring.", speaker="#6"), context, PRESETS["dialogue"])
    assert told.total > asked.total
    assert told.total > other.total
    assert told.parts.speaker == 1.0
    assert asked.parts.question == 1.0


def test_in_dialogue_age_and_importance_never_outweigh_fitting_words():
    old = item("x", when=0.0, importance=1)
    new = item("x", when=1e9, importance=10)
    fits = score_memory(old, Context("q", 1e9, relevance=0.6), PRESETS["dialogue"])
    fresh = score_memory(new, Context("q", 1e9, relevance=0.5), PRESETS["dialogue"])
    assert fits.total > fresh.total


def test_a_memory_from_the_time_asked_about_counts_for_more():
    yesterday = item("x", when=NOW.timestamp() - 86400)
    context = Context("What happened yesterday?", NOW.timestamp(), relevance=0.0)
    assert score_memory(yesterday, context, PRESETS["dialogue"]).parts.time == 1.0
    assert score_memory(item("x"), context, PRESETS["dialogue"]).parts.time == 0.0


def test_a_score_is_the_weighted_sum_of_the_parts_it_shows():
    weights = PRESETS["companion"]
    memory = item("ring", entities=("#9",), valence=-0.9, relational_tags=("unresolved", "x"))
    score = score_memory(memory, Context("ring", 0.0, {"#9"}, relevance=0.8), weights)
    assert score.total == pytest.approx(0.5 * 1 + 3 * 0.8 + 2 * 0.9 + 1 * 0.5 + 1.5 * 1)


def test_the_best_score_a_companion_can_give_is_the_documented_six_and_seven_and_a_half():
    peak = item("ring", entities=("#9",), valence=1.0, relational_tags=("commitment",))
    best = Context("ring", 0.0, relevance=1.0)
    assert score_memory(peak, best, PRESETS["companion"]).total == pytest.approx(6.0)
    named = Context("ring", 0.0, {"#9"}, relevance=1.0)
    assert score_memory(peak, named, PRESETS["companion"]).total == pytest.approx(7.5)


def test_what_stirs_stays_out_of_what_has_nothing_to_do_with_it():
    peak = item("She died.", valence=-1.0, relational_tags=("vulnerability",))
    parts = score_memory(peak, Context("ring", 0.0, relevance=0.39), PRESETS["companion"]).parts
    assert parts.impact == parts.relational == 0.0
    parts = score_memory(peak, Context("ring", 0.0, relevance=0.4), PRESETS["companion"]).parts
    assert parts.impact == 1.0 and parts.relational == 0.5


def test_a_memory_of_what_is_to_come_is_from_the_time_it_tells_of():
    fair = item("The fair is on the ninth.", event_time=(864_000.0, 950_000.0))
    asked = Context("What was on 11 January 1970?", 5_000_000.0, relevance=0.5)
    assert score_memory(fair, asked, PRESETS["dialogue"]).parts.time == 1.0
    assert score_memory(item("x"), asked, PRESETS["dialogue"]).parts.time == 0.0


def test_numbers_and_arrays_of_them_are_combined_alike():
    parts = {"relevance": [0.1, 0.9], "recency": [1.0, 0.0], "importance": [0.5, 0.3]}
    for weights in PRESETS.values():
        whole = combine({name: np.array(values) for name, values in parts.items()}, weights)
        single = [combine({n: v[i] for n, v in parts.items()}, weights) for i in (0, 1)]
        assert whole.tolist() == pytest.approx(single, abs=1e-12)


def test_half_of_recency_is_left_after_the_half_life():
    assert recency(14 * 24, 14.0) == pytest.approx(0.5)
    assert recency(0, None) == 1.0


def test_weights_cannot_be_changed_under_an_npc():
    with pytest.raises(AttributeError):
        PRESETS["dialogue"].speaker = 9.0  # type: ignore[misc]
    with pytest.raises(TypeError):
        PRESETS["dialogue"] = Weights()  # type: ignore[index]
