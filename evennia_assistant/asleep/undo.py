"""
Taking back the last night: one step, and nothing that was heard since is lost by it.

Before its first step a night packs what the NPC remembers into `script.db.before_night`, and once
more when it closes. From the two, and from what is there now, comes what there would be without the
night (`mind.stepping_back`). Facts that the night put into semantic memory are removed from it; the
entries they were made of wait for the next night again.

"""

from __future__ import annotations

import pickle
import zlib
from collections.abc import Generator, Iterable, Mapping
from copy import deepcopy
from typing import Any

from twisted.internet.defer import Deferred, inlineCallbacks

from ..memory import memory_links
from ..memory.attribute_store import AttributeStore, save_together
from ..memory.carry_notes import carry_notes_of
from ..memory.members import Members, is_entry
from ..mind import entry as entries
from ..mind.entry import timestamp_of
from ..mind.stepping_back import entries_without_night, without_night
from .night import night_of


def empty_snapshot() -> dict[str, Any]:
    """What is kept before there was a night, or after it was taken back."""
    return {
        "cycle": 0,
        "before": None,
        "after": None,
        "waiting": [],
        "members": {},
        "to_remove": [],
    }


def snapshot_store(script: Any) -> AttributeStore:
    """The store of the NPC's snapshot, made once for each start of the server."""
    store = script.ndb.assistant_before_night
    if store is None:
        store = script.ndb.assistant_before_night = AttributeStore(
            script, "before_night", empty_snapshot
        )
    return store


def keep_before(script: Any, character: Any, cycle: int) -> AttributeStore:
    """
    Pack what an NPC remembers, before a night; the caller saves the store.

    Args:
        script: The AssistantScript.
        character: Its NPC.
        cycle: Number of the night.

    """
    store = snapshot_store(script)
    store.data.clear()
    store.data.update(
        empty_snapshot(),
        cycle=cycle,
        before=_packed(character),
        waiting=[entry["id"] for entry in character.memory.journal.unconsolidated()],
    )
    store.touch()
    return store


def keep_after(script: Any, character: Any) -> AttributeStore:
    """Pack what an NPC remembers after a night; the caller saves the store."""
    store = snapshot_store(script)
    if store.data["before"] is not None:
        store.data["after"] = _packed(character)
        store.touch()
    return store


def note_before(script: Any, fields_of: Mapping[str, Mapping[str, Any]]) -> list[AttributeStore]:
    """
    Keep what a night is about to change of facts and archived entries, which are not packed.

    Args:
        script: The AssistantScript.
        fields_of: What will be set, by the name of the member (`memory.members`).

    Returns:
        The store to be saved with the change; none outside of nights.

    """
    store = snapshot_store(script)
    if not night_of(script).is_open or store.data["before"] is None:
        return []
    members, kept = Members(script.character.memory), store.data.setdefault("members", {})
    journal = script.character.memory.journal
    for name, fields in fields_of.items():
        if is_entry(name) and journal.find(int(name[1:])) is not None:
            continue
        record = members.record(name)
        if record is not None:
            defaults = entries.OPTIONAL_DEFAULTS if is_entry(name) else memory_links.DEFAULTS
            held = kept.setdefault(name, {})
            for key in fields:
                held.setdefault(key, deepcopy(record.get(key, defaults.get(key))))
    store.touch()
    return [store]


def why_not_undo(script: Any) -> str | None:
    """Why the last night cannot be taken back now, None when it can."""
    night, kept = night_of(script), snapshot_store(script).data
    if night.is_open or night.running:
        return "A night is under way; it can be taken back when it is over."
    if kept["before"] is None or kept["after"] is None:
        return "There is no night to take back, or it was taken back already."
    return None


@inlineCallbacks
def undo_last_night(
    script: Any, character: Any, facts: Any = None
) -> Generator[Deferred[Any], Any, dict[str, Any]]:
    """
    Take back the last night.

    Args:
        script: The AssistantScript.
        character: Its NPC.
        facts: The semantic memory that holds its facts, None where there is none.

    Returns:
        `{"undone", "entries", "facts"}`: how many entries changed back, came back or went, and how
        many facts were removed; or `{"undone": False, "why"}`.

    Raises:
        SemanticMemoryError: If the night's facts could not be looked up (then nothing was done), or
            not be removed (then calling this again removes them).

    """
    user = str(script.db.assistant_key)
    store = snapshot_store(script)
    if store.data["to_remove"]:
        removed = yield _remove(store, facts, user)
        return {"undone": True, "entries": 0, "facts": removed}
    why = why_not_undo(script)
    if why is not None:
        return {"undone": False, "why": why}
    made: list[str] = []
    if facts is not None:
        made = yield _facts_made(character, store.data, facts, user)
        why = why_not_undo(script)
        if why is not None:
            return {"undone": False, "why": why}
    changed, stores = _step_back(script, character, store.data, set(made))
    store.data.clear()
    store.data.update(empty_snapshot(), to_remove=made)
    store.touch()
    last = night_of(script).last
    last.data["undone"] = timestamp_of(script.agent.now())
    last.touch()
    character.memory.journal.make_room()
    save_together([*stores, store, last])
    character.memory.make_index_anew()
    removed = yield _remove(store, facts, user)
    return {"undone": True, "entries": changed, "facts": removed}


# Packing ------------------------------------------------------------------------------------------


