"""
A step of the night: what became of what was promised and expected, and what is to be expected now.

First, what is past its time by a day expires; no model is needed for that. Then, within the gates
of the slow cycle (`mind.slow_cycle`), a model is shown what is new, of one audience and one
confidence, with what is open in the same circle: it says what came about and what was broken, and
what it expects. The attempt is stored before the model is asked; all that comes of it is stored at
once.

"""

from __future__ import annotations

from collections.abc import Collection, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from twisted.internet.defer import Deferred, inlineCallbacks

from ..awake.models import has_model
from ..llm.asking import Ask, ask_for_records
from ..llm.tokens import count_message_tokens, count_tokens
from ..mind import entry as entries
from ..mind import slow_cycle
from ..mind.audience import frozen, may_be_told
from ..mind.entry import when_of
from ..mind.initiative import is_shock
from ..mind.open_ends import BROKEN, EXPIRED, FULFILLED, OpenEnd, over
from ..mind.percept import Audience
from ..mind.phrases import DAY
from ..mind.slots import parse_slots, render_slot
from ..prompts.texts import text
from .foresight import (
    MOST_EXPECTATIONS,
    MOST_QUESTIONS,
    Expected,
    checked_evidence,
    checked_expectation,
    checked_text,
    keep_open_numbers,
    write_expectations,
)
from .night import night_of, tonights_entries

STEP = "look_ahead"
#: What happened longer ago is not looked ahead from (documented for the first time: 7 days).
LOOK_BACK = 7 * DAY
#: New memories of one circle worth asking about; with something to judge, any number is.
LEAST_NEW = 3
#: Of each, put before the model.
MOST_MEMORIES = 60
MOST_OPEN = 20
#: Circles looked at in one night, beyond the first only those with something to judge.
MOST_CIRCLES = 3
#: Kinds of entry that are no news.
NO_NEWS = frozenset({"summary", "intention", "expectation", "knowledge"})

Circle = tuple[Audience, bool]


@dataclass
class View:
    """
    What a model is shown of one circle.

    Args:
        circle: Audience and confidence of all of it.
        news: Journal entries, oldest first.
        judged: What to say the outcome of: past its time, open or expired.
        others: Open ends that are not due yet.

    """

    circle: Circle
    news: list[Mapping[str, Any]] = field(default_factory=list)
    judged: list[OpenEnd] = field(default_factory=list)
    others: list[OpenEnd] = field(default_factory=list)

    @property
    def worth_it(self) -> bool:
        """Whether there is something to ask about."""
        return bool(self.judged) or len(self.news) >= LEAST_NEW

    @property
    def weight(self) -> tuple[int, float]:
        """How pressing it is, beside other circles."""
        return len(self.judged), sum(float(entry["importance"]) for entry in self.news)

    @property
    def ends(self) -> list[OpenEnd]:
        """What is shown as open."""
        return [*self.judged, *self.others][:MOST_OPEN]


@inlineCallbacks
def look_ahead(
    script: Any, character: Any, *, ask: Ask | None = None
) -> Generator[Deferred[Any], Any, dict[str, Any]]:
    """
    Let go of what is past its time, and look ahead with a model where that may be done now.

    Args:
        script: The AssistantScript.
        character: Its NPC.
        ask: Asks the model; None is the NPC's own way.

    Returns:
        `{"completed", "expired", "fulfilled", "broken", "expected", "questions"}`: whether no
        circle is left for this night, and how many of each; `why` says why no model was asked.

    Raises:
        ModelError: If the model could not be asked or not be understood; it has expired all the
            same, and what is new stays new.

    """
    yield character.memory.prepare()
    result: dict[str, Any] = {
        "completed": True,
        "expired": _expire(script, character),
        "fulfilled": 0,
        "broken": 0,
        "expected": 0,
        "questions": 0,
    }
    views = _views(script, character)
    why = _why_not(script, character, views)
    if why is not None:
        return {**result, "why": why}
    view, now = views[0], script.agent.now()
    messages = _prompt(view, now)
    seen = {record["id"] for record in parse_slots(messages[-1]["content"])["memories"]}
    _count_attempt(script, character, messages)
    answer = yield ask_for_records(
        ask or script.agent.ask, messages, lambda record: _checked(record, view, seen, now)
    )
    if not script.agent.exists:
        return result
    _store(script, character, view, answer.items, result)
    result["completed"] = not _views(script, character)
    return result


# Expiring ----------------------------------------------------------------------------------------


