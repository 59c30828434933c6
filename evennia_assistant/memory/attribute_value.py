"""
Reading an Attribute in passing.

A line said to an NPC reads some two hundred Attributes: who its character is, whether it is on, its
options. Evennia's own way to a value copes with lists of keys, locks and lists of results; where
one key is read from a cached row, that takes most of the time.

"""

from __future__ import annotations

from typing import Any

#: Values of these types are handed out as they are stored; nothing in them can be changed.
_FIXED = frozenset({str, int, float, bool, type(None)})


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
