"""What an NPC can know of its own state: figures only, nothing anybody told it."""

from __future__ import annotations

from typing import Any

from .base import Tool, ToolCategory, register

#: Turns that are counted.
LAST = 5


@register
class SelfStatus(Tool):
    """Tokens, errors, mode, queue and memory in figures."""

    name = "self_status"
    description = "See how you are doing: tokens used, errors, mode, lines waiting, memory."
    category = ToolCategory.SAFE_CHAIN
    everyday = False
    cacheable = True

    def execute(self, character: Any, **kwargs: Any) -> dict[str, Any]:
        """Count; see `Tool.execute`."""
        agent, memory = character.ndb.assistant_turn.agent, character.memory
        script, turns = agent.script, agent.turns.last(LAST)
        tokens = [turn.get("tokens") or {} for turn in turns]
        return {
            "mode": script.db.operating_mode or "awake",
            "errors_in_a_row": script.db.consecutive_errors or 0,
            "lines_waiting": len(agent.runner.events.data),
            "last_turns": len(turns),
            "tokens": {
                kind: sum(int(used.get(kind, 0)) for used in tokens)
                for kind in ("prompt", "completion")
            },
            "failed_turns": sum(bool(turn.get("failure")) for turn in turns),
            "memory": {
                "journal_entries": len(memory.journal.entries),
                "people": len(memory.profiles.store.data),
                "facts_taught": len(memory.knowledge.public()),
                "open_goals": len(memory.goals.open()),
                "projects": len(memory.projects.slots),
            },
        }
