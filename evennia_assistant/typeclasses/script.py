"""
The AssistantScript: the clock and the configuration of one NPC's mind.

One script belongs to one character. It carries the tag `ai_assistant:<key>` (category `system`),
its options under their documented names, and the state that must survive a restart. A ticker
calls `at_tick` every few seconds; that is the fallback and the heartbeat, while an addressed line
is answered at once.

Everything here runs on the reactor thread. `at_tick` only starts work and returns None: a
Deferred returned to Evennia's ticker would hold up every other subscriber of the same interval.

"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from evennia.scripts.scripts import DefaultScript
from evennia.scripts.tickerhandler import TICKER_HANDLER
from evennia.utils import logger, search
from twisted.python.failure import Failure

from ..asleep.forgetting import resume_forgetting
from ..asleep.modes import check_sleep_schedule
from ..awake import memory_trouble
from ..awake.agent import Agent
from ..conf import setting
from ..llm import client
from ..memory import semantic
from ..memory.attribute_store import save_together
from ..memory.attribute_value import attribute_value, know
from ..memory.retention import flush_hits
from ..mind.schedule import SCHEDULE_DEFAULTS
from .options import INSIDE, OPTIONS, AssistantOptions, read_option

TAG_CATEGORY = "system"
TICKER_ID = "evennia_assistant"
#: Seconds over which the NPCs of a game fall asleep at one hour: with every change of a ticker
#: Evennia writes all tickers anew.
NIGHTFALL = 60.0

#: What every start reads of a script.
_READ_AT_START = (
    *("assistant_key", "character_dbref", "enabled", "operating_mode", "tick_rate", "channels"),
    *("cooldown", "player_cooldown", "initiative", "initiative_per_day", "initiative_gap_hours"),
    *("memory_enabled", "memory_links", "pending_events", "forgetting"),
)


def tag_for(assistant_key: str) -> str:
    """The tag by which the script of an assistant is found."""
    return f"ai_assistant:{assistant_key}"


def _forgetting_broke(failure: Failure) -> None:
    logger.log_err(f"Assistant memory: forgetting broke.\n{failure.getTraceback()}")


def get_assistant_script(assistant_key: str) -> AssistantScript | None:
    """The script of an assistant by its key, None when there is none; the documented lookup."""
    found = search.search_script_tag(key=tag_for(assistant_key), category=TAG_CATEGORY)
    return found[0] if found else None


class AssistantScript(DefaultScript):
    """
    Drives the mind of one NPC.

    Attributes of `db` are the options of `typeclasses.options` and, besides: `assistant_key`,
    `character_dbref`, `enabled`, `operating_mode`, `emergency_stop`, `consecutive_errors`,
    `pending_events`, `turn_log`, `initiative_state`, `channels`, `execution_config`,
    `last_compaction`; of its sleep (`asleep.modes`) `sleep_schedule`, `sleep_phase`, `sleep_state`,
    `awake_since`, `wake_cooldown_until`, `schedule_disabled_by`; of its prompts
    (`prompts.registry`) `prompt_overrides`, `applied_template`, `system_prompt`,
    `system_prompt_native`.

    """

    # Creation and start ------------------------------------------------------------------------

    def at_script_creation(self) -> None:
        """Set every documented default; values given to `create_script` are applied after it."""
        self.interval = 0
        self.persistent = True
        self.desc = "The mind of an NPC (evennia_assistant)."
        defaults: dict[str, Any] = {
            "assistant_key": None,
            "character_dbref": None,
            "enabled": False,
            "operating_mode": "awake",
            "sleep_phase": None,
            "sleep_schedule": {"enabled": SCHEDULE_DEFAULTS["enabled"]},
            "emergency_stop": False,
            "consecutive_errors": 0,
            "channels": {},
            "applied_template": "default",
            "last_compaction": None,
        }
        for name, (_desc, _kind, default) in OPTIONS.items():
            inside = INSIDE.get(name)
            if inside is None:
                defaults[name] = default
            else:
                defaults.setdefault(inside, {})[name] = default
        defaults["llm_provider"] = setting("ASSISTANT_PROVIDER")
        self.attributes.batch_add(*defaults.items())

    def bind(self, assistant_key: str, character: Any) -> None:
        """
        Make this the mind of a character.

        Args:
            assistant_key: Unique key of the assistant.
            character: An object with `AssistantMixin`.

        """
        self.key = f"assistant_{assistant_key}"
        self.db.assistant_key = assistant_key
        self.db.character_dbref = f"#{character.pk}"
        self.tags.add(tag_for(assistant_key), category=TAG_CATEGORY)
        character.db.assistant_key = assistant_key
        character.forget_assistant_script()

    def at_start(self, **kwargs: Any) -> None:
        """Make the mind anew and see to the ticker; after creation, reload and cold start."""
        # Evennia may start a script twice in a row; two minds would answer one line twice.
        self._stop_agent("started anew")
        if not self.db.enabled:
            return
        npc = self.character
        if npc is None:
            if self.db.character_dbref:
                logger.log_err(
                    f"Assistant {self.db.assistant_key}: its character {self.db.character_dbref} "
                    "is gone. Bind it to another with aisetup/init, or remove it with "
                    f"'aisetup/delete {self.db.assistant_key}'."
                )
            self._remove_tickers()
            return
        self.ensure_ticker()
        memory_trouble.watch()
        npc.memory.prepare()
        self._open_channels()
        self.agent.runner.wake()

    def at_server_start(self) -> None:
        """Evennia calls this for every script after a reload and after a cold start."""
        know(self, *_READ_AT_START)
        self.at_start()
        # What was to be forgotten is, whether the NPC is switched on or not.
        resume_forgetting(self).addErrback(_forgetting_broke)

    def at_server_reload(self) -> None:
        """Break off calls in flight and store what is not stored."""
        self._keep_hits()
        self._stop_agent("reload")
        client.shutdown_all()
        semantic.shutdown()

    def at_server_shutdown(self) -> None:
        """As for a reload."""
        self._keep_hits()
        self._stop_agent("shutdown")
        client.shutdown_all()
        semantic.shutdown()

    def at_script_delete(self) -> bool:
        """Leave no ticker and no half-finished turn behind; the character keeps its memory."""
        self._stop_agent("deleted")
        self._remove_tickers()
        npc = self.character
        if npc is not None:
            npc.attributes.remove("assistant_key")
            npc.forget_assistant_script()
        return True

    # Switching on and off ----------------------------------------------------------------------

    def enable(self) -> None:
        """Begin to hear and answer, in the mode it was in."""
        self.db.enabled = True
        self.at_start()
        if self.db.awake_since is None:
            self.db.awake_since = self.agent.now()

    def disable(self) -> None:
        """Hear and answer nothing until enabled again; nothing is forgotten."""
        self._stop_agent("stopped")
        self.db.enabled = False
        self._remove_tickers()

    @contextmanager
    def mind_stopped(self, reason: str) -> Iterator[None]:
        """
        Within the block the NPC has no turn under way and nothing in mind that is not stored.

        Lines that wait for an answer stay queued. Afterwards the mind is made anew.

        Args:
            reason: For the log.

        """
        model = None if self.ndb.agent is None else self.ndb.agent.model
        self._stop_agent(reason)
        try:
            yield
        finally:
            self.at_start()
            if self.db.enabled:
                self.agent.model = model

    def option(self, name: str) -> Any:
        """The value of an option, its default when it was never set."""
        return read_option(self, name)

    def set_option(self, name: str, value: str) -> Any:
        """
        Set an option as somebody typed it.

        Returns:
            The value as stored.

        Raises:
            ConfigError: If there is no such option or the value does not fit.

        """
        stored = AssistantOptions(self).change(name, value)
        if name in ("tick_rate", "tick_rate_sleep") and self.db.enabled:
            self.ensure_ticker()
        if name in ("cooldown", "player_cooldown") and self.ndb.agent is not None:
            self.ndb.agent.runner.read_options()
        if name.startswith("initiative") and self.ndb.agent is not None:
            self.ndb.agent.initiative.read_options()
        return stored

    # The mind ----------------------------------------------------------------------------------

    @property
    def agent(self) -> Agent:
        """The mind as it runs now; made when it is first asked for after a start."""
        agent: Agent | None = attribute_value(self.nattributes, "agent")
        if agent is None:
            agent = self.ndb.agent = Agent(self, clock=self.ndb.assistant_clock)
        return agent

    @property
    def character(self) -> Any:
        """The NPC, None when it was deleted."""
        dbref = attribute_value(self.attributes, "character_dbref")
        if not dbref:
            return None
        npc = attribute_value(self.nattributes, "character")
        if npc is None or npc.pk is None or f"#{npc.pk}" != dbref:
            found = search.search_object(dbref)
            npc = self.ndb.character = found[0] if found else None
        return npc

    def at_tick(self, **kwargs: Any) -> None:
        """
        The heartbeat: 5 s awake, 60 s asleep.

        An NPC with nothing to do costs a look at two lists and its hours of sleep. The work of
        those that have something is spread over the interval by a share fixed to each, so that a
        thousand NPCs do not all begin in the same instant. Asleep, that work is a step of the
        night (`asleep.sleeper`).

        """
        agent = attribute_value(self.nattributes, "agent")
        if agent is None or agent.tick_scheduled:
            return
        if agent.asleep or agent.has_work:
            agent.tick_within(self.option(self._rate_name()))
        elif check_sleep_schedule(self)[0]:
            agent.tick_within(NIGHTFALL)

    @property
    def conversation_history(self) -> list[dict[str, Any]]:
        """
        All lines of all conversations in order, as chat-completion messages; for keepers.

        The documented `db.conversation_history`. It is made from `db.working_memory` of the
        character, which keeps the lines, and holds what was said in confidence as well.

        """
        npc = self.character
        return [] if npc is None else npc.memory.working.history()

    @property
    def reflection_state(self) -> Any:
        """The character's reflection state, where the documented functions look for it."""
        npc = self.character
        return None if npc is None else npc.db.reflection_state

    def ensure_ticker(self) -> None:
        """
        One ticker at the rate of the mode, and no other.

        Not to be called from `at_tick` itself: Evennia takes a ticker's subscriber out of its list
        while it calls it.

        """
        rate = self.option(self._rate_name())
        if self._tickers() != [rate]:
            self._remove_tickers()
            TICKER_HANDLER.add(
                interval=rate, callback=self.at_tick, idstring=TICKER_ID, persistent=True
            )

    # Within --------------------------------------------------------------------------------------

    def _rate_name(self) -> str:
        return "tick_rate" if self.db.operating_mode != "sleep" else "tick_rate_sleep"

    def _tickers(self) -> list[int]:
        """Intervals of the tickers that call this script."""
        return [
            interval
            for interval, subscribed in TICKER_HANDLER.all().items()
            for _args, kwargs in subscribed.values()
            if kwargs.get("_obj") is self and kwargs.get("_callback") == "at_tick"
        ]

    def _remove_tickers(self) -> None:
        for interval in self._tickers():
            TICKER_HANDLER.remove(
                interval=interval, callback=self.at_tick, idstring=TICKER_ID, persistent=True
            )

    def _keep_hits(self) -> None:
        """Store how often memories were recalled since the last night."""
        npc = self.character
        if npc is not None:
            save_together([*flush_hits(self, npc), *npc.memory.facts.stores()])

    def _stop_agent(self, reason: str) -> None:
        agent, self.ndb.agent = self.ndb.agent, None
        if agent is not None:
            agent.stop(reason)

    def _open_channels(self) -> None:
        """Evennia sends a channel's lines to connected accounts only, unless the channel says."""
        for name in self.db.channels or {}:
            channel = self.agent.channel(name)
            if channel is not None:
                channel.send_to_online_only = False
