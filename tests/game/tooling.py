"""Tools run as the NPC at the word of a player: what they give back, or why they refuse."""

from dataclasses import replace
from unittest import mock

from evennia_assistant.awake import by_hand
from evennia_assistant.awake.by_hand import run_by_hand
from evennia_assistant.awake.material import Material
from evennia_assistant.errors import AssistantError
from evennia_assistant.tools import all_tools

from tests.game.npc import NpcTest

#: Every tool that changes the world.
GATED = (
    "go",
    "follow",
    "stop_following",
    "get",
    "drop",
    "give",
    "set_description",
    "execute_command",
    "set_attribute",
)


class ToolTest(NpcTest):
    """`char1` is a Developer, `char2` an ordinary player; the NPC has every tool."""

    allowed = ", ".join(GATED)

    def setUp(self):
        super().setUp()
        self.account2.permissions.clear()
        self.char2.permissions.clear()
        self.script.set_option("allowed_tools", self.allowed)
        self.npc.db.persona = {"description": "An innkeeper."}

    def use(self, name, who=None, /, **arguments):
        """What the tool gives a model when `who` (the player `char2`) asked for it."""
        outcome = []
        running = run_by_hand(self.agent, all_tools()[name], arguments, who or self.char2)
        running.addBoth(outcome.append)
        self.pump()
        assert outcome, f"{name} never ended"
        if not isinstance(outcome[0], dict):
            outcome[0].raiseException()
        return outcome[0]

    def refusal(self, name, who=None, /, **arguments):
        """Why the tool was not run."""
        try:
            result = self.use(name, who, **arguments)
        except AssistantError as err:
            return str(err)
        raise AssertionError(f"{name} was run: {result}")

    def in_confidence(self):
        """From here on, whoever asks whispers."""
        heard = by_hand._percept

        def whispered(agent, keeper):
            audience = (f"#{keeper.pk}", agent.npc_id)
            return replace(heard(agent, keeper), manner="whisper", audience=audience)

        patch = mock.patch.object(by_hand, "_percept", whispered)
        patch.start()
        self.addCleanup(patch.stop)

    def of_itself(self):
        """From here on, nobody asks: the NPC acts of itself, before whoever is here."""
        patch = mock.patch.object(Material, "speakers", {})
        patch.start()
        self.addCleanup(patch.stop)
