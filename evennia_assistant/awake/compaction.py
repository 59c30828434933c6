"""
Making room in a long conversation: its older lines become a summary, its newest stay as they are.

The order is strict. First the lines are looked through for what belongs into the journal
(`awake.extraction`), then they are summarised, and only when the summary is at hand it takes their
place, in the same write that puts it into the journal. A model that fails leaves the conversation
as it was and is asked again later; a crash leaves the old state or the new one.

"""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping, Sequence
from typing import Any

from django.db import transaction
from evennia.utils import logger
from twisted.internet.defer import Deferred, inlineCallbacks

from ..errors import ConfigError, ModelAnswerError, ModelError
from ..llm.response import LLMResponse
from ..llm.tokens import count_conversation_tokens
from ..memory.conversation_notes import digest_of, name_of, write_summary
from ..mind.audience import stored
from ..mind.conversation import SUMMARY, Part, holds, parts_of
from ..mind.entry import timestamp_of
from ..mind.persona_protection import is_self_referential
from ..mind.slots import render_slot
from ..prompts.cutting import clipped
from ..prompts.texts import text as prompt_text
from .crowded import (
    MOST_FAILURES,
    Crowded,
    crowded,
    find_again,
    note_failure,
    note_success,
    unextracted,
)
from .extraction import extract_part
from .models import has_model

#: Tokens below which a model is not asked: a digest says as much.
WORTH_A_CALL = 60
#: Most tokens of one line in the prompt, and most characters of a summary.
LINE = 300
MOST = 2_000

_SENTENCE_END = re.compile(r"(?<=[.!?\u3002\uff01\uff1f])\s+|\n+")


@inlineCallbacks
def compact_conversation_history(
    script: Any, character: Any, force: bool = False, *, ask: Any = None
) -> Generator[Deferred[Any], Any, dict[str, Any]]:
    """
    Summarise the older lines of conversations that take too much of the NPC's context.

    Awake all that is due is done, asleep one step at each call. While one compaction of an NPC
    runs, another does nothing.

    Args:
        script: The AssistantScript.
        character: The NPC.
        force: Shorten every conversation longer than the window that is kept, whatever its share
            of the context, also where the option `compact_enabled` is off.
        ask: As `Agent.ask`; None is that. With the option `compact_model` it is called with
            `model=` beside the prompt.

    Returns:
        `{"completed", "compacted", "summaries", "extracted", "entries", "failed"}`: whether
        nothing is left to do now, lines replaced, summaries written, lines looked through before,
        entries written from them, and parts a model failed on.

    """
    result = {
        "completed": True,
        "compacted": 0,
        "summaries": 0,
        "extracted": 0,
        "entries": 0,
        "failed": 0,
    }
    if not (force or script.option("compact_enabled")) or script.ndb.assistant_compacting:
        return result
    script.ndb.assistant_compacting = True
    tried: set[tuple[Any, ...]] = set()
    try:
        while script.agent.exists:
            now, npc = script.agent.now(), script.character
            crowd = next(
                (c for c in crowded(script, npc, now, force=force) if _key(c) not in tried), None
            )
            if crowd is None:
                break
            if script.db.operating_mode == "sleep" and (result["summaries"] or result["extracted"]):
                result["completed"] = False
                break
            if unextracted(npc, crowd):
                done = yield extract_part(script, crowd, ask=ask)
                result["extracted"] += done["messages"]
                result["entries"] += done["entries"]
            else:
                done = yield _replace(script, crowd, ask)
                result["compacted"] += done["compacted"]
                result["summaries"] += done["summaries"]
            result["failed"] += bool(done["failed"])
            if done["failed"] or not (done.get("messages") or done.get("compacted")):
                tried.add(_key(crowd))
    finally:
        script.ndb.assistant_compacting = False
    return result


def _key(crowd: Crowded) -> tuple[Any, ...]:
    return crowd.conversation, crowd.part.group


@inlineCallbacks
def _replace(
    script: Any, crowd: Crowded, ask: Any
) -> Generator[Deferred[Any], Any, dict[str, int]]:
    """Put a summary in the place of what holds of the lines; a failure is noted, not raised."""
    agent = script.agent
    done = {"compacted": 0, "summaries": 0, "failed": 0}
    problem: ModelError | ConfigError | None = None
    text, by_model = "", False
    try:
        by_model = _is_worth_a_call(script, crowd.part)
        if by_model:
            text = yield generate_context_summary(script, crowd.part.messages, ask=ask)
    except (ModelError, ConfigError) as err:
        problem = err
    if not agent.exists:
        return {**done, "failed": 1}
    record, memory = find_again(agent.npc, crowd), agent.npc.memory
    if record is None:
        return {**done, "failed": 1}
    if problem is not None:
        failures = note_failure(record, agent.now())
        logger.log_err(
            f"Assistant {agent.key}: a conversation could not be shortened, try {failures}: "
            f"{problem}"
        )
        if not isinstance(problem, ModelAnswerError) or failures < MOST_FAILURES:
            memory.working.touch(crowd.entity_id, record)
            memory.save()
            return {**done, "failed": 1}
        by_model = False
    text = text if by_model else _digest(memory, crowd.part)
    _put_in_place(script, record, crowd, text, by_model)
    return {**done, "compacted": len(crowd.part.places), "summaries": int(bool(text))}


