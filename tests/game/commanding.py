"""Commands typed at an NPC by an Admin (`char1`) or by a Builder who keeps nothing (`char2`)."""

from evennia.commands.default.general import CmdSay, CmdWhisper

from evennia_assistant.commands.aiexec import CmdExec
from evennia_assistant.commands.aigoal import CmdGoal
from evennia_assistant.commands.aihistory import CmdHistory
from evennia_assistant.commands.aiinteract import CmdInteract
from evennia_assistant.commands.aimemory import CmdMemory
from evennia_assistant.commands.aisetup import CmdAssistant
from evennia_assistant.commands.aiwhy import CmdWhy
from evennia_assistant.commands.forgetme import CmdForgetMe
from evennia_assistant.commands.talk import CmdTalk

from tests.game.npc import NpcTest

COMMANDS = {
    cmd.key: cmd
    for cmd in (
        CmdAssistant,
        CmdMemory,
        CmdHistory,
        CmdWhy,
        CmdInteract,
        CmdGoal,
        CmdExec,
        CmdTalk,
        CmdForgetMe,
    )
}

#: What people type by mistake, or on purpose.
HOSTILE = (
    "x" * 10_000,
    "Ünïcödé 文字 \u202eright to left\u202c",
    "|rred|n |lcquit|ltclick|le |/ |",
    "{x} {0} {self.locks} {{",
    "$You() $eval(1) \\",
    "\x1b[2Jcleared \x07",
    "= = =",
    "#99999",
    "#abc",
    "-1",
)


class CommandTest(NpcTest):
    """`type_in("aiwhy bram")` is what the caller is told, without colour."""

    def setUp(self):
        super().setUp()
        self.account2.permissions.add("Builder")
        self.admin, self.builder = self.char1, self.char2

    def type_in(self, line, who=None, inputs=None):
        name, _space, rest = line.partition(" ")
        key, slash, switches = name.partition("/")
        arguments = f"/{switches} {rest}" if slash else f" {rest}" if rest else ""
        return self.call(COMMANDS[key](), arguments, caller=who or self.admin, inputs=inputs)

    def whisper(self, words, who=None):
        self.call(CmdWhisper(), f"{self.npc.key} = {words}", caller=who or self.char1)
        self.pump(1)

    def say(self, words, who=None):
        self.call(CmdSay(), words, caller=who or self.char1)
        self.pump(1)
