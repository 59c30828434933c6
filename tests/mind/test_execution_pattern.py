"""No layer allows what the one above it does not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evennia_assistant.errors import ConfigError
from evennia_assistant.mind.assessment import TaskAssessment, assess_heuristic
from evennia_assistant.mind.contexts import (
    CONTEXTS,
    EXECUTION_MODES,
    TOOL_CATEGORIES,
    ContextConfig,
    get_context,
)
from evennia_assistant.mind.execution_pattern import (
    ExecutionPattern,
    compose,
    context_layer,
    static_layer,
)
from evennia_assistant.mind.narrowing import narrowed

TOOLS = ("say", "noop", "recall_memories", "execute_command", "set_attribute")
names = st.lists(st.sampled_from(TOOLS), max_size=4).map(tuple)
maybe_names = st.none() | names
maybe_categories = st.none() | st.lists(st.sampled_from(TOOL_CATEGORIES), max_size=4).map(tuple)
junk = st.none() | st.booleans() | st.integers(-3, 20) | st.text(max_size=5) | st.lists(st.text())

configs = st.fixed_dictionaries(
    {},
    optional={
        "multi_action_enabled": st.booleans() | junk,
        "max_iterations_per_tick": st.integers(1, 10) | junk,
        "sub_agents_enabled": st.booleans() | junk,
        "sub_agent_budget": st.integers(0, 5) | junk,
        "allowed_tool_categories": maybe_categories | junk,
        "disabled_tools": names | junk,
        "dangerous_tools": names | junk,
        "dangerous_requires_confirm": st.booleans() | junk,
    },
)
made_contexts = st.builds(
    ContextConfig,
    context_type=st.just("made_up"),
    name=st.just(""),
    description=st.just(""),
    enabled_components=st.just((0,)),
    tool_filter=maybe_names,
    token_budget=st.none() | st.integers(500, 9000),
    execution_mode=st.sampled_from(EXECUTION_MODES),
    max_iterations=st.integers(1, 100),
    allowed_tool_categories=maybe_categories,
    terminal_ends_loop=st.booleans(),
    dangerous_requires_confirm=st.booleans(),
    allows_multi_tool=st.booleans(),
    allows_sub_agents=st.booleans(),
)
contexts = st.sampled_from(list(CONTEXTS.values())) | made_contexts
assessments = st.builds(
    TaskAssessment,
    complexity_score=st.integers(1, 5),
    recommended_mode=st.sampled_from([None, "single_action", "react_loop"]),
    recommended_iterations=st.integers(-1, 100),
    recommend_confirm_dangerous=st.booleans(),
    reasoning=st.just(""),
)


@given(configs, contexts, assessments)
def test_no_layer_widens_the_one_above(config, context, assessment):
    static = static_layer(config)
    two, three = compose(config, context), compose(config, context, assessment)
    assert two.within(static)
    assert two.within(context_layer(context, static))
    assert three.within(two)


@given(configs, contexts, assessments)
def test_a_tool_refused_by_one_layer_stays_refused(config, context, assessment):
    static, final = static_layer(config), compose(config, context, assessment)
    for tool in TOOLS:
        for category in TOOL_CATEGORIES:
            if not static.allows(tool, category):
                assert not final.allows(tool, category)


@given(configs, contexts)
def test_a_layer_that_agrees_changes_nothing(config, context):
    pattern = compose(config, context)
    assert pattern.narrowed(pattern).within(pattern)
    assert pattern.within(pattern.narrowed(pattern))


@given(configs, contexts, assessments)
def test_a_pattern_never_contradicts_itself(config, context, assessment):
    pattern = compose(config, context, assessment)
    single = pattern.mode == "single_action"
    assert single is (pattern.max_iterations == 1) is (not pattern.multi_tool)
    assert 1 <= pattern.max_iterations <= 10


@given(
    st.sampled_from(sorted(CONTEXTS)),
    st.fixed_dictionaries(
        {},
        optional={
            "tool_filter": maybe_names,
            "token_budget": st.none() | st.integers(0, 5000),
            "execution_mode": st.sampled_from(EXECUTION_MODES),
            "max_iterations": st.integers(-1, 12),
            "allowed_tool_categories": maybe_categories,
            "terminal_ends_loop": st.booleans(),
            "dangerous_requires_confirm": st.booleans(),
            "allows_multi_tool": st.booleans(),
            "allows_sub_agents": st.booleans(),
        },
    ),
)
def test_no_change_to_a_context_widens_it(kind, changes):
    before = get_context(kind)
    try:
        after = narrowed(before, **changes)
    except ConfigError:
        return
    above = ExecutionPattern(dangerous_tools=TOOLS)
    assert above.narrowed(context_layer(after, above)).within(
        above.narrowed(context_layer(before, above))
    )


@pytest.mark.parametrize(
    ("wider", "narrower"),
    [
        ({"mode": "react_loop"}, {"mode": "plan_execute"}),
        ({"max_iterations": 5}, {"max_iterations": 4}),
        ({"tools": None}, {"tools": ("say",)}),
        ({"categories": ("terminal",)}, {"categories": ()}),
        ({"disabled_tools": ()}, {"disabled_tools": ("say",)}),
        ({"dangerous_tools": ("say",)}, {"dangerous_tools": ()}),
        ({"terminal_ends_loop": False}, {"terminal_ends_loop": True}),
        ({"confirm_dangerous": False}, {"confirm_dangerous": True}),
        ({"multi_tool": True}, {"multi_tool": False}),
        ({"sub_agents": True}, {"sub_agents": False}),
        ({"sub_agent_budget": 3}, {"sub_agent_budget": 2}),
        ({"token_budget": None}, {"token_budget": 900}),
    ],
)
def test_each_limit_counts(wider, narrower):
    wide, narrow = ExecutionPattern(**wider), ExecutionPattern(**narrower)
    assert narrow.within(wide) and not wide.within(narrow)
    assert wide.narrowed(narrow).within(narrow)


def test_an_npc_as_it_comes_answers_with_five_tools_and_none_that_is_dangerous():
    pattern = compose({}, get_context("tick_event"))
    assert (pattern.mode, pattern.max_iterations) == ("react_loop", 5)
    assert pattern.allows("say", "terminal") and pattern.allows("store_memory", "async_required")
    assert pattern.why_not("execute_command", "dangerous") == (
        "execute_command is a dangerous tool and not among those allowed to this NPC."
    )
    assert pattern.terminal_ends_loop and not pattern.sub_agents and not pattern.problems


def test_an_operator_allows_a_dangerous_tool_by_name():
    config = {"dangerous_tools": ["execute_command"]}
    pattern = compose(config, get_context("tick_event"))
    assert pattern.allows("execute_command", "dangerous")
    assert not pattern.allows("set_attribute", "dangerous")
    assert compose(config, get_context("reflection")).why_not("execute_command", "dangerous") == (
        "execute_command is none of the tools of this context."
    )
    config["disabled_tools"] = ["execute_command"]
    assert compose(config, get_context("tick_event")).why_not("execute_command", "dangerous") == (
        "execute_command is disabled for this NPC."
    )
    only_speech = {"allowed_tool_categories": ["terminal"]}
    assert compose(only_speech, get_context("tick_event")).why_not("look", "safe_chain") == (
        "look is a safe_chain tool, and these are not allowed here."
    )


def test_one_action_is_one_tool_on_every_occasion():
    for context in CONTEXTS.values():
        pattern = compose({"multi_action_enabled": False}, context)
        assert (pattern.mode, pattern.max_iterations) == ("single_action", 1)


def test_an_assessment_narrows_a_turn_to_what_it_needs():
    pattern = compose({}, get_context("tick_event"), assess_heuristic("look"))
    assert (pattern.mode, pattern.max_iterations) == ("single_action", 1)
    pattern = compose({}, get_context("tick_event"), assess_heuristic("say", "Who is Anna?"))
    assert (pattern.mode, pattern.max_iterations) == ("react_loop", 2)


def test_what_cannot_be_read_is_careful_and_named():
    pattern = static_layer(
        {
            "multi_action_enabled": "yes",
            "max_iterations_per_tick": "five",
            "allowed_tool_categories": "all",
            "dangerous_tools": {"execute_command": 1},
            "dangerous_requires_confirm": None,
        }
    )
    assert (pattern.mode, pattern.max_iterations) == ("single_action", 1)
    assert pattern.categories == ("safe_chain", "terminal")
    assert pattern.dangerous_tools == () and pattern.confirm_dangerous
    assert pattern.problems == (
        "multi_action_enabled is 'yes', which cannot be read",
        "allowed_tool_categories is 'all', which cannot be read",
        "max_iterations_per_tick is 'five', which cannot be read",
        "dangerous_tools is \"{'execute_command': 1}\", which cannot be read",
        "dangerous_requires_confirm is 'None', which cannot be read",
    )
    assert static_layer({"disabled_tools": "say"}).categories == ("terminal",)
    assert static_layer({"allowed_tool_categories": ["magic"]}).problems == (
        "allowed_tool_categories names 'magic', which there is not",
    )
    assert static_layer("junk").problems == ("execution_config is no dict: 'junk'",)
