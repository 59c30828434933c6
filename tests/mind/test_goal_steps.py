"""Whatever a model proposes as steps, they become parts of a tree and nothing about the NPC."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evennia_assistant.mind import goal_tree
from evennia_assistant.mind.goal_steps import Step, arranged, checked_step, next_step


def goal(number, parent=None, **fields):
    return {
        "goal_id": f"g{number}",
        "description": f"Goal {number}",
        "priority": 5,
        "parent_id": parent and f"g{parent}",
        "status": "active",
        "metadata": {},
        "outcome": "",
        **fields,
    }


def steps(*records):
    """Steps numbered from 1 where they have no number of their own."""
    return [
        checked_step({**record, "number": record.get("number") or place})
        for place, record in enumerate(records, start=1)
    ]


def of(text, part_of=None, number=None):
    return {"number": number, "description": text, "part_of": part_of}


@pytest.mark.parametrize(
    ("record", "why"),
    [
        (7, "no object"),
        ({"description": "  "}, "without a description"),
        ({"description": ["x"]}, "without a description"),
        ({"description": "x" * 301}, "without a description"),
        ({"description": "I should be more patient"}, "about itself"),
        ({"description": "Change my personality"}, "about itself"),
    ],
)
def test_a_step_that_will_not_do_is_refused_with_its_reason(record, why):
    with pytest.raises(ValueError, match=why):
        checked_step(record)


@pytest.mark.parametrize("priority", [9, "9", 5, None, "high", True, -3, 2.5])
def test_an_odd_priority_costs_nobody_the_step(priority):
    assert 1 <= checked_step({"description": "Ask", "priority": priority}).priority <= 5


def test_steps_keep_their_order_and_what_they_are_part_of():
    found, problems = arranged(
        steps(of("Row to the rock"), of("Ask the smith"), of("Borrow the boat", 1)),
        [goal(1)],
        "g1",
    )
    assert found == [
        Step("Row to the rock", number=0),
        Step("Borrow the boat", part_of=0, number=1),
        Step("Ask the smith", number=2),
    ]
    assert problems == []


def test_a_step_that_was_dropped_moves_no_other_to_the_wrong_place():
    found, _problems = arranged(
        steps(of("Row to the rock", number=1), of("Borrow the boat", 3, 4), of("Ask", number=3)),
        [goal(1)],
        "g1",
    )
    assert [(step.description, step.part_of) for step in found] == [
        ("Row to the rock", None),
        ("Ask", None),
        ("Borrow the boat", 1),
    ]


def test_a_circle_and_an_unknown_step_stand_under_the_goal_and_are_named():
    found, problems = arranged(
        steps(of("One", 2), of("Two", 1), of("Three", 3), of("Four", 9)), [goal(1)], "g1"
    )
    assert [step.part_of for step in found] == [None] * 4
    assert len(problems) == 4


def test_steps_that_would_hang_too_deep_stand_under_the_goal():
    goals = [goal(1), *(goal(number, number - 1) for number in range(2, 5))]
    found, problems = arranged(steps(of("One"), of("Two", 1)), goals, "g4")
    assert [step.part_of for step in found] == [None, None] and len(problems) == 1


def test_what_is_a_goal_already_and_what_is_too_much_is_left_out():
    found, problems = arranged(
        steps(of("goal 2."), *(of(f"Step {number}") for number in range(9))),
        [goal(1), goal(2)],
        "g1",
    )
    assert [step.description for step in found] == [f"Step {number}" for number in range(5)]
    assert len(problems) == 2


def test_a_single_step_is_the_goal_itself():
    assert arranged(steps(of("Do it"), of("do it")), [goal(1)], "g1")[0] == []


odd_numbers = st.sampled_from([*range(-2, 10), None, "2", "", "x", True, 1.5])
records = st.fixed_dictionaries(
    {"description": st.sampled_from([f"Step {letter}" for letter in "abcdefgh"])},
    optional={
        "number": odd_numbers,
        "part_of": odd_numbers,
        "priority": odd_numbers,
    },
)


@given(st.lists(records, max_size=9), st.integers(1, 4))
def test_any_answer_becomes_a_tree_within_its_depth_and_loses_no_fitting_step(answer, depth):
    goals = [goal(1), *(goal(number, number - 1) for number in range(2, depth + 1))]
    top = f"g{depth}"
    found, _problems = arranged([checked_step(record) for record in answer], goals, top)
    different = {record["description"] for record in answer}
    assert len(found) == (min(5, len(different)) if len(different) >= 2 else 0)
    made = []
    for number, step in enumerate(found):
        assert step.part_of is None or step.part_of < number
        parent = top if step.part_of is None else made[step.part_of]
        goal_tree.check_parent(goals, None, parent)
        goals.append(goal(100 + number, parent_id=parent))
        goals[-1]["parent_id"] = parent
        made.append(f"g{100 + number}")
    assert len(list(goal_tree.in_order(goals))) == len(goals)


def test_the_next_step_is_the_first_open_leaf_by_urgency_and_order():
    goals = [goal(1), goal(2, 1, priority=3), goal(3, 1), goal(4, 3), goal(5, 3)]
    assert next_step(goals, "g1")["goal_id"] == "g4"
    goals[3]["status"] = "completed"
    assert next_step(goals, "g1")["goal_id"] == "g5"
    goals[2]["status"] = goals[4]["status"] = "dropped"
    assert next_step(goals, "g1")["goal_id"] == "g2"
    goals[1]["status"] = "paused"
    assert next_step(goals, "g1") is None
    goals[1]["status"] = "completed"
    assert next_step(goals, "g1")["goal_id"] == "g1"
    goals[0]["status"] = "paused"
    assert next_step(goals, "g1") is None and next_step(goals, "g9") is None


def test_a_circle_of_stored_goals_is_opened_at_one_place_and_nothing_else_moves():
    stored = [goal(3, 2), goal(1, 2), goal(2, 1), goal(4, 3)]
    goals, problems = goal_tree.sound_goals(stored)
    assert problems == ["g1 under itself (g1 under g2 under g1)"]
    assert {each["goal_id"]: each["parent_id"] for each in goals} == {
        "g3": "g2",
        "g1": None,
        "g2": "g1",
        "g4": "g3",
    }
    alone, problems = goal_tree.sound_goals([goal(1, 1)])
    assert alone[0]["parent_id"] is None and "g1 under g1" in problems[0]
