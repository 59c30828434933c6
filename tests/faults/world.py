"""
A game of one room, two players and one NPC, whose server can die and start a thousand times.

It stands in a database in memory of its own, so that nothing of it is left in the one other tests
use, and goes back to its beginning in a millisecond. What a new server process has, it has from
there and from semantic memory: every object is loaded anew, and the clock is another.

"""

from __future__ import annotations

import gc
import re
import sqlite3
from base64 import b64decode
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest import mock

from django.core.management import call_command
from django.db import connection
from evennia.accounts.models import AccountDB
from evennia.objects.models import ObjectDB
from evennia.objects.objects import DefaultCharacter, DefaultRoom
from evennia.scripts.models import ScriptDB
from evennia.scripts.tickerhandler import TICKER_HANDLER
from evennia.utils.create import create_account, create_object, create_script
from twisted.internet import defer
from twisted.internet.task import Cooperator

from evennia_assistant.llm.client import LLMConfig, UnifiedLLMClient
from evennia_assistant.memory import live_index, semantic
from evennia_assistant.testing import FakeClock, ScriptedModel
from evennia_assistant.typeclasses.character import AssistantCharacter
from evennia_assistant.typeclasses.script import AssistantScript

from ..game.standing import forget_objects
from .answering import answer
from .killing import Killed, Killer, MortalMemory

START = 1_780_000_000.0
KEY = "bram"
OPTIONS = {"llm_provider": "offline", "cooldown": "0", "player_cooldown": "0"}
#: What stands between two collections of what dead processes left.
RESTARTS_BETWEEN = 200

#: The tables of a game in which nothing is yet, made once for each process.
_empty_game: list[bytes] = []


class Stopped(BaseException):
    """The server is to go down in order, between two of the things it does."""


class Life(FakeClock):
    """The clock of one process; what was to come when it ended never comes."""

    #: Called before each thing that happens; may raise `Stopped`.
    before_each: Callable[[], None] = staticmethod(lambda: None)

    def advance(self, amount: float) -> None:
        """As `Clock.advance`."""
        self.rightNow += amount
        self._sortCalls()
        while self.calls and self.calls[0].getTime() <= self.seconds():
            self.step()

    def step(self) -> bool:
        """Let the next thing happen, whenever it is due; False when nothing is to come."""
        if not self.calls:
            return False
        self.before_each()
        self._sortCalls()
        call = self.calls[0]
        self.rightNow = max(self.rightNow, call.getTime())
        self.calls.pop(0)
        call.called = 1
        call.func(*call.args, **call.kw)
        return True


