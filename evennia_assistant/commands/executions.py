"""What `aiexec` shows of what an NPC did: its log, its figures, what waits for a keeper."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..mind.entry import when_of
from ..mind.phrases import ago
from .plain import count_of, plain
from .shown import name_of

#: Executions shown unless more are asked for.
SHOWN = 10


def log_lines(records: Sequence[Mapping[str, Any]], now: float) -> list[str]:
    """Executions as lines, in the order given."""
    lines = []
    for record in records:
        turn = f"turn #{record['tick']}" if record.get("tick") else "by hand"
        by = f" of {name_of(record['by'])}" if record.get("by") else ""
        head = f"{ago(now - when_of(record['timestamp']))}, {turn}{by}, {record['duration_ms']} ms"
        lines.append(f"|w{plain(record['tool'], 60)}|n {_arguments(record.get('parameters'))}")
        model = f", {plain(record['model'], 60)}" if record.get("model") else ""
        lines.append(f"    {head}{model}")
        if record.get("reasoning"):
            lines.append(f"    because  {plain(record['reasoning'], 200)}")
        if not record["success"]:
            lines.append(f"    |rfailed|n   {plain(record.get('error') or 'no reason kept', 300)}")
    return lines


def metrics_lines(metrics: Mapping[str, Any]) -> list[str]:
    """The figures of an NPC as lines."""
    attempted = metrics["tasks_attempted"]
    each = f", {round(metrics['turn_ms'] / attempted)} ms each" if attempted else ""
    lines = [
        f"  {count_of(attempted, 'turn')}: {metrics['tasks_completed']} answered, "
        f"{metrics['tasks_failed']} failed{each}"
    ]
    calls = metrics["tool_calls"]
    for name in sorted(calls, key=lambda name: (-calls[name], name)):
        errors = metrics["tool_errors"].get(name, 0)
        each = f"{round(metrics['tool_ms'].get(name, 0) / calls[name])} ms each"
        lines.append(
            f"  {plain(name, 60):<20} {count_of(calls[name], 'call')}, "
            f"{count_of(errors, 'error')}, {each}"
        )
    return lines


def request_lines(requests: Sequence[Mapping[str, Any]], now: float) -> list[str]:
    """What an NPC asks its keepers for, as lines."""
    lines = []
    for request in requests:
        who = [str(heard.get("speaker_name", "somebody")) for heard in request["percepts"]]
        asked = " and ".join(dict.fromkeys(who)) or "nobody"
        lines.append(
            f"|w{request['id']}|n  {plain(request['tool'], 60)} {_arguments(request['arguments'])}"
        )
        lines.append(
            f"    asked {ago(now - when_of(request['at']))}, at the word of {plain(asked, 100)}"
        )
        if request.get("reasoning"):
            lines.append(f"    because  {plain(request['reasoning'], 200)}")
    return lines


def _arguments(parameters: Any) -> str:
    text = parameters if isinstance(parameters, str) else json.dumps(parameters, ensure_ascii=False)
    return plain(text, 300)
