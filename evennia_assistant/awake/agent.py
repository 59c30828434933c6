"""
The awake mind of one NPC, as long as the server runs.

An `Agent` lives in `script.ndb` and is made anew at every start. What must survive stands in
Attributes: the queue and the trace on the script, the memory on the character.

"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from evennia.comms.models import ChannelDB
from evennia.objects.models import ObjectDB
from evennia.utils import logger
from twisted.internet import reactor as default_reactor
from twisted.internet.defer import CancelledError, Deferred
from twisted.python.failure import Failure

from ..asleep import modes
from ..asleep.sleeper import Sleeper
from ..memory.attribute_value import attribute_value
from ..mind.audience import stored
from ..mind.classification import (
    Classification,
    ListenerState,
    engagement_after,
)
from ..mind.entry import when_of
from ..mind.percept import Percept, SpeakerKind
from ..mind.turn_taking import Energy, Engagement
from . import listening, outcome, paging
from .compaction import compact_conversation_history
from .confirmation import Confirmations
from .crowded import is_any_crowded
from .execution_log import ExecutionLog
from .initiative import Initiative
from .models import OFFLINE, has_model, model_for
from .runner import TurnRunner
from .trace import TurnLog
from .turn import Turn

#: Decisions kept for `aiinteract/whynot`.
DECISIONS = 40
#: Seconds after which an NPC that lies down looks again whether its turn is over.
LOOK_AGAIN = 0.5


class Agent:
    """
    What an NPC hears, decides and answers.

    Args:
        script: Its AssistantScript.
        clock: Anything with `callLater` and `seconds`; None is the reactor.

    """

    def __init__(self, script: Any, clock: Any = None) -> None:
        self.script = script
        self.clock = clock or default_reactor
        self.key = script.db.assistant_key
        self.rng = random.Random(self.key)
        #: What answers; None asks the provider the options name.
        self.model: Any = None
        self.turns = TurnLog(script)
        self.executions = ExecutionLog(script)
        self.confirmations = Confirmations(script)
        #: Provider and model that were asked last.
        self.asked: tuple[str | None, str | None] = (None, None)
        self.decisions: deque[tuple[Percept, Classification]] = deque(maxlen=DECISIONS)
        self.energy = Energy()
        self.engagement = Engagement()
        self.known_present: dict[str, SpeakerKind] = {}
        self._overheard: list[Percept] = []
        #: Whether turns left something behind that the next tick has to store.
        self.unsaved = False
        #: Where in the tick interval this NPC works, 0 to 1.
        self.share = self.rng.random()
        self.tick_scheduled = False
        self._compacting: Deferred[Any] | None = None
        self.runner = TurnRunner(self)
        self.initiative = Initiative(self)
        self.sleeper = Sleeper(self)
        self.look_around()
        self._resume_conversations()

    # Who and when ----------------------------------------------------------------------------

    def now(self) -> float:
        """UTC seconds since the epoch."""
        return float(self.clock.seconds())

    def option(self, name: str) -> Any:
        """The value of one of the NPC's options."""
        return self.script.option(name)

    @property
    def npc(self) -> Any:
        """The character this mind belongs to, fetched anew; None when it is gone."""
        return self.script.character

    @property
    def npc_id(self) -> str:
        """The entity id of the character."""
        return str(attribute_value(self.script.attributes, "character_dbref"))

    @property
    def exists(self) -> bool:
        """Whether script and character are both still there."""
        return bool(self.script.pk) and self.npc is not None

    @property
    def active(self) -> bool:
        """Whether the NPC hears and answers at all."""
        held = self.script.attributes
        return bool(
            self.exists
            and attribute_value(held, "enabled")
            and not attribute_value(held, "emergency_stop")
        )

    @property
    def asleep(self) -> bool:
        """Whether the NPC sleeps."""
        return modes.mode_of(self.script) == "sleep"

    @property
    def in_conversation(self) -> bool:
        """Whether somebody talks with the NPC, or waits for its answer."""
        partners = self.engagement.current(self.now(), self.option("engagement_seconds"))
        return bool(partners or self.runner.events.data)

    def find(self, who: str) -> Any:
        """The object with an entity id, None when it is gone."""
        pk = who.lstrip("#")
        # The manager asks the database even for what is in Evennia's cache, several times a turn.
        kept = ObjectDB.get_cached_instance(int(pk)) if pk.isdigit() else None
        return kept if kept is not None and kept.pk else ObjectDB.objects.get_id(pk)

    def channel(self, name: str | None) -> Any:
        """A channel by name, None when there is none."""
        return ChannelDB.objects.filter(db_key__iexact=name).first() if name else None

    def ask(
        self,
        messages: list[dict[str, Any]],
        tools: list[dict[str, Any]] | None,
        *,
        model: str | None = None,
    ) -> Deferred[Any]:
        """
        Put a prompt before the model; fires with an `LLMResponse` or fails with `ModelError`.

        Args:
            messages: The prompt.
            tools: The schemas offered; None is none.
            model: Name of a model of the same provider in place of the NPC's own.

        """
        asked = self.model or model_for(self.script, model)
        self.asked = (asked.provider_name, asked.model)
        return asked.chat_completion(messages, tools=tools or None)

    def takes_tools(self) -> bool:
        """
        Whether the model is offered tools in its own form, rather than as text in the prompt.

        Raises:
            ConfigError: As `model_for` does.
            ModelAuthError: As `model_for` does.

        """
        model = self.model or model_for(self.script)
        wanted = self.option("native_tools")
        # The offline brain reads no prompt text, and so no tools in it.
        if wanted == "auto" or model.provider_name == OFFLINE:
            return bool(model.supports_tools)
        return bool(wanted == "true")

    def has_model(self) -> bool:
        """As `awake.models.has_model`."""
        return has_model(self.script)

    def page(self, turn: Turn, to: str, text: str) -> dict[str, Any]:
        """As `awake.paging.page`; tools, which stand below this layer, reach it here."""
        return paging.page(turn, to, text)

    def log_failure(self, what: str, failure: Failure) -> None:
        """Write a failure nobody foresaw into the log, with its traceback."""
        logger.log_err(f"Assistant {self.key}: {what} failed.\n{failure.getTraceback()}")

    # Hearing -----------------------------------------------------------------------------------

    def hear(self, percept: Percept, urgency: Mapping[str, Any] | None = None) -> Classification:
        """
        Take in one percept: answer it, remember it as heard in passing, or let it go.

        Args:
            percept: What was perceived.
            urgency: What the game says of it: `urgent`, `priority`; see `mind.schedule.is_urgent`.

        Returns:
            The decision.

        """
        self.energy = self.energy.heard(percept.speaker_kind)
        state = self.state()
        decision = listening.decide(percept, state)
        if urgency:
            decision = replace(decision, metadata={**decision.metadata, **urgency})
        if self.asleep:
            decision = self.sleeper.hear(percept, decision)
            self.decisions.append((percept, decision))
            return decision
        self.initiative.heard(percept)
        self.decisions.append((percept, decision))
        self.engagement = engagement_after(self.engagement, percept, decision, state)
        queued = decision.kind == "TRIGGER" and self.runner.add(percept, decision.metadata)
        if decision.kind != "IGNORE" and not queued:
            self._overheard.append(percept)
        return decision

    def state(self) -> ListenerState:
        """As `awake.listening.state_of`."""
        return listening.state_of(self)

    def given(self, thing: Any, giver: Any) -> None:
        """As `awake.listening.take_gift`."""
        self.unsaved |= listening.take_gift(self, thing, giver)

    def look_around(self) -> None:
        """Take in who is here, so that an arrival can be told from a departure."""
        self.known_present = listening.those_around(self.npc)

    def _resume_conversations(self) -> None:
        npc = self.npc
        if npc is None:
            return
        for who, record in npc.memory.working.store.data.items():
            self.engagement = self.engagement.exchanged(who, when_of(record["last_at"]))
        self.engagement = self.engagement.pruned(self.now())

    # Ticks and turns -------------------------------------------------------------------------

    @property
    def has_work(self) -> bool:
        """Whether a tick would do anything; it costs no query and writes nothing."""
        work = self.unsaved or bool(self._overheard) or self.runner.waiting
        return work or self.initiative.due

    def tick_within(self, seconds: float) -> None:
        """Do the work of a tick within so many seconds, at this NPC's own share of them."""
        self.tick_scheduled = True
        self.clock.callLater(self.share * seconds, self.tick)

    def tick(self) -> None:
        """The fallback: store what was overheard, start a turn that did not start, or sleep."""
        self.tick_scheduled = False
        if self.script.ndb.agent is not self or not self.exists:
            return
        self.save()
        if not self.active:
            return
        if self.asleep:
            self.sleeper.tick()
            return
        due, mode, reason = modes.check_sleep_schedule(self.script)
        if due:
            modes.transition_mode(self.script, mode, reason, by="schedule")
        else:
            self.runner.wake()
            self.initiative.tick()
            self.compact_when_crowded()

    def compact_when_crowded(self) -> None:
        """Begin to shorten a conversation that takes too much of the context, beside all else."""
        if self._compacting is not None or self.asleep:
            return
        if is_any_crowded(self.script, self.npc, self.now()):
            done = compact_conversation_history(self.script, self.npc)
            self._compacting = None if done.called else done
            done.addErrback(self._compaction_broke)
            done.addBoth(self._compacted)

    def _compaction_broke(self, failure: Failure) -> None:
        if not failure.check(CancelledError):
            self.log_failure("compaction", failure)

    def _compacted(self, _result: Any) -> None:
        self._compacting = None

    def save(self) -> None:
        """Store all that is not stored yet, in one transaction."""
        if self._overheard or self.unsaved:
            self.flush_context()
            self.npc.memory.save(
                self.turns.store, *self.executions.stores(), *self.initiative.stores()
            )
            self.unsaved = False

    def flush_context(self) -> None:
        """Take what was overheard into memory; the next save stores it."""
        heard, self._overheard = self._overheard, []
        if not heard:
            return
        for percept in heard:
            if percept.manner not in ("arrive", "leave"):
                outcome.remember_line(self.npc, percept, overheard=True)
        self.npc.memory.add_context(
            {
                "line": percept.line[:300],
                "manner": percept.manner,
                "source": percept.speaker,
                "audience": stored(percept.audience),
                "at": percept.when,
            }
            for percept in heard
        )

    def after_turn(self, turn: Turn) -> None:
        """Note what a turn means for the next one."""
        if not turn.said:
            return
        # Of itself an NPC turns to players only.
        kinds = {p.speaker_kind for p in turn.percepts} or {"player"}
        to = "player" if "player" in kinds else next(iter(kinds))
        if self.energy.allows(to):
            self.energy = self.energy.spoke(to)
        for who in turn.material.partners:
            self.engagement = self.engagement.exchanged(who, self.now())
        self.engagement = self.engagement.pruned(self.now())

    def go_to_bed(self) -> str | None:
        """
        Fall asleep of its own accord, once the turn that runs is over.

        Returns:
            Why not, None when it will unless somebody turns to it before.

        """
        hindered = modes.why_not_of_itself(self.script)
        if not hindered:
            self.clock.callLater(0, self._lie_down)
        return hindered

    def _lie_down(self) -> None:
        if self.script.ndb.agent is not self or not self.active:
            return
        if self.runner.turn is not None:
            self.clock.callLater(LOOK_AGAIN, self._lie_down)
            return
        hindered = modes.lie_down(self.script)
        if hindered:
            logger.log_info(f"Assistant {self.key} stays up: {hindered}")

    def stop(self, reason: str) -> None:
        """
        Break off the turn and store what is not stored yet; before a reload, and at the end.

        Args:
            reason: For the log.

        """
        self.sleeper.stop()
        self.runner.stop(reason)
        self.initiative.stop()
        if self._compacting is not None:
            self._compacting.cancel()
        if self.exists:
            self.save()
