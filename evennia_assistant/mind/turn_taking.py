"""
When it is an NPC's turn to speak, and when it is not any more.

Three small ideas, each plain data with the clock as an argument:

- `Engagement`: whom an NPC is talking with. It lapses by idleness, by parting, and when the partner
  turns to somebody else.
- `Energy`: what makes NPCs come to rest. Only a human's line fills it; every line not spoken in
  answer to a human spends one, and none can be spoken at zero. With `n` NPCs of full energy `N`
  there are at most `n * N` such lines after the last human word, whatever the NPCs want.
- `Cooldowns`: how soon a turn may start.

"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from evennia_assistant.mind.percept import SpeakerKind

#: Seconds of silence after which a conversation is over.
IDLE_SECONDS = 60.0

#: Lines one NPC may speak to other NPCs between two human lines.
FULL_ENERGY = 2


@dataclass(frozen=True, slots=True)
class Engagement:
    """
    The conversations one NPC is in.

    Args:
        partners: Entity id of each partner and when words last went between them, in seconds since
            the epoch.

    """

    partners: Mapping[str, float] = field(default_factory=dict)

    def exchanged(self, partner: str, now: float) -> Engagement:
        """The engagement after words between the NPC and `partner`."""
        return Engagement({**self.partners, partner: now})

    def parted(self, *entities: str) -> Engagement:
        """
        The engagement without these entities.

        They left the room, or turned to somebody else. When the NPC itself leaves, its engagement
        is simply a new `Engagement()`.
        """
        return Engagement({key: at for key, at in self.partners.items() if key not in entities})

    def current(self, now: float, idle_seconds: float = IDLE_SECONDS) -> frozenset[str]:
        """Everyone the NPC is in conversation with at this moment."""
        return frozenset(key for key, at in self.partners.items() if now - at <= idle_seconds)

    def pruned(self, now: float, idle_seconds: float = IDLE_SECONDS) -> Engagement:
        """The engagement without conversations that have lapsed, so that it cannot grow."""
        alive = self.current(now, idle_seconds)
        return Engagement({key: at for key, at in self.partners.items() if key in alive})

    def as_dict(self) -> dict[str, float]:
        """The engagement as JSON-able data."""
        return dict(self.partners)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Engagement:
        """
        The engagement that `as_dict` described.

        Raises:
            ValueError: If a time is not a number.
        """
        return cls({str(key): float(at) for key, at in data.items()})


@dataclass(frozen=True, slots=True)
class Energy:
    """
    How many more lines an NPC may speak before a human speaks again.

    Args:
        level: Lines left.
        full: What a human's line fills it to.

    """

    level: int = 0
    full: int = FULL_ENERGY

    def heard(self, kind: SpeakerKind) -> Energy:
        """The energy after hearing a line: full again if a player spoke, else unchanged."""
        return Energy(self.full, self.full) if kind == "player" else self

    def allows(self, to: SpeakerKind | None) -> bool:
        """
        Whether the NPC may speak now.

        Args:
            to: What the line answers: a kind of speaker, None when it speaks unasked.

        Returns:
            Always True towards a player, whose own line paid for the answer.
        """
        return to == "player" or self.level > 0

    def spoke(self, to: SpeakerKind | None) -> Energy:
        """
        The energy after a line was spoken.

        Args:
            to: As for `allows`.

        Raises:
            ValueError: If that line was not allowed.
        """
        if to == "player":
            return self
        if self.level <= 0:
            raise ValueError("no energy left: a line to no player needs `allows` to be True")
        return Energy(self.level - 1, self.full)


class Cooldowns:
    """
    How soon a turn may start, for each NPC and for each player talking to it.

    Args:
        clock: Returns the time in seconds; it need not be the wall clock.
        npc_seconds: Least time between the starts of two turns of one NPC.
        player_seconds: Least time between two turns one player causes, at whatever NPC.

    """

    def __init__(
        self,
        clock: Callable[[], float],
        npc_seconds: float = 1.0,
        player_seconds: float = 0.5,
    ) -> None:
        self._clock = clock
        self._npc_seconds = npc_seconds
        self._player_seconds = player_seconds
        self._npcs: dict[str, float] = {}
        self._players: dict[str, float] = {}

    def wait(self, npc: str, player: str | None = None) -> float:
        """Seconds until a turn may start; 0.0 means now."""
        now = self._clock()
        until_npc = self._npcs.get(npc, now) - now
        until_player = self._players.get(player, now) - now if player is not None else 0.0
        return max(0.0, until_npc, until_player)

    def start(self, npc: str, player: str | None = None) -> None:
        """Note that a turn starts now."""
        now = self._clock()
        self._forget(now)
        self._npcs[npc] = now + self._npc_seconds
        if player is not None:
            self._players[player] = now + self._player_seconds

    def _forget(self, now: float) -> None:
        """Drop what is over, so that the books never outgrow the last cooldown's traffic."""
        for book in (self._npcs, self._players):
            for key in [key for key, ready in book.items() if ready <= now]:
                del book[key]


def chosen_answerer(line: str, candidates: Iterable[str]) -> str | None:
    """
    The one who answers a line that was addressed to everybody.

    Every candidate works out the same answer from the same line without asking the others, and over
    many lines each gets its share.

    Args:
        line: The words.
        candidates: Entity ids of the assistants present.

    Returns:
        One of the candidates, None when there are none.

    """

    def lot(candidate: str) -> bytes:
        return hashlib.blake2b(f"{candidate}\0{line}".encode(), digest_size=8).digest()

    return min(candidates, key=lot, default=None)
