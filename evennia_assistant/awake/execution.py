"""
One tool call, from what a model wrote to what it is told.

`execute_tool_call` is the only way a tool runs, whoever calls it: a model in its turn, or a keeper
by hand. The call is found among the tools offered, its arguments read and checked, the rights of
the NPC and of everybody who asked looked at, the tool run within its time, its result checked, and
all of it put on record. Whatever goes wrong is a named error for the model and never costs the
turn.

"""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evennia.utils.dbserialize import deserialize
from twisted.internet.defer import CancelledError, Deferred, inlineCallbacks, maybeDeferred
from twisted.internet.defer import TimeoutError as DeferredTimeout
from twisted.python.failure import Failure

from ..errors import ModelTransientError, ToolBroken, ToolError, ToolRefused
from ..llm.structured import parse_arguments
from ..mind.execution_pattern import DANGEROUS_PER_TURN, ExecutionPattern
from ..mind.slots import render_record
from ..perception.hearing import entity_id
from ..prompts.registry import registry_of
from ..tools import MAX_RESULT, TOOL_REGISTRY, Tool, ToolCategory, get_tool
from ..tools.rights import requesters
from .dropped import TurnDropped
from .emergency import tell_staff
from .execution_log import log_execution
from .tool_cache import Found, ToolCache, key_of, memory_state

#: Failures after which a tool that only looks is tried once more.
TRANSIENT = (OSError, ModelTransientError)


@dataclass(frozen=True, slots=True)
class Outcome:
    """
    What came of a call.

    Args:
        result: What the model is told, plain data; `{"error": text}` when it went wrong.
        tool: The tool, None when there is none of that name here.
        arguments: As they were read; empty when they could not be.
        error: What went wrong.
        cached: Whether the result was there already.
        waiting: Whether a keeper must agree first; nothing has run.

    """

    result: dict[str, Any]
    tool: Tool | None = None
    arguments: Mapping[str, Any] | None = None
    error: ToolError | None = None
    cached: bool = False
    waiting: bool = False

    @property
    def ok(self) -> bool:
        """Whether the tool ran and did what it was called for."""
        return self.error is None and not self.waiting

    @property
    def terminal(self) -> bool:
        """Whether the NPC has spoken, or chosen not to."""
        return self.ok and self.tool is not None and self.tool.category is ToolCategory.TERMINAL


@inlineCallbacks
def execute_tool_call(
    script: Any,
    character: Any,
    tool_call: Mapping[str, Any],
    *,
    offered: Sequence[str] = (),
    pattern: ExecutionPattern | None = None,
    by: Any = None,
) -> Generator[Deferred[Any], Any, Outcome]:
    """
    Run one tool in the NPC's present turn (`character.ndb.assistant_turn`).

    Args:
        script: The AssistantScript.
        character: The NPC.
        tool_call: `tool`, `parameters` (a dict, or the JSON text a model wrote) and `reasoning`.
        offered: Names of the tools there are here.
        pattern: How the turn may run; a DANGEROUS tool runs only where it says so. None where a
            keeper runs the tool by hand, who answers for it.
        by: The keeper at whose hand it runs.

    Returns:
        An `Outcome`; an error is in it, not raised.

    Raises:
        TurnDropped: If the turn has come to its end.

    """
    turn = character.ndb.assistant_turn
    run = _Run(script, character, turn, tool_call, pattern)
    began = turn.agent.clock.seconds()
    outcome: Outcome
    try:
        outcome = yield run.through(offered)
    except ToolError as err:
        outcome = run.failed(err)
    except TurnDropped as err:
        run.log(False, str(err), began, by)
        raise
    except CancelledError:
        turn.check_open()
        outcome = run.failed(ToolBroken(f"{run.name} was broken off."))
    # A tool is somebody else's code. Whatever it raises is named in the log and told to the
    # model; it must not silence the NPC.
    except Exception as err:
        turn.agent.log_failure(f"tool {run.name}", Failure())
        outcome = run.failed(ToolBroken(f"{run.name} failed ({type(err).__name__})."))
    turn.check_open()
    error = "waits for a keeper" if outcome.waiting else outcome.result.get("error")
    run.log(outcome.ok, None if outcome.ok else error, began, by)
    turn.noted(run.name, run.written, outcome)
    return outcome


