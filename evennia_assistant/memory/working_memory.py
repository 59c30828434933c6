"""
The conversations an NPC is in, on `character.db.working_memory`.

One record for each partner, with the documented keys. Every line carries its audience, so that
what was whispered is not replayed into a prompt whose answer others will hear. A conversation is
closed by silence, or cut when it grows long; what was not extracted yet then waits
(`memory.ended_conversations`), and nothing but what was extracted is ever cleared.

"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator
from typing import Any

from ..llm.tokens import count_tokens
from ..mind import audience as audiences
from ..mind.conversation import SUMMARY, take_back
from ..mind.entry import timestamp_of, when_of
from ..mind.percept import Audience
from .attribute_store import AttributeStore
from .conversation_bounds import overflow_of
from .conversation_record import (
    FRAME,
    IDLE_CLOSE,
    LONG_TOKENS,
    STALE_AFTER,
    conversation_id,
    divided,
    is_extracted,
    repair_working_memory,
    shown_of,
    tokens_of,
)
from .ended_conversations import EndedConversations
from .pending_actions import complete_action, still_to_do, with_action
from .talk_log import TalkLog

#: A conversation that grows beyond either is cut to its newest `KEEP_MESSAGES`.
LONG_MESSAGES = 200
KEEP_MESSAGES = 32
#: Seconds between two looks for conversations that ended or grew too many.
CLEAR_EVERY = 60.0


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
        self.ended = EndedConversations(character)
        self.log = TalkLog(character)
        self._cleared = float("-inf")

    def start_conversation(
        self, entity_id: str, *, when: float | None = None, topic: str = ""
    ) -> tuple[dict[str, Any], bool]:
        """
        The conversation with someone, opened if the last one has ended.

        Args:
            entity_id: The partner.
            when: UTC seconds since the epoch; None is now.
            topic: What it is about; an open conversation keeps the topic it has.

        Returns:
            The record, and whether it was opened just now.

        """
        now = time.time() if when is None else when
        record = self.open_conversation(entity_id, when=now)
        if record is not None:
            if topic and not record["topic"]:
                record["topic"] = topic
                self.store.touch(entity_id)
            return record, False
        to_do = self.pending_actions(entity_id)
        self.end(entity_id)
        record = {
            "topic": topic,
            "started_at": timestamp_of(now),
            "last_at": timestamp_of(now),
            "messages": [],
            "pending_actions": to_do,
            "tokens": 0,
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
        held = tokens_of(record)
        message = {
            "role": role,
            "content": content,
            "name": name,
            "manner": manner,
            "audience": audiences.stored(audience),
            "entry_id": entry_id,
            "timestamp": timestamp_of(now),
        }
        record["messages"].append(message)
        self.log.add(entity_id, message)
        record["tokens"] = held + count_tokens(content) + FRAME
        record["last_at"] = timestamp_of(now)
        record.pop("extracted", None)
        if len(record["messages"]) > LONG_MESSAGES or record["tokens"] > LONG_TOKENS:
            self.cut(entity_id, KEEP_MESSAGES)
        self.store.touch(entity_id)

    def messages_for(
        self, entity_id: str, listeners: Collection[str], *, when: float | None = None
    ) -> list[dict[str, Any]]:
        """
        The newest lines of an open conversation, as far as all listeners may be told.

        Args:
            entity_id: The partner.
            listeners: Entity ids of those who will hear the answer.
            when: UTC seconds since the epoch; None is now.

        Returns:
            Records as `add_message` keeps them, oldest first, those that stand for earlier lines
            before them; empty when no conversation is open.

        """
        record = self.open_conversation(entity_id, when=when)
        return [
            message
            for message in (shown_of(record) if record else ())
            if audiences.may_be_told(message.get("audience"), listeners)
        ]

    def history(self) -> list[dict[str, Any]]:
        """All lines of all conversations in order, as chat-completion messages, ungated."""
        lines = [
            (message["timestamp"], message)
            for record in self.store.data.values()
            for message in record["messages"]
        ]
        lines.sort(key=lambda pair: pair[0])
        return [
            {
                "role": "system" if message["role"] == SUMMARY else message["role"],
                "content": message["content"],
                **({"name": message["name"]} if message.get("name") else {}),
            }
            for _when, message in lines
        ]

    # What is still to be done -----------------------------------------------------------------

    def add_pending_action(
        self, entity_id: str, action: str, *, when: float | None = None
    ) -> dict[str, Any]:
        """
        Remember that something is still to be done for someone; their next talk knows it too.

        Args:
            entity_id: The partner.
            action: What is to be done.
            when: UTC seconds since the epoch; None is now.

        Returns:
            `{"action", "added_at", "done_at"}`; the one there is when it was known already.

        Raises:
            ValueError: If it says nothing, or there are `MAX_ACTIONS` to be done already.

        """
        now = time.time() if when is None else when
        if not action.strip():
            raise ValueError("An action needs words.")
        record, _opened = self.start_conversation(entity_id, when=now)
        added, is_new = with_action(record, action, when=now)
        if is_new:
            self.store.touch(entity_id)
        return added

    def complete_pending_action(
        self, entity_id: str, action: str, *, when: float | None = None
    ) -> bool:
        """Note that something was done; whether it was still to be done."""
        now = time.time() if when is None else when
        done = complete_action(self.store.data.get(entity_id), action, when=now)
        if done:
            self.store.touch(entity_id)
        return done

    def pending_actions(self, entity_id: str) -> list[dict[str, Any]]:
        """What is still to be done for someone, oldest first."""
        return still_to_do(self.store.data.get(entity_id))

    # What is to be extracted ------------------------------------------------------------------

    def find(self, conversation: str) -> tuple[str, dict[str, Any]] | None:
        """The partner and the record of a conversation, going on or ended, by its id."""
        entity_id = conversation.split(" ", 1)[0]
        record = self.store.data.get(entity_id)
        if record is not None and conversation_id(entity_id, record) == conversation:
            return entity_id, record
        for ended in self.ended.store.data:
            if conversation_id(ended["entity_id"], ended) == conversation:
                return ended["entity_id"], ended
        return None

    def touch(self, entity_id: str, record: dict[str, Any]) -> None:
        """Say that a record was changed, wherever it stands."""
        record.pop("tokens", None)
        if self.store.data.get(entity_id) is record:
            self.store.touch(entity_id)
        else:
            self.ended.store.touch(record)

    def take_back(self, entry_id: int) -> None:
        """
        Make nothing more of what was said in a journal entry that holds no longer.

        Args:
            entry_id: The entry's number.

        """
        going_on = list(self.store.data.items())
        for entity_id, record in [*going_on, *((r["entity_id"], r) for r in self.ended.store.data)]:
            if take_back(record["messages"], entry_id):
                self.touch(entity_id, record)

    def waiting(self, *, when: float) -> Iterator[tuple[str, dict[str, Any]]]:
        """Partner and record of each ended conversation not extracted yet, oldest first."""
        for record in self.ended.store.data:
            if not is_extracted(record):
                yield record["entity_id"], record
        idle = [
            (record["last_at"], entity_id)
            for entity_id, record in self.store.data.items()
            if not is_extracted(record) and when - when_of(record["last_at"]) >= IDLE_CLOSE
        ]
        for _last, entity_id in sorted(idle):
            yield entity_id, self.store.data[entity_id]

    # Keeping it small -------------------------------------------------------------------------

    def clear_stale(self, *, when: float | None = None, max_age: float = STALE_AFTER) -> int:
        """
        Forget conversations that ended and were extracted; what is still to be done stays.

        Args:
            when: UTC seconds since the epoch; None is now.
            max_age: Seconds of silence.

        Returns:
            How many conversations were cleared.

        """
        now = time.time() if when is None else when
        cleared = self.ended.clear_extracted()
        for key in list(self.store.data):
            record = self.store.data[key]
            if now - when_of(record["last_at"]) < max_age or not is_extracted(record):
                continue
            if not self.pending_actions(key):
                del self.store.data[key]
            elif record["messages"]:
                record.update(messages=[], tokens=0)
            else:
                continue
            self.store.touch(key)
            cleared += 1
        return cleared

    def tidy_now_and_then(self, *, when: float) -> list[dict[str, Any]]:
        """As `tidy`, once in `CLEAR_EVERY` seconds however often it is called."""
        if 0.0 <= when - self._cleared < CLEAR_EVERY:
            return []
        self._cleared = when
        return self.tidy(when=when)

    def tidy(self, *, when: float) -> list[dict[str, Any]]:
        """
        Clear what is stale, and keep what is left within its bounds.

        Args:
            when: UTC seconds since the epoch.

        Returns:
            Records with an `entity_id` for which there is no room any more; they are in no store
            now, and their caller puts what matters of them into the journal.

        """
        self.clear_stale(when=when)
        return [*overflow_of(self), *self.ended.take_surplus()]

    def end(self, entity_id: str) -> None:
        """Take a conversation out; what was not extracted of it waits."""
        record = self.store.data.pop(entity_id, None)
        if record is None:
            return
        self.store.touch(entity_id)
        record["pending_actions"] = []
        self._let_wait(entity_id, record)

    def cut(self, entity_id: str, keep: int) -> int:
        """
        Cut a conversation to its newest lines; what was not extracted of the others waits.

        Args:
            entity_id: The partner.
            keep: How many of the newest lines stay.

        Returns:
            How many lines were cut off.

        """
        record = self.store.data[entity_id]
        older, kept = divided(record, keep)
        if not older:
            return 0
        self._let_wait(entity_id, {**record, "messages": older, "pending_actions": []})
        before = len(record["messages"])
        record["messages"] = kept
        record["part"] = record.get("part", 1) + 1
        record.pop("tokens", None)
        record.pop("extracted", None)
        self.store.touch(entity_id)
        return before - len(record["messages"])

    def _let_wait(self, entity_id: str, record: dict[str, Any]) -> None:
        if not is_extracted(record):
            self.ended.add(entity_id, {k: v for k, v in record.items() if k != "tokens"})
