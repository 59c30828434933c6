"""
What a prompt is made of on one occasion for one NPC: which parts, which texts, how many tokens.

A layout holds no data of a turn. It changes only when somebody changes the NPC, so that what is
built from it stands still from turn to turn.

"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from types import MappingProxyType

from ..mind.contexts import (
    CONTEXT_GOAL_DECOMPOSE,
    CONTEXT_PRE_COMPACTION,
    CONTEXT_REFLECTION,
    CONTEXT_REFLECTION_CONT,
    CONTEXT_SLEEP_CONSOLIDATE,
    CONTEXT_TICK_AUTONOMOUS,
    CONTEXT_TICK_EVENT,
    Component,
    ContextConfig,
    get_context,
)
from .components import LAST_ID, STATIC_COMPONENTS
from .texts import text

#: Most tokens of a prompt, tools included.
PROMPT_BUDGET = 2500
#: Most tokens of each part. When together they are too long, the first of these gives way first.
SECTION_BUDGETS: Mapping[str, int] = {
    "history": 700,
    "in_mind": 90,
    "recent": 120,
    "memories": 150,
    "others": 160,
    "goals": 160,
    "ahead": 160,
    "tool_results": 400,
    "heard": 600,
    "project": 200,
    "carry": 160,
    "session": 150,
    "digest": 320,
    "persona": 500,
}
#: Where an occasion is about one part, that part has the room the others leave.
_ABOUT: Mapping[str, Mapping[str, int]] = {
    CONTEXT_REFLECTION: {"memories": 1200},
    CONTEXT_REFLECTION_CONT: {"tool_results": 1200},
    CONTEXT_SLEEP_CONSOLIDATE: {"memories": 1400},
    CONTEXT_GOAL_DECOMPOSE: {"goals": 600},
    CONTEXT_PRE_COMPACTION: {"history": 1200},
}

#: Occasions on which the NPC speaks and acts; on the others it is alone with its thoughts.
SPEAKING = (CONTEXT_TICK_EVENT, CONTEXT_TICK_AUTONOMOUS)


@dataclass(frozen=True, slots=True)
class Layout:
    """
    The parts and texts of a prompt.

    Args:
        context: The occasion, as far as the NPC's operator narrowed it.
        texts: Text by component id, filled in; pluggable ones included.
        disabled: Ids of components an operator switched off for every occasion.
        problems: What could not be used of the operator's texts, one line each.
        limit: Most tokens of a prompt that the model's window has room for; None when it is no
            matter.

    """

    context: ContextConfig
    texts: Mapping[int, str]
    disabled: frozenset[int] = frozenset()
    problems: tuple[str, ...] = ()
    limit: int | None = None
    budget: int = field(init=False)
    # Worked out once: a layout stands for many turns, and every turn asks for all of it.
    _shown: frozenset[int] = field(init=False, repr=False, compare=False)
    _gaps: Mapping[int, tuple[tuple[int, str], ...]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        wanted = self.context.token_budget or PROMPT_BUDGET
        gaps = {
            start: tuple(
                (number, words) for number, words in self.texts.items() if start < number < end
            )
            for start, end in pairwise((*STATIC_COMPONENTS, LAST_ID + 1))
        }
        shown = frozenset(map(int, self.context.enabled_components)) - self.disabled
        object.__setattr__(self, "budget", min(PROMPT_BUDGET, wanted, self.limit or wanted))
        object.__setattr__(self, "_shown", shown)
        object.__setattr__(self, "_gaps", gaps)

    def shows(self, component: int) -> bool:
        """Whether a static component is in the prompt."""
        return component in self._shown

    def text(self, component: int) -> list[str]:
        """The text of a component, [] when it has none."""
        words = self.texts.get(component)
        return [words] if words else []

    def following(self, component: int) -> Sequence[tuple[int, str]]:
        """Ids and texts of the pluggable components between a static one and the next, in order."""
        return self._gaps[component]

    def section_budget(self, section: str) -> int:
        """Most tokens of one part."""
        about = _ABOUT.get(self.context.context_type, {})
        return about.get(section, SECTION_BUDGETS[section])


def rules_for(context_type: str) -> str:
    """Our own rules for an occasion."""
    return text("rules") if context_type in SPEAKING else text("inner")


def instruction_for(context_type: str) -> str:
    """What to do on an occasion: the last words of its prompt."""
    if context_type == CONTEXT_TICK_EVENT:
        return text("instruction")
    return text(f"contexts/{context_type}")


@cache
def layout_for(context_type: str = CONTEXT_TICK_EVENT) -> Layout:
    """
    The layout of an NPC whose operator changed nothing.

    Raises:
        ConfigError: If there is no such context.

    """
    config = get_context(context_type)
    kind = config.context_type
    return Layout(config, MappingProxyType(own_texts(kind)))


def own_texts(context_type: str) -> dict[int, str]:
    """Our own texts for an occasion, by component id."""
    return {
        int(Component.SYSTEM_PROMPT): rules_for(context_type),
        int(Component.PENDING_EVENT): instruction_for(context_type),
    }
