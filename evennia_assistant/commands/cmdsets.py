"""All commands of this package in one set."""

from __future__ import annotations

from evennia.commands.cmdset import CmdSet

from .aiexec import CmdExec
from .aigoal import CmdGoal
from .aihistory import CmdHistory
from .aiinteract import CmdInteract
from .aimemory import CmdMemory
from .aisetup import CmdAssistant
from .aiwhy import CmdWhy
from .forgetme import CmdForgetMe
from .talk import CmdTalk


class AssistantCmdSet(CmdSet):
    """`talk` and `forgetme` for players; what begins with `ai`, such as `aisetup`, for staff."""

    key = "AssistantCmdSet"

    def at_cmdset_creation(self) -> None:
        """Add them all."""
        for command in (
            CmdTalk,
            CmdForgetMe,
            CmdAssistant,
            CmdMemory,
            CmdHistory,
            CmdWhy,
            CmdInteract,
            CmdGoal,
            CmdExec,
        ):
            self.add(command)


AICmdSet = AssistantCmdSet
