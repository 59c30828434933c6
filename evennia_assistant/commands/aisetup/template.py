"""`/template`: the system prompt of an assistant, and whether its prompts are in order."""

from __future__ import annotations

from typing import Any

from ...errors import ConfigError
from ...prompts.measure import health
from ...prompts.registry import registry_of
from ...prompts.templates import DEFAULT_TEMPLATE, PLACEHOLDERS
from ..base import Refusal
from ..plain import count_of, plain
from .prompting import asked, in_lines, instead_of, refusing, text_typed
from .sample import sample_of

USAGE = "aisetup/template <key> [create|apply|show|delete <name> [= <text>] | check]"
_VERBS = ("create", "apply", "show", "delete", "check")


class TemplateMixin:
    """The switch /template."""

    def do_template(self) -> None:
        """List the templates, or do with one of them what was asked."""
        script, verb, name = asked(self, _VERBS, USAGE)
        if verb == "check":
            self._check(script)
            return
        if verb is None:
            self.page(all_templates(script))
            return
        if not name:
            raise Refusal(f"Which template? Usage: {USAGE.replace('|', '||')}")
        try:
            getattr(self, f"_template_{verb}")(script, name)
        except ConfigError as err:
            raise refusing(err) from err

    def _template_create(self, script: Any, name: str) -> None:
        self.need_keeper(script)
        held, key = registry_of(script), script.db.assistant_key
        before = held.templates()
        made = held.create_template(name, text_typed(self, USAGE))
        old = before[made.name].text if made.name in before else ""
        self.msg(
            f"Template {made.name} of {key} is written ({count_of(len(made.text), 'character')}). "
            f"Use it: aisetup/template {key} apply {made.name}{instead_of(old, made.text)}"
        )

    def _template_apply(self, script: Any, name: str) -> None:
        self.need_keeper(script)
        found = registry_of(script).apply_template(name)
        said = f"{script.db.assistant_key} uses the template {found.name} from its next turn on."
        self.msg(said + going_first(script))

    def _template_show(self, script: Any, name: str) -> None:
        found = registry_of(script).template(name)
        self.page("\n".join([f"|wTemplate {found.name}|n", *in_lines(found.text)]))

    def _template_delete(self, script: Any, name: str) -> None:
        self.need_keeper(script)
        held = registry_of(script)
        was = held.applied
        found = held.delete_template(name)
        after = f" The template in use is {DEFAULT_TEMPLATE} now." if was == found.name else ""
        self.msg(f"Template {found.name} of {script.db.assistant_key} is deleted.{after}")

    def _check(self, script: Any) -> None:
        npc = self.with_character(script)
        found = []
        for native in (True, False):
            context, tools = sample_of(script, npc, native=native)
            found += health(context, tools, native=native)
        name = plain(npc.key)
        if not found:
            self.msg(f"The prompts of {name} are in order.{going_first(script)}")
            return
        lines = list(dict.fromkeys(found))
        self.page(
            "\n".join(
                [
                    f"The prompts of {name} have {count_of(len(lines), 'problem')}:",
                    *(f"  {plain(line)}" for line in lines),
                ]
            )
        )


def going_first(script: Any) -> str:
    """A note on the attributes that go before any template, "" when neither is set."""
    held = [
        name for name in ("system_prompt_native", "system_prompt") if script.attributes.get(name)
    ]
    if not held:
        return ""
    return f" But {' and '.join(f'db.{name}' for name in held)} of its script goes first."


def all_templates(script: Any) -> str:
    """Every template of an assistant with its length; the one in use is marked."""
    held = registry_of(script)
    applied = held.applied
    lines = [f"Templates of {script.db.assistant_key}; * is in use.{going_first(script)}"]
    for name, template in held.templates().items():
        ours = " (ours)" if name == DEFAULT_TEMPLATE else ""
        mark = "*" if name == applied else " "
        lines.append(f" {mark}{name}  {count_of(len(template.text), 'character')}{ours}")
    lines.append("Placeholders in a text:")
    lines += [f"  {{{name}}}  {what}" for name, what in PLACEHOLDERS.items()]
    key = script.db.assistant_key
    lines.append(f"Write one: aisetup/template {key} create <name> = <text>, ||/ for a new line")
    return "\n".join(lines)
