"""
How well rows fit a question: their words, their meaning, and what was said around them.

In talk, the line that holds the answer seldom repeats the words of the question. It stands next
to lines that do, and most often right after somebody asked. So a row's relevance is made of its
own score and that of the window of three it is the middle of, then of a share of the scores two
lines off, and of a share of the line before when that one asks.

"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, slots=True)
class Blend:
    """
    What counts how much for relevance; the best row of each ingredient counts 1.

    Args:
        own: BM25 of the row alone.
        around: BM25 of the row with the one before and the one after.
        meaning: Cosine of the row's vector and the question's.
        nearby: Share of the score of the rows two off; those one off are in the window.
        answers: Share of the score of the row before, when that row asks.

    """

    own: float = 1.0
    around: float = 1.6
    meaning: float = 0.6
    nearby: float = 0.25
    answers: float = 0.2


BLEND = Blend()


def relevance(
    own: Any,
    around: Any,
    cosine: Any,
    *,
    asks: Any,
    before: Any,
    after: Any,
    visible: Any,
    blend: Blend = BLEND,
) -> Any:
    """
    How well each row fits, from 0 to 1.

    Args:
        own: float [n], BM25 of the rows alone; 0 on rows not visible.
        around: float [n], BM25 of windows; 0 on rows not visible.
        cosine: float [n], or None without vectors.
        asks: float [n], 1 on rows that end by asking.
        before: int [n + 1], the row before each; n for none.
        after: int [n + 1], the row after each; n for none.
        visible: bool [n], the rows that count.
        blend: What counts how much.

    Returns:
        float [n], 1 for the best row, 0 on all rows when nothing fits.

    """
    n = len(own)
    base = np.zeros(n + 1)
    base[:n] = blend.own * best_is_one(own) + blend.around * best_is_one(around)
    if cosine is not None and visible.any():
        # What all lines share says nothing; only what is above their mean does.
        above = cosine - cosine[visible].mean()
        base[:n] += blend.meaning * best_is_one(np.where(visible, np.maximum(above, 0.0), 0.0))
    answered = np.zeros(n + 1)
    answered[:n] = base[:n] * asks
    total = (
        base
        + blend.nearby * (base[before[before]] + base[after[after]])
        + blend.answers * answered[before]
    )[:n]
    total[~visible] = 0.0
    return best_is_one(total)


def best_is_one(scores: Any) -> Any:
    """Scores divided by the best of them; all 0 stays all 0."""
    best = scores.max(initial=0.0)
    return scores / best if best > 0.0 else scores
