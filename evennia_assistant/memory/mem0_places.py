"""
The places facts are kept in: a folder for each NPC, or one server for all.

Both are for the worker thread. `do` opens what is needed, does one thing there, and turns whatever
a library raises into a `SemanticMemoryError` that says what to do about it. After a failure the
place is opened anew, for a library may believe of itself what never came to the disk.

"""

from __future__ import annotations

import hashlib
import os
import re
import sqlite3
import time
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..errors import AssistantError, MemoryFault, SemanticMemoryError
from .mem0_config import Mem0Config, open_mem0
from .mem0_rows import Mem0Rows, Row
from .mem0_service import ServiceRows
from .mem0_unopened import rows_in

#: Rows kept in memory, over all open folders; 1,000 take about 6 MB.
MOST_ROWS = 50_000
#: Seconds another process may take to let go of a folder: the old server at a reload does.
PATIENCE = 5.0
#: Seconds to wait for a connection.
CONNECT_TIMEOUT = 10.0

_PLAIN_NAME = re.compile(r"[a-z0-9_-]{1,60}\Z")
_NOT_TAKEN = ("DataError", "ValueError", "TypeError")
#: Methods after which something is stored that was not, or the other way round.
CHANGES = frozenset({"add", "delete"})


class Server:
    """
    One Mem0 for all NPCs: in a server, or Mem0's service.

    Args:
        config: Which.

    """

    #: A second connection may be opened while the first one hangs.
    shareable = True

    def __init__(self, config: Mem0Config) -> None:
        self.config = config
        self._rows: Any = None

    def do(self, user_id: str, method: str, *args: Any) -> Any:
        """
        Do one thing for one NPC.

        Args:
            user_id: Whose facts.
            method: Of `Mem0Rows`.
            *args: For it.

        Raises:
            SemanticMemoryError: If it could not be done.

        """
        try:
            if self._rows is None:
                self._rows = self._open()
            return getattr(self._rows, method)(user_id, *args)
        except AssistantError:
            raise
        except Exception as err:
            self.close()
            raise self._meaning(err, method) from err

    def set_aside(self, user_id: str) -> str:
        """
        Only folders can be set aside.

        Raises:
            SemanticMemoryError: Always.

        """
        raise SemanticMemoryError(
            f"{self.config.place} is mended with its own tools.", MemoryFault.REFUSED
        )

    def close(self) -> None:
        """Let go of the connection; the next call makes a new one."""
        rows, self._rows = self._rows, None
        if rows is not None:
            _let_go(rows.memory)

    def _open(self) -> Any:
        memory = open_mem0(self.config)
        if self.config.hosted is not None:
            return ServiceRows(memory)
        pool = getattr(memory.vector_store, "connection_pool", None)
        if pool is not None:
            pool.timeout = CONNECT_TIMEOUT
        return Mem0Rows(memory, self.config.provider)

    def _meaning(self, err: Exception, method: str) -> SemanticMemoryError:
        said = self.config.without_secrets(_first_line(err))
        if method == "add" and _is_a(err, *_NOT_TAKEN):
            return SemanticMemoryError(f"Mem0 does not take a fact: {said}", MemoryFault.REFUSED)
        return SemanticMemoryError(
            f"Semantic memory cannot use {self.config.place}: {said}. Check that it runs, and "
            "ASSISTANT_MEM0_CONFIG.",
            MemoryFault.UNAVAILABLE,
        )


class _Folder:
    """An open folder, and how it is known to be the one that was opened."""

    def __init__(self, path: Path, rows: Mem0Rows, collection: str) -> None:
        self.path = path
        self.rows = rows
        self._file = _file_of(path, collection)
        self._opened = self._now()

    @property
    def is_there(self) -> bool:
        """False when it was removed or replaced; what is written would go nowhere."""
        return self._opened is not None and self._now() == self._opened

    def _now(self) -> tuple[int, int] | None:
        try:
            found = os.stat(self._file)
        except OSError:
            return None
        return found.st_dev, found.st_ino


