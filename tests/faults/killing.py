"""
Ending a process at a chosen place of its work, as `kill -9` would.

A `Killer` counts the places at which a process may die and the stores would differ for it: before
and after each statement that writes, before and after each commit, between the halves of what
semantic memory is told, at the named places of `memory.boundaries`, and around each call of the
model. At the chosen one it raises `Killed`. From then on the process is dead: whatever still runs
of it, an error handler for one, cannot write any more. A transaction that was open is rolled back,
as SQLite does when it meets the journal of a dead process.

"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest import mock

from django.db import connection

from evennia_assistant.memory.boundaries import watched_by
from evennia_assistant.testing import FakeSemanticMemory

_WRITES = ("INSERT", "UPDATE", "DELETE", "REPLACE")


class Killed(BaseException):
    """The process is gone."""


class Killer:
    """
    Decides where the process dies.

    Attributes:
        dead (bool): Whether it has died and was not started anew.
        place (int): Places come by since the last start of the count.
        kills (dict): How many kills there were, by manner: `before`, `after`, `torn`.
        names (list): What the places were called, while `recording`.
        swallowed (int): Times a dead process tried to commit; each is a fault of the suite.

    """

    def __init__(self) -> None:
        self.dead = False
        self.place = 0
        self.kills = {"before": 0, "after": 0, "torn": 0}
        self.names: list[str] = []
        self.recording = False
        self.swallowed = 0
        #: Says what the process is doing, for the names.
        self.stage: Callable[[], str] = str
        self._next: int | None = None
        self._wanted: str | None = None
        self._known: set[str] | None = None
        self._keys: dict[int, str] = {}
        self._written: list[str] = []

    # When -------------------------------------------------------------------------------------

    @property
    def safe(self) -> bool:
        """Whether no death is set."""
        return self._next is None and self._wanted is None

    def at(self, places_ahead: int | None) -> None:
        """Die at the place that is so many ahead; None is never."""
        self._wanted = None
        self._next = None if places_ahead is None else self.place + places_ahead

    def at_name(self, called: str) -> None:
        """Die at the first place that is called so, as in `names`."""
        self._next = None
        self._wanted = called

    def at_new_names(self, known: set[str] | None) -> None:
        """Die at each place whose name is not among `known` yet, and add it; None is never."""
        self._next = self._wanted = None
        self._known = known

    def passing(self, name: str, manner: str) -> None:
        """
        Come by a place.

        Raises:
            Killed: If it is the one, or the process is dead.

        """
        if self.dead:
            raise Killed
        self.place += 1
        chosen = self._next is not None and self.place >= self._next
        if self.recording or self._wanted is not None or self._known is not None:
            called = f"{self.stage()}: {name} {manner}"
            if self.recording:
                self.names.append(called)
            chosen = chosen or called == self._wanted
            if self._known is not None and called not in self._known:
                self._known.add(called)
                chosen = True
        if chosen:
            self._next = self._wanted = None
            self.kills[manner] += 1
            self.dead = True
            raise Killed

    def revive(self) -> None:
        """A new process; what it writes counts."""
        self.dead = False
        self._written.clear()

    # Where ------------------------------------------------------------------------------------

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Within the block, places are come by."""
        commit = connection._commit

        def committing() -> None:
            if self.dead:
                self.swallowed += 1
                connection.connection.rollback()
                raise Killed
            name = "+".join(dict.fromkeys(self._written)) or "nothing"
            try:
                if self._written:
                    self.passing(f"commit {name}", "torn")
            except Killed:
                # Else the end of the block would commit: SQLite's module does so by itself.
                connection.connection.rollback()
                raise
            commit()
            if self._written:
                self._written.clear()
                self.passing(f"commit {name}", "after")

        with ExitStack() as stack:
            stack.enter_context(connection.execute_wrapper(self._execute))
            stack.enter_context(mock.patch.object(connection, "_commit", committing))
            stack.enter_context(watched_by(lambda point: self.passing(point, "before")))
            yield

    def _execute(self, execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if not sql.startswith(_WRITES):
            if sql == "BEGIN":
                self._written.clear()
            return execute(sql, params, many, context)
        within = connection.in_atomic_block
        name = f"write {self._name_of(sql, params)}"
        self.passing(name, "before")
        result = execute(sql, params, many, context)
        if within:
            self._written.append(name.removeprefix("write "))
        self.passing(name, "torn" if within else "after")
        return result

    def _name_of(self, sql: str, params: Any) -> str:
        """The Attribute a statement writes, else its table."""
        table = sql.split('"')[1] if '"' in sql else sql.split()[1]
        if table == "typeclasses_attribute":
            if sql.startswith("INSERT"):
                return str(params[0])
            if params and isinstance(params[-1], int):
                return self._key_of(params[-1])
        return table

    def _key_of(self, row: int) -> str:
        if row not in self._keys:
            found = connection.connection.execute(
                "SELECT db_key FROM typeclasses_attribute WHERE id = ?", (row,)
            ).fetchone()
            if found is None:
                return "?"
            self._keys[row] = "archive" if found[0].startswith("journal_") else found[0]
        return self._keys[row]


class MortalMemory(FakeSemanticMemory):
    """Semantic memory that outlives the process, which may die while it is asked."""

    def __init__(self, killer: Killer) -> None:
        super().__init__()
        self.killer = killer
        self._ids = itertools.count(1)

    def live_on(self, clock: Any) -> None:
        """Serve a new process, by its clock; what the old one waited for never comes."""
        self._clock = clock
        self.close()

    def _outcome(self, fault: Any, method: str, user_id: str, items: Any, act: Any) -> Any:
        if method not in ("add", "delete"):
            return super()._outcome(fault, method, user_id, items, act)
        name = f"mem0.{method}"
        self.killer.passing(name, "before")
        if len(items) > 1:
            try:
                self.killer.passing(name, "torn")
            except BaseException:
                act(user_id, items[: len(items) // 2])
                raise
        result = super()._outcome(fault, method, user_id, items, act)
        self.killer.passing(name, "after")
        return result
