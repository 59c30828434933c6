"""A player on a telnet line, for tests and demonstrations.

::

    with TelnetPlayer(port=4000) as anna:
        anna.create_account("Anna", "a long password")
        anna.login("Anna", "a long password")
        anna.send("say Good evening!")
        anna.expect(r'The innkeeper says, "(.+)"', timeout=5)

What the server negotiates is taken out, as are colours; what is left is what a person would read.
`transcript` keeps all of it, with the player's own lines marked `> `.
"""

from __future__ import annotations

import codecs
import re
import socket
import time
from typing import Self

_COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_NEGOTIATION = re.compile(rb"\xff(?:\xfa.*?\xff\xf0|[\xfb-\xfe].|[\xf0-\xf9])", re.DOTALL)
_UNFINISHED = re.compile(rb"\xff(?:\xfa.*|[\xfb-\xfe]?)\Z|\x1b(?:\[[0-9;?]*)?\Z", re.DOTALL)


class NotHeard(AssertionError):
    """What was expected did not come; the text holds the pattern and what came instead."""


class TelnetPlayer:
    """One connection to a game, as one player sees it.

    Args:
        port, host: Where the game listens for telnet.
        name: How failures name this player; `login` sets it too.
        timeout: Seconds that connecting, and each `expect` without its own limit, may take.
    """

    def __init__(
        self, port: int, host: str = "127.0.0.1", name: str = "player", timeout: float = 10
    ):
        self.name = name
        self.timeout = timeout
        self.transcript = ""
        self.closed = False
        self._raw = b""
        self._unread = ""
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._socket = socket.create_connection((host, port), timeout)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def send(self, line: str) -> None:
        """Types one line."""
        self.transcript += f"> {line}\n"
        self._socket.sendall(line.encode() + b"\r\n")

    def expect(self, pattern: str, timeout: float | None = None) -> re.Match[str]:
        """Reads until the pattern comes, and returns its match; the text up to it is then read.

        Raises `NotHeard` when it did not come in time, or the line was closed first.
        """
        deadline = time.monotonic() + (self.timeout if timeout is None else timeout)
        while not (match := re.search(pattern, self._unread)):
            remaining = deadline - time.monotonic()
            if self.closed or remaining <= 0:
                why = "the server closed the line" if self.closed else "it did not come in time"
                said = f"{self.name}: {pattern!r}: {why}. Read instead:\n{self._unread[-2000:]}"
                raise NotHeard(said)
            self._receive(remaining)
        self._unread = self._unread[match.end() :]
        return match

    def read(self, quiet: float = 0.3, timeout: float = 5) -> str:
        """All text that is there, and that still comes until the line is quiet for so long."""
        deadline = time.monotonic() + timeout
        while not self.closed and time.monotonic() < deadline and self._receive(quiet):
            pass
        text, self._unread = self._unread, ""
        return text

    def login(self, name: str, password: str, timeout: float | None = None) -> None:
        """Connects an existing account; its last character is puppeted and has looked around."""
        self.name = name
        self.send(f'connect "{name}" {password}')
        self.expect(r"You become .+\n", timeout)
        self.read()

    def create_account(self, name: str, password: str) -> bool:
        """Makes an account and its character; False when one of that name is there already."""
        self.send(f'create "{name}" {password}')
        self.expect(r"\[Y\]/N")
        self.send("y")
        answer = self.expect(r"was created\. Welcome|already (exists|taken)")
        return answer.group().startswith("was")

    def close(self) -> None:
        """Hangs up; the character stays for as long as the game keeps it."""
        self.closed = True
        self._socket.close()

    def _receive(self, timeout: float) -> bool:
        """Takes in what the line brings within so many seconds; False when it brings nothing."""
        self._socket.settimeout(max(timeout, 0.01))
        try:
            data = self._socket.recv(65536)
        except TimeoutError:
            return False
        except ConnectionError:
            data = b""
        self.closed = not data
        raw = _NEGOTIATION.sub(b"", (self._raw + data).replace(b"\xff\xff", b""))
        cut = _UNFINISHED.search(raw)
        self._raw = raw[cut.start() :] if cut else b""
        text = self._decode(raw[: cut.start() if cut else None])
        text = _COLOURS.sub("", text).replace("\r", "")
        self._unread += text
        self.transcript += text
        return not self.closed