class Folders:
    """
    A folder of this machine for each NPC, each with a Qdrant of its own.

    One NPC's questions then cost what its own facts cost, only those that are asked are in memory,
    and what happens to one folder happens to one NPC.

    Args:
        config: Which, with a `path`.
        sleep: Waits.

    """

    #: Whoever opened a folder has it alone.
    shareable = False

    def __init__(self, config: Mem0Config, sleep: Callable[[float], None] = time.sleep) -> None:
        assert config.path is not None
        self.config = config
        self._root = config.path
        self._sleep = sleep
        #: Those used last at the end.
        self._open: OrderedDict[str, _Folder] = OrderedDict()

    def path_of(self, user_id: str) -> Path:
        """The folder of an NPC."""
        if _PLAIN_NAME.match(user_id):
            return self._root / user_id
        digest = hashlib.blake2b(user_id.encode("utf-8", "replace"), digest_size=16).hexdigest()
        return self._root / f"key={digest}"

    def do(self, user_id: str, method: str, *args: Any) -> Any:
        """As `Server.do`."""
        try:
            if method == "rows" and (found := self._unopened(user_id)) is not None:
                return found
            folder = self._ready(user_id)
            result = getattr(folder.rows, method)(user_id, *args)
            if method in CHANGES:
                self._see_that_it_is_there(folder)
        except SemanticMemoryError as err:
            if err.fault is not MemoryFault.REFUSED:
                self._close(user_id)
            raise
        except AssistantError:
            raise
        except Exception as err:
            self._close(user_id)
            raise self._meaning(err, user_id, method) from err
        self._make_room(user_id)
        return result

    def set_aside(self, user_id: str) -> str:
        """
        Rename the folder of an NPC, so that the next call begins an empty one.

        Returns:
            Where it is now.

        """
        self._close(user_id)
        path = self.path_of(user_id)
        number = 1
        while (aside := path.with_name(f"{path.name}.set-aside-{number}")).exists():
            number += 1
        try:
            path.rename(aside)
        except OSError as err:
            raise self._meaning(err, user_id, "set_aside") from err
        return str(aside)

    def close(self) -> None:
        """Let go of all folders."""
        for user_id in list(self._open):
            self._close(user_id)

    def _ready(self, user_id: str) -> _Folder:
        folder = self._open.get(user_id)
        if folder is None:
            folder = self._open[user_id] = self._opened(self.path_of(user_id), user_id)
        self._open.move_to_end(user_id)
        self._see_that_it_is_there(folder)
        return folder

    def _unopened(self, user_id: str) -> list[Row] | None:
        """All rows of an NPC whose folder is not open, None when it has to be opened."""
        path, collection = self.path_of(user_id), self.config.store.get("collection_name")
        if user_id in self._open or not collection:
            return None
        file = _file_of(path, collection)
        if not file.exists() or not (path / "meta.json").exists():
            return None
        self._wait_for(path)
        return rows_in(file, user_id)

    def _opened(self, path: Path, user_id: str) -> _Folder:
        if (path / "collection").exists() and not (path / "meta.json").exists():
            # Qdrant would begin anew, and see nothing of what is there.
            raise self._corrupt(path, user_id, "meta.json is missing")
        self._wait_for(path)
        try:
            memory = open_mem0(self.config, path)
        except (OSError, AssistantError, sqlite3.OperationalError):
            raise
        except Exception as err:
            raise self._corrupt(path, user_id, _first_line(err)) from err
        _forget_what_is_deleted(memory)
        rows = Mem0Rows(memory, self.config.provider, alone=True)
        return _Folder(path, rows, memory.collection_name)

    def _wait_for(self, path: Path) -> None:
        """Give another process a moment to let go of a folder."""
        waited = 0.0
        while _is_taken(path):
            if waited >= PATIENCE:
                raise SemanticMemoryError(
                    f"Another process uses {path}. Stop it, or give this game its own folder "
                    "or a server with ASSISTANT_MEM0_CONFIG.",
                    MemoryFault.LOCKED,
                )
            self._sleep(0.25)
            waited += 0.25

    def _see_that_it_is_there(self, folder: _Folder) -> None:
        if not folder.is_there:
            raise SemanticMemoryError(
                f"{folder.path} was removed or replaced while it was in use. Put it back from a "
                "backup and reload; or have what was in it made again from the journal: "
                f"'aimemory/verify {folder.path.name} = heal'.",
                MemoryFault.UNAVAILABLE,
            )

    def _make_room(self, user_id: str) -> None:
        """Close those not used for longest, while too much is in memory."""
        while len(self._open) > 1 and self._rows_open() > MOST_ROWS:
            oldest = next(iter(self._open))
            if oldest == user_id:
                return
            self._close(oldest)

    def _rows_open(self) -> int:
        return sum(len(folder.rows) for folder in self._open.values())

    def _close(self, user_id: str) -> None:
        folder = self._open.pop(user_id, None)
        if folder is not None:
            _let_go(folder.rows.memory)

    def _corrupt(self, path: Path, user_id: str, why: str) -> SemanticMemoryError:
        return SemanticMemoryError(
            f"{path} cannot be read ({why}). Put it back from a backup and reload; or have it set "
            f"aside and made again from the journal: 'aimemory/verify {user_id} = heal'.",
            MemoryFault.CORRUPT,
        )

    def _meaning(self, err: Exception, user_id: str, method: str) -> SemanticMemoryError:
        path, said = self.path_of(user_id), _first_line(err)
        if isinstance(err, sqlite3.DatabaseError) and not isinstance(err, sqlite3.OperationalError):
            return self._corrupt(path, user_id, said)
        if method == "add" and isinstance(err, ValueError | TypeError):
            return SemanticMemoryError(f"Mem0 does not take a fact: {said}", MemoryFault.REFUSED)
        return SemanticMemoryError(
            f"Semantic memory cannot use {path}: {said}. Check the disk and who may write there.",
            MemoryFault.UNAVAILABLE,
        )


