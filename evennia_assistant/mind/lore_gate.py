"""
Which lines of lore a text brings to mind: those whose words it uses.

A line of knowledge with `keys` stays out of every prompt until one of them is said. Looking costs
the length of what was said, however many lines there are.

"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .text import content_terms, name_keys, names_in, words

#: How further keys count, as SillyTavern numbers it: all that must hold of those that were said.
ANY, NOT_ALL, NONE, ALL = range(4)
_Use = tuple[int, str, str]


def is_gated(line: object) -> bool:
    """Whether a line of knowledge is for when its words are said."""
    return isinstance(line, Mapping) and bool(line.get("keys"))


class LoreGate:
    """
    The gated lines of an NPC.

    Args:
        lines: Place and line; a line has `keys`, and may have `also` (further keys), `logic` (how
            these count), `cased` and `order`. Lines without keys are passed over.

    """

    def __init__(self, lines: Iterable[tuple[int, Any]]) -> None:
        self._lines = {place: line for place, line in lines if is_gated(line)}
        #: Their ids in the index.
        self.ids = frozenset(f"k{place}" for place in self._lines)
        self._names: dict[str, list[_Use]] = {}
        self._stems: dict[str, list[_Use]] = {}
        for place, line in self._lines.items():
            for role in ("keys", "also"):
                for key in line.get(role) or ():
                    self._add(str(key), (place, role, str(key)))

    def __len__(self) -> int:
        return len(self._lines)

    def _add(self, key: str, use: _Use) -> None:
        whole = name_keys(key)[:1]
        if whole:
            self._names.setdefault(whole[0], []).append(use)
        # "sword" is said by whoever says "swords".
        if len(words(key)) == 1:
            for term in content_terms(key):
                self._stems.setdefault(term, []).append(use)

    def opened(self, text: str) -> list[int]:
        """
        The lines whose words a text uses.

        Args:
            text: What was said, or what is asked.

        Returns:
            Places, in the order the lines ask for.

        """
        if not self._lines:
            return []
        said: dict[int, dict[str, set[str]]] = {}
        uses = [use for found in names_in(text, self._names).values() for use in found]
        uses += [use for term in set(content_terms(text)) for use in self._stems.get(term, ())]
        for place, role, key in uses:
            if self._lines[place].get("cased") and key not in text:
                continue
            said.setdefault(place, {"keys": set(), "also": set()})[role].add(key)
        open_ones = [place for place, found in said.items() if self._opens(place, found)]
        return sorted(open_ones, key=lambda place: (self._lines[place].get("order", 100.0), place))

    def _opens(self, place: int, found: Mapping[str, set[str]]) -> bool:
        if not found["keys"]:
            return False
        line = self._lines[place]
        wanted = {str(key) for key in line.get("also") or ()}
        if not wanted:
            return True
        there = found["also"]
        return {
            ANY: bool(there),
            NOT_ALL: there != wanted,
            NONE: not there,
            ALL: there == wanted,
        }[line.get("logic", ANY)]
