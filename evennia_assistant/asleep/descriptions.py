"""
Who somebody is, in a sentence or two, once enough is known of them (EchoVessel's L5, document 004).

Three live entries that concern an entity and may be told to the same people are enough, and three
more set it off again. One call a night describes up to five entities, from entries of one audience
only; where enough was told in the open, from that. What was told in confidence is never in it, and
what a keeper wrote stays.

"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from twisted.internet.defer import Deferred, inlineCallbacks

from ..awake.models import has_model
from ..llm.asking import Ask, ask_for_records
from ..memory.live_index import is_forgotten
from ..memory.profile_record import audience_of
from ..mind import entry as entries
from ..mind.audience import PUBLIC, frozen, intersect
from ..mind.percept import Audience
from ..mind.slots import render_slot
from ..prompts.texts import text as prompt_text
from .foresight import checked_evidence, checked_text
from .night import night_of, tonights_entries

STEP = "describe_entities"
#: Entries of one audience that are enough, entities in one call, and entries shown of each.
ENOUGH = 3
MOST_ENTITIES = 5
MOST_SHOWN = 10
#: Most characters of one entry in the prompt.
LINE = 300
#: Kinds of entries that only say again what others say.
_AGAIN = frozenset({"summary", "synthesis", "expectation"})
#: In a profile, the newest entry its description was thought about with.
UP_TO = "described_up_to"


@dataclass(frozen=True, slots=True)
class _Known:
    """
    An entity that is to be described.

    Args:
        who: Its entity id.
        audience: Of what is told of it.
        told: Entries, the newest `MOST_SHOWN`.
        news: How many of its entries came since it was thought about last.

    """

    who: str
    audience: Audience
    told: tuple[Mapping[str, Any], ...]
    news: int


@inlineCallbacks
def describe_entities(
    script: Any, character: Any, *, ask: Ask | None = None
) -> Generator[Deferred[Any], Any, dict[str, Any]]:
    """
    The step of the night: one call, if there is anybody to describe.

    Args:
        script: The AssistantScript.
        character: Its NPC.
        ask: Asks the model; None is the NPC's own way.

    Returns:
        `{"completed": True, "described"}`: how many entities were described.

    Raises:
        ModelError: If the model could not be asked, or nothing in its answer was of use.

    """
    batch = _batch(script, character) if has_model(script) else []
    if not batch:
        return {"completed": True, "described": 0}
    named = {f"p{number}": known for number, known in enumerate(batch, 1)}

    def check(record: Any) -> tuple[_Known, str, tuple[str, ...]]:
        if not isinstance(record, dict) or str(record.get("id")) not in named:
            raise ValueError("a record names no entity there is")
        known = named[str(record["id"])]
        words = checked_text(record.get("description"), "a description")
        shown = [f"j{entry['id']}" for entry in known.told]
        return known, words, checked_evidence(record.get("evidence"), shown)

    prompt = _prompt(character.memory.profiles, named)
    answer = yield ask_for_records(ask or script.agent.ask, prompt, check, key="descriptions")
    described = sum(_write(script, *found) for found in answer.items)
    memory = script.character.memory
    for known in batch:
        # Where there was nothing to say, there is not until there is news.
        profile = memory.profiles.get(known.who)
        if profile is not None:
            profile[UP_TO] = max(entry["id"] for entry in known.told)
            memory.profiles.store.touch(known.who)
    memory.save_journal(memory.profiles.store, *night_of(script).stores())
    return {"completed": True, "described": described}


# Who is to be described ---------------------------------------------------------------------------


def _batch(script: Any, character: Any) -> list[_Known]:
    """Entities of one audience, those first of whom most is new."""
    profiles, told = character.memory.profiles, _told_of(script, character)
    found = []
    for who, profile in profiles.store.data.items():
        if profile.get("owner_override") or who == f"#{character.pk}":
            continue
        known = _known(who, profile, told.get(who, ()))
        if known is not None:
            found.append(known)
    found.sort(key=lambda known: (-known.news, known.who))
    return [known for known in found if known.audience == found[0].audience][:MOST_ENTITIES]


def _told_of(script: Any, character: Any) -> dict[str, list[Mapping[str, Any]]]:
    told: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for entry in tonights_entries(script, character):
        if not is_forgotten(entry) and entries.get(entry, "kind") not in _AGAIN:
            for who in entries.get(entry, "entities"):
                told[who].append(entry)
    return told


def _known(
    who: str, profile: Mapping[str, Any], told: Iterable[Mapping[str, Any]]
) -> _Known | None:
    """An entity with what of it goes into one prompt, None while that is not enough."""
    heard: dict[Audience, list[Mapping[str, Any]]] = defaultdict(list)
    for entry in told:
        audience = frozen(entry.get("audience"))
        # Whoever may not know of somebody is told nothing of them.
        may_know = audience is not None and intersect([audience, audience_of(profile)]) == audience
        if may_know and not entries.in_confidence(entry):
            heard[audience].append(entry)
    enough = {audience: held for audience, held in heard.items() if len(held) >= ENOUGH}
    if not enough:
        return None
    fullest = max(enough, key=lambda audience: (len(enough[audience]), str(audience)))
    audience = PUBLIC if PUBLIC in enough else fullest
    before = profile.get("description")
    if before and audience != PUBLIC and frozen(before.get("audience")) != audience:
        # It would be taken from those it is for.
        return None
    news = sum(entry["id"] > profile.get(UP_TO, 0) for entry in enough[audience])
    return (
        _Known(who, audience, tuple(enough[audience][-MOST_SHOWN:]), news)
        if news >= ENOUGH
        else None
    )


# What the model is shown, and what comes of it ----------------------------------------------------


def _prompt(profiles: Any, named: Mapping[str, _Known]) -> list[dict[str, Any]]:
    people, told = [], []
    for label, known in named.items():
        profile = profiles.get(known.who)
        record = {"id": label, "name": profile["canonical_name"], "kind": profile["entity_type"]}
        before = profile.get("description")
        if before and frozen(before.get("audience")) == known.audience:
            record["before"] = before["text"]
        people.append(record)
        told += [
            {"id": f"j{entry['id']}", "about": label, "text": entries.told(entry)[:LINE]}
            for entry in known.told
        ]
    slots = [render_slot("entities", people), render_slot("told", told)]
    return [
        {"role": "system", "content": prompt_text("asleep/descriptions")},
        {"role": "user", "content": "\n".join(slots)},
    ]


def _write(script: Any, known: _Known, words: str, evidence: Sequence[str]) -> bool:
    """Put a description into its profile, as both are now; whether it says something new."""
    memory, now = script.character.memory, script.agent.now()
    profile = memory.profiles.get(known.who)
    numbers = [number for name in evidence if (number := entries.number_of(name)) is not None]
    held = [memory.journal.find_anywhere(number) for number in numbers]
    if profile is None or any(entry is None or is_forgotten(entry) for entry in held):
        return False
    earlier = profile.get("description") or {}
    shared = intersect([known.audience, audience_of(profile)])
    # What others were told stands nowhere beside what these are told.
    same = frozen(earlier.get("audience")) == shared
    before = earlier.get("text") if same else None
    taken = memory.profiles.describe(known.who, words, audience=shared, evidence=numbers, when=now)
    if not taken or words == before:
        return False
    night_of(script).note(
        "changed" if before else "added",
        f"{profile['canonical_name']}: {words}",
        audience=shared,
        id=known.who,
        evidence=list(evidence),
        before=before,
        after=words,
        attribute="description",
    )
    return True
