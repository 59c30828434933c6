"""A mind for the NPCs of an Evennia game: they hear, remember, answer, sleep and dream.

Installing is three lines in your game::

    INSTALLED_APPS += ["evennia_assistant"]     # server/conf/settings.py

    from evennia_assistant.commands import AssistantCmdSet      # commands/default_cmdsets.py
    self.add(AssistantCmdSet)                                   # in CharacterCmdSet

    evennia migrate && evennia reload           # then, in the game: aisetup/init innkeeper

The names below are the public face; everything else may move. They are loaded when first asked
for, because Evennia's classes exist only once Django is set up, and because Mem0 and openai take
a second and 100 MB that an idle server need not spend.
"""

import os
from importlib import import_module
from pathlib import Path

__version__ = "0.1.0"

# Mem0 reads both when it is imported: without the first it reports each use over the network,
# without the second it keeps a locked folder in the home of whoever runs the server. The server
# and every command of Evennia run in the game's folder.
os.environ.setdefault("MEM0_TELEMETRY", "False")
os.environ.setdefault("MEM0_DIR", str(Path("server", "assistant", "mem0").absolute()))

# Public name -> the module that has it. `docs/api.md` lists the same names; a test compares.
_HOME = {
    "AssistantCharacter": "evennia_assistant.typeclasses.character",
    "AssistantCmdSet": "evennia_assistant.commands",
    "AssistantError": "evennia_assistant.errors",
    "AssistantMixin": "evennia_assistant.typeclasses.character",
    "AssistantScript": "evennia_assistant.typeclasses.script",
    "ExactSpeechMixin": "evennia_assistant.typeclasses.character",
    "Percept": "evennia_assistant.mind.percept",
    "Tool": "evennia_assistant.tools.base",
    "ToolCategory": "evennia_assistant.tools.base",
    "get_assistant_script": "evennia_assistant.typeclasses.script",
    "register": "evennia_assistant.tools.base",
}

__all__ = [
    "AssistantCharacter",
    "AssistantCmdSet",
    "AssistantError",
    "AssistantMixin",
    "AssistantScript",
    "ExactSpeechMixin",
    "Percept",
    "Tool",
    "ToolCategory",
    "get_assistant_script",
    "register",
]


def __getattr__(name: str) -> object:
    """A public name, loaded from its module on first use and kept."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