def _expire(script: Any, character: Any) -> int:
    """Close what is past its time, and store that; how many."""
    memory, now = character.memory, script.agent.now()
    gone = over(memory.open_ends.all(), now)
    if gone:
        _close(script, character, {end.number: (EXPIRED, None) for end in gone})
    return len(gone)


def _close(script: Any, character: Any, outcomes: Mapping[int, tuple[str, str | None]]) -> None:
    """Store outcomes, with all else that changed and the record of the night."""
    memory, night = character.memory, night_of(script)
    for number, (what, by) in outcomes.items():
        end = memory.open_ends.get(number)
        if end is not None:
            evidence = [] if by is None else [by]
            night.note(
                "retired", end.text, audience=end.audience, id=end.id, why=what, evidence=evidence
            )
    changed = memory.open_ends.close(outcomes, script.agent.now())
    keep_open_numbers(character)
    memory.save_journal(memory.reflection.store, *changed, *night.stores())


# What there is to look at ------------------------------------------------------------------------


def _views(script: Any, character: Any) -> list[View]:
    """The circles that are worth asking about tonight, the most pressing first."""
    state, now = character.memory.reflection.data, script.agent.now()
    views: dict[Circle, View] = {}
    for entry in tonights_entries(script, character):
        circle = frozen(entry.get("audience")), entries.in_confidence(entry)
        looked_at = entry["id"] <= state["looked_ahead_to"].get(_name(circle), 0)
        if not looked_at and _is_news(entry, now):
            views.setdefault(circle, View(circle)).news.append(entry)
    since = _last_looked(script, state["looked_ahead"])
    for end in character.memory.open_ends.all():
        view = views.setdefault(end.group, View(end.group))
        if end.is_due(now) or (end.outcome == EXPIRED and (end.closed or 0.0) > since):
            view.judged.append(end)
        elif end.is_open:
            view.others.append(end)
    night = night_of(script)
    left = [
        view
        for view in views.values()
        if view.circle[0] is not None
        and view.worth_it
        and not night.is_set_aside(STEP, _name(view.circle))
    ]
    left.sort(key=lambda view: view.weight, reverse=True)
    done = len(night.data["set_aside"].get(STEP, ())) if night.is_open else 0
    if done:
        left = [view for view in left if view.judged]
    return left[: max(0, MOST_CIRCLES - done)]


def _last_looked(script: Any, runs: Sequence[Mapping[str, Any]]) -> float:
    """When it looked ahead before this night; 0.0 when it never did."""
    night = night_of(script)
    before = when_of(night.data["started"]) if night.is_open else float("inf")
    return max((at for run in runs if (at := when_of(run["at"])) < before), default=0.0)


def _is_news(entry: Mapping[str, Any], now: float) -> bool:
    return (
        entries.get(entry, "kind") not in NO_NEWS
        and entries.get(entry, "state") == "active"
        and now - when_of(entry["timestamp"]) < LOOK_BACK
    )


def _name(circle: Circle) -> str:
    audience, confidential = circle
    members = audience if isinstance(audience, str) else " ".join(audience or ())
    return f"{members}{' in confidence' if confidential else ''}"


def _why_not(script: Any, character: Any, views: Sequence[View]) -> str | None:
    """Why no model is asked, None when one is."""
    if not has_model(script):
        return "there is no model"
    if not views:
        return "there is nothing to look ahead from"
    state, now = character.memory.reflection, script.agent.now()
    if not views[0].judged and state.runs_since(now - slow_cycle.COOL_DOWN):
        # A reflection brings its expectations along.
        return "it reflected just now"
    limits = slow_cycle.Limits(
        script.option("look_ahead_per_day"), script.option("look_ahead_tokens")
    )
    closed = slow_cycle.gate(
        now, state.data["looked_ahead"], limits, urgent=_is_urgent(script, views[0], now)
    )
    return None if closed is None else f"held by its {closed}"


def _is_urgent(script: Any, view: View, now: float) -> bool:
    """Whether the cool-down is waived: after a shock, a correction, and within one night."""
    night = night_of(script)
    if night.is_open and night.data["set_aside"].get(STEP):
        return True
    return any(
        is_shock(entry, now) or "correction" in entries.get(entry, "relational_tags")
        for entry in view.news
    )


# Asking ------------------------------------------------------------------------------------------


