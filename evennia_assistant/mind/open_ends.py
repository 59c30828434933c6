"""
What an NPC promised and what it expects, and what becomes of it.

Both are journal entries: a promise of the NPC is of kind `intention`, what it thinks will happen of
kind `expectation`. `event_time` says by when, `evidence` what it rests on. They stay for good; what
became of one stands in its `outcome`, `{"is", "at", "by"}`:

=========== ===================================================================================
open        no outcome yet
fulfilled   it came about, or was kept
broken      a promise that was not kept
expired     its time went by, and nothing told what became of it
=========== ===================================================================================

"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from . import entry as entries
from .audience import frozen
from .entry import when_of
from .percept import Audience
from .phrases import DAY

PROMISE, EXPECTATION = "intention", "expectation"
KINDS = (PROMISE, EXPECTATION)
OPEN, FULFILLED, BROKEN, EXPIRED = "open", "fulfilled", "broken", "expired"
OUTCOMES = (FULFILLED, BROKEN, EXPIRED)
#: Seconds after its time at which what is still open has expired: there may be a night between.
GRACE = DAY
#: What names no time, or a later one, is open for so long.
LONGEST_OPEN = 30 * DAY
#: When an expectation comes due whose model did not say when.
USUAL_TERM = 14 * DAY
#: Open at once, of each kind; of more, those that were made longest ago expire.
MOST_OPEN = 200
#: States of an entry in which it counts no more, whatever it says.
_GONE = ("superseded", "merged")


@dataclass(frozen=True, slots=True)
class OpenEnd:
    """
    A promise or an expectation.

    Args:
        number: Of its journal entry.
        kind: `PROMISE` or `EXPECTATION`.
        text: In one sentence.
        audience: Who may be told.
        confidence: Whether it was made in confidence.
        made: When, UTC seconds since the epoch.
        due: By when, None where that is not known.
        begins: From when on it is time for it, None where that is not known.
        entities: Entity ids of whom it concerns.
        outcome: `OPEN` or one of `OUTCOMES`.
        closed: When it was closed, None while it is open.
        since: Number of the newest entry it rests on, else its own: what came of it came later.

    """

    number: int
    kind: str
    text: str
    audience: Audience
    confidence: bool
    made: float
    due: float | None = None
    begins: float | None = None
    entities: tuple[str, ...] = ()
    outcome: str = OPEN
    closed: float | None = None
    since: int = 0

    @property
    def id(self) -> str:
        """Its id, as memories have one."""
        return f"j{self.number}"

    @property
    def is_promise(self) -> bool:
        """Whether the NPC promised it."""
        return self.kind == PROMISE

    @property
    def is_open(self) -> bool:
        """Whether nothing became of it yet."""
        return self.outcome == OPEN

    def is_due(self, now: float) -> bool:
        """Whether it is open and its time has come."""
        return self.is_open and self.due is not None and self.due <= now

    def has_come(self, now: float) -> bool:
        """Whether it is open and it is time for it."""
        begins = self.due if self.begins is None else self.begins
        return self.is_open and begins is not None and begins <= now

    def has_expired(self, now: float) -> bool:
        """Whether it is open, and its time has gone by."""
        ends = self.made + LONGEST_OPEN if self.due is None else self.due + GRACE
        return self.is_open and ends <= now

    @property
    def group(self) -> tuple[Audience, bool]:
        """What may be put into one prompt with it."""
        return self.audience, self.confidence


def open_end_of(entry: Mapping[str, Any]) -> OpenEnd | None:
    """The promise or expectation an entry is, None for any other and for one that is void."""
    kind = entries.get(entry, "kind")
    if kind not in KINDS or entries.get(entry, "state") in _GONE:
        return None
    outcome = entries.get(entry, "outcome")
    closed = outcome if isinstance(outcome, Mapping) and outcome.get("is") in OUTCOMES else None
    return OpenEnd(
        number=int(entry["id"]),
        kind=kind,
        text=str(entry["content"]),
        audience=frozen(entry.get("audience")),
        confidence=entries.in_confidence(entry),
        made=when_of(entry["timestamp"]),
        due=due_of(entries.get(entry, "event_time")),
        begins=_start_of(entries.get(entry, "event_time")),
        entities=_people(entry),
        outcome=OPEN if closed is None else str(closed["is"]),
        closed=None if closed is None else _instant(closed.get("at")),
        since=_since(entry),
    )


def is_over_expectation(entry: Mapping[str, Any]) -> bool:
    """
    Whether an entry is not to be recalled any more: an expectation something became of.

    What came about is remembered as itself, and what did not is no knowledge.

    """
    return entries.get(entry, "kind") == EXPECTATION and bool(entries.get(entry, "outcome"))


def due_of(event_time: Any) -> float | None:
    """
    By when something is to have happened: the end of its time, else its start.

    Args:
        event_time: `{"start", "end"}` of ISO times or seconds, or one of these; None for no time.

    """
    if not isinstance(event_time, Mapping):
        return _instant(event_time)
    end = _instant(event_time.get("end"))
    return _instant(event_time.get("start")) if end is None else end


def _start_of(event_time: Any) -> float | None:
    if not isinstance(event_time, Mapping):
        return None
    return _instant(event_time.get("start"))


def outcome_record(what: str, when: float, by: str | None = None) -> dict[str, Any]:
    """
    An outcome as an entry keeps it.

    Args:
        what: One of `OUTCOMES`.
        when: UTC seconds since the epoch.
        by: Id of the memory that shows it, or None.

    Raises:
        ValueError: If there is no such outcome.

    """
    if what not in OUTCOMES:
        raise ValueError(f"{what!r} is none of {', '.join(OUTCOMES)}.")
    return {"is": what, "at": entries.timestamp_of(when), "by": by}


def over(ends: Iterable[OpenEnd], now: float) -> list[OpenEnd]:
    """Those that expire now: their time went by, or there are too many of a kind."""
    still_open = [end for end in ends if end.is_open]
    expired = [end for end in still_open if end.has_expired(now)]
    gone = {end.number for end in expired}
    for kind in KINDS:
        left = [end for end in still_open if end.kind == kind and end.number not in gone]
        left.sort(key=lambda end: (end.made, end.number))
        expired += left[: max(0, len(left) - MOST_OPEN)]
    return expired


def pressing(
    ends: Iterable[OpenEnd], now: float, *, about: Collection[str] = (), most: int = 5
) -> list[OpenEnd]:
    """
    The open ones that matter most now: what concerns those at hand first, then what is due soonest.

    Args:
        ends: Of one kind.
        now: UTC seconds since the epoch.
        about: Entity ids of those at hand.
        most: How many.

    """
    at_hand = set(about)

    def rank(end: OpenEnd) -> tuple[bool, float, int]:
        due = end.made + LONGEST_OPEN if end.due is None else end.due
        return at_hand.isdisjoint(end.entities), due, end.number

    return sorted((end for end in ends if end.is_open), key=rank)[:most]


def lately_unkept(
    ends: Sequence[OpenEnd], now: float, *, about: Collection[str], within: float, most: int
) -> list[OpenEnd]:
    """Promises to those at hand that were broken or let pass lately, the newest first."""
    at_hand = set(about)
    found = [
        end
        for end in ends
        if end.is_promise
        and end.outcome in (BROKEN, EXPIRED)
        and end.closed is not None
        and now - end.closed < within
        and not at_hand.isdisjoint(end.entities)
    ]
    return sorted(found, key=lambda end: (-(end.closed or 0.0), end.number))[:most]


def _since(entry: Mapping[str, Any]) -> int:
    # A promise made in a talk by day is written down by night, after whatever kept it.
    named = map(entries.number_of, entries.get(entry, "evidence"))
    return max((number for number in named if number is not None), default=int(entry["id"]))


def _people(entry: Mapping[str, Any]) -> tuple[str, ...]:
    named = (entries.get(entry, "source_id"), *entries.get(entry, "entities"))
    return tuple(dict.fromkeys(str(who) for who in named if who))


def _instant(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        return when_of(value) if isinstance(value, str) else float(value)
    except ValueError:
        return None
