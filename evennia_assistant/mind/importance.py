"""
How much an event matters, at first sight.

The heuristic of document 000 (section 2, "Tier 1"), for the moment an entry is written; a model
may score it again while the NPC sleeps. Research: Park et al. 2023, "Generative Agents".

"""

from __future__ import annotations

from collections.abc import Sequence

#: Points by how the NPC came to know (document 000).
SOURCE_MODIFIERS: dict[str, int] = {
    "direct": 2,
    "observation": 1,
    "inference": 0,
    "environmental": -1,
}

#: How far a source is trusted when nothing else is said, 0 to 1 (document 000).
DEFAULT_TRUST: dict[str, float] = {
    "direct": 0.9,
    "observation": 0.8,
    "inference": 0.6,
    "environmental": 0.3,
}

#: Two points each, four at most.
HIGH_KEYWORDS: tuple[str, ...] = (
    "player",
    "conflict",
    "discovery",
    "secret",
    "revealed",
    "attack",
    "danger",
    "important",
    "urgent",
    "critical",
    "death",
    "birth",
    "marriage",
    "betrayal",
    "alliance",
    "war",
    "peace",
    "treasure",
    "quest",
)

#: One point off each.
LOW_KEYWORDS: tuple[str, ...] = ("routine", "walked", "moved", "entered", "ordinary")

BASE_SCORE = 5
KEYWORD_POINTS = 2
KEYWORD_CAP = 4
LONG_TEXT = 200


def score_importance_heuristic(
    content: str, source_type: str = "observation", tags: Sequence[str] = ()
) -> int:
    """
    Importance of an entry by the documented table.

    Keywords match anywhere in the text, inside words as well, as documented.

    Args:
        content: The entry's text.
        source_type: One of `SOURCE_MODIFIERS`; anything else adds nothing.
        tags: Accepted as documented; the table gives tags no points.

    Returns:
        1 (routine) to 10 (momentous).

    """
    text = content.lower()
    score = BASE_SCORE + SOURCE_MODIFIERS.get(source_type, 0)
    score += min(KEYWORD_POINTS * sum(word in text for word in HIGH_KEYWORDS), KEYWORD_CAP)
    score -= sum(word in text for word in LOW_KEYWORDS)
    if len(content) > LONG_TEXT:
        score += 1
    if "!" in content or "?" in content:
        score += 1
    return max(1, min(10, score))
