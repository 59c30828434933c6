"""
Which of two limits is the narrower.

Every function takes two limits and returns one that allows no more than either; `None` stands for
no limit at all.

"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from typing import Any

from ..errors import ConfigError
from .contexts import (
    CONTEXT_GOAL_DECOMPOSE,
    CONTEXT_PRE_COMPACTION,
    CONTEXT_REFLECTION,
    CONTEXT_REFLECTION_CONT,
    CONTEXT_SLEEP_CONSOLIDATE,
    CONTEXT_TICK_AUTONOMOUS,
    CONTEXT_TICK_EVENT,
    EXECUTION_MODES,
    TOOL_CATEGORIES,
    Component,
    ContextConfig,
)

#: Fields of a context that only say what it is.
IDENTITY = ("context_type", "name", "description")
#: Fields in which a switch that is on is the narrower.
NARROW_WHEN_ON = ("terminal_ends_loop", "dangerous_requires_confirm")
NARROW_WHEN_OFF = ("allows_multi_tool", "allows_sub_agents")
#: Without its rules no prompt makes a character of ours, and without what it is about, no sense.
_RULES = int(Component.SYSTEM_PROMPT)
_ABOUT: Mapping[str, int] = {
    CONTEXT_TICK_EVENT: int(Component.PENDING_EVENT),
    CONTEXT_TICK_AUTONOMOUS: int(Component.PENDING_EVENT),
    CONTEXT_REFLECTION: int(Component.SEMANTIC_MEMORIES),
    CONTEXT_REFLECTION_CONT: int(Component.TOOL_RESULT),
    CONTEXT_SLEEP_CONSOLIDATE: int(Component.SEMANTIC_MEMORIES),
    CONTEXT_GOAL_DECOMPOSE: int(Component.GOALS),
    CONTEXT_PRE_COMPACTION: int(Component.CONVERSATION_HISTORY),
}
LEAST_BUDGET = 500


def required_in(context_type: str) -> tuple[int, ...]:
    """The components that a context cannot do without."""
    about = _ABOUT.get(context_type)
    return (_RULES,) if about is None else (_RULES, about)


def fewer(one: int | None, other: int | None) -> int | None:
    """The smaller of two numbers."""
    if one is None or other is None:
        return one if other is None else other
    return min(one, other)


def common(one: Iterable[str] | None, other: Iterable[str] | None) -> tuple[str, ...] | None:
    """What is in both of two lists, in the order of the first."""
    if one is None or other is None:
        left = one if other is None else other
        return None if left is None else tuple(dict.fromkeys(left))
    kept = frozenset(other)
    return tuple(dict.fromkeys(name for name in one if name in kept))


def narrower_mode(one: str | None, other: str | None) -> str | None:
    """The execution mode that allows less."""
    if one is None or other is None:
        return one if other is None else other
    return min(one, other, key=EXECUTION_MODES.index)


def narrowed(config: ContextConfig, **changes: Any) -> ContextConfig:
    """
    A context with some fields narrowed, or a text of its own for some component.

    Args:
        config: The context as it comes.
        **changes: Value by field.

    Raises:
        ConfigError: If there is no such field, the value does not fit it, or it would allow more
            than the context does; the text says what it may be.

    """
    known = [field.name for field in fields(config) if field.name not in IDENTITY]
    for name, value in changes.items():
        if name not in known:
            raise ConfigError(
                f"A context has no field {name[:60]!r} to set; it has {', '.join(known)}."
            )
        config = replace(config, **{name: _checked(config, name, value)})
    return config


def _checked(config: ContextConfig, name: str, value: Any) -> Any:
    """A new value of one field, which allows no more than the present one."""
    present = getattr(config, name)
    if name in (*NARROW_WHEN_ON, *NARROW_WHEN_OFF):
        return _switch(config, name, value)
    if name == "component_overrides":
        return _texts(config, value)
    if name == "execution_mode":
        allowed = EXECUTION_MODES[: EXECUTION_MODES.index(present) + 1]
        if value not in allowed:
            raise _refused(config, name, value, f"one of {', '.join(allowed)}")
        return value
    if name in ("max_iterations", "token_budget"):
        least = LEAST_BUDGET if name == "token_budget" else 1
        if value is None and present is None:
            return None
        fits = isinstance(value, int) and not isinstance(value, bool) and value >= least
        if not fits or (present is not None and value > present):
            upper = f" to {present}" if present is not None else ""
            raise _refused(config, name, value, f"a whole number from {least}{upper}")
        return value
    return _list(config, name, value)


def _switch(config: ContextConfig, name: str, value: Any) -> bool:
    """A switch that stays as it is, or is turned to the side that allows less."""
    narrow = name in NARROW_WHEN_ON
    present = bool(getattr(config, name))
    if not isinstance(value, bool) or (present is narrow and value is not narrow):
        either = "on or off" if present is not narrow else "on" if narrow else "off"
        raise _refused(config, name, value, either)
    return value


def _list(config: ContextConfig, name: str, value: Any) -> tuple[Any, ...] | None:
    """A list that holds nothing the present one does not."""
    present = getattr(config, name)
    if value is None and present is None:
        return None
    if value is None or isinstance(value, str) or not isinstance(value, Iterable):
        raise _refused(config, name, value, f"some of {_listed(present)}")
    wanted = tuple(dict.fromkeys(value))
    within = present
    if name == "enabled_components":
        needed = [part for part in required_in(config.context_type) if part in present]
        if not set(needed) <= set(wanted):
            always = f"{_listed(needed)} always among them"
            raise _refused(config, name, value, f"some of {_listed(present)}, {always}")
    elif name == "allowed_tool_categories" and present is None:
        within = TOOL_CATEGORIES
    if within is not None and not set(wanted) <= set(within):
        raise _refused(config, name, value, f"some of {_listed(within)}")
    return wanted


def _texts(config: ContextConfig, value: Any) -> dict[int, str]:
    """Texts by component id; a text allows nothing, so any may be put in place of another."""
    if not isinstance(value, dict) or not all(
        isinstance(key, int) and not isinstance(key, bool) and isinstance(text, str)
        for key, text in value.items()
    ):
        raise _refused(config, "component_overrides", value, "texts by component id")
    return {**config.component_overrides, **value}


def _listed(items: Iterable[Any] | None) -> str:
    """A list in words."""
    if items is None:
        return "the tools there are"
    return ", ".join(map(str, items)) or "none"


def _refused(config: ContextConfig, name: str, value: Any, allowed: str) -> ConfigError:
    return ConfigError(
        f"{name} of {config.context_type} may be {allowed}; {str(value)[:60]!r} is not. A context "
        "can be narrowed, never widened."
    )
