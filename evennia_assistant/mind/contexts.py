"""
The seven occasions on which a model is asked, and what each lets into the prompt and out of it.

A context names the parts of the prompt it needs, the tools it offers and how long its loop may
run. It is the second of three layers (`mind.execution_pattern`): what it says counts only as far as
the NPC's own configuration allows as much.

"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum

from ..errors import ConfigError


class Component(IntEnum):
    """The nine static parts of a prompt; the ids between two of them are for an operator's own."""

    SYSTEM_PROMPT = 0
    CHARACTER_CONTEXT = 1000
    ENTITY_CONTEXT = 1500
    SEMANTIC_MEMORIES = 2000
    CONTEXT_BUFFER = 3000
    GOALS = 4000
    CONVERSATION_HISTORY = 5000
    PENDING_EVENT = 6000
    TOOL_RESULT = 7000


CONTEXT_TICK_EVENT = "tick_event"
CONTEXT_TICK_AUTONOMOUS = "tick_autonomous"
CONTEXT_REFLECTION = "reflection"
CONTEXT_REFLECTION_CONT = "reflection_cont"
CONTEXT_SLEEP_CONSOLIDATE = "sleep_consolidate"
CONTEXT_GOAL_DECOMPOSE = "goal_decompose"
CONTEXT_PRE_COMPACTION = "pre_compaction"

#: From the narrowest to the widest: one tool; tools along a plan made first; tools until done.
EXECUTION_MODES: tuple[str, ...] = ("single_action", "plan_execute", "react_loop")
#: `tools.ToolCategory`, which is above this layer.
TOOL_CATEGORIES: tuple[str, ...] = ("safe_chain", "terminal", "dangerous", "async_required")

JOURNAL_TOOLS: tuple[str, ...] = ("add_journal_entry", "search_journal", "review_journal")
#: All that a sleeping NPC may use (document 001).
SLEEP_MODE_TOOLS: tuple[str, ...] = (
    "noop",
    "add_journal_entry",
    "review_journal",
    "recall_memories",
    "store_memory",
)

OPERATING_MODES: tuple[str, ...] = ("awake", "sleep")


@dataclass(frozen=True, slots=True)
class ContextConfig:
    """
    One occasion on which a model is asked.

    Args:
        context_type: Its name in lower case.
        name: Its name for people.
        description: What it is for, in a line.
        enabled_components: Ids of the parts its prompt has.
        component_overrides: Text by component id, in place of the component's own.
        tool_filter: Names of the tools offered; None offers all, an empty one none.
        token_budget: Most tokens of its prompt; None is the usual budget.
        execution_mode: One of `EXECUTION_MODES`.
        max_iterations: Most tools one after the other.
        allowed_tool_categories: Of `TOOL_CATEGORIES`; None is all.
        terminal_ends_loop: Whether the loop is over once the NPC has spoken.
        dangerous_requires_confirm: Whether a keeper must agree to a DANGEROUS tool.
        allows_multi_tool: Whether more than one tool may run.
        allows_sub_agents: Whether work may be handed to another assistant.

    """

    context_type: str
    name: str
    description: str
    enabled_components: tuple[int, ...]
    component_overrides: Mapping[int, str] = field(default_factory=dict)
    tool_filter: tuple[str, ...] | None = None
    token_budget: int | None = None
    execution_mode: str = "react_loop"
    max_iterations: int = 5
    allowed_tool_categories: tuple[str, ...] | None = None
    terminal_ends_loop: bool = True
    dangerous_requires_confirm: bool = False
    allows_multi_tool: bool = True
    allows_sub_agents: bool = True


_ALL = tuple(int(part) for part in Component)
_INWARD = ("safe_chain",)

