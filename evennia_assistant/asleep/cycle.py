"""
A night, tick by tick: `run_sleep_tick` takes the step at the cursor, and the next when it is done.

First the day is compacted (conversations, scores, facts), then the NPC dreams (links, attributes,
reflection, tidying up). One tick makes at most one batch of model calls. What a step could not do
is tried again and, after a few attempts, passed over with its reason in the ledger: that is not the
same as a step which found nothing to do. A night that broke off goes on at its step.

"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any

from django.db import transaction
from evennia.utils import logger
from twisted.internet.defer import Deferred, inlineCallbacks, maybeDeferred

from ..awake.models import has_model
from ..errors import AssistantError, BudgetSpent
from ..llm.asking import Ask
from ..llm.response import LLMResponse
from ..llm.tokens import count_message_tokens
from ..memory.attribute_store import AttributeStore, save_together
from ..memory.attribute_value import know_all
from ..memory.retention import flush_hits
from ..memory.semantic import uses_semantic_memory
from ..mind import entry as entries
from ..mind.entry import when_of
from .night import COMPACTING, Night, night_of
from .steps import STEPS, Step
from .turnstile import its_turn
from .undo import keep_after, keep_before

#: Attempts at one step before it is passed over for this night.
MAX_ATTEMPTS = 3
#: Ticks one step may take in one night, whatever it says of itself.
MAX_TICKS = 60
#: Mark in the ledger on a step that was taken while there was no model for it.
WITHOUT_MODEL = "without_model"
#: Seconds between the beginnings of two nights of one long sleep, and the age at which a night
#: that was interrupted is given up for a new one.
BETWEEN_NIGHTS = 6 * 3600.0


@inlineCallbacks
def run_sleep_tick(script: Any, character: Any) -> Generator[Deferred[Any], Any, dict[str, Any]]:
    """
    Do the next piece of the night.

    Called again while it runs, it does nothing: three triggers make one night.

    Args:
        script: The AssistantScript.
        character: Its NPC.

    Returns:
        `{"cycle", "phase", "done": [...], "open"}`, where each of `done` names a step and says what
        it did; `"busy": True` when a tick is under way, `"resting": True` when the night is over.

    """
    night = night_of(script)
    if night.running:
        return {"busy": True, "cycle": night.data["id"], "done": []}
    night.running = True
    try:
        know_all(script)
        know_all(character)
        if not _opened(script, character, night):
            return {"resting": True, "cycle": night.data["id"], "done": [], "open": False}
        done: list[dict[str, Any]] = []
        clock = script.agent.clock
        while night.is_open:
            yield its_turn(clock)
            if not night.is_open:
                break
            step = _present(night)
            report = yield _take(script, character, night, step)
            done.append(report)
            if report["worked"]:
                break
        return {
            "cycle": night.data["id"],
            "phase": script.attributes.get("sleep_phase"),
            "done": done,
            "open": night.is_open,
        }
    finally:
        night.running = False


# Opening and closing ------------------------------------------------------------------------------


def _opened(script: Any, character: Any, night: Night) -> bool:
    """See to it that a night is open; False when there is nothing to begin one for."""
    now = script.agent.now()
    if night.is_open:
        if now - when_of(night.data["started"]) < BETWEEN_NIGHTS or not _fell_asleep(script):
            return True
        night.line(_present(night).name)["state"] = "interrupted"
        night.close(now)
        _save(script, night)
    elif not _due(script, night, now):
        return False
    hits = flush_hits(script, character)
    character.memory.journal.make_room()
    ids = [entry["id"] for entry in character.memory.journal.entries]
    night.begin(now, ids, STEPS[0].name)
    before = keep_before(script, character, night.data["id"])
    _save(script, night, before, *hits, *character.memory.stores())
    return True


def _due(script: Any, night: Night, now: float) -> bool:
    """Whether a night begins: after falling asleep, or hours into one long sleep."""
    started = night.data["started"]
    return started is None or _fell_asleep(script) or now - when_of(started) >= BETWEEN_NIGHTS


def _fell_asleep(script: Any) -> bool:
    # Waking clears the phase, and falling asleep sets it to the first.
    return script.attributes.get("sleep_phase") in (None, COMPACTING)


def _present(night: Night) -> Step:
    """The step at the cursor; the first when a step of an older version stands there."""
    name = night.data["step"]
    return next((step for step in STEPS if step.name == name), STEPS[0])


def _advance(script: Any, character: Any, night: Night) -> list[AttributeStore]:
    """Move the cursor behind the present step; behind the last, the night is over."""
    place = STEPS.index(_present(night)) + 1
    if place < len(STEPS):
        night.go_to(STEPS[place].name)
        return []
    number, ledger = night.data["id"], night.data["ledger"]
    night.close(script.agent.now())
    _tell_without_model(script, number, ledger)
    return [keep_after(script, character)]


def _has_no_model(script: Any) -> bool:
    """Whether only the rule-based brain answers; options of no use are for the step to name."""
    try:
        return not has_model(script)
    except AssistantError:
        return False


def _tell_without_model(script: Any, number: int, ledger: Mapping[str, Any]) -> None:
    """Name in one line of the log what this night did without a model; none when it had one."""
    named: dict[str, list[str]] = {}
    for step in STEPS:
        if step.without_model and ledger.get(step.name, {}).get(WITHOUT_MODEL):
            named.setdefault(step.without_model, []).append(step.name)
    if named:
        what = "; ".join(f"{becomes}: {', '.join(names)}" for becomes, names in named.items())
        who = f"Assistant {script.db.assistant_key}"
        logger.log_info(f"{who}: night {number} without a model; {what}.")


def _save(script: Any, night: Night, *others: Any) -> None:
    """Write the record, the phase that goes with it, and others, in one transaction."""
    phase = _present(night).phase if night.is_open else STEPS[-1].phase
    with transaction.atomic():
        save_together([*others, night.store, night.last])
        if script.attributes.get("sleep_phase") != phase:
            script.attributes.add("sleep_phase", phase)


# One step -----------------------------------------------------------------------------------------


@inlineCallbacks
def _take(
    script: Any, character: Any, night: Night, step: Step
) -> Generator[Deferred[Any], Any, dict[str, Any]]:
    """Take one batch of a step; what it did, and whether that was work."""
    line = night.line()
    why = _why_not(script, night, step)
    if why is not None:
        return _passed_over(script, character, night, step, *why)
    number = night.data["id"]
    calls, changes = line["calls"], len(line["changes"])
    last_entry = character.memory.journal.store.data["entry_count"]
    # Counted before it is tried: a step that takes the server down with it counts as well.
    night.data["attempts"] += 1
    night.data["cursor"] += 1
    line["ticks"] += 1
    night.store.touch()
    _save(script, night)
    try:
        result = yield maybeDeferred(
            step.run, script, character, _counted(script, night, script.agent.ask)
        )
    except BudgetSpent as err:
        return _passed_over(script, character, night, step, "passed over", str(err))
    except AssistantError as err:
        return _failed(script, night, step, err)
    if not night.is_open or night.data["id"] != number:
        return {"step": step.name, "worked": True, "interrupted": True}
    line = night.line()
    counts = _count(night, line, result)
    _note_made(character, night, last_entry)
    completed, closing = bool(result["completed"]), []
    if step.without_model and not line["calls"] and _has_no_model(script):
        line[WITHOUT_MODEL] = True
    worked = line["calls"] > calls or len(line["changes"]) > changes or any(counts.values())
    night.data["attempts"] = 0
    if completed:
        line["state"] = "done"
        if result.get("why"):
            line["why"] = str(result["why"])
        closing = _advance(script, character, night)
    night.store.touch()
    _save(script, night, *closing, *character.memory.stores())
    return {"step": step.name, "worked": worked or not completed, **result}


def _why_not(script: Any, night: Night, step: Step) -> tuple[str, str] | None:
    """State and reason of a step that is not taken at all."""
    if step.needs_memory and not uses_semantic_memory(script):
        return "skipped", "memory_enabled is off"
    if step.needs_memory and getattr(script, "is_copy", False):
        return "skipped", "on a copy nothing is sent to semantic memory"
    cycle, line = night.data, night.line()
    if cycle["attempts"] >= MAX_ATTEMPTS:
        failures = line["failures"] or ["it broke off"]
        return "passed over", f"{failures[-1]} ({MAX_ATTEMPTS} attempts)"
    if cycle["cursor"] >= MAX_TICKS:
        return "passed over", f"it was not done after {MAX_TICKS} ticks"
    return None


def _passed_over(
    script: Any, character: Any, night: Night, step: Step, state: str, why: str
) -> dict[str, Any]:
    line = night.line()
    line.update(state=state, why=why)
    if state == "passed over":
        logger.log_warn(f"Assistant {script.db.assistant_key}: {step.name} passed over: {why}")
    closing = _advance(script, character, night)
    night.store.touch()
    _save(script, night, *closing)
    return {"step": step.name, "worked": False, "completed": False, state.replace(" ", "_"): why}


def _failed(script: Any, night: Night, step: Step, err: AssistantError) -> dict[str, Any]:
    why = f"{type(err).__name__}: {err}"[:300]
    line = night.line()
    line["failures"] = [*line["failures"], why][-MAX_ATTEMPTS:]
    line["state"] = "to be tried again"
    night.store.touch()
    _save(script, night)
    return {"step": step.name, "worked": True, "completed": False, "failed": why}


def _count(night: Night, line: dict[str, Any], result: Mapping[str, Any]) -> dict[str, int]:
    """Put what a step says it did into its line; what is `left` is no work done."""
    counts = {
        name: value
        for name, value in result.items()
        if isinstance(value, int) and not isinstance(value, bool)
    }
    line["counts"].update({"left": counts.pop("left")} if "left" in counts else {})
    for name, value in counts.items():
        line["counts"][name] = line["counts"].get(name, 0) + value
    for change in result.get("changes", ()):
        night.note(**change)
    return counts


def _note_made(character: Any, night: Night, last_entry: int) -> None:
    """Tell the entries a step made from those somebody's words made meanwhile."""
    night.add_made(
        [
            entry["id"]
            for entry in character.memory.journal.entries
            if entry["id"] > last_entry and _is_of_a_night(entry)
        ]
    )


def _is_of_a_night(entry: Mapping[str, Any]) -> bool:
    """Whether an entry is a conclusion; what was heard, or noted in a turn, names who said it."""
    if entries.get(entry, "evidence") or entries.get(entry, "kind") != "event":
        return True
    return entry["source_type"] == "inference" and entries.get(entry, "source_id") is None


def _counted(script: Any, night: Night, ask: Ask) -> Ask:
    """`ask`, each call taken out of the night's budget before, and taking turns after it."""
    clock = script.agent.clock

    @inlineCallbacks
    def counted(
        messages: list[dict[str, Any]], tools: Any = None, **options: Any
    ) -> Generator[Deferred[Any], Any, LLMResponse]:
        tokens = count_message_tokens(messages, tools or ())
        night.spend(
            tokens,
            most_calls=script.option("sleep_calls"),
            most_tokens=script.option("sleep_tokens"),
        )
        answer: LLMResponse = yield ask(messages, tools, **options)
        if night.is_open:
            night.answered(tokens, answer.usage)
        yield its_turn(clock)
        return answer

    return counted
