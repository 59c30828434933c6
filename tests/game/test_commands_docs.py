"""Every command can be looked up: in the game, and in docs/commands.md."""

import re
from pathlib import Path

import pytest
from evennia.commands.cmdset import CmdSet
from evennia.commands.default.help import CmdHelp

from evennia_assistant import commands
from evennia_assistant.commands import AICmdSet, AssistantCmdSet
from evennia_assistant.typeclasses.options import OPTIONS

from tests.game.commanding import COMMANDS, CommandTest

DOCS = (Path(__file__).resolve().parents[2] / "docs/commands.md").read_text()


def of_the_set():
    cmdset = AssistantCmdSet()
    cmdset.at_cmdset_creation()
    return sorted(cmdset, key=lambda cmd: cmd.key)


def switches():
    return [(cmd, switch) for cmd in of_the_set() for switch in cmd.switch_options]


def test_the_set_goes_by_its_documented_name_too():
    assert AICmdSet is AssistantCmdSet and issubclass(AICmdSet, CmdSet)
    assert commands.__all__ == ["AICmdSet", "AssistantCmdSet"]
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        commands.Nothing  # noqa: B018


def test_the_set_has_every_command():
    assert {cmd.key for cmd in of_the_set()} == set(COMMANDS)


@pytest.mark.parametrize("cmd", of_the_set(), ids=lambda cmd: cmd.key)
def test_a_command_is_documented_helped_and_locked(cmd):
    assert re.search(rf"^### `{cmd.key}`$", DOCS, re.MULTILINE)
    assert "Usage:" in cmd.__doc__ and "Examples:" in cmd.__doc__
    staff_only = "cmd:perm(Builder)" in str(cmd.locks)
    assert staff_only or cmd.key in ("talk", "forgetme")


@pytest.mark.parametrize(("cmd", "switch"), switches(), ids=lambda part: getattr(part, "key", part))
def test_a_switch_is_documented_and_helped(cmd, switch):
    section = DOCS.split(f"### `{cmd.key}`")[1].split("\n### ")[0]
    assert re.search(rf"/{switch}\b", section), f"docs/commands.md: {cmd.key}/{switch}"
    listed = cmd.__doc__.split("Switches:")[1]
    assert re.search(rf"^ +{switch} +- ", listed, re.MULTILINE), f"help {cmd.key}: {switch}"


def test_documented_switches_exist():
    known = {cmd.key: cmd.switch_options for cmd in of_the_set()}
    for name, switch in re.findall(r"\b(ai\w+)/(\w+)", DOCS):
        assert switch in known[name], f"{name}/{switch}"


class TestHelpInTheGame(CommandTest):
    def test_help_fits_a_terminal_and_names_only_what_there_is(self):
        for cmd in of_the_set():
            assert max(map(len, cmd.__doc__.expandtabs().splitlines())) <= 100
            for option in re.findall(r"config \w+ (?:set|show) (\w+)", cmd.__doc__):
                assert option in OPTIONS

    def test_players_see_talk_and_no_staff_command(self):
        cmdset = AssistantCmdSet()
        cmdset.at_cmdset_creation()
        self.account2.permissions.clear()
        allowed = sorted(cmd.key for cmd in cmdset if cmd.access(self.char2, "cmd"))
        assert allowed == ["forgetme", "talk"]
        self.account2.permissions.add("Builder")
        assert len([cmd for cmd in cmdset if cmd.access(self.char2, "cmd")]) == len(COMMANDS)

    def test_help_finds_them(self):
        cmdset = AssistantCmdSet()
        cmdset.at_cmdset_creation()
        command = CmdHelp()
        told = self.call(command, "aisetup", cmdset=cmdset)
        assert "make NPCs with a mind, and care for them" in told