def _put_in_place(
    script: Any, record: dict[str, Any], crowd: Crowded, text: str, by_model: bool
) -> None:
    now, memory = script.agent.now(), script.character.memory
    gone = set(crowd.part.places)
    newest = crowd.part.messages[-1]["timestamp"]
    done_before = record.get("compactions", 0)
    markers = []
    if text:
        entry = write_summary(
            memory,
            crowd.entity_id,
            crowd.part,
            text,
            conversation=f"{name_of(crowd.conversation, crowd.part)} {newest} {done_before}",
            when=now,
            by_model=by_model,
        )
        marker = {
            "role": SUMMARY,
            "content": text,
            "name": "",
            "manner": "whisper" if crowd.part.confidential else "say",
            "audience": stored(crowd.part.audience),
            "entry_id": entry["id"],
            "timestamp": newest,
            "extracted": True,
        }
        markers.append(marker)
    kept = [message for place, message in enumerate(record["messages"]) if place not in gone]
    earlier = [message for message in kept if message["role"] == SUMMARY]
    spoken = [message for message in kept if message["role"] != SUMMARY]
    record["messages"] = [*earlier, *markers, *spoken]
    record["compactions"] = done_before + 1
    note_success(record)
    memory.working.touch(crowd.entity_id, record)
    with transaction.atomic():
        script.attributes.add("last_compaction", timestamp_of(now))
        memory.save()


def _is_worth_a_call(script: Any, part: Part) -> bool:
    lines = [message for message in part.messages if not message.get("withdrawn")]
    return count_conversation_tokens(lines, None) >= WORTH_A_CALL and has_model(script)


@inlineCallbacks
def generate_context_summary(
    script: Any, messages: Sequence[Mapping[str, Any]], *, ask: Any = None
) -> Generator[Deferred[Any], Any, str]:
    """
    What a model makes of lines of a conversation; without a model, their digest.

    Args:
        script: The AssistantScript.
        messages: The lines as `WorkingMemory` keeps them, all with one audience, oldest first.
        ask: As `Agent.ask`; None is that.

    Returns:
        The summary, `MOST` characters at most.

    Raises:
        ModelAnswerError: If nothing in the answer can be kept.
        ModelError: If the model could not be asked.
        ValueError: If there are no lines, or lines of unequal audience: one summary of them would
            tell one circle what another said.

    """
    parts = parts_of(messages, lambda message: not message.get("withdrawn"))
    if len(parts) != 1:
        raise ValueError("A summary is made of lines with one audience.")
    if not has_model(script):
        return _digest(script.character.memory, parts[0])
    prompt = [
        {"role": "system", "content": script.option("compact_prompt") or prompt_text("compaction")},
        {"role": "user", "content": _as_slots(messages)},
    ]
    model = script.option("compact_model")
    chosen = {"model": model} if model else {}
    answer: LLMResponse = yield (ask or script.agent.ask)(prompt, None, **chosen)
    return _kept(answer.content)


def _as_slots(messages: Sequence[Mapping[str, Any]]) -> str:
    earlier = [{"text": m["content"]} for m in messages if m["role"] == SUMMARY]
    lines = [
        {"from": m.get("name", ""), "how": m["manner"], "text": clipped(m["content"], LINE)}
        for m in messages
        if holds(m)
    ]
    slots = [render_slot("earlier", earlier)] if earlier else []
    return "\n".join([*slots, render_slot("lines", lines)])


def _kept(answer: str) -> str:
    """A summary without what it says about the one who keeps it."""
    sentences = _SENTENCE_END.split(answer.strip())
    kept = " ".join(sentence for sentence in sentences if not is_self_referential(sentence)).strip()
    if not any(char.isalnum() for char in kept):
        raise ModelAnswerError("The model's summary says nothing that could be kept.")
    if kept[0] in "[{":
        raise ModelAnswerError("The model wrote data where a summary in sentences was asked for.")
    return " ".join(kept.split())[:MOST]


def _digest(memory: Any, part: Part) -> str:
    """The digest of a part, and as much as has room of what an earlier summary in it said."""
    text = digest_of(memory, part)
    earlier = " ".join(m["content"] for m in part.messages if m["role"] == SUMMARY)
    room = MOST // 2
    if len(earlier) > room:
        # The newest of what was digested before stands at its end.
        earlier = f"...{earlier[-room:]}"
    return f"{earlier} {text}".strip()
