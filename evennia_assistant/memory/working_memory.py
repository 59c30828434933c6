"""
The conversations an NPC is in, on `character.db.working_memory`.

One record for each partner, with the documented keys. Every line carries its audience, so that
what was whispered is not replayed into a prompt whose answer others will hear. All that was said
to the NPC also stands in its journal; a conversation that ended may therefore be cleared.

"""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from typing import Any

from ..mind import audience as audiences
from ..mind.entry import timestamp_of, when_of
from ..mind.percept import Audience
from .attribute_store import AttributeStore

#: A silence of this many seconds ends a conversation.
IDLE_CLOSE = 30 * 60
#: An ended conversation is cleared after this many seconds (documented).
STALE_AFTER = 60 * 60
#: A conversation is cut to `KEEP_MESSAGES` when it grows beyond this, so that the start of the
#: prompt stays the same for many turns between two cuts.
MAX_MESSAGES = 64
KEEP_MESSAGES = 32
#: The same over all conversations of one NPC; those idle longest are cut to their last exchange.
MAX_TOTAL = 400
#: Seconds between two looks for conversations that ended or grew too many.
CLEAR_EVERY = 60.0


def repair_working_memory(raw: Any) -> tuple[dict[str, Any], str | None]:
    """The sound conversations of whatever is stored, and what was wrong, None if nothing was."""
    if not isinstance(raw, Mapping):
        return {}, "not a mapping"
    sound, problems = {}, []
    for entity_id, record in raw.items():
        try:
            when_of(record["last_at"])
            usable = isinstance(record["messages"], list) and all(
                isinstance(message["content"], str) for message in record["messages"]
            )
        except (KeyError, TypeError, ValueError):
            usable = False
        if usable:
            sound[entity_id] = dict(record)
        else:
            problems.append(f"holding a broken conversation with {entity_id}")
    return sound, "; ".join(problems) or None


class WorkingMemory:
    """
    The open conversations of one NPC.

    Args:
        character: The NPC.

    """

    def __init__(self, character: Any) -> None:
        self.store = AttributeStore(
            character, "working_memory", dict, repair=repair_working_memory, sectioned=True
        )
        self._cleared = float("-inf")

    def start_conversation(
        self, entity_id: str, *, when: float | None = None, topic: str = ""
    ) -> tuple[dict[str, Any], bool]:
        """
        The conversation with someone, opened if the last one has ended.

        Args:
            entity_id: The partner.
            when: UTC seconds since the epoch; None is now.
            topic: What it is about.

        Returns:
            The record, and whether it was opened just now.

        """
        now = time.time() if when is None else when
        record = self.open_conversation(entity_id, when=now)
        if record is not None:
            return record, False
        record = {
            "topic": topic,
            "started_at": timestamp_of(now),
            "last_at": timestamp_of(now),
            "messages": [],
            "pending_actions": [],
        }
        self.store.data[entity_id] = record
        self.store.touch(entity_id)
        return record, True

    def open_conversation(
        self, entity_id: str, *, when: float | None = None
    ) -> dict[str, Any] | None:
        """
        The conversation with someone as long as it goes on, None when none is open.

        Args:
            entity_id: The partner.
            when: UTC seconds since the epoch; None is now.

        """
        now = time.time() if when is None else when
        record = self.store.data.get(entity_id)
        if record is None or now - when_of(record["last_at"]) >= IDLE_CLOSE:
            return None
        return record

    def add_message(
        self,
        entity_id: str,
        role: str,
        content: str,
        *,
        name: str = "",
        manner: str = "say",
        audience: Audience = None,
        entry_id: int | None = None,
        when: float | None = None,
    ) -> None:
        """
        Keep one line of a conversation.

        Args:
            entity_id: The partner.
            role: `user` for the partner's words, `assistant` for the NPC's own.
            content: The words.
            name: Who said them.
            manner: How, as in `mind.percept.Manner`.
            audience: Who may be told.
            entry_id: The journal entry that holds the same words.
            when: UTC seconds since the epoch; None is now.

        """
        now = time.time() if when is None else when
        record, _opened = self.start_conversation(entity_id, when=now)
        record["messages"].append(
            {
                "role": role,
                "content": content,
                "name": name,
                "manner": manner,
                "audience": audience
                if audience is None or isinstance(audience, str)
                else list(audience),
                "entry_id": entry_id,
                "timestamp": timestamp_of(now),
            }
        )
        record["last_at"] = timestamp_of(now)
        if len(record["messages"]) > MAX_MESSAGES:
            del record["messages"][:-KEEP_MESSAGES]
        self.store.touch(entity_id)

    def add_pending_action(self, entity_id: str, action: str) -> None:
        """Remember that something is still to be done for someone in this conversation."""
        record, _opened = self.start_conversation(entity_id)
        record["pending_actions"].append(action)
        self.store.touch(entity_id)

    def messages_for(
        self, entity_id: str, listeners: Collection[str], *, when: float | None = None
    ) -> list[dict[str, Any]]:
        """
        The lines of an open conversation, as far as all listeners may be told.

        Args:
            entity_id: The partner.
            listeners: Entity ids of those who will hear the answer.
            when: UTC seconds since the epoch; None is now.

        Returns:
            Records as `add_message` keeps them, oldest first; empty when no conversation is open.

        """
        record = self.open_conversation(entity_id, when=when)
        return [
            message
            for message in (record["messages"] if record else ())
            if audiences.may_be_told(message.get("audience"), listeners)
        ]

    def clear_now_and_then(self, *, when: float) -> None:
        """As `clear_stale`, once in `CLEAR_EVERY` seconds however often it is called."""
        if not 0.0 <= when - self._cleared < CLEAR_EVERY:
            self.clear_stale(when=when)

    def clear_stale(self, *, when: float | None = None) -> int:
        """
        Forget conversations that ended, and cut the oldest while there are too many lines in all.

        Returns:
            How many conversations were cleared.

        """
        now = time.time() if when is None else when
        self._cleared = now
        data = self.store.data
        stale = [
            key for key, record in data.items() if now - when_of(record["last_at"]) >= STALE_AFTER
        ]
        for key in stale:
            del data[key]
        if stale:
            self.store.touch(*stale)
        total = sum(len(record["messages"]) for record in data.values())
        if total > MAX_TOTAL:
            for key in sorted(data, key=lambda key: data[key]["last_at"]):
                spare = len(data[key]["messages"]) - 2
                if spare > 0:
                    del data[key]["messages"][:spare]
                    self.store.touch(key)
                    total -= spare
                if total <= MAX_TOTAL // 2:
                    break
        return len(stale)


def clear_stale_conversations(character: Any) -> int:
    """Clear and save the stale conversations of an NPC; the documented function."""
    working_memory = character.memory.working
    cleared = working_memory.clear_stale()
    working_memory.store.save()
    return cleared
