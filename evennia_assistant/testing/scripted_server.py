"""
A real OpenAI-compatible HTTP server on this machine that answers what a test tells it to.

It runs in threads of its own and needs no reactor, so it serves a test process as well as a game in
another process. An NPC asks it with `llm_provider` local and `llm_api_url` set to `server.url`, a
client with `get_client(server.config())`, and openai like any server:

    >>> import openai
    >>> from evennia_assistant.testing import ScriptedModelServer, replies
    >>> hello = [{"role": "user", "content": "Hello"}]
    >>> with ScriptedModelServer(replies.status(429, retry_after=0), "Well met!") as server:
    ...     with openai.OpenAI(base_url=server.url, api_key="any") as client:
    ...         answer = client.chat.completions.create(model="m", messages=hello)
    >>> answer.choices[0].message.content
    'Well met!'
    >>> first, second = server.requests
    >>> second.body["messages"][-1]["content"], second.headers["authorization"]
    ('Hello', 'Bearer any')
    >>> first.client_left
    False

A function of the request's JSON may answer when the script is at its end:

    >>> def answer(body):
    ...     return "You said " + body["messages"][-1]["content"]
    >>> server = ScriptedModelServer(handler=answer)

A request for which nothing is scripted gets status 500 and the log remembers it in `unscripted`.

"""

from __future__ import annotations

import contextlib
import json
import select
import socket
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from evennia_assistant.llm.client import LLMConfig

from .replies import Fault, Reply

#: Model that answers by default.
MODEL = "scripted-model"

# How often a waiting reply looks whether the asker is still there.
_LOOK_EVERY = 0.02


@dataclass
class RecordedRequest:
    """
    One request as it came.

    Args:
        path: Path of the request.
        headers: Its headers, names in lower case.
        body: Its JSON.
        arrived: Seconds on `time.monotonic`.
        client_left: Whether the asker went away before the reply was through.

    """

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    arrived: float = field(default_factory=time.monotonic)
    client_left: bool = False


