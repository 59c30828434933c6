"""
How much work an event asks for, at first sight: the third layer of the execution pattern.

The heuristic reads the kind of the event and its words (English ones; words it does not know leave
everything as configured) and three signals: how full the context window is, how many turns failed
in a row, how urgent the NPC's goal is. A model may be asked instead; `parse_assessment` reads its
answer into the same form. What either recommends can only narrow (`mind.execution_pattern`).

"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

#: Most tools one turn may ever run (`max_iterations_per_tick`, 1 to 10).
MOST_ITERATIONS = 10
DEFAULT_ITERATIONS = 5


@dataclass(frozen=True, slots=True)
class EventClass:
    """
    A kind of event, and what it asks for.

    Args:
        name: Its name.
        keywords: Words of its lines; `?` is a question mark anywhere.
        event_types: Types of event that are of this kind whatever their words.
        complexity: 1 (one gesture) to 5 (many steps).
        mode: Recommended execution mode, None for none.
        iterations: Recommended number of tools.
        confirm_dangerous: Whether a keeper should confirm DANGEROUS tools.

    """

    name: str
    keywords: tuple[str, ...]
    event_types: tuple[str, ...]
    complexity: int
    mode: str | None
    iterations: int
    confirm_dangerous: bool = False


#: In the order in which words decide: of a line that fits several, the class that needs most room.
EVENT_CLASSES: tuple[EventClass, ...] = (
    EventClass(
        "building",
        ("spawn", "create", "build", "destroy"),
        ("build", "spawn", "create"),
        4,
        "react_loop",
        4,
        confirm_dangerous=True,
    ),
    EventClass("goal_action", ("goal", "task", "complete"), ("goal", "task"), 4, "react_loop", 5),
    EventClass(
        "query", ("what", "who", "where", "how", "?"), ("query", "help"), 3, "react_loop", 2
    ),
    EventClass(
        "movement", ("go", "move", "walk", "enter"), ("move", "travel"), 2, "single_action", 1
    ),
    EventClass(
        "observation", ("look", "examine", "inspect"), ("look", "examine"), 1, "single_action", 1
    ),
    EventClass(
        "communication",
        ("say", "page", "whisper", "reply"),
        ("say", "page", "whisper", "channel"),
        1,
        "single_action",
        1,
    ),
)
UNKNOWN = EventClass("unknown", (), (), 3, None, DEFAULT_ITERATIONS)

_BY_NAME = {kind.name: kind for kind in (*EVENT_CLASSES, UNKNOWN)}
_BY_TYPE = {word: kind for kind in EVENT_CLASSES for word in kind.event_types}
#: Such an event says that somebody spoke; what they want is in their words.
_SPOKEN = frozenset(_BY_NAME["communication"].event_types)
_WORD = re.compile(r"[a-z]+|\?")
_STEP = re.compile(r"\b(?:and then|then|after that|afterwards|first|finally|next)\b")

#: Percent of the context window from which fewer tools are recommended, and one.
PRESSURE_WARNING = 70.0
PRESSURE_DANGER = 85.0
#: Failed turns in a row after which one tool at a time is recommended.
MANY_ERRORS = 3
URGENCIES: Mapping[str, float] = {"low": 0.25, "medium": 0.5, "high": 0.75, "critical": 1.0}
URGENT = 0.75


@dataclass(frozen=True, slots=True)
class ContextSignals:
    """
    What the heuristic looks at beside the event.

    Args:
        token_pressure: Percent of the context window in use.
        consecutive_errors: Failed turns in a row.
        goal_urgency: 0.0 to 1.0, or one of `URGENCIES`; None when there is no goal.

    """

    token_pressure: float = 0.0
    consecutive_errors: int = 0
    goal_urgency: float | str | None = None


@dataclass(frozen=True, slots=True)
class TaskAssessment:
    """
    What an event seems to need.

    Args:
        complexity_score: 1 (simple) to 5 (many steps).
        recommended_mode: `single_action`, `react_loop`, or None for no recommendation.
        recommended_iterations: Number of tools.
        recommend_confirm_dangerous: Whether a keeper should confirm DANGEROUS tools.
        reasoning: Why, in a line.
        context_signals: What was looked at; only from the heuristic.
        problems: What of a model's answer could not be used; only from a model.

    """

    complexity_score: int
    recommended_mode: str | None
    recommended_iterations: int
    recommend_confirm_dangerous: bool
    reasoning: str
    context_signals: Mapping[str, Any] = field(default_factory=dict)
    problems: tuple[str, ...] = ()


def classify_event(event_type: str, text: str = "") -> str:
    """
    The class of an event.

    Args:
        event_type: What happened: `say`, `look`, `build`, ... Speech is classified by its words,
            and is `communication` when they name nothing else.
        text: The words of it.

    Returns:
        The name of an `EventClass`, `unknown` for what fits none.

    """
    kind = str(event_type).strip().lower()
    named = _BY_TYPE.get(kind)
    if named is not None and kind not in _SPOKEN:
        return named.name
    words = set(_WORD.findall(text.lower()))
    for candidate in EVENT_CLASSES:
        if not words.isdisjoint(candidate.keywords):
            return candidate.name
    return "communication" if kind in _SPOKEN else UNKNOWN.name


def mode_for(complexity: int) -> tuple[str, int]:
    """The documented mode and number of tools for a complexity of 1 to 5."""
    if complexity <= 2:
        return "single_action", 1
    if complexity <= 4:
        return "react_loop", 3 if complexity == 3 else 5
    return "react_loop", MOST_ITERATIONS


def assess_heuristic(
    event_type: str,
    text: str = "",
    *,
    signals: ContextSignals | None = None,
    max_iterations: int = DEFAULT_ITERATIONS,
) -> TaskAssessment:
    """
    What an event seems to need, without asking a model.

    Args:
        event_type: As `classify_event` takes it.
        text: The words of it.
        signals: The state of the NPC; None is an NPC at rest.
        max_iterations: Most tools the context allows, which a complexity of 5 asks for.

    """
    signals = signals or ContextSignals()
    kind = _BY_NAME[classify_event(event_type, text)]
    steps = len(_STEP.findall(text.lower()))
    urgency = _urgency(signals.goal_urgency)
    complexity, mode, iterations = kind.complexity, kind.mode, kind.iterations
    confirm = kind.confirm_dangerous
    reasons = [f"{kind.name} event"]
    raised = min(steps, 3) + (1 if urgency is not None and urgency >= URGENT else 0)
    if raised:
        complexity = min(5, complexity + raised)
        if steps:
            reasons.append(f"{steps} further step{'s' if steps > 1 else ''} named")
        if raised > min(steps, 3):
            reasons.append("urgent goal")
        if mode is not None:
            wider_mode, wider = mode_for(complexity)
            mode, iterations = wider_mode, max(iterations, wider)
    if signals.token_pressure >= PRESSURE_DANGER:
        mode, iterations = "single_action", 1
        reasons.append(f"context window {signals.token_pressure:.0f} % full: one tool")
    elif signals.token_pressure >= PRESSURE_WARNING:
        iterations = max(1, iterations // 2)
        reasons.append(f"context window {signals.token_pressure:.0f} % full: fewer tools")
    if signals.consecutive_errors >= MANY_ERRORS:
        mode, iterations, confirm = "single_action", 1, True
        reasons.append(f"{signals.consecutive_errors} failures in a row: one tool, confirmed")
    elif signals.consecutive_errors > 0:
        iterations = max(1, iterations - signals.consecutive_errors)
        reasons.append(f"{signals.consecutive_errors} failures in a row: fewer tools")
    return TaskAssessment(
        complexity_score=complexity,
        recommended_mode=mode,
        recommended_iterations=max(1, min(iterations, max_iterations)),
        recommend_confirm_dangerous=confirm,
        reasoning="; ".join(reasons) + ".",
        context_signals={
            "event_class": kind.name,
            "steps": steps,
            "token_pressure": signals.token_pressure,
            "consecutive_errors": signals.consecutive_errors,
            "goal_urgency": urgency,
        },
    )


def assess_turn(
    manners: Sequence[str],
    text: str = "",
    signals: ContextSignals | None = None,
    *,
    max_iterations: int = MOST_ITERATIONS,
) -> TaskAssessment:
    """
    What the lines of a turn leave room for, by rules that never cut an errand short.

    "Go and get me the lantern" has the words of a stroll, and "what do you say to a song?" those of
    a question, so words take no room away; they only ask for a keeper's consent to DANGEROUS tools
    where something is to be built or destroyed. What takes room away are the signals, and arrivals
    and departures, which ask for no more than a look.

    Args:
        manners: How each line came (`mind.percept.Manner`).
        text: The words of all of them.
        signals: The state of the NPC; None is an NPC at rest.
        max_iterations: Most tools the context allows.

    """
    passing = bool(manners) and all(manner in ("arrive", "leave") for manner in manners)
    room = assess_heuristic(
        "look" if passing else UNKNOWN.name, signals=signals, max_iterations=max_iterations
    )
    if not passing and room.recommended_mode is None and not _strained(signals):
        room = replace(room, recommended_iterations=max_iterations)
    spoken = assess_heuristic("say", text)
    return replace(
        room,
        recommend_confirm_dangerous=(
            room.recommend_confirm_dangerous or spoken.recommend_confirm_dangerous
        ),
        context_signals={
            **room.context_signals,
            "event_class": spoken.context_signals["event_class"],
            "steps": spoken.context_signals["steps"],
        },
    )


def _strained(signals: ContextSignals | None) -> bool:
    """Whether the state of the NPC leaves less room than usual."""
    return signals is not None and (
        signals.token_pressure >= PRESSURE_WARNING or signals.consecutive_errors > 0
    )


def parse_assessment(
    answer: Mapping[str, Any], *, max_iterations: int = DEFAULT_ITERATIONS
) -> TaskAssessment:
    """
    A model's assessment, as far as it can be used.

    A field that is missing or no use is filled in from the complexity by the documented table, and
    named in `problems`.

    Args:
        answer: The object the model answered with.
        max_iterations: Most tools the context allows.

    Raises:
        ValueError: If there is no complexity from 1 to 5 in it: then nothing in it can be trusted.

    """
    score = _whole(answer.get("complexity_score"))
    if score is None or not 1 <= score <= 5:
        raise ValueError(
            "The assessment has no complexity_score from 1 to 5: "
            f"{str(answer.get('complexity_score'))[:60]!r}."
        )
    problems: list[str] = []
    usual_mode, usual_iterations = mode_for(score)
    mode = answer.get("recommended_mode", usual_mode)
    if isinstance(mode, str):
        mode = mode.strip().lower()
        mode = None if mode in ("none", "null", "") else mode
    if mode not in (None, "single_action", "react_loop"):
        problems.append("recommended_mode")
        mode = usual_mode
    iterations = _whole(answer.get("recommended_iterations"))
    if iterations is None or iterations < 1:
        problems.append("recommended_iterations")
        iterations = usual_iterations
    confirm = _truth(answer.get("recommend_confirm_dangerous"))
    if confirm is None:
        problems.append("recommend_confirm_dangerous")
        confirm = True
    reasoning = answer.get("reasoning")
    if not isinstance(reasoning, str):
        problems.append("reasoning")
        reasoning = ""
    return TaskAssessment(
        complexity_score=score,
        recommended_mode=mode,
        recommended_iterations=max(1, min(iterations, max_iterations)),
        recommend_confirm_dangerous=confirm,
        reasoning=" ".join(reasoning.split())[:500],
        problems=tuple(problems),
    )


def _urgency(value: float | str | None) -> float | None:
    """An urgency from 0 to 1; None when there is none, or none that can be read."""
    if isinstance(value, str):
        return URGENCIES.get(value.strip().lower())
    if value is None or not math.isfinite(value):
        return None
    return max(0.0, min(1.0, float(value)))


def _whole(value: Any) -> int | None:
    """A whole number, also one written as text; None for anything else."""
    if isinstance(value, str) and re.fullmatch(r"\s*\d{1,3}(?:\.0+)?(?:\s*/\s*\d+)?\s*", value):
        return int(re.split(r"[./]", value)[0])
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _truth(value: Any) -> bool | None:
    """A yes or no, also one written as text; None for anything else."""
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        return {"true": True, "yes": True, "false": False, "no": False}.get(value.strip().lower())
    return None
