"""The command sets of the demo game: Evennia's own, and the assistant's for characters."""

from evennia import default_cmds

from evennia_assistant.commands import AssistantCmdSet


class CharacterCmdSet(default_cmds.CharacterCmdSet):
    """What a character in the world can do.

    The one line a game adds for its assistants is `self.add(AssistantCmdSet)`, below.
    """

    key = "DefaultCharacter"

    def at_cmdset_creation(self):
        """Evennia's commands for characters, then this game's."""
        super().at_cmdset_creation()
        self.add(AssistantCmdSet)


class AccountCmdSet(default_cmds.AccountCmdSet):
    """What a player can do whether or not they puppet a character."""

    key = "DefaultAccount"


class UnloggedinCmdSet(default_cmds.UnloggedinCmdSet):
    """What can be typed before logging in."""

    key = "DefaultUnloggedin"


class SessionCmdSet(default_cmds.SessionCmdSet):
    """What belongs to one connection; nothing, in this game."""

    key = "DefaultSession"
