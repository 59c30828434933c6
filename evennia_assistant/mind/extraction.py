"""
From journal entries to facts: what may become one, in what words, and told to whom.

The rules hold whatever a model answers. A fact rests on entries it was shown; it says nothing
about the NPC itself; what somebody claimed stays their claim, with their name and the trust they
had; it may be told to those who may be told all it rests on, and to nobody else.

"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from . import entry as entries
from .audience import frozen, intersect
from .fact import CONFIDENCE_TAG, Fact, fact_key
from .importance import DEFAULT_TRUST
from .persona_protection import is_self_referential
from .text import content_terms, is_question, name_keys, names_in

#: Longest fact, in characters.
MAX_FACT = 400
#: Tags and entities one fact carries at most.
MAX_TAGS = 10
MAX_ENTITIES = 12
#: Share of a text's words that must stand in one recalled text for it to be that text again.
REPEATED = 0.8

_SENTENCE = re.compile(r"(?<=[.!?])[\"\u201d]?\s+")
#: How a question begins that many write without its mark, behind a name or none.
_ASKING = re.compile(
    r"(?:[\w' ]{1,40}, *)?(?:do|did|don't|didn't|can|could|will|would|are|were|have|haven't) you\b",
    re.IGNORECASE,
)
_SMALL = frozenset(
    {"the", "a", "an", "there", "it", "this", "that", "he", "she", "they", "his", "her"}
)
_CLAIMS = ("said", "says", "told", "tells", "claim", "claims", "claimed", "asked", "asks")


@dataclass(frozen=True, slots=True)
class Extracted:
    """
    One record of a model's answer.

    Args:
        entry_ids: The entries it rests on; all of them were shown.
        text: The fact, None when the entries hold nothing to keep.
        replaces: Labels of earlier facts that hold no longer.
        refused: Why the text cannot be kept, "" when it can.

    """

    entry_ids: tuple[int, ...]
    text: str | None
    replaces: tuple[str, ...] = ()
    refused: str = ""


def checked(
    record: Any, shown: Sequence[int], labels: Sequence[str] = (), own_names: Sequence[str] = ()
) -> Extracted:
    """
    A record of a model's answer, as far as it can be used.

    Args:
        record: As the model wrote it.
        shown: Numbers of the entries it was shown.
        labels: Of the earlier facts it was shown.
        own_names: What the NPC is called; what it did or is belongs to its persona.

    Raises:
        ValueError: If it says of none of these entries what they hold; the text says why.

    """
    if not isinstance(record, Mapping):
        raise ValueError("a record is no object")
    named = record.get("entries", record.get("entry"))
    given = [entries.number_of(value) for value in (named if isinstance(named, list) else [named])]
    numbers = tuple(
        dict.fromkeys(number for number in given if number is not None and number in shown)
    )
    if not numbers or any(number not in shown for number in given):
        # In our own words: what a model wrote may be a confidence, and this goes to a log.
        raise ValueError("`entries` of a record are not numbers of entries that were shown")
    if "fact" not in record:
        raise ValueError("a record has no `fact`; it is null where nothing is to be kept")
    text = record["fact"]
    if text is None:
        return Extracted(numbers, None)
    if not isinstance(text, str) or not text.strip():
        raise ValueError("`fact` is a sentence or null")
    text = " ".join(text.split())
    if len(text) > MAX_FACT:
        raise ValueError(f"a fact has more than {MAX_FACT} characters")
    replaced = record.get("replaces") or ()
    replaced = replaced if isinstance(replaced, list) else [replaced]
    return Extracted(
        numbers,
        text,
        tuple(dict.fromkeys(label for label in replaced if label in labels)),
        "it is about the NPC itself" if _is_about(text, own_names) else "",
    )


def own_text(entry: Mapping[str, Any]) -> str | None:
    """
    An entry's own text as the fact it is, where no model distils it.

    Returns:
        None when there is nothing in it to keep: it only asks, or it is about the NPC itself.

    """
    content = str(entry["content"]).strip()
    words = entries.words_of(entry)
    if only_asks(words):
        return None
    return None if is_self_referential(content) else content


def only_asks(words: str) -> bool:
    """Whether words want to know something and tell nothing, marked as a question or not."""
    return all(
        is_question(sentence) or _ASKING.match(sentence) is not None
        for sentence in _SENTENCE.split(words.strip())
    )


def make_fact(
    text: str,
    evidence: Sequence[Mapping[str, Any]],
    assistant_key: str,
    ordinal: int = 0,
    names: Mapping[str, str] | None = None,
    own_names: Sequence[str] = (),
    replaces: Sequence[str] = (),
) -> Fact:
    """
    The fact that a text is, given what it rests on.

    Args:
        text: What is the case.
        evidence: The journal entries, at least one.
        assistant_key: The NPC's key.
        ordinal: Its place among the facts of the same evidence.
        names: Entity id by folded name, of those the NPC knows.
        own_names: What the NPC is called.
        replaces: Ids of facts that hold no longer because of it.

    Returns:
        The fact, with the intersection of the audiences and the least of the trust.

    """
    ids = tuple(sorted(entry["id"] for entry in evidence))
    weakest = min(evidence, key=lambda entry: float(entry["source_trust"]))
    weightiest = max(evidence, key=lambda entry: int(entry["importance"]))
    speakers = list(
        dict.fromkeys(
            (entries.get(entry, "source_id"), entry.get("source_entity")) for entry in evidence
        )
    )
    speaker, name = speakers[0] if len(speakers) == 1 else (None, None)
    places = {entries.get(entry, "place") for entry in evidence}
    tags = dict.fromkeys(tag for entry in evidence for tag in entry.get("tags", ()))
    if any(entries.in_confidence(entry) for entry in evidence):
        tags = {CONFIDENCE_TAG: None, **tags}
    about = dict.fromkeys(who for entry in evidence for who in entries.get(entry, "entities"))
    about.update(dict.fromkeys(names_in(text, names or {}).values()))
    return Fact(
        key=fact_key(assistant_key, "fact", ids, ordinal),
        text=attributed(text, evidence, own_names),
        when=max(entries.when_of(entry["timestamp"]) for entry in evidence),
        audience=intersect(frozen(entry.get("audience")) for entry in evidence),
        entry_ids=ids,
        importance=max(1, min(10, int(weightiest["importance"]))),
        importance_method=str(weightiest.get("importance_method", "heuristic")),
        source_type=weakest["source_type"],
        source_trust=float(weakest["source_trust"]),
        source_entity=name,
        source_id=speaker,
        tags=tuple(tags)[:MAX_TAGS],
        entities=tuple(about)[:MAX_ENTITIES],
        place=places.pop() if len(places) == 1 else None,
        replaces=tuple(replaces),
        valence=max((_valence(entry) for entry in evidence), key=abs),
        relational_tags=_relational_tags(evidence),
        event_time=_event_time(evidence),
    )


def _valence(entry: Mapping[str, Any]) -> float:
    return entries.sound_valence(entries.get(entry, "valence"))


def _relational_tags(evidence: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    tags = dict.fromkeys(
        str(tag) for entry in evidence for tag in entries.get(entry, "relational_tags")
    )
    return tuple(tags)[: entries.MAX_RELATIONAL_TAGS]


def _event_time(evidence: Sequence[Mapping[str, Any]]) -> tuple[float, float] | None:
    """The time that all its evidence tells of; None where there is none, or not one alone."""
    spans = {entries.span_of(entries.get(entry, "event_time")) for entry in evidence} - {None}
    return spans.pop() if len(spans) == 1 else None


def attributed(
    text: str, evidence: Sequence[Mapping[str, Any]], own_names: Sequence[str] = ()
) -> str:
    """
    A text that says whose word it is, where it rests on what somebody said.

    What somebody tells of themselves may stand as it is; the fact keeps who said it either way.

    Args:
        text: What is the case, if what was said is true.
        evidence: The journal entries.
        own_names: What the NPC is called; of it nobody but the teller is the witness.

    """
    told_by = list(
        dict.fromkeys(
            str(entry["source_entity"])
            for entry in evidence
            if entry.get("source_entity") and entries.words_of(entry) != entry["content"]
        )
    )
    if not told_by or any(_says(name, text) for name in told_by):
        return text
    of_self = len(told_by) == 1 and text.casefold().startswith(told_by[0].casefold())
    if of_self and not _names_any(text, own_names):
        return text
    return f"{' and '.join(told_by)} said that {_joined(text)}"


def repeats(text: str, recalled: Sequence[str]) -> bool:
    """
    Whether a text only says again what stands in one of the recalled ones.

    Args:
        text: What somebody is about to write down.
        recalled: Texts the NPC has just recalled.

    """
    terms = set(content_terms(text))
    if not terms:
        return False
    return any(
        len(terms & set(content_terms(known))) >= REPEATED * len(terms) for known in recalled
    )


def at_their_word(fields: Mapping[str, Any], speakers: Iterable[str]) -> dict[str, Any]:
    """
    Where a note written at somebody's word comes from, whatever a model claims.

    Nobody's word makes the NPC a witness, is trusted above the word of whoever stands before it,
    or becomes the word of somebody who did not speak.

    Args:
        fields: `source_type`, and optionally `source_trust` and `source_entity`, as the model
            gave them.
        speakers: Names of those who spoke; the first stands for all.

    """
    names = list(speakers)
    source_type = fields["source_type"]
    if source_type == "observation":
        source_type = "direct"
    most = DEFAULT_TRUST.get(source_type, 0.0)
    claimed = fields.get("source_entity")
    return {
        "source_type": source_type,
        "source_trust": min(most, fields.get("source_trust") or most),
        "source_entity": claimed if claimed is None or claimed in names else names[0],
    }


def same_words(one: str, other: str) -> bool:
    """Whether two texts differ in nothing but case, spaces and the full stop."""
    return _plain(one) == _plain(other)


def distinct_times(one: Sequence[Any], other: Sequence[Any]) -> bool:
    """Whether both sides are dated (`event_time` of entries) and no date is on both."""
    dates, others = [time for time in one if time], [time for time in other if time]
    return bool(dates and others) and not any(time in others for time in dates)


def _says(name: str, text: str) -> bool:
    """Whether a text reports the words of somebody of that name."""
    lowered = text.casefold()
    return any(
        f"{key} {claim}" in lowered for key in name_keys(name) for claim in _CLAIMS
    ) or lowered.startswith("according to " + name.casefold())


def _is_about(text: str, own_names: Sequence[str]) -> bool:
    """Whether a text has the NPC for its subject, or the keeper of the diary for its speaker."""
    lowered = text.casefold()
    return is_self_referential(text) or any(
        lowered.startswith((f"{name.casefold()} ", f"{name.casefold()}'s ")) for name in own_names
    )


def _names_any(text: str, names: Sequence[str]) -> bool:
    keys = {key: name for name in names for key in name_keys(name)}
    return bool(names_in(text, keys)) or re.search(r"\byour?\b", text, re.IGNORECASE) is not None


def _joined(text: str) -> str:
    """A sentence as it goes on after "said that"."""
    first = text.split(" ", 1)[0].casefold()
    return text[0].lower() + text[1:] if first in _SMALL else text


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".! ")
