"""
What accepting an import changes, compared with what an NPC has now.

The same comparison is shown to a keeper and carried out, so that what was seen is what happens.
Lines of an earlier import of the same name give way to the new ones; what a keeper taught by hand
stays.

"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .slots import render_record

_SAME = ("text", "audience", "keys", "also", "logic", "cased", "block")


@dataclass(slots=True)
class Diff:
    """
    What would change.

    Args:
        blocks: By name of a block of the persona, what it was (None for nothing) and will be.
        added: Number in the import, and line.
        removed: Place and line of those that go.
        unchanged: How many lines are there already.
        marks: Why a block (by name) or a line (`line` and its number) reads like an order.

    """

    blocks: dict[str, tuple[Any, Any]] = field(default_factory=dict)
    added: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    removed: list[tuple[int, Any]] = field(default_factory=list)
    unchanged: int = 0
    marks: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def why(self, number: int) -> Sequence[str]:
        """Why a line of the import is marked."""
        return self.marks.get(f"line {number}", ())

    def without_marked(self) -> Diff:
        """The same, but for what reads like an order: that is left as it is."""
        return Diff(
            {name: change for name, change in self.blocks.items() if name not in self.marks},
            [(number, line) for number, line in self.added if not self.why(number)],
            self.removed,
            self.unchanged,
            self.marks,
        )


def diff_of(waiting: Mapping[str, Any], persona: Mapping[str, Any], lines: Sequence[Any]) -> Diff:
    """
    Compare an import with what there is.

    Args:
        waiting: As `Proposal.as_plain` gives it.
        persona: The NPC's.
        lines: Its knowledge, all places.

    """
    found = Diff(marks=waiting["marks"])
    for name, text in waiting["persona"].items():
        if persona.get(name) != text:
            found.blocks[name] = (persona.get(name), text)
    before: dict[str, list[int]] = {}
    taught: set[str] = set()
    for place, line in enumerate(lines):
        if isinstance(line, Mapping) and line.get("from") == waiting["name"] and line.get("text"):
            before.setdefault(_sign(line), []).append(place)
        elif isinstance(line, str):
            taught.add(line.casefold())
    for number, line in enumerate(waiting["lines"]):
        places = before.get(_sign(line))
        if places:
            places.pop()
            found.unchanged += 1
        elif line["text"].casefold() in taught and line["audience"] == "public":
            found.unchanged += 1
        else:
            found.added.append((number, dict(line)))
    gone = sorted(place for places in before.values() for place in places)
    found.removed = [(place, lines[place]) for place in gone]
    return found


def token_of(waiting: Mapping[str, Any], persona: Mapping[str, Any], lines: Sequence[Any]) -> str:
    """
    A short word for an import and for what it is compared with; another change makes another word.

    Args:
        waiting: As `Proposal.as_plain` gives it.
        persona: The NPC's.
        lines: Its knowledge, all places.

    """
    whole = render_record({"waiting": waiting, "persona": persona, "lines": list(lines)})
    return hashlib.blake2b(whole.encode(), digest_size=3).hexdigest()


def _sign(line: Mapping[str, Any]) -> str:
    return json.dumps({key: line.get(key) for key in _SAME}, sort_keys=True, default=str)
