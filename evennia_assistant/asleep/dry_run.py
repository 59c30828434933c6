"""
What tonight would do, tried on a copy of the NPC.

The steps of a night run one after the other on copies of the stores (`memory.copies`), with the
same model within the same budget; nothing of the NPC changes. What would go into semantic memory is
listed and not sent.

"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

from twisted.internet.defer import Deferred, inlineCallbacks

from ..memory.copies import CopiedScript
from ..memory.handler import MemoryHandler
from ..memory.semantic import uses_semantic_memory
from .cycle import run_sleep_tick
from .night import night_of
from .steps import STEPS

#: Ticks after which a night on a copy is given up.
MOST_TICKS = 400


@inlineCallbacks
def run_night_on_copy(
    script: Any, progress: Callable[[str], None] | None = None
) -> Generator[Deferred[Any], Any, dict[str, Any]]:
    """
    Let a copy of an NPC sleep through one night.

    Args:
        script: The AssistantScript.
        progress: Told the name of each step when it begins.

    Returns:
        What `script.db.last_night` would hold, and under `facts` the entries of which facts would
        be made, `{"id", "text", "audience"}`.

    Raises:
        AssistantError: As steps do that cannot be passed over.

    """
    copy = CopiedScript(script, MemoryHandler)
    for left_behind in ("sleep_cycle", "last_night", "sleep_phase", "before_night"):
        copy.attributes.remove(left_behind)
    facts = _waiting(copy) if uses_semantic_memory(script) else []
    night = night_of(copy)
    shown = None
    for _tick in range(MOST_TICKS):
        step = night.data["step"] or STEPS[0].name
        if progress is not None and step != shown:
            shown = step
            progress(step)
        report = yield run_sleep_tick(copy, copy.character)
        if not report["open"]:
            break
    return {**night.last.data, "facts": facts}


def _waiting(script: Any) -> list[dict[str, Any]]:
    return [
        {
            "id": f"j{entry['id']}",
            "text": entry["content"][:200],
            "audience": entry.get("audience"),
        }
        for entry in script.character.memory.journal.unconsolidated()
    ]
