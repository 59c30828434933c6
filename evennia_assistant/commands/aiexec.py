"""`aiexec`: try a tool as the NPC, dry unless told to run, and see what it did with its tools."""

from __future__ import annotations

import json
from typing import Any

from evennia.objects.objects import DefaultObject
from evennia.utils import logger
from evennia.utils.utils import inherits_from

from ..awake.by_hand import check_by_hand, run_by_hand, run_confirmed
from ..awake.execution_log import log_execution
from ..errors import AssistantError, InvalidArguments, ToolBroken, ToolError
from ..llm.structured import parse_arguments
from ..mind.audience import frozen
from ..tools import Tool, all_tools
from .aisetup.config import closest
from .base import AICommand, Refusal
from .executions import SHOWN, log_lines, metrics_lines, request_lines
from .plain import count_of, plain

USAGE = "aiexec[/run] <npc> = <tool> [{<arguments as JSON>}]"


class CmdExec(AICommand):
    """
    try a tool as an NPC

    Usage:
      aiexec <npc>                              the tools there are, and which it may use
      aiexec <npc> = <tool> [{<arguments>}]     check a call, and run nothing
      aiexec/run <npc> = <tool> [{<arguments>}] run it as the NPC
      aiexec/log <npc> [= <how many>]           the last tools it ran, and what came of them
      aiexec/metrics <npc>                      how often each ran and failed, and how long it took
      aiexec/waiting <npc>                      DANGEROUS tools it asks its keepers for
      aiexec/confirm <npc> = <number>           agree to one of them, and run it
      aiexec/deny <npc> = <number>              refuse it

    Switches:
      run - really run it. For keepers and Admins; every run is logged
      log, metrics - look at what it did
      waiting - look at what it asks for; such a request is forgotten after a quarter of an hour
      confirm, deny - answer it. For keepers and Admins; logged
      all - with log or waiting: also what was done in confidence with others. For keepers and
            Admins; every such look is logged

    The arguments are a JSON object, as a model would write it. A tool that speaks needs you to be
    where the NPC is. It can do no more than the NPC may do and you may do.

    Examples:
      aiexec bram = say {"text": "Good evening."}
      aiexec/run bram = go {"exit": "north"}
      aiexec/log bram = 20
    """

    key = "aiexec"
    switch_options = ("run", "log", "metrics", "waiting", "confirm", "deny", "all")

    def run(self) -> None:
        """List the tools, check a call, or run it."""
        script = self.assistant(self.lhs, USAGE)
        npc = self.with_character(script)
        for switch in ("log", "metrics", "waiting", "confirm", "deny"):
            if switch in self.switches:
                getattr(self, f"_{switch}")(script, npc)
                return
        if self.rhs is None:
            self._list(npc)
            return
        runs = "run" in self.switches
        if runs:
            self.need_keeper(script)
        tool, arguments = self._call()
        if not inherits_from(self.caller, DefaultObject):
            raise Refusal("Do this as a character: the tool asks what you may do in the game.")
        try:
            check_by_hand(script.agent, tool, arguments, self.caller)
        except ToolError as err:
            raise Refusal(f"It would not run: {plain(err, 400)}") from err
        if not runs:
            self.msg(_would_run(npc, self.caller, tool, arguments))
            return
        logger.log_sec(
            f"Assistant tool: {self.caller.key} #{self.caller.pk} ran {tool.name} "
            f"{plain(json.dumps(arguments, ensure_ascii=False), 300)} as {npc.key} #{npc.pk}"
        )
        running = run_by_hand(script.agent, tool, arguments, self.caller)
        self._when_done(running, npc, tool.name)

    # What it did ---------------------------------------------------------------------------------

    def _log(self, script: Any, npc: Any) -> None:
        records = script.agent.executions.last(self._count())
        if not records:
            self.msg(f"{plain(npc.key)} has run no tool yet.")
            return
        reader = self.reader(npc)
        count = count_of(len(records), "tool")
        lines = [f"|wThe last {count} {plain(npc.key)} ran|n, newest last:"]
        lines += log_lines(reader.only(records), script.agent.now())
        self.page("\n".join([*lines, *filter(None, [reader.note()])]))

    def _count(self) -> int:
        typed = (self.rhs or str(SHOWN)).strip()
        if not typed.isdecimal() or not 1 <= int(typed[:9]) <= 1000:
            raise Refusal(f'Ask for 1 to 1000 of them, not for "{plain(typed, 40)}".')
        return int(typed)

    def _metrics(self, script: Any, npc: Any) -> None:
        figures = script.agent.executions.metrics.data
        self.page("\n".join([f"|wWhat {plain(npc.key)} did|n", *metrics_lines(figures)]))

    # What it asks for ----------------------------------------------------------------------------

    def _waiting(self, script: Any, npc: Any) -> None:
        requests = script.agent.confirmations.waiting()
        if not requests:
            self.msg(f"{plain(npc.key)} asks for nothing.")
            return
        reader = self.reader(npc)
        key = script.db.assistant_key
        lines = [
            f"|w{plain(npc.key)} asks for leave|n; aiexec/confirm {key} = <number> gives it, "
            f"aiexec/deny {key} = <number> does not:",
            *request_lines(reader.only(requests), script.agent.now()),
        ]
        self.page("\n".join([*lines, *filter(None, [reader.note()])]))

    def _confirm(self, script: Any, npc: Any) -> None:
        self.need_keeper(script)
        if not inherits_from(self.caller, DefaultObject):
            raise Refusal("Do this as a character: the tool asks what you may do in the game.")
        if script.agent.runner.turn is not None:
            raise Refusal(f"{plain(npc.key)} is thinking; try again in a moment.")
        request = self._request(script, npc)
        logger.log_sec(
            f"Assistant tool: {self.caller.key} #{self.caller.pk} agreed to request "
            f"{request['id']} of {npc.key} #{npc.pk}: {request['tool']}"
        )
        try:
            running = run_confirmed(script.agent, request, self.caller)
        except ToolError as err:
            raise Refusal(f"{plain(npc.key)} did not do it: {plain(err, 400)}") from err
        self._when_done(running, npc, request["tool"])

    def _deny(self, script: Any, npc: Any) -> None:
        self.need_keeper(script)
        request = self._request(script, npc)
        logger.log_sec(
            f"Assistant tool: {self.caller.key} #{self.caller.pk} refused request "
            f"{request['id']} of {npc.key} #{npc.pk}: {request['tool']}"
        )
        log_execution(
            script,
            request["tool"],
            {"parameters": request["arguments"], "reasoning": request["reasoning"]},
            False,
            "refused by a keeper",
            audience=frozen(request["audience"]),
            by=f"#{self.caller.pk}" if inherits_from(self.caller, DefaultObject) else None,
        )
        self.msg(f"{plain(npc.key)} will not run {plain(request['tool'], 60)}.")

    def _request(self, script: Any, npc: Any) -> Any:
        """The request somebody named; it waits no longer from now on."""
        typed = (self.rhs or "").strip().lstrip("#")
        try:
            return script.agent.confirmations.take(int(typed[:9]) if typed.isdecimal() else 0)
        except KeyError:
            raise Refusal(
                f'{plain(npc.key)} asks for nothing numbered "{plain(typed, 20)}"; aiexec/waiting '
                f"{script.db.assistant_key} lists what it asks for."
            ) from None

    # Trying tools --------------------------------------------------------------------------------

    def _when_done(self, running: Any, npc: Any, name: str) -> None:
        running.addCallbacks(self._show, self._failed, [npc, name], None, [npc, name])

    def _list(self, npc: Any) -> None:
        lines = [f"|wTools of {plain(npc.key)}|n; - is not allowed to it."]
        for name, tool in all_tools().items():
            mark = " " if tool.allowed(npc) else "-"
            lines.append(f" {mark}{name:<18} {tool.category}  {plain(tool.description, 200)}")
        lines.append("Allow one: aisetup/config <key> set allowed_tools <tool>, <tool>")
        self.page("\n".join(lines))

    def _call(self) -> tuple[Tool, dict[str, Any]]:
        name, _space, rest = self.rhs.strip().partition(" ")
        if not name:
            raise Refusal(f"Usage: {USAGE}")
        tools = all_tools()
        tool = tools.get(name.lower())
        if tool is None:
            close = closest(name.lower(), tools)
            hint = f" Did you mean {' or '.join(close)}?" if close else ""
            raise Refusal(f'There is no tool "{plain(name, 40)}".{hint} aiexec <npc> lists them.')
        try:
            return tool, parse_arguments(rest)
        except InvalidArguments as err:
            raise Refusal(f"It would not run: {plain(err, 400)}") from err

    def _show(self, result: Any, npc: Any, name: str) -> None:
        shown = plain(json.dumps(result, ensure_ascii=False, default=str), 2000)
        self.msg(f"{plain(npc.key)} ran {name}: {shown}")

    def _failed(self, failure: Any, npc: Any, name: str) -> None:
        if failure.check(AssistantError) is None:
            logger.log_err(f"Assistant tool {name} failed.\n{failure.getTraceback()}")
            self.msg(f"{name} failed ({failure.type.__name__}); the log has the traceback.")
        elif failure.check(ToolBroken) is not None:
            self.msg(f"{str(failure.value).rstrip('.')}; the log has the traceback.")
        else:
            self.msg(f"{plain(npc.key)} did not do it: {plain(failure.value, 400)}")


def _would_run(npc: Any, who: Any, tool: Tool, arguments: dict[str, Any]) -> str:
    shown = plain(json.dumps(arguments, ensure_ascii=False), 600)
    rule = "its option allowed_tools names it" if _is_gated(tool) else "every NPC may"
    return (
        f"{plain(npc.key)} would run {tool.name} {shown}\n"
        f"  category   {tool.category}; given up after {tool.timeout:g} s\n"
        f"  allowed    to {plain(npc.key)}: {rule}; to you ({plain(who.key, 40)}): {tool.locks}\n"
        f"  refuses    {plain(tool.refuses or 'nothing more', 400)}\n"
        "Nothing was run; aiexec/run runs it."
    )


def _is_gated(tool: Tool) -> bool:
    return tool.changes_world or tool.category == "dangerous"
