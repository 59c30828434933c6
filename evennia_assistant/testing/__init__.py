"""
Stand-ins for testing an NPC, of the kind this package tests itself with.

- `ScriptedModel`: answers in the process, from a script; `replies` says what can be scripted.
- `FakeClock`: stands still until the test moves it.
- `FakeSemanticMemory`: keeps facts in the process, and fails when told to.
- `ScriptedModelServer`: a real OpenAI-compatible server on this machine, with the same scripts.
- `GameProcess`, `Ports`, `TelnetPlayer`: a real game in a process of its own, and its players.

"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .fake_semantic_memory import FakeSemanticMemory
    from .game import GameProcess
    from .ports import Ports
    from .replies import Reply
    from .scripted_model import FakeClock, ScriptedModel
    from .scripted_server import ScriptedModelServer
    from .telnet import TelnetPlayer

# Public name -> the module that has it. Loaded when asked for: a test of a whole game need not
# load what a test of one turn does.
_HOME = {
    "FakeClock": "scripted_model",
    "FakeSemanticMemory": "fake_semantic_memory",
    "GameProcess": "game",
    "Ports": "ports",
    "Reply": "replies",
    "ScriptedModel": "scripted_model",
    "ScriptedModelServer": "scripted_server",
    "TelnetPlayer": "telnet",
}

__all__ = [
    "FakeClock",
    "FakeSemanticMemory",
    "GameProcess",
    "Ports",
    "Reply",
    "ScriptedModel",
    "ScriptedModelServer",
    "TelnetPlayer",
]


def __getattr__(name: str) -> object:
    """A public name, loaded from its module on first use and kept."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
