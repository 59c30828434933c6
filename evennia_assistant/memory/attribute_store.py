"""
One Attribute held as plain data, changed in memory and written whole.

Evennia's nested containers save the entire Attribute at every change of a leaf, and copy it at
every read. An NPC's journal of a hundred full entries costs 14 ms per append that way. A store
keeps the plain structure instead, lets its owner change it freely, and writes the row once::

    store = AttributeStore(npc, "journal", dict)
    store.data["entries"].append(entry)
    store.touch()
    save_together([store, other_store])     # one transaction

What stands in the database stays an ordinary Attribute: `npc.db.journal` reads it, and if anyone
assigns or edits it that way, the store notices and takes over what they wrote.

A store may be sectioned: each value of its top-level dict, or each item of its list, is then
pickled by itself and kept, so that writing one changed conversation among two hundred, or one new
entry after a hundred, does not encode the others again.

"""

from __future__ import annotations

import pickle
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from django.db import connection, transaction
from evennia.utils import logger
from evennia.utils.picklefield import DEFAULT_PROTOCOL

from .attribute_value import plain_copy


class _Call:
    """Stands for what a function gives; unpickles as that, with nothing but builtins."""

    __slots__ = ("called",)

    def __init__(self, function: Callable[..., Any], *args: Any) -> None:
        self.called = function, args

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return self.called


