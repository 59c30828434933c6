"""
A model server in a process of its own, so that what it costs is not the game's.

It answers in both forms there are here: chat completions, in which it calls the tool `say`, and
the form `evennia.contrib.rpg.llm` asks for. A line that holds `ERRAND` is answered with a turn of
five tools, one in each answer, of which the last is `say`, and a prompt of a night as
`_night_model` has it. It remembers each request and when it came, on the clock that all processes
of a machine share (`time.monotonic`).

    with ModelProcess() as model:
        model.url, model.host, model.path       # where to ask, in both forms
        model.take()                            # requests since the last time

"""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from dataclasses import dataclass
from typing import Any, Self

from evennia_assistant.testing import Reply, ScriptedModelServer
from evennia_assistant.testing.replies import text, tool_call

from benchmarks._night_model import night_answer

#: In a line, asks for a turn of several tools.
ERRAND = "if you would be so kind"
#: The tools of such a turn.
STEPS: tuple[tuple[str, dict[str, str]], ...] = (
    ("recall_memories", {"query": "lantern harbour"}),
    ("inspect_location", {}),
    ("add_journal_entry", {"content": "Somebody asked about the lantern."}),
    ("emote", {"text": "looks around."}),
    ("say", {"text": "I have looked everywhere; it is not here."}),
)

_ANSWERS = (
    "Well, now. A room with a bed is four silver a night, and the stew comes with it.",
    "So the wind blows. I shall keep my eyes open and let you know what I hear.",
    "I have heard stranger over this bar. Sit down, the fire is free.",
    "Orla would know that better than I do; she is out on Harbour Street in any weather.",
    "That one has not washed up at my bar yet, but the herring fleet is due by dark.",
    "Aye, I remember. You said as much when you first came through that door.",
)


@dataclass(frozen=True, slots=True)
class Asked:
    """One request: when it came, and its body."""

    at: float
    body: dict[str, Any]


class ModelProcess:
    """The server; a context manager."""

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.port = int(self._read())
        return self

    def __exit__(self, *_exc: object) -> None:
        self._process.communicate()

    @property
    def host(self) -> str:
        """Scheme, address and port."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def path(self) -> str:
        """The path that answers."""
        return "/v1/chat/completions"

    @property
    def url(self) -> str:
        """The base URL, as `llm_api_url` takes it."""
        return f"{self.host}/v1"

    def take(self) -> list[Asked]:
        """The requests that came since the last time."""
        assert self._process.stdin is not None
        self._process.stdin.write("take\n")
        self._process.stdin.flush()
        return [Asked(at, body) for at, body in json.loads(self._read())]

    def _read(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("The model server did not start.")
        return line


class _EitherReply(Reply):
    """An answer both clients find theirs in."""

    def as_completion(self, model: str) -> dict[str, Any]:
        """See `Reply`."""
        return {**super().as_completion(model), "results": [{"text": self.content}]}


def _serve() -> None:
    answers = itertools.cycle(_ANSWERS)

    def answer(body: dict[str, Any]) -> Reply:
        asleep = night_answer(body)
        if asleep is not None:
            return _EitherReply(content=asleep)
        messages = body.get("messages") or [{}]
        done = sum(message.get("role") == "tool" for message in messages)
        if body.get("tools") and (done or ERRAND in str(messages[-1].get("content"))):
            name, arguments = STEPS[min(done, len(STEPS) - 1)]
            return tool_call(name, **arguments)
        words = next(answers)
        reply = tool_call("say", text=words) if body.get("tools") else text(words)
        return _EitherReply(content=reply.content, tool_calls=reply.tool_calls)

    with ScriptedModelServer(handler=answer) as server:
        print(server.port, flush=True)
        for _line in sys.stdin:
            asked = [(request.arrived, request.body) for request in server.requests]
            server.requests.clear()
            print(json.dumps(asked), flush=True)


if __name__ == "__main__":
    _serve()
