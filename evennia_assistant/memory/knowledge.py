"""
What an NPC was taught by its keeper, on `character.db.knowledge`.

A list of lines; each is a text anyone may be told, or `{"text": ..., "audience": ...}`. Places in
the list are the ids by which turns refer to a line (`k0`, `k1`, ...), so a line that is taken back
leaves an empty place.

A line with `keys` (`mind.lore_gate`) stays out of every prompt until one of them is said.

"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from ..mind.audience import frozen, may_be_told
from ..mind.lore_gate import LoreGate, is_gated
from ..mind.percept import Audience
from .attribute_store import AttributeStore
from .items import MemoryItem

IMPORTANCE = 6
_EMPTY: Mapping[str, Any] = {"text": "", "audience": []}


def text_of(line: Any) -> str:
    """The text of a line, "" for an empty place or what is no text."""
    text = line.get("text") if isinstance(line, Mapping) else line
    return text.strip() if isinstance(text, str) else ""


def audience_of(line: Any) -> Audience:
    """Who may be told a line; a plain text is for everybody."""
    return frozen(line.get("audience", "public")) if isinstance(line, Mapping) else "public"


def repair_lines(raw: Any) -> tuple[list[Any], str | None]:
    """A list as it is, anything else as an empty one and the reason."""
    return (raw, None) if isinstance(raw, list) else ([], "not a list")


class Knowledge:
    """
    The taught lines of one NPC.

    Args:
        character: The NPC.

    """

    def __init__(self, character: Any) -> None:
        self.store = AttributeStore(character, "knowledge", list, repair=repair_lines)
        self._gate = LoreGate(())
        self._gate_of: int | None = None

    @property
    def lines(self) -> list[Any]:
        """All places, empty ones included."""
        return self.store.data

    def public(self) -> list[str]:
        """The lines anyone may be told, whatever was said."""
        return [
            text_of(line)
            for line in self.lines
            if text_of(line) and audience_of(line) == "public" and not is_gated(line)
        ]

    @property
    def gate(self) -> LoreGate:
        """The lines that wait for their words, made anew when a line has changed."""
        lines = self.lines
        if self._gate_of != self.store.changes:
            self._gate = LoreGate((at, line) for at, line in enumerate(lines) if text_of(line))
            self._gate_of = self.store.changes
        return self._gate

    def opened(self, said: str, listeners: Collection[str]) -> list[MemoryItem]:
        """
        The lines that something said brings to mind, as far as all listeners may be told.

        Args:
            said: What was said, or what is asked.
            listeners: Entity ids of those who will learn the answer.

        """
        found = [self.item(place) for place in self.gate.opened(said)]
        return [x for x in found if x is not None and may_be_told(x.audience, listeners)]

    def add(self, fact: str) -> int:
        """
        Put a fact at the end; the caller saves.

        Returns:
            Its place, from 0.

        """
        self.lines.append(fact)
        self.store.touch()
        return len(self.lines) - 1

    def clear(self, place: int) -> None:
        """
        Empty a place; the caller saves.

        Raises:
            IndexError: If there is no such place.

        """
        self.lines[place] = dict(_EMPTY)
        self.store.touch()

    def items(self) -> Iterator[MemoryItem]:
        """What the index keeps of the lines."""
        for place in range(len(self.lines)):
            item = self.item(place)
            if item is not None:
                yield item

    def item(self, place: int) -> MemoryItem | None:
        """What the index keeps of one line, None for an empty place."""
        line = self.lines[place]
        if not text_of(line):
            return None
        return MemoryItem(
            id=f"k{place}",
            text=text_of(line),
            speaker=None,
            speaker_name="",
            when=0.0,
            audience=audience_of(line),
            importance=IMPORTANCE,
            kind="knowledge",
            source_type="direct",
            source_trust=1.0,
        )