def _prompt(view: View, now: float) -> list[dict[str, Any]]:
    news = [
        {
            "id": f"j{entry['id']}",
            "when": str(entry["timestamp"])[:16],
            "text": str(entry["content"])[:400],
        }
        for entry in view.news[-MOST_MEMORIES:]
    ]
    shown = _newest(news, slow_cycle.MOST_TOKENS)
    ends = [
        {
            "id": end.id,
            "kind": "promise" if end.is_promise else "expectation",
            "text": end.text[:400],
            **({} if end.due is None else {"by": entries.timestamp_of(end.due)[:16]}),
        }
        for end in view.ends
    ]
    today = datetime.fromtimestamp(now, UTC).strftime("%A, %Y-%m-%d %H:%M UTC")
    slots = [render_slot("today", [{"text": today}]), render_slot("memories", shown)]
    if ends:
        slots.append(render_slot("open", ends))
    return [
        {"role": "system", "content": text("asleep/look_ahead")},
        {"role": "user", "content": "\n".join(slots)},
    ]


def _newest(records: list[dict[str, Any]], room: int) -> list[dict[str, Any]]:
    """The newest records that have room, oldest first."""
    kept: list[dict[str, Any]] = []
    for record in reversed(records):
        room -= count_tokens(str(record))
        if room < 0:
            break
        kept.append(record)
    return kept[::-1]


def _checked(record: Any, view: View, shown: Collection[str], now: float) -> Any:
    """One record of the answer as it is to be used: an `Expected`, a question, or an outcome."""
    if not isinstance(record, Mapping):
        raise ValueError("a record is no object")
    what = record.get("what")
    if what == "expectation":
        return checked_expectation(
            record.get("text"), record.get("due"), record.get("evidence"), shown, now
        )
    if what == "question":
        return checked_text(record.get("text"), "a question")
    if what == "outcome":
        return _checked_outcome(record, view, shown, now)
    raise ValueError(f"there is no record {str(what)[:40]!r}")


def _checked_outcome(
    record: Mapping[str, Any], view: View, shown: Collection[str], now: float
) -> tuple[int, str, str | None]:
    end = next((end for end in view.ends if end.id == str(record.get("id"))), None)
    if end is None:
        raise ValueError("an outcome names nothing that is open")
    verdict = record.get("is")
    if verdict not in (FULFILLED, BROKEN):
        raise ValueError(f"an outcome is fulfilled or broken, not {str(verdict)[:40]!r}")
    later = [name for name in shown if (entries.number_of(name) or 0) > end.since]
    try:
        by: str | None = checked_evidence(record.get("evidence"), later)[0]
    except ValueError:
        by = None
    past = not end.is_open or end.is_due(now)
    if by is None and not (verdict == BROKEN and past):
        raise ValueError("nothing that was shown and came later shows that outcome")
    if verdict == BROKEN and not end.is_promise:
        # Nobody broke anything; it did not come about.
        verdict = EXPIRED
    return end.number, verdict, by


# Keeping -----------------------------------------------------------------------------------------


def _count_attempt(script: Any, character: Any, messages: list[dict[str, Any]]) -> None:
    """Store that a model is about to be asked: what a crash interrupts counts as well."""
    state = character.memory.reflection
    state.looked_ahead(script.agent.now(), count_message_tokens(messages))
    state.store.save()


def _store(
    script: Any, character: Any, view: View, found: Sequence[Any], result: dict[str, Any]
) -> None:
    """Write all that came of it, in one transaction."""
    memory, night = character.memory, night_of(script)
    audience, confidential = view.circle
    expected = [item for item in found if isinstance(item, Expected)][:MOST_EXPECTATIONS]
    questions = [item for item in found if isinstance(item, str)][:MOST_QUESTIONS]
    outcomes: dict[int, tuple[str, str | None]] = {}
    for number, what, by in (item for item in found if isinstance(item, tuple)):
        if _still_holds(character, view, number, by):
            outcomes.setdefault(number, (what, by))
    numbers = write_expectations(
        script, character, [(audience, confidential, item) for item in expected], night.note
    )
    if questions:
        memory.reflection.ask_later([*memory.reflection.data["questions"], *questions])
    name = _name(view.circle)
    night.set_aside(STEP, [name])
    if view.news:
        memory.reflection.looked_up_to(name, view.news[-1]["id"])
    _close(script, character, outcomes)
    result.update(expected=len(numbers), questions=len(questions))
    for what, _by in outcomes.values():
        result[what] += 1


def _still_holds(character: Any, view: View, number: int, by: str | None) -> bool:
    """Whether an outcome can be kept: nothing it is about or rests on was forgotten meanwhile."""
    end = character.memory.open_ends.get(number)
    if end is None:
        return False
    if by is None:
        return True
    item = character.memory.index.get_for_keeper(by)
    members = end.audience if isinstance(end.audience, tuple) else ()
    return item is not None and may_be_told(item.audience, members)
