"""All commands of this package in one set."""

from __future__ import annotations

from evennia.commands.cmdset import CmdSet

from .aihistory import CmdHistory
from .aiinteract import CmdInteract
from .aimemory import CmdMemory
from .aisetup import CmdAssistant
from .aiwhy import CmdWhy
from .talk import CmdTalk


class AssistantCmdSet(CmdSet):
    """`talk` for players; `aisetup`, `aimemory`, `aihistory`, `aiwhy`, `aiinteract` for staff."""

    key = "AssistantCmdSet"

    def at_cmdset_creation(self) -> None:
        """Add them all."""
        for command in (CmdTalk, CmdAssistant, CmdMemory, CmdHistory, CmdWhy, CmdInteract):
            self.add(command)


AICmdSet = AssistantCmdSet
