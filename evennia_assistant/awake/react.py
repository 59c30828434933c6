"""
Asking, running tools and asking again, until the NPC has spoken or has had enough.

Every loop ends: at most as many tools run as the occasion allows, so many of them may fail, the
same call is not run over and over, and the tokens of a turn are counted before the next call is
made. A loop that ends without a word gets one more answer, for which no tools are offered.

"""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping, Sequence
from enum import StrEnum
from typing import Any

from twisted.internet.defer import Deferred, inlineCallbacks

from ..errors import InvalidArguments
from ..llm.json_tools import ToolAnswer, read_json_answer
from ..llm.response import LLMResponse, ToolCall
from ..llm.structured import parse_arguments
from ..llm.tokens import count_message_tokens
from ..llm.tool_forms import ToolForm
from ..mind.execution_pattern import ExecutionPattern
from ..prompts.texts import text
from ..tools import TOOL_REGISTRY, ToolCategory
from .execution import Outcome, execute_tool_call

#: Tools that may fail in one turn, and calls of one answer that are looked at.
MOST_ERRORS = 4
MOST_AT_ONCE = 12
#: An equal call is refused this often before the loop ends.
MOST_REPEATS = 2
#: Share of the turn's tokens after which the model is told that little is left.
ADVISED_AT = 0.7


class Ended(StrEnum):
    """Why a loop came to its end, as the trace has it."""

    SPOKE = "it spoke"
    PLAIN = "plain answer"
    LIMIT = "limit of tools"
    REPEATED = "same call again"
    BUDGET = "token budget"
    ERRORS = "too many tool errors"
    CALLS = "limit of model calls"
    LISTENER_GONE = "listener gone"
    STOPPED = "emergency stop"


#: Ends that are as they should be.
USUAL = (Ended.SPOKE, Ended.PLAIN)


@inlineCallbacks
def execute_react_loop(
    turn: Any,
    messages: list[dict[str, Any]],
    form: ToolForm,
    offered: Sequence[str],
    pattern: ExecutionPattern,
) -> Generator[Deferred[Any], Any, None]:
    """
    Run a turn's loop; why it ended stands in `turn.ended`.

    Args:
        turn: The `Turn`; it speaks, and keeps what was done.
        messages: The prompt; what is asked and answered is added to it.
        form: How tools are offered and called.
        offered: Names of the tools there are.
        pattern: How the turn may run.

    Raises:
        TurnDropped: If nobody is left to hear an answer, or the turn was closed.
        ModelError: If the model could not be asked, or its answer not used.

    """
    loop = _Loop(turn, messages, form, offered, pattern)
    turn.ended = yield loop.run()
    if turn.ended in USUAL or turn.spoken:
        return
    messages.append({"role": "user", "content": text("last_answer")})
    answer = yield loop.ask(None)
    turn.answer_plainly(_last_words(answer))


