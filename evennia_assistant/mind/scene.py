"""
The scene of an entry: what happened, to whom, when, where, in which words, and how it felt.

A scene is optional. One that cannot be read is kept as it came, with the reason, and the night
tries to repair it (`asleep.scenes`); nothing but that repair reads it meanwhile::

    {"action": "Anna gave the ring back", "actors": ["Anna"], "when": ["2026-03-01"],
     "setting": "the inn", "dialogue": ["It was never mine."], "sensory": [], "feeling": "relieved"}

    {"raw": "...", "problem": "a scene has no action", "attempts": 0}

    >>> scene_to_text(checked_scene({"action": "Anna left", "when": "2026-03-01"}))
    '2026-03-01 — Anna left'

"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from .text import words as words_of

Scene = dict[str, Any]

#: Texts of a scene, then lists of texts; `when` is the seventh.
TEXTS: tuple[str, ...] = ("action", "setting", "feeling")
LISTS: tuple[str, ...] = ("actors", "dialogue", "sensory")
#: Longest text, longest date, most items of one list, and characters kept of what is malformed.
MOST_TEXT = 400
MOST_DATE = 40
MOST_ITEMS = 12
MOST_RAW = 2000
#: Times the night tries to repair a scene before it leaves it aside.
MAX_ATTEMPTS = 3

_ISO = re.compile(r"(\d{4}-\d{1,2}-\d{1,2})(?:[T ].*)?", re.DOTALL)
_RELATIVE: Mapping[str, int] = {"today": 0, "tonight": 0, "yesterday": -1, "tomorrow": 1}


# Reading ------------------------------------------------------------------------------------------


def checked_scene(raw: object, day: str | None = None) -> Scene:
    """
    A scene as it may be kept.

    Args:
        raw: A mapping, or the JSON of one; unknown keys are left out, and a list of one text may
            stand there as the text.
        day: `YYYY-MM-DD`, for "today", "yesterday" and "tomorrow"; None takes no such words.

    Returns:
        Plain data with all seven keys.

    Raises:
        ValueError: With the reason, in words that quote nothing of it.

    """
    given = _mapping(raw)
    scene: Scene = {key: _text(given.get(key), key) for key in TEXTS}
    if not scene["action"]:
        raise ValueError("a scene has no action")
    for key in LISTS:
        scene[key] = [text for text in (_text(one, key) for one in _items(given, key)) if text]
    scene["when"] = [_when_item(one, day) for one in _items(given, "when")]
    keys = ("action", "actors", "when", "setting", "dialogue", "sensory", "feeling")
    return {key: scene[key] for key in keys}


def kept_scene(raw: object, day: str | None = None) -> Scene | None:
    """
    A scene as it is stored: read, or as it came with the reason why it could not be.

    Args:
        raw: As for `checked_scene`, or a malformed scene as this gave it; None and what is empty is
            no scene.
        day: As for `checked_scene`.

    """
    if raw is None or raw in ("", {}, []):
        return None
    if isinstance(raw, dict) and _is_kept(raw):
        return raw
    try:
        return checked_scene(raw, day)
    except ValueError as err:
        return {"raw": _as_text(raw), "problem": str(err), "attempts": 0}


def sound(scene: object) -> Scene | None:
    """The scene, None when there is none or it is malformed."""
    return scene if isinstance(scene, dict) and isinstance(scene.get("action"), str) else None


def is_malformed(scene: object) -> bool:
    """Whether this is a scene that could not be read."""
    return isinstance(scene, Mapping) and "raw" in scene


def awaits_repair(scene: object) -> bool:
    """Whether a night should try to repair it; after `MAX_ATTEMPTS` it is set aside instead."""
    return is_malformed(scene) and attempts_at(scene) < MAX_ATTEMPTS


def attempts_at(scene: object) -> int:
    """How often it was tried to repair a scene."""
    made = scene.get("attempts") if isinstance(scene, Mapping) else 0
    return made if isinstance(made, int) else 0


def failed_again(scene: Mapping[str, Any], why: str) -> Scene:
    """A malformed scene after another vain attempt, with the latest reason alone."""
    return {**scene, "problem": why[:300], "attempts": attempts_at(scene) + 1}


# Telling ------------------------------------------------------------------------------------------


def scene_to_text(scene: Mapping[str, Any]) -> str:
    """
    A scene in one line: when, where, what, the first words spoken, and how it felt.

    Args:
        scene: A sound scene.

    """
    days = dates_of(scene)
    said = scene.get("dialogue") or ()
    feeling = scene.get("feeling")
    parts = (
        ", ".join(days),
        scene.get("setting"),
        scene["action"],
        f"\u201c{said[0]}\u201d" if said else "",
        f"({feeling})" if feeling else "",
    )
    return " \u2014 ".join(part for part in parts if part)


def text_to_embed(scene: Mapping[str, Any]) -> str:
    """What a scene is compared with others by: its days, what happened, how it felt."""
    parts = (", ".join(dates_of(scene)), scene["action"], scene.get("feeling"))
    return " / ".join(part for part in parts if part)


def dates_of(scene: Mapping[str, Any]) -> list[str]:
    """The days of a scene, in order."""
    return [item if isinstance(item, str) else item["date"] for item in scene.get("when") or ()]


def when_text(scene: Mapping[str, Any], but: str | None = None) -> str:
    """All that a scene says of when: the days but for one, and what happened on each."""
    return ", ".join(
        item if isinstance(item, str) else f"{item['date']} {item['action']}"
        for item in scene.get("when") or ()
        if item != but
    )


def beyond(scene: object, words: str, day: str | None = None) -> str:
    """
    What a scene says that `words` do not, in one line; "" when that is nothing.

    Index and prompts put it behind an entry's words, so that nothing is told twice.

    Args:
        scene: The `scene` of an entry, whatever it is.
        words: The entry's words.
        day: The entry's own day, `YYYY-MM-DD`; it goes without saying.

    """
    known = sound(scene)
    if known is None:
        return ""
    told, told_words = _folded(words), set(words_of(words))

    def new(text: str | None) -> bool:
        return bool(text) and _folded(text or "") not in told

    missing = [name for name in known.get("actors") or () if not told_words >= {*words_of(name)}]
    days, setting, feeling = when_text(known, day), known.get("setting"), known.get("feeling")
    parts = (
        days if new(days) else "",
        setting if new(setting) else "",
        known["action"] if new(known["action"]) else "",
        *(f"\u201c{line}\u201d" for line in known.get("dialogue") or () if new(line)),
        *(line for line in known.get("sensory") or () if new(line)),
        f"with {', '.join(missing)}" if missing else "",
        f"({feeling})" if new(feeling) else "",
    )
    return " \u2014 ".join(part for part in parts if part)


# ----------------------------------------------------------------------------------------------


def _is_kept(raw: Mapping[str, Any]) -> bool:
    held = {"raw": str, "problem": str, "attempts": int}
    return set(raw) == set(held) and all(isinstance(raw[key], held[key]) for key in held)


def _mapping(raw: object) -> Mapping[str, Any]:
    if isinstance(raw, str):
        try:
            raw = json.loads(raw)
        except (ValueError, RecursionError):
            raise ValueError("a scene is no JSON") from None
    if not isinstance(raw, Mapping):
        raise ValueError("a scene is no object")
    return raw


def _items(given: Mapping[str, Any], key: str) -> Sequence[Any]:
    value = given.get(key)
    if value is None:
        return ()
    if isinstance(value, str | Mapping):
        value = [value]
    if not isinstance(value, list | tuple):
        raise ValueError(f"{key} is no list")
    if len(value) > MOST_ITEMS:
        raise ValueError(f"{key} has more than {MOST_ITEMS} items")
    return value


def _text(value: object, key: str, most: int = MOST_TEXT) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ValueError(f"{key} is no text")
    text = " ".join(value.split())
    if len(text) > most:
        raise ValueError(f"{key} is longer than {most} characters")
    return text


def _when_item(value: object, day: str | None) -> Any:
    if isinstance(value, Mapping):
        stated = _day(value.get("date"), day)
        action = _text(value.get("action"), "the action of a day")
        return {"date": stated, "action": action} if action else stated
    return _day(value, day)


def _day(value: object, today: str | None) -> str:
    """A date of our calendar as `YYYY-MM-DD`; one of the game's own as it was written."""
    text = _text(value, "a date", MOST_DATE)
    if not text:
        raise ValueError("a date is empty")
    shift = _RELATIVE.get(text.casefold())
    if shift is not None:
        if today is None:
            raise ValueError("a date hangs on the day it was written")
        return (date.fromisoformat(today) + timedelta(days=shift)).isoformat()
    found = _ISO.fullmatch(text)
    if found is None:
        return text
    year, month, number = map(int, found[1].split("-"))
    try:
        return date(year, month, number).isoformat()
    except ValueError:
        raise ValueError("a date is none of the calendar") from None


def _as_text(raw: object) -> str:
    if isinstance(raw, str):
        return raw[:MOST_RAW]
    try:
        return json.dumps(raw, ensure_ascii=False)[:MOST_RAW]
    except (TypeError, ValueError, RecursionError):
        return str(raw)[:MOST_RAW]


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
