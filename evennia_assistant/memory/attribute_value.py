"""
Reading Attributes in passing, and by the hundred.

A line said to an NPC reads some two hundred Attributes: who its character is, whether it is on, its
options. Evennia's own way to a value copes with lists of keys, locks and lists of results; where
one key is read from a cached row, that takes most of the time. At a start the memories of all NPCs
are read, where Evennia takes a query for each Attribute, and makes a container for each leaf that a
store takes away again.

"""

from __future__ import annotations

import pickle
from typing import Any

from evennia.utils.dbserialize import deserialize, from_pickle
from evennia.utils.picklefield import DEFAULT_PROTOCOL

#: Values of these types are handed out as they are stored; nothing in them can be changed.
_FIXED = frozenset({str, int, float, bool, type(None)})
#: What stands in a stored value in place of an object of the game; only Evennia can unpack it.
_OBJECTS = (b"__packed_dbobj__", b"__packed_session__")


def attribute_value(handler: Any, key: str, default: Any = None) -> Any:
    """
    The value of one Attribute, as `handler.get(key, default=default)` has it.

    Args:
        handler: `obj.attributes`, or `obj.nattributes` for what stands in `obj.ndb`.
        key: Its name.
        default: For an object that has no such Attribute.

    """
    rows = handler.backend.get(key)
    if not rows:
        return default
    value = rows[0].db_value
    return value if type(value) in _FIXED else rows[0].value


def plain_copy(value: Any) -> Any:
    """
    What an Attribute holds as plain data of one's own, without a container for each leaf.

    Args:
        value: `db_value` of the Attribute's row.

    """
    if type(value) in _FIXED:
        return value
    held = pickle.dumps(value, protocol=DEFAULT_PROTOCOL)
    if any(mark in held for mark in _OBJECTS):
        return deserialize(from_pickle(value))
    return pickle.loads(held)


class _Known(dict[str, Any]):
    """Evennia's cache of an object all whose Attributes without a category are in it."""

    def __missing__(self, name: str) -> None:
        if not name.endswith("-None"):
            raise KeyError(name)


def know_all(obj: Any) -> None:
    """
    Read the Attributes of an object at once, and remember that there are no others.

    Evennia takes two queries for each that is there, and one for each that is not, of which an NPC
    has dozens. Those with a category, as the archive, are left where they are.

    Args:
        obj: The typeclassed object that carries them.

    """
    backend = getattr(obj.attributes, "backend", None)
    known = getattr(backend, "_cache", None)
    if known is None or isinstance(known, _Known):
        return
    own = obj.db_attributes.filter(db_category=None, db_attrtype=None)
    there = {f"{key}-None": number for number, key in own.values_list("id", "db_key")}
    unread = [number for name, number in there.items() if known.get(name) is None]
    rows = {f"{row.db_key}-None": row for row in own.filter(id__in=unread)}
    backend._cache = _Known({**known, **rows})  # type: ignore[union-attr]


def know(obj: Any, *names: str) -> None:
    """
    Read some Attributes of an object with one query, those it lacks included.

    Args:
        obj: The typeclassed object that carries them.
        *names: Theirs; they have no category.

    """
    backend = getattr(obj.attributes, "backend", None)
    known = getattr(backend, "_cache", None)
    if known is None:
        return
    unread = [name for name in names if f"{name}-None" not in known]
    rows = obj.db_attributes.filter(db_category=None, db_attrtype=None, db_key__in=unread)
    found = {row.db_key: row for row in rows} if unread else {}
    for name in unread:
        known[f"{name}-None"] = found.get(name)


def rows_of(obj: Any, category: str) -> list[Any]:
    """
    The Attributes of a category, read from the database with one query.

    Args:
        obj: The typeclassed object that carries them.
        category: Theirs.

    """
    handler = obj.attributes
    backend = getattr(handler, "backend", None)
    known = getattr(backend, "_catcache", None)
    if known is not None and f"-{category}" not in known:
        # Evennia asks for each row by itself, unless it finds them in its cache.
        for row in obj.db_attributes.filter(db_category=category):
            backend._cache[f"{row.db_key}-{category}"] = row  # type: ignore[union-attr]
        known[f"-{category}"] = True
    found = handler.get(category=category, return_obj=True, return_list=True)
    return [row for row in found if row is not None]
