"""Which turns somebody wants to see: `by anna, tool say, failed, days 2, 10`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..awake.trace import MAX_TURNS
from ..mind.entry import when_of
from ..mind.phrases import DAY
from .base import Refusal
from .plain import plain

#: Turns shown unless more are asked for; with a filter, all that fit.
SHOWN = 5
_LONGEST = 36_500


@dataclass(frozen=True, slots=True)
class Wanted:
    """
    What somebody asked for.

    Args:
        count: Most turns.
        by: Part of the name of one who spoke, in lower case.
        tool: Name of a tool that was used.
        failed: Only turns in which something failed.
        days: Only turns of the last so many days.

    """

    count: int = SHOWN
    by: str = ""
    tool: str = ""
    failed: bool = False
    days: int | None = None

    @property
    def filters(self) -> bool:
        """Whether anything but the number was asked for."""
        return bool(self.by or self.tool or self.failed or self.days is not None)

    @property
    def in_words(self) -> str:
        """The filters as somebody could type them."""
        said = [f"{name} {plain(value, 40)}" for name, value in self._named() if value]
        said += ["failed"] if self.failed else []
        return ", ".join(said + ([] if self.days is None else [f"days {self.days}"]))

    def _named(self) -> tuple[tuple[str, str], ...]:
        return (("by", self.by), ("tool", self.tool))

    def fits(self, turn: Mapping[str, Any], now: float) -> bool:
        """Whether a turn is one of those asked for."""
        tools = turn.get("tools") or ()
        return (
            (not self.by or any(self.by in str(h["from"]).casefold() for h in turn["heard"]))
            and (not self.tool or any(str(t["tool"]).casefold() == self.tool for t in tools))
            and (not self.failed or bool(turn.get("failure")) or any(t.get("error") for t in tools))
            and (self.days is None or now - when_of(turn["at"]) <= self.days * DAY)
        )


def wanted_turns(typed: str | None) -> Wanted:
    """
    Read what somebody typed.

    Raises:
        Refusal: Naming what may be asked for.

    """
    if typed is None:
        return Wanted()
    asked: dict[str, Any] = {}
    for term in typed.split(","):
        word, _space, rest = " ".join(term.split()).partition(" ")
        word = word.casefold()
        if word in ("by", "tool") and rest:
            asked[word] = rest.casefold()
        elif word == "failed" and not rest:
            asked["failed"] = True
        elif word == "days" and _is_number(rest, _LONGEST):
            asked["days"] = int(rest)
        elif _is_number(word, MAX_TURNS) and int(word) and not rest:
            asked["count"] = int(word)
        else:
            raise Refusal(
                f"Ask for 1 to {MAX_TURNS} turns, which are all that is kept, by <player>, tool "
                f'<name>, failed or days <number>, not for "{plain(term.strip(), 40)}".'
            )
    filtered = asked.keys() - {"count"}
    return Wanted(**{"count": MAX_TURNS if filtered else SHOWN, **asked})


def _is_number(word: str, most: int) -> bool:
    return word.isdecimal() and word.isascii() and len(word) < 7 and int(word) <= most
