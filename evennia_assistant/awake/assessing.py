"""
How much room a turn is given: the third layer of its execution pattern.

By rule it is only the NPC's own state that takes room away: turns that failed, a window that is
full, an arrival that asks for no more than a look. The words of a line take none, for an errand is
told in the words of a stroll. Where an operator switched `task_assessment_enabled` on, the model
judges.

"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any

from twisted.internet.defer import Deferred, inlineCallbacks

from ..errors import ModelError
from ..llm.asking import Records, ask_for_records
from ..mind.assessment import (
    MOST_ITERATIONS,
    ContextSignals,
    TaskAssessment,
    assess_turn,
    parse_assessment,
)
from ..mind.slots import render_slot
from ..prompts.texts import text
from ..prompts.window import context_window


@inlineCallbacks
def assess(turn: Any) -> Generator[Deferred[Any], Any, TaskAssessment]:
    """
    Judge what a turn is about.

    Args:
        turn: The `Turn`; what was judged is noted in its `assessed`.

    Returns:
        The assessment; that of the rules when the model's cannot be had.

    Raises:
        TurnDropped: If the turn was closed meanwhile.

    """
    script = turn.agent.script
    signals = signals_of(turn.agent)
    manners = [percept.manner for percept in turn.percepts]
    words = " ".join(percept.words for percept in turn.percepts)
    by_rule = assess_turn(manners, words, signals)
    config = script.attributes.get("execution_config")
    wanted = isinstance(config, Mapping) and config.get("task_assessment_enabled") is True
    if not wanted or not turn.percepts or not turn.agent.has_model():
        return by_rule
    try:
        answer: Records = yield ask_for_records(
            turn.ask, _question(turn, signals), _read, repairs=0
        )
    except ModelError as err:
        turn.assessed = {"by": "rules", "why": f"the model's assessment failed: {err}"[:300]}
        return by_rule
    if not answer.items:
        turn.assessed = {"by": "rules", "why": "the model's assessment was empty"}
        return by_rule
    made: TaskAssessment = answer.items[0]
    turn.assessed = {
        "by": "model",
        "complexity": made.complexity_score,
        "mode": made.recommended_mode,
        "iterations": made.recommended_iterations,
        "why": made.reasoning[:300],
    }
    if made.problems:
        turn.assessed["unusable"] = list(made.problems)
    return made


def signals_of(agent: Any) -> ContextSignals:
    """The state of an NPC, as far as it bears on what it should take on."""
    script = agent.script
    last = agent.turns.last(1)
    calls = last[0].get("calls", 0) if last else 0
    prompt = last[0]["tokens"]["prompt"] / calls if calls else 0
    errors = script.db.consecutive_errors
    return ContextSignals(
        token_pressure=100.0 * prompt / context_window(script),
        consecutive_errors=errors if isinstance(errors, int) else 0,
    )


def _question(turn: Any, signals: ContextSignals) -> list[dict[str, Any]]:
    heard = [
        {"from": percept.speaker_name, "how": percept.manner, "text": percept.words[:600]}
        for percept in turn.percepts
    ]
    state = {
        "errors_in_a_row": signals.consecutive_errors,
        "context_window_percent": round(signals.token_pressure),
    }
    return [
        {"role": "system", "content": text("assessment")},
        {
            "role": "user",
            "content": f"{render_slot('heard', heard)}\n{render_slot('state', [state])}",
        },
    ]


def _read(record: Any) -> TaskAssessment:
    if not isinstance(record, dict):
        raise ValueError("the assessment is no object")
    return parse_assessment(record, max_iterations=MOST_ITERATIONS)
