"""
The tools of an NPC, one file per domain.

`load_tools` imports the built-in ones and those a game names in `ASSISTANT_TOOL_MODULES`.

"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ..conf import setting
from ..errors import ConfigError
from .base import MAX_RESULT, TOOL_REGISTRY, Tool, ToolCategory, get_tool, offered_to, register

__all__ = [
    "MAX_RESULT",
    "TOOL_REGISTRY",
    "Tool",
    "ToolCategory",
    "all_tools",
    "get_tool",
    "get_tool_schemas",
    "load_tools",
    "offered_to",
    "register",
]

_BUILT_IN = (
    "speech",
    "memory",
    "topics",
    "journal",
    "scenes",
    "talks",
    "world",
    "moving",
    "things",
    "session_memory",
    "projects",
    "goals",
    "self_image",
    "self_status",
    "sleep",
    "powers",
)


def load_tools() -> dict[str, Tool]:
    """
    The everyday tools, after every module that registers tools was imported.

    Returns:
        Tool by name. `offered_to` has what one NPC is to be offered, `all_tools` all there are.

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
    return {name: tool for name, tool in TOOL_REGISTRY.items() if tool.everyday}


def get_tool_schemas(script: Any) -> list[dict[str, Any]]:
    """
    What an NPC's model is offered: all its tools awake, only those of sleep asleep.

    Args:
        script: The AssistantScript.

    Returns:
        Schemas in the function form; see `Tool.schema`.

    Raises:
        ConfigError: As for `load_tools`.

    """
    load_tools()
    return [tool.schema() for tool in offered_to(script.character)]


def all_tools() -> dict[str, Tool]:
    """
    Every tool there is, by name.

    Raises:
        ConfigError: As for `load_tools`.

    """
    load_tools()
    return TOOL_REGISTRY
