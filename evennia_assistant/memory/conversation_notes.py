"""
What the journal keeps of a conversation as a whole: one summary for each circle that may be told.

Here is how it is written, and how it is made when there is no model: by `mind.digest`, with the
rarity of words in what that circle may be told.

"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..mind.conversation import SUMMARY, Part, holds, parts_of, says_something
from ..mind.digest import Line, digest
from ..mind.entry import when_of
from ..mind.text import content_terms
from .conversation_record import conversation_id

#: Importance of a summary a model wrote, and of a digest, which repeats what stands elsewhere.
SUMMARY_IMPORTANCE = 5
DIGEST_IMPORTANCE = 3
TAGS = ("synthesis", "conversation")
#: Attributes of the archive that were filled lately.
LATELY = 4


def digest_of(memory: Any, part: Part) -> str:
    """
    The gist of a part of a conversation without a model.

    Args:
        memory: The NPC's `MemoryHandler`.
        part: The part.

    Returns:
        One line of text, "" where every line was taken back; what an earlier summary in the part
        said is not in it.

    """
    spoken = [message for message in part.messages if holds(message)]
    terms = {term for message in spoken for term in content_terms(message["content"])}
    listeners = part.audience if isinstance(part.audience, tuple) else ()
    lines = [
        Line(str(message.get("name", "")), message["content"], when_of(message["timestamp"]))
        for message in spoken
    ]
    return digest(lines, memory.index.rarity(terms, listeners=listeners))


def name_of(conversation: str, part: Part) -> str:
    """What the summary of a part of a conversation is known by, however often it is made."""
    return f"{conversation} {part.places[0]}"


def evidence_of(messages: Sequence[Mapping[str, Any]]) -> list[str]:
    """The journal entries that hold these lines and were not taken back, as `evidence` has them."""
    numbers = (message.get("entry_id") for message in messages if not message.get("withdrawn"))
    return [f"j{number}" for number in dict.fromkeys(numbers) if number is not None]


def manner_tags(part: Part) -> list[str]:
    """The tag by which what comes of a part stays in confidence, if it has to."""
    return ["whisper"] if part.confidential else []


def write_summary(
    memory: Any,
    entity_id: str,
    part: Part,
    text: str,
    *,
    conversation: str,
    when: float,
    by_model: bool,
) -> dict[str, Any]:
    """
    Put a summary into the journal; the caller saves.

    Args:
        memory: The NPC's `MemoryHandler`.
        entity_id: The partner.
        part: What was summarised.
        text: The summary.
        conversation: What it is known by; a summary that is there already is not written again.
        when: UTC seconds since the epoch.
        by_model: Whether a model wrote it.

    Returns:
        The entry.

    """
    known = summary_known(memory, conversation)
    if known is not None:
        return known
    times = [message["timestamp"] for message in part.messages]
    entry: dict[str, Any] = memory.write(
        f"[SYNTHESIS] {text}",
        when=when,
        kind=SUMMARY,
        source_type="inference",
        importance=SUMMARY_IMPORTANCE if by_model else DIGEST_IMPORTANCE,
        tags=[*TAGS, *manner_tags(part)],
        audience=part.audience,
        entities=[entity_id],
        evidence=evidence_of(part.messages),
        event_time={"start": min(times), "end": max(times)},
        conversation=conversation,
    )
    return entry


def summary_known(memory: Any, conversation: str) -> dict[str, Any] | None:
    """The summary of that name, live or archived lately, None when there is none."""
    journal = memory.journal
    for entry in reversed(journal.entries):
        if _is_summary(entry, conversation):
            found: dict[str, Any] = entry
            return found
    # The write that stored it may have moved it to the archive at once.
    for key in reversed(journal.archive.keys()[-LATELY:]):
        for archived in journal.archive.entries_in(key):
            if _is_summary(archived, conversation):
                return dict(archived)
    return None


def _is_summary(entry: Mapping[str, Any], conversation: str) -> bool:
    return entry.get("conversation") == conversation and entry.get("kind") == SUMMARY


def keep_digest(memory: Any, record: Mapping[str, Any], *, when: float) -> int:
    """
    Put what matters of a conversation that has no room any more into the journal.

    Args:
        memory: The NPC's `MemoryHandler`.
        record: The conversation, with its `entity_id`.
        when: UTC seconds since the epoch.

    Returns:
        How many entries were written; the caller saves.

    """
    entity_id, name = record["entity_id"], memory.character.key
    known = conversation_id(entity_id, record)
    written = 0
    parts = parts_of(record["messages"], lambda message: not message.get("extracted"))
    for part in parts:
        if says_something(part.messages, name):
            write_summary(
                memory,
                entity_id,
                part,
                digest_of(memory, part),
                conversation=name_of(known, part),
                when=when,
                by_model=False,
            )
            written += 1
    for action in record.get("pending_actions", ()):
        if isinstance(action, dict) and not action.get("done_at"):
            memory.write(
                f"Still to be done: {action['action']}",
                when=when,
                kind="intention",
                source_type="inference",
                audience=[entity_id],
                entities=[entity_id],
            )
            written += 1
    return written