def place_for(config: Mem0Config) -> Folders | Server:
    """Where facts are kept, by configuration; opens nothing."""
    return Server(config) if config.path is None else Folders(config)


def _file_of(path: Path, collection: str) -> Path:
    """Where Qdrant keeps a collection."""
    return path / "collection" / collection / "storage.sqlite"


def _is_taken(path: Path) -> bool:
    """Whether somebody has a folder open; Qdrant itself would read all of it before it looked."""
    import portalocker

    if not (path / ".lock").exists():
        return False
    with (path / ".lock").open("r+") as file:
        try:
            portalocker.lock(file, portalocker.LockFlags.EXCLUSIVE | portalocker.LOCK_NB)
        except portalocker.LockException:
            return True
        portalocker.unlock(file)
    return False


def _forget_what_is_deleted(memory: Any) -> None:
    """Have SQLite wipe the bytes of what is deleted; else they stay in the file."""
    for collection in memory.vector_store.client._client.collections.values():
        collection.storage.storage.execute("PRAGMA secure_delete = ON")


def _let_go(memory: Any) -> None:
    """Close files and connections; Mem0's own `close` leaves both open."""
    store = getattr(memory, "vector_store", memory)
    for name in ("client", "connection_pool"):
        held: Any = getattr(store, name, None)
        if hasattr(held, "close"):
            held.close()


def _first_line(err: Exception) -> str:
    text = str(err).strip()
    return f"{type(err).__name__}: {text.splitlines()[0][:200]}" if text else type(err).__name__


def _is_a(err: Exception, *names: str) -> bool:
    return any(kind.__name__ in names for kind in type(err).__mro__)
