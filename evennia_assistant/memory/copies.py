"""
An NPC to try something on: everything is read from the real one, and nothing written to it.

`CopiedScript(script)` stands for an AssistantScript. Its Attributes, and those of its `character`,
are copied when they are first asked for and kept to themselves from then on; memory stores work on
them as ever, without a database. All else (name, place, options) is the original's.

"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from types import SimpleNamespace
from typing import Any

from evennia.utils.dbserialize import deserialize


class CopiedRow:
    """One Attribute that no database has."""

    #: Tells a store that there is no row to write.
    is_copy = True
    pk = 1

    def __init__(self, key: str, category: str | None, value: Any) -> None:
        self.db_key = key
        self.db_category = category
        self.db_value = value

    @property
    def value(self) -> Any:
        """What the Attribute holds."""
        return self.db_value


class _Backend:
    """What a store asks for its row."""

    def __init__(self, attributes: CopiedAttributes) -> None:
        self._attributes = attributes

    def get(self, key: str, category: str | None = None) -> list[CopiedRow]:
        """The row of that name, in a list as Evennia's backends give it; [] for none."""
        row = self._attributes.get(key, category=category, return_obj=True)
        return [] if row is None else [row]


class CopiedAttributes:
    """
    The Attributes of an object, copied one by one.

    Args:
        original: The object.

    """

    def __init__(self, original: Any) -> None:
        self._original = original.attributes
        self._rows: dict[tuple[str, str | None], CopiedRow | None] = {}
        self.backend = _Backend(self)

    def get(
        self,
        key: str | None = None,
        default: Any = None,
        category: str | None = None,
        return_obj: bool = False,
        return_list: bool = False,
        **_options: Any,
    ) -> Any:
        """As Evennia's, as far as stores and options ask."""
        if key is None:
            rows = self._of_category(category)
            found = rows if return_obj else [row.value for row in rows]
            return found if return_list or len(found) != 1 else found[0]
        row = self._row(key, category)
        value = (row if return_obj else row.value) if row is not None else None
        if row is None and not return_obj:
            value = default
        return [value] if return_list else value

    def add(self, key: str, value: Any, category: str | None = None, **_options: Any) -> None:
        """Set an Attribute of the copy."""
        row = self._row(key, category)
        if row is None:
            self._rows[key, category] = CopiedRow(key, category, value)
        else:
            row.db_value = value

    def remove(self, key: str, category: str | None = None, **_options: Any) -> None:
        """Remove an Attribute of the copy."""
        self._rows[key, category] = None

    def has(self, key: str, category: str | None = None) -> bool:
        """Whether there is such an Attribute."""
        return self._row(key, category) is not None

    def _row(self, key: str, category: str | None) -> CopiedRow | None:
        if (key, category) not in self._rows:
            row = self._original.get(key, category=category, return_obj=True)
            self._rows[key, category] = None if row is None else _copied(row)
        return self._rows[key, category]

    def _of_category(self, category: str | None) -> list[CopiedRow]:
        found = self._original.get(category=category, return_obj=True, return_list=True)
        for row in found:
            if row is not None:
                self._row(row.db_key, category)
        rows = [row for (_key, held), row in self._rows.items() if held == category]
        return [row for row in rows if row is not None]


def _copied(row: Any) -> CopiedRow:
    return CopiedRow(row.db_key, row.db_category, deepcopy(deserialize(row.value)))


class _Shorthand:
    """`db` of a copy."""

    def __init__(self, attributes: CopiedAttributes) -> None:
        self.__dict__["_attributes"] = attributes

    def __getattr__(self, name: str) -> Any:
        return self.__dict__["_attributes"].get(name)

    def __setattr__(self, name: str, value: Any) -> None:
        self.__dict__["_attributes"].add(name, value)

    def __delattr__(self, name: str) -> None:
        self.__dict__["_attributes"].remove(name)


class _Volatile(SimpleNamespace):
    """`ndb` of a copy: what is not there is None."""

    def __getattr__(self, name: str) -> Any:
        return None


class Copy:
    """
    An object with Attributes of its own.

    Args:
        original: What it stands for.

    """

    def __init__(self, original: Any) -> None:
        self.original = original
        self.attributes = CopiedAttributes(original)
        self.db = _Shorthand(self.attributes)
        self.ndb = _Volatile()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["original"], name)


class CopiedCharacter(Copy):
    """
    Stands for an NPC.

    Args:
        original: The NPC.
        script: The copy of its script.
        make_memory: Makes its memory.

    """

    def __init__(self, original: Any, script: Any, make_memory: Callable[[Any], Any]) -> None:
        super().__init__(original)
        self.assistant_script = script
        self.memory = make_memory(self)


class CopiedAgent:
    """
    The mind of a copied NPC: it asks the same model and has the same clock.

    Args:
        script: The `CopiedScript`.

    """

    exists = True

    def __init__(self, script: CopiedScript) -> None:
        self.script = script
        self.original = script.original.agent
        self.model = self.original.model

    @property
    def npc(self) -> Any:
        """The copied character."""
        return self.script.character

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["original"], name)


class CopiedScript(Copy):
    """
    Stands for an AssistantScript, with a copy of its character.

    Args:
        script: The AssistantScript.
        make_memory: Makes the memory of a character, given the copy of it.

    """

    #: A night on it sends nothing to semantic memory.
    is_copy = True

    def __init__(self, script: Any, make_memory: Callable[[Any], Any]) -> None:
        super().__init__(script)
        self.character = CopiedCharacter(script.character, self, make_memory)
        self.agent = self.ndb.agent = CopiedAgent(self)
