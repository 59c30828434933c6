"""
The journal by the documented score: recency, importance and keyword overlap.

`recall` answers a question better; this is the formula of document 000 over live and archived
entries, for those who build on it. Like every reading of memory it takes the listeners, and tells
of nothing they may not be told.

"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import Any

from ..mind import scoring
from ..mind.scoring import Parts, Weights, keywords
from .journal_search import build_keyword_index

__all__ = ["build_keyword_index", "search_episodic_memory"]

LIMIT = 10


def search_episodic_memory(
    character: Any,
    query: str,
    *,
    listeners: Collection[str],
    now: float | None = None,
    limit: int = LIMIT,
    min_score: float = 0.0,
    alpha_recency: float = 1.0,
    alpha_importance: float = 1.0,
    alpha_relevance: float = 1.0,
    weights: str | Weights | None = None,
    aloud: bool = False,
) -> list[dict[str, Any]]:
    """
    The journal entries that score highest for a question.

    Args:
        character: The NPC.
        query: The question.
        listeners: Entity ids of those who will learn the answer; none is public matters only.
        now: UTC seconds since the epoch; None is the NPC's present.
        limit: Most entries.
        min_score: Entries that score less are left out.
        alpha_recency: Weight of `exp(-0.99 * age in hours)`.
        alpha_importance: Weight of importance / 10.
        alpha_relevance: Weight of keyword overlap.
        weights: A preset of `mind.scoring.PRESETS` or weights, in place of the three; of these
            recency, importance and relevance count.
        aloud: Leave out what was whispered or said off the record.

    Returns:
        `{"entry", "score", "parts"}`, best first, the later of equals first; entries are not to be
        changed.

    Raises:
        ValueError: If all weights are 0, or there is no such preset.

    """
    if weights is None:
        weights = scoring.episodic_weights(alpha_recency, alpha_importance, alpha_relevance)
    elif isinstance(weights, str):
        if weights not in scoring.PRESETS:
            known = ", ".join(sorted(scoring.PRESETS))
            raise ValueError(f"There is no preset {weights!r}; there are {known}.")
        weights = scoring.PRESETS[weights]
    moment = _present(character) if now is None else now
    search = character.memory.journal_search
    asked = keywords(query)
    shared: Counter[int] = Counter()
    for index in search.keyword_indexes():
        for word in asked:
            shared.update(index.get(word, ()))
    found = []
    for known in search.visible(listeners, aloud=aloud):
        entry = known.entry
        age_hours = max(moment - known.when, 0.0) / 3600.0
        parts = Parts(
            relevance=min(1.0, shared[entry["id"]] / max(len(asked), 1)),
            recency=scoring.recency(age_hours, weights.half_life_days),
            importance=entry["importance"] / 10.0,
        )
        score = scoring.combine(_counted(parts), weights)
        if score >= min_score:
            found.append((score, known.when, {"entry": entry, "score": score, "parts": parts}))
    found.sort(key=lambda each: each[:2], reverse=True)
    return [record for _score, _when, record in found[:limit]]


def _counted(parts: Parts) -> dict[str, float]:
    return {
        "recency": parts.recency,
        "importance": parts.importance,
        "relevance": parts.relevance,
    }


def _present(character: Any) -> float:
    return float(character.assistant_script.agent.now())
