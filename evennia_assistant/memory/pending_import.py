"""
An import that waits for its keeper, and what an NPC took over from earlier ones.

::

    pending = PendingImport(npc)
    pending.put(proposal, source="seraphina.png", by="#1", when=now)
    diff = pending.diff()                      # what accepting it would change
    pending.accept(pending.token, marked=False)

What waits stands in `character.db.pending_import`, where no prompt, recall or index ever looks.
What was accepted is remembered in `character.db.card`, so that it can be given back as it came.

"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from typing import Any

from django.db import transaction

from ..errors import CardError
from ..mind.card_diff import Diff, diff_of, token_of
from ..mind.card_export import exported, exported_book, without_blocks
from ..mind.card_proposal import Proposal
from ..mind.entry import timestamp_of
from .attribute_store import AttributeStore, save_together

PENDING, ORIGIN = "pending_import", "card"


class PendingImport:
    """
    Imports of one NPC.

    Args:
        character: The NPC.

    """

    def __init__(self, character: Any) -> None:
        self.character = character
        self.store = AttributeStore(character, PENDING, dict)
        self.origin = AttributeStore(character, ORIGIN, dict)

    @property
    def waiting(self) -> Mapping[str, Any] | None:
        """What waits: `Proposal.as_plain`, with `source`, `by` and `at`; None when nothing does."""
        data: dict[str, Any] = self.store.data
        return data or None

    def put(self, proposal: Proposal, *, source: str, by: str, when: float) -> None:
        """
        Have a proposal wait; one that waited is dropped.

        Args:
            proposal: What an import would change.
            source: Where it is from.
            by: Entity id of who brought it.
            when: UTC seconds since the epoch.

        """
        self._replace({**proposal.as_plain(), "source": source, "by": by, "at": timestamp_of(when)})
        self.store.save()

    def drop(self) -> bool:
        """Throw away what waits; False when nothing did."""
        if self.waiting is None:
            return False
        self._replace({})
        self.store.save()
        return True

    def diff(self) -> Diff:
        """
        What accepting it would change, now.

        Raises:
            CardError: If nothing waits.

        """
        return diff_of(self._needed(), self._persona(), self.character.memory.knowledge.lines)

    @property
    def token(self) -> str:
        """Stands for what waits and what it would change; another change makes another one."""
        return token_of(self._needed(), self._persona(), self.character.memory.knowledge.lines)

    def accept(self, token: str, *, marked: bool = False) -> Diff:
        """
        Take over what waits: all of it is stored, or nothing.

        Args:
            token: As `token` was when a keeper saw what would change.
            marked: Also take over what reads like orders to a model.

        Returns:
            What was changed.

        Raises:
            CardError: If nothing waits, or something has changed since.

        """
        waiting = self._needed()
        if token != self.token:
            raise CardError("That is not what would be changed now; look at it again.")
        whole = self.diff()
        diff = whole if marked else whole.without_marked()
        persona = {**self._persona(), **{name: new for name, (_old, new) in diff.blocks.items()}}
        with self._all_or_nothing():
            self._take(diff)
            self._remember(waiting, persona)
            self._replace({})
            save_together(self._stores())
            if diff.blocks:
                self.character.db.persona = persona
        self.character.memory.make_index_anew()
        return diff

    # Giving back ----------------------------------------------------------------------------------

    def card(self, lines: list[Any]) -> dict[str, Any]:
        """
        The NPC as the data of a card.

        Args:
            lines: Its knowledge, as far as it may be given away.

        """
        origin = self.origin.data or None
        return exported(origin, self._persona(), lines, self.character.key)

    def book(self, lines: list[Any]) -> dict[str, Any]:
        """As `card`, its knowledge alone as a V3 lorebook."""
        return exported_book(self.origin.data or None, lines, self.character.key)

    # Within ---------------------------------------------------------------------------------------

    def _stores(self) -> list[AttributeStore]:
        return [self.character.memory.knowledge.store, self.origin, self.store]

    @contextmanager
    def _all_or_nothing(self) -> Iterator[None]:
        """One transaction; when it fails, what is held in memory is put back as well."""
        before = [(store, deepcopy(store.data)) for store in self._stores()]
        for store in self._stores():
            # A row made within the transaction would be gone with it, and still be in the cache.
            store.touch()
        try:
            with transaction.atomic():
                yield
        except BaseException:
            for store, data in before:
                store.data.clear()
                (store.data.extend if isinstance(data, list) else store.data.update)(data)
                store.touch()
            raise

    def _take(self, diff: Diff) -> None:
        knowledge = self.character.memory.knowledge
        for place, _line in diff.removed:
            knowledge.clear(place)
        for _number, line in diff.added:
            knowledge.add(line)

    def _needed(self) -> Mapping[str, Any]:
        if self.waiting is None:
            raise CardError("Nothing waits to be accepted.")
        return self.waiting

    def _persona(self) -> dict[str, Any]:
        persona: dict[str, Any] = self.character.memory_of_persona()
        return persona

    def _remember(self, waiting: Mapping[str, Any], persona: Mapping[str, Any]) -> None:
        """Keep what a card or a book said, for the day it is to be given back."""
        origin, name = self.origin.data, waiting["name"]
        origin.setdefault("books", {})
        if waiting["card"] is not None:
            origin["npc"] = waiting["npc"]
            left_out = {b for b, text in waiting["persona"].items() if persona.get(b) != text}
            origin["data"] = without_blocks(waiting["card"], left_out)
            origin["persona"] = {
                block: text
                for block, text in waiting["persona"].items()
                if persona.get(block) == text
            }
            overflow: dict[str, list[str]] = {}
            for line in waiting["lines"]:
                if line.get("block"):
                    overflow.setdefault(line["block"], []).append(line["text"])
            origin["overflow"] = overflow
        origin.setdefault("npc", waiting["npc"])
        origin.setdefault("data", None)
        if waiting["entries"]:
            origin["books"][name] = {
                "book": deepcopy(waiting["book"]),
                "entries": deepcopy(waiting["entries"]),
                "npc": waiting["npc"],
            }
        elif waiting["card"] is not None:
            origin["books"].pop(name, None)
        self.origin.touch()

    def _replace(self, data: Mapping[str, Any]) -> None:
        held = self.store.data
        held.clear()
        held.update(deepcopy(dict(data)))
        self.store.touch()
