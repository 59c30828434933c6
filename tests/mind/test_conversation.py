"""What was whispered and what was said aloud are never spoken of together."""

from hypothesis import given
from hypothesis import strategies as st

from evennia_assistant.mind.conversation import parts_of, pause_after, says_something


def line(content, *, audience="public", manner="say", role="user", name="Anna"):
    return {
        "role": role,
        "name": name,
        "content": content,
        "audience": audience,
        "manner": manner,
    }


ANY = st.builds(
    line,
    st.sampled_from(["Good evening.", "My ring lies here.", "Between you and me, I lied."]),
    audience=st.sampled_from(["public", ["#5", "#1"], ["#1", "#5"], ["#7"], None, "junk", []]),
    manner=st.sampled_from(["say", "whisper", "page"]),
)


@given(st.lists(ANY, max_size=30))
def test_every_line_is_in_one_part_and_the_lines_of_a_part_have_one_audience(lines):
    parts = parts_of(lines)
    assert sorted(place for part in parts for place in part.places) == list(range(len(lines)))
    assert len({part.group for part in parts}) == len(parts)
    for part in parts:
        assert list(part.places) == sorted(part.places)
        for message in part.messages:
            whispered = message["manner"] != "say" or "Between you" in message["content"]
            assert whispered is part.confidential
            heard = message["audience"]
            expected = tuple(sorted(heard)) if isinstance(heard, list) and heard else None
            assert part.audience == ("public" if heard == "public" else expected)


def test_lines_that_do_not_count_are_left_out_and_the_others_keep_their_places():
    lines = [line("One."), line("Two."), line("Three.")]
    (part,) = parts_of(lines, lambda message: message["content"] != "Two.")
    assert part.places == (0, 2)


def test_greetings_say_nothing_and_neither_do_the_npcs_own_words():
    greeting = [line("Good evening, Bram!"), line("My inn is the best.", role="assistant")]
    assert not says_something(greeting, "Bram")
    assert says_something([*greeting, line("My ring lies at the quarry.")], "Bram")


def test_a_model_that_goes_on_failing_is_asked_ever_more_seldom():
    pauses = [pause_after(failures) for failures in range(1, 10)]
    assert pauses == sorted(pauses) and pauses[0] == 300 and pauses[-1] == pauses[-2]
