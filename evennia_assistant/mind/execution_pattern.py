"""
How a turn may run: three layers, each of which can only take away.

1. `script.db.execution_config`, what an operator decided for this NPC for good;
2. the context, for what kind of occasion this is (`mind.contexts`);
3. the assessment of the event at hand (`mind.assessment`), when there is one.

Example:
    ::

        pattern = compose(config, get_context("tick_event"), assess_heuristic("look"))
        pattern.mode                          # "single_action"
        pattern.why_not("ring_bell", "dangerous")
        # "ring_bell is a dangerous tool and not among those allowed to this NPC."

"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .assessment import DEFAULT_ITERATIONS, MOST_ITERATIONS, TaskAssessment
from .contexts import EXECUTION_MODES, TOOL_CATEGORIES, ContextConfig
from .narrowing import common, fewer, narrower_mode

#: DANGEROUS tools that may run in one turn, whatever else is allowed.
DANGEROUS_PER_TURN = 1
#: Categories left when the operator's own list of them cannot be read.
SAFE_CATEGORIES: tuple[str, ...] = ("safe_chain", "terminal")


@dataclass(frozen=True, slots=True)
class ExecutionPattern:
    """
    What one turn may do.

    Args:
        mode: One of `EXECUTION_MODES`.
        max_iterations: Most tools, 1 at least.
        tools: Names of the tools offered; None is all.
        categories: Tool categories offered; None is all.
        disabled_tools: Names never offered.
        dangerous_tools: Names of the DANGEROUS tools this NPC may use at all.
        terminal_ends_loop: Whether the loop is over once the NPC has spoken.
        confirm_dangerous: Whether a keeper must agree to a DANGEROUS tool.
        multi_tool: Whether more than one tool may run.
        sub_agents: Whether work may be handed to another assistant.
        sub_agent_budget: To how many at once.
        token_budget: Most tokens of the prompt; None is the usual budget.
        problems: What of the operator's configuration could not be read, one line each.

    """

    mode: str = EXECUTION_MODES[-1]
    max_iterations: int = MOST_ITERATIONS
    tools: tuple[str, ...] | None = None
    categories: tuple[str, ...] | None = None
    disabled_tools: tuple[str, ...] = ()
    dangerous_tools: tuple[str, ...] = ()
    terminal_ends_loop: bool = False
    confirm_dangerous: bool = False
    multi_tool: bool = True
    sub_agents: bool = True
    sub_agent_budget: int = 3
    token_budget: int | None = None
    problems: tuple[str, ...] = ()

    def allows(self, name: str, category: str) -> bool:
        """Whether a tool of this name and category may be offered."""
        return self.why_not(name, category) is None

    def why_not(self, name: str, category: str) -> str | None:
        """Why a tool may not be offered, in a line for the log; None when it may."""
        if name in self.disabled_tools:
            return f"{name} is disabled for this NPC."
        if self.tools is not None and name not in self.tools:
            return f"{name} is none of the tools of this context."
        if self.categories is not None and category not in self.categories:
            return f"{name} is a {category} tool, and these are not allowed here."
        if category == "dangerous" and name not in self.dangerous_tools:
            return f"{name} is a dangerous tool and not among those allowed to this NPC."
        return None

    def within(self, other: ExecutionPattern) -> bool:
        """Whether this allows nothing that the other does not."""
        return (
            EXECUTION_MODES.index(self.mode) <= EXECUTION_MODES.index(other.mode)
            and self.max_iterations <= other.max_iterations
            and _inside(self.tools, other.tools)
            and _inside(self.categories, other.categories)
            and set(self.disabled_tools) >= set(other.disabled_tools)
            and set(self.dangerous_tools) <= set(other.dangerous_tools)
            and self.terminal_ends_loop >= other.terminal_ends_loop
            and self.confirm_dangerous >= other.confirm_dangerous
            and self.multi_tool <= other.multi_tool
            and self.sub_agents <= other.sub_agents
            and self.sub_agent_budget <= other.sub_agent_budget
            and fewer(self.token_budget, other.token_budget) == self.token_budget
        )

    def narrowed(self, other: ExecutionPattern) -> ExecutionPattern:
        """What both allow."""
        return _settled(
            ExecutionPattern(
                mode=narrower_mode(self.mode, other.mode) or self.mode,
                max_iterations=min(self.max_iterations, other.max_iterations),
                tools=common(self.tools, other.tools),
                categories=common(self.categories, other.categories),
                disabled_tools=tuple(dict.fromkeys((*self.disabled_tools, *other.disabled_tools))),
                dangerous_tools=common(self.dangerous_tools, other.dangerous_tools) or (),
                terminal_ends_loop=self.terminal_ends_loop or other.terminal_ends_loop,
                confirm_dangerous=self.confirm_dangerous or other.confirm_dangerous,
                multi_tool=self.multi_tool and other.multi_tool,
                sub_agents=self.sub_agents and other.sub_agents,
                sub_agent_budget=min(self.sub_agent_budget, other.sub_agent_budget),
                token_budget=fewer(self.token_budget, other.token_budget),
                problems=(*self.problems, *other.problems),
            )
        )


def compose(
    execution_config: Mapping[str, Any],
    context: ContextConfig,
    assessment: TaskAssessment | None = None,
) -> ExecutionPattern:
    """
    The three layers together.

    Args:
        execution_config: As `static_layer` takes it.
        context: The occasion.
        assessment: Of the event at hand; None leaves the other two as they are.

    """
    static = static_layer(execution_config)
    pattern = static.narrowed(context_layer(context, static))
    if assessment is None:
        return pattern
    return pattern.narrowed(assessment_layer(assessment, pattern))


def static_layer(execution_config: Mapping[str, Any]) -> ExecutionPattern:
    """
    The first layer: what an operator decided for this NPC.

    Args:
        execution_config: The documented keys `multi_action_enabled`, `max_iterations_per_tick`,
            `sub_agents_enabled`, `sub_agent_budget`, and `allowed_tool_categories`,
            `disabled_tools`, `dangerous_tools` (none unless named) and
            `dangerous_requires_confirm`. What is missing has its default; what cannot be read
            has the most careful value there is, and is named in `problems`.

    """
    read = _Reader(execution_config)
    several = read.switch("multi_action_enabled", True, careful=False)
    categories = read.names(
        "allowed_tool_categories", None, careful=SAFE_CATEGORIES, known=TOOL_CATEGORIES
    )
    disabled = read.names("disabled_tools", (), careful=None)
    return _settled(
        ExecutionPattern(
            mode=EXECUTION_MODES[-1] if several else EXECUTION_MODES[0],
            max_iterations=read.number(
                "max_iterations_per_tick", DEFAULT_ITERATIONS, least=1, most=MOST_ITERATIONS
            ),
            # Which tools are off is unknown, so only speech is left.
            categories=categories if disabled is not None else common(categories, ("terminal",)),
            disabled_tools=disabled or (),
            dangerous_tools=read.names("dangerous_tools", (), careful=()) or (),
            confirm_dangerous=read.switch("dangerous_requires_confirm", False, careful=True),
            multi_tool=several,
            sub_agents=read.switch("sub_agents_enabled", False, careful=False),
            sub_agent_budget=read.number("sub_agent_budget", 3, least=0, most=100),
            problems=tuple(read.problems),
        )
    )


def context_layer(context: ContextConfig, above: ExecutionPattern) -> ExecutionPattern:
    """The second layer; what a context says nothing of stays as it is above."""
    return ExecutionPattern(
        mode=context.execution_mode,
        max_iterations=context.max_iterations,
        tools=context.tool_filter,
        categories=context.allowed_tool_categories,
        dangerous_tools=above.dangerous_tools,
        terminal_ends_loop=context.terminal_ends_loop,
        confirm_dangerous=context.dangerous_requires_confirm,
        multi_tool=context.allows_multi_tool,
        sub_agents=context.allows_sub_agents,
        sub_agent_budget=above.sub_agent_budget,
        token_budget=context.token_budget,
    )


def assessment_layer(assessment: TaskAssessment, above: ExecutionPattern) -> ExecutionPattern:
    """The third layer; what an assessment says nothing of stays as it is above."""
    return ExecutionPattern(
        mode=assessment.recommended_mode or above.mode,
        max_iterations=max(1, assessment.recommended_iterations),
        dangerous_tools=above.dangerous_tools,
        confirm_dangerous=assessment.recommend_confirm_dangerous,
        sub_agent_budget=above.sub_agent_budget,
    )


def _settled(pattern: ExecutionPattern) -> ExecutionPattern:
    """A pattern whose mode, number of tools and multi-tool switch say the same."""
    if pattern.multi_tool and pattern.mode != "single_action" and pattern.max_iterations > 1:
        return pattern
    single = {"mode": "single_action", "max_iterations": 1, "multi_tool": False}
    values = {name: getattr(pattern, name) for name in ExecutionPattern.__dataclass_fields__}
    return ExecutionPattern(**{**values, **single})


def _inside(one: tuple[str, ...] | None, other: tuple[str, ...] | None) -> bool:
    return other is None or (one is not None and set(one) <= set(other))


class _Reader:
    """Reads values an operator, or somebody's script, wrote."""

    def __init__(self, config: Any) -> None:
        self.problems: list[str] = []
        self.config: Mapping[str, Any] = config if isinstance(config, Mapping) else {}
        if not isinstance(config, Mapping) and config is not None:
            self.problems.append(f"execution_config is no dict: {str(config)[:60]!r}")

    def switch(self, name: str, default: bool, *, careful: bool) -> bool:
        """A yes or no."""
        value = self.config.get(name, default)
        if isinstance(value, bool):
            return value
        self._unreadable(name, value)
        return careful

    def number(self, name: str, default: int, *, least: int, most: int) -> int:
        """A whole number; one out of bounds is the nearest bound."""
        value = self.config.get(name, default)
        if isinstance(value, bool) or not isinstance(value, int):
            self._unreadable(name, value)
            return least
        return max(least, min(most, value))

    def names(
        self,
        name: str,
        default: tuple[str, ...] | None,
        *,
        careful: tuple[str, ...] | None,
        known: tuple[str, ...] | None = None,
    ) -> tuple[str, ...] | None:
        """A list of names; with `known`, of these only."""
        value = self.config.get(name, default)
        if value is None:
            return default
        if not isinstance(value, list | tuple | set | frozenset) or not all(
            isinstance(item, str) for item in value
        ):
            self._unreadable(name, value)
            return careful
        items = sorted(value) if isinstance(value, set | frozenset) else value
        found = tuple(dict.fromkeys(str(item) for item in items))
        unknown = [item for item in found if known is not None and item not in known]
        if unknown:
            self.problems.append(f"{name} names {unknown[0][:60]!r}, which there is not")
        return tuple(item for item in found if item not in unknown)

    def _unreadable(self, name: str, value: Any) -> None:
        self.problems.append(f"{name} is {str(value)[:60]!r}, which cannot be read")