_CONFIGS = (
    ContextConfig(
        CONTEXT_TICK_EVENT,
        "Event",
        "answer what somebody said or did",
        _ALL,
    ),
    ContextConfig(
        CONTEXT_TICK_AUTONOMOUS,
        "Own accord",
        "act towards a goal while nobody asks for anything",
        _ALL,
        # Nobody's words led here, so nobody's rights would hold a dangerous tool back.
        dangerous_requires_confirm=True,
    ),
    ContextConfig(
        CONTEXT_REFLECTION,
        "Reflection",
        "draw conclusions from what was remembered",
        (Component.SYSTEM_PROMPT, Component.CHARACTER_CONTEXT, Component.SEMANTIC_MEMORIES),
        tool_filter=JOURNAL_TOOLS,
        max_iterations=3,
        allowed_tool_categories=_INWARD,
        allows_sub_agents=False,
    ),
    ContextConfig(
        CONTEXT_REFLECTION_CONT,
        "Reflection, continued",
        "go on with a reflection after one of its tools",
        (Component.SYSTEM_PROMPT, Component.TOOL_RESULT),
        tool_filter=JOURNAL_TOOLS,
        max_iterations=2,
        allowed_tool_categories=_INWARD,
        allows_sub_agents=False,
    ),
    ContextConfig(
        CONTEXT_SLEEP_CONSOLIDATE,
        "Sleep",
        "turn the day's journal into lasting memory",
        (Component.SYSTEM_PROMPT, Component.SEMANTIC_MEMORIES),
        tool_filter=SLEEP_MODE_TOOLS,
        max_iterations=10,
        # `noop` is terminal: it says that nothing is left to do.
        allowed_tool_categories=("safe_chain", "terminal", "async_required"),
        allows_sub_agents=False,
    ),
    ContextConfig(
        CONTEXT_GOAL_DECOMPOSE,
        "Goal",
        "break a goal down into steps",
        (Component.SYSTEM_PROMPT, Component.CHARACTER_CONTEXT, Component.GOALS),
        tool_filter=(),
        execution_mode="single_action",
        max_iterations=1,
        allowed_tool_categories=(),
        allows_multi_tool=False,
        allows_sub_agents=False,
    ),
    ContextConfig(
        CONTEXT_PRE_COMPACTION,
        "Before compaction",
        "note what matters before a long conversation is shortened",
        (
            Component.SYSTEM_PROMPT,
            Component.CHARACTER_CONTEXT,
            Component.CONVERSATION_HISTORY,
            Component.TOOL_RESULT,
        ),
        tool_filter=JOURNAL_TOOLS,
        allowed_tool_categories=_INWARD,
        allows_sub_agents=False,
    ),
)

#: Every context by its type, as documented.
CONTEXTS: Mapping[str, ContextConfig] = {config.context_type: config for config in _CONFIGS}


def get_context(context_type: str) -> ContextConfig:
    """
    A context as it comes, before an operator narrowed it.

    Args:
        context_type: Its type, or the name of its constant, in any case.

    Raises:
        ConfigError: Naming the contexts there are.

    """
    name = str(context_type).strip().lower().removeprefix("context_")
    try:
        return CONTEXTS[name]
    except KeyError:
        raise ConfigError(
            f"There is no context {str(context_type)[:60]!r}; there are {', '.join(CONTEXTS)}."
        ) from None


def determine_context_type(
    *,
    mode: str = "awake",
    has_pending_events: bool = False,
    reflection_event: bool = False,
    tool_result_after_reflection: bool = False,
    compacting: bool = False,
    decomposing_goal: bool = False,
) -> str:
    """
    On which occasion the model is asked next.

    Two kinds of work are begun by name and are what they are: shortening a conversation, breaking
    down a goal. Else an NPC that sleeps consolidates; awake, somebody who waits goes before its own
    reflection, a reflection that runs before one that begins, and with nothing at hand it acts on
    its own accord.

    Args:
        mode: `awake` or `sleep`.
        has_pending_events: Whether somebody waits for an answer.
        reflection_event: Whether a reflection is due.
        tool_result_after_reflection: Whether a tool of a reflection has just answered.
        compacting: Whether this is the extraction before a conversation is shortened.
        decomposing_goal: Whether a goal is to be broken down.

    Raises:
        ValueError: If there is no such mode.

    """
    if mode not in OPERATING_MODES:
        raise ValueError(f"mode must be one of {', '.join(OPERATING_MODES)}; {mode!r} is not.")
    occasions = (
        (compacting, CONTEXT_PRE_COMPACTION),
        (decomposing_goal, CONTEXT_GOAL_DECOMPOSE),
        (mode == "sleep", CONTEXT_SLEEP_CONSOLIDATE),
        (has_pending_events, CONTEXT_TICK_EVENT),
        (tool_result_after_reflection, CONTEXT_REFLECTION_CONT),
        (reflection_event, CONTEXT_REFLECTION),
    )
    return next((kind for holds, kind in occasions if holds), CONTEXT_TICK_AUTONOMOUS)