class World:
    """
    The game.

    Args:
        by_model: Whether a model answers and dreams, else the rules.
        max_entries: Live entries of its journal.

    Attributes:
        npc, script, players: As the process that runs has them.
        replies (list): What the NPC said aloud or in private since the world began.

    """

    def __init__(self, *, by_model: bool = False, max_entries: int = 40) -> None:
        self.killer = Killer()
        self.memory = MortalMemory(self.killer)
        self.life = Life(START)
        self.by_model = by_model
        self.replies: list[str] = []
        #: As `Life.before_each`, for every life.
        self.before_each: Callable[[], None] = lambda: None
        self.restarts = 0
        self._ids: dict[str, int] = {}
        self._start = START
        self._make(max_entries)
        self._template = sqlite3.connect(":memory:")
        connection.connection.backup(self._template)

    # The beginning ----------------------------------------------------------------------------

    def _make(self, max_entries: int) -> None:
        account = AccountDB.objects.filter(username="Everyone").first() or create_account(
            "Everyone", "everyone@localhost", "only for tests"
        )
        room = create_object(DefaultRoom, key="Quay", nohome=True)
        for name in ("Anna", "Tom"):
            player = create_object(DefaultCharacter, key=name, location=room, nohome=True)
            player.account = account
            self._ids[name] = player.pk
        npc = create_object(AssistantCharacter, key="Bram", location=room, nohome=True)
        script = create_script(AssistantScript, key=KEY)
        script.bind(KEY, npc)
        for option, value in OPTIONS.items():
            script.set_option(option, value)
        npc.memory.journal.store.data["max_entries"] = max_entries
        npc.memory.journal.store.touch()
        npc.memory.journal.store.save()
        self._ids.update(npc=npc.pk, script=script.pk)
        script.ndb.assistant_clock = self.life
        script.enable()
        script.at_server_shutdown()

    def remember_as_beginning(self) -> None:
        """Have the world begin here from now on."""
        connection.connection.backup(self._template)
        self._start = self.life.seconds()

    def begin_anew(self) -> None:
        """Everything as it was when the world was made, and the server started."""
        self._template.backup(connection.connection)
        self.memory.rows.clear()
        self.memory._faults.clear()
        self.memory._count = 0
        self.replies.clear()
        self.killer.at(None)
        self.killer.at_new_names(None)
        self.before_each = lambda: None
        self.life = Life(self._start)
        self.restart()

    # Lives ------------------------------------------------------------------------------------

    def restart(self) -> None:
        """Start the server: all there is comes from the database and from semantic memory."""
        self.killer.revive()
        self.restarts += 1
        if self.restarts % RESTARTS_BETWEEN == 0:
            gc.collect()
        connection.needs_rollback = False
        self.life = Life(self.life.seconds())
        self.life.before_each = self.before_each
        self.memory.live_on(self.life)
        life = self.life
        self.background = Cooperator(scheduler=lambda call: life.callLater(0, call)).coiterate
        _forget_tickers()
        forget_objects()
        TICKER_HANDLER.restore()
        self.script = ScriptDB.objects.get(pk=self._ids["script"])
        self.npc = ObjectDB.objects.get(pk=self._ids["npc"])
        self.players = {name: self._player(name) for name in ("Anna", "Tom")}
        read_attributes(self.script)
        read_attributes(self.npc)
        self.script.ndb.assistant_clock = self.life
        self.script.at_server_start()
        if self.by_model:
            self.script.agent.model = ScriptedModel(handler=self._answered, clock=self.life)
        else:
            self.script.agent.model = UnifiedLLMClient(LLMConfig("offline"), clock=self.life)

    def close_down(self, *, reload: bool = False) -> None:
        """Tell the server to stop, as `evennia stop` and `evennia reload` do, and start it."""
        if reload:
            self.script.at_server_reload()
        else:
            self.script.at_server_shutdown()
        self.restart()

    def _answered(self, asked: Any) -> Any:
        self.killer.passing("model asked", "before")
        return answer(asked)

    def _player(self, name: str) -> Any:
        player = ObjectDB.objects.get(pk=self._ids[name])
        send = player.msg

        def msg(text: Any = None, from_obj: Any = None, **kwargs: Any) -> Any:
            if from_obj is self.npc and name == "Anna":
                self.replies.append(str(text[0] if isinstance(text, tuple) else text))
            return send(text=text, from_obj=from_obj, **kwargs)

        player.msg = msg
        return player

    def do(self, action: Callable[[], Any]) -> None:
        """
        Do something in the process that runs.

        Raises:
            Killed: If it died of it, wherever that was caught.

        """
        action()
        if self.killer.dead:
            raise Killed

    # What is done in it -----------------------------------------------------------------------

    def say(self, who: str, words: str, *, whispered: bool = False) -> str:
        """Have a player say something; gives what the NPC made of it."""
        player, before = self.players[who], len(self.script.agent.decisions)
        if whispered:
            player.at_say(words, receivers=[self.npc], whisper=True)
        else:
            player.at_say(words)
        decisions = self.script.agent.decisions
        return decisions[-1][1].kind if len(decisions) > before else "IGNORE"

    def tick(self, seconds: float = 61.0) -> None:
        """One tick of Evennia's, and time for all it starts."""
        self.script.at_tick()
        self.pass_by(seconds)

    def pass_by(self, seconds: float = 0.0) -> None:
        """Let time pass."""
        self.life.advance(0)
        if seconds:
            self.life.advance(seconds)
            self.life.advance(0)

    @property
    def asleep(self) -> bool:
        """Whether the NPC sleeps."""
        return bool(self.script.db.operating_mode == "sleep")

    # What is in it ----------------------------------------------------------------------------

    def stored_words(self, pattern: bytes) -> set[str]:
        """Words of a pattern in the queue, the journal and its archive, as they are stored."""
        rows = connection.connection.execute(
            "SELECT db_value FROM typeclasses_attribute WHERE db_key IN ('journal',"
            " 'pending_events') OR db_category = 'assistant_archive'"
        )
        found: set[bytes] = set()
        for (value,) in rows:
            if value:
                found.update(re.findall(pattern, b64decode(value)))
        return {word.decode() for word in found}


class _AllThereIs(dict[str, Any]):
    """The Attributes of an object by Evennia's name in its cache; any other there is not."""

    def __missing__(self, _name: str) -> None:
        return None


def read_attributes(obj: Any) -> None:
    """Fill Evennia's cache of an object with one query, where it would make a hundred."""
    found = obj.db_attributes.all()
    obj.attributes.backend._cache = _AllThereIs(
        {f"{attribute.db_key.lower()}-{attribute.db_category}": attribute for attribute in found}
    )


@contextmanager
def a_world(**options: Any) -> Iterator[World]:
    """A world, for as long as the block lasts; the database of other tests is left as it was."""
    with ExitStack() as stack:
        stack.enter_context(_own_database())
        world = World(**options)
        background = mock.patch.object(live_index, "coiterate", lambda work: world.background(work))
        stack.enter_context(background)
        # Of what broke off in a dead process nobody is told.
        stack.enter_context(mock.patch.object(defer, "log"))
        stack.enter_context(semantic.stand_in(world.memory))
        stack.enter_context(world.killer.watching())
        world.begin_anew()
        yield world
        gc.collect()


@contextmanager
def _own_database() -> Iterator[None]:
    """Within the block, Django's connection leads to an empty game in memory."""
    parameters = {**connection.get_connection_params(), "database": ":memory:"}
    own = connection.get_new_connection(parameters)
    original, connection.connection = connection.connection, own
    try:
        if not _empty_game:
            call_command("migrate", run_syncdb=True, verbosity=0)
            _empty_game.append(own.serialize())
        else:
            own.deserialize(_empty_game[0])
        forget_objects()
        yield
    finally:
        _forget_tickers()
        connection.connection = original
        own.close()
        forget_objects()


def _forget_tickers() -> None:
    TICKER_HANDLER.ticker_pool.stop()
    TICKER_HANDLER.ticker_pool.tickers.clear()
    TICKER_HANDLER.ticker_storage.clear()
