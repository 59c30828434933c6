"""
Every line of every talk, of both sides, word for word, on Attributes of a few dozen lines each.

A conversation is cleared when a night has taken it in; what was said stands here. A line that the
journal holds already is named by its entry and not kept twice. The newest Attribute is written in
the transaction in which a turn leaves the queue, so that both sides of an exchange are durable
before the next is answered; the others are never written again. There is a bound: the oldest lines
go when there are more than `MOST_CHUNKS` Attributes.

"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .attribute_store import AttributeStore

CATEGORY = "assistant_talk"
#: Lines in one Attribute, and Attributes.
CHUNK = 50
MOST_CHUNKS = 100
#: Attributes looked through for the last lines of a talk.
LOOK_BACK = 2

Line = dict[str, Any]


def repair_lines(raw: Any) -> tuple[list[Line], str | None]:
    """The sound lines of whatever is stored, and what was wrong, None if nothing was."""
    if not isinstance(raw, list):
        return [], "not a list"
    sound = [line for line in raw if is_sound(line)]
    return sound, None if len(sound) == len(raw) else "holding a broken line"


def is_sound(line: Any) -> bool:
    """Whether this is a line as `TalkLog.add` keeps it."""
    return (
        isinstance(line, Mapping)
        and all(isinstance(line.get(key), str) for key in ("at", "with", "role", "manner"))
        and isinstance(line.get("n"), int)
        and (isinstance(line.get("text"), str) or isinstance(line.get("entry_id"), int))
    )


class TalkLog:
    """
    What was said to one NPC and by it.

    Args:
        character: The NPC.

    """

    def __init__(self, character: Any) -> None:
        self.character = character
        self._keys: list[str] | None = None
        self._newest: AttributeStore | None = None
        #: Full, and not written yet.
        self._full: list[AttributeStore] = []

    def add(self, entity_id: str, message: Mapping[str, Any]) -> Line:
        """
        Keep a line; whoever saves the conversation saves it.

        Args:
            entity_id: The partner.
            message: As `WorkingMemory.add_message` makes it.

        Returns:
            `{"n", "at", "with", "role", "name", "manner", "audience"}` with either `entry_id` or
            `text`.

        """
        store = self._store()
        last = store.data[-1]["n"] if store.data else _first_of(store.key) - 1
        if len(store.data) >= CHUNK:
            store = self._open(last + 1)
        line: Line = {
            "n": last + 1,
            "at": message["timestamp"],
            "with": entity_id,
            "role": message["role"],
            "name": message.get("name", ""),
            "manner": message["manner"],
            "audience": message.get("audience"),
        }
        if message.get("entry_id") is None:
            line["text"] = message["content"]
        else:
            line["entry_id"] = message["entry_id"]
        store.data.append(line)
        store.touch(line)
        return line

    def contents(self) -> dict[str, list[Line]]:
        """What stands in each Attribute, by its name, oldest first, without a copy."""
        rows = self.character.attributes.get(category=CATEGORY, return_obj=True, return_list=True)
        held = {row.db_key: row.db_value for row in rows if row is not None}
        if self._newest is not None:
            held[self._newest.key] = self._newest.data
        return {key: held[key] for key in sorted(held) if isinstance(held[key], list)}

    def latest(self) -> Iterator[Line]:
        """The lines said last, newest first."""
        newest = self._store()
        yield from reversed(newest.data)
        for key in reversed(self._known()[-LOOK_BACK:-1]):
            row = self.character.attributes.get(key, category=CATEGORY, return_obj=True)
            if row is not None and isinstance(row.db_value, list):
                yield from (line for line in reversed(row.db_value) if is_sound(line))

    def stores(self) -> list[AttributeStore]:
        """What a save has to write."""
        self._full = [store for store in self._full if store.dirty]
        return [*self._full, *([] if self._newest is None else [self._newest])]

    def _known(self) -> list[str]:
        """The names of the Attributes, that of the oldest first."""
        if self._keys is None:
            rows = self.character.db_attributes.filter(db_category=CATEGORY)
            self._keys = sorted(rows.values_list("db_key", flat=True)) or [_key(1)]
        return self._keys

    def _store(self) -> AttributeStore:
        """The newest Attribute."""
        if self._newest is None:
            self._newest = self._store_of(self._known()[-1])
        return self._newest

    def _open(self, number: int) -> AttributeStore:
        """A new Attribute, for the line of that number and those after it."""
        keys = self._known()
        if self._newest is not None:
            # Its last lines name entries that are to be written with them.
            self._full.append(self._newest)
        keys.append(_key(number))
        while len(keys) > MOST_CHUNKS:
            self.character.attributes.remove(keys.pop(0), category=CATEGORY)
        self._newest = self._store_of(keys[-1])
        return self._newest

    def _store_of(self, key: str) -> AttributeStore:
        return AttributeStore(
            self.character, key, list, category=CATEGORY, repair=repair_lines, sectioned=True
        )


def _key(number: int) -> str:
    return f"talk_{number:09d}"


def _first_of(key: str) -> int:
    digits = key.rpartition("_")[2]
    return int(digits) if digits.isdigit() else 1