class _Run:
    """One call on its way."""

    def __init__(
        self,
        script: Any,
        character: Any,
        turn: Any,
        tool_call: Mapping[str, Any],
        pattern: ExecutionPattern | None,
    ) -> None:
        self.script = script
        self.character = character
        self.turn = turn
        self.pattern = pattern
        self.name = str(tool_call.get("tool") or "")[:60]
        self.reasoning = str(tool_call.get("reasoning") or "")
        #: As they were written until they are read, and then as they were read.
        self.parameters: Any = tool_call.get("parameters", {})
        self.written = _as_written(self.parameters)
        self.tool: Tool | None = None

    def failed(self, err: ToolError) -> Outcome:
        """The outcome of a call that went wrong."""
        arguments = self.parameters if isinstance(self.parameters, Mapping) else None
        return Outcome({"error": str(err)}, self.tool, arguments, err)

    def log(self, success: bool, error: str | None, began: float, by: Any) -> None:
        """Put it on record."""
        log_execution(
            self.script,
            self.name,
            {"parameters": self.parameters, "reasoning": self.reasoning},
            success,
            error,
            self.turn.agent.clock.seconds() - began,
            audience=self.turn.material.audience(),
            tick=self.turn.number,
            known=self.tool is not None,
            by=entity_id(by) if by is not None else None,
        )

    @inlineCallbacks
    def through(self, offered: Sequence[str]) -> Generator[Deferred[Any], Any, Outcome]:
        """Find, check, run; raises whatever goes wrong."""
        tool = self.tool = get_tool(_known_name(self.name, offered), offered)
        self.name = tool.name
        arguments = self._arguments(tool)
        self._permit(tool)
        if tool.category is ToolCategory.DANGEROUS and self.pattern is not None:
            waiting = self._check_dangerous(tool, arguments)
            if waiting is not None:
                return Outcome(waiting, tool, arguments, waiting=True)
        cached = self._cached(tool, arguments)
        if cached is not None:
            return Outcome(cached, tool, arguments, cached=True)
        result = yield self._ran(tool, arguments)
        return Outcome(result, tool, arguments)

    def _arguments(self, tool: Tool) -> dict[str, Any]:
        arguments = dict(parse_arguments(self.parameters))
        if "reasoning" in arguments and "reasoning" not in tool.parameters.get("properties", {}):
            # Some write beside the arguments what belongs beside the call.
            self.reasoning = self.reasoning or str(arguments["reasoning"])
            del arguments["reasoning"]
        self.parameters = arguments
        tool.validate(arguments)
        return arguments

    def _permit(self, tool: Tool) -> None:
        tool.permit(self.character, None)
        open_to_all = tool.locks == Tool.locks and not tool.changes_world
        if open_to_all and tool.category is not ToolCategory.DANGEROUS:
            return
        for who in requesters(self.character):
            tool.permit(self.character, who)

    # DANGEROUS tools -----------------------------------------------------------------------------

    def _check_dangerous(self, tool: Tool, arguments: dict[str, Any]) -> dict[str, Any] | None:
        """
        Go on only where the operator allows this tool to this NPC, and none has run before.

        Returns:
            What the model is told when a keeper must agree first, None when it may run.

        """
        assert self.pattern is not None
        # Looked at anew: the operator may have thought better of it since the turn began.
        now = registry_of(self.script).pattern(self.turn.context_type)
        for pattern in (self.pattern, now):
            why = pattern.why_not(tool.name, tool.category.value)
            if why is not None:
                raise ToolRefused(why)
        if self.turn.dangerous >= DANGEROUS_PER_TURN:
            raise ToolRefused("One such tool in a turn is all you may use; not another.")
        if self.pattern.confirm_dangerous or now.confirm_dangerous:
            number = self.turn.agent.confirmations.ask(
                self.turn, tool.name, arguments, self.reasoning
            )
            key = self.script.db.assistant_key
            # What it is for may be confidential, so that is shown to those alone who look it up.
            tell_staff(
                f"Assistant {key} asks to run {tool.name}: 'aiexec/waiting {key}' shows it, "
                f"'aiexec/confirm {key} = {number}' runs it, 'aiexec/deny {key} = {number}' does "
                "not."
            )
            return {
                "waiting": f"A keeper must agree to {tool.name} first; it has not been done, and "
                "may never be. Do not wait for it.",
            }
        self.turn.dangerous += 1
        return None

    # Results that are there already ------------------------------------------------------------

    def _cached(self, tool: Tool, arguments: Mapping[str, Any]) -> dict[str, Any] | None:
        """A result found before for the same circle; what it draws on is noted in the turn."""
        if not tool.cacheable:
            return None
        found = self._cache(tool).get(
            self._key(tool, arguments),
            now=self.turn.agent.now(),
            state=memory_state(self.character),
        )
        if found is None:
            return None
        material = self.turn.material
        material.audiences.extend(found.audiences)
        material.recalled.update(found.recalled)
        result: dict[str, Any] = json.loads(found.record)
        return result

    def _cache(self, tool: Tool) -> ToolCache:
        if tool.cache_scope != "session":
            cache: ToolCache = self.turn.cache
            return cache
        return session_cache(self.script)

    def _key(self, tool: Tool, arguments: Mapping[str, Any]) -> tuple[Any, ...]:
        place = entity_id(self.character.location)
        return key_of(tool, arguments, self.turn.material, place)

    # Running -------------------------------------------------------------------------------------

    @inlineCallbacks
    def _ran(
        self, tool: Tool, arguments: dict[str, Any]
    ) -> Generator[Deferred[Any], Any, dict[str, Any]]:
        """Run it, a tool that only looks once more after a passing failure."""
        agent, material = self.turn.agent, self.turn.material
        seconds = min(tool.timeout, agent.option("default_tool_timeout"))
        deadline = agent.clock.seconds() + seconds
        drawn = material.recalled
        if tool.cacheable:
            # What this tool alone draws on goes with its result. Others see all there is.
            material.recalled = {}
        already = len(material.audiences)
        kept_for = None
        if tool.cacheable:
            # As they are now: should either change while it runs, the result serves nobody else.
            kept_for = self._key(tool, arguments), memory_state(self.character)
        tries = 2 if tool.cacheable else 1
        try:
            while True:
                tries -= 1
                running = maybeDeferred(tool.execute, self.character, **arguments)
                left = max(0.0, deadline - agent.clock.seconds())
                try:
                    result = yield running.addTimeout(left, agent.clock)
                    break
                except DeferredTimeout:
                    raise ToolBroken(f"{tool.name} took too long and was given up.") from None
                except TRANSIENT:
                    if not tries:
                        raise
                    self.turn.check_open()
        finally:
            found, material.recalled = material.recalled, {**drawn, **material.recalled}
            if not tool.cacheable:
                self.turn.cache.clear()
                session_cache(self.script).clear()
        record = checked_record(tool, result)
        if kept_for is not None:
            key, state = kept_for
            ttl = float("inf") if tool.cache_ttl is None else tool.cache_ttl
            self._cache(tool).put(
                key,
                Found(
                    record,
                    tuple(material.audiences[already:]),
                    found,
                    agent.now() + ttl,
                    state,
                ),
            )
        plain: dict[str, Any] = json.loads(record)
        return plain


