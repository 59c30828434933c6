"""Those in the room, by the names they go by."""

from __future__ import annotations

import time
from typing import Any

from evennia.utils.ansi import strip_ansi

from ..mind.name_forms import Addressee
from .hearing import kind_of

#: Seconds for which the names of someone in the room are taken as read.
NAMES_KEPT = 10.0
_names: dict[int, tuple[float, str, Addressee]] = {}


def names_of(obj: Any) -> tuple[str, ...]:
    """The names somebody goes by: the key, and the short description of the rpsystem contrib."""
    sdesc = getattr(obj, "sdesc", None)
    shown = strip_ansi(sdesc.get()) if sdesc is not None else ""
    return (obj.db_key, shown) if shown and shown != obj.db_key else (obj.db_key,)


def addressee_of(obj: Any) -> Addressee:
    """
    Someone in the room as the classification sees them.

    Reading the aliases of two hundred people for every line would cost more than all the rest, so
    they are kept for `NAMES_KEPT` seconds; a changed key is seen at once.

    Args:
        obj: The object.

    """
    now = time.monotonic()
    kept = _names.get(obj.pk)
    if kept is not None and kept[0] > now and kept[1] == obj.db_key:
        return kept[2]
    made = Addressee(f"#{obj.pk}", names_of(obj), tuple(obj.aliases.all()), kind_of(obj))
    if len(_names) > 2000:
        _names.clear()
    _names[obj.pk] = (now + NAMES_KEPT, obj.db_key, made)
    return made
