"""
What an import would change: blocks of a persona, and lines of knowledge.

`card_reading` makes it of a card, a lorebook or a text. It is a proposal: nothing of it counts
until a person has accepted it (`card_diff`), and nothing in it is worded anew.

"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from ..errors import CardError
from .card_macros import VISITOR, filled
from .card_text import cleaned, divided, one_line
from .instruction_like import instruction_like

#: Most characters of each block, and of all of them together: a persona is in every prompt, and
#: what it takes there is taken from the conversation.
ROOM: Mapping[str, int] = {
    "description": 1500,
    "personality": 400,
    "scenario": 400,
    "greeting": 250,
    "farewell": 200,
}
WHOLE = 2800
#: Blocks that are lists: most items, and characters of one.
LISTS: Mapping[str, tuple[int, int]] = {"examples": (3, 160), "voice": (6, 80), "unknown": (4, 120)}
#: Most characters of one text, most lines, and characters of all of them.
MAX_TEXT = 100_000
MAX_LINES = 1000
MAX_KNOWN = 200_000
#: The name under which ours are kept in the `extensions` of a card or an entry.
OURS = "evennia_assistant"


@dataclass(slots=True)
class Proposal:
    """
    What an import would change.

    Args:
        kind: What it was read from, in words.
        name: What that is called; lines of the same name are replaced.
        npc: The name that was put for `{{char}}`.
        persona: Text or list of texts by block.
        lines: Lines of knowledge: `text`, `audience`, `from` (the name), and perhaps `keys`,
            `also`, `logic`, `cased`, `order`, `lore` (number of the entry) or `block`.
        marks: Why a block (by name) or a line (by `line` and its number from 0) reads like an order
            to a model.
        notes: What a keeper should know, in sentences.
        card: The data of the card, without its book, to be given back; None where it was none.
        book: What the book says of itself.
        entries: Its entries.
        size: Characters of all lines.

    """

    kind: str
    name: str
    npc: str
    persona: dict[str, Any] = field(default_factory=dict)
    lines: list[dict[str, Any]] = field(default_factory=list)
    marks: dict[str, list[str]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    card: dict[str, Any] | None = None
    book: dict[str, Any] = field(default_factory=dict)
    entries: list[dict[str, Any]] = field(default_factory=list)
    size: int = 0

    def as_plain(self) -> dict[str, Any]:
        """As it is stored."""
        return asdict(self)

    # Taking over ----------------------------------------------------------------------------------

    def block(self, name: str, text: str, user: str = VISITOR) -> None:
        """Take a text as a block; what has no room becomes lines of knowledge."""
        words = self._read(name, text, user)
        why = self.marks.get(name, ())
        kept, rest = divided(words, min(ROOM[name], self._left()))
        if kept:
            self.persona[name] = kept
        if rest and name in ("greeting", "farewell"):
            self.notes.append(f"The {name} is cut; {ROOM[name]} characters is the most.")
        elif rest:
            self.notes.append(f"The {name} is long; {len(rest)} lines of it become knowledge.")
            for line in rest:
                self.line(line, why, block=name)

    def items(self, name: str, texts: Iterable[str]) -> None:
        """Take texts as a block of several; what has no room is left out, and said."""
        most, longest = LISTS[name]
        read = [one_line(self._read(name, text)) for text in texts]
        kept: list[str] = []
        for text in read:
            room = min(longest, self._left() - sum(map(len, kept)))
            if len(kept) < most and 0 < len(text) <= room:
                kept.append(text)
        if kept:
            self.persona[name] = kept
        if len(kept) < len(read):
            self.notes.append(f"Of {name} {len(read) - len(kept)} had no room.")

    def line(self, text: str, why: Sequence[str] = (), **fields: Any) -> None:
        """
        Take a text as one line of knowledge.

        Args:
            text: The line.
            why: Why what it was made of reads like an order to a model; empty where it does not.
            **fields: Of the line, as `lines` has them.

        Raises:
            CardError: If there are too many.

        """
        self.size += len(text)
        if len(self.lines) >= MAX_LINES or self.size > MAX_KNOWN:
            raise CardError(f"That is more than {MAX_LINES} lines or {MAX_KNOWN:,} characters.")
        if why:
            self.marks[f"line {len(self.lines)}"] = list(why)
        self.lines.append({"text": text, "audience": "public", "from": self.name, **fields})

    def filled(self, text: str, user: str = VISITOR) -> str:
        """A text without placeholders and what cannot be seen; what is odd is noted."""
        made = filled(text, self.npc, user)
        if made.speaks_of_user and user == VISITOR:
            self._note(f"It speaks of the user, which every player is: '{VISITOR}' stands there.")
        for macro in made.unknown:
            self._note(f"A placeholder nobody here knows was left out: {{{{{macro}}}}}")
        return cleaned(made.text)

    def _left(self) -> int:
        """Characters that blocks may still have."""
        taken = sum(
            len(text) if isinstance(text, str) else sum(map(len, text))
            for text in self.persona.values()
        )
        return max(0, WHOLE - taken)

    def _read(self, name: str, text: str, user: str = VISITOR) -> str:
        if len(text) > MAX_TEXT:
            raise CardError(f"The {name} has {len(text):,} characters; the most is {MAX_TEXT:,}.")
        why = [*self.marks.get(name, ()), *instruction_like(text)]
        if why:
            self.marks[name] = list(dict.fromkeys(why))
        return self.filled(text, user)

    def _note(self, note: str) -> None:
        if note not in self.notes:
            self.notes.append(note)
