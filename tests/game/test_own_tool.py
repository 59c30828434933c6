"""The tool that CONTRIBUTING shows works as it stands there, from a game's own module."""

import re
import sys
from pathlib import Path
from types import ModuleType

from django.test.utils import override_settings

from evennia_assistant.errors import ConfigError
from evennia_assistant.testing import replies
from evennia_assistant.tools import TOOL_REGISTRY, load_tools

from tests.game.npc import NpcTest

PAGE = Path(__file__).resolve().parents[2] / "CONTRIBUTING.md"


class TestOwnTool(NpcTest):
    def setUp(self):
        super().setUp()
        code = re.search(
            r"```python\n(from evennia_assistant import Tool.*?)```", PAGE.read_text(), re.S
        )
        assert len(code[1].strip().splitlines()) <= 17, "it is said to be short"
        module = ModuleType("a_games_own_tools")
        exec(compile(code[1], str(PAGE), "exec"), module.__dict__)
        sys.modules[module.__name__] = module
        self.addCleanup(sys.modules.pop, module.__name__)
        self.addCleanup(TOOL_REGISTRY.pop, "ring_bell")

    @override_settings(ASSISTANT_TOOL_MODULES=["a_games_own_tools"])
    def test_the_model_is_offered_the_tool_and_using_it_changes_the_game(self):
        self.model.add(replies.tool_call("ring_bell", times=3), "There.")
        self.say("Bram, ring the bell.")
        self.pump()
        offered = {tool["function"]["name"] for tool in self.model.requests[0].tools}
        assert "ring_bell" in offered
        assert "A bell rings 3 time(s)." in self.heard_by(self.char2)

    def test_arguments_that_do_not_fit_never_reach_it(self):
        self.model.add(replies.tool_call("ring_bell", times=99), "I cannot.")
        self.say("Bram, ring the bell.")
        self.pump()
        assert not [line for line in self.heard_by(self.char2) if "bell rings" in line]
        assert "times" in self.model.requests[1].messages[-1]["content"]

    @override_settings(ASSISTANT_TOOL_MODULES=["no.such.module"])
    def test_a_module_that_cannot_be_imported_is_named(self):
        with self.assertRaisesRegex(ConfigError, "no.such.module"):
            load_tools()