class ScriptedModelServer:
    """
    Serves scripted replies; a context manager.

    Args:
        *script: Replies in order, each a `Reply`, a `str` or an `LLMResponse`.
        handler: Function of the request's JSON that gives a reply when the script is at its end.

    """

    def __init__(
        self, *script: Any, handler: Callable[[dict[str, Any]], Any] | None = None
    ) -> None:
        self.requests: list[RecordedRequest] = []
        self.unscripted = 0
        self._script = deque(Reply.of(reply) for reply in script)
        self._handler = handler
        self._changed = threading.Condition()
        self._closing = threading.Event()
        self._connections: set[socket.socket] = set()
        self._server: _Server | None = None

    # Running --------------------------------------------------------------------------------

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_exc: object) -> None:
        self.stop()

    def start(self, port: int = 0) -> Self:
        """
        Begin to serve.

        Args:
            port: Port on the loopback interface, 0 for any that is free.

        """
        self._closing.clear()
        self._server = _Server(("127.0.0.1", port), self)
        threading.Thread(
            target=self._server.serve_forever,
            kwargs={"poll_interval": 0.05},
            name="scripted-model",
            daemon=True,
        ).start()
        return self

    def stop(self) -> None:
        """Hang up on everyone and free the port."""
        server, self._server = self._server, None
        if server is None:
            return
        self._closing.set()
        server.shutdown()
        server.server_close()
        for connection in list(self._connections):
            with contextlib.suppress(OSError):  # the other side was first
                connection.shutdown(socket.SHUT_RDWR)

    @property
    def port(self) -> int:
        """The port it serves."""
        if self._server is None:
            raise RuntimeError("The server is not running.")
        return int(self._server.server_address[1])

    @property
    def url(self) -> str:
        """The base URL, as `llm_api_url` takes it."""
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def connections(self) -> int:
        """How many connections are open, those that are kept for later included."""
        return len(self._connections)

    def config(self, **changes: Any) -> LLMConfig:
        """A client configuration that asks this server."""
        return LLMConfig(**{"provider": "local", "api_url": self.url, "model": MODEL, **changes})

    # Script and log -------------------------------------------------------------------------

    def add(self, *script: Any) -> None:
        """Put more replies at the end of the script."""
        with self._changed:
            self._script.extend(Reply.of(reply) for reply in script)

    def wait_for_requests(self, count: int, timeout: float = 10) -> list[RecordedRequest]:
        """
        Wait until as many requests have come.

        Raises:
            TimeoutError: If they do not come in time.

        """
        self._wait(lambda: len(self.requests) >= count, f"{count} requests", timeout)
        return self.requests

    def wait_until_left(self, request: RecordedRequest, timeout: float = 10) -> None:
        """
        Wait until the asker of a request has gone away.

        Raises:
            TimeoutError: If it stays.

        """
        self._wait(lambda: request.client_left, "the client to leave", timeout)

    def _wait(self, done: Callable[[], bool], what: str, timeout: float) -> None:
        with self._changed:
            if not self._changed.wait_for(done, timeout):
                raise TimeoutError(
                    f"waited {timeout} s for {what}; {len(self.requests)} requests came"
                )

    def _next(self, request: RecordedRequest) -> Reply:
        with self._changed:
            self.requests.append(request)
            self._changed.notify_all()
            if request.path.split("?")[0] != "/v1/chat/completions":
                return Reply(http_status=404, error={"error": {"code": "unknown_path"}})
            if self._script:
                return self._script.popleft()
            if self._handler is None:
                self.unscripted += 1
                return Reply(http_status=500, error={"error": {"code": "nothing_scripted"}})
        return Reply.of(self._handler(request.body))

    def _left(self, request: RecordedRequest) -> None:
        with self._changed:
            request.client_left = True
            self._changed.notify_all()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    # Many NPCs may call in the same instant.
    request_queue_size = 512

    def __init__(self, address: tuple[str, int], owner: ScriptedModelServer) -> None:
        super().__init__(address, _Handler)
        self.owner = owner

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is part of many scripts; anything else is shown."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Without it, header and body go out 40 ms apart on a kept connection.
    disable_nagle_algorithm = True
    server: _Server

    def setup(self) -> None:
        super().setup()
        self.server.owner._connections.add(self.connection)

    def finish(self) -> None:
        self.server.owner._connections.discard(self.connection)
        super().finish()

    def log_message(self, format: str, *args: Any) -> None:
        """Requests are in the log of the server object, not on stderr."""

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        request = RecordedRequest(
            path=self.path,
            headers={name.lower(): value for name, value in self.headers.items()},
            body=json.loads(self.rfile.read(length) or b"{}"),
        )
        try:
            self._give(self.server.owner._next(request), request)
        except ConnectionError:
            self.close_connection = True
            self.server.owner._left(request)

    def _give(self, reply: Reply, request: RecordedRequest) -> None:
        hanging = reply.fault is Fault.HANG
        if not self._wait(float("inf") if hanging else reply.delay):
            raise ConnectionAbortedError
        if reply.fault is Fault.DROP:
            self.close_connection = True
            return
        if reply.fault is Fault.DRIP:
            self._drip()
            return
        if reply.fault is Fault.INVALID_JSON:
            body = b"<html><body>502 Bad Gateway</body></html>"
        elif reply.http_status != 200:
            error = reply.error or {"error": {"message": "scripted", "code": "scripted_error"}}
            body = json.dumps(error).encode()
        else:
            body = json.dumps(reply.as_completion(str(request.body.get("model", MODEL)))).encode()
        self.send_response(reply.http_status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        if reply.retry_after is not None:
            self.send_header("Retry-After", f"{reply.retry_after:g}")
        for name, value in reply.headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _drip(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", "1000000")
        self.end_headers()
        while self._wait(_LOOK_EVERY):
            self.wfile.write(b" ")
        raise ConnectionAbortedError

    def _wait(self, seconds: float) -> bool:
        """Let time pass; False when the asker went away or the server is closing."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if self.server.owner._closing.is_set():
                return False
            readable, _, _ = select.select([self.connection], [], [], min(left, _LOOK_EVERY))
            if readable and not self.connection.recv(1, socket.MSG_PEEK):
                return False
            if readable:
                time.sleep(min(left, _LOOK_EVERY))
        return True
