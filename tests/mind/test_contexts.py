"""What a prompt and its tools are on each occasion, and which occasion it is."""

import itertools

import pytest

from evennia_assistant.errors import ConfigError
from evennia_assistant.mind import contexts
from evennia_assistant.mind.contexts import (
    CONTEXTS,
    SLEEP_MODE_TOOLS,
    Component,
    determine_context_type,
    get_context,
)
from evennia_assistant.mind.narrowing import narrowed

JOURNAL = ("add_journal_entry", "search_journal", "review_journal")


@pytest.mark.parametrize(
    ("kind", "components", "tools", "iterations"),
    [
        # The documented table.
        ("tick_event", 9, None, 5),
        ("tick_autonomous", 9, None, 5),
        ("reflection", 3, JOURNAL, 3),
        ("reflection_cont", 2, JOURNAL, 2),
        ("sleep_consolidate", 2, SLEEP_MODE_TOOLS, 10),
        ("goal_decompose", 3, (), 1),
        ("pre_compaction", 4, JOURNAL, 5),
    ],
)
def test_contexts_are_as_documented(kind, components, tools, iterations):
    config = CONTEXTS[kind]
    assert len(config.enabled_components) == components
    assert set(config.enabled_components) <= {int(part) for part in Component}
    assert config.enabled_components[0] == Component.SYSTEM_PROMPT
    assert config.tool_filter == tools
    assert config.max_iterations == iterations


def test_there_are_seven_with_their_documented_constants():
    constants = {
        name.removeprefix("CONTEXT_").lower(): getattr(contexts, name)
        for name in vars(contexts)
        if name.startswith("CONTEXT_")
    }
    assert constants == {kind: kind for kind in CONTEXTS} and len(CONTEXTS) == 7
    assert get_context("CONTEXT_TICK_EVENT") is get_context(" Tick_Event ")


def test_an_unknown_context_is_named_with_those_there_are():
    with pytest.raises(ConfigError) as refused:
        get_context("tick")
    assert str(refused.value) == (
        "There is no context 'tick'; there are tick_event, tick_autonomous, reflection, "
        "reflection_cont, sleep_consolidate, goal_decompose, pre_compaction."
    )


@pytest.mark.parametrize(
    ("facts", "kind"),
    [
        ({}, "tick_autonomous"),
        ({"has_pending_events": True}, "tick_event"),
        ({"reflection_event": True}, "reflection"),
        ({"reflection_event": True, "has_pending_events": True}, "tick_event"),
        ({"reflection_event": True, "tool_result_after_reflection": True}, "reflection_cont"),
        ({"mode": "sleep", "has_pending_events": True}, "sleep_consolidate"),
        ({"mode": "sleep", "compacting": True}, "pre_compaction"),
        ({"compacting": True, "has_pending_events": True}, "pre_compaction"),
        ({"decomposing_goal": True}, "goal_decompose"),
    ],
)
def test_the_occasion_is_chosen_in_the_documented_order(facts, kind):
    assert determine_context_type(**facts) == kind


def test_every_state_of_an_npc_has_a_context():
    names = (
        "has_pending_events",
        "reflection_event",
        "tool_result_after_reflection",
        "compacting",
        "decomposing_goal",
    )
    chosen = {
        determine_context_type(mode=mode, **dict(zip(names, facts, strict=True)))
        for mode in ("awake", "sleep")
        for facts in itertools.product((False, True), repeat=len(names))
    }
    assert chosen == set(CONTEXTS)


def test_an_unknown_mode_is_refused():
    with pytest.raises(ValueError, match=r"mode must be one of awake, sleep; 'dead' is not\."):
        determine_context_type(mode="dead")


def test_a_context_can_be_narrowed_in_every_field():
    config = narrowed(
        get_context("tick_event"),
        enabled_components=[0, 1000, 6000],
        component_overrides={0: "Be brief."},
        tool_filter=["say"],
        token_budget=900,
        execution_mode="single_action",
        max_iterations=2,
        allowed_tool_categories=["terminal"],
        dangerous_requires_confirm=True,
        allows_multi_tool=False,
        allows_sub_agents=False,
    )
    assert config.enabled_components == (0, 1000, 6000)
    assert config.component_overrides == {0: "Be brief."}
    assert config.tool_filter == ("say",) and config.allowed_tool_categories == ("terminal",)
    assert (config.token_budget, config.max_iterations) == (900, 2)
    assert config.execution_mode == "single_action" and config.dangerous_requires_confirm
    assert not config.allows_multi_tool and not config.allows_sub_agents


@pytest.mark.parametrize(
    ("kind", "change", "allowed"),
    [
        ("tick_event", {"max_iterations": 6}, "a whole number from 1 to 5"),
        ("tick_event", {"max_iterations": 0}, "a whole number from 1 to 5"),
        ("tick_event", {"max_iterations": True}, "a whole number from 1 to 5"),
        ("tick_event", {"max_iterations": None}, "a whole number from 1 to 5"),
        ("tick_event", {"token_budget": 3}, "a whole number from 500"),
        ("tick_event", {"terminal_ends_loop": False}, "on"),
        ("tick_autonomous", {"dangerous_requires_confirm": False}, "on"),
        ("reflection", {"allows_sub_agents": True}, "off"),
        ("reflection", {"allows_multi_tool": "no"}, "on or off"),
        ("goal_decompose", {"execution_mode": "react_loop"}, "one of single_action"),
        ("tick_event", {"execution_mode": ["x"]}, "one of single_action, plan_execute, react_loop"),
        ("goal_decompose", {"tool_filter": ["say"]}, "some of none"),
        ("reflection", {"tool_filter": None}, f"some of {', '.join(JOURNAL)}"),
        ("reflection", {"tool_filter": "say"}, f"some of {', '.join(JOURNAL)}"),
        ("reflection", {"allowed_tool_categories": ["dangerous"]}, "some of safe_chain"),
        (
            "tick_event",
            {"allowed_tool_categories": ["magic"]},
            "some of safe_chain, terminal, dangerous, async_required",
        ),
        ("reflection", {"enabled_components": [0, 2000, 7000]}, "some of 0, 1000, 2000"),
        (
            "reflection",
            {"enabled_components": [0]},
            "some of 0, 1000, 2000, 0, 2000 always among them",
        ),
        ("reflection", {"component_overrides": {"0": "x"}}, "texts by component id"),
    ],
)
def test_a_context_is_never_widened(kind, change, allowed):
    with pytest.raises(ConfigError) as refused:
        narrowed(get_context(kind), **change)
    (name,) = change
    assert str(refused.value).startswith(f"{name} of {kind} may be {allowed}; ")
    assert str(refused.value).endswith(" is not. A context can be narrowed, never widened.")


def test_a_field_that_does_not_exist_is_named():
    with pytest.raises(ConfigError, match="A context has no field 'colour' to set; it has enabled"):
        narrowed(get_context("tick_event"), colour="red")
    with pytest.raises(ConfigError, match="no field 'context_type'"):
        narrowed(get_context("tick_event"), context_type="reflection")
