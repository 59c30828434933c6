"""A room with two players and an NPC whose mind runs on a clock the test turns by hand."""

from unittest import mock

from evennia.commands.default.general import CmdSay
from evennia.utils.ansi import strip_ansi
from evennia.utils.create import create_object, create_script
from twisted.internet.task import Cooperator

from evennia_assistant.memory import live_index
from evennia_assistant.testing import FakeClock, ScriptedModel
from evennia_assistant.typeclasses.character import AssistantCharacter
from evennia_assistant.typeclasses.script import AssistantScript

from tests.game.standing import StandingTest


class NpcTest(StandingTest):
    """`self.npc` stands with `self.char1` and `self.char2`; `self.model` answers for it."""

    #: Options set on the NPC before it starts.
    options = {"llm_provider": "offline", "cooldown": "0", "player_cooldown": "0"}
    npc_key = "Bram"

    def setUp(self):
        super().setUp()
        self.clock = FakeClock(1_780_000_000.0)
        self._received = {}
        # An index is made on the clock of the test as well, and not by the next that spins the
        # reactor, from what stands in the database then.
        background = Cooperator(scheduler=lambda call: self.clock.callLater(0, call))
        patch = mock.patch.object(live_index, "coiterate", background.coiterate)
        patch.start()
        self.addCleanup(patch.stop)
        for character in (self.char1, self.char2):
            self._listen(character)
        self.start_npc(self.script)
        self.model = ScriptedModel(clock=self.clock)
        self.adopt()
        self.addCleanup(self.stop_npcs)

    def stand(self):
        self.npc, self.script = self.bound_npc(self.npc_key, "bram")

    def make_npc(self, name, key, location=None):
        """An enabled NPC and its script."""
        npc, script = self.bound_npc(name, key, location)
        self.start_npc(script)
        return npc, script

    def start_npc(self, script):
        """Switch an NPC on, by the clock of the test."""
        script.ndb.assistant_clock = self.clock
        script.enable()

    def bound_npc(self, name, key, location=None):
        """An NPC that was never switched on, and its script."""
        npc = create_object(
            AssistantCharacter, key=name, location=location or self.room1, nohome=True
        )
        script = create_script(AssistantScript, key=key)
        script.bind(key, npc)
        for option, value in self.options.items():
            script.set_option(option, value)
        return npc, script

    def adopt(self):
        """Take the script's present mind as the one under test."""
        self.agent = self.script.agent
        self.agent.model = self.model

    def restart(self):
        """Stop and start the NPC, so that changed options count."""
        self.script.disable()
        self.script.enable()
        self.adopt()

    def forget_caches(self):
        """What a new server process has: everything from the database, nothing from before."""
        self.script.at_server_shutdown()
        self.npc.attributes.reset_cache()
        self.npc.nattributes.clear()
        if "memory" in self.npc.__dict__:
            del self.npc.__dict__["memory"]
        self.script.attributes.reset_cache()
        self.script.ndb.assistant_clock = self.clock
        self.script.at_server_start()
        self.adopt()

    def stop_npcs(self):
        """Leave no ticker behind."""
        for script in AssistantScript.objects.all():
            script.disable()

    # Time and talk -------------------------------------------------------------------------------

    def pump(self, seconds=0.0):
        """Let what is due happen, then `seconds` pass."""
        self.clock.settle()
        if seconds:
            self.clock.advance(seconds)
            self.clock.settle()

    def say(self, words, who=None):
        """Have a player say something aloud."""
        self.call(CmdSay(), words, caller=who or self.char1)

    def _listen(self, character):
        received = self._received[character] = []
        send = character.msg

        def msg(text=None, from_obj=None, **kwargs):
            received.append(text if isinstance(text, tuple | list) else (text, {}))
            return send(text=text, from_obj=from_obj, **kwargs)

        character.msg = msg

    def raw(self, character):
        """The lines a character was sent, as they were sent."""
        return [str(text) for text, *_options in self._received[character]]

    def heard_by(self, character):
        """The lines a character was sent, without colour."""
        return [strip_ansi(line) for line in self.raw(character)]

    def seen(self, character, kind):
        """Those of one message type that came from the NPC."""
        return self.seen_since(character, kind, 0)

    def seen_since(self, character, kind, start):
        """Those after the first `start` lines."""
        return [
            strip_ansi(text)
            for text, *options in self._received[character][start:]
            if options and options[0].get("type") == kind and "Bram" in text
        ]
