"""
Quick facts and patterns, on `character.db.session_memory` = `{"facts": [...], "patterns": [...]}`.

A fact is a preference or the like ("Anna wants to be called Captain"), a pattern something that
keeps happening ("players look around before they ask for help"). Neither may be about the NPC
itself (`mind.persona_protection`). Each carries its audience and when it was last confirmed.

"""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from typing import Any

from ..mind import audience as audiences
from ..mind.entry import timestamp_of
from ..mind.percept import Audience
from ..mind.persona_protection import is_self_referential
from .attribute_store import AttributeStore

KINDS: tuple[str, ...] = ("facts", "patterns")
MAX_NOTES = 50
MAX_TEXT = 300


def empty_session_memory() -> dict[str, Any]:
    """The documented form of remembering nothing."""
    return {kind: [] for kind in KINDS}


def repair_session_memory(raw: Any) -> tuple[dict[str, Any], str | None]:
    """The sound notes of whatever is stored, and what was wrong, None if nothing was."""
    if not isinstance(raw, Mapping):
        return empty_session_memory(), "not a mapping"
    sound: dict[str, Any] = {**raw}
    problems = []
    for kind in KINDS:
        notes = raw.get(kind, [])
        if not isinstance(notes, list):
            problems.append(f"without a list of {kind}")
            notes = []
        sound[kind] = [note for note in map(_note, notes) if note is not None]
        if len(sound[kind]) < len(notes):
            problems.append(f"holding {kind} that cannot be read")
    return sound, "; ".join(problems) or None


def _note(raw: Any) -> dict[str, Any] | None:
    # A plain text is what a builder would write: it is for everybody, as a taught line is.
    if isinstance(raw, str) and raw.strip():
        return {"text": raw.strip()[:MAX_TEXT], "timestamp": "", "audience": "public"}
    if isinstance(raw, Mapping) and isinstance(raw.get("text"), str) and raw["text"].strip():
        return {"timestamp": "", "audience": None, **raw}
    return None


class SessionMemory:
    """
    The facts and patterns of one NPC.

    Args:
        character: The NPC.

    """

    def __init__(self, character: Any) -> None:
        self.store = AttributeStore(
            character, "session_memory", empty_session_memory, repair=repair_session_memory
        )

    def add(
        self,
        kind: str,
        text: str,
        *,
        audience: Audience = None,
        asked_by: Collection[str] = (),
        confidence: bool = False,
        when: float | None = None,
    ) -> dict[str, Any]:
        """
        Keep a fact or a pattern; said again, it is only confirmed. The oldest beyond
        `MAX_NOTES` goes.

        Args:
            kind: `facts` or `patterns`.
            text: One sentence about the world or about people.
            audience: Who may be told; None is nobody.
            asked_by: Entity ids of those whose words it comes from.
            confidence: It was learned in confidence, and is never said aloud by itself.
            when: UTC seconds since the epoch; None is now.

        Raises:
            ValueError: If there is no such kind, the text is empty, or it is about the NPC itself.

        """
        if kind not in KINDS:
            raise ValueError(f"There are {' and '.join(KINDS)}, no {kind!r}.")
        text = " ".join(text.split())[:MAX_TEXT]
        if not text:
            raise ValueError("There is nothing in that text.")
        if is_self_referential(text):
            raise ValueError("Keep what is true of the world or of others, not of yourself.")
        stamp = timestamp_of(time.time() if when is None else when)
        notes = self.store.data[kind]
        note: dict[str, Any] = {
            "text": text,
            "timestamp": stamp,
            "audience": audiences.stored(audience),
        }
        if asked_by:
            note["asked_by"] = list(asked_by)
        if confidence:
            note["confidence"] = True
        # The same words, learned once in the open and once in confidence, stay two notes: joined,
        # they would either tell too much or take away what anyone may hear.
        same = [n for n in notes if n["text"].casefold() == text.casefold()]
        for old in same:
            as_open = bool(old.get("confidence")) == confidence
            if as_open and audiences.frozen(old["audience"]) == audiences.frozen(audience):
                notes.remove(old)
        notes.append(note)
        del notes[:-MAX_NOTES]
        self.store.touch()
        return note

    def told_to(self, kind: str, listeners: Collection[str]) -> list[dict[str, Any]]:
        """The facts or patterns that all listeners may be told, oldest first."""
        return [
            note
            for note in self.store.data[kind]
            if audiences.may_be_told(note.get("audience"), listeners)
        ]
