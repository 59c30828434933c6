"""
When a turn begins.

A line that wants an answer starts a turn at once; the ticker is only the fallback. While an NPC
thinks, what is said to it waits and is answered together in its next turn, never in a second one
beside it. Queue and cooldowns are bounded: a flood costs memory of nothing and answers of little.

"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import Any

from evennia.utils import logger
from twisted.internet.defer import CancelledError, Deferred, inlineCallbacks
from twisted.python.failure import Failure

from ..conf import setting
from ..errors import AssistantError, ConfigError, ModelAuthError, ModelRequestError
from ..memory.attribute_store import AttributeStore
from ..mind.percept import Percept
from ..mind.turn_taking import Cooldowns
from . import emergency, outcome, speech
from .dropped import TurnDropped
from .percepts import percept_from, plain_percept
from .turn import Turn

#: Lines answered together in one turn.
GATHER = 8
#: Lines waiting for one NPC, and of those by one speaker; what is beyond is overheard only.
MAX_PENDING = 40
MAX_PENDING_EACH = 5
#: A line that waited longer than this many seconds is remembered and not answered any more.
ANSWER_WITHIN = 120.0
#: The same for one that was said to the NPC while it slept.
ANSWER_AFTER_SLEEP = 900.0


def repair_events(raw: Any) -> tuple[list[Any], str | None]:
    """The sound events of whatever is stored, and what was wrong, None if nothing was."""
    if not isinstance(raw, list):
        return [], "not a list"
    sound = [event for event in raw if isinstance(event, Mapping) and percept_from(event)]
    return sound, None if len(sound) == len(raw) else "holding events that cannot be read"


class TurnRunner:
    """
    The queue of one NPC and the turn it is in.

    Args:
        agent: The NPC's `Agent`.

    """

    def __init__(self, agent: Any) -> None:
        self.agent = agent
        self.events = AttributeStore(
            agent.script, "pending_events", list, repair=repair_events, sectioned=True
        )
        self.turn: Turn | None = None
        self._running: Deferred[Any] | None = None
        self._scheduled: Any = None
        self._thinking: Any = None
        self._apologised: set[str] = set()
        self._told_keepers: set[str] = set()
        self.read_options()

    def read_options(self) -> None:
        """Take in the options that are read once; after a start, and when one was changed."""
        self._cooldowns = Cooldowns(
            self.agent.now,
            npc_seconds=self.agent.option("cooldown"),
            player_seconds=self.agent.option("player_cooldown"),
        )

    # The queue --------------------------------------------------------------------------------

    def add(self, percept: Percept, metadata: Mapping[str, Any]) -> bool:
        """
        Queue a line that wants an answer. It is stored before this returns.

        Args:
            percept: The line.
            metadata: Of its classification.

        Returns:
            Whether there was room for it.

        """
        events = self.events.data
        by_same = sum(event["percept"].get("speaker") == percept.speaker for event in events)
        if len(events) >= MAX_PENDING or by_same >= MAX_PENDING_EACH:
            return False
        event = {"percept": plain_percept(percept), "metadata": dict(metadata)}
        events.append(event)
        self.events.touch(event)
        self.events.save()
        self.wake()
        return True

    @property
    def waiting(self) -> bool:
        """Whether lines wait and no turn is on its way."""
        return self.turn is None and self._scheduled is None and bool(self.events.data)

    @property
    def busy(self) -> bool:
        """Whether a turn is in flight, or somebody waits for one."""
        in_hand = self.agent.npc.ndb.assistant_turn is not None
        return self.turn is not None or in_hand or bool(self.events.data)

    def cooldown(self, player: str | None = None) -> float:
        """Seconds until a turn may begin, for anyone or for one player; 0.0 means now."""
        return self._cooldowns.wait(self.agent.npc_id, player)

    def wake(self) -> None:
        """See to it that a turn begins as soon as one may."""
        if self.turn is not None or self._scheduled is not None or not self.events.data:
            return
        if self.agent.asleep:
            return
        first = percept_from(self.events.data[0])
        delay = self._cooldowns.wait(self.agent.npc_id, first.speaker if first else None)
        self._scheduled = self.agent.clock.callLater(delay, self._begin)

    def stop(self, reason: str) -> None:
        """
        Break off whatever is going on; the lines stay queued.

        Args:
            reason: For the log.

        """
        if self._scheduled is not None and self._scheduled.active():
            self._scheduled.cancel()
        self._scheduled = None
        if self.turn is not None:
            self.turn.close(reason)
        if self._running is not None:
            self._running.cancel()

    @inlineCallbacks
    def run_own(self, turn: Turn) -> Generator[Deferred[Any], Any, None]:
        """
        Run a turn nobody spoke for; what is said meanwhile waits until it is over.

        Players see nothing of its failure, for nobody waits for an answer.

        Args:
            turn: From `Turn.of_itself`.

        Raises:
            TurnDropped: As `Turn.run` does.
            ModelError: As `Turn.run` does.

        """
        self._cooldowns.start(self.agent.npc_id)
        self.agent.flush_context()
        self.turn = turn
        self._running = turn.run()
        try:
            yield self._running
        finally:
            self.turn = self._running = None
            if not turn.closed and self.agent.exists:
                self.wake()

    # Turns ------------------------------------------------------------------------------------

    def _begin(self) -> None:
        self._scheduled = None
        if self.turn is not None or not self.agent.active or self.agent.asleep:
            return
        self._remember_unanswerable()
        percepts = [percept for _place, percept in self._matching()]
        if not percepts:
            return
        self._cooldowns.start(self.agent.npc_id, percepts[0].speaker)
        self.agent.flush_context()
        turn = self.turn = Turn(self.agent, percepts, number=self.agent.turns.next_number)
        self._running = self._run(turn)
        self._running.addErrback(self._report, turn)

    @inlineCallbacks
    def _run(self, turn: Turn) -> Generator[Deferred[Any], Any, None]:
        self._think_aloud_later(turn)
        failure: str | None = None
        error: AssistantError | None = None
        interrupted = False
        try:
            yield turn.run()
        except TurnDropped as err:
            failure = str(err)
            interrupted = turn.closed is not None
        except CancelledError:
            failure, interrupted = "interrupted", True
        except AssistantError as err:
            failure, error = str(err), err
        finally:
            self._stop_thinking()
            self.turn = self._running = None
        if interrupted or not self.agent.exists:
            # The lines stay queued: after a reload they are answered then.
            return
        if error is not None:
            self._fail(turn, error)
        elif turn.said:
            emergency.record_success(self.agent.script)
            self._apologised.clear()
            self._told_keepers.clear()
        self.agent.after_turn(turn)
        outcome.store_turn(turn, failure)
        self._drop(turn.percepts)
        # What was said stands in the journal in the same write in which it leaves the queue. The
        # rest can be written for many turns at once, with the next tick.
        self.agent.npc.memory.save_journal(self.events)
        self.agent.unsaved = True
        self.wake()

    def _report(self, failure: Failure, turn: Turn) -> None:
        # Whatever brought a turn down in a way nobody foresaw: its lines are remembered, the
        # cause stands in the log, and the NPC goes on.
        logger.log_err(f"Assistant {self.agent.key}: a turn broke.\n{failure.getTraceback()}")
        turn.close("broken")
        if not self.agent.exists:
            return
        emergency.record_error(self.agent.script, f"a turn broke: {failure.type.__name__}")
        self._remember(self._waiting_of(turn))
        self._apologise(turn)
        self.wake()

    def _matching(self) -> list[tuple[int, Percept]]:
        """The first line waiting and those that go with it, with their places in the queue."""
        key = None
        chosen: list[tuple[int, Percept]] = []
        for index, event in enumerate(self.events.data):
            percept = percept_from(event)
            if percept is None:
                continue
            mine = _kind_of_turn(percept)
            if key is None:
                key = mine
            if mine == key:
                chosen.append((index, percept))
            if len(chosen) >= GATHER:
                break
        return chosen

    def _waiting_of(self, turn: Turn) -> list[tuple[int, Percept]]:
        """The lines of a turn that still wait, with their places; not those that came meanwhile."""
        its = set(map(_known_by, turn.percepts))
        return [(place, line) for place, line in self._matching() if _known_by(line) in its]

    def _drop(self, answered: Sequence[Percept]) -> None:
        """Take lines out of the queue, and those that cannot be read with them."""
        gone = set(map(_known_by, answered))
        places = []
        for place, event in enumerate(self.events.data):
            percept = percept_from(event)
            if percept is None or _known_by(percept) in gone:
                places.append(place)
        self._remove(places)

    def _remove(self, indexes: list[int]) -> None:
        gone = [self.events.data.pop(index) for index in reversed(indexes)]
        if gone:
            self.events.touch(*gone)

    def _remember_unanswerable(self) -> None:
        """Lines whose speaker has gone, or waited too long, go into memory without an answer."""
        now, npc = self.agent.now(), self.agent.npc
        waiting = [
            (place, percept, _patience(event))
            for place, event in enumerate(self.events.data)
            if (percept := percept_from(event)) is not None
        ]
        self._remember(
            [
                (place, percept)
                for place, percept, patience in waiting
                if now - percept.when > patience or not self._within_earshot(percept, npc)
            ]
        )

    def _within_earshot(self, percept: Percept, npc: Any) -> bool:
        if percept.manner == "channel":
            return True
        speaker = self.agent.find(percept.speaker) if percept.speaker else None
        return speaker is not None and speaker.location == npc.location is not None

    def _remember(self, lines: Sequence[tuple[int, Percept]]) -> None:
        """Move lines from the queue into memory, in one write."""
        if not lines:
            return
        outcome.store_heard(
            self.agent.npc, [percept for _place, percept in lines], self.agent.now()
        )
        self._remove([place for place, _percept in lines])
        self.agent.npc.memory.save(self.events)

    # What players see while and when it goes wrong ------------------------------------------

    def _think_aloud_later(self, turn: Turn) -> None:
        def show() -> None:
            if self.turn is turn and not turn.said and self.agent.exists:
                self._narrate(turn, setting("ASSISTANT_THINKING_LINES"))

        self._thinking = self.agent.clock.callLater(self.agent.option("thinking_after"), show)

    def _stop_thinking(self) -> None:
        if self._thinking is not None and self._thinking.active():
            self._thinking.cancel()
        self._thinking = None

    def _fail(self, turn: Turn, error: AssistantError) -> None:
        """One line in the fiction for each player until it works again, the cause for the log."""
        stopped = emergency.record_error(self.agent.script, str(error))
        if not stopped and needs_a_keeper(error) and str(error) not in self._told_keepers:
            self._told_keepers.add(str(error))
            emergency.tell_keepers(f"Assistant {self.agent.key} cannot answer: {error}")
        self._apologise(turn)

    def _apologise(self, turn: Turn) -> None:
        new = [who for who in turn.material.speakers if who not in self._apologised]
        self._apologised.update(new)
        if new and not turn.said:
            self._narrate(turn, setting("ASSISTANT_FALLBACK_LINES"))

    def _narrate(self, turn: Turn, lines: Any) -> None:
        npc = self.agent.npc
        line = self.agent.rng.choice(list(lines))
        if turn.material.manner == "say":
            speech.narrate(npc, line)
            return
        for who in turn.material.speakers:
            partner = self.agent.find(who)
            if partner is not None and partner.location == npc.location:
                speech.narrate(npc, line, only_to=partner)


def needs_a_keeper(error: AssistantError) -> bool:
    """Whether an error will stay until somebody changes a key or an option."""
    return isinstance(error, ConfigError | ModelAuthError | ModelRequestError)


def _known_by(percept: Percept) -> tuple[Any, ...]:
    """What tells one line in the queue from another."""
    return percept.speaker, percept.when, percept.words


def _patience(event: Mapping[str, Any]) -> float:
    """Seconds for which a line that waits is worth an answer."""
    asleep = (event.get("metadata") or {}).get("asleep")
    return ANSWER_AFTER_SLEEP if asleep else ANSWER_WITHIN


def _kind_of_turn(percept: Percept) -> tuple[Any, ...]:
    """Lines with an equal one may be answered together: same place or channel, same circle."""
    if percept.manner == "channel":
        return ("channel", percept.channel)
    if percept.manner in ("whisper", "page") or percept.audience != "public":
        return ("private", percept.speaker, percept.manner, percept.audience)
    return ("open", percept.place)
