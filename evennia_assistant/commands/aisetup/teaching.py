"""`/teach` and `/unteach`: what an assistant knows from its keeper."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...memory.handler import knowledge_item
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
        known = npc.memory.knowledge.data
        if any(text_of(line).casefold() == fact.casefold() for line in known):
            raise Refusal(f"{plain(npc.key)} knows that already.")
        index = npc.memory.index
        known.append(fact)
        npc.memory.knowledge.touch()
        npc.memory.knowledge.save()
        index.add([knowledge_item(len(known) - 1, fact)])
        self.msg(f"{plain(npc.key)} knows now, as number {len(known)}: {plain(fact)}")

    def do_unteach(self) -> None:
        """Take a fact back."""
        usage = "aisetup/unteach <key> = <number>"
        script = self.assistant(self.lhs, usage)
        npc = self.with_character(script)
        self.need_keeper(script)
        known = npc.memory.knowledge.data
        typed = (self.rhs or "").strip()
        position = int(typed) - 1 if typed.isdecimal() and len(typed) < 9 else -1
        if not 0 <= position < len(known) or not text_of(known[position]):
            raise Refusal(
                f"There is no fact number {plain(typed, 20) or '(none given)'}. 'aisetup/teach "
                f"{script.db.assistant_key}' lists them. Usage: {usage}"
            )
        reader = self.reader(npc)
        was = text_of(known[position]) if reader.may(audience_of(known[position])) else ""
        index = npc.memory.index
        # An empty place, so that the other facts keep the numbers under which turns refer to them.
        known[position] = {"text": "", "audience": []}
        npc.memory.knowledge.touch()
        npc.memory.knowledge.save()
        index.remove([f"k{position}"])
        told = plain(was, IN_LISTS) if was else "a confidential fact"
        self.msg(f"{plain(npc.key)} no longer knows number {position + 1}: {told}")


def text_of(line: Any) -> str:
    """The text of a line of knowledge, "" for an empty place or what is no text."""
    text = line.get("text") if isinstance(line, Mapping) else line
    return text.strip() if isinstance(text, str) else ""


def audience_of(line: Any) -> object:
    """Who may be told a line of knowledge; a plain text is for everybody."""
    return line.get("audience", "public") if isinstance(line, Mapping) else "public"


def shown_knowledge(script: Any, npc: Any, reader: Reader) -> str:
    """What an assistant was taught, numbered, as far as the reader may be told."""
    facts = [
        (number, text_of(line), audience_of(line))
        for number, line in enumerate(npc.memory.knowledge.data, start=1)
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
