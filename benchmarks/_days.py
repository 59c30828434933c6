"""What NPCs have behind them when they fall asleep: a day of talk, or years of it."""

from __future__ import annotations

import hashlib
import time
import uuid
from collections.abc import Iterator, Sequence
from typing import Any

from benchmarks import _talk

HOUR = 3600.0
#: Every so many lines, one is whispered.
WHISPERED = 10
#: Entries in one Attribute of an archive, as `memory.journal` moves them there.
CHUNK = 25
#: Records of the sidecar in one Attribute, at most.
LINKS_TOGETHER = 500


def live_a_day(npc: Any, players: Sequence[Any], entries: int, *, seed: int) -> None:
    """
    Let players have talked with an NPC, hours ago, until so many journal entries have come of it.

    It goes the way a line takes that is answered, without the model.

    Args:
        npc: The NPC.
        players: Who talks, in turn; each of them a few lines in a row.
        entries: How many.
        seed: Of what they say.

    """
    from evennia_assistant.awake.outcome import store_heard

    memory, talk = npc.memory, _talk.lines(seed)
    when, number = time.time() - 5 * HOUR, 0
    last = memory.journal.store.data["entry_count"] + entries
    while memory.journal.store.data["entry_count"] < last:
        who = players[number // 5 % len(players)]
        whispered = number % WHISPERED == WHISPERED - 1
        percept = heard(npc, who, next(talk), when, whispered=whispered)
        store_heard(npc, [percept], when)
        memory.working.add_message(
            f"#{who.pk}", "assistant", "So the wind blows. I shall keep my eyes open.",
            name=npc.key, manner=percept.manner, audience=percept.audience, when=when + 2,
        )  # fmt: skip
        when, number = when + 20, number + 1
    memory.save()


def heard(npc: Any, who: Any, words: str, when: float, *, whispered: bool) -> Any:
    """A line as it reaches an NPC."""
    from evennia_assistant.mind.percept import Percept

    both = (f"#{who.pk}", f"#{npc.pk}")
    return Percept(
        manner="whisper" if whispered else "say",
        speaker=both[0],
        speaker_name=who.key,
        words=words,
        line=f'{who.key} says, "{words}"',
        when=when,
        witnesses=both,
        audience=tuple(sorted(both)) if whispered else "public",
        place_name="The Grey Gull",
    )


# Years ------------------------------------------------------------------------------------------


def grow_old(npc: Any, players: Sequence[Any], facts: int, *, seed: int) -> None:
    """
    Give an NPC so many facts, each with the journal entry it was made of.

    All stores then hold what nights would have left in them. They are filled directly, because
    Mem0 writes each fact to the disk by itself, which takes minutes for a hundred NPCs.

    Args:
        npc: The NPC.
        players: Who said what the facts rest on.
        facts: How many.
        seed: Of what they said.

    """
    from evennia_assistant.memory.attribute_store import save_together

    journal, links = npc.memory.journal, npc.memory.facts.links
    made = list(_entries(players, facts, seed))
    stored = _store_facts(str(npc.assistant_script.db.assistant_key), made)
    for entry, fact_id in zip(made, stored, strict=True):
        entry["mem0_ids"] = [fact_id]
        links.change(fact_id, entry_ids=[entry["id"]], processed_at=entry["timestamp"])
    for one, other in zip(stored[::7], stored[1::7], strict=False):
        links.link(one, other, 0.8)
    while len(links.store.data) > LINKS_TOGETHER:
        before = len(links.store.data)
        links.save()
        if len(links.store.data) == before:
            break
    live, older = made[-100:], made[:-100]
    for start in range(0, len(older), CHUNK):
        journal.archive.put(older[start : start + CHUNK])
        save_together(journal.archive.unsaved())
    data = journal.store.data
    data["entries"][:] = live
    data["entry_count"] = made[-1]["id"]
    data["consolidated_entry_ids"][:] = [entry["id"] for entry in live]
    data["waiting_archive"] = []
    journal.store.touch()
    npc.memory.save()


def _entries(players: Sequence[Any], count: int, seed: int) -> Iterator[dict[str, Any]]:
    from evennia_assistant.mind import entry as entries

    talk = _talk.lines(seed)
    born = time.time() - 365 * 24 * HOUR
    for number in range(1, count + 1):
        who = players[number % len(players)]
        yield entries.make_entry(
            number,
            f'{who.key} said: "{next(talk)}"',
            when=born + number * (364 * 24 * HOUR / count),
            source_type="direct",
            source_entity=who.key,
            source_id=f"#{who.pk}",
            audience="public",
            tags=["say"],
            entities=[f"#{who.pk}"],
            place="The Grey Gull",
        )


def _store_facts(user_id: str, made: Sequence[dict[str, Any]]) -> list[str]:
    """Put facts where Mem0 would have, in its form, one for each entry; their ids."""
    from evennia_assistant.memory.mem0_config import open_mem0, read_config
    from evennia_assistant.memory.mem0_places import Folders
    from evennia_assistant.mind.extraction import make_fact

    facts = [make_fact(f"A year ago, {entry['content']}", [entry], user_id) for entry in made]
    config = read_config()
    memory = open_mem0(config, Folders(config).path_of(user_id))
    try:
        first = facts[0]
        added = memory.add(first.text, user_id=user_id, metadata=first.to_metadata(), infer=False)
        store, first_id = memory.vector_store, added["results"][0]["id"]
        pattern = dict(store.get(vector_id=first_id).payload)
        for collection in store.client._client.collections.values():
            collection.storage.storage.execute("PRAGMA synchronous = OFF")
        ids = [str(uuid.uuid4()) for _ in facts[1:]]
        store.insert(
            vectors=[memory.embedding_model.embed(fact.text, "add") for fact in facts[1:]],
            payloads=[
                {
                    **pattern,
                    **fact.to_metadata(),
                    "data": fact.text,
                    "hash": hashlib.md5(fact.text.encode(), usedforsecurity=False).hexdigest(),
                    "text_lemmatized": fact.text.lower(),
                }
                for fact in facts[1:]
            ],
            ids=ids,
        )
    finally:
        memory.vector_store.client.close()
    return [first_id, *ids]
