"""
When an NPC spoke up of itself, who still owes it an answer, and why it did not, on
`script.db.initiative_state`.

`attempts` and `awaiting` are written before the model is asked, so that no crash lets an NPC say a
thing twice. Every decision leaves a record in `log`; one like the last only raises its count, and
waits for the next write.

"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..mind.audience import stored
from ..mind.entry import timestamp_of, when_of
from ..mind.initiative import Decision, Limits, still_counting
from .attribute_store import AttributeStore

#: Decisions kept, and journal entries that had their occasion.
MAX_LOG = 40
MAX_USED = 60
#: People who may be waited for; of more, those that were spoken to longest ago are let go.
MAX_AWAITED = 60

_LIKE = ("gate", "why", "goal_id", "step_id", "entry_id", "towards")


def empty_state() -> dict[str, Any]:
    """The form of never having spoken up."""
    return {"attempts": [], "awaiting": {}, "used": [], "log": []}


def repair_state(raw: Any) -> tuple[dict[str, Any], str | None]:
    """The sound part of whatever is stored, and what was wrong, None if nothing was."""
    state = empty_state()
    if not isinstance(raw, Mapping):
        return state, "not a mapping"
    problems = []
    for part in ("attempts", "used", "log"):
        held = raw.get(part, [])
        sound = [item for item in held if _SOUND[part](item)] if isinstance(held, list) else []
        if held != sound:
            problems.append(part)
        state[part] = sound
    held = raw.get("awaiting", {})
    if isinstance(held, Mapping):
        state["awaiting"] = {who: at for who, at in held.items() if _is_time(at)}
    if held != state["awaiting"]:
        problems.append("awaiting")
    return state, f"holding unreadable {', '.join(problems)}" if problems else None


class InitiativeLog:
    """
    What is kept of one NPC's speaking up.

    Args:
        script: Its AssistantScript.

    """

    def __init__(self, script: Any) -> None:
        self.store = AttributeStore(script, "initiative_state", empty_state, repair=repair_state)

    @property
    def attempts(self) -> list[float]:
        """When it spoke up, or tried to, oldest first; UTC seconds since the epoch."""
        return sorted(when_of(at) for at in self.store.data["attempts"])

    @property
    def awaiting(self) -> Mapping[str, str]:
        """Since when each of those who have not answered yet is waited for."""
        return self.store.data["awaiting"]

    @property
    def used(self) -> Sequence[int]:
        """Ids of the journal entries that had their occasion."""
        return self.store.data["used"]

    @property
    def log(self) -> list[dict[str, Any]]:
        """The records of its decisions, oldest first."""
        return self.store.data["log"]

    def decided(self, decision: Decision, now: float) -> dict[str, Any]:
        """
        Keep a decision; the caller saves.

        Args:
            decision: What `mind.initiative.decide` gave.
            now: UTC seconds since the epoch.

        Returns:
            The record, to be completed with what came of it.

        """
        made = _record(decision, now)
        last = self.log[-1] if self.log else None
        if not decision.went and last is not None and _alike(last, made):
            # Nothing is written for it: an NPC held up for a day would write every minute.
            last["times"] += 1
            last["last_at"] = made["at"]
            return last
        self.log.append(made)
        del self.log[:-MAX_LOG]
        self.store.touch()
        return made

    def attempt(self, decision: Decision, now: float, limits: Limits) -> None:
        """
        Count an attempt, before it is made: whoever it is for is waited for from here on.

        Args:
            decision: One that goes.
            now: UTC seconds since the epoch.
            limits: How often it may.

        """
        chance, state = decision.chance, self.store.data
        if chance is None:
            raise ValueError("Only a decision with something to speak about is an attempt.")
        kept = still_counting(now, self.attempts, limits)
        state["attempts"] = [timestamp_of(at) for at in [*kept, now]]
        self._await(chance.towards, now)
        if chance.entry_id is not None:
            state["used"] = [*state["used"], chance.entry_id][-MAX_USED:]
        self.store.touch()

    def settled(self, record: dict[str, Any], spoken_to: Iterable[str], **outcome: Any) -> None:
        """
        Note what came of an attempt; those it was for and did not reach owe it nothing.

        Args:
            record: From `decided`.
            spoken_to: Entity ids of those who heard it.
            **outcome: For the record.

        """
        reached = set(spoken_to)
        for who in record["towards"]:
            if who not in reached and self.awaiting.get(who) == record["at"]:
                del self.store.data["awaiting"][who]
        record.update(outcome)
        self.store.touch()

    def answered(self, who: str) -> bool:
        """Take somebody off those who are waited for; whether they were."""
        if self.store.data["awaiting"].pop(who, None) is None:
            return False
        self.store.touch()
        return True

    def _await(self, people: Iterable[str], now: float) -> None:
        awaiting = self.store.data["awaiting"]
        for who in people:
            # Whoever is waited for already stays so, whatever becomes of this attempt.
            awaiting.setdefault(who, timestamp_of(now))
        for who in sorted(awaiting, key=awaiting.__getitem__)[: -MAX_AWAITED or None]:
            del awaiting[who]


def _record(decision: Decision, now: float) -> dict[str, Any]:
    chance = decision.chance
    at = timestamp_of(now)
    record: dict[str, Any] = {"at": at, "last_at": at, "times": 1, "gate": decision.gate}
    # Nothing in a record but a chance is anybody's secret.
    audience = "public" if chance is None else chance.audience
    return {
        **record,
        "why": None if chance is None else chance.why,
        "goal_id": None if chance is None else chance.goal_id,
        "step_id": None if chance is None else chance.step_id,
        "entry_id": None if chance is None else chance.entry_id,
        "towards": [] if chance is None else list(chance.towards),
        "audience": stored(audience),
    }


def _alike(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return all(one.get(key) == other.get(key) for key in _LIKE) and one["gate"] is not None


def _is_time(value: Any) -> bool:
    try:
        when_of(value)
    except (TypeError, ValueError):
        return False
    return True


def _is_record(value: Any) -> bool:
    return (
        isinstance(value, Mapping)
        and _is_time(value.get("at"))
        and _is_time(value.get("last_at"))
        and isinstance(value.get("times"), int)
        and isinstance(value.get("towards"), list)
    )


_SOUND = {
    "attempts": _is_time,
    "used": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "log": _is_record,
}
