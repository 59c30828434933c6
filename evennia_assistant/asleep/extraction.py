"""
What a batch of journal entries amounts to: by a model where there is one, else word for word.

The entries of one call may all be told to the same people, so what the model writes can mix
nothing that has to be kept apart. Of an answer the sound part is used; an entry it says nothing
sound of is neither done nor lost.

"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from twisted.internet.defer import Deferred, inlineCallbacks

from ..errors import ModelAnswerError
from ..llm.asking import Ask, ask_for_records
from ..memory.profile_record import names_of as known_names
from ..mind import entry as entries
from ..mind.audience import PUBLIC, frozen
from ..mind.contexts import CONTEXT_SLEEP_CONSOLIDATE, Component
from ..mind.extraction import Extracted, checked, make_fact, own_text, same_words
from ..mind.fact import Fact
from ..mind.slots import render_slot
from ..mind.text import name_keys
from ..perception.company import names_of
from ..prompts.layout import Layout, instruction_for, layout_for
from ..prompts.registry import registry_of
from .turnstile import in_slices

#: The persona-safe instruction of document 001, in our words; an operator may change it for an NPC
#: (`aisetup/context`), as that of any other occasion.
ASSISTANT_FACT_EXTRACTION_PROMPT = instruction_for(CONTEXT_SLEEP_CONSOLIDATE)

#: Characters of an entry a model is shown.
SHOWN = 600
#: Earlier facts shown for one entry, and in one call.
CANDIDATES = 5
MAX_KNOWN = 15


@dataclass
class Extraction:
    """
    What a batch amounts to.

    Args:
        facts: New facts, none twice.
        empty: Numbers of entries that hold nothing to keep.
        failed: Why an entry could not be dealt with, by its number.
        refused: How many sentences about the NPC itself were not kept.

    """

    facts: list[Fact] = field(default_factory=list)
    empty: list[int] = field(default_factory=list)
    failed: dict[int, str] = field(default_factory=dict)
    refused: int = 0


def word_for_word(batch: Sequence[Mapping[str, Any]], character: Any, key: str) -> Extraction:
    """
    Every entry as the fact it is.

    Args:
        batch: Journal entries.
        character: The NPC.
        key: Its assistant key.

    """
    extraction = Extraction()
    names = _known_names(character)
    for entry in batch:
        said = own_text(entry)
        if said is None:
            extraction.empty.append(entry["id"])
        else:
            extraction.facts.append(make_fact(said, [entry], key, names=names))
    return extraction


@inlineCallbacks
def by_model(
    batch: Sequence[dict[str, Any]], character: Any, key: str, ask: Ask, now: float
) -> Generator[Deferred[Any], Any, Extraction]:
    """
    What a model makes of entries that may all be told to the same people.

    Args:
        batch: Journal entries of equal audience.
        character: The NPC.
        key: Its assistant key.
        ask: Asks the model.
        now: UTC seconds since the epoch.

    Raises:
        ModelError: If the model could not be asked.

    """
    shown = [entry["id"] for entry in batch]
    known: dict[str, tuple[str, list[str]]] = {}
    script = character.assistant_script
    clock, layout = script.agent.clock, registry_of(script).layout(CONTEXT_SLEEP_CONSOLIDATE)
    yield in_slices(clock, find_candidates(batch, character, now, known))
    own_names = _own_names(character)

    def check(record: Any) -> Extracted:
        return checked(record, shown, list(known), own_names)

    told = {label: words for label, (words, _ids) in known.items()}
    messages = messages_for_facts(batch, told, layout)
    try:
        answer = yield ask_for_records(ask, messages, check, key="facts")
    except ModelAnswerError as err:
        return Extraction(failed=dict.fromkeys(shown, str(err)))
    replaced = {label: ids for label, (_text, ids) in known.items()}
    return _settled(batch, answer.items, answer.problems, replaced, character, key)


def messages_for_facts(
    batch: Sequence[Mapping[str, Any]], known: Mapping[str, str], layout: Layout | None = None
) -> list[dict[str, Any]]:
    """
    The prompt for a batch.

    Args:
        batch: Journal entries.
        known: Earlier facts by label.
        layout: Of the context `sleep_consolidate`; None is that of an NPC whose operator changed
            nothing.

    """
    layout = layout or layout_for(CONTEXT_SLEEP_CONSOLIDATE)
    records = [
        {
            "id": entry["id"],
            "date": entry["timestamp"][:10],
            **({"from": entry["source_entity"]} if entry.get("source_entity") else {}),
            "text": entry["content"][:SHOWN],
        }
        for entry in batch
    ]
    slots = [render_slot("entries", records)]
    if known:
        labelled = [{"label": label, "text": words} for label, words in known.items()]
        slots.insert(0, render_slot("known", labelled))
    return [
        {"role": "system", "content": "\n\n".join(_words(layout, Component.SYSTEM_PROMPT))},
        {
            "role": "user",
            "content": "\n".join([*slots, *_words(layout, Component.PENDING_EVENT)]),
        },
    ]


def _words(layout: Layout, component: Component) -> list[str]:
    """The text of a component, and those an operator put behind it."""
    return [*layout.text(component), *(words for _number, words in layout.following(component))]


def find_candidates(
    batch: Sequence[Mapping[str, Any]],
    character: Any,
    now: float,
    known: dict[str, tuple[str, list[str]]],
) -> Iterator[None]:
    """
    Find earlier facts that entries of a batch may contradict; others have their turn between.

    Only those with the audience of the batch; what others may be told is another matter.

    Args:
        batch: Journal entries of equal audience.
        character: The NPC.
        now: UTC seconds since the epoch.
        known: Filled: text and ids by label.

    """
    memory = character.memory
    audience = frozen(batch[0].get("audience"))
    if audience is None:
        return
    listeners = audience if isinstance(audience, tuple) else ()
    confidential = entries.in_confidence(batch[0])
    found: dict[str, tuple[str, list[str]]] = {}
    for entry in batch:
        hits = memory.index.search(
            entries.words_of(entry), listeners=listeners, now=now, limit=4 * CANDIDATES
        )
        fitting = [
            hit.item
            for hit in hits
            if hit.item.audience == audience
            and hit.item.confidence == confidential
            # Hearsay takes nothing back that was seen, or told by whom it is about.
            and hit.item.source_trust <= float(entry["source_trust"])
            and memory.facts.fact_ids_of(hit.item.id)
        ]
        for item in fitting[:CANDIDATES]:
            who = f"{item.speaker_name}: " if item.speaker_name else ""
            found.setdefault(item.id, (who + item.text, memory.facts.fact_ids_of(item.id)))
        yield
    known.update((f"k{n}", value) for n, value in enumerate(list(found.values())[:MAX_KNOWN], 1))


def _settled(
    batch: Sequence[dict[str, Any]],
    records: Sequence[Extracted],
    problems: Sequence[str],
    known: Mapping[str, list[str]],
    character: Any,
    key: str,
) -> Extraction:
    """What the records of an answer amount to, entry by entry."""
    by_id = {entry["id"]: entry for entry in batch}
    extraction = Extraction(refused=sum(bool(record.refused) for record in records))
    kept = _merged([record for record in records if record.text and not record.refused])
    names, own_names = _known_names(character), _own_names(character)
    ordinals: dict[tuple[int, ...], int] = {}
    for record in kept:
        ids = tuple(sorted(record.entry_ids))
        ordinal = ordinals[ids] = ordinals.get(ids, -1) + 1
        extraction.facts.append(
            make_fact(
                record.text or "",
                [by_id[number] for number in ids],
                key,
                ordinal,
                names,
                own_names,
                [fact_id for label in record.replaces for fact_id in known[label]],
            )
        )
    used = {number for record in kept for number in record.entry_ids}
    answered = {number for record in records for number in record.entry_ids}
    refused = {number for record in records if record.refused for number in record.entry_ids}
    for number, entry in by_id.items():
        if number in used:
            continue
        if number in refused and (said := own_text(entry)) is not None:
            # The model made it the NPC's own affair; the entry itself does not.
            extraction.facts.append(make_fact(said, [entry], key, names=names))
        elif number in answered or (len(batch) == 1 and not records and not problems):
            extraction.empty.append(number)
        else:
            reason = problems[0] if problems else "no record of it"
            extraction.failed[number] = f"The model's answer could not be used: {reason}"
    return extraction


def _merged(records: Sequence[Extracted]) -> list[Extracted]:
    """Records of which no two say the same."""
    merged: list[Extracted] = []
    for record in records:
        for place, other in enumerate(merged):
            if same_words(record.text or "", other.text or ""):
                merged[place] = Extracted(
                    tuple(dict.fromkeys((*other.entry_ids, *record.entry_ids))),
                    other.text,
                    tuple(dict.fromkeys((*other.replaces, *record.replaces))),
                )
                break
        else:
            merged.append(record)
    return merged


def _own_names(character: Any) -> list[str]:
    return [*names_of(character), *character.aliases.all()]


def _known_names(character: Any) -> dict[str, str]:
    """Entity id by folded name, of those the NPC knows; names several answer to are left out."""
    found: dict[str, str | None] = {}
    for who, profile in character.memory.profiles.store.data.items():
        for name in known_names(profile):
            # A fact is linked by what everybody may know.
            for folded in name_keys(name.text) if name.audience == PUBLIC else ():
                found[folded] = who if found.get(folded, who) == who else None
    return {folded: who for folded, who in found.items() if who is not None}
