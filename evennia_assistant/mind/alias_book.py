"""
Whom a text names, by every name an NPC knows anybody by, in one pass over the text.

Names are found as whole words in any case ("al" names Al, "Also, the Alps" does not), and inside
the text in scripts without spaces. A name of several words stands for its bearer by each of them
that has a capital, where the text gives it one too: "Bram" is Old Bram the Innkeeper, an innkeeper
is not. What it costs depends on the length of the text alone, not on how many names there are.

A name that was told in confidence is a name only before those who may be told of it::

    book = AliasBook()
    book.put("#5", [Name("Anna"), Name("Annushka", audience=("#5",))])
    book.named_in("Where is annushka?", listeners=["#5"])       # {"annushka": {"#5"}}
    book.named_in("Where is annushka?", listeners=["#6"])       # {}

"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from .audience import PUBLIC, may_be_told
from .percept import Audience
from .text import first_unit, is_capitalised, name_keys, names_in


@dataclass(frozen=True, slots=True)
class Name:
    """
    A name of somebody.

    Args:
        text: As it is written.
        audience: Who may be told that it is theirs.

    """

    text: str
    audience: Audience = PUBLIC


@dataclass(frozen=True, slots=True)
class _Use:
    entity: str
    audience: Audience
    #: It is a part of a name, and has to be written with a capital.
    part: bool


class AliasBook:
    """All names an NPC knows people, places and things by."""

    def __init__(self) -> None:
        self._uses: dict[str, list[_Use]] = {}
        self._firsts: Counter[str] = Counter()
        self._keys: dict[str, set[str]] = {}

    def __len__(self) -> int:
        return len(self._uses)

    def put(self, entity: str, names: Iterable[Name]) -> None:
        """
        Say by which names somebody goes; those said of them before hold no longer.

        Args:
            entity: Entity id.
            names: Theirs; none takes them out.

        """
        self._take_out(entity)
        for name in names:
            whole, *parts = name_keys(name.text) or [""]
            if not whole:
                continue
            self._add(whole, _Use(entity, name.audience, part=False))
            for part in parts:
                if is_capitalised(part, name.text):
                    self._add(part, _Use(entity, name.audience, part=True))

    def named_in(self, text: str, listeners: Collection[str]) -> dict[str, set[str]]:
        """
        Each name that a text uses, folded, to the ids of all who go by it.

        Args:
            text: A line or a question.
            listeners: Entity ids of all who will hear what comes of it; a name that not all of
                them may be told of is none.

        """
        found: dict[str, set[str]] = {}
        for key, uses in names_in(text, self._uses, self._firsts).items():
            ids = {
                use.entity
                for use in uses
                if (not use.part or is_capitalised(key, text))
                and may_be_told(use.audience, listeners)
            }
            if ids:
                found[key] = ids
        return found

    def ids_in(self, text: str, listeners: Collection[str]) -> list[str]:
        """Ids of those a text names, where a name is one entity's alone, in a fixed order."""
        named = self.named_in(text, listeners).values()
        return sorted({who for ids in named if len(ids) == 1 for who in ids})

    def who_is(self, name: str, listeners: Collection[str]) -> set[str]:
        """Ids of all who go by just this name, in any case, as far as all listeners may know."""
        keys = name_keys(name)
        return {
            use.entity
            for use in (self._uses.get(keys[0], ()) if keys else ())
            if not use.part and may_be_told(use.audience, listeners)
        }

    def _add(self, key: str, use: _Use) -> None:
        uses = self._uses.get(key)
        if uses is None:
            uses = self._uses[key] = []
            self._firsts[first_unit(key)] += 1
        if use not in uses:
            uses.append(use)
        self._keys.setdefault(use.entity, set()).add(key)

    def _take_out(self, entity: str) -> None:
        for key in self._keys.pop(entity, ()):
            left = [use for use in self._uses[key] if use.entity != entity]
            if left:
                self._uses[key] = left
                continue
            del self._uses[key]
            first = first_unit(key)
            self._firsts[first] -= 1
            if not self._firsts[first]:
                del self._firsts[first]
