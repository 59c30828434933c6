"""
DANGEROUS tools that wait for a keeper's word, on `script.db.confirmations`.

A request keeps the call, and those whose words led to it: when a keeper agrees, it runs at the word
of all of them, with the rights that each of them has then. Nobody agrees to what is old: a request
expires.

"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import ToolRefused
from ..memory.attribute_store import AttributeStore
from ..mind.audience import stored
from ..mind.entry import timestamp_of, when_of
from ..mind.percept import Percept
from .percepts import percept_from, plain_percept

#: Seconds for which a request waits.
WAITS = 900.0
#: Requests that wait at once.
MOST = 10


def repair_requests(raw: Any) -> tuple[list[Any], str | None]:
    """The sound requests of whatever is stored, and what was wrong, None if nothing was."""
    if not isinstance(raw, list):
        return [], "not a list"
    sound = [request for request in raw if _is_sound(request)]
    return sound, None if len(sound) == len(raw) else "holding broken requests"


def _is_sound(request: Any) -> bool:
    try:
        when_of(request["at"])
        return (
            isinstance(request["id"], int)
            and isinstance(request["tool"], str)
            and isinstance(request["arguments"], Mapping)
            and all(percept_from({"percept": heard}) for heard in request["percepts"])
        )
    except (KeyError, TypeError, ValueError):
        return False


class Confirmations:
    """
    What one NPC asked its keepers for.

    Args:
        script: Its AssistantScript.

    """

    def __init__(self, script: Any) -> None:
        self.script = script
        self.store = AttributeStore(script, "confirmations", list, repair=repair_requests)

    def ask(self, turn: Any, tool: str, arguments: Mapping[str, Any], reasoning: str) -> int:
        """
        Keep a request, stored before this returns.

        Args:
            turn: The turn it comes from.
            tool: The tool's name.
            arguments: Its checked arguments.
            reasoning: What the model says of it.

        Returns:
            Its number; that of an equal one which waits already.

        Raises:
            ToolRefused: If too many wait.

        """
        waiting = self.waiting()
        for request in waiting:
            if request["tool"] == tool and request["arguments"] == dict(arguments):
                return int(request["id"])
        if len(waiting) >= MOST:
            raise ToolRefused("Your keepers have not answered what you asked before; not now.")
        number = max((request["id"] for request in self.store.data), default=0) + 1
        self.store.data.append(
            {
                "id": number,
                "at": timestamp_of(turn.agent.now()),
                "tool": tool,
                "arguments": dict(arguments),
                "reasoning": reasoning[:300],
                "percepts": [plain_percept(percept) for percept in turn.percepts],
                "audience": stored(turn.material.audience()),
            }
        )
        self._write()
        return number

    def waiting(self) -> list[dict[str, Any]]:
        """The requests nobody has answered and that have not expired, oldest first."""
        oldest = self.script.agent.now() - WAITS
        live = [request for request in self.store.data if when_of(request["at"]) > oldest]
        # The newest stays, expired or not, so that no number is given twice.
        kept = live or self.store.data[-1:]
        if len(kept) != len(self.store.data):
            self.store.data[:] = kept
            self._write()
        return [request for request in live if not request.get("answered")]

    def take(self, number: int) -> dict[str, Any]:
        """
        Take a request out, to run or to refuse it.

        Raises:
            KeyError: If none of that number waits.

        """
        for request in self.waiting():
            if request["id"] == number:
                request["answered"] = True
                self._write()
                return request
        raise KeyError(number)

    def _write(self) -> None:
        self.store.touch()
        self.store.save()


def heard_before(request: Mapping[str, Any]) -> list[Percept]:
    """The lines that led to a request."""
    found = [percept_from({"percept": heard}) for heard in request["percepts"]]
    return [percept for percept in found if percept is not None]
