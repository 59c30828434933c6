"""
A forgetting that is under way, on `script.db.forgetting`: what semantic memory has still to delete.

The record is written in the transaction that takes the memories out of the game's database, and
removed when semantic memory has nothing of them left. It holds numbers, ids and keys, never words::

    {"entity": "#5", "entries": [12, 14], "facts": ["4f1c..."], "keys": ["9ab2..."],
     "again": [...], "before": "2026-01-05T03:10:00.000000Z", "problem": ""}

As long as it stands, recall shows nothing of what it covers, whatever semantic memory still has.

"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..mind.entry import timestamp_of, when_of
from ..mind.fact import Fact
from .attribute_store import AttributeStore

KEY = "forgetting"
_LISTS = ("entries", "facts", "keys")


def empty_forgetting() -> dict[str, Any]:
    """Nothing is under way."""
    return {"entities": {}, "entries": [], "facts": [], "keys": [], "problem": ""}


def repair_forgetting(raw: Any) -> tuple[dict[str, Any], str | None]:
    """The record as far as it can be read, and what was wrong, None if nothing was."""
    record = empty_forgetting()
    if not isinstance(raw, dict):
        return record, "not a mapping"
    problems = []
    for key in _LISTS:
        if isinstance(raw.get(key), list):
            record[key] = list(raw[key])
        else:
            problems.append(f"without a list of {key}")
    try:
        record["entities"] = {
            str(who): timestamp_of(when_of(at)) for who, at in raw["entities"].items()
        }
    except (KeyError, AttributeError, TypeError, ValueError):
        problems.append("without usable entities")
    record["problem"] = str(raw.get("problem", ""))
    return record, "; ".join(problems) or None


class ForgettingRecord:
    """
    What one NPC is about to have forgotten; use `forgetting_of`.

    Args:
        script: Its AssistantScript.

    """

    def __init__(self, script: Any) -> None:
        self.store = AttributeStore(script, KEY, empty_forgetting, repair=repair_forgetting)

    @property
    def data(self) -> dict[str, Any]:
        """The record; change it, then `store.touch()`."""
        return self.store.data

    @property
    def under_way(self) -> bool:
        """Whether semantic memory has still to be gone through."""
        data = self.data
        return bool(data["entities"] or any(data[key] for key in _LISTS))

    @property
    def problem(self) -> str:
        """Why it could not be done yet, "" when nothing is known to be in the way."""
        return str(self.data["problem"])

    def add(
        self, entity: str | None, entries: Iterable[int], facts: Iterable[str], now: float
    ) -> None:
        """
        Note what has to go; `write` stores it.

        Args:
            entity: Whose facts have to, None where it is one memory.
            entries: Numbers of entries that facts may rest on.
            facts: Ids of facts.
            now: Facts learnt later are not meant; UTC seconds since the epoch.

        """
        data = self.data
        if entity is not None:
            data["entities"][entity] = timestamp_of(now)
        data["entries"] = sorted({*data["entries"], *entries})
        data["facts"] = sorted({*data["facts"], *facts})
        self.store.touch()

    def add_keys(self, keys: Iterable[str]) -> None:
        """Note the keys of facts that were on their way, and may have arrived."""
        self.data["keys"] = sorted({*self.data["keys"], *keys})
        self.store.touch()

    def covers(self, fact: Fact) -> bool:
        """Whether a fact is one that has to go."""
        data = self.data
        if fact.id in data["facts"] or fact.key in data["keys"]:
            return True
        if any(number in data["entries"] for number in fact.entry_ids):
            return True
        before = data["entities"].get(fact.source_id)
        return before is not None and fact.when <= when_of(before)

    def covers_any(self) -> bool:
        """Whether anything has to go; costs nothing where there is no record."""
        return self.store.obj.attributes.has(KEY) and self.under_way

    def write(self) -> None:
        """Store it, as part of the caller's transaction."""
        self.store.save()

    def fail(self, problem: str) -> None:
        """Keep why it could not be done."""
        self.data["problem"] = problem[:300]
        self.store.touch()
        self.store.save()

    def done(self) -> None:
        """Semantic memory has nothing left of it."""
        self.store.data.clear()
        self.store.data.update(empty_forgetting())
        self.store.touch()
        self.store.save()


def forgetting_of(script: Any) -> ForgettingRecord:
    """The record of an NPC, made once for each start of the server."""
    record = script.ndb.assistant_forgetting
    if record is None:
        record = script.ndb.assistant_forgetting = ForgettingRecord(script)
    found: ForgettingRecord = record
    return found
