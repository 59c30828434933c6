"""
What a folder of facts holds, read from its file without opening Qdrant.

At a start of the game all facts of all NPCs are read once. Qdrant would build what it searches with
for each of them, and keep it. Whatever in the file is not as this code knows it is left to Qdrant.

"""

from __future__ import annotations

import io
import json
import pickle
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from .mem0_rows import Row, newest_first, row_of

#: What a file of another form, or one that broke off, makes of reading it.
_NOT_KNOWN = (
    OSError,
    sqlite3.Error,
    pickle.UnpicklingError,
    LookupError,
    AttributeError,
    TypeError,
    ValueError,
    EOFError,
)


class _Point:
    """
    Stands for Qdrant's own class, which checks each of its values anew.

    The vector is let go of at once: those of a thousand facts take longer to keep than to read.

    """

    id: Any
    payload: Any

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.id, self.payload = state["__dict__"]["id"], state["__dict__"]["payload"]


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if name == "PointStruct" and module.startswith("qdrant_client."):
            return _Point
        raise pickle.UnpicklingError(f"{module}.{name} is no part of a point")


def rows_in(file: Path, user_id: str) -> list[Row] | None:
    """
    The rows of an NPC.

    Args:
        file: Qdrant's SQLite file of one collection.
        user_id: Whose.

    Returns:
        Those learnt last first, as `Mem0Rows.rows` has them; None when the file has to be opened
        to know.

    """
    try:
        # What Qdrant knows of the folder says whether the file is one of its own at all.
        known = json.loads((file.parents[2] / "meta.json").read_bytes())["collections"]
        if file.parent.name not in known:
            return None
        with closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)) as connection:
            stored = connection.execute("SELECT point FROM points ORDER BY rowid DESC")
            # Of a point that is there twice the latest counts.
            latest: dict[str, Row | None] = {}
            for (pickled,) in stored:
                point = _Unpickler(io.BytesIO(pickled)).load()
                if str(point.id) not in latest:
                    payload = dict(point.payload or {})
                    own = payload.get("user_id") == user_id
                    latest[str(point.id)] = row_of(point.id, payload) if own else None
    except _NOT_KNOWN:
        return None
    return newest_first(row for row in latest.values() if row is not None)
