"""
Scenes of a journal that could not be read: which wait for repair, and which were set aside.

The numbers of those that wait stand in the journal (`scenes_to_repair`), so that a night finds them
in the archive as well and looks through nothing to see that there are none. What is set aside keeps
its text and its reason, and its number for the keeper (`scenes_set_aside`).

"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..mind import scene as scenes
from .attribute_store import AttributeStore

WAITING = "scenes_to_repair"
SET_ASIDE = "scenes_set_aside"
#: Numbers kept of each.
MOST = 200


def note_malformed(journal: dict[str, Any], entry: Mapping[str, Any]) -> None:
    """
    Remember a new entry whose scene could not be read; the caller saves.

    Args:
        journal: The data of `Journal`.
        entry: The entry.

    """
    if scenes.awaits_repair(entry.get("scene")):
        _put(journal, WAITING, [entry["id"]])


def waiting(journal: Any) -> Iterator[dict[str, Any]]:
    """
    Entries whose scene a night may try to repair, in the order of their numbers.

    Args:
        journal: The NPC's `Journal`; entries that another program wrote are found while they live.

    """
    live = [e["id"] for e in journal.entries if scenes.awaits_repair(e.get("scene"))]
    for number in sorted({*live, *_numbers(journal, WAITING)}):
        entry = journal.find_anywhere(number)
        if entry is not None and scenes.awaits_repair(entry.get("scene")):
            yield entry


def set_aside(journal: Any) -> Iterator[dict[str, Any]]:
    """Entries whose scene was set aside; the reason stands in it."""
    for number in _numbers(journal, SET_ASIDE):
        entry = journal.find_anywhere(number)
        if entry is not None and scenes.is_malformed(entry.get("scene")):
            yield entry


def put_scenes(journal: Any, made: Mapping[int, scenes.Scene]) -> list[AttributeStore]:
    """
    Give entries their scenes, repaired or once more failed.

    Args:
        journal: The NPC's `Journal`.
        made: Scene by number of the entry.

    Returns:
        All stores that changed; the caller saves.

    """

    def mark(entry: dict[str, Any]) -> None:
        entry["scene"] = dict(made[entry["id"]])

    stores: list[AttributeStore] = journal.change(made, mark)
    data = journal.store.data
    done = [number for number, scene in made.items() if not scenes.awaits_repair(scene)]
    data[WAITING] = [number for number in _numbers(journal, WAITING) if number not in done]
    _put(data, SET_ASIDE, [number for number in done if scenes.is_malformed(made[number])])
    return stores


def try_again(journal: Any) -> list[AttributeStore]:
    """Let the next nights look again at what was set aside; the caller saves."""
    again = {entry["id"]: {**entry["scene"], "attempts": 0} for entry in list(set_aside(journal))}
    if not again:
        return []
    stores = put_scenes(journal, again)
    data = journal.store.data
    data[SET_ASIDE] = []
    _put(data, WAITING, again)
    return stores


def _numbers(journal: Any, key: str) -> list[int]:
    held = journal.store.data.get(key)
    return [n for n in held if isinstance(n, int)] if isinstance(held, list) else []


def _put(data: dict[str, Any], key: str, numbers: Iterable[int]) -> None:
    held = data.get(key)
    known = list(held) if isinstance(held, list) else []
    known.extend(number for number in numbers if number not in known)
    if known:
        data[key] = known[-MOST:]
