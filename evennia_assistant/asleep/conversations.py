"""
The first step of a night: what to keep of the conversations that are over.

Every line somebody told the NPC is in its journal from the moment it was heard. Here it looks at a
talk as a whole, with one call for several: what happened and how much it mattered, what the NPC
promised, who was spoken of, what it shows about the other, how both were left, and the talk in one
sentence. Lines with different audiences are never put into one prompt; those with equal ones are,
over several talks.

The answer is stored with the talks before anything is made of it (`answer` of a conversation), and
what is made of it in the write that marks the lines as extracted. Wherever a night breaks off, the
next goes on from there, asks nothing twice and loses nothing.

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
from ..memory.conversation_record import conversation_id, tokens_of
from ..mind.conversation import Part, is_trivial, parts_of, says_something
from ..mind.entry import when_of
from .conversation_keeping import keep
from .conversation_known import find_known
from .conversation_records import Piece, checked, is_left, prompt_of, sorted_in, within
from .turnstile import in_slices

#: Tokens of lines in one prompt; a part of a talk that takes more is looked at in pieces.
BATCH_TOKENS = 2_500


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
        `{"completed", "conversations", "entries", "intentions", "observations", "names",
        "replaced", "moods", "summaries", "trivial", "calls", "failed", "problems"}`: whether no
        talk is left that may be extracted now, talks whose last line was extracted, what was
        written, entries that hold no more, talks too slight to ask about, calls made, talks a
        model failed on (they are left alone for a while), and what could not be used.

    """
    agent = script.agent
    result = _empty_result()
    _pass_over_slight(character, agent.now(), result)
    _take_in_answers(character, agent.now(), result)
    batch = _batch(character, agent.now(), max_conversations)
    if batch:
        try:
            if has_model(script):
                known: dict[str, str] = {}
                yield in_slices(
                    agent.clock, find_known(batch, character.memory, agent.now(), known)
                )
                if not agent.exists:
                    return {**result, "completed": True}
                records = yield ask_for_records(
                    ask or agent.ask, prompt_of(batch, known), lambda item: checked(item, batch)
                )
                result["calls"] = records.calls
                result["problems"] = [*records.problems, *sorted_in(records.items, batch)]
                if not agent.exists:
                    return {**result, "completed": True}
                _store_answers(script.character, batch)
                _take_in_answers(script.character, agent.now(), result)
            else:
                for piece in batch:
                    _keep(character, piece, agent.now(), False, result)
        except (ModelError, ConfigError) as err:
            if not agent.exists:
                return {**result, "completed": True}
            _note_failures(script, batch, err, result)
    # What was extracted and the mark that it was stand in one write.
    script.character.memory.save()
    result["completed"] = not _batch(script.character, agent.now(), 1)
    return result


def _empty_result() -> dict[str, Any]:
    counted = (
        *("conversations", "entries", "intentions", "observations", "names", "replaced"),
        *("moods", "summaries", "trivial", "calls", "failed"),
    )
    return {"completed": False, **dict.fromkeys(counted, 0), "problems": []}


def _pass_over_slight(character: Any, now: float, result: dict[str, Any]) -> None:
    """Close talks of greetings alone, and short ones that moved nobody: the journal has them."""
    working = character.memory.working
    for entity_id, record in list(working.waiting(when=now)):
        left = [message for message in record["messages"] if not message.get("extracted")]
        if says_something(left, character.key):
            whole = len(left) == len(record["messages"]) and record.get("part", 1) == 1
            if not whole or not is_trivial(left, tokens_of(record)):
                continue
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
                batch.append(_piece(entity_id, record, part))
                room -= taken
                break
        if batch and failed:
            # A talk that a model failed on before does not take others down with it.
            break
    return batch


def _piece(entity_id: str, record: dict[str, Any], part: Part) -> Piece:
    return Piece(
        conversation_id(entity_id, record), entity_id, part, when_of(part.messages[0]["timestamp"])
    )


# From an answer to memory -------------------------------------------------------------------------


def _store_answers(character: Any, batch: Sequence[Piece]) -> None:
    """Write down what a model answered about each talk, before anything is made of it."""
    working = character.memory.working
    for piece in batch:
        record = find_again(character, piece)
        if record is not None:
            record["answer"] = {"places": list(piece.part.places), "found": piece.found}
            working.touch(piece.entity_id, record)
    character.memory.save()


def _take_in_answers(character: Any, now: float, result: dict[str, Any]) -> None:
    """Take in the answers that stand with talks, of this night or one that was broken off."""
    for entity_id, record in list(character.memory.working.waiting(when=now)):
        answer = record.get("answer")
        if answer is None:
            continue
        places = set(answer["places"])
        # Where a line was taken back since, the others are asked about anew.
        parts = parts_of(record["messages"], lambda message: not message.get("withdrawn"))
        part = next((part for part in parts if places <= set(part.places)), None)
        if part is not None:
            shown = [(p, m) for p, m in zip(part.places, part.messages, strict=True) if p in places]
            places_shown, messages = zip(*shown, strict=True)
            shown_part = Part(part.audience, part.confidential, places_shown, messages)
            piece = _piece(entity_id, record, shown_part)
            piece.found = answer["found"]
            _keep(character, piece, now, True, result)
        del record["answer"]


def _keep(character: Any, piece: Piece, now: float, by_model: bool, result: dict[str, Any]) -> None:
    """Take what came of a piece into memory and mark its lines; the caller saves."""
    memory = character.memory
    record = find_again(character, piece)
    if record is None:
        # It had to make room meanwhile, and was digested.
        return
    keep(character, piece, now, by_model=by_model, result=result)
    for place in piece.part.places:
        record["messages"][place]["extracted"] = True
    note_success(record)
    left = [message for message in record["messages"] if is_left(message)]
    if not says_something(left, character.key):
        record["extracted"] = True
        result["conversations"] += 1
    memory.working.touch(piece.entity_id, record)


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
