"""
What is deleted from the database leaves its file as well.

SQLite keeps the bytes of deleted and overwritten rows in its file until it needs the room.
`PRAGMA secure_delete` has it write zeros over them at once. It holds for one connection, so it is
set on each that is made, from the first start of the game with this package on; what was deleted
before is wiped by one `VACUUM` with the server stopped.

PostgreSQL has no such switch: docs/forgetting.md says what to do there.

"""

from __future__ import annotations

from typing import Any

from django.db import connection
from django.db.backends.signals import connection_created

from ..conf import setting


def watch() -> None:
    """Set it on every connection made from now on."""
    connection_created.connect(_set, dispatch_uid="evennia_assistant.secure_delete")


def _set(connection: Any, **_signal: Any) -> None:
    if connection.vendor == "sqlite" and setting("ASSISTANT_SECURE_DELETE"):
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA secure_delete = ON")


def wipe_what_is_deleted() -> None:
    """Set it on the connection in use, whatever the setting says."""
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA secure_delete = ON")


def at_end_of_purge() -> None:
    """Bring what is written into the database's own file, and set back what was switched on."""
    if connection.vendor != "sqlite":
        return
    with connection.cursor() as cursor:
        if not connection.in_atomic_block:
            # Where a write-ahead log is used, it holds the pages as they were.
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        if not setting("ASSISTANT_SECURE_DELETE"):
            cursor.execute("PRAGMA secure_delete = OFF")
