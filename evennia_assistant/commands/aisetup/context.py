"""`/context`: what an assistant's prompts and tools are on each occasion; it can be narrowed."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from ...errors import ConfigError
from ...mind.contexts import CONTEXTS, ContextConfig, get_context
from ...mind.execution_pattern import ExecutionPattern
from ...mind.narrowing import IDENTITY, NARROW_WHEN_OFF, NARROW_WHEN_ON
from ...prompts.layout import PROMPT_BUDGET
from ...prompts.registry import registry_of
from ..base import Refusal
from ..plain import count_of, plain
from .prompting import asked, refusing

USAGE = "aisetup/context <key> [<type> [set <field> <value> | reset]]"
_TRUTHS = {"on": True, "yes": True, "true": True, "off": False, "no": False, "false": False}
_NUMBERS = ("max_iterations", "token_budget")
_LISTS = ("enabled_components", "tool_filter", "allowed_tool_categories")


class ContextMixin:
    """The switch /context."""

    def do_context(self) -> None:
        """List the contexts, show one, or narrow one."""
        typed = (self.lhs or "").strip()
        script, kind, rest = asked(self, tuple(CONTEXTS), USAGE)
        if kind is None:
            self.page(all_contexts(script))
            return
        if "=" in self.args:
            raise Refusal(f"Without =: {USAGE.replace('|', '||')} ({plain(typed, 40)})")
        verb, _space, what = rest.partition(" ")
        try:
            if not verb:
                self.page(one_context(script, kind))
            elif verb.lower() == "reset" and not what:
                self._reset(script, kind)
            elif verb.lower() == "set":
                self._set_field(script, kind, what)
            else:
                raise Refusal(f"Usage: {USAGE.replace('|', '||')}")
        except ConfigError as err:
            raise refusing(err) from err

    def _reset(self, script: Any, kind: str) -> None:
        self.need_keeper(script)
        key = script.db.assistant_key
        if registry_of(script).reset_context(kind):
            self.msg(f"Context {kind} of {key} is as it came.")
        else:
            self.msg(f"Context {kind} of {key} was as it came already.")

    def _set_field(self, script: Any, kind: str, what: str) -> None:
        self.need_keeper(script)
        name, _space, value = what.partition(" ")
        name = name.lower()
        if not name or not value.strip():
            names = [field.name for field in fields(ContextConfig) if field.name not in IDENTITY]
            raise Refusal(f"Set which field to what? There are {', '.join(names)}.")
        held = registry_of(script)
        before = getattr(held.context(kind), name, None)
        was_set = name in held.changed_fields(kind)
        config = held.set_context(kind, name, field_value(name, value.strip()))
        after = getattr(config, name)
        was = f" (it had been set to {shown_field(name, before)})" if was_set else ""
        self.msg(
            f"{name} of {kind} of {script.db.assistant_key} is now {shown_field(name, after)}"
            f"{was if before != after else ''}."
        )


def field_value(name: str, typed: str) -> Any:
    """
    A field's value as somebody typed it; what does not look like one stays text and is refused.

    A list is typed with commas or spaces between; `none` is the empty list, or no number. A text of
    a component is typed as `<id> <text>`.

    """
    word = typed.lower()
    if name in (*NARROW_WHEN_ON, *NARROW_WHEN_OFF):
        return _TRUTHS.get(word, typed)
    if name in _NUMBERS:
        return int(typed) if typed.isdecimal() and len(typed) < 9 else typed
    if name in _LISTS:
        items = [] if word == "none" else typed.replace(",", " ").split()
        if name == "enabled_components":
            return [int(item) if item.isdecimal() else item for item in items]
        return items
    if name == "component_overrides":
        number, _space, words = typed.partition(" ")
        return {int(number): words} if number.isdecimal() and words else typed
    return word


def shown_field(name: str, value: Any) -> str:
    """A field's value as it is printed."""
    if name == "token_budget" and value is None:
        return f"{PROMPT_BUDGET} (the usual)"
    if value is None:
        return "all"
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, dict):
        return "; ".join(f"{key}: {plain(words, 60)}" for key, words in value.items()) or "none"
    if isinstance(value, list | tuple):
        return plain(", ".join(map(str, value))) or "none"
    return plain(value)


def all_contexts(script: Any) -> str:
    """Every context of an assistant in a line."""
    key = script.db.assistant_key
    held = registry_of(script)
    lines = [f"Contexts of {key}; * is narrowed."]
    for kind in CONTEXTS:
        config = held.context(kind)
        mark = "*" if held.changed_fields(kind) else " "
        lines.append(
            f" {mark}{kind:<18} {count_of(len(config.enabled_components), 'component'):<13} "
            f"{config.max_iterations:>2} tools at most  |x- {config.description}|n"
        )
    lines.append(f"More on one: aisetup/context {key} <type>")
    return "\n".join(lines)


def one_context(script: Any, kind: str) -> str:
    """A context field by field, and what comes of it with the NPC's own configuration."""
    held = registry_of(script)
    config, came = held.context(kind), get_context(kind)
    lines = [f"|wContext {kind}|n of {script.db.assistant_key}: {config.description}"]
    for field in fields(ContextConfig):
        if field.name in IDENTITY:
            continue
        value, before = getattr(config, field.name), getattr(came, field.name)
        came_as = f"  (came as {shown_field(field.name, before)})" if value != before else ""
        mark = "*" if came_as else " "
        lines.append(f" {mark}{field.name:<26} {shown_field(field.name, value)}{came_as}")
    lines.append("With execution_config, a turn may do:")
    lines += [f"  {line}" for line in pattern_lines(held.pattern(kind))]
    return "\n".join(lines)


def pattern_lines(pattern: ExecutionPattern) -> list[str]:
    """What a turn may do, in words."""
    ends = ", ends when it has spoken" if pattern.terminal_ends_loop else ""
    confirm = " after a keeper agreed" if pattern.confirm_dangerous else ""
    lines = [
        f"{pattern.mode}, {count_of(pattern.max_iterations, 'tool')} at most{ends}",
        f"tools: {shown_field('tool_filter', pattern.tools)}; "
        f"categories: {shown_field('allowed_tool_categories', pattern.categories)}",
        f"dangerous tools: {shown_field('', pattern.dangerous_tools)}"
        f"{confirm if pattern.dangerous_tools else ''}",
    ]
    if pattern.disabled_tools:
        lines.append(f"never: {shown_field('', pattern.disabled_tools)}")
    if pattern.sub_agents:
        lines.append(f"may hand work to {count_of(pattern.sub_agent_budget, 'assistant')}")
    return [*lines, *(f"|runreadable:|n {plain(problem)}" for problem in pattern.problems)]
