"""
What became of facts, asked by the journal entries they were made of.

For one entry `memory.facts` asks the sidecar; for thousands it makes one copy of what does not
simply hold, and asks that.

"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..mind import entry as entries
from ..mind.retention import DORMANT, GONE


class FactStates:
    """
    What becomes of an entry by what became of the facts made of it.

    Args:
        state_of: The state of a fact by its id.

    """

    def __init__(self, state_of: Callable[[str], str]) -> None:
        self._state_of = state_of

    def hides(self, entry: Mapping[str, Any]) -> bool:
        """Whether an entry holds no longer, because none of the facts made of it does."""
        ids = entry.get("mem0_ids") or ()
        return bool(ids) and all(self._state_of(fact_id) in GONE for fact_id in ids)

    def sleeps(self, entry: Mapping[str, Any]) -> bool:
        """Whether an entry is dormant, by itself or because the facts made of it are."""
        ids = entry.get("mem0_ids")
        if not ids:
            return bool(entries.get(entry, "state") == DORMANT)
        states = {self._state_of(fact_id) for fact_id in ids} - GONE
        return states == {DORMANT}
