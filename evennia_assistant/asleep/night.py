"""
One night of one NPC, as it stands in `script.db.sleep_cycle`: how far, what for, what it cost.

The record says which step is at work, which journal entries were there when the night began, what
the model was asked, and what each step added, changed, merged or retired (the ledger). It is
written together with what a step changed, so that a night broken off anywhere goes on from there.
The last night that came to its end is kept in `script.db.last_night`.

"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from ..errors import BudgetSpent
from ..llm.response import Usage
from ..memory.attribute_store import AttributeStore
from ..mind.audience import frozen, stored
from ..mind.entry import timestamp_of, when_of

COMPACTING = "compacting"
DREAMING = "dreaming"

#: Changes of one step kept in the ledger; beyond them only their number.
MAX_CHANGES = 60
#: Longest text of a change.
MAX_TEXT = 200
#: Numbers of entries a night made, and of things set aside, that are kept.
MAX_MADE = 500


def empty_cycle() -> dict[str, Any]:
    """The record of an NPC that never slept."""
    return {
        "id": 0,
        "step": None,
        "cursor": 0,
        "attempts": 0,
        "started": None,
        "closed": None,
        "budget": {"calls": 0, "in": 0, "out": 0},
        "entry_ids": [],
        "made": [],
        "set_aside": {},
        "ledger": {},
    }


def repair_cycle(raw: Any) -> tuple[dict[str, Any], str | None]:
    """The record as it stands; one that cannot be used is as if the NPC never slept."""
    cycle = empty_cycle()
    if not isinstance(raw, Mapping):
        return cycle, "not a mapping"
    for key, default in empty_cycle().items():
        value = raw.get(key, default)
        if isinstance(default, list | dict | int) and not isinstance(value, type(default)):
            return cycle, f"without a usable {key}"
        cycle[key] = value
    try:
        for key in ("started", "closed"):
            if cycle[key] is not None:
                when_of(cycle[key])
        for spent in ("calls", "in", "out"):
            cycle["budget"][spent] += 0
    except (KeyError, TypeError, ValueError):
        return empty_cycle(), "without a usable time or budget"
    return cycle, None


def empty_last_night() -> dict[str, Any]:
    """What is kept of the last night before there was one."""
    return {}


def night_of(script: Any) -> Night:
    """The night of an NPC, made once for each start of the server."""
    night = script.ndb.assistant_night
    if night is None:
        night = script.ndb.assistant_night = Night(script)
    return night


class Night:
    """
    The record of one NPC's night.

    Args:
        script: Its AssistantScript.

    """

    def __init__(self, script: Any) -> None:
        self.script = script
        self.store = AttributeStore(script, "sleep_cycle", empty_cycle, repair=repair_cycle)
        self.last = AttributeStore(script, "last_night", empty_last_night)
        #: Whether a tick is under way in this process.
        self.running = False

    @property
    def data(self) -> dict[str, Any]:
        """The record; change it, then `store.touch()`."""
        return self.store.data

    @property
    def is_open(self) -> bool:
        """Whether a night has begun and not come to its end."""
        return self.data["started"] is not None and self.data["closed"] is None

    def stores(self) -> list[AttributeStore]:
        """What a step writes together with its result: the record, while a night is open."""
        return [self.store] if self.is_open else []

    # Beginning and end -----------------------------------------------------------------------

    def begin(self, now: float, entry_ids: Iterable[int], step: str) -> None:
        """
        Open a night; the caller saves.

        Args:
            now: UTC seconds since the epoch.
            entry_ids: Numbers of the journal entries there are; later ones wait for the next.
            step: The first step.

        """
        cycle = self.data
        number = cycle["id"] + 1
        cycle.clear()
        cycle.update(empty_cycle(), id=number, started=timestamp_of(now), step=step)
        cycle["entry_ids"] = list(entry_ids)
        self.store.touch()

    def close(self, now: float) -> None:
        """End the night and keep its ledger; the caller saves `store` and `last`."""
        cycle = self.data
        cycle.update(closed=timestamp_of(now), step=None, cursor=0, attempts=0)
        kept = ("id", "started", "closed", "budget", "made", "ledger")
        self.last.data.clear()
        self.last.data.update({key: cycle[key] for key in kept})
        self.last.touch()
        # From here on it is kept in one place only.
        cycle.update(ledger={}, entry_ids=[], made=[], set_aside={})
        self.store.touch()

    # Steps -----------------------------------------------------------------------------------

    def go_to(self, step: str | None) -> None:
        """Move the cursor to the beginning of a step."""
        self.data.update(step=step, cursor=0, attempts=0)
        self.store.touch()

    def line(self, step: str | None = None) -> dict[str, Any]:
        """The ledger's line on a step, the present one by default."""
        name = step or self.data["step"]
        ledger = self.data["ledger"]
        if name not in ledger:
            ledger[name] = {
                "state": "at work",
                "ticks": 0,
                "counts": {},
                "changes": [],
                "more": 0,
                "failures": [],
                "calls": 0,
                "in": 0,
                "out": 0,
            }
        return ledger[name]

    def note(self, what: str, text: str = "", *, audience: object = None, **fields: Any) -> None:
        """
        Put a change into the ledger, to be written with the change itself.

        Does nothing when no night is open, as when a keeper has a step done by hand.

        Args:
            what: `added`, `changed`, `merged`, `retired` or `scored`.
            text: What it is about, in the memory's words.
            audience: Who may be told of it.
            **fields: `id`, `evidence`, `before`, `after` and the like, plain data.

        """
        if not self.is_open:
            return
        line = self.line()
        if len(line["changes"]) >= MAX_CHANGES:
            line["more"] += 1
        else:
            line["changes"].append(
                {
                    "what": what,
                    "text": text[:MAX_TEXT],
                    "audience": stored(frozen(audience)),
                    **fields,
                }
            )
        if what == "added" and isinstance(fields.get("entry_id"), int):
            self.add_made([fields["entry_id"]])
        self.store.touch()

    def add_made(self, entry_ids: Collection[int]) -> None:
        """Remember journal entries as made by this night and not by a day."""
        known = self.data["made"]
        known.extend(number for number in entry_ids if number not in known)
        del known[:-MAX_MADE]
        self.store.touch()

    def set_aside(self, step: str, things: Iterable[Any]) -> None:
        """Leave alone for the rest of this night what a step could not deal with."""
        if self.is_open:
            held = self.data["set_aside"].setdefault(step, [])
            held.extend(thing for thing in things if thing not in held)
            del held[:-MAX_MADE]
            self.store.touch()

    def is_set_aside(self, step: str, thing: Any) -> bool:
        """Whether something was left alone for this night."""
        return self.is_open and thing in self.data["set_aside"].get(step, ())

    # What it costs ---------------------------------------------------------------------------

    def spend(self, tokens: int, *, most_calls: int, most_tokens: int | None) -> None:
        """
        Take one call out of the night's budget, before it is made; stored at once.

        Args:
            tokens: Of the prompt.
            most_calls: Calls one night may make.
            most_tokens: Tokens one night may take in all, None for any number.

        Raises:
            BudgetSpent: If there is not as much left.

        """
        budget = self.data["budget"]
        if budget["calls"] >= most_calls:
            raise BudgetSpent(f"The night has made its {most_calls} model calls.")
        if most_tokens is not None and budget["in"] + budget["out"] + tokens > most_tokens:
            raise BudgetSpent(f"The night's {most_tokens} tokens do not last for another call.")
        line = self.line()
        for account in (budget, line):
            account["calls"] += 1
            account["in"] += tokens
        self.store.touch()
        self.store.save()

    def answered(self, estimated: int, usage: Usage) -> None:
        """Put what a call really took in place of the estimate; stored with the step's result."""
        line = self.line()
        for account in (self.data["budget"], line):
            account["in"] += (usage.prompt_tokens or estimated) - estimated
            account["out"] += usage.completion_tokens
        self.store.touch()


def tonights_entries(script: Any, character: Any) -> list[dict[str, Any]]:
    """
    The live journal entries a step of the night may work on, oldest first.

    While a night is open these are the entries that were there when it began; else all.

    Args:
        script: The AssistantScript.
        character: The NPC.

    """
    night = night_of(script)
    live = list(character.memory.journal.entries)
    if not night.is_open:
        return live
    there = set(night.data["entry_ids"])
    return [entry for entry in live if entry["id"] in there]
