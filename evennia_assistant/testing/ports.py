"""Where a game listens, and how to move it."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Self


@dataclass(frozen=True)
class Ports:
    """Where a game listens; `web_internal` and `amp` only join its own two processes."""

    telnet: int = 4000
    web: int = 4001
    websocket: int = 4002
    web_internal: int = 4005
    amp: int = 4006

    @classmethod
    def free(cls) -> Self:
        """Five ports that nobody listened on a moment ago."""
        with_port = [socket.socket() for _ in range(5)]
        for one in with_port:
            one.bind(("127.0.0.1", 0))
        ports = [one.getsockname()[1] for one in with_port]
        for one in with_port:
            one.close()
        return cls(*ports)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Self:
        """The ports that the variables of `as_environment` name, else the defaults."""
        given = {name: environment.get(cls.variable(name)) for name in asdict(cls())}
        return cls(**{name: int(value) for name, value in given.items() if value})

    @staticmethod
    def variable(name: str) -> str:
        """The environment variable that moves a port."""
        return f"ASSISTANT_{name.upper()}_PORT"

    def as_environment(self) -> dict[str, str]:
        """What a server's environment holds to listen on these ports."""
        return {self.variable(name): str(port) for name, port in asdict(self).items()}

    def as_settings(self) -> str:
        """Lines for the settings of a game that does not read its ports from the environment."""
        return (
            'TELNET_INTERFACES = WEBSERVER_INTERFACES = ["127.0.0.1"]\n'
            'WEBSOCKET_CLIENT_INTERFACE = AMP_HOST = "127.0.0.1"\n'
            f"TELNET_PORTS = [{self.telnet}]\n"
            f"WEBSERVER_PORTS = [({self.web}, {self.web_internal})]\n"
            f"WEBSOCKET_CLIENT_PORT = {self.websocket}\n"
            f"AMP_PORT = {self.amp}\n"
            "CREATION_THROTTLE_LIMIT = LOGIN_THROTTLE_LIMIT = MAX_COMMAND_RATE = 10_000\n"
        )

    def busy(self, host: str = "127.0.0.1") -> dict[str, int]:
        """Those that cannot be listened on now, by name."""
        return {name: port for name, port in asdict(self).items() if _is_busy(host, port)}


def _is_busy(host: str, port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return True
    return False
