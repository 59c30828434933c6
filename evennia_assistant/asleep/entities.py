"""
From what was noticed about somebody to what is known of them (O-Mem, arXiv:2511.13593).

A profile's observations are recent and raw, its attributes settled::

    profile["attributes"]["favourite drink"] = {
        "value": "tea, never coffee",
        "evidence": [12, 15],                 # journal entries
        "audience": "public",
        "at": "2026-01-05T03:10:00.000000Z",
    }

Five observations that were not used yet set the work off. Those of one audience go together and to
nobody else's, so that an attribute never says aloud what was whispered; used ones are marked and
stay. Without a model, an attribute is what somebody said of themselves most often.

"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from typing import Any

from twisted.internet.defer import Deferred, inlineCallbacks

from ..awake.models import has_model
from ..llm.asking import Ask, ask_for_records
from ..memory.profile_record import audience_of
from ..mind.audience import PUBLIC, frozen, intersect, stored
from ..mind.confidence import is_off_the_record
from ..mind.entry import is_taken_back, timestamp_of
from ..mind.percept import Audience
from ..mind.persona_protection import is_self_referential
from ..mind.self_statement import attribute_in, settled
from ..mind.slots import render_slot
from ..prompts.texts import text
from .night import night_of

#: Attributes of one profile, and the evidence of one attribute.
MAX_ATTRIBUTES = 24
MAX_EVIDENCE = 20
MAX_TYPE = 40
MAX_VALUE = 160

Profile = dict[str, Any]
Settled = tuple[str, str, list[dict[str, Any]]]


@inlineCallbacks
def run_entity_consolidation_batch(
    script: Any, character: Any, min_observations: int = 5, *, ask: Ask | None = None
) -> Generator[Deferred[Any], Any, dict[str, Any]]:
    """
    Settle what the observations of one audience about one entity come to, and store that.

    Args:
        script: The AssistantScript.
        character: Its NPC.
        min_observations: Unused observations that set the work off.
        ask: Asks the model; None is the NPC's own way.

    Returns:
        `{"completed", "attributes", "observations"}`: how many were written, from how many.

    Raises:
        ModelError: If the model could not be asked, or nothing in its answer was of use.

    """
    profiles = character.memory.profiles
    batch = _next_batch(profiles.store.data, min_observations)
    if batch is None:
        return {"completed": True, "attributes": 0, "observations": 0}
    who, audience, notes = batch
    profile = profiles.get(who)
    if has_model(script):
        found = yield _by_model(profile, audience, notes, ask or script.agent.ask)
    else:
        found = _by_words(notes)
    # The model took its time; what was observed meanwhile waits for another night.
    profile = profiles.get(who)
    written = 0
    if profile is not None:
        written = _write(script, profile, audience, _what_holds(character.memory.journal, found))
        _mark_used(profile, notes)
        profiles.store.touch(who)
    character.memory.save_journal(profiles.store, *night_of(script).stores())
    left = _next_batch(profiles.store.data, min_observations)
    return {"completed": left is None, "attributes": written, "observations": len(notes)}


def _next_batch(
    profiles: Mapping[str, Profile], least: int
) -> tuple[str, Audience, list[dict[str, Any]]] | None:
    """Whose observations of which audience are to be settled next."""
    for who in sorted(profiles):
        unused = [note for note in profiles[who]["observations"] if not note.get("used")]
        begun = any(note.get("due") for note in unused)
        if not unused or (len(unused) < least and not begun):
            continue
        if not begun:
            # The other audiences' share follows, though fewer than five are left by then.
            for note in unused:
                note["due"] = True
        unused = [note for note in unused if note.get("due")]
        audience = frozen(unused[0].get("audience"))
        return who, audience, [n for n in unused if frozen(n.get("audience")) == audience]
    return None


# What they come to ----------------------------------------------------------------------------


def _by_words(notes: Sequence[dict[str, Any]]) -> list[Settled]:
    """What somebody said of themselves: by key, the value given most often, else the last."""
    by_key: dict[str, list[tuple[str, dict[str, Any]]]] = {}
    for note in notes:
        found = attribute_in(note["text"])
        if found is not None:
            by_key.setdefault(found[0], []).append((found[1], note))
    made = []
    for key, given in by_key.items():
        value = settled(value for value, _note in given)
        made.append(
            (key, value, [note for said, note in given if said.casefold() == value.casefold()])
        )
    return made


@inlineCallbacks
def _by_model(
    profile: Profile, audience: Audience, notes: Sequence[dict[str, Any]], ask: Ask
) -> Generator[Deferred[Any], Any, list[Settled]]:
    """What a model makes of them; a record without sound evidence, or about the NPC, is none."""
    by_id = {f"o{number}": note for number, note in enumerate(notes, 1)}

    def check(record: Any) -> Settled | None:
        if not isinstance(record, dict):
            raise ValueError("a record is no object")
        kind, value = record.get("type"), record.get("value")
        if not isinstance(kind, str) or not isinstance(value, str) or not kind.strip():
            raise ValueError("a record has no type or value")
        named = record.get("evidence")
        ids = named if isinstance(named, list) else [named]
        evidence = [by_id[str(name)] for name in dict.fromkeys(map(str, ids)) if name in by_id]
        if not evidence:
            raise ValueError("a record names no observation there is")
        if not value.strip() or is_self_referential(f"{kind}: {value}"):
            return None
        return kind.strip().lower()[:MAX_TYPE], value.strip()[:MAX_VALUE], evidence

    prompt = messages_for_attributes(profile, audience, by_id)
    answer = yield ask_for_records(ask, prompt, check, key="attributes")
    return [found for found in answer.items if found is not None][:5]


def messages_for_attributes(
    profile: Profile, audience: Audience, notes: Mapping[str, Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """
    The prompt: one entity, observations of one audience, and what is known to the same one.

    Args:
        profile: The entity's.
        audience: Of the observations.
        notes: Observations by the id the model is to name them by.

    """
    known = [
        {"type": kind, "value": held["value"]}
        for kind, held in profile["attributes"].items()
        if isinstance(held, Mapping) and frozen(held.get("audience")) == audience
    ]
    observations = [
        {"id": name, "about": profile["canonical_name"], "text": note["text"]}
        for name, note in notes.items()
    ]
    slots = [render_slot("known", known)] if known else []
    slots.append(render_slot("observations", observations))
    return [
        {"role": "system", "content": text("asleep/attributes")},
        {"role": "user", "content": "\n".join(slots)},
    ]


# Keeping it -----------------------------------------------------------------------------------


def _what_holds(journal: Any, found: Sequence[Settled]) -> Iterator[Settled]:
    """The attributes without observations that were taken back meanwhile."""
    for kind, value, notes in found:
        held = [n for n in notes if not is_taken_back(journal.find(n.get("entry_id") or 0))]
        if held:
            yield kind, value, held


def _write(script: Any, profile: Profile, audience: Audience, found: Iterable[Settled]) -> int:
    """Put attributes into a profile; how many are new or say something else than before."""
    attributes = profile["attributes"]
    now, night = timestamp_of(script.agent.now()), night_of(script)
    written = 0
    for kind, value, notes in found:
        rests_on = [audience, audience_of(profile), *(note.get("audience") for note in notes)]
        shared = intersect(rests_on)
        key = _key_for(attributes, kind, shared)
        held = attributes.get(key)
        before = held["value"] if held else None
        evidence = [note["entry_id"] for note in notes if isinstance(note.get("entry_id"), int)]
        if held and str(before).casefold() == value.casefold():
            evidence = [*held.get("evidence", ()), *evidence]
        attributes[key] = {
            "value": value,
            "evidence": list(dict.fromkeys(evidence))[-MAX_EVIDENCE:],
            "audience": stored(shared),
            "at": now,
            **({"confidence": True} if _in_confidence(notes) else {}),
        }
        if before != value:
            written += 1
            night.note(
                "changed" if held else "added",
                f"{profile['canonical_name']}: {kind}: {value}",
                audience=shared,
                id=profile["entity_id"],
                evidence=[f"j{number}" for number in attributes[key]["evidence"]],
                before=before,
                after=value,
                attribute=key,
            )
    while len(attributes) > MAX_ATTRIBUTES:
        oldest = min(attributes, key=lambda key: _made_at(attributes[key]))
        gone = attributes.pop(oldest)
        night.note(
            "retired",
            f"{profile['canonical_name']}: {oldest}",
            audience=gone.get("audience") if isinstance(gone, Mapping) else None,
            id=profile["entity_id"],
            attribute=oldest,
        )
    return written


def _key_for(attributes: Mapping[str, Any], kind: str, audience: Audience) -> str:
    """
    The key of an attribute: its type, unless that is taken by one for other ears.

    One that was told in confidence neither overwrites the public one nor is overwritten by it.

    """
    key, number = kind, 1
    while key in attributes:
        held = attributes[key]
        if isinstance(held, Mapping) and frozen(held.get("audience")) == audience:
            break
        number += 1
        key = f"{kind} ({number})"
    return key


def _mark_used(profile: Profile, notes: Iterable[Mapping[str, Any]]) -> None:
    done = {(note["text"], note["timestamp"]) for note in notes}
    for note in profile["observations"]:
        if (note["text"], note["timestamp"]) in done:
            note.pop("due", None)
            note["used"] = True


def _in_confidence(notes: Iterable[Mapping[str, Any]]) -> bool:
    return any(
        frozen(note.get("audience")) != PUBLIC or is_off_the_record(note["text"]) for note in notes
    )


def _made_at(attribute: object) -> str:
    return str(attribute.get("at", "")) if isinstance(attribute, Mapping) else ""