class _Loop:
    """The state of one loop."""

    def __init__(
        self,
        turn: Any,
        messages: list[dict[str, Any]],
        form: ToolForm,
        offered: Sequence[str],
        pattern: ExecutionPattern,
    ) -> None:
        self.turn = turn
        self.messages = messages
        self.form = form
        self.offered = offered
        self.pattern = pattern
        self.used = self.errors = self.calls = 0
        self.budget = turn.agent.option("turn_token_budget")
        self.advised = False
        #: Calls made, with their results and how often they were refused since.
        self.made: dict[tuple[Any, ...], list[Any]] = {}
        #: Tools that did something, and those of them that moved the world.
        self.deeds = self.moves = 0

    @inlineCallbacks
    def run(self) -> Generator[Deferred[Any], Any, Ended]:
        """Ask and run tools; gives why that ended."""
        # Each answer uses a tool, fails, or repeats itself, so there is no need for more.
        most = self.pattern.max_iterations + MOST_ERRORS + MOST_REPEATS
        while self.calls < most:
            answer = yield self.ask(self.form.schemas)
            wanted = self.form.read(answer)
            if not wanted.calls and not wanted.problems:
                self.turn.answer_plainly(wanted.text)
                return Ended.PLAIN
            ended = yield self._run_all(answer, wanted)
            ended = ended or self._had_enough(answer)
            if ended is not None:
                return ended
            self._advise()
        return Ended.CALLS

    @inlineCallbacks
    def ask(self, schemas: list[dict[str, Any]] | None) -> Generator[Deferred[Any], Any, Any]:
        """One answer of the model, to as many as are there to hear what becomes of it."""
        self._check()
        self.calls += 1
        answer = yield self.turn.ask(self.messages, schemas or None)
        self._check()
        return answer

    def _check(self) -> None:
        agent = self.turn.agent
        self.turn.check_open()
        if agent.script.db.emergency_stop:
            self.turn.drop(Ended.STOPPED, "it was stopped")
        if not self.turn.somebody_listens():
            self.turn.drop(Ended.LISTENER_GONE, "nobody is left to hear the answer")

    # Tools -------------------------------------------------------------------------------------

    @inlineCallbacks
    def _run_all(
        self, answer: LLMResponse, wanted: ToolAnswer
    ) -> Generator[Deferred[Any], Any, Ended | None]:
        """Run the calls of one answer in order; why the loop ends with them, if it does."""
        calls = wanted.calls[:MOST_AT_ONCE]
        results: list[Mapping[str, Any]] = []
        ended: Ended | None = None
        for call in calls:
            if ended is not None:
                results.append({"error": "Not run: no more tools in this turn."})
                continue
            result, ended = yield self._run(call, wanted.text)
            results.append(result)
        left_over = len(wanted.calls) - len(calls)
        problems = list(wanted.problems)
        if left_over:
            problems.append(f"{left_over} more calls in one answer were not looked at")
        for problem in problems:
            self.turn.unreadable(answer.content, problem)
            results.append({"error": f"That could not be read: {problem}."})
            self.errors += 1
        self.messages += self.form.record(answer, calls, results)
        if ended is None and self.errors >= MOST_ERRORS:
            return Ended.ERRORS
        return ended

    @inlineCallbacks
    def _run(
        self, call: ToolCall, said: str
    ) -> Generator[Deferred[Any], Any, tuple[Mapping[str, Any], Ended | None]]:
        """Run one call; what the model is told, and why the loop ends, if it does."""
        self._check()
        key = self._key(call)
        before = self.made.get(key)
        if before is not None:
            before[1] += 1
            told = {"error": "You have done exactly that in this turn.", "it gave": before[0]}
            self.turn.noted_unrun(call, "the same call again")
            return told, Ended.REPEATED if before[1] >= MOST_REPEATS else None
        if self.used >= self.pattern.max_iterations and not _speaks(call.name):
            self.turn.noted_unrun(call, "no more tools in this turn")
            return {"error": "No more tools in this turn; answer now."}, Ended.LIMIT
        outcome: Outcome = yield execute_tool_call(
            self.turn.agent.script,
            self.turn.agent.npc,
            {"tool": call.name, "parameters": call.arguments, "reasoning": said[:300]},
            offered=self.offered,
            pattern=self.pattern,
        )
        self.made[key] = [outcome.result, 0]
        return outcome.result, self._count(outcome)

    def _count(self, outcome: Outcome) -> Ended | None:
        tool = outcome.tool
        if outcome.error is not None:
            self.errors += 1
            # Where there is but one action, one that failed was it.
            self.used += not self.pattern.multi_tool
            return Ended.ERRORS if self.errors >= MOST_ERRORS else None
        if outcome.terminal and self.pattern.terminal_ends_loop:
            return Ended.SPOKE
        self.used += 1
        if tool is not None and outcome.ok and not tool.cacheable:
            self.deeds += 1
            self.moves += tool.changes_world or tool.category is ToolCategory.DANGEROUS
        return None

    def _key(self, call: ToolCall) -> tuple[Any, ...]:
        """What makes a call equal to another: after a deed, looking again shows something else."""
        try:
            arguments = json.dumps(parse_arguments(call.arguments), sort_keys=True)
        except InvalidArguments:
            arguments = str(call.arguments)[:2000]
        tool = TOOL_REGISTRY.get(call.name)
        looks = tool is not None and tool.cacheable
        return call.name, arguments, self.deeds if looks else self.moves

    # Having enough -------------------------------------------------------------------------------

    def _had_enough(self, answer: LLMResponse) -> Ended | None:
        if self.used >= self.pattern.max_iterations:
            return Ended.LIMIT
        # Room must be left for one more answer with tools and one without.
        following = count_message_tokens(self.messages, self.form.schemas)
        following = max(following, answer.usage.prompt_tokens) + answer.usage.completion_tokens
        return Ended.BUDGET if self._spent() + 2 * following > self.budget else None

    def _advise(self) -> None:
        if not self.advised and self._spent() >= ADVISED_AT * self.budget:
            self.advised = True
            self.messages.append({"role": "user", "content": text("advisory")})

    def _spent(self) -> int:
        return int(sum(self.turn.tokens.values()))


def _speaks(name: str) -> bool:
    tool = TOOL_REGISTRY.get(name)
    return tool is not None and tool.category is ToolCategory.TERMINAL


def _last_words(answer: LLMResponse) -> str:
    """The words of an answer that was to be plain, also where it is a call of `say`."""
    calls = answer.tool_calls
    if not answer.content.strip().startswith(("{", "[", "```")):
        if answer.content.strip() or not calls:
            return answer.content
    else:
        calls = (*calls, *read_json_answer(answer.content, ("say", "whisper")).calls)
    for call in calls:
        try:
            words = parse_arguments(call.arguments).get("text")
        except InvalidArguments:
            continue
        if _speaks(call.name) and isinstance(words, str):
            return words
    return "" if answer.content.strip().startswith(("{", "[{")) else answer.content
