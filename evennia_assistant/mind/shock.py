"""
How hard something strikes, and from when on it is a shock.

Strength is valence times importance, as a whole number from -10 to 10. A shock makes a reflection
due at once and may let an NPC speak up of itself; both ask here, so that both mean the same.

    >>> impact(-0.95, 9), impact(0.5, 9)
    (-9, 4)

"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .entry import get, sound_valence

#: Impact, up or down, from which on an entry is a shock.
SHOCK = 8


def impact(valence: float, importance: float) -> int:
    """
    How hard something strikes: below 0 what hurts, above it what pleases.

    Args:
        valence: -1 to 1.
        importance: 1 to 10.

    """
    return round(valence * importance)


def impact_of(entry: Mapping[str, Any]) -> int:
    """The impact of a journal entry; one without a valence has none."""
    return impact(sound_valence(get(entry, "valence")), float(entry["importance"]))


def shakes(entry: Mapping[str, Any]) -> bool:
    """Whether a journal entry is a shock."""
    return abs(impact_of(entry)) >= SHOCK
