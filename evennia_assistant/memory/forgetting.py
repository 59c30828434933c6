"""
Forgetting in the game's own database: finding what goes, and taking it out of every store at once.

`gather` looks and changes nothing. `purge` rewrites every Attribute of the NPC and its script that
holds anything of it, in one transaction with the record of what semantic memory has still to
delete (`memory.forgetting_record`). Stores in memory notice by themselves that their Attribute was
written anew.

"""

from __future__ import annotations

import pickle
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any

from django.db import connection, transaction
from evennia.utils.dbserialize import deserialize
from evennia.utils.picklefield import DEFAULT_PROTOCOL

from ..mind import entry as entries
from ..mind import scrubbing
from ..mind import scrubbing_journal as journals
from ..mind.fact import Fact
from ..mind.forgetting import Choice, Subject, choose, words_of_their_own
from ..mind.scrubbing_people import lines_without
from ..mind.touched import is_touched, texts_in
from . import archive, memory_links, talk_log
from .boundaries import reached
from .forgetting_record import ForgettingRecord, forgetting_of
from .knowledge import text_of
from .outbox import outbox_of, with_facts
from .pending_import import ORIGIN, PENDING
from .profile_record import names_of as known_names
from .secure_delete import at_end_of_purge, wipe_what_is_deleted

#: Entries looked at before the reactor has its turn again.
BATCH = 100
#: Where `boundaries.reached` is called, in order.
POINTS = ("forgetting.begun", "forgetting.writing", "forgetting.written", "forgetting.purged")

#: Attributes of the script that hold copies of other stores, and go as a whole.
COPIES = ("before_night", "last_night")


class Gathered:
    """
    All that a choice is made from.

    Args:
        subject: Who or what is to be forgotten.

    """

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.journal: dict[int, dict[str, Any]] = {}
        self.evidence: dict[str, list[int]] = {}
        self.facts: dict[str, Fact] = {}
        self.words: frozenset[str] = frozenset()
        #: Places of the knowledge that name the person; they are a keeper's, and stay.
        self.taught: list[int] = []
        #: An import that waits, or what was kept of one, names the person; a keeper brought it.
        self.imported = False
        #: Why semantic memory could not be read, "" when it could.
        self.out_of_reach = ""

    def choose(self, mode: str) -> Choice:
        """What goes in a mode."""
        return choose(self.subject, mode, self.journal, self.evidence, self.facts, self.words)


def gather(character: Any, gathered: Gathered) -> Iterator[None]:
    """
    Read journal, archive and sidecar, with pauses for others.

    Args:
        character: The NPC.
        gathered: Filled, but for its facts.

    """
    memory, subject = character.memory, gathered.subject
    gone: list[str] = []
    kept: list[str] = []
    for count, entry in enumerate(memory.journal.all_entries(), 1):
        gathered.journal[entry["id"]] = entry
        text = " ".join((entries.words_of(entry), *entries.all_texts(entry)[1:]))
        if subject.owns(entry):
            gone.append(text)
        elif not entries.get(entry, "evidence"):
            kept.append(text)
        if count % BATCH == 0:
            yield
    if subject.entity is not None:
        talks = [memory.working.store.data.get(subject.entity) or {"messages": []}]
        talks += [t for t in memory.working.ended.store.data if t["entity_id"] == subject.entity]
        # What was too slight for the journal was said all the same.
        gone += [m["content"] for t in talks for m in t["messages"] if m["role"] == "user"]
    for who, record in memory.working.store.data.items():
        if who != subject.entity:
            kept += [m["content"] for m in record["messages"] if m["role"] == "user"]
    for lines in memory.working.log.contents().values():
        for line in lines:
            if line["role"] == "user" and "text" in line:
                (gone if line["with"] == subject.entity else kept).append(line["text"])
        yield
    kept += [text_of(line) for line in memory.knowledge.lines]
    kept += [str(value) for value in texts_in(character.memory_of_persona())]
    yield
    gathered.words = words_of_their_own(gone, kept)
    yield
    links = memory.facts.links
    for count, (name, record) in enumerate(() if links is None else links.items(), 1):
        gathered.evidence[name] = list(memory_links.get(record, "entry_ids"))
        if count % BATCH == 0:
            yield
    gathered.taught = [
        place
        for place, line in enumerate(memory.knowledge.lines)
        if subject.is_named_in(text_of(line))
    ]
    held = [deserialize(character.attributes.get(key)) for key in (PENDING, ORIGIN)]
    for count, text in enumerate(texts_in(held), 1):
        gathered.imported = gathered.imported or subject.is_named_in(text)
        if count % BATCH == 0:
            yield


