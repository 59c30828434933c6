"""
Earlier memories that a talk may take back, shown beside its lines.

A correction counts only against what was shown. Nobody takes back what another said: what is shown
is what the same person told before, or what was concluded from talks with them, as far as exactly
the same people may be told.

"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..mind import entry as entries
from ..prompts.cutting import clipped
from .conversation_records import Piece

#: Shown for one talk, and in one prompt; tokens of one; characters of a talk they are sought by.
EACH = 5
MOST = 15
TOKENS = 60
SOUGHT_BY = 600
#: Kinds that are conclusions about a talk, and not about the world.
_PASSED_OVER = frozenset({"summary", "synthesis", "knowledge"})


def find_known(
    batch: Sequence[Piece], memory: Any, now: float, shown: dict[str, str]
) -> Iterator[None]:
    """
    Find what each talk may take back, and note it on the pieces; others have their turn between.

    Args:
        batch: The talks; all of one audience.
        memory: The NPC's `MemoryHandler`.
        now: UTC seconds since the epoch.
        shown: Filled: words by label.

    """
    labels: dict[int, str] = {}
    for piece in batch:
        known: dict[str, int] = {}
        for entry in _candidates(piece, memory, now):
            number = entry["id"]
            if number not in labels and len(labels) >= MOST:
                continue
            label = labels.setdefault(number, f"k{len(labels) + 1}")
            known[label] = number
            shown[label] = clipped(str(entry["content"]), TOKENS)
        piece.known = known
        yield


def _candidates(piece: Piece, memory: Any, now: float) -> list[dict[str, Any]]:
    audience, confidential = piece.part.group
    if audience is None:
        return []
    own = {message.get("entry_id") for message in piece.part.messages}
    said = [m["content"] for m in piece.part.messages if m["role"] == "user"]
    trust = min(
        (float(entry["source_trust"]) for entry in map(memory.journal.find, own - {None}) if entry),
        default=0.0,
    )
    hits = memory.index.search(
        " ".join(said)[:SOUGHT_BY],
        listeners=audience if isinstance(audience, tuple) else (),
        now=now,
        limit=8 * EACH,
    )
    found = []
    for hit in hits:
        item = hit.item
        number = entries.number_of(item.id)
        fits = (
            item.audience == audience
            and item.confidence == confidential
            and item.kind not in _PASSED_OVER
            and item.source_trust <= trust
            and (
                item.speaker == piece.entity_id
                or (not item.speaker and piece.entity_id in item.entities)
            )
        )
        # What stands in the archive was consolidated; the facts made of it are corrected there.
        entry = memory.journal.find(number) if fits and number is not None else None
        if entry is not None and number not in own:
            found.append(entry)
    return found[:EACH]
