"""A scene is read, rendered and told once; one that cannot be read is kept with its reason."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evennia_assistant.mind import scene as scenes
from evennia_assistant.mind.emotion import AXES
from evennia_assistant.mind.entry import all_texts, in_confidence, make_entry, told
from evennia_assistant.mind.scene import (
    MAX_ATTEMPTS,
    awaits_repair,
    beyond,
    checked_scene,
    failed_again,
    kept_scene,
    scene_to_text,
    text_to_embed,
)

WHOLE = {
    "action": "Anna gave the ring back",
    "actors": ["Anna", "Bram"],
    "when": ["2026-03-01", {"date": "2026-03-02", "action": "Bram found it was a copy"}],
    "setting": "the inn",
    "dialogue": ["It was never mine.", "Keep it."],
    "sensory": ["smell of rain"],
    "feeling": "relieved",
}


def test_a_scene_is_rendered_as_documented():
    assert scene_to_text(checked_scene(WHOLE)) == (
        "2026-03-01, 2026-03-02 \u2014 the inn \u2014 Anna gave the ring back \u2014 "
        "\u201cIt was never mine.\u201d \u2014 (relieved)"
    )
    assert scene_to_text(checked_scene({"action": "Anna left"})) == "Anna left"


def test_a_scene_is_compared_by_its_days_what_happened_and_how_it_felt():
    assert text_to_embed(checked_scene(WHOLE)) == (
        "2026-03-01, 2026-03-02 / Anna gave the ring back / relieved"
    )


def test_all_it_says_is_kept_and_reading_it_again_changes_nothing():
    once = checked_scene(WHOLE)
    assert once == WHOLE
    assert checked_scene(once) == once
    assert checked_scene(json.dumps(WHOLE)) == once


def test_one_text_may_stand_for_a_list_of_one():
    scene = checked_scene({"action": "x", "actors": "Anna", "when": "2026-3-1"})
    assert (scene["actors"], scene["when"]) == (["Anna"], ["2026-03-01"])


def test_days_of_the_games_own_calendar_are_dates_too():
    scene = checked_scene({"action": "x", "when": [{"date": "Day 7", "action": "the fair"}]})
    assert scene["when"] == [{"date": "Day 7", "action": "the fair"}]


def test_days_told_from_today_are_settled_when_the_day_is_known():
    told_from = {"action": "x", "when": ["yesterday", "Tomorrow"]}
    with pytest.raises(ValueError, match="hangs on the day"):
        checked_scene(told_from)
    assert checked_scene(told_from, "2026-03-01")["when"] == ["2026-02-28", "2026-03-02"]


MALFORMED = [
    ("not json", "no JSON"),
    (["a"], "no object"),
    (5, "no object"),
    ({"setting": "the inn"}, "no action"),
    ({"action": ""}, "no action"),
    ({"action": 5}, "action is no text"),
    ({"action": "x", "actors": 5}, "actors is no list"),
    ({"action": "x", "actors": [5]}, "actors is no text"),
    ({"action": "x", "when": ["2026-13-45"]}, "none of the calendar"),
    ({"action": "x", "when": [{"action": "y"}]}, "a date is empty"),
    ({"action": "x" * 401}, "longer than 400"),
    ({"action": "x", "dialogue": ["y"] * 13}, "more than 12"),
]


@pytest.mark.parametrize(("raw", "why"), MALFORMED)
def test_what_cannot_be_read_is_kept_as_it_came_with_the_reason(raw, why):
    kept = kept_scene(raw)
    assert why in kept["problem"] and kept["attempts"] == 0
    assert kept["raw"] == (raw if isinstance(raw, str) else json.dumps(raw))
    assert awaits_repair(kept) and scenes.sound(kept) is None
    assert beyond(kept, "words") == ""


def test_what_is_kept_as_malformed_stays_that_and_a_fake_of_it_is_malformed_too():
    kept = kept_scene("broken")
    assert kept_scene(kept) == kept
    assert kept_scene({"raw": 5, "problem": "x", "attempts": 9})["attempts"] == 0


def test_an_entry_takes_a_scene_as_it_comes_and_an_emotion_with_some_axes():
    given = {"action": "Anna left", "when": "yesterday"}
    entry = make_entry(1, "Anna left.", when=86400.0, scene=given, emotion={"valence": 0.5})
    assert entry["scene"] == checked_scene({**given, "when": "1970-01-01"})
    assert set(entry["emotion"]) == {*AXES} and entry["valence"] == 0.5
    assert make_entry(1, "Anna left.", when=0.0, scene=[1])["scene"]["problem"]
    with pytest.raises(ValueError, match="valence"):
        make_entry(1, "Anna left.", when=0.0, emotion={"valence": 7})


@pytest.mark.parametrize("nothing", [None, "", {}, []])
def test_no_scene_is_no_malformed_scene(nothing):
    assert kept_scene(nothing) is None


def test_vain_attempts_add_up_and_their_reasons_do_not():
    kept = kept_scene("[PARSE_FAILED] broken")
    for attempt in range(1, MAX_ATTEMPTS + 1):
        assert awaits_repair(kept)
        kept = failed_again(kept, f"reason {attempt}")
    assert not awaits_repair(kept)
    assert kept == {"raw": "[PARSE_FAILED] broken", "problem": "reason 3", "attempts": 3}


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=20),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(
                st.sampled_from(["action", "actors", "when", "date", "feeling", "raw", "x"]), inner
            )
        ),
        max_leaves=12,
    )
)
def test_whatever_comes_is_kept_and_never_breaks(raw):
    kept = kept_scene(raw)
    if kept is not None:
        assert ("raw" in kept) != ("action" in kept)
        beyond(kept, "words")
        json.dumps(kept)


class TestTelling:
    def test_what_the_words_say_already_is_not_said_again(self):
        scene = checked_scene(WHOLE)
        words = "At the inn Anna gave the ring back to Bram. She was relieved."
        assert beyond(scene, words, "2026-03-01") == (
            "2026-03-02 Bram found it was a copy \u2014 \u201cIt was never mine.\u201d \u2014 "
            "\u201cKeep it.\u201d \u2014 smell of rain"
        )
        assert beyond(checked_scene({"action": "Anna left"}), "ANNA  left, at last.") == ""

    def test_a_name_inside_a_word_is_not_that_name(self):
        scene = checked_scene({"action": "they also left", "actors": ["Al"]})
        assert beyond(scene, "They also left.") == "with Al"

    def test_an_entry_tells_its_words_and_then_its_scene(self):
        entry = make_entry(1, "The ring is back.", when=0.0, scene=checked_scene(WHOLE))
        assert told(entry).startswith("The ring is back. [2026-03-01, 2026-03-02 Bram found")
        assert told(make_entry(1, "The ring is back.", when=0.0)) == "The ring is back."

    def test_what_could_not_be_read_is_told_nobody_but_counts_as_its_words(self):
        entry = make_entry(1, "The ring is back.", when=0.0, scene=kept_scene("Anna wept"))
        assert told(entry) == "The ring is back."
        assert all_texts(entry) == ["The ring is back.", "Anna wept"]

    def test_a_scene_said_off_the_record_makes_its_entry_a_confidence(self):
        scene = {"action": "Anna spoke", "dialogue": ["Don't tell anyone, I stole it."]}
        for kept in (checked_scene(scene), kept_scene("tell nobody that she stole it")):
            assert in_confidence(make_entry(1, "Anna spoke.", when=0.0, scene=kept))
