"""
The conversations an NPC is in, on `character.db.working_memory`.

One record for each partner, with the documented keys. Every line carries its audience, so that
what was whispered is not replayed into a prompt whose answer others will hear. A conversation is
closed by silence, or cut when it grows long; what was not extracted yet then waits
(`memory.ended_conversations`), and nothing but what was extracted is ever cleared.

"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from ..llm.tokens import count_tokens
from ..mind import audience as audiences
from ..mind.conversation import SUMMARY
from ..mind.entry import timestamp_of, when_of
from ..mind.percept import Audience
from .attribute_store import AttributeStore
from .ended_conversations import EndedConversations

#: A silence of this many seconds ends a conversation.
IDLE_CLOSE = 30 * 60
#: An ended conversation that was extracted is cleared after this many seconds (documented).
STALE_AFTER = 60 * 60
#: A conversation that grows beyond either is cut to its newest `KEEP_MESSAGES`.
LONG_MESSAGES = 200
LONG_TOKENS = 20_000
KEEP_MESSAGES = 32
#: Lines of a conversation that a turn looks at. Beyond, `SHOWN_STEP` of them are left out at once,
#: so that the start of the prompt stays the same for many turns between two such steps.
MAX_SHOWN = 64
SHOWN_STEP = 32
#: Lines over all conversations of one NPC; those idle longest are cut to their last exchange.
MAX_TOTAL = 400
#: Conversations beside each other; those idle longest wait elsewhere.
MAX_CONVERSATIONS = 200
#: Things still to be done for one partner, and partners nothing is left of but such things.
MAX_ACTIONS = 10
MAX_STUBS = 50
#: Summaries of earlier lines that stand at the beginning of one conversation.
MAX_SUMMARIES = 4
#: Seconds between two looks for conversations that ended or grew too many.
CLEAR_EVERY = 60.0
#: Tokens a line takes beyond its words.
_FRAME = 4


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
            sound[entity_id] = {"pending_actions": [], "started_at": record["last_at"], **record}
        else:
            problems.append(f"holding a broken conversation with {entity_id}")
    return sound, "; ".join(problems) or None


def conversation_id(entity_id: str, record: Mapping[str, Any]) -> str:
    """What a conversation, or the part of it that was cut off, is known by for good."""
    return f"{entity_id} {record['started_at']} {record.get('part', 1)}"


def tokens_of(record: dict[str, Any]) -> int:
    """About how many tokens a conversation takes."""
    if "tokens" not in record:
        record["tokens"] = sum(count_tokens(m["content"]) + _FRAME for m in record["messages"])
    return int(record["tokens"])


def is_extracted(record: Mapping[str, Any]) -> bool:
    """Whether everything in a conversation was looked through for what to keep."""
    return bool(record.get("extracted")) or all(m.get("extracted") for m in record["messages"])


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
        still_to_do = self.pending_actions(entity_id)
        self._end(entity_id)
        record = {
            "topic": topic,
            "started_at": timestamp_of(now),
            "last_at": timestamp_of(now),
            "messages": [],
            "pending_actions": still_to_do,
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
        record["messages"].append(
            {
                "role": role,
                "content": content,
                "name": name,
                "manner": manner,
                "audience": audiences.stored(audience),
                "entry_id": entry_id,
                "timestamp": timestamp_of(now),
            }
        )
        record["tokens"] = held + count_tokens(content) + _FRAME
        record["last_at"] = timestamp_of(now)
        record.pop("extracted", None)
        if len(record["messages"]) > LONG_MESSAGES or record["tokens"] > LONG_TOKENS:
            self._cut(entity_id, KEEP_MESSAGES)
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
        messages = record["messages"] if record else []
        first = 0
        while first < len(messages) and messages[first]["role"] == SUMMARY:
            first += 1
        beyond = len(messages) - first - MAX_SHOWN
        start = first + (-(-beyond // SHOWN_STEP) * SHOWN_STEP if beyond > 0 else 0)
        return [
            message
            for message in [*messages[:first], *messages[start:]]
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
        to_do = self.pending_actions(entity_id)
        known = next((held for held in to_do if held["action"] == action), None)
        if known is not None:
            return known
        if len(to_do) >= MAX_ACTIONS:
            raise ValueError(f"{MAX_ACTIONS} things are to be done for {entity_id} already.")
        added = {"action": action, "added_at": timestamp_of(now), "done_at": None}
        done = [held for held in record["pending_actions"] if held not in to_do][-MAX_ACTIONS:]
        record["pending_actions"] = [*done, *to_do, added]
        self.store.touch(entity_id)
        return added

    def complete_pending_action(
        self, entity_id: str, action: str, *, when: float | None = None
    ) -> bool:
        """Note that something was done; whether it was still to be done."""
        for held in self.pending_actions(entity_id):
            if held["action"] == action:
                held["done_at"] = timestamp_of(time.time() if when is None else when)
                self.store.touch(entity_id)
                return True
        return False

    def pending_actions(self, entity_id: str) -> list[dict[str, Any]]:
        """What is still to be done for someone, oldest first."""
        record = self.store.data.get(entity_id)
        held = record["pending_actions"] if record else []
        return [action for action in held if isinstance(action, dict) and not action.get("done_at")]

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
        data = self.store.data
        longest_idle = sorted(data, key=lambda key: data[key]["last_at"])
        total = sum(len(record["messages"]) for record in data.values())
        if total > MAX_TOTAL:
            for key in longest_idle:
                total -= self._cut(key, 2)
                if total <= MAX_TOTAL // 2:
                    break
        stubs = [key for key in longest_idle if not data[key]["messages"]]
        overflow = []
        for key in stubs[: max(0, len(stubs) - MAX_STUBS)]:
            overflow.append({**data.pop(key), "entity_id": key})
            self.store.touch(key)
        for key in longest_idle[: max(0, len(data) - MAX_CONVERSATIONS)]:
            to_do = self.pending_actions(key) if key in data else []
            if to_do:
                overflow.append({**data[key], "entity_id": key, "messages": []})
            self._end(key)
        return [*overflow, *self.ended.take_surplus()]

    def _end(self, entity_id: str) -> None:
        """Take a conversation out; what was not extracted of it waits."""
        record = self.store.data.pop(entity_id, None)
        if record is None:
            return
        self.store.touch(entity_id)
        record["pending_actions"] = []
        self._let_wait(entity_id, record)

    def _cut(self, entity_id: str, keep: int) -> int:
        """Cut a conversation to its newest lines; what was not extracted of the others waits."""
        record = self.store.data[entity_id]
        summaries = [m for m in record["messages"] if m["role"] == SUMMARY][-MAX_SUMMARIES:]
        spoken = [m for m in record["messages"] if m["role"] != SUMMARY]
        held = 0
        for number, message in enumerate(reversed(spoken[-keep:])):
            held += count_tokens(message["content"]) + _FRAME
            if held > LONG_TOKENS // 2:
                keep = max(1, number)
                break
        older = spoken[:-keep]
        if not older:
            return 0
        self._let_wait(entity_id, {**record, "messages": older, "pending_actions": []})
        before = len(record["messages"])
        record["messages"] = [*summaries, *spoken[-keep:]]
        record["part"] = record.get("part", 1) + 1
        record.pop("tokens", None)
        record.pop("extracted", None)
        self.store.touch(entity_id)
        return before - len(record["messages"])

    def _let_wait(self, entity_id: str, record: dict[str, Any]) -> None:
        if not is_extracted(record):
            self.ended.add(entity_id, {k: v for k, v in record.items() if k != "tokens"})


def start_conversation(character: Any, entity_id: str, topic: str = "") -> dict[str, Any]:
    """The conversation of an NPC with someone, opened and saved if need be; the documented name."""
    working = character.memory.working
    record, _opened = working.start_conversation(entity_id, topic=topic)
    character.memory.save()
    return record


def add_pending_action(character: Any, entity_id: str, action: str) -> dict[str, Any]:
    """
    Note and save what an NPC still has to do for someone; the documented function.

    Raises:
        ValueError: As `WorkingMemory.add_pending_action` does.

    """
    added = character.memory.working.add_pending_action(entity_id, action)
    character.memory.save()
    return added


def clear_stale_conversations(
    character: Any, max_age: float = STALE_AFTER, *, now: float | None = None
) -> int:
    """
    Clear and save the stale conversations of an NPC; the documented function.

    Args:
        character: The NPC.
        max_age: Seconds of silence after which a conversation is stale.
        now: UTC seconds since the epoch; None is now.

    Returns:
        How many were cleared. One that was not extracted yet stays, however old it is.

    """
    cleared = character.memory.working.clear_stale(when=now, max_age=max_age)
    character.memory.save()
    return cleared