class AttributeStore:
    """
    An Attribute as plain data.

    Args:
        obj: The typeclassed object that carries the Attribute.
        key: Name of the Attribute, so that `obj.db.<key>` reads it.
        default: Makes the structure of an empty store.
        repair: Called with what was read; returns the structure to use and the reason, if any, why
            what was read is unusable as it stands. What is unusable is set aside under
            `<key>_set_aside`, never thrown away.
        sectioned: The values of the dict, or the items of the list, are pickled one by one; a name
            means those of what stands under that key of the dict.

    """

    def __init__(
        self,
        obj: Any,
        key: str,
        default: Callable[[], Any],
        *,
        category: str | None = None,
        repair: Callable[[Any], tuple[Any, str | None]] | None = None,
        sectioned: bool | str = False,
    ) -> None:
        self.obj = obj
        self.key = key
        self.category = category
        self.dirty = False
        #: Goes up whenever the data was taken anew from the database.
        self.loads = 0
        #: Goes up with every change and every load: as long as it stays, so does the data.
        self.changes = 0
        #: Gives the stores without which this one is never written, as what moved between them.
        self.companions: Callable[[], Iterable[AttributeStore]] = tuple
        self._default = default
        self._repair = repair
        self._sectioned = sectioned
        #: What was pickled last time, by identity; holding the value keeps the identity its own.
        self._sections: dict[int, tuple[Any, bytes]] = {}
        self._row: Any = None
        self._plain: Any = None
        self._loaded = False

    @property
    def data(self) -> Any:
        """The plain structure; change it freely, then call `touch`."""
        if not self._loaded or self._somebody_else_wrote():
            self._load()
        return self._plain

    def touch(self, *sections: Any) -> None:
        """
        Mark the data as changed.

        Args:
            *sections: For a sectioned store, the keys whose values changed, or the items of a list
                that changed, came or went; none marks all of them.

        """
        self.dirty = True
        self.changes += 1
        if self._row is None:
            # From now on `obj.db.<key>` shows what is here, stored already or not.
            self._create().db_value = self._plain
        if not sections:
            self._sections.clear()
        for section in sections:
            parts = self._parts()
            value = parts.get(section) if isinstance(parts, Mapping) else section
            self._sections.pop(id(value), None)

    def save(self) -> None:
        """Write the data if it has changed, and what it is never written without."""
        if self.dirty:
            save_together([self])

    def _somebody_else_wrote(self) -> bool:
        """Whether the Attribute was assigned, edited, made or removed behind our back."""
        if self._row is None:
            return self._find_row() is not None
        return self._row.pk is None or self._row.db_value is not self._plain

    def _write(self) -> None:
        encoded = b64encode(self._pickle()).decode("ascii")
        if self._row is None:
            self._create()
        # The row in memory keeps the plain data; only the database gets the encoded form. This
        # spares the deep copy that saving through the field makes.
        if not self._update(encoded):
            self._create()
            self._update(encoded)
        self._row.db_value = self._plain

    def _update(self, encoded: str) -> bool:
        """Put the encoded data into the row; False when there is no such row any more."""
        if getattr(self._row, "is_copy", False):
            return True
        table = connection.ops.quote_name(self._row._meta.db_table)
        # A queryset takes four times as long to come to the same statement, and a turn writes six.
        with connection.cursor() as cursor:
            cursor.execute(
                f"UPDATE {table} SET db_value = %s WHERE id = %s", [encoded, self._row.pk]
            )
            return bool(cursor.rowcount)

    def _create(self) -> Any:
        self.obj.attributes.add(self.key, None, category=self.category)
        self._row = self._find_row()
        return self._row

    def _find_row(self) -> Any:
        # The handler's own `get` copes with more, which takes most of the time for a store that an
        # NPC has no use for.
        rows = self.obj.attributes.backend.get(self.key, self.category)
        return rows[0] if rows else None

    def _load(self) -> None:
        self._row = self._find_row()
        raw = None if self._row is None else plain_copy(self._row.db_value)
        self._sections.clear()
        self.dirty = False
        self._loaded = True
        self.loads += 1
        self.changes += 1
        if raw is None:
            self._plain = self._default()
            if self._row is not None:
                self._row.db_value = self._plain
            return
        reason = None
        if self._repair is not None:
            self._plain, reason = self._repair(raw)
        else:
            self._plain = raw
        if reason:
            self._set_aside(raw, reason)
            self.dirty = True
        self._row.db_value = self._plain

    def _set_aside(self, raw: Any, reason: str) -> None:
        aside = f"{self.key}_set_aside"
        self.obj.attributes.add(aside, raw, category=self.category)
        logger.log_err(
            f"Assistant memory: {self.obj!r}.db.{self.key} is {reason}; what was there is kept in "
            f".db.{aside}, and the sound part is used."
        )

    def _parts(self) -> Any:
        """The dict or list whose values are pickled one by one."""
        return self._plain[self._sectioned] if isinstance(self._sectioned, str) else self._plain

    def _pickle(self) -> bytes:
        if not self._sectioned:
            return pickle.dumps(self._plain, protocol=DEFAULT_PROTOCOL)
        before, self._sections = self._sections, {}
        parts = self._parts()
        keyed = isinstance(parts, Mapping)
        blobs = []
        for value in parts.values() if keyed else parts:
            kept = before.get(id(value))
            if kept is None:
                kept = (value, pickle.dumps(value, protocol=DEFAULT_PROTOCOL))
            self._sections[id(value)] = kept
            blobs.append(kept[1])
        values = _Call(map, pickle.loads, blobs)
        whole: Any = _Call(dict, _Call(zip, list(parts), values)) if keyed else _Call(list, values)
        if isinstance(self._sectioned, str):
            whole = {**self._plain, self._sectioned: whole}
        return pickle.dumps(whole, protocol=DEFAULT_PROTOCOL)


def save_together(stores: Iterable[AttributeStore]) -> None:
    """
    Write all changed stores in one transaction: after a crash all of it is there, or none.

    Args:
        stores: The stores; unchanged ones cost nothing.

    """
    found = [store for store in stores if store.dirty]
    for store in found:
        found.extend(other for other in store.companions() if other.dirty and other not in found)
    if not found:
        return
    changed = list(dict.fromkeys(found))
    if len(changed) == 1:
        changed[0]._write()
    else:
        with transaction.atomic():
            for store in changed:
                store._write()
    # Only now is it certain; had the transaction failed, all of it would still be to do.
    for store in changed:
        store.dirty = False
