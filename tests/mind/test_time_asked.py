"""When a question asks about: lose one of these and "yesterday" means any day."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evennia_assistant.mind.time_asked import spans_asked

NOW = datetime(2024, 5, 10, 12, tzinfo=UTC)  # a Friday


def falls_in(question: str, *date: int) -> bool:
    moment = datetime(*date, 12, tzinfo=UTC).timestamp()
    return any(start <= moment < end for start, end in spans_asked(question, NOW.timestamp()))


@pytest.mark.parametrize(
    ("question", "inside", "outside"),
    [
        ("What did I tell you yesterday?", (2024, 5, 9), (2024, 5, 10)),
        ("Who came last night?", (2024, 5, 9), (2024, 5, 8)),
        ("What is new today?", (2024, 5, 10), (2024, 5, 9)),
        ("Who was here three days ago?", (2024, 5, 7), (2024, 5, 9)),
        ("What did he say a week ago?", (2024, 5, 3), (2024, 5, 9)),
        ("Who came last week?", (2024, 5, 1), (2024, 5, 8)),
        ("Who came this week?", (2024, 5, 8), (2024, 5, 1)),
        ("What did she buy last month?", (2024, 4, 20), (2024, 5, 2)),
        ("Who was here on Monday?", (2024, 5, 6), (2024, 5, 7)),
        ("Who was here last Friday?", (2024, 5, 3), (2024, 5, 10)),
        ("What happened in March?", (2024, 3, 5), (2024, 4, 5)),
        ("What happened in December?", (2023, 12, 5), (2023, 11, 5)),
        ("What happened in March 2021?", (2021, 3, 5), (2024, 3, 5)),
        ("Where was he on 5 May 2023?", (2023, 5, 6), (2023, 5, 20)),
        ("Where was he on March 31st?", (2024, 3, 31), (2024, 3, 20)),
        ("What happened during the summer of 2022?", (2022, 7, 1), (2022, 10, 1)),
        ("What did they do in 2022?", (2022, 12, 31), (2023, 1, 1)),
    ],
)
def test_a_time_that_is_named_is_understood(question, inside, outside):
    assert falls_in(question, *inside)
    assert not falls_in(question, *outside)


@pytest.mark.parametrize(
    "question",
    [
        "",
        "May I come in?",
        "Did they march to the mill?",
        "Is the fall deep?",
        "What did Bob say?",
        "30 February",
    ],
)
def test_words_that_only_look_like_times_name_none(question):
    assert question == "30 February" or spans_asked(question, NOW.timestamp()) == ()


@given(st.text(max_size=80), st.floats(min_value=0, max_value=4e9))
def test_no_question_and_no_moment_break_it(question, now):
    assert all(start < end for start, end in spans_asked(question, now))


@given(st.integers(0, 99), st.sampled_from(["january", "february", "june", "december"]))
def test_no_day_of_a_month_breaks_it(day, month):
    assert spans_asked(f"on {day} {month}", NOW.timestamp())
