"""`/component`: the parts of an assistant's prompts, ours and its operator's."""

from __future__ import annotations

from typing import Any

from ...errors import ConfigError
from ...prompts.components import PromptComponent
from ...prompts.registry import registry_of
from ..base import Refusal
from ..plain import count_of, plain
from .prompting import asked, in_lines, instead_of, refusing, text_typed

USAGE = "aisetup/component <key> [add|show|set|enable|disable|delete <id> [= <text>]]"
_VERBS = ("add", "show", "set", "enable", "disable", "delete")


class ComponentMixin:
    """The switch /component."""

    def do_component(self) -> None:
        """List the components, or do with one of them what was asked."""
        script, verb, typed = asked(self, _VERBS, USAGE)
        if verb is None:
            self.page(all_components(script))
            return
        if not typed.isdecimal() or len(typed) > 5:
            raise Refusal(f"Which component? Name its id. Usage: {USAGE.replace('|', '||')}")
        if verb != "show":
            self.need_keeper(script)
        try:
            getattr(self, f"_component_{verb}")(script, int(typed))
        except ConfigError as err:
            raise refusing(err) from err

    def _component_add(self, script: Any, number: int) -> None:
        made = registry_of(script).add_component(number, text_typed(self, USAGE))
        self.msg(
            f"Component {made.id} of {script.db.assistant_key} is added: {plain(made.content)}"
        )

    def _component_set(self, script: Any, number: int) -> None:
        words = text_typed(self, USAGE)
        before = registry_of(script).component(number).content
        made = registry_of(script).set_component(number, words)
        self.msg(
            f"Component {made.id} ({made.key}) of {script.db.assistant_key} has a text of its own: "
            f"{plain(made.content)}{instead_of(before, made.content)}"
        )

    def _component_show(self, script: Any, number: int) -> None:
        found = registry_of(script).component(number)
        words = found.content or _own_text(script, number)
        lines = [
            f"|wComponent {found.id}|n {found.key}, {state_of(found)}, in a {found.role} message"
            + (f": {plain(found.description)}" if found.description else "")
        ]
        lines += in_lines(words) if words else ["  It has no text, only what a turn puts into it."]
        self.page("\n".join(lines))

    def _component_enable(self, script: Any, number: int) -> None:
        self._switch(script, number, True)

    def _component_disable(self, script: Any, number: int) -> None:
        self._switch(script, number, False)

    def _switch(self, script: Any, number: int, on: bool) -> None:
        found = registry_of(script).enable_component(number, on)
        self.msg(
            f"Component {found.id} ({found.key}) of {script.db.assistant_key} is "
            f"{'on' if on else 'off'}."
        )

    def _component_delete(self, script: Any, number: int) -> None:
        found = registry_of(script).delete_component(number)
        done = "is as it came" if found.is_static else "is deleted"
        self.msg(f"Component {found.id} ({found.key}) of {script.db.assistant_key} {done}.")


def state_of(component: PromptComponent) -> str:
    """Whose a component is and whether it is on, in words."""
    whose = "ours" if component.is_static else "yours"
    return f"{whose}, {'on' if component.enabled else 'off'}"


def all_components(script: Any) -> str:
    """Every component of an assistant in a line each."""
    key = script.db.assistant_key
    lines = [f"Components of {key}, in the order of their ids; * has a text of its own."]
    for number, component in registry_of(script).components().items():
        mark = "*" if component.content else " "
        if component.is_static:
            what = component.description
        else:
            what = count_of(len(component.content), "character")
        lines.append(
            f" {mark}{number:>4}  {component.key:<21} {'on ' if component.enabled else 'off'} "
            f"{component.role:<6} {plain(what)}"
        )
    lines.append(f"Add one between two of ours: aisetup/component {key} add <id> = <text>")
    return "\n".join(lines)


def _own_text(script: Any, number: int) -> str:
    """The text of ours that stands there while the operator has none."""
    return registry_of(script).layout().texts.get(number, "")
