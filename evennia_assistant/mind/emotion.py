"""
The six axes of an emotion: valence, arousal, dominance, safety, novelty and trust, -1 to 1 each.

An emotion is optional on every entry and every axis of it is: what nobody judged is 0. Its valence
and the entry's `valence` are one number.

    >>> read_emotion({"valence": -0.8, "arousal": "+0.5", "anger": 1})[0]["arousal"]
    0.5
    >>> read_emotion({"valence": 7})
    (None, ['valence lies outside -1 to 1'])

"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

AXES: tuple[str, ...] = ("valence", "arousal", "dominance", "safety", "novelty", "trust")

Emotion = dict[str, float]


def read_emotion(raw: object) -> tuple[Emotion | None, list[str]]:
    """
    The usable part of an emotion as a model, a keeper or another program wrote it.

    Args:
        raw: A mapping from axis to number; numbers may stand there as text.

    Returns:
        All six axes, None when not one of them is usable, and what was left out and why, in words
        that quote nothing of it.

    """
    if raw is None:
        return None, []
    if not isinstance(raw, Mapping):
        return None, ["an emotion is no object"]
    problems = []
    known: Emotion = {}
    for axis in AXES:
        if raw.get(axis) is None:
            continue
        try:
            known[axis] = checked_axis(axis, raw[axis])
        except ValueError as err:
            problems.append(str(err))
    strange = len(set(map(str, raw)) - set(AXES))
    if strange:
        problems.append(f"an emotion has {strange} axes there are not")
    return ({axis: known.get(axis, 0.0) for axis in AXES} if known else None), problems


def checked_emotion(raw: object) -> Emotion:
    """
    An emotion in which every axis that is given is sound.

    Args:
        raw: As for `read_emotion`.

    Returns:
        All six axes.

    Raises:
        ValueError: If anything in it is unusable, or it is empty; the text says what.

    """
    emotion, problems = read_emotion(raw)
    if problems or emotion is None:
        raise ValueError("; ".join(problems) or "an emotion names no axis")
    return emotion


def checked_axis(axis: str, raw: object) -> float:
    """
    One number of an emotion, rounded to hundredths.

    Args:
        axis: What it is called, for the error.
        raw: A number or its text, `"+0.5"` for instance.

    Raises:
        ValueError: If it is no number from -1 to 1.

    """
    value: Any = raw
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            value = None
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
        raise ValueError(f"{axis} is no number")
    if not -1.0 <= value <= 1.0:
        raise ValueError(f"{axis} lies outside -1 to 1")
    return round(float(value), 2)
