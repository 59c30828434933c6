"""
The journal: what happened, in an NPC's own words, on `character.db.journal`.

The keys are those of document 000. At most `max_entries` entries live in the Attribute; when more
come, the oldest move to the archive, Attributes of a few dozen entries each that are written once
and stay searchable. An entry therefore costs the same to add in an NPC's third year as on its
first day, and nothing that was acknowledged is dropped.

"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evennia.utils import logger
from evennia.utils.dbserialize import deserialize

from ..mind import entry as entries
from .attribute_store import AttributeStore

MAX_ENTRIES = 100
#: Entries moved to the archive at once.
ARCHIVE_CHUNK = 25
ARCHIVE_CATEGORY = "assistant_archive"


def empty_journal() -> dict[str, Any]:
    """The documented keys of a journal in which nothing is written yet."""
    return {
        "entries": [],
        "entry_count": 0,
        "max_entries": MAX_ENTRIES,
        "last_reflection": None,
        "consolidated_entry_ids": [],
    }


def repair_journal(raw: Any) -> tuple[dict[str, Any], str | None]:
    """
    The sound part of whatever stands in `db.journal`.

    Args:
        raw: The value as stored.

    Returns:
        A journal with all documented keys, and what was wrong with `raw`, None if nothing was.

    """
    journal = empty_journal()
    if not isinstance(raw, Mapping):
        return journal, "not a mapping"
    journal.update(raw)
    problems = []
    if not isinstance(journal["entries"], list):
        journal["entries"] = []
        problems.append("without a list of entries")
    sound = []
    for item in journal["entries"]:
        problem = entries.problem_with(item)
        if problem is None:
            sound.append(item)
        else:
            problems.append(f"holding an entry that is {problem}")
    journal["entries"] = sound
    highest = max((item["id"] for item in sound if isinstance(item["id"], int)), default=0)
    if not isinstance(journal["entry_count"], int):
        problems.append("without a number of entries")
        journal["entry_count"] = highest
    journal["entry_count"] = max(journal["entry_count"], highest)
    if not isinstance(journal["max_entries"], int) or journal["max_entries"] < 1:
        problems.append("without a usable max_entries")
        journal["max_entries"] = MAX_ENTRIES
    return journal, "; ".join(problems) or None


class Journal:
    """
    The journal of one NPC.

    Args:
        character: The NPC.

    """

    def __init__(self, character: Any) -> None:
        self.character = character
        self.store = AttributeStore(
            character, "journal", empty_journal, repair=repair_journal, sectioned="entries"
        )

    @property
    def entries(self) -> list[dict[str, Any]]:
        """The live entries, oldest first."""
        return self.store.data["entries"]

    def add(self, content: str, *, when: float | None = None, **fields: Any) -> dict[str, Any]:
        """
        Write an entry down.

        The same words of the same source, said again to the same audience, raise the
        `mention_count` of the entry that is there.

        Args:
            content: Narrative text.
            when: UTC seconds since the epoch; None is now.
            **fields: As for `mind.entry.make_entry`.

        Returns:
            The entry, new or mentioned again.

        Raises:
            ValueError: As `make_entry` does.

        """
        journal = self.store.data
        entry = entries.make_entry(
            journal["entry_count"] + 1,
            content,
            when=time.time() if when is None else when,
            **fields,
        )
        same = self._same_as(entry)
        if same is not None:
            same["mention_count"] = entries.get(same, "mention_count") + 1
            same["rev"] = entries.get(same, "rev") + 1
            self.store.touch(same)
            return same
        journal["entry_count"] = entry["id"]
        journal["entries"].append(entry)
        self.store.touch(entry)
        return entry

    def make_room(self) -> int:
        """
        Move the oldest entries to the archive while there are more than `max_entries`.

        Called before the journal is saved, in the same transaction.

        Returns:
            How many entries were moved.

        """
        journal = self.store.data
        moved = 0
        while len(journal["entries"]) > journal["max_entries"]:
            chunk = journal["entries"][:ARCHIVE_CHUNK]
            key = f"journal_{chunk[0]['id']:09d}"
            self.character.attributes.add(key, chunk, category=ARCHIVE_CATEGORY)
            del journal["entries"][: len(chunk)]
            moved += len(chunk)
            self.store.touch(*chunk)
        return moved

    def archived(self) -> Iterator[dict[str, Any]]:
        """Every archived entry, oldest first; unsound ones are named in the log and passed over."""
        for row in self.archive_rows():
            yield from self.sound_in(row.db_key, deserialize(row.value))

    def archive_rows(self) -> list[Any]:
        """The Attributes of the archive, oldest first."""
        found = self.character.attributes.get(
            category=ARCHIVE_CATEGORY, return_obj=True, return_list=True
        )
        return sorted((row for row in found if row is not None), key=lambda row: row.db_key)

    def sound_in(self, key: str, chunk: Any) -> Iterator[dict[str, Any]]:
        """
        The sound entries of one Attribute of the archive; the others are named in the log.

        Args:
            key: The Attribute's.
            chunk: What stands in it.

        """
        if not isinstance(chunk, list):
            logger.log_err(f"Assistant memory: {self.character!r} has an unreadable archive {key}.")
            return
        for item in chunk:
            problem = entries.problem_with(item)
            if problem is None:
                yield item
            else:
                logger.log_err(
                    f"Assistant memory: {self.character!r} archive {key} holds an entry that is "
                    f"{problem}."
                )

    def all_entries(self) -> Iterator[dict[str, Any]]:
        """Archive and live entries, oldest first."""
        yield from self.archived()
        yield from list(self.entries)

    def find(self, entry_id: int) -> dict[str, Any] | None:
        """The live entry of that number, None when it is not among them."""
        for entry in reversed(self.entries):
            if entry["id"] == entry_id:
                return entry
        return None

    def _same_as(self, new: Mapping[str, Any]) -> dict[str, Any] | None:
        keys: Sequence[str] = ("content", "source_type", "source_entity", "audience")
        for entry in self.entries:
            if all(entry.get(key) == new.get(key) for key in keys) and entries.get(
                entry, "source_id"
            ) == entries.get(new, "source_id"):
                return entry
        return None
