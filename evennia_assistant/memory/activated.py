"""
Which memories came to an NPC's mind lately, newest first.

Kept in the process alone: after a restart nothing is on its mind, and nothing is lost by that.

"""

from __future__ import annotations

from collections.abc import Iterable

#: Memories kept, and seconds after which one is no longer on its mind.
MOST = 10
LASTS = 30 * 60.0


class Activated:
    """The memories one NPC recalled lately."""

    def __init__(self) -> None:
        self._when: dict[str, float] = {}

    def note(self, ids: Iterable[str], now: float) -> None:
        """
        Take down that memories were recalled.

        Args:
            ids: As the index names them, the best first.
            now: UTC seconds since the epoch.

        """
        for name in reversed(list(ids)):
            self._when.pop(name, None)
            self._when[name] = now
        while len(self._when) > MOST:
            del self._when[next(iter(self._when))]

    def newest(self, now: float) -> list[str]:
        """Ids of what is still on its mind, the last recalled first."""
        return [name for name, when in reversed(self._when.items()) if now - when < LASTS]
