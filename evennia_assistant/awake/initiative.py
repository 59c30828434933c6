"""
Speaking up without having been spoken to.

While a player is near, an NPC with the option `initiative` looks now and then whether there is
something to speak up about (`awake.occasions`) and whether it may (`mind.initiative`). The attempt
is counted and stored before the model is asked; then the NPC takes a turn of its own accord, which
may as well end in nothing. Where nobody is near it does not even look.

"""

from __future__ import annotations

from collections.abc import Generator
from functools import cached_property
from typing import Any

from evennia.utils import logger
from twisted.internet.defer import CancelledError, Deferred, inlineCallbacks
from twisted.python.failure import Failure

from ..errors import AssistantError, EmptyAnswer, ModelAnswerError
from ..llm.offline import MODEL as OFFLINE_MODEL
from ..memory.attribute_store import AttributeStore
from ..memory.initiative_log import InitiativeLog
from ..mind.errand import errand_of
from ..mind.goal_tree import Goal
from ..mind.initiative import Chance, Decision, Limits, decide, open_again
from ..mind.percept import SPOKEN, Percept
from ..mind.phrases import HOUR
from . import occasions, outcome
from .decomposing import decompose_goal, was_tried
from .dropped import TurnDropped
from .models import has_model
from .turn import Turn

#: Seconds between two looks for something to speak up about, while the same players are near.
LOOK_EVERY = 30.0