def _stores(character: Any) -> dict[str, AttributeStore]:
    """What a night may change of an NPC's own."""
    memory = character.memory
    return {
        "journal": memory.journal.store,
        "entity_profiles": memory.profiles.store,
        "working_memory": memory.working.store,
        "ended_conversations": memory.working.ended.store,
        "reflection_state": memory.reflection.store,
        "carry_notes": carry_notes_of(character.assistant_script).store,
        "memory_topics": memory.topics.store,
    }


def _packed(character: Any) -> bytes:
    plain = {name: store.data for name, store in _stores(character).items()}
    return zlib.compress(pickle.dumps(plain, protocol=5), 1)


def _unpacked(packed: bytes) -> dict[str, Any]:
    plain: dict[str, Any] = pickle.loads(zlib.decompress(packed))
    return plain


# Stepping back ------------------------------------------------------------------------------------


def _step_back(
    script: Any, character: Any, kept: dict[str, Any], made: set[str]
) -> tuple[int, list[AttributeStore]]:
    """Change the stores; how many entries are others now, and what is to be saved."""
    before, after = _unpacked(kept["before"]), _unpacked(kept["after"])
    stores = _stores(character)
    journal = stores["journal"].data
    was = {entry["id"]: entry for entry in journal["entries"]}
    found = entries_without_night(
        before["journal"]["entries"], after["journal"]["entries"], journal["entries"]
    )
    archive = character.memory.journal.archive
    # What has moved to the archive since stays there.
    live = [e for e in found if e["id"] in was or archive.find(e["id"]) is None]
    is_now = {entry["id"]: entry for entry in live}
    changed = sum(was.get(number) != is_now.get(number) for number in {*was, *is_now})
    touched = _archived_wait_again(character, set(kept["waiting"]), made)
    header = without_night(
        *(
            {key: value for key, value in one.items() if key not in ("entries", "entry_count")}
            for one in (before["journal"], after["journal"], journal)
        )
    )
    waiting = [*before["journal"].get("waiting_archive", ()), *header.get("waiting_archive", ())]
    journal.update(header, entries=live)
    if waiting or "waiting_archive" in journal:
        journal["waiting_archive"] = list(dict.fromkeys(waiting))
    derived = ("entity_profiles", "working_memory", "reflection_state", "carry_notes")
    for name in (*derived, "memory_topics"):
        if name not in before or name not in after:
            # Packed by a version that had no such store.
            continue
        # It may be the very data, where the night did nothing.
        result = dict(without_night(before[name], after[name], stores[name].data))
        stores[name].data.clear()
        stores[name].data.update(result)
    for entry in after.get("carry_notes", {}).get("replaced", ()):
        # The night wrote a day anew whose entry had gone to the archive.
        fields = {key: value for key, value in entry.items() if key != "id"}
        touched += character.memory.journal.rewrite(entry["id"], **fields)
    ended = stores["ended_conversations"].data
    ended[:] = without_night(before["ended_conversations"], after["ended_conversations"], ended)
    for store in stores.values():
        store.touch()
    gone = [*touched, *_links_step_back(character, made)]
    states = {name: f for name, f in kept.get("members", {}).items() if name not in made}
    return changed, [*stores.values(), *gone, *Members(character.memory).change(states)]


def _archived_wait_again(character: Any, waiting: set[int], made: set[str]) -> list[AttributeStore]:
    """Take the night's facts off the archived entries that had waited for them."""
    archive = character.memory.journal.archive
    touched: dict[str, AttributeStore] = {}
    for number in sorted(waiting):
        found = archive.find(number)
        if found is None or not made.intersection(found[1].get("mem0_ids", ())):
            continue
        key, entry = found
        entry["mem0_ids"] = [name for name in entry["mem0_ids"] if name not in made]
        store = archive.store(key)
        store.touch()
        touched[key] = store
    return list(touched.values())


def _links_step_back(character: Any, made: set[str]) -> Iterable[AttributeStore]:
    """Forget the night's facts in the sidecar; what they stood in for holds again."""
    if not made:
        return []
    links = character.memory.facts.links
    for name, record in list(links.items()):
        if record.get("successor") in made and name not in made:
            links.change(name, state="active", successor=None)
    links.remove(made)
    return list(links.stores())


@inlineCallbacks
def _facts_made(
    character: Any, kept: dict[str, Any], facts: Any, user: str
) -> Generator[Deferred[Any], Any, list[str]]:
    """Ids of the facts that rest on nothing but entries which had none before the night."""
    waited = set(kept["waiting"])
    named: dict[str, None] = {}
    for number in sorted(waited):
        entry = character.memory.journal.find_anywhere(number)
        named.update(dict.fromkeys(entry.get("mem0_ids", ()) if entry is not None else ()))
    for entry in _unpacked(kept["after"])["journal"]["entries"]:
        if entry["id"] in waited:
            named.update(dict.fromkeys(entry.get("mem0_ids", ())))
    found = yield facts.get(user, list(named))
    return [fact.id for fact in found if fact.entry_ids and set(fact.entry_ids) <= waited]


@inlineCallbacks
def _remove(store: AttributeStore, facts: Any, user: str) -> Generator[Deferred[Any], Any, int]:
    """Remove facts from semantic memory, and note that they are."""
    ids = list(store.data["to_remove"])
    if ids and facts is not None:
        yield facts.delete(user, ids)
        store.data["to_remove"] = [name for name in store.data["to_remove"] if name not in ids]
        store.touch()
        store.save()
    return len(ids)
