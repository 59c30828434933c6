"""
The diary, and what the NPC takes with it into the next day.

For each day since the last diary, and for each circle that may be told the same, three to five
lines; and for tomorrow up to seven notes and three questions, in `script.db.carry_notes`. A model
writes of the circle with most to tell, in one call; what was said to others, or in confidence, is
never in that prompt, and is quoted by rule, as everything is without a model. Entry, notes and how
far the diary came are one write, and taking the step twice writes the same once.

"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import Any

from evennia.utils import logger
from twisted.internet.defer import Deferred, inlineCallbacks

from ..awake.models import has_model
from ..errors import AssistantError, BudgetSpent, ConfigError, ModelError
from ..llm.asking import Ask, ask_for_records
from ..memory import diary as days_written
from ..memory.carry_notes import carry_notes_of, note_of
from ..mind import diary
from ..mind import entry as entries
from ..mind.diary import LINE, NOTE, OF_SELF, QUESTION, Happening, Line
from ..mind.entry import number_of
from ..mind.slots import render_slot
from ..prompts.texts import text
from .diary_material import Circle, Days, days_since_the_last
from .night import Night, night_of

#: Attempts at the model in one night before the rule has to do.
ATTEMPTS = 2
#: Happenings of one circle that are worth a call.
LEAST_FOR_MODEL = 3
#: The kinds of carry notes by what a line is.
KINDS: Mapping[str, str] = {NOTE: "notes", QUESTION: "questions", OF_SELF: "self_view"}


@inlineCallbacks
def write_diary(
    script: Any, character: Any, *, ask: Ask | None = None
) -> Generator[Deferred[Any], Any, dict[str, Any]]:
    """
    Write the diary of the days since the last one, and the notes for the next day.

    Args:
        script: The AssistantScript.
        character: Its NPC.
        ask: Asks the model; None is the NPC's own way.

    Returns:
        `{"completed": True, "days", "notes"}`: entries of the diary that were written or changed,
        and notes and questions made; `why` where there was nothing to write of, or no model could.

    Raises:
        ModelError: If the model could not be asked or understood, and there is another attempt.

    """
    carried, night = carry_notes_of(script), night_of(script)
    found = days_since_the_last(character, night, carried)
    if not found.circles:
        carried.begin_anew()
        carried.go_through(found.through, night.data["id"])
        character.memory.save_journal(carried.store, *night.stores())
        why = "nothing happened since the last one"
        return {"completed": True, "days": 0, "notes": 0, "why": why}
    why, by_model = "", []
    asked: Circle | None = None
    try:
        circle, weightiest = next(iter(found.circles.items()))
        if len(weightiest) >= LEAST_FOR_MODEL and has_model(script):
            asked = circle
            by_model = yield _by_model(script, weightiest, ask or script.agent.ask)
    except (ModelError, ConfigError, BudgetSpent) as err:
        if not script.agent.exists:
            return {"completed": True, "days": 0, "notes": 0}
        why = _why_by_rule(script, night, err)
    if not script.agent.exists:
        return {"completed": True, "days": 0, "notes": 0}
    if asked is not None:
        # The model took its time: what was forgotten or taken back meanwhile is no longer in it.
        character = script.character
        found = days_since_the_last(character, night, carried)
    carried.begin_anew()
    written = _written(found, by_model, asked)
    changed, stores = _keep_days(script, character, night, found, written)
    carried.make_anew(script.agent.now(), **_notes(written))
    carried.go_through(found.through, night.data["id"])
    character.memory.save_journal(carried.store, *stores, *night.stores())
    notes = sum(len(carried.data[kind]) for kind in KINDS.values())
    return {"completed": True, "days": changed, "notes": notes, **({"why": why} if why else {})}


def _why_by_rule(script: Any, night: Night, err: AssistantError) -> str:
    """Why the rule writes after all; raises the error while the model gets another chance."""
    retried = isinstance(err, ModelError) and not isinstance(err, BudgetSpent)
    if retried and night.is_open and night.data["attempts"] < ATTEMPTS:
        raise err
    why = f"quoted by rule: {type(err).__name__}: {err}"[:200]
    logger.log_warn(f"Assistant {script.db.assistant_key}: its diary is {why}")
    return why


# By a model ---------------------------------------------------------------------------------------


@inlineCallbacks
def _by_model(
    script: Any, happenings: Sequence[Happening], ask: Ask
) -> Generator[Deferred[Any], Any, list[Line]]:
    """What a model makes of the happenings of one circle."""
    kinds = (*diary.USUAL, *([OF_SELF] if script.option("carry_self_view") else []))
    shown = {each.id: each for each in happenings}
    answer = yield ask_for_records(
        ask,
        messages_for_diary(happenings, kinds),
        lambda record: diary.checked(record, shown, kinds),
        key="records",
    )
    return diary.within_number(answer.items)


def messages_for_diary(
    happenings: Sequence[Happening], kinds: Sequence[str] = diary.USUAL
) -> list[dict[str, Any]]:
    """
    The prompt: what the days held, all of one audience.

    Args:
        happenings: Oldest first.
        kinds: What is asked for.

    """
    asked = text("asleep/diary")
    if OF_SELF in kinds:
        asked = f"{asked}\n{text('asleep/diary_self')}"
    records = [
        {"id": each.id, "day": each.day, "text": " ".join(each.text.split())[:300]}
        for each in happenings
    ]
    return [
        {"role": "system", "content": asked},
        {"role": "user", "content": render_slot("day", records)},
    ]


# What is written ----------------------------------------------------------------------------------


def _written(
    found: Days, by_model: Sequence[Line], asked: Circle | None
) -> dict[Circle, tuple[list[Line], bool]]:
    """
    The lines of each circle, and whether a model wrote them.

    What a model left out, a day or all notes, the rule adds.

    """
    written: dict[Circle, tuple[list[Line], bool]] = {}
    for circle, happenings in found.circles.items():
        there = {name for each in happenings for name in each.evidence}
        lines = [line for line in by_model if circle == asked and there.issuperset(line.evidence)]
        told = {line.day for line in lines if line.what == LINE}
        for day in sorted({each.day for each in happenings} - told):
            lines += diary.lines_by_rule(each for each in happenings if each.day == day)
        if not any(line.what == NOTE for line in lines):
            lines += diary.notes_by_rule(happenings)
        written[circle] = (lines, circle == asked and bool(told))
    return written


def _keep_days(
    script: Any,
    character: Any,
    night: Night,
    found: Days,
    written: Mapping[Circle, tuple[list[Line], bool]],
) -> tuple[int, list[Any]]:
    """Put the days into the journal; how many changed, and what is to be saved with it."""
    memory, carried = character.memory, carry_notes_of(script)
    changed, stores = 0, []
    for circle, (lines, by_a_model) in written.items():
        for day in sorted({line.day for line in lines if line.what == LINE}):
            of_day = [line for line in lines if line.what == LINE and line.day == day]
            known = days_written.find_day(memory, day, *circle, carried.numbers_of(day))
            texts, modelled = _joined(known, of_day, by_a_model)
            if known is not None and days_written.lines_in(known) == texts:
                continue
            before = None if known is None else str(known["content"])
            if known is not None and memory.journal.find(known["id"]) is None:
                carried.keep_replaced(known)
            evidence = list(dict.fromkeys(name for line in of_day for name in line.evidence))
            people = dict.fromkeys(who for name in evidence for who in found.entities.get(name, ()))
            entry, others = days_written.write_day(
                memory,
                day,
                texts,
                audience=circle[0],
                confidential=circle[1],
                evidence=evidence,
                entities=list(people),
                when=script.agent.now(),
                by_a_model=modelled,
                known=known,
            )
            carried.keep_day(day, entry["id"])
            stores += others
            changed += 1
            night.note(
                "added" if before is None else "changed",
                entry["content"],
                audience=circle[0],
                id=f"j{entry['id']}",
                entry_id=entry["id"],
                evidence=evidence,
                **({} if before is None else {"before": before[:200]}),
            )
    return changed, stores


def _joined(
    known: Mapping[str, Any] | None, lines: Sequence[Line], by_a_model: bool
) -> tuple[list[str], bool]:
    """A day's lines; what a model wrote earlier is not given up for quotations."""
    texts = [line.text for line in lines]
    if known is None or by_a_model or not days_written.by_model(known):
        return texts, by_a_model
    earlier = days_written.lines_in(known)
    covered = {number_of(name) for name in entries.get(known, "evidence")}
    new = [line.text for line in lines if not covered.issuperset(map(number_of, line.evidence))]
    if not new:
        return earlier, True
    return [*earlier[: diary.MOST_LINES - 1], *new][: diary.MOST_LINES], True


def _notes(written: Mapping[Circle, tuple[list[Line], bool]]) -> dict[str, list[dict[str, Any]]]:
    """What is carried into the next day: of each circle in turn, until there is enough."""
    kept: dict[str, list[dict[str, Any]]] = {}
    for what, kind in KINDS.items():
        groups = [
            [note_of(line, *circle) for line in lines if line.what == what]
            for circle, (lines, _by_a_model) in written.items()
        ]
        kept[kind] = diary.in_turns(groups, diary.MOST_EACH[what])
    return kept
