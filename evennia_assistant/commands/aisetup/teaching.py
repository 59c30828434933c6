"""`/teach` and `/unteach`: what an assistant knows from its keeper."""

from __future__ import annotations

from typing import Any

from ...memory.knowledge import audience_of, text_of
from ..base import Refusal
from ..gate import Reader
from ..plain import IN_LISTS, count_of, plain, quoted

#: Longest fact; a prompt has room for a few hundred words of knowledge.
MAX_FACT = 1000


class TeachingMixin:
    """The switches /teach and /unteach."""

    def do_teach(self) -> None:
        """Teach a fact, or list what was taught."""
        script = self.assistant(self.lhs, "aisetup/teach <key> [= <fact>]")
        npc = self.with_character(script)
        if "=" not in self.args:
            self.page(shown_knowledge(script, npc, self.reader(npc)))
            return
        self.need_keeper(script)
        fact = " ".join((self.rhs or "").split())
        if not fact:
            raise Refusal("Teach it what? aisetup/teach <key> = <fact>")
        if len(fact) > MAX_FACT:
            raise Refusal(
                f"That is {len(fact)} characters, and a fact has at most {MAX_FACT}. Nothing was "
                "taught; tell it in several facts."
            )
        known = npc.memory.knowledge.lines
        if any(text_of(line).casefold() == fact.casefold() for line in known):
            raise Refusal(f"{plain(npc.key)} knows that already.")
        place = npc.memory.teach(fact)
        self.msg(f"{plain(npc.key)} knows now, as number {place + 1}: {plain(fact)}")

    def do_unteach(self) -> None:
        """Take a fact back."""
        usage = "aisetup/unteach <key> = <number>"
        script = self.assistant(self.lhs, usage)
        npc = self.with_character(script)
        self.need_keeper(script)
        known = npc.memory.knowledge.lines
        typed = (self.rhs or "").strip()
        position = int(typed) - 1 if typed.isdecimal() and len(typed) < 9 else -1
        if not 0 <= position < len(known) or not text_of(known[position]):
            raise Refusal(
                f"There is no fact number {plain(typed, 20) or '(none given)'}. 'aisetup/teach "
                f"{script.db.assistant_key}' lists them. Usage: {usage}"
            )
        reader = self.reader(npc)
        was = text_of(known[position]) if reader.may(audience_of(known[position])) else ""
        npc.memory.unteach(position)
        told = plain(was, IN_LISTS) if was else "a confidential fact"
        self.msg(f"{plain(npc.key)} no longer knows number {position + 1}: {told}")


def shown_knowledge(script: Any, npc: Any, reader: Reader) -> str:
    """What an assistant was taught, numbered, as far as the reader may be told."""
    facts = [
        (number, text_of(line), audience_of(line))
        for number, line in enumerate(npc.memory.knowledge.lines, start=1)
        if text_of(line)
    ]
    key = script.db.assistant_key
    if not facts:
        return f"{plain(npc.key)} was taught nothing yet: aisetup/teach {key} = <fact>"
    lines = [f"{plain(npc.key)} was taught {count_of(len(facts), 'fact')}:"]
    for number, text, audience in facts:
        if reader.may(audience):
            lines.append(f"  {number:>3}. {quoted(text, None)}")
    if reader.withheld:
        lines.append(reader.note())
    lines.append(f"Take one back: aisetup/unteach {key} = <number>")
    return "\n".join(lines)
