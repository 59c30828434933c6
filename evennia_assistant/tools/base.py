"""
What an NPC can do: the tool, its category, and the registry.

A tool is a class with a name, a description for the model, a JSON schema for its arguments, and
`execute`. Registering it is a decorator::

    from evennia_assistant.tools import Tool, ToolCategory, register

    @register
    class RingBell(Tool):
        name = "ring_bell"
        description = "Ring the bell over the bar."
        category = ToolCategory.SAFE_CHAIN

        def execute(self, character, **kwargs):
            character.location.msg_contents("A bell rings.")
            return {"rang": True}

The names, categories and class attributes are those of the documented tool system.

"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from enum import StrEnum
from typing import Any, ClassVar, TypeVar

import jsonschema
from evennia.locks.lockhandler import check_lockstring

from ..errors import ConfigError, InvalidArguments, ToolRefused, UnknownTool

#: Longest result of a tool, in characters of JSON; a longer one is an error.
MAX_RESULT = 4000


class ToolCategory(StrEnum):
    """What running a tool means for the loop."""

    #: Fast and harmless; may be followed by more.
    SAFE_CHAIN = "safe_chain"
    #: Speaks; ends the loop, for now it is the other's turn.
    TERMINAL = "terminal"
    #: Changes the game; off unless the operator allows it to this NPC, once in a turn at most.
    DANGEROUS = "dangerous"
    #: Waits for something outside.
    ASYNC_REQUIRED = "async_required"


class Tool(ABC):
    """
    One thing an NPC can do.

    `execute` may return a dict or a Deferred of one. What it returns goes to the model as JSON, so
    it must say what changed in the terms of the game, in plain data of at most `MAX_RESULT`
    characters. To tell the model that something cannot be done, raise `ToolError` with the reason.

    """

    name: ClassVar[str] = ""
    description: ClassVar[str] = ""
    #: JSON schema of the arguments.
    parameters: ClassVar[dict[str, Any]] = {}
    #: Seconds after which the call is given up.
    timeout: ClassVar[float] = 30
    category: ClassVar[ToolCategory] = ToolCategory.SAFE_CHAIN
    #: Only for what merely looks: its result may be used again, and it may be tried twice.
    cacheable: ClassVar[bool] = False
    #: "tick", for the rest of the turn, or "session", until the NPC stops or remembers more.
    cache_scope: ClassVar[str] = "tick"
    #: Seconds a result may be used again; None sets no limit beyond the scope.
    cache_ttl: ClassVar[float | None] = None
    #: Evennia lockstring with a `use` rule; the NPC and whoever asked for it must both pass.
    locks: ClassVar[str] = "use:all()"
    #: Offered in every conversation. Any other is offered where the NPC's option `allowed_tools`
    #: names it, or where a context asks for it; each schema costs its tokens in every prompt.
    everyday: ClassVar[bool] = True
    #: Only for NPCs whose option `allowed_tools` names it. All DANGEROUS tools are such.
    changes_world: ClassVar[bool] = False
    #: What it does not do, for docs/tools.md.
    refuses: ClassVar[str] = ""
    _schema: tuple[tuple[str, str, dict[str, Any]], dict[str, Any]] | None = None

    @abstractmethod
    def execute(self, character: Any, **kwargs: Any) -> Any:
        """
        Do it.

        Args:
            character: The NPC.
            **kwargs: The validated arguments.

        Returns:
            A dict for the model, or a Deferred of one.

        Raises:
            ToolError: If it cannot be done; the text says why, to the model.

        """

    def schema(self) -> dict[str, Any]:
        """
        The tool in the function form of the chat-completion interface.

        Bounds are left out: they are checked here, and a model that is told of them in every prompt
        keeps to them no better.

        Returns:
            The same dict each time, as long as the tool says the same of itself; not to be changed.

        """
        says = (self.name, self.description, self.parameters)
        if self._schema is None or self._schema[0] != says:
            function = {
                "name": self.name,
                "description": self.description,
                "parameters": _unbounded({"type": "object", "properties": {}, **self.parameters}),
            }
            self._schema = says, {"type": "function", "function": function}
        return self._schema[1]

    def validate(self, arguments: dict[str, Any]) -> None:
        """
        Check arguments against the schema.

        Raises:
            InvalidArguments: Naming every argument that does not fit.

        """
        schema = {"type": "object", "additionalProperties": False, **self.parameters}
        checker = jsonschema.Draft202012Validator(schema)
        problems = sorted(checker.iter_errors(arguments), key=lambda problem: list(problem.path))
        if problems:
            raise InvalidArguments(
                f"{self.name}: "
                + "; ".join(
                    f"{'.'.join(map(str, problem.path)) or 'arguments'}: {problem.message[:200]}"
                    for problem in problems
                )
            )

    def allowed(self, character: Any) -> bool:
        """
        Whether the operator lets this NPC have the tool at all.

        Args:
            character: The NPC.

        """
        if self.changes_world or self.category is ToolCategory.DANGEROUS:
            return self.name in listed(character, "allowed_tools")
        return True

    def permit(self, character: Any, requester: Any) -> None:
        """
        Check that both the NPC and the one whose words led here may use the tool.

        Args:
            character: The NPC.
            requester: The speaker, None when nobody asked.

        Raises:
            ToolRefused: Naming who may not.

        """
        if not self.allowed(character):
            raise ToolRefused(
                f"{character.key} may not use {self.name}; its option allowed_tools does not name "
                "it."
            )
        for who in (character, requester):
            if who is not None and not check_lockstring(who, self.locks, access_type="use"):
                raise ToolRefused(f"{who.key} may not use {self.name}.")


def listed(character: Any, option: str) -> tuple[str, ...]:
    """The names in one of an NPC's list options; none for an NPC without a script."""
    script = getattr(character, "assistant_script", None)
    return () if script is None else tuple(script.option(option))


