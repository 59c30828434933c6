"""
Every tool that ran or was refused, on `script.db.execution_log`; figures on `script.db.metrics`.

Both change with every turn, so the tick writes them. A record keeps the audience of the turn it was
made in: its parameters are words somebody said, and may be shown to those only who may be told.

"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ..memory.attribute_store import AttributeStore
from ..mind.audience import stored
from ..mind.entry import timestamp_of, when_of
from ..mind.percept import Audience

#: Name under which calls of tools that do not exist are counted: a model can invent any number.
UNKNOWN = "(unknown)"
#: Most characters kept of the parameters of one call, and of any other text of it.
MOST_PARAMETERS = 600
MOST_TEXT = 300

_COUNTED = ("tasks_attempted", "tasks_completed", "tasks_failed", "turn_ms")
_BY_TOOL = ("tool_calls", "tool_errors", "tool_ms")


def empty_metrics() -> dict[str, Any]:
    """The figures of an NPC that has done nothing."""
    return {**{name: {} for name in _BY_TOOL}, **dict.fromkeys(_COUNTED, 0)}


def repair_log(raw: Any) -> tuple[list[Any], str | None]:
    """The sound records of whatever is stored, and what was wrong, None if nothing was."""
    if not isinstance(raw, list):
        return [], "not a list"
    sound = [record for record in raw if _is_sound(record)]
    return sound, None if len(sound) == len(raw) else "holding broken records"


def repair_metrics(raw: Any) -> tuple[dict[str, Any], str | None]:
    """The sound figures of whatever is stored, and what was wrong, None if nothing was."""
    metrics = empty_metrics()
    if not isinstance(raw, Mapping):
        return metrics, "not a dict"
    problem = None
    for name, figure in raw.items():
        if isinstance(metrics.get(name), dict):
            sound = isinstance(figure, Mapping) and all(map(_is_figure, figure.values()))
            metrics[name] = dict(figure) if sound else {}
        else:
            sound = name not in metrics or _is_figure(figure)
            metrics[name] = figure if sound else 0
        if not sound:
            problem = f"holding {str(name)[:40]!r} that is no figure"
    return metrics, problem


def _is_figure(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_sound(record: Any) -> bool:
    try:
        when_of(record["timestamp"])
        return isinstance(record["tool"], str) and isinstance(record["success"], bool)
    except (KeyError, TypeError, ValueError):
        return False


class ExecutionLog:
    """
    The last executions of one NPC, and what they come to.

    Args:
        script: Its AssistantScript.

    """

    def __init__(self, script: Any) -> None:
        self.script = script
        self.store = AttributeStore(
            script, "execution_log", list, repair=repair_log, sectioned=True
        )
        self.metrics = AttributeStore(script, "metrics", empty_metrics, repair=repair_metrics)

    def add(self, record: dict[str, Any], *, known: bool = True) -> None:
        """
        Keep an execution; the oldest beyond the option `max_log_entries` goes.

        Args:
            record: As `log_execution` makes it.
            known: Whether there is such a tool.

        """
        log = self.store.data
        log.append(record)
        del log[: -self.script.option("max_log_entries")]
        self.store.touch(record)
        name = record["tool"] if known else UNKNOWN
        counted = [("tool_calls", 1), ("tool_ms", record["duration_ms"])]
        if not record["success"]:
            counted.append(("tool_errors", 1))
        for figure, more in counted:
            by_tool = self.metrics.data[figure]
            by_tool[name] = by_tool.get(name, 0) + more
        self.metrics.touch()

    def count_turn(self, *, completed: bool, failed: bool, ms: int) -> None:
        """Count a turn; one that was dropped has neither been completed nor failed."""
        figures = self.metrics.data
        figures["tasks_attempted"] += 1
        figures["tasks_completed"] += completed
        figures["tasks_failed"] += failed
        figures["turn_ms"] += ms
        self.metrics.touch()

    def last(self, count: int) -> list[dict[str, Any]]:
        """The newest executions, oldest first."""
        return list(self.store.data[-count:])

    def stores(self) -> list[AttributeStore]:
        """What the tick has to write."""
        return [self.store, self.metrics]


def log_execution(
    script: Any,
    tool_name: str,
    tool_call: Mapping[str, Any],
    success: bool,
    error_msg: str | None = None,
    duration_ms: float = 0.0,
    *,
    audience: Audience = None,
    tick: int | None = None,
    known: bool = True,
    by: str | None = None,
) -> dict[str, Any]:
    """
    Put one execution into the log and the figures; the tick writes both.

    Args:
        script: The AssistantScript.
        tool_name: The tool.
        tool_call: `parameters` and `reasoning` of it, however the model wrote them.
        success: Whether it did what it was called for.
        error_msg: Why not.
        duration_ms: *Seconds* it took, as the documented interface has it; milliseconds are kept.
        audience: Who may be told of it; None is nobody but its keepers.
        tick: Number of the turn, as `aihistory` shows it.
        known: Whether there is such a tool.
        by: Entity id of the keeper at whose hand it ran, None when it was a model's.

    Returns:
        The record.

    """
    agent = script.agent
    provider, model = (None, None) if by else agent.asked
    record = {
        "tick": tick,
        "timestamp": timestamp_of(agent.now()),
        "tool": tool_name[:60],
        "parameters": _kept(tool_call.get("parameters")),
        "reasoning": str(tool_call.get("reasoning") or "")[:MOST_TEXT],
        "success": bool(success),
        "error": None if error_msg is None else error_msg[:MOST_TEXT],
        "duration_ms": max(0, round(duration_ms * 1000)),
        "provider": provider,
        "model": model,
        "audience": stored(audience),
        **({"by": by} if by else {}),
    }
    agent.executions.add(record, known=known)
    agent.unsaved = True
    return record


def _kept(parameters: Any) -> Any:
    """Parameters as they are, or the beginning of them as text when they are long or no JSON."""
    if isinstance(parameters, str):
        return parameters[:MOST_PARAMETERS]
    try:
        text = json.dumps(parameters or {}, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return str(type(parameters).__name__)
    return json.loads(text) if len(text) <= MOST_PARAMETERS else text[:MOST_PARAMETERS]
