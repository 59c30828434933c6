"""
The first step of a night: what to keep of the conversations that are over.

Every line somebody told the NPC is in its journal from the moment it was heard. Here it looks at a
talk as a whole: what was agreed, what question and answer say together, what it shows about the
other, and the talk in one sentence. Lines with different audiences are never put into one prompt;
those with equal ones are, over several talks. What comes of a part of a talk is stored in the write
that marks it as extracted.

"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

from evennia.utils import logger
from twisted.internet.defer import Deferred, inlineCallbacks

from ..awake.crowded import MOST_FAILURES, find_again, is_due, note_failure, note_success
from ..awake.models import has_model
from ..errors import AssistantError, ConfigError, ModelAnswerError, ModelError
from ..llm.asking import ask_for_records
from ..memory.conversation_notes import (
    digest_of,
    evidence_of,
    manner_tags,
    name_of,
    summary_known,
    write_summary,
)
from ..memory.conversation_record import conversation_id
from ..mind.conversation import parts_of, says_something
from .conversation_records import Piece, checked, is_left, prompt_of, sorted_in, within

#: Tokens of lines in one prompt; a part of a talk that takes more is looked at in pieces.
BATCH_TOKENS = 2_500
TAG = "conversation"


@inlineCallbacks
def extract_conversations(
    script: Any, character: Any, *, ask: Any = None, max_conversations: int = 5
) -> Generator[Deferred[Any], Any, dict[str, Any]]:
    """
    Extract conversations that are over, with one model batch at most.

    Args:
        script: The AssistantScript.
        character: The NPC.
        ask: As `Agent.ask`; None is that.
        max_conversations: Talks looked at together.

    Returns:
        `{"completed", "conversations", "entries", "observations", "summaries", "trivial", "calls",
        "failed", "problems"}`: whether no talk is left that may be extracted now, talks whose last
        line was extracted, what was written, talks of nothing but greetings, calls made, talks a
        model failed on (they are left alone for a while), and what could not be used.

    """
    agent = script.agent
    result: dict[str, Any] = {
        "completed": False,
        "conversations": 0,
        "entries": 0,
        "observations": 0,
        "summaries": 0,
        "trivial": 0,
        "calls": 0,
        "failed": 0,
        "problems": [],
    }
    _pass_over_greetings(character, agent.now(), result)
    batch = _batch(character, agent.now(), max_conversations)
    if batch:
        try:
            by_model = has_model(script)
            if by_model:
                records = yield ask_for_records(
                    ask or agent.ask, prompt_of(batch), lambda item: checked(item, batch)
                )
                result["calls"] = records.calls
                result["problems"] = [*records.problems, *sorted_in(records.items, batch)]
        except (ModelError, ConfigError) as err:
            if not agent.exists:
                return {**result, "completed": True}
            _note_failures(script, batch, err, result)
        else:
            if not agent.exists:
                return {**result, "completed": True}
            for piece in batch:
                _keep(script.character, piece, agent.now(), by_model, result)
    # What was extracted and the mark that it was stand in one write.
    script.character.memory.save()
    result["completed"] = not _batch(script.character, agent.now(), 1)
    return result


def _pass_over_greetings(character: Any, now: float, result: dict[str, Any]) -> None:
    working = character.memory.working
    for entity_id, record in list(working.waiting(when=now)):
        left = [message for message in record["messages"] if not message.get("extracted")]
        if not says_something(left, character.key):
            record["extracted"] = True
            working.touch(entity_id, record)
            result["trivial"] += 1


def _batch(character: Any, now: float, most: int) -> list[Piece]:
    """Pieces that may be put into one prompt, of the talks that have waited longest."""
    memory = character.memory
    batch: list[Piece] = []
    room = BATCH_TOKENS
    for entity_id, record in memory.working.waiting(when=now):
        if not is_due(record, now) or len(batch) >= most:
            continue
        failed = bool(record.get("failures"))
        if batch and failed:
            continue
        for part in parts_of(record["messages"], is_left):
            if batch and part.group != batch[0].part.group:
                continue
            if not says_something(part.messages, character.key):
                continue
            part, taken = within(part, room)
            if part.places:
                batch.append(Piece(conversation_id(entity_id, record), entity_id, part))
                room -= taken
                break
        if batch and failed:
            # A talk that a model failed on before does not take others down with it.
            break
    return batch


def _keep(character: Any, piece: Piece, now: float, by_model: bool, result: dict[str, Any]) -> None:
    """Take what came of a piece into memory and mark its lines; the caller saves."""
    memory = character.memory
    record = find_again(character, piece)
    if record is None:
        # It had to make room meanwhile, and was digested.
        return
    name = name_of(piece.conversation, piece.part)
    if summary_known(memory, name) is None:
        _write(character, piece, name, now, by_model, result)
    for place in piece.part.places:
        record["messages"][place]["extracted"] = True
    note_success(record)
    left = [message for message in record["messages"] if is_left(message)]
    if not says_something(left, character.key):
        record["extracted"] = True
        result["conversations"] += 1
    memory.working.touch(piece.entity_id, record)


def _write(
    character: Any, piece: Piece, name: str, now: float, by_model: bool, result: dict[str, Any]
) -> None:
    memory, part = character.memory, piece.part
    for item in piece.found.get("memory", ()):
        memory.write(
            item["text"],
            when=now,
            source_type="inference",
            source_entity=part.partner,
            audience=part.audience,
            tags=[TAG, *manner_tags(part)],
            entities=[piece.entity_id],
            evidence=evidence_of([part.messages[line - 1] for line in item["lines"]]),
            conversation=name,
        )
        result["entries"] += 1
    for item in piece.found.get("about", ()):
        numbers = [part.messages[line - 1].get("entry_id") for line in item["lines"]]
        memory.profiles.ensure(piece.entity_id, "player", part.partner or "")
        memory.profiles.add_observation(
            piece.entity_id,
            item["text"],
            audience=part.audience,
            entry_id=next((number for number in numbers if number is not None), None),
            when=now,
        )
        result["observations"] += 1
    summary = next((item["text"] for item in piece.found.get("summary", ())), None)
    write_summary(
        memory,
        piece.entity_id,
        part,
        summary or digest_of(memory, part),
        conversation=name,
        when=now,
        by_model=by_model and summary is not None,
    )
    result["summaries"] += 1


def _note_failures(
    script: Any, batch: Sequence[Piece], err: AssistantError, result: dict[str, Any]
) -> None:
    """Leave a model alone with these talks for a while; what it cannot make use of is digested."""
    agent, character = script.agent, script.character
    logger.log_err(
        f"Assistant {agent.key}: {len(batch)} conversations could not be extracted: {err}"
    )
    result["problems"].append(str(err))
    for piece in batch:
        found = character.memory.working.find(piece.conversation)
        if found is None:
            continue
        result["failed"] += 1
        failures = note_failure(found[1], agent.now())
        character.memory.working.touch(*found)
        if isinstance(err, ModelAnswerError) and failures >= MOST_FAILURES:
            _keep(character, piece, agent.now(), False, result)
