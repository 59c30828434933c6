"""`aisetup`: making assistants and caring for them, one mixin for each family of switches."""

from .command import CmdAssistant

__all__ = ["CmdAssistant"]
