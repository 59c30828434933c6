"""
When an NPC has lived through enough to think about it: `character.db.reflection_state`.

Every new journal entry adds its importance; at the threshold a reflection is due (document 000,
after Park et al. 2023). What the NPC concluded by itself, planned or summed up adds nothing, so
that thinking does not set off more thinking. The keys of document 000 are unchanged; beside them
stand the times of the last reflections, which cap their number, and what shook the NPC.

It is stored with the tick, not with every line. `counted` says up to which entry it has counted, so
that what a crash takes of it is counted anew from the journal.

The documented functions take the script, as ever: `update_reflection_state(script, 7, 42)`.

"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..mind import entry as entries
from ..mind.entry import timestamp_of, when_of
from ..mind.phrases import DAY, HOUR
from ..mind.shock import shakes
from ..mind.slow_cycle import with_attempt
from .attribute_store import AttributeStore

#: Summed importance at which a reflection is due (documented).
THRESHOLD = 150
#: Reflections in 24 hours.
MOST_RUNS = 3
#: Kinds of entry that add nothing.
UNCOUNTED = frozenset({"summary", "synthesis", "intention", "expectation"})
#: Entries of the window, times of reflections and open questions kept.
MAX_WINDOW = 200
MAX_RUNS = 20
MAX_QUESTIONS = 3
#: Circles of people of whose confidences it is known how far they were looked at.
MAX_CIRCLES = 50


def empty_reflection_state() -> dict[str, Any]:
    """The state of an NPC that has lived through nothing yet."""
    return {
        "cumulative_importance": 0.0,
        "threshold": THRESHOLD,
        "last_reflection_time": None,
        "reflection_count": 0,
        "entries_since_reflection": [],
        "runs": [],
        "shock_pending": False,
        "questions": [],
        "expectation_ids": [],
        "looked_ahead": [],
        "looked_ahead_to": {},
        "counted": 0,
    }


def repair_reflection_state(raw: Any) -> tuple[dict[str, Any], str | None]:
    """The sound part of whatever is stored, and what was wrong, None if nothing was."""
    state = empty_reflection_state()
    if not isinstance(raw, Mapping):
        return state, "not a mapping"
    problems = []
    for key, default in empty_reflection_state().items():
        value = raw.get(key, default)
        number = isinstance(default, int | float) and not isinstance(default, bool)
        if number and (isinstance(value, bool) or not isinstance(value, int | float)):
            problems.append(f"without a number in {key}")
        elif isinstance(default, list | dict) and not isinstance(value, type(default)):
            problems.append(f"without a {type(default).__name__} in {key}")
        else:
            state[key] = value
    if "counted" not in raw:
        state["counted"] = None
    return {**raw, **state}, "; ".join(problems) or None


class ReflectionState:
    """
    The reflection state of one NPC.

    Args:
        character: The NPC.
        journal: Its `Journal`.

    """

    def __init__(self, character: Any, journal: Any) -> None:
        self.store = AttributeStore(
            character,
            "reflection_state",
            empty_reflection_state,
            repair=repair_reflection_state,
        )
        self._journal = journal
        self._caught_up = 0

    @property
    def data(self) -> dict[str, Any]:
        """The state, with every entry of the journal counted."""
        self.catch_up()
        state: dict[str, Any] = self.store.data
        return state

    def catch_up(self) -> None:
        """Count what stands in the journal since the state was last stored."""
        state = self.store.data
        if self._caught_up == self.store.loads:
            return
        self._caught_up = self.store.loads
        if state["counted"] is None:
            # Written by hand, or by another program, with the documented keys alone.
            state["counted"] = self._journal.store.data["entry_count"]
        for entry in self._journal.entries:
            if entry["id"] > state["counted"]:
                self._count(state, entry)

    def count(self, entry: Mapping[str, Any]) -> None:
        """Add a new journal entry, unless it is of a kind that adds nothing; the tick saves."""
        self._count(self.store.data, entry)

    def _count(self, state: dict[str, Any], entry: Mapping[str, Any]) -> None:
        state["counted"] = entry["id"]
        self.store.touch()
        if entries.get(entry, "kind") in UNCOUNTED:
            return
        self.add(float(entry["importance"]), entry["id"])
        if shakes(entry):
            state["shock_pending"] = True

    def judged_anew(self, entry: Mapping[str, Any]) -> None:
        """See whether an entry that now matters more, or less, is a shock; the caller saves."""
        if entries.get(entry, "kind") not in UNCOUNTED and shakes(entry):
            self.data["shock_pending"] = True
            self.store.touch()

    def add(self, importance: float, entry_id: int) -> None:
        """Add to the sum; the caller saves."""
        state = self.data
        state["cumulative_importance"] += importance
        state["entries_since_reflection"].append(entry_id)
        del state["entries_since_reflection"][:-MAX_WINDOW]
        self.store.touch()

    @property
    def due(self) -> bool:
        """Whether there is enough to think about."""
        state = self.data
        reached: bool = state["cumulative_importance"] >= state["threshold"]
        return reached or bool(state["shock_pending"])

    def due_by_time(self, now: float, hours: float) -> bool:
        """
        Whether something new has waited for so long that it is due whatever it adds up to.

        Args:
            now: UTC seconds since the epoch.
            hours: Since the last reflection, or the first new entry where there was none; 0 is
                never.

        """
        state = self.data
        if not hours or not state["entries_since_reflection"]:
            return False
        last = state["last_reflection_time"]
        if last is None:
            first = self._journal.find_anywhere(state["entries_since_reflection"][0])
            last = None if first is None else first["timestamp"]
        return last is None or now - when_of(last) >= hours * HOUR

    def runs_since(self, moment: float) -> int:
        """How many reflections there were since then (UTC seconds)."""
        return sum(when_of(run) >= moment for run in self.data["runs"])

    def rested(self, now: float, most: int = MOST_RUNS) -> bool:
        """Whether fewer than `most` reflections ran in the 24 hours before `now`."""
        return self.runs_since(now - DAY) < most

    def reset(self, now: float, remaining: Mapping[int, float] | None = None) -> None:
        """
        Begin to count anew after a reflection; the caller saves.

        Args:
            now: When it was, UTC seconds since the epoch.
            remaining: Importance by number of the entries that it did not look at, because they
                came while it went on; they count towards the next.

        """
        state, left = self.data, dict(remaining or {})
        stamp = timestamp_of(now)
        state.update(
            cumulative_importance=float(sum(left.values())),
            last_reflection_time=stamp,
            reflection_count=state["reflection_count"] + 1,
            entries_since_reflection=list(left),
            runs=[*state["runs"], stamp][-MAX_RUNS:],
            shock_pending=False,
        )
        self.store.touch()

    def looked_ahead(self, now: float, tokens: int) -> None:
        """Count an attempt to look ahead, before it is made; the caller saves."""
        state = self.data
        state["looked_ahead"] = with_attempt(now, state["looked_ahead"], tokens)
        self.store.touch()

    def looked_up_to(self, circle: str, entry_id: int) -> None:
        """
        Note the newest entry that was looked ahead from; the caller saves.

        Args:
            circle: Who may be told, by name; each is looked at by itself.
            entry_id: The entry's number.

        """
        state = self.data
        others = {name: n for name, n in state["looked_ahead_to"].items() if name != circle}
        kept = list({**others, circle: entry_id}.items())[-MAX_CIRCLES:]
        state["looked_ahead_to"] = dict(kept)
        self.store.touch()

    def expect(self, entry_ids: Iterable[int]) -> None:
        """Keep which expectations are open; the caller saves."""
        state, numbers = self.data, sorted(entry_ids)
        if state["expectation_ids"] != numbers:
            state["expectation_ids"] = numbers
            self.store.touch()

    def ask_later(self, questions: list[str]) -> None:
        """Keep the questions a reflection left open, the last few of them; the caller saves."""
        self.data["questions"] = list(questions)[-MAX_QUESTIONS:]
        self.store.touch()


def update_reflection_state(script: Any, importance: float, entry_id: int) -> None:
    """
    Count one journal entry towards the next reflection, and store that; the documented function.

    Entries written through `npc.memory` are counted there.

    Args:
        script: The AssistantScript.
        importance: Of the entry, 1 to 10.
        entry_id: Its number.

    """
    state = script.character.memory.reflection
    state.add(importance, entry_id)
    state.store.save()


def check_reflection_trigger(script: Any) -> bool:
    """
    Whether a reflection is due: at the threshold, after something that shook the NPC, or, with the
    option `reflection_every_hours`, after so long.

    Args:
        script: The AssistantScript.

    """
    state, hours = script.character.memory.reflection, script.option("reflection_every_hours")
    return bool(state.due or state.due_by_time(script.agent.now(), hours))


def reset_reflection_state(script: Any) -> None:
    """
    Begin to count anew, and store that; the documented function.

    Args:
        script: The AssistantScript.

    """
    state = script.character.memory.reflection
    state.reset(script.agent.now())
    state.store.save()