def purge(
    script: Any, character: Any, choice: Choice, remade: Sequence[Fact] = ()
) -> dict[str, int]:
    """
    Take what goes out of every store of an NPC; all of it is done, or nothing.

    Args:
        script: The AssistantScript.
        character: Its NPC.
        choice: What goes.
        remade: Facts to be stored in place of those that rest on less now.

    Returns:
        How many Attributes were rewritten (`rewritten`) and removed (`removed`).

    """
    reached("forgetting.begun")
    record = forgetting_of(script)
    before = deepcopy(record.data)
    facts = {*choice.facts, *choice.orphan_facts}
    record.add(choice.subject.entity, choice.entries, facts, script.agent.now())
    if remade:
        # From now on there is an Attribute for it, which the loop finds.
        outbox_of(script).store.touch()
    written = False
    try:
        counts = _rewrite(script, character, choice, remade, record)
        written = True
    finally:
        if not written:
            record.data.clear()
            record.data.update(before)
    at_end_of_purge()
    reached("forgetting.purged")
    return counts


def _rewrite(
    script: Any,
    character: Any,
    choice: Choice,
    remade: Sequence[Fact],
    record: ForgettingRecord,
) -> dict[str, int]:
    """Work out what is left of every Attribute, and write that together with the record."""
    waiting = _archive_waits_again(character, choice)
    changed, removed = [], []
    for obj, of_script in ((character, False), (script, True)):
        for row in list(obj.db_attributes.all()):
            value = _live(obj, row)
            if of_script and row.db_key in COPIES:
                removed.append((obj, row))
                continue
            if of_script and row.db_key == "mem0_outbox" and value is not None:
                left, keys = scrubbing.outbox_without(value, choice)
                record.add_keys(keys)
                left = with_facts(left, remade)
            else:
                left = _left_of(row, value, choice, character, of_script, waiting)
            if left is _GONE:
                removed.append((obj, row))
            elif left != value:
                changed.append((row, left))
    wipe_what_is_deleted()
    with transaction.atomic():
        reached("forgetting.writing")
        for row, left in changed:
            _write(row, left)
        for _obj, row in removed:
            # Rewritten before it is removed, so that nothing of it is left in a page of its own.
            _write(row, None)
        record.write()
        reached("forgetting.written")
    for row, left in changed:
        row.db_value = left
    for obj, row in removed:
        obj.attributes.remove(row.db_key, category=row.db_category)
    return {"rewritten": len(changed), "removed": len(removed)}


_GONE = object()


def _left_of(
    row: Any,
    value: Any,
    choice: Choice,
    character: Any,
    of_script: bool,
    waiting: list[str],
) -> Any:
    """What is left of the value of one Attribute; `_GONE` for one that goes as a whole."""
    key, category = row.db_key, row.db_category
    if value is None:
        return value
    if key.endswith("_set_aside"):
        # Unreadable once, so that nobody can say what in it is whose.
        return _GONE if is_touched(value, choice) else value
    if category == archive.CATEGORY:
        return journals.entries_without(value, choice) if isinstance(value, list) else value
    if category == talk_log.CATEGORY:
        return lines_without(value, choice) if isinstance(value, list) else value
    if category == memory_links.CATEGORY:
        return journals.links_without(value, choice)
    if category:
        return value
    if of_script:
        known = scrubbing.OF_SCRIPT.get(key)
    elif key == "journal":
        return journals.journal_without(value, choice, waiting)
    elif key == "reflection_state":
        importance = {
            entry["id"]: float(entry["importance"])
            for entry in character.memory.journal.entries
            if entry["id"] in choice.entries
        }
        return journals.reflection_without(value, choice, importance)
    else:
        known = scrubbing.OF_CHARACTER.get(key)
    return value if known is None else known(value, choice)


def _live(obj: Any, row: Any) -> Any:
    """The plain value of an Attribute, as the store that works on it has it."""
    held = obj.attributes.get(row.db_key, category=row.db_category, return_obj=True)
    return row.db_value if held is None else held.db_value


def _archive_waits_again(character: Any, choice: Choice) -> list[str]:
    """Names of the archive's Attributes with entries of which facts are to be made anew."""
    found = (character.memory.journal.archive.find(number) for number in sorted(choice.again))
    return list(dict.fromkeys(hit[0] for hit in found if hit is not None))


def _write(row: Any, plain: Any) -> None:
    """Put plain data into the row in the database, and leave the row in memory as it is."""
    encoded = b64encode(pickle.dumps(plain, protocol=DEFAULT_PROTOCOL)).decode("ascii")
    table = connection.ops.quote_name(row._meta.db_table)
    with connection.cursor() as cursor:
        cursor.execute(f"UPDATE {table} SET db_value = %s WHERE id = %s", [encoded, row.pk])


def names_of(character: Any, entity: str, obj: Any, profile: Mapping[str, Any] | None) -> list[str]:
    """
    What an NPC knows a person by.

    Args:
        character: The NPC.
        entity: Entity id of the person.
        obj: The person, None when it is gone.
        profile: The NPC's profile of them, None where there is none.

    """
    found = [] if obj is None else [obj.key]
    if profile is not None:
        found += [name.text for name in known_names(profile)]
    found += [
        entry["source_entity"]
        for entry in character.memory.journal.entries
        if entries.get(entry, "source_id") == entity and entry.get("source_entity")
    ]
    return [name for name in dict.fromkeys(map(str, found)) if len(name) > 2]