def checked_record(tool: Tool, result: Any) -> str:
    """
    A tool's result as JSON.

    Raises:
        ToolBroken: If it is no JSON object, or longer than `MAX_RESULT`.

    """
    if not isinstance(result, Mapping):
        raise ToolBroken(f"{tool.name} gave no usable result ({type(result).__name__}, no dict).")
    try:
        # What a tool read from an Attribute is plain data in Evennia's containers.
        record = render_record(deserialize(result))
    except (TypeError, ValueError, RecursionError) as err:
        raise ToolBroken(f"{tool.name} gave no usable result: {str(err)[:120]}.") from err
    if len(record) > MAX_RESULT:
        raise ToolBroken(
            f"{tool.name} ran and gave {len(record)} characters, more than {MAX_RESULT}; ask for "
            "less."
        )
    return record


def session_cache(script: Any) -> ToolCache:
    """The results an NPC may use again in later turns, until it stops."""
    cache = script.ndb.tool_cache
    if cache is None:
        cache = script.ndb.tool_cache = ToolCache()
    return cache


def _known_name(written: str, offered: Sequence[str]) -> str:
    """The tool a model meant: as written, or but for case, blanks and a namespace before it."""
    if written in offered and written in TOOL_REGISTRY:
        return written
    plain = written.strip().rpartition(".")[2].casefold()
    return plain if plain in offered else written


def _as_written(parameters: Any) -> str:
    """Parameters as a short text for the trace."""
    if isinstance(parameters, str):
        return parameters[:300]
    try:
        return json.dumps(parameters, ensure_ascii=False)[:300]
    except (TypeError, ValueError, RecursionError):
        return f"({type(parameters).__name__})"
