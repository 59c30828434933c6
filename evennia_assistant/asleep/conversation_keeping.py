"""
What came of a talk, taken into memory: entries, profiles, mood, and the talk in one sentence.

It is taken in from the answer as it was stored, so that a night that was broken off between the
two goes on from there without asking again. Everything stands in one write with the marks on the
lines; the caller saves.

"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..memory.conversation_notes import (
    digest_of,
    evidence_of,
    manner_tags,
    name_of,
    summary_known,
    write_summary,
)
from ..memory.mentions import mention
from ..mind import entry as entries
from ..mind.audience import frozen, listeners_of
from ..mind.conversation import Part
from ..mind.entry import when_of
from ..mind.extraction import distinct_times, same_words
from ..mind.importance import score_importance_heuristic
from ..perception.company import names_of
from .conversation_records import Piece

TAG = "conversation"
#: States of an entry that holds no more.
_GONE = ("superseded", "merged")

Counts = dict[str, Any]


def keep(character: Any, piece: Piece, now: float, *, by_model: bool, result: Counts) -> None:
    """
    Take in what came of a piece, unless it was taken in already.

    Args:
        character: The NPC.
        piece: The lines, and the checked records of the answer.
        now: UTC seconds since the epoch.
        by_model: Whether a model was asked.
        result: Counted up: `entries`, `intentions`, `observations`, `names`, `replaced`, `moods`
            and `summaries`.

    """
    name = name_of(piece.conversation, piece.part)
    if summary_known(character.memory, name) is not None:
        return
    for item in piece.found.get("entity", ()):
        result["names"] += _keep_entity(character, piece, item, now)
    for item in piece.found.get("memory", ()):
        _keep_memory(character, piece, item, now, name, result)
    for item in piece.found.get("intention", ()):
        _keep_intention(character, piece, item, now, name)
        result["intentions"] += 1
    for item in piece.found.get("about", ()):
        _keep_about(character, piece, item, now)
        result["observations"] += 1
    for item in piece.found.get("mood", ()):
        _keep_mood(character, piece, item)
        result["moods"] += 1
    _keep_summary(character, piece, now, name, by_model=by_model)
    result["summaries"] += 1


def _keep_memory(
    character: Any, piece: Piece, item: Mapping[str, Any], now: float, name: str, result: Counts
) -> None:
    memory, fields = character.memory, dict(item["fields"])
    same = _said_before(memory, piece.part, item["text"], fields.get("event_time"))
    if same is not None:
        same["mention_count"] = entries.get(same, "mention_count") + 1
        same["rev"] = entries.get(same, "rev") + 1
        memory.journal.store.touch(same)
        return
    tags = [TAG, *manner_tags(piece.part)]
    given = fields.pop("importance", None)
    if given is not None:
        given = max(given, score_importance_heuristic(item["text"], "inference", tags))
    entry = memory.write(
        item["text"],
        **_common(character, piece, item, now, name),
        **fields,
        importance=given,
        tags=tags,
    )
    if given is not None:
        entry["importance_method"] = "llm"
    result["entries"] += 1
    for number in item["replaces"]:
        old = memory.journal.find(number)
        if old is not None and number != entry["id"] and entries.get(old, "state") not in _GONE:
            memory.forget(number, successor=entry["id"])
            result["replaced"] += 1


def _said_before(
    memory: Any, part: Part, text: str, event_time: Mapping[str, str] | None
) -> dict[str, Any] | None:
    """An entry that holds, says the same, and of another day only if one of them is undated."""
    for entry in reversed(memory.journal.entries):
        if (
            TAG in entry.get("tags", ())
            and entries.get(entry, "kind") == "event"
            and entries.get(entry, "state") not in _GONE
            and (frozen(entry.get("audience")), entries.in_confidence(entry)) == part.group
            and same_words(entry["content"], text)
            and not distinct_times([entries.get(entry, "event_time")], [event_time])
        ):
            found: dict[str, Any] = entry
            return found
    return None


def _keep_intention(
    character: Any, piece: Piece, item: Mapping[str, Any], now: float, name: str
) -> None:
    character.memory.write(
        item["text"],
        **_common(character, piece, item, now, name),
        kind="intention",
        event_time=item["event_time"],
        relational_tags=["commitment"],
        tags=[TAG, *manner_tags(piece.part)],
    )


def _keep_entity(character: Any, piece: Piece, item: Mapping[str, Any], now: float) -> bool:
    """Take in who or what was spoken of by name; whether it is known now who that is."""
    own = {name.casefold() for name in (*names_of(character), *character.aliases.all())}
    if item["text"].casefold() in own:
        return False
    lines = _lines_of(piece, item)
    numbers = [message["entry_id"] for message in lines if message.get("entry_id") is not None]
    who = mention(
        character.memory.profiles,
        item["text"],
        kind=item["kind"],
        aliases=[name for name in item["also"] if name.casefold() not in own],
        audience=piece.part.audience,
        evidence=numbers,
        confidence=piece.part.confidential,
        by=piece.entity_id,
        text="\n".join(str(message["content"]) for message in lines),
        when=now,
    )
    return who is not None


def _common(
    character: Any, piece: Piece, item: Mapping[str, Any], now: float, name: str
) -> dict[str, Any]:
    """The fields of every entry that is made of lines of a talk."""
    named = character.memory.profiles.ids_in(item["text"], listeners_of(piece.part.audience))
    return {
        "when": now,
        "source_type": "inference",
        "source_entity": piece.part.partner,
        "audience": piece.part.audience,
        # Whoever else is in the game has their own lines; whom it was told of, it knows by these.
        "entities": [piece.entity_id, *(who for who in named if who.startswith("@"))],
        "evidence": evidence_of(_lines_of(piece, item)),
        "conversation": name,
    }


def _lines_of(piece: Piece, item: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    return [piece.part.messages[line - 1] for line in item["lines"]]


def _keep_about(character: Any, piece: Piece, item: Mapping[str, Any], now: float) -> None:
    profiles = character.memory.profiles
    numbers = [message.get("entry_id") for message in _lines_of(piece, item)]
    profiles.ensure(piece.entity_id, "player", piece.part.partner or "")
    profiles.add_observation(
        piece.entity_id,
        item["text"],
        audience=piece.part.audience,
        entry_id=next((number for number in numbers if number is not None), None),
        when=now,
    )


def _keep_mood(character: Any, piece: Piece, item: Mapping[str, Any]) -> None:
    """How the talk left both; a mood noted since the talk stays."""
    keeper, ended = character.memory.mood, when_of(piece.part.messages[-1]["timestamp"])
    noted = keeper.store.data["updated_at"]
    passed_by = bool(noted) and when_of(noted) > ended
    keeper.note(
        None if passed_by else item["text"],
        None if passed_by else item["energy"],
        item["signal"],
        now=ended,
        entity_id=piece.entity_id,
        audience=piece.part.audience,
        confidence=piece.part.confidential,
    )


def _keep_summary(character: Any, piece: Piece, now: float, name: str, *, by_model: bool) -> None:
    memory = character.memory
    summary = next((item["text"] for item in piece.found.get("summary", ())), None)
    write_summary(
        memory,
        piece.entity_id,
        piece.part,
        summary or digest_of(memory, piece.part),
        conversation=name,
        when=now,
        by_model=by_model and summary is not None,
    )
