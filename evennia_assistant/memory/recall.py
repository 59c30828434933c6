"""
The one read path: what an NPC remembers, for those who will hear the answer.

Prompts, tools, commands and exports all read memory through `recall`. It takes the listeners, and
fails closed; a keeper's look past the audiences is `recall_for_keeper`, which leaves a line in
the log.

"""

from __future__ import annotations

import logging
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evennia_assistant.errors import ConfigError, StoreError
from evennia_assistant.memory.index import Hit, MemoryIndex, MemoryItem

#: Memories given back where nobody says how many.
LIMIT = 10

_log = logging.getLogger(__name__)


class RecallError(StoreError):
    """The memory could not be searched, which is not the same as remembering nothing."""


@dataclass(frozen=True, slots=True)
class Recollection:
    """
    What was remembered.

    Args:
        query: The question as it was asked.
        hits: The memories, best first; empty when nothing bears on the question.
        gated: How many memories there are that these listeners may not be told of.
        milliseconds: How long it took.

    """

    query: str
    hits: tuple[Hit, ...]
    gated: int
    milliseconds: float


def recall(
    index: MemoryIndex,
    query: str,
    *,
    listeners: Collection[str],
    now: float,
    limit: int = LIMIT,
    **options: Any,
) -> Recollection:
    """
    What the NPC remembers that bears on `query`, as far as all listeners may be told.

    Args:
        index: The NPC's memory.
        query: The question as it was asked.
        listeners: Entity ids of all who will hear the answer.
        now: UTC, seconds since the epoch.
        limit: How many memories at most.
        **options: `preset`, `names`, `asker`, `min_trust`, `kinds`, `exclude`, `floor`, `among`,
            `deep` and `vector`, as `memory.items.Question` has them.

    Returns:
        The ranked memories.

    Raises:
        ConfigError: There is no preset of the name asked for.
        RecallError: The index could not be searched.

    """
    started = time.perf_counter()
    try:
        hits = index.search(
            query, listeners=listeners, now=now, limit=_enough(index, limit), **options
        )
        hits = collapsed(hits)[:limit]
        gated = index.gated(listeners)
    except ConfigError:
        raise
    except (ArithmeticError, AttributeError, LookupError, StoreError, TypeError, ValueError) as err:
        raise RecallError(f"The memory could not be searched: {err}") from err
    return Recollection(query, tuple(hits), gated, _since(started))


def recall_for_keeper(
    index: MemoryIndex, query: str, *, keeper: str, now: float, limit: int = LIMIT, **options: Any
) -> Recollection:
    """
    As `recall`, whoever may be told; that `keeper` looked is written to the log.

    Args:
        index: The NPC's memory.
        query: The question.
        keeper: Entity id of who looks; the caller has checked that they may.
        now: UTC, seconds since the epoch.
        limit: How many memories at most.
        **options: As for `recall`.

    Returns:
        The ranked memories; nothing is gated.

    Raises:
        ConfigError: There is no preset of the name asked for.
        RecallError: The index could not be searched.

    """
    _log.info("%s looks into a memory past its audiences.", keeper)
    started = time.perf_counter()
    try:
        hits = index.search_for_keeper(query, now=now, limit=_enough(index, limit), **options)
        hits = collapsed(hits)[:limit]
    except ConfigError:
        raise
    except (ArithmeticError, AttributeError, LookupError, StoreError, TypeError, ValueError) as err:
        raise RecallError(f"The memory could not be searched: {err}") from err
    return Recollection(query, tuple(hits), 0, _since(started))


def collapsed(hits: Sequence[Hit]) -> list[Hit]:
    """
    Hits in which nothing stands twice: of a fact and an entry it was made of, the better one.

    Two facts of one entry are two memories.

    """
    kept: list[Hit] = []
    taken: set[str] = set()
    told: set[str] = set()
    for hit in hits:
        if hit.item.id not in told and taken.isdisjoint(hit.item.sources):
            kept.append(hit)
            taken.add(hit.item.id)
            told.update(hit.item.sources)
    return kept


def is_wanted(item: MemoryItem, options: Mapping[str, Any]) -> bool:
    """Whether a memory that was linked to a hit is one the question did not leave out."""
    kinds, among = options.get("kinds"), options.get("among")
    return (
        item.id not in options.get("exclude", ())
        and (among is None or item.id in among)
        and item.source_trust >= options.get("min_trust", 0.0)
        and (kinds is None or item.kind in kinds)
    )


def _enough(index: MemoryIndex, limit: int) -> int:
    """How many hits to ask for, so that `limit` remain when facts and entries are collapsed."""
    return 2 * limit + 5 if index.derived and limit > 0 else limit


def _since(started: float) -> float:
    return (time.perf_counter() - started) * 1000.0
