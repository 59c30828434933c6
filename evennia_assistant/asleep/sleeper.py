"""
A sleeping NPC between two ticks: what it hears, and the step of its night that runs.

One step runs at a time, and `at_tick` does not wait for it: a Deferred given to Evennia's ticker
holds up everyone else's. Someone who may wake the NPC waits until the phase or the step is over;
from then on the steps follow each other without the pause of a tick.

"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from ..awake import emergency, speech
from ..conf import setting
from ..mind.classification import Classification
from ..mind.percept import CONFIDENTIAL, Percept
from ..mind.schedule import turns_to_sleeper
from . import modes
from .night import COMPACTING
from .turnstile import its_turn

#: Seconds one step of the night may take, its model calls included.
STEP_TIMEOUT = 600.0
#: Seconds between two steps while somebody waits for the NPC to wake.
HURRY = 1.0
#: Speakers one sleep remembers to have told that it sleeps.
MAX_TOLD = 200


def run_cycle(script: Any, character: Any) -> Deferred[Any]:
    """One tick of the night; see `asleep.cycle`."""
    # The steps of a night import what only a night needs.
    from .cycle import run_sleep_tick

    return run_sleep_tick(script, character)


class Sleeper:
    """
    The sleeping side of one NPC's mind.

    Args:
        agent: The NPC's `Agent`.

    """

    def __init__(self, agent: Any) -> None:
        self.agent = agent
        #: The step that runs now.
        self.running: Deferred[Any] | None = None
        #: Steps that failed one after the other, tonight and since the server started.
        self.failures = 0
        self._stopped = False
        self._next: Any = None

    def begin(self) -> None:
        """A new sleep, or none any more: earlier failures are of another night."""
        self.failures = 0

    @property
    def gave_up(self) -> bool:
        """Whether so many steps failed in a row that the rest of the night is left undone."""
        return self.failures >= self.agent.option("max_consecutive_errors")

    @property
    def must_finish(self) -> bool:
        """Whether the NPC may not wake yet: it is compacting, or a step runs."""
        if self.gave_up:
            return False
        if not self.agent.active:
            # Nobody takes the next step of one that is switched off.
            return self.running is not None
        return self.running is not None or self.agent.script.db.sleep_phase == COMPACTING

    # Ticks --------------------------------------------------------------------------------------

    def tick(self) -> None:
        """Wake if it is time, else take the next step of the night unless one runs."""
        if self.rouse() or self.running is not None or self.gave_up:
            return
        running = self.running = its_turn(self.agent.clock)
        running.addCallback(self._go_on)
        running.addTimeout(STEP_TIMEOUT, self.agent.clock)
        running.addBoth(self._ended)

    def _go_on(self, _turn: Any) -> Deferred[Any] | None:
        # It may have been woken, or switched off, while it waited for its turn.
        if self._stopped or not (self.agent.asleep and self.agent.active):
            return None
        script = self.agent.script
        return run_cycle(script, script.character)

    def rouse(self) -> bool:
        """
        Wake if there is something to wake for; what must be finished before is hurried.

        Returns:
            Whether the NPC is awake now.

        """
        should, reason, deferred = modes.check_wake_conditions(self.agent.script)
        if should:
            return modes.perform_wake_transition(self.agent.script, reason)
        if deferred and self.running is None and self._next is None:
            self._next = self.agent.clock.callLater(HURRY, self._hurried)
        return False

    def stop(self) -> None:
        """Break off the step that runs; its cursor stands where the last one left it."""
        self._stopped = True
        if self._next is not None and self._next.active():
            self._next.cancel()
        if self.running is not None:
            self.running.cancel()

    def _hurried(self) -> None:
        self._next = None
        if self.agent.asleep and self.agent.active:
            self.tick()

    def _ended(self, result: Any) -> None:
        self.running = None
        if self._stopped:
            return
        if isinstance(result, Failure):
            self._failed(result)
            return
        self.failures = 0
        if self.agent.asleep and self.agent.active:
            self.rouse()

    def _failed(self, failure: Failure) -> None:
        self.failures += 1
        self.agent.log_failure("a step of its night", failure)
        if self.gave_up:
            emergency.tell_keepers(
                f"Assistant {self.agent.key} leaves the rest of its night undone after "
                f"{self.failures} steps that failed; the log has the causes, the last a "
                f"{failure.type.__name__}. It goes on with it in its next sleep."
            )

    # Hearing ------------------------------------------------------------------------------------

    def hear(self, percept: Percept, decision: Classification) -> Classification:
        """
        Take in one line while asleep.

        What is not for the NPC it does not hear at all. What is, waits for its waking, and wakes
        it if it is urgent and the sleep light; else the speaker sees, once, that it sleeps.

        Args:
            percept: What was perceived.
            decision: What an NPC that is awake would do with it.

        Returns:
            The decision, as it turned out.

        """
        if decision.kind == "IGNORE":
            return decision
        if not turns_to_sleeper(decision.kind, decision.metadata):
            return replace(decision, kind="IGNORE", rule="asleep", reason="it sleeps")
        metadata = {**decision.metadata, "asleep": True}
        queued = self.agent.runner.add(percept, metadata)
        if not self.rouse():
            self._tell(percept)
        kept = "answers when it wakes" if queued else "has too many lines waiting"
        reason = f"{decision.reason}; it sleeps and {kept}"
        return replace(
            decision,
            kind="TRIGGER" if queued else "CONTEXT",
            reason=reason if self.agent.asleep else f"{decision.reason}, which woke it",
            metadata=metadata,
        )

    def _tell(self, percept: Percept) -> None:
        state = modes.sleep_state(self.agent.script)
        told = state.get("told") or []
        lines = setting("ASSISTANT_ASLEEP_LINES")
        who = percept.speaker
        if who in told or not lines or percept.speaker_kind != "player":
            return
        partner = self.agent.find(who) if who else None
        # On a channel nobody sees who sleeps where.
        if partner is None or percept.manner == "channel":
            return
        self.agent.script.db.sleep_state = {**state, "told": [*told, who][-MAX_TOLD:]}
        line = self.agent.rng.choice(list(lines))
        # Those who hear the line after the NPC are to hear it before they see this.
        self.agent.clock.callLater(0, self._show, line, who, percept.manner in CONFIDENTIAL)

    def _show(self, line: str, who: str, in_private: bool) -> None:
        npc, partner = self.agent.npc, self.agent.find(who)
        if self._stopped or npc is None or partner is None or not self.agent.asleep:
            return
        if partner.location == npc.location or in_private:
            speech.narrate(npc, line, only_to=partner if in_private else None)
