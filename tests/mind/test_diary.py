"""A day in a few lines: by rule the weightiest, by a model what rests on what it was shown."""

import pytest

from evennia_assistant.mind.diary import (
    LINE,
    MAX_TEXT,
    MOST_LINES,
    MOST_NOTES,
    NOTE,
    OF_SELF,
    USUAL,
    Happening,
    Line,
    bounds_of,
    checked,
    cut,
    day_of,
    in_turns,
    lines_by_rule,
    newest_days,
    notes_by_rule,
    within_number,
)

DAY, NEXT = "2026-01-05", "2026-01-06"


def happening(number, weight=5.0, text=None, day=DAY):
    name = f"j{number}"
    return Happening(name, day, text or f"Event {number}.", float(number), weight, (name,))


SHOWN = {each.id: each for each in (happening(1), happening(2), happening(3, day=NEXT))}


def record(**fields):
    return {"what": LINE, "day": DAY, "text": "Anna came.", "from": ["j1"], **fields}


def test_a_day_is_its_weightiest_happenings_in_the_order_they_came_about():
    day = [happening(n, weight) for n, weight in enumerate([1, 9, 2, 8, 3, 7, 4, 6], start=1)]
    lines = lines_by_rule(day)
    assert [line.text for line in lines] == [f"Event {n}." for n in (2, 4, 6, 7, 8)]
    assert lines[0] == Line(LINE, DAY, "Event 2.", ("j2",))
    assert len(lines) == MOST_LINES


def test_the_same_words_fill_one_line_only():
    day = [happening(1, 9, "Good wine!"), happening(2, 9, "good  wine!"), happening(3, 1)]
    assert [line.text for line in lines_by_rule(day)] == ["good wine!", "Event 3."]


def test_the_notes_by_rule_are_the_three_weightiest_the_weightiest_first():
    notes = notes_by_rule([happening(1, 2), happening(2, 9), happening(3, 5), happening(4, 1)])
    assert [(note.what, note.text) for note in notes] == [
        (NOTE, "Event 2."),
        (NOTE, "Event 3."),
        (NOTE, "Event 1."),
    ]


def test_a_long_text_is_cut_and_stands_on_one_line():
    text = cut("word\n" * 200)
    assert len(text) <= MAX_TEXT and "\n" not in text and text.endswith("...")


def test_what_rests_on_what_was_shown_is_kept_with_its_evidence():
    line = checked(record(**{"from": ["j2", "j99", "j1", "j2"]}), SHOWN)
    assert line == Line(LINE, DAY, "Anna came.", ("j2", "j1"))
    assert checked(record(what=NOTE, **{"from": "j3"}), SHOWN).evidence == ("j3",)


def test_a_line_is_of_the_day_it_rests_on_whatever_day_it_names():
    assert checked(record(day="2031-01-01"), SHOWN).day == DAY
    both = checked(record(day=NEXT, **{"from": ["j1", "j3"]}), SHOWN)
    assert (both.day, both.evidence) == (NEXT, ("j3",))


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        ("Anna came.", "no object"),
        (record(what="order"), "none of"),
        (record(what=["line"]), "none of"),
        (record(what=OF_SELF), "none of"),
        (record(text=""), "no text"),
        (record(text=7), "no text"),
        (record(text="..."), "no text"),
        (record(**{"from": ["j99"]}), "rests on nothing"),
        (record(**{"from": None}), "rests on nothing"),
        (record(**{"from": {"j1": 1}}), "rests on nothing"),
    ],
)
def test_what_cannot_be_used_is_named_without_a_word_of_it(bad, why):
    with pytest.raises(ValueError, match=why) as failure:
        checked(bad, SHOWN)
    assert "Anna" not in str(failure.value)


def test_what_is_about_the_npc_itself_is_dropped_unless_a_keeper_asked_for_it():
    assert checked(record(text="I should be kinder."), SHOWN) is None
    assert checked(record(what=NOTE, text="My persona is grim."), SHOWN) is None
    allowed = checked(record(what=OF_SELF, text="I will miss her."), SHOWN, (*USUAL, OF_SELF))
    assert allowed.text == "I will miss her."


def test_no_more_than_five_lines_a_day_and_seven_notes_are_kept():
    lines = [Line(LINE, day, f"{day} {n}", ("j1",)) for n in range(9) for day in (DAY, NEXT)]
    notes = [Line(NOTE, "", f"note {n}", ("j1",)) for n in range(9)]
    kept = within_number([*lines, None, *notes, notes[0]])
    assert len([line for line in kept if line.day == DAY]) == MOST_LINES
    assert len([line for line in kept if line.day == NEXT]) == MOST_LINES
    assert len([line for line in kept if line.what == NOTE]) == MOST_NOTES


def test_the_circles_take_turns():
    assert in_turns([[1, 2, 3], [], [7]], 3) == [1, 7, 2]
    assert in_turns([], 3) == []


def test_days_are_days_of_utc():
    start, end = bounds_of(DAY)
    assert (day_of(start), day_of(end - 1), day_of(end)) == (DAY, DAY, NEXT)
    assert newest_days([NEXT, "2020-02-29", DAY, NEXT], 2) == [DAY, NEXT]
    assert newest_days([NEXT, DAY], 1) == [NEXT]
    assert newest_days([], 7) == []
