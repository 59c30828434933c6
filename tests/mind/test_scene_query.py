"""What is looked for among scenes: words, feelings, themes and days, any of them or all."""

from datetime import UTC, datetime

import pytest

from evennia_assistant.mind.entry import make_entry
from evennia_assistant.mind.scene_query import SceneQuery, fit

#: A Thursday.
NOW = datetime(2026, 3, 12, 12, tzinfo=UTC).timestamp()
SCENE = {
    "action": "Anna gave the ring back",
    "when": ["2026-02-01", {"date": "Day 7", "action": "the fair opened"}],
    "setting": "the bridge",
    "feeling": "relieved",
}


def entry(content="The ring is back.", **fields):
    return make_entry(1, content, when=NOW - 86_400, **{"scene": SCENE, **fields})


def fits(entry, mode="or", **asked):
    return fit(entry, SceneQuery(mode=mode, **asked).terms(NOW), mode)


@pytest.mark.parametrize(
    "asked",
    [
        {"query": "bridges"},
        {"query": "RELIEVED"},
        {"query": "theft"},
        {"query": "day 7"},
        {"action": "giving"},
        {"feeling": "relief relieved"},
        {"themes": ("Theft",)},
        {"when": "2026-02-01"},
        {"when": "2026-02"},
        {"when": "2026-03-11"},
        {"when": "fair"},
        {"when": "Day 7"},
        {"when": "yesterday"},
        {"when": "in February 2026"},
    ],
)
def test_it_is_found_by(asked):
    assert fits(entry(tags=["theft"]), **asked) >= 1


@pytest.mark.parametrize(
    "asked",
    [
        {"query": "duke"},
        {"action": "bridge"},
        {"feeling": "ring"},
        {"themes": ("thef",)},
        {"when": "2026-01"},
        {"when": "2025"},
        {"when": "today"},
        {"query": ""},
        {},
    ],
)
def test_it_is_not_found_by(asked):
    assert fits(entry(tags=["theft"]), **asked) == 0


def test_and_needs_all_of_it_and_or_counts_what_there_is():
    asked = {"action": "ring", "feeling": "relieved angry", "when": "2026-02"}
    assert fits(entry(), **asked) == 3
    assert fits(entry(), mode="and", **asked) == 0
    assert fits(entry(), mode="and", **{**asked, "feeling": "relieved"}) == 3


def test_an_entry_without_a_scene_happened_as_it_says_and_felt_like_nothing():
    plain = entry("Boris stole a goose.", scene=None)
    assert fits(plain, action="stealing") and not fits(plain, feeling="stole")


def test_a_scene_that_could_not_be_read_is_not_searched():
    assert not fits(entry(scene="Anna gave the ring to the duke"), query="duke")


def test_days_that_came_by_merging_and_the_time_of_an_event_count():
    merged = {
        **entry(scene=None),
        "when": ["2025-12-24", {"date": "2025-12-31", "action": "feast"}],
    }
    assert fits(merged, when="2025-12-24") and fits(merged, when="feast")
    planned = entry(
        scene=None, event_time={"start": "2026-03-20T00:00:00Z", "end": "2026-03-21T00:00:00Z"}
    )
    assert fits(planned, when="2026-03-20") and not fits(planned, when="2026-03-21")


def test_a_text_of_small_words_alone_is_searched_for_these():
    assert fits(entry("Who is it?", scene=None), query="who")


def test_a_script_without_spaces_is_searched_too():
    assert fits(entry("\u9280\u306e\u6307\u8f2a", scene=None), query="\u6307\u8f2a")
