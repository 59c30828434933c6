"""
How what a model concludes of memories becomes a journal entry.

It rests on memories that were shown to the model: their audiences are intersected, and the mark of
a confidence stays with it. What rests on something that was forgotten meanwhile is not written.

"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..mind.audience import intersect
from ..mind.percept import Audience

#: Entities one conclusion is filed under.
MOST_ENTITIES = 8


class Conclusions:
    """
    The conclusions of one piece of thinking; the caller saves.

    Args:
        memory: The NPC's `MemoryHandler`.
        now: UTC seconds since the epoch.
        note: `Night.note`.

    Attributes:
        numbers (list): Of the entries that were written, each once.

    """

    def __init__(self, memory: Any, now: float, note: Callable[..., None]) -> None:
        self.memory = memory
        self.now = now
        self.numbers: list[int] = []
        self._note = note

    def write(
        self,
        text: str,
        evidence: Sequence[str],
        *,
        audience: Audience,
        confidential: bool,
        tags: Sequence[str],
        **fields: Any,
    ) -> None:
        """
        Put one into the journal and the night's ledger.

        Args:
            text: What it says.
            evidence: Ids of the memories it rests on.
            audience: Of all the model was shown.
            confidential: Whether that was said in confidence: what is named as evidence cannot
                take the mark away.
            tags: Of the entry.
            **fields: As for `MemoryHandler.write`.

        """
        items = [self.memory.index.get_for_keeper(name) for name in evidence]
        held = [item for item in items if item is not None]
        if len(held) < len(items):
            return
        shared = intersect([audience, *(item.audience for item in held)])
        confidence = confidential or any(item.confidence for item in held)
        people = dict.fromkeys(who for item in held for who in item.entities)
        entry = self.memory.write(
            text,
            when=self.now,
            source_type="inference",
            tags=[*tags, *(["whisper"] if confidence else [])],
            audience=shared,
            evidence=list(evidence),
            entities=list(people)[:MOST_ENTITIES],
            **fields,
        )
        if entry["id"] in self.numbers:
            return
        self.numbers.append(entry["id"])
        self._note(
            "added",
            entry["content"],
            audience=shared,
            id=f"j{entry['id']}",
            entry_id=entry["id"],
            evidence=list(evidence),
        )