_BOUNDS = frozenset(
    {"minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum", "pattern"}
)


def _unbounded(schema: Any) -> Any:
    """A JSON schema without its bounds."""
    if not isinstance(schema, dict):
        return schema
    properties = {name: _unbounded(inner) for name, inner in schema.get("properties", {}).items()}
    kept = {key: _unbounded(inner) for key, inner in schema.items() if key not in _BOUNDS}
    return {**kept, "properties": properties} if "properties" in schema else kept


#: Every registered tool by name.
TOOL_REGISTRY: dict[str, Tool] = {}

_ToolClass = TypeVar("_ToolClass", bound=type[Tool])


def register(tool: _ToolClass) -> _ToolClass:
    """
    Make a tool known; the last registration of a name wins, so a game may replace one of ours.

    Args:
        tool: The class; one instance of it serves all NPCs.

    Raises:
        ConfigError: If it has no name or description, or its schema is not valid.

    """
    if not tool.name or not tool.description:
        raise ConfigError(f"Tool {tool.__name__} needs a name and a description.")
    try:
        jsonschema.Draft202012Validator.check_schema({"type": "object", **tool.parameters})
    except jsonschema.SchemaError as err:
        raise ConfigError(
            f"Tool {tool.name}: its parameters are no JSON schema: {err.message}"
        ) from err
    TOOL_REGISTRY[tool.name] = tool()
    return tool


def offered_to(character: Any, also: Iterable[str] = ()) -> list[Tool]:
    """
    The tools an NPC has in a conversation: the everyday ones, and those its operator named.

    Args:
        character: The NPC.
        also: Names of those the occasion asks for; none of them are given to whom their operator
            has to allow them.

    Returns:
        Tools of all categories, in the order they were registered.

    """
    named = (*listed(character, "allowed_tools"), *also)
    return [
        tool
        for tool in TOOL_REGISTRY.values()
        if (tool.everyday or tool.name in named) and tool.allowed(character)
    ]


def get_tool(name: str, offered: Iterable[str]) -> Tool:
    """
    A tool by name, if it is among those offered here.

    Raises:
        UnknownTool: Naming the tools there are.

    """
    names = list(offered)
    if name not in names or name not in TOOL_REGISTRY:
        raise UnknownTool(f"There is no tool {name[:60]!r} here; there are {', '.join(names)}.")
    return TOOL_REGISTRY[name]
