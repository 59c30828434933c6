"""
From what an operator wrote to the layout of a prompt: which text goes first, and what fills it in.

"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..mind.contexts import CONTEXT_TICK_AUTONOMOUS, CONTEXT_TICK_EVENT, Component, ContextConfig
from ..mind.narrowing import required_in
from ..mind.slots import without_tags
from .components import PromptComponent, inert
from .layout import SPEAKING, Layout, own_texts
from .templates import PromptTemplate, UnknownPlaceholder
from .texts import text
from .tool_docs import tool_documentation

#: Ticks between two reflections, for a template that asks, when the NPC has no figure of its own.
REFLECTION_INTERVAL = 100
#: Of a model without a tool interface; when it is set, it is the whole system prompt.
FALLBACK_PROMPT = "system_prompt"
NATIVE_PROMPT = "system_prompt_native"
_RULES = int(Component.SYSTEM_PROMPT)
_WHAT_TO_DO = int(Component.PENDING_EVENT)
#: Static components whose text is for another occasion than this: an operator's rules are for
#: speaking, what to do with a new line is for new lines. "" is every occasion not named.
_NOT_FOR: Mapping[str, frozenset[int]] = {
    CONTEXT_TICK_EVENT: frozenset(),
    CONTEXT_TICK_AUTONOMOUS: frozenset({_WHAT_TO_DO}),
    "": frozenset({_RULES, _WHAT_TO_DO}),
}


def made_layout(
    context: ContextConfig,
    components: Mapping[int, PromptComponent],
    name: str,
    system: str,
    values: Mapping[str, str],
    tools: Sequence[Mapping[str, Any]],
    *,
    native: bool,
    limit: int | None = None,
) -> Layout:
    """
    The layout of an occasion; a text that cannot be filled in leaves ours in its place.

    Args:
        context: The occasion.
        components: All of the NPC's, by id.
        name: What its system prompt is called, as `system_text` has it.
        system: Its system prompt, for the occasions on which it speaks.
        values: As `values_of` has them.
        tools: The schemas offered.
        native: False for a model without a tool interface.
        limit: Most tokens of a prompt that the model's window has room for.

    """
    problems: list[str] = []
    values = {**values, "tool_schemas": tool_documentation(tools)}

    def filled(label: str, words: str) -> str | None:
        try:
            return inert(PromptTemplate(label, words).fill(values))
        except UnknownPlaceholder as err:
            problems.append(str(err))
            return None

    kind = context.context_type
    texts = own_texts(kind)
    speaking = kind in SPEAKING
    if speaking:
        texts[_RULES] = filled(name, system) or texts[_RULES]
    for number, component in components.items():
        words = context.component_overrides.get(number, "")
        if not words and number not in _NOT_FOR.get(kind, _NOT_FOR[""]):
            words = component.content
        if words and (component.enabled or component.is_static):
            usable = filled(f"component {number}", words)
            if usable:
                texts[number] = usable
    if not native and not (speaking and name == FALLBACK_PROMPT):
        how = PromptTemplate("json_fallback", text("json_fallback")).fill(values)
        texts[_RULES] += f"\n\n{how}"
    disabled = {
        number
        for number, component in components.items()
        if not component.enabled and number not in required_in(kind)
    }
    return Layout(context, dict(sorted(texts.items())), frozenset(disabled), tuple(problems), limit)


def system_text(script: Any, applied: PromptTemplate, *, native: bool) -> tuple[str, str]:
    """The system prompt of an NPC before it is filled in, after what it is called."""
    attribute = NATIVE_PROMPT if native else FALLBACK_PROMPT
    written = script.attributes.get(attribute)
    if isinstance(written, str) and written.strip():
        return attribute, written.strip()
    return f"template {applied.name}", applied.text


def values_of(script: Any) -> dict[str, str]:
    """What the placeholders stand for, but for the tools, whose documentation takes its time."""
    read = script.attributes.get
    npc = script.character
    return {
        "name": without_tags(" ".join(str(npc.key).split())) if npc is not None else "nobody",
        "tick_rate": _number(read("tick_rate"), 5),
        "reflection_interval": _number(read("reflection_interval"), REFLECTION_INTERVAL),
    }


def _number(value: Any, default: int) -> str:
    """A number for a text; the default for what is none."""
    usable = isinstance(value, int | float) and not isinstance(value, bool)
    return f"{value:g}" if usable else str(default)
