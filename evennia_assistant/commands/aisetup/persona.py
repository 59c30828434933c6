"""`/persona`: who an assistant is, in its keeper's words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evennia.utils.dbserialize import deserialize

from .. import finding
from ..base import Refusal
from ..plain import plain
from .config import closest
from .prompting import instead_of

#: Field and what it is.
FIELDS: Mapping[str, str] = {
    "description": "who it is, in a few sentences",
    "personality": "what it is like, in a few words",
    "scenario": "what its situation is",
    "voice": "phrases it likes to use, one added each time",
    "greeting": "how it greets; {name} stands for whom",
    "farewell": "how it parts",
    "unknown": "what it says when it does not know, one added each time",
    "examples": "things it said, to show how it speaks, one added each time",
}
#: Fields that hold several lines.
LISTS = ("voice", "unknown", "examples")
USAGE = "aisetup/persona <key> [<field>] [= <text>]"
MAX_TEXT = 4000


class PersonaMixin:
    """The switch /persona."""

    def do_persona(self) -> None:
        """Show a persona, or change one field of it."""
        script, field = self._whose_persona()
        npc = self.with_character(script)
        persona = npc.memory_of_persona()
        if "=" not in self.args:
            self.page(shown_persona(script, npc, persona, field))
            return
        self.need_keeper(script)
        field, text = field or "description", (self.rhs or "").strip()
        if len(text) > MAX_TEXT:
            raise Refusal(
                f"That is {len(text)} characters, and a {field} has at most {MAX_TEXT}: the model "
                "reads it at every turn. Nothing was changed; facts belong in 'aisetup/teach'."
            )
        if field == "description" and not text:
            raise Refusal("A description cannot be empty. Nothing was changed.")
        before = "\n".join(lines_of((deserialize(npc.db.persona) or {}).get(field)))
        if not text:
            persona.pop(field, None)
            said = f"{field.capitalize()} of {plain(npc.key)} is empty now."
            said += instead_of(before, "")
        elif field in LISTS:
            lines = [*lines_of(persona.get(field)), text]
            persona[field] = lines
            said = f"{field.capitalize()} of {plain(npc.key)}, line {len(lines)}: {plain(text)}"
        else:
            persona[field] = text
            said = f"{field.capitalize()} of {plain(npc.key)}: {plain(text)}"
            said += instead_of(before, text)
        npc.db.persona = persona
        self.msg(said)

    def _whose_persona(self) -> tuple[Any, str | None]:
        """The assistant, and the field when one was named after it."""
        typed = self.lhs or ""
        found = finding.find_assistants(typed)
        who, _space, last = typed.rpartition(" ")
        if found or not who:
            return self.assistant(typed, USAGE), None
        if last.lower() in FIELDS:
            return self.assistant(who, USAGE), last.lower()
        if finding.find_assistants(who):
            close = closest(last.lower(), FIELDS)
            hint = f" Did you mean {close[0]}?" if close else ""
            raise Refusal(
                f'A persona has no "{plain(last, 40)}".{hint} It has {", ".join(FIELDS)}.'
            )
        return self.assistant(typed, USAGE), None


def lines_of(value: Any) -> list[str]:
    """A field that may hold one line or several, as lines."""
    if not value:
        return []
    return [value] if isinstance(value, str) else [str(line) for line in value]


def shown_persona(script: Any, npc: Any, persona: Mapping[str, Any], only: str | None) -> str:
    """A persona as it is read, field by field, and how to change it."""
    key = script.db.assistant_key
    lines = [f"|wPersona of {plain(npc.key)}|n (assistant {key})"]
    further = tuple(name for name in persona if name not in FIELDS)
    for field in (only,) if only else (*FIELDS, *further):
        written = lines_of(persona.get(field))
        if not written:
            lines.append(f"  {plain(field)}: |x({FIELDS.get(field, 'empty')})|n")
        for line in written:
            lines.append(f"  {plain(field)}: {plain(line)}")
    lines.append(f"Change it: aisetup/persona {key} {only or '<field>'} = <text>")
    return "\n".join(lines)
