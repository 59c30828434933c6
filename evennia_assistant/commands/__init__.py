"""
The commands of a game with assistants: one line in its `commands/default_cmdsets.py`::

    from evennia_assistant.commands import AssistantCmdSet

    class CharacterCmdSet(default_cmds.CharacterCmdSet):
        def at_cmdset_creation(self):
            super().at_cmdset_creation()
            self.add(AssistantCmdSet)

`AICmdSet` is the same set under its documented name.

"""

from typing import Any

__all__ = ["AICmdSet", "AssistantCmdSet"]


def __getattr__(name: str) -> Any:
    """The command set, loaded when asked for: a command class needs Django to be set up."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import cmdsets

    return getattr(cmdsets, name)
