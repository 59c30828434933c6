"""A real game server, for tests and demonstrations.

::

    game = GameProcess.copy_of(my_game_folder, tmp_path)
    game.prepare()
    game.start()
    with game.player() as anna:
        anna.login(game.admin, game.password)
    game.stop()

`copy_of` never touches the game it copies: the copy has its own ports, database and logs, so any
number of them run beside each other and beside the real one. `GameProcess(folder)` works on the
game in that very folder. Either way the game's settings must read their ports from the environment
as this repository's `server/conf/settings.py` does; for a game whose settings do not, append
`game.ports.as_settings()` to them.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Self

from .ports import Ports
from .telnet import NotHeard, TelnetPlayer

_PACKAGE = Path(__file__).resolve().parents[1]
_GAME_FOLDERS = ("server", "typeclasses", "commands", "world")
#: What the launcher prints when it has waited in vain for the Portal it started.
_GAVE_UP = "Connection to Evennia timed out"
_NOT_COPIED = shutil.ignore_patterns(
    "__pycache__", "logs", "*.db3*", "*.pid", "*.restart", ".static", ".media", ".cache",
    "assistant", "secret_settings.py",
)  # fmt: skip


class GameError(RuntimeError):
    """A game could not be prepared, started or stopped; the text ends with its logs."""


class GameProcess:
    """An Evennia game in a folder, and its server's life.

    Args:
        folder: The game's folder, the one that holds `server/conf/settings.py`.
        ports: Where it listens; free ones when not given.
        python: The interpreter whose Evennia runs it.
        environment: More variables for the server, over those of this process.
        host: Where its players connect.
        admin: Name of the superuser that the first start makes.
        password: The superuser's password.
    """

    def __init__(
        self,
        folder: Path,
        ports: Ports | None = None,
        *,
        python: str = sys.executable,
        environment: Mapping[str, str] | None = None,
        host: str = "127.0.0.1",
        admin: str = "admin",
        password: str = "grey-gull-inn",
    ):
        self.folder = Path(folder)
        self.ports = ports or Ports.free()
        self.host = host
        self.admin = admin
        self.password = password
        # Not resolved: the link in a virtual environment is what makes it that environment.
        programs = Path(python).parent
        self._evennia = programs / "evennia"
        self.environment = {
            **os.environ,
            "PATH": f"{programs}{os.pathsep}{os.environ.get('PATH', '')}",
            "EVENNIA_SUPERUSER_USERNAME": admin,
            "EVENNIA_SUPERUSER_PASSWORD": password,
            "EVENNIA_SUPERUSER_EMAIL": "",
            **self.ports.as_environment(),
            **(environment or {}),
        }
        # The test run's settings are not the game's.
        self.environment.pop("DJANGO_SETTINGS_MODULE", None)
        self._log_offset = 0

    @classmethod
    def copy_of(cls, game: Path, into: Path, **options: Any) -> Self:
        """A fresh game with the code of another: no database, no logs, throttles made for bots.

        Args:
            game: The game whose code to copy; this package comes along, wherever it is installed.
            into: A folder that does not exist yet, or is empty.
            **options: As for the class; `environment` is added to.
        """
        into = Path(into)
        for name in _GAME_FOLDERS:
            shutil.copytree(Path(game) / name, into / name, ignore=_NOT_COPIED)
        (into / _PACKAGE.name).symlink_to(_PACKAGE)
        more = {"ASSISTANT_FOR_BOTS": "1", **(options.pop("environment", None) or {})}
        return cls(into, environment=more, **options)

    def run(self, *arguments: str, timeout: float = 120) -> str:
        """Runs one `evennia` command in the game's folder and returns what it printed.

        Raises:
            GameError: When it fails or takes too long.
        """
        said = f"`evennia {' '.join(arguments)}`"
        try:
            done = subprocess.run(
                [self._evennia, *arguments],
                cwd=self.folder,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=timeout,
            )
        except subprocess.TimeoutExpired as error:
            raise self._error(f"{said} took more than {timeout} s") from error
        if done.returncode:
            raise self._error(f"{said} ended with {done.returncode}:\n{done.stdout}")
        return done.stdout

    def prepare(self) -> None:
        """Makes what git does not keep (secret settings, log folder) and the database's tables."""
        if not (self.folder / "server/conf/secret_settings.py").exists() or not self._logs.is_dir():
            self.run("--initmissing")
        self.run("migrate")

    def start(self, timeout: float = 90) -> None:
        """Starts what does not run of Portal and Server, and waits until players can log in."""
        self._log_offset = self._log_size()
        printed = self.run("start", timeout=timeout)
        if _GAVE_UP in printed:
            # The launcher waits ten seconds for the Portal, which a busy machine may need more of;
            # with the Portal up, it starts the Server.
            _wait_until(lambda: bool(self._pids("portal")), timeout)
            printed += self.run("start", timeout=timeout)
        self.wait_ready(timeout, printed)

    def reload(self, timeout: float = 60) -> None:
        """Restarts the Server; players stay connected through the Portal."""
        self._log_offset = self._log_size()
        before = self._pids("server")
        printed = self.run("reload", timeout=timeout)
        if not _wait_until(lambda: self._pids("server") not in ([], before), timeout):
            raise self._error(f"The Server did not restart within {timeout} s.\n{printed}")
        self.wait_ready(timeout, printed)

    def stop(self, timeout: float = 60) -> None:
        """Shuts both processes down, and returns when they are gone.

        Raises:
            GameError: When they would not go; they have then been killed.
        """
        pids = self._pids()
        printed = self.run("stop", timeout=timeout) if pids else ""
        if not _wait_until(lambda: not any(map(_is_alive, pids)), timeout):
            for pid in filter(_is_alive, pids):
                os.kill(pid, signal.SIGKILL)
            raise self._error(f"The game did not stop within {timeout} s.\n{printed}")

    def kill9(self, *, portal: bool = False) -> None:
        """Ends the Server at once, with no chance to save anything; `start` brings it back.

        Args:
            portal: End the Portal too; else players stay connected, and are out of character
                when the Server is back.
        """
        pids = self._pids("server", *(["portal"] if portal else []))
        if not pids:
            raise self._error("There is no server to kill.")
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        if not _wait_until(lambda: not any(map(_is_alive, pids)), 10):
            raise self._error("The server outlived SIGKILL.")

    def wait_ready(self, timeout: float = 60, printed: str = "") -> None:
        """Waits until a player could log in, through the restart that ends a game's first start.

        Raises:
            GameError: When it takes longer; `printed` is shown with it.
        """
        if not _wait_until(self.is_ready, timeout):
            raise self._error(f"The game was not ready after {timeout} s.\n{printed}")

    def is_running(self, process: str = "server") -> bool:
        """True when the Server (or the Portal) of this very folder runs, ready or not."""
        return bool(self._pids(process))

    def is_ready(self) -> bool:
        """True when the Server runs, has finished its (re)start, and greets players."""
        if not self.is_running():
            return False
        try:
            self.player(timeout=2).close()
        except (OSError, NotHeard):
            return False
        # A game's first start ends in a restart, which its log announces before players come in.
        log = self._read_log("server.log", self._log_offset)
        _, announced, rest = log.rpartition("Restarting Server once")
        return not announced or "successfully restarted" in rest

    def player(self, name: str = "player", timeout: float = 15) -> TelnetPlayer:
        """A new telnet connection, with the connection screen already read."""
        player = TelnetPlayer(self.ports.telnet, self.host, name=name, timeout=timeout)
        try:
            player.expect(r"connect <")
        except NotHeard:
            player.close()
            raise
        player.read()
        return player

    def url(self, path: str = "/") -> str:
        """The address of one of the game's web pages."""
        return f"http://{self.host}:{self.ports.web}{path}"

    def logs(self, lines: int = 60) -> str:
        """The last lines of the Server's and the Portal's logs."""
        return "\n".join(
            f"--- {name}\n" + "\n".join(self._read_log(name).splitlines()[-lines:])
            for name in ("server.log", "portal.log")
        )

    @property
    def _logs(self) -> Path:
        return self.folder / "server" / "logs"

    def _read_log(self, name: str, offset: int = 0) -> str:
        path = self._logs / name
        if not path.exists():
            return ""
        data = path.read_bytes()
        # A log that was rotated since is shorter than what was noted, and all new.
        return data[offset if offset <= len(data) else 0 :].decode(errors="replace")

    def _log_size(self) -> int:
        path = self._logs / "server.log"
        return path.stat().st_size if path.exists() else 0

    def pids(self, *names: str) -> list[int]:
        """Process ids of what runs of `server` and `portal`."""
        return self._pids(*names)

    def _pids(self, *names: str) -> list[int]:
        files = [self.folder / "server" / f"{name}.pid" for name in names or ("server", "portal")]
        texts = [file.read_text() for file in files if file.exists()]
        return [int(text) for text in texts if text.strip().isdigit() and _is_alive(int(text))]

    def _error(self, text: str) -> GameError:
        return GameError(f"{text}\n{self.logs()}")


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    # A dead process that nobody has waited for still has its number.
    status = Path(f"/proc/{pid}/stat")
    return not (status.exists() and status.read_text().rpartition(")")[2].split()[0] == "Z")


def _wait_until(done: Callable[[], bool], timeout: float) -> bool:
    deadline = time.monotonic() + timeout
    while not done():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.1)
    return True