class Initiative:
    """
    The speaking up of one NPC.

    Args:
        agent: Its `Agent`.

    """

    def __init__(self, agent: Any) -> None:
        self.agent = agent
        self.running: Deferred[Any] | None = None
        self._look_at = 0.0
        self._looked_at: frozenset[str] = frozenset()
        self.read_options()

    def read_options(self) -> None:
        """Take in the options that are read once; after a start, and when one was changed."""
        option = self.agent.option
        self.wanted = bool(option("initiative"))
        self.limits = Limits(option("initiative_per_day"), option("initiative_gap_hours") * HOUR)
        self._look_at = 0.0

    @cached_property
    def log(self) -> InitiativeLog:
        """What is kept of it; an NPC that never speaks up never has one."""
        return InitiativeLog(self.agent.script)

    def stores(self) -> list[AttributeStore]:
        """What the next write has to take along."""
        return [self.log.store] if "log" in self.__dict__ else []

    # When ------------------------------------------------------------------------------------

    @property
    def due(self) -> bool:
        """Whether a tick would look for something; it costs no query and writes nothing."""
        if not self.wanted or self.running is not None:
            return False
        near = self._players()
        return bool(near) and (self.agent.now() >= self._look_at or not near <= self._looked_at)

    def heard(self, percept: Percept) -> None:
        """Whoever speaks has answered."""
        if not self.wanted or percept.speaker is None or percept.manner not in SPOKEN:
            return
        if self.log.answered(percept.speaker):
            self.agent.unsaved = True
            self._look_at = 0.0

    def tick(self) -> None:
        """Look whether there is something to speak up about, and begin if so."""
        if not self.due:
            return
        agent, now = self.agent, self.agent.now()
        self._looked_at, self._look_at = self._players(), now + LOOK_EVERY
        near = occasions.players_near(agent.npc)
        if not near:
            return
        decision = decide(
            now,
            present=[f"#{who.pk}" for who in near],
            attempts=self.log.attempts,
            awaiting=self.log.awaiting,
            chances=lambda: occasions.chances(agent, near, self.log.used),
            quiet=agent.asleep,
            busy=agent.runner.busy,
            limits=self.limits,
        )
        record = self.log.decided(decision, now)
        if decision.went:
            self.running = self._act(decision, record, now)
            self.running.addErrback(self._report)
            self.running.addBoth(self._ended)
            return
        if decision.gate in ("budget", "gap"):
            self._look_at = max(self._look_at, open_again(self.log.attempts, self.limits))
        if self.log.store.dirty:
            agent.unsaved = True

    def stop(self) -> None:
        """Break off what is going on; the attempt stays counted."""
        if self.running is not None:
            self.running.cancel()

    # What ------------------------------------------------------------------------------------

    @inlineCallbacks
    def _act(
        self, decision: Decision, record: dict[str, Any], now: float
    ) -> Generator[Deferred[Any], Any, None]:
        """Count the attempt, then make it."""
        agent, chance = self.agent, decision.chance
        assert chance is not None
        self.log.attempt(decision, now, self.limits)
        # Stored before anyone is asked: what a crash interrupts is not tried a second time.
        agent.npc.memory.save(self.log.store)
        turn: Turn | None = None
        why_not = ""
        try:
            yield self._broken_down(chance)
            found = self._still(chance)
            if isinstance(found, str):
                why_not = found
            else:
                turn = Turn.of_itself(agent, occasions.material_of(agent, found))
                yield agent.runner.run_own(turn)
        except EmptyAnswer:
            # Silence is one of the answers it may give.
            pass
        except (TurnDropped, CancelledError) as err:
            why_not = str(err) or "interrupted"
        except AssistantError as err:
            why_not = str(err)
            logger.log_warn(f"Assistant {agent.key} could not speak up: {err}")
        if agent.exists:
            self._settle(record, chance, turn, why_not)

    def _still(self, chance: Chance) -> Chance | str:
        """The chance as it stands after a wait, or why it has passed."""
        if not self.agent.active:
            return "switched off"
        if self.agent.runner.busy:
            return "somebody spoke first"
        return occasions.found_again(self.agent, chance, self.log.used) or "it was too late"

    @inlineCallbacks
    def _broken_down(self, chance: Chance) -> Generator[Deferred[Any], Any, None]:
        """See to it that a goal has its steps, once; an errand needs none."""
        goal = self._goal(chance.goal_id)
        if goal is None or chance.step_id != chance.goal_id or was_tried(goal):
            return
        if errand_of(goal["description"]) is not None or not has_model(self.agent.script):
            return
        try:
            yield decompose_goal(self.agent.script, goal["goal_id"])
        except ModelAnswerError as err:
            logger.log_warn(f"Assistant {self.agent.key}: {goal['goal_id']} has no steps. {err}")
        except ValueError as err:
            logger.log_warn(f"Assistant {self.agent.key}: {err}")

    def _settle(
        self, record: dict[str, Any], chance: Chance, turn: Turn | None, why_not: str
    ) -> None:
        """Keep what came of it, in one write."""
        agent = self.agent
        spoken = [line for line in turn.said if line["manner"] != "emote"] if turn else []
        reached = {who for line in spoken for who in line["hearers"]}
        self.log.settled(record, reached, said=bool(spoken), why_not=why_not[:300])
        if turn is not None and turn.material.occasion is not None:
            agent.after_turn(turn)
            outcome.store_turn(turn, why_not or None)
            step = self._goal(turn.material.occasion.get("goal_id"))
            if spoken and step is not None and step["status"] == "active":
                self._spoke_about(step, turn)
        agent.npc.memory.save(agent.turns.store, self.log.store, *agent.executions.stores())

    def _spoke_about(self, step: Goal, turn: Turn) -> None:
        goals = self.agent.npc.memory.goals
        told = step["metadata"].get(occasions.TOLD)
        goals.change(
            step["goal_id"],
            metadata={occasions.TOLD: (told if isinstance(told, int) else 0) + 1},
        )
        # The offline brain speaks up to do an errand, and with its words the errand is done.
        if turn.model == OFFLINE_MODEL:
            goals.change(step["goal_id"], status="completed", outcome="said it")

    def _goal(self, goal_id: Any) -> Goal | None:
        for goal in self.agent.npc.memory.goals.all:
            if goal["goal_id"] == goal_id:
                found: Goal = goal
                return found
        return None

    def _players(self) -> frozenset[str]:
        known = self.agent.known_present.items()
        return frozenset(who for who, kind in known if kind == "player")

    def _report(self, failure: Failure) -> None:
        if not failure.check(CancelledError):
            self.agent.log_failure("speaking up", failure)

    def _ended(self, _result: Any) -> None:
        self.running = None
