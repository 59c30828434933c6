"""
The tools of an NPC, one file per domain.

`load_tools` imports the built-in ones and those a game names in `ASSISTANT_TOOL_MODULES`.

"""

from __future__ import annotations

from importlib import import_module

from ..conf import setting
from ..errors import ConfigError
from .base import TOOL_REGISTRY, Tool, ToolCategory, get_tool, register

__all__ = ["TOOL_REGISTRY", "Tool", "ToolCategory", "get_tool", "load_tools", "register"]

_BUILT_IN = ("speech", "memory", "journal", "world")


def load_tools() -> dict[str, Tool]:
    """
    Import every module that registers tools.

    Returns:
        The registry, tool by name.

    Raises:
        ConfigError: If a module of `ASSISTANT_TOOL_MODULES` cannot be imported.

    """
    for module in _BUILT_IN:
        import_module(f"{__name__}.{module}")
    for path in setting("ASSISTANT_TOOL_MODULES"):
        try:
            import_module(path)
        except ImportError as err:
            raise ConfigError(f"ASSISTANT_TOOL_MODULES names {path}, which fails: {err}") from err
    return TOOL_REGISTRY
