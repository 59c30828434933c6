"""
The journal: what happened, in an NPC's own words, on `character.db.journal`.

The keys are those of document 000. At most `max_entries` entries live in the Attribute; when more
come, the oldest of which no night wants anything any more move to the archive, Attributes of a few
dozen entries each that are written seldom and stay searchable. An entry therefore costs the same to
add in an NPC's third year as on its first day, and nothing that was acknowledged is dropped.

What a night has made facts of is told by `mem0_ids` of an entry and by `consolidated_entry_ids`.
That list holds the numbers of live entries, and of archived ones whose Attribute still has others
waiting (`waiting_archive`); all below that is done, and its numbers are dropped.

"""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..mind import entry as entries
from ..mind.retention import DORMANT, MERGED
from .archive import Archive
from .attribute_store import AttributeStore
from .scenes import note_malformed

MAX_ENTRIES = 100
#: Entries moved to the archive at once.
ARCHIVE_CHUNK = 25
#: Kinds of entries that are conclusions already, or not yet so, and never become facts.
NO_FACTS = frozenset({"synthesis", "summary", "expectation"})
#: Tag of an entry that only repeats what the NPC had just recalled.
RECALLED = "recalled"
#: After so many failures an entry is set aside, with its reason.
MAX_ATTEMPTS = 3
#: Reasons kept; the entries themselves are.
MAX_REASONS = 200


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
        self.archive = Archive(character)
        self.store.companions = self.archive.unsaved

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
        note_malformed(journal, entry)
        self.store.touch(entry)
        return entry

    def make_room(self) -> int:
        """
        Move entries to the archive while there are more than `max_entries`.

        Those go first that no night has to look at any more; when these are too few, the oldest.
        Called before the journal is saved, which saves the archive in the same transaction.

        Returns:
            How many entries were moved.

        """
        journal = self.store.data
        moved = 0
        while len(journal["entries"]) > journal["max_entries"]:
            done = [entry for entry in journal["entries"] if not self.is_waiting(entry)]
            first = done if len(done) >= ARCHIVE_CHUNK else journal["entries"]
            chunk = first[:ARCHIVE_CHUNK]
            waits = any(self.is_waiting(entry) for entry in chunk)
            waiting = self._waiting_archive()
            key = self.archive.put(chunk)
            gone = {entry["id"] for entry in chunk}
            journal["entries"][:] = [e for e in journal["entries"] if e["id"] not in gone]
            if waits:
                waiting.append(key)
            else:
                self._drop_numbers(gone)
            moved += len(chunk)
            self.store.touch(*chunk)
        return moved

    def archived(self) -> Iterator[dict[str, Any]]:
        """Every archived entry, oldest first; unsound ones are named in the log and passed over."""
        return self.archive.all()

    def all_entries(self) -> Iterator[dict[str, Any]]:
        """Archive and live entries, oldest first."""
        yield from heapq.merge(
            self.archived(), list(self.entries), key=lambda entry: int(entry["id"])
        )

    # What nights make of it -----------------------------------------------------------------

    def is_waiting(self, entry: Mapping[str, Any]) -> bool:
        """Whether facts are still to be made of an entry."""
        return (
            entries.get(entry, "kind") not in NO_FACTS
            and entries.get(entry, "state") not in ("superseded", "merged")
            and RECALLED not in entry.get("tags", ())
            and not entry.get("mem0_ids")
            and entries.get(entry, "attempts") < MAX_ATTEMPTS
            and entry["id"] not in self.store.data["consolidated_entry_ids"]
        )

    def unconsolidated(self, min_importance: int = 1) -> Iterator[dict[str, Any]]:
        """
        The entries facts are still to be made of, archived ones first.

        Args:
            min_importance: Entries that matter less keep waiting.

        """
        for key in list(self._waiting_archive()):
            for entry in self.archive.entries_in(key):
                if self.is_waiting(entry) and entry["importance"] >= min_importance:
                    yield entry
        for entry in list(self.entries):
            if self.is_waiting(entry) and entry["importance"] >= min_importance:
                yield entry

    def mark_consolidated(self, facts_of: Mapping[int, Collection[str]]) -> list[AttributeStore]:
        """
        Note which facts were made of which entries; the caller saves what is returned.

        Args:
            facts_of: Ids of the facts, by the number of the entry; none for an entry that holds
                nothing worth keeping.

        Returns:
            All stores that changed.

        """

        def mark(entry: dict[str, Any]) -> None:
            ids = [*entry.get("mem0_ids", ()), *facts_of[entry["id"]]]
            if ids:
                entry["mem0_ids"] = list(dict.fromkeys(ids))
            done = self.store.data["consolidated_entry_ids"]
            if entry["id"] not in done:
                done.append(entry["id"])

        return self.change(facts_of, mark)

    def drop_facts(self, facts_of: Mapping[int, Collection[str]]) -> list[AttributeStore]:
        """
        Note that facts are there no more; the entries they were made of wait for no others.

        Args:
            facts_of: Ids of the facts that are gone, by the number of the entry.

        Returns:
            All stores that changed; the caller saves.

        """

        def mark(entry: dict[str, Any]) -> None:
            gone = facts_of[entry["id"]]
            entry["mem0_ids"] = [one for one in entry.get("mem0_ids", ()) if one not in gone]

        return self.change(facts_of, mark)

    def mark_failed(self, reasons: Mapping[int, str], when: float) -> list[AttributeStore]:
        """
        Count a failure of each of these entries; after `MAX_ATTEMPTS` one is set aside.

        Args:
            reasons: Why, by the number of the entry.
            when: UTC seconds since the epoch.

        Returns:
            All stores that changed.

        """

        def mark(entry: dict[str, Any]) -> None:
            entry["attempts"] = entries.get(entry, "attempts") + 1
            if entry["attempts"] >= MAX_ATTEMPTS:
                aside = self.store.data.setdefault("set_aside", [])
                aside.append(
                    {
                        "id": entry["id"],
                        "reason": reasons[entry["id"]][:300],
                        "at": entries.timestamp_of(when),
                    }
                )
                del aside[:-MAX_REASONS]

        return self.change(reasons, mark)

    def update(self, fields_of: Mapping[int, Mapping[str, Any]]) -> list[AttributeStore]:
        """
        Set fields of entries, live or archived; numbers there are no entries of are passed over.

        Args:
            fields_of: Keys and values by the number of the entry. A default takes the key out.

        Returns:
            All stores that changed; the caller saves.

        """

        def mark(entry: dict[str, Any]) -> None:
            for key, value in fields_of[entry["id"]].items():
                if key in entries.OPTIONAL_DEFAULTS and value == entries.OPTIONAL_DEFAULTS[key]:
                    entry.pop(key, None)
                else:
                    entry[key] = value

        return self.change(sorted(fields_of), mark)

    def set_aside(self) -> list[dict[str, Any]]:
        """Entries no fact could be made of, `{"id", "reason", "at"}` each, oldest first."""
        return list(self.store.data.get("set_aside", ()))

    def try_again(self) -> list[AttributeStore]:
        """Let what was set aside be looked at by the next night; the caller saves."""
        aside = self.store.data.pop("set_aside", [])
        waiting = self._waiting_archive()
        for item in aside:
            found = self.archive.find(item["id"])
            if found is not None and found[0] not in waiting:
                waiting.append(found[0])

        def mark(entry: dict[str, Any]) -> None:
            entry["attempts"] = 0

        return self.change([item["id"] for item in aside], mark)

    def rewrite(self, entry_id: int, **fields: Any) -> list[AttributeStore]:
        """
        Change fields of an entry, live or archived; the caller saves what is returned.

        Where there is no entry of that number, nothing happens.

        """
        return self.change([entry_id], lambda entry: entry.update(fields))

    def find_anywhere(self, entry_id: int) -> dict[str, Any] | None:
        """The entry of that number, live or archived, None when there is none."""
        entry = self.find(entry_id)
        if entry is not None:
            return entry
        found = self.archive.find(entry_id)
        return None if found is None else found[1]

    def change(
        self, numbers: Iterable[int], mark: Callable[[dict[str, Any]], None]
    ) -> list[AttributeStore]:
        """
        Change entries, live or archived; each Attribute of the archive is written once at most.

        Args:
            numbers: Of the entries; those there are none of are passed over.
            mark: Called with each entry, to change it in place.

        Returns:
            All stores that changed; the caller saves.

        """
        changed = {id(self.store): self.store}
        touched: set[str] = set()
        for number in numbers:
            live = self.find(number)
            if live is not None:
                mark(live)
                live["rev"] = entries.get(live, "rev") + 1
                self.store.touch(live)
                continue
            found = self.archive.find(number)
            if found is None:
                continue
            key, archived = found
            mark(archived)
            chunk = self.archive.store(key)
            chunk.touch()
            changed[id(chunk)] = chunk
            touched.add(key)
        for key in touched & set(self._waiting_archive()):
            chunk_entries = list(self.archive.entries_in(key))
            if not any(self.is_waiting(entry) for entry in chunk_entries):
                self._waiting_archive().remove(key)
                self._drop_numbers({entry["id"] for entry in chunk_entries})
        self.store.dirty = True
        return list(changed.values())

    def _drop_numbers(self, numbers: Collection[int]) -> None:
        journal = self.store.data
        journal["consolidated_entry_ids"][:] = [
            number for number in journal["consolidated_entry_ids"] if number not in numbers
        ]

    # The archive ----------------------------------------------------------------------------

    def waiting_archive(self) -> list[str]:
        """Keys of the Attributes of the archive that hold entries without their facts."""
        return list(self._waiting_archive())

    def _waiting_archive(self) -> list[str]:
        """Keys of the Attributes of the archive that hold entries without their facts."""
        journal = self.store.data
        if not isinstance(journal.get("waiting_archive"), list):
            # From before there were nights: all of it.
            journal["waiting_archive"] = self.archive.keys()
        waiting: list[str] = journal["waiting_archive"]
        return waiting

    def find(self, entry_id: int) -> dict[str, Any] | None:
        """The live entry of that number, None when it is not among them."""
        for entry in reversed(self.entries):
            if entry["id"] == entry_id:
                return entry
        return None

    def _same_as(self, new: Mapping[str, Any]) -> dict[str, Any] | None:
        """The entry that says the same; what happened on another day is another thing."""
        keys: Sequence[str] = ("content", "source_type", "source_entity", "audience", "scene")
        # What was expected or promised once more is another thing, at its own time.
        own: Sequence[str] = ("source_id", "outcome")
        dated = entries.get(new, "event_time")
        for entry in self.entries:
            if entries.get(entry, "state") in (MERGED, DORMANT):
                # Said anew, it is to be at hand; these are not.
                continue
            if (
                all(entry.get(key) == new.get(key) for key in keys)
                and all(entries.get(entry, key) == entries.get(new, key) for key in own)
                and entries.get(entry, "event_time") in (None, dated)
            ):
                return entry
        return None
