"""
How much the day's events matter, judged once more by a model.

An entry is scored by a table the moment it is written (`mind.importance`); asleep, a model that
sees what it says scores it again (document 000, section 2, "Tier 2"). Twenty entries share a call
in the night, one alone is put as document 000 has it. Without a model the table's scores stay, and
that is all there is to do.

"""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping, Sequence
from typing import Any

from twisted.internet.defer import Deferred, inlineCallbacks

from ..awake.models import has_model
from ..errors import ModelAnswerError
from ..llm.asking import REPAIR, Ask, ask_for_records
from ..mind import entry as entries
from ..mind.slots import render_slot
from ..prompts.texts import text
from .night import night_of, tonights_entries

STEP = "score_pending_entries"
#: Characters of an entry a model is shown.
SHOWN = 500

_NUMBER = re.compile(r"(?<![\w.])\+?(\d{1,4})(?![\w.]*\d)")


@inlineCallbacks
def score_pending_entries(
    script: Any, character: Any, max_per_tick: int = 3, *, ask: Ask | None = None
) -> Generator[Deferred[Any], Any, dict[str, Any]]:
    """
    Let a model score entries that have only a heuristic score, and store that.

    The sum that leads to a reflection was counted when an entry was written, and stays.

    Args:
        script: The AssistantScript.
        character: Its NPC.
        max_per_tick: Most entries, all in one call.
        ask: Asks the model; None is the NPC's own way.

    Returns:
        `{"completed", "scored", "left"}`; `left` entries keep the heuristic score, `why` says so
        where there is no model.

    Raises:
        ModelError: If the model could not be asked, or nothing in its answer was of use.

    """
    night = night_of(script)
    pending = [
        entry
        for entry in tonights_entries(script, character)
        if entry.get("importance_method") == "heuristic"
        and entries.get(entry, "state") == "active"
        and not night.is_set_aside(STEP, entry["id"])
    ]
    if not pending:
        return {"completed": True, "scored": 0, "left": 0}
    if not has_model(script):
        return {
            "completed": True,
            "scored": 0,
            "left": len(pending),
            "why": "there is no model; heuristic scores stay",
        }
    batch = pending[:max_per_tick]
    asked = {entry["id"] for entry in batch}
    scores = yield _scores(batch, ask or script.agent.ask)
    changed = 0
    for number in sorted(scores):
        entry = character.memory.journal.find(number)
        if entry is None or entry.get("importance_method") != "heuristic":
            continue
        before = entry["importance"]
        entry.update(importance=scores[number], importance_method="llm")
        entry["rev"] = entries.get(entry, "rev") + 1
        character.memory.judged_anew(entry)
        changed += 1
        night.note(
            "scored",
            audience=entry.get("audience"),
            id=f"j{number}",
            before=before,
            after=scores[number],
        )
    # What the model passed over in silence it would pass over again.
    night.set_aside(STEP, sorted(asked - set(scores)))
    character.memory.save_journal(character.memory.reflection.store, *night.stores())
    left = len(pending) - len(batch)
    return {"completed": left == 0, "scored": changed, "left": left}


@inlineCallbacks
def _scores(
    batch: Sequence[dict[str, Any]], ask: Ask
) -> Generator[Deferred[Any], Any, dict[int, int]]:
    """Score by entry number, as far as the model gave one."""
    if len(batch) == 1:
        score = yield _score_of_one(batch[0], ask)
        return {batch[0]["id"]: score}
    known = {entry["id"] for entry in batch}

    def check(record: Any) -> tuple[int, int]:
        if not isinstance(record, dict):
            raise ValueError("a record is no object")
        number = entries.number_of(record.get("id"))
        if number is None or number not in known:
            raise ValueError("a record names an event there is not")
        return number, _score(record.get("score"))

    answer = yield ask_for_records(ask, messages_for_scores(batch), check, key="scores")
    return dict(answer.items)


def messages_for_score(entry: dict[str, Any]) -> list[dict[str, Any]]:
    """The prompt for one entry, in the documented form."""
    return [
        {"role": "system", "content": text("asleep/score")},
        {"role": "user", "content": render_slot("event", [{"text": _told(entry)}])},
    ]


def messages_for_scores(batch: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The prompt for several entries at once."""
    records = [{"id": entry["id"], "text": _told(entry)} for entry in batch]
    return [
        {"role": "system", "content": text("asleep/scores")},
        {"role": "user", "content": render_slot("events", records)},
    ]


def _told(entry: Mapping[str, Any]) -> str:
    return entries.told(entry, str(entry["content"]))[:SHOWN]


@inlineCallbacks
def _score_of_one(entry: dict[str, Any], ask: Ask) -> Generator[Deferred[Any], Any, int]:
    prompt = messages_for_score(entry)
    for last in (False, True):
        response = yield ask(prompt, None)
        try:
            return _score(response.content)
        except ValueError as err:
            if last:
                raise ModelAnswerError(f"The model's answer could not be used: {err}") from err
            prompt = [
                *prompt,
                {"role": "assistant", "content": response.content[:200]},
                {"role": "user", "content": REPAIR.format(why=err).replace("JSON", "number")},
            ]
    raise AssertionError("unreachable")


def _score(value: Any) -> int:
    """
    A score from 1 to 10, as a number or in a text such as `+4`, `8/10` or a fenced `7`.

    Raises:
        ValueError: If there is none, or it lies outside.

    """
    if isinstance(value, str):
        found = _NUMBER.search(value)
        value = int(found[1]) if found else None
    number = _whole(value)
    if not 1 <= number <= 10:
        raise ValueError(f"{number} is no score from 1 to 10")
    return number


def _whole(value: Any) -> int:
    if isinstance(value, str) and value.strip().isdecimal():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or value != round(value):
        # In our own words: what a model wrote may be a confidence, and this goes to a log.
        raise ValueError("a score or an id is no whole number")
    return int(value)
