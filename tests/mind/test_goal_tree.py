"""Whatever is done to goals, they stay a tree in which a parent is done when its parts are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evennia_assistant.mind import goal_tree


def goal(number, parent=None, status="active", priority=5):
    return {
        "goal_id": f"g{number}",
        "description": "x",
        "priority": priority,
        "parent_id": parent and f"g{parent}",
        "status": status,
        "metadata": {},
        "outcome": "",
    }


def standing(goals):
    return {each["goal_id"]: each["status"] for each in goals}


def test_roll_up_goes_to_the_top_and_stops_where_something_is_open():
    goals = [goal(1), goal(2, 1), goal(3, 2), goal(4, 1)]
    assert [each["goal_id"] for each in goal_tree.set_status(goals, "g3", "completed")] == [
        "g3",
        "g2",
    ]
    assert goal_tree.progress(goals, "g1") == 0.5
    goal_tree.set_status(goals, "g4", "dropped")
    assert standing(goals)["g1"] == "completed"
    goal_tree.set_status(goals, "g3", "active")
    assert standing(goals) == {"g1": "active", "g2": "active", "g3": "active", "g4": "dropped"}


def test_a_parent_whose_parts_were_all_dropped_is_not_called_reached():
    goals = [goal(1), goal(2, 1)]
    goal_tree.set_status(goals, "g2", "dropped")
    assert standing(goals)["g1"] == "active"
    assert goal_tree.progress(goals, "g1") == 0.0


def test_errors_name_what_there_is():
    goals = [goal(1), goal(2, 1)]
    with pytest.raises(ValueError, match="open goals: g1, g2"):
        goal_tree.find(goals, "g9")
    with pytest.raises(ValueError, match="not 'burning'"):
        goal_tree.set_status(goals, "g1", "burning")
    with pytest.raises(ValueError, match="g2 is part of g1 already"):
        goal_tree.move(goals, "g1", "g2")


def test_the_most_urgent_comes_first():
    goals = [goal(1, priority=2), goal(2, priority=9), goal(3, 1)]
    assert [(depth, each["goal_id"]) for depth, each in goal_tree.in_order(goals)] == [
        (0, "g2"),
        (0, "g1"),
        (1, "g3"),
    ]


ids = st.integers(1, 8)
steps = st.one_of(
    st.tuples(st.just("move"), ids, st.one_of(st.none(), ids)),
    st.tuples(st.just("status"), ids, st.sampled_from(goal_tree.STATUSES)),
)


@given(st.lists(steps, max_size=30))
def test_any_sequence_of_changes_leaves_a_tree(changes):
    goals = [goal(number) for number in range(1, 9)]
    for kind, number, to in changes:
        before = [dict(each) for each in goals]
        try:
            if kind == "move":
                goal_tree.move(goals, f"g{number}", to and f"g{to}")
            else:
                goal_tree.set_status(goals, f"g{number}", to)
        except ValueError:
            assert goals == before
    assert len(list(goal_tree.in_order(goals))) == 8
    assert all(len(goal_tree.line_of(goals, f"g{n}")) <= goal_tree.MAX_DEPTH for n in range(1, 9))
    assert all(0.0 <= goal_tree.progress(goals, f"g{n}") <= 1.0 for n in range(1, 9))


json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)
stored = st.fixed_dictionaries(
    {"goal_id": st.sampled_from(["g1", "g2", "g3", 4, None]), "description": st.just("x") | json},
    optional={
        "parent_id": st.sampled_from(["g1", "g2", "g3", "g9", None, 7]),
        "status": st.sampled_from([*goal_tree.STATUSES, "?", None]),
        "priority": json,
        "metadata": json,
        "asked_by": json,
    },
)


@given(st.lists(stored | json, max_size=8))
def test_whatever_was_stored_becomes_a_tree(raw):
    goals, _problems = goal_tree.sound_goals(raw)
    assert len(list(goal_tree.in_order(goals))) == len(goals)
    for each in goals:
        goal_tree.progress(goals, each["goal_id"])
