"""
What an operator changed about an NPC's prompts, kept in the game.

`script.db.prompt_overrides` holds templates by name, components by id, and narrowings by context;
`script.db.applied_template` names the template in use. The documented attributes
`script.db.system_prompt_native` and `script.db.system_prompt` (for models without a tool interface)
go before any template when they are set.

Templates and these two replace our rules for the occasions on which the NPC speaks; what it does
alone with its thoughts has rules of its own, which only `component_overrides` of a context change.

"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from evennia.utils.dbserialize import deserialize

from ..errors import ConfigError
from ..memory.attribute_store import AttributeStore
from ..mind.assessment import TaskAssessment
from ..mind.contexts import CONTEXT_TICK_EVENT, Component, ContextConfig, get_context
from ..mind.execution_pattern import ExecutionPattern, compose
from ..mind.narrowing import narrowed
from .components import STATIC_COMPONENTS, PromptComponent, pluggable, usable_text
from .filling import made_layout, system_text, values_of
from .layout import PROMPT_BUDGET, Layout
from .overrides import empty_overrides, repaired
from .templates import DEFAULT_TEMPLATE, PromptTemplate, template_name
from .texts import text
from .window import prompt_limit

#: Most templates and components of one NPC.
MAX_TEMPLATES = 20
MAX_COMPONENTS = 40
#: What of a script belongs to its prompts; a copy of an NPC takes it along.
PROMPT_ATTRIBUTES = (
    "prompt_overrides",
    "applied_template",
    "system_prompt",
    "system_prompt_native",
)


def registry_of(script: Any) -> PromptRegistry:
    """The registry of an NPC, made once for each start of the server."""
    registry = script.ndb.prompt_registry
    if registry is None:
        registry = script.ndb.prompt_registry = PromptRegistry(script)
    return registry


class PromptRegistry:
    """
    Templates, components and contexts of one NPC.

    Args:
        script: Its AssistantScript.

    """

    def __init__(self, script: Any) -> None:
        self.script = script
        self.store = AttributeStore(script, "prompt_overrides", empty_overrides, repair=repaired)
        self._layouts: dict[tuple[Any, ...], Layout] = {}

    # Templates -----------------------------------------------------------------------------------

    @property
    def applied(self) -> str:
        """The name of the template in use, `default` when the one named is gone."""
        name = self.script.attributes.get("applied_template", default=DEFAULT_TEMPLATE)
        known = isinstance(name, str) and name in self.templates()
        return name if known else DEFAULT_TEMPLATE

    def templates(self) -> dict[str, PromptTemplate]:
        """All templates by name, ours first."""
        own = self.store.data["templates"]
        return {
            DEFAULT_TEMPLATE: PromptTemplate(DEFAULT_TEMPLATE, text("rules")),
            **{name: PromptTemplate(name, words) for name, words in own.items()},
        }

    def template(self, name: str) -> PromptTemplate:
        """
        A template by name.

        Raises:
            ConfigError: Naming those there are.

        """
        found = self.templates().get(name.strip().lower())
        if found is None:
            raise ConfigError(
                f"There is no template {name.strip()[:60]!r}; there are "
                f"{', '.join(self.templates())}."
            )
        return found

    def create_template(self, name: str, words: str) -> PromptTemplate:
        """
        Add a template, or write one anew.

        Raises:
            ConfigError: If name or text will not do, or there are too many.

        """
        name = template_name(name)
        if name == DEFAULT_TEMPLATE:
            raise ConfigError("The template default is ours; give yours another name.")
        made = PromptTemplate(name, usable_text(words))
        made.check()
        own = self.store.data["templates"]
        if name not in own and len(own) >= MAX_TEMPLATES:
            raise ConfigError(f"An NPC has at most {MAX_TEMPLATES} templates; delete one first.")
        own[name] = made.text
        self._write()
        return made

    def apply_template(self, name: str) -> PromptTemplate:
        """
        Use a template from the next turn on.

        Raises:
            ConfigError: If there is none of that name, or it has an unknown placeholder.

        """
        found = self.template(name)
        found.check()
        self.script.attributes.add("applied_template", found.name)
        return found

    def delete_template(self, name: str) -> PromptTemplate:
        """
        Remove a template; when it was in use, `default` is from now on.

        Raises:
            ConfigError: If there is none of that name, or it is ours.

        """
        found = self.template(name)
        if found.name == DEFAULT_TEMPLATE:
            raise ConfigError("The template default is ours and stays.")
        was_applied = self.applied == found.name
        del self.store.data["templates"][found.name]
        self._write()
        if was_applied:
            self.script.attributes.add("applied_template", DEFAULT_TEMPLATE)
        return found

    # Components ----------------------------------------------------------------------------------

    def components(self) -> dict[int, PromptComponent]:
        """All components by id, in order, with what the operator changed."""
        found = dict(STATIC_COMPONENTS)
        for number, record in self.store.data["components"].items():
            if number in STATIC_COMPONENTS:
                found[number] = replace(
                    found[number],
                    content=record.get("content", ""),
                    enabled=record.get("enabled", True),
                )
            else:
                found[number] = pluggable(number, **record)
        return dict(sorted(found.items()))

    def component(self, number: int) -> PromptComponent:
        """
        A component by id.

        Raises:
            ConfigError: Naming those there are.

        """
        known = self.components()
        if number not in known:
            raise ConfigError(
                f"There is no component {number}; there are {', '.join(map(str, known))}."
            )
        return known[number]

    def add_component(self, number: int, content: str, **fields: Any) -> PromptComponent:
        """
        Add a component of the operator's own.

        Raises:
            ConfigError: If the id is taken or no gap, or the text will not do.

        """
        made = pluggable(number, content, **fields)
        held = self.store.data["components"]
        if number in held:
            raise ConfigError(f"There is a component {number} already; set it, or choose another.")
        if len(held) >= MAX_COMPONENTS:
            raise ConfigError(f"An NPC has at most {MAX_COMPONENTS} components of its own.")
        PromptTemplate(f"component {number}", made.content).check()
        held[number] = {"content": made.content, **fields}
        self._write()
        return made

    def set_component(self, number: int, content: str) -> PromptComponent:
        """
        Give a component another text; of a static one, in place of ours.

        Raises:
            ConfigError: If there is none, or the text will not do.

        """
        self.component(number)
        words = usable_text(content)
        PromptTemplate(f"component {number}", words).check()
        self._record(number)["content"] = words
        self._write()
        return self.component(number)

    def enable_component(self, number: int, enabled: bool) -> PromptComponent:
        """
        Switch a component on or off.

        Raises:
            ConfigError: If there is none, or it is the rules, which every prompt has.

        """
        self.component(number)
        if number == Component.SYSTEM_PROMPT and not enabled:
            raise ConfigError("Component 0 has the rules every prompt needs; give it another text.")
        self._record(number)["enabled"] = enabled
        self._write()
        return self.component(number)

    def delete_component(self, number: int) -> PromptComponent:
        """
        Remove a component; a static one is as it came.

        Raises:
            ConfigError: If there is none.

        """
        found = self.component(number)
        self.store.data["components"].pop(number, None)
        self._write()
        return found

    # Contexts ------------------------------------------------------------------------------------

    def context(self, context_type: str = CONTEXT_TICK_EVENT) -> ContextConfig:
        """
        A context, as far as the operator narrowed it.

        Raises:
            ConfigError: If there is no such context.

        """
        config = get_context(context_type)
        changes = self.store.data["contexts"].get(config.context_type)
        return narrowed(config, **changes) if changes else config

    def changed_fields(self, context_type: str) -> tuple[str, ...]:
        """The fields of a context that the operator set."""
        return tuple(self.store.data["contexts"].get(get_context(context_type).context_type, ()))

    def set_context(self, context_type: str, field: str, value: Any) -> ContextConfig:
        """
        Narrow one field of a context.

        Raises:
            ConfigError: If there is no such context or field, or the value would widen it.

        """
        config = get_context(context_type)
        if field == "token_budget" and isinstance(value, int) and value > PROMPT_BUDGET:
            raise ConfigError(
                f"token_budget of {config.context_type} may be at most {PROMPT_BUDGET}, what every "
                "prompt has; a context can be narrowed, never widened."
            )
        if field == "component_overrides" and isinstance(value, Mapping):
            for number, words in value.items():
                PromptTemplate(f"component {number}", usable_text(str(words))).check()
        narrowed(config, **{field: value})
        changes = self.store.data["contexts"].setdefault(config.context_type, {})
        if field == "component_overrides":
            value = {**changes.get(field, {}), **value}
        changes[field] = value
        self._write()
        return self.context(config.context_type)

    def reset_context(self, context_type: str) -> bool:
        """
        Take back all changes to a context.

        Returns:
            Whether there were any.

        Raises:
            ConfigError: If there is no such context.

        """
        kind = get_context(context_type).context_type
        had = self.store.data["contexts"].pop(kind, None) is not None
        if had:
            self._write()
        return had

    def pattern(
        self, context_type: str = CONTEXT_TICK_EVENT, assessment: TaskAssessment | None = None
    ) -> ExecutionPattern:
        """How a turn may run: the three layers together."""
        config = deserialize(self.script.attributes.get("execution_config")) or {}
        return compose(config, self.context(context_type), assessment)

    # What prompts are built from -----------------------------------------------------------------

    def layout(
        self,
        context_type: str = CONTEXT_TICK_EVENT,
        tools: Sequence[Mapping[str, Any]] = (),
        *,
        native: bool = True,
    ) -> Layout:
        """
        The parts and texts of this NPC's prompts.

        A text that cannot be used leaves ours in its place and is named in `problems`: a keeper's
        slip must not silence the NPC.

        Args:
            context_type: The occasion.
            tools: The schemas offered, for `{tool_schemas}`.
            native: False for a model without a tool interface.

        Raises:
            ConfigError: If there is no such context.

        """
        # Reading it notices what somebody else wrote, and counts it as a load.
        _ = self.store.data
        values = values_of(self.script)
        name, written = system_text(self.script, self.template(self.applied), native=native)
        names = tuple(schema["function"]["name"] for schema in tools)
        limit = prompt_limit(self.script)
        loads = self.store.loads
        key = (context_type, native, loads, limit, name, written, *values.values(), names)
        found = self._layouts.get(key)
        if found is None:
            if len(self._layouts) >= 32:
                self._layouts.clear()
            found = self._layouts[key] = made_layout(
                self.context(context_type),
                self.components(),
                name,
                written,
                values,
                tools,
                native=native,
                limit=limit,
            )
        return found

    def _record(self, number: int) -> dict[str, Any]:
        return self.store.data["components"].setdefault(number, {})

    def _write(self) -> None:
        self.store.touch()
        self.store.save()
        self._layouts.clear()
