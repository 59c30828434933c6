"""`aiexec`: try a tool as the NPC, dry unless told to run."""

from __future__ import annotations

import json
from typing import Any

from evennia.objects.objects import DefaultObject
from evennia.utils import logger
from evennia.utils.utils import inherits_from

from ..awake.by_hand import check_by_hand, run_by_hand
from ..errors import AssistantError, InvalidArguments, ToolError
from ..llm.structured import parse_arguments
from ..tools import Tool, all_tools
from .aisetup.config import closest
from .base import AICommand, Refusal
from .plain import plain

USAGE = "aiexec[/run] <npc> = <tool> [{<arguments as JSON>}]"


class CmdExec(AICommand):
    """
    try a tool as an NPC

    Usage:
      aiexec <npc>                              the tools there are, and which it may use
      aiexec <npc> = <tool> [{<arguments>}]     check a call, and run nothing
      aiexec/run <npc> = <tool> [{<arguments>}] run it as the NPC

    Switches:
      run - really run it. For keepers and Admins; every run is logged

    The arguments are a JSON object, as a model would write it. A tool that speaks needs you to be
    where the NPC is. It can do no more than the NPC may do and you may do.

    Examples:
      aiexec bram = say {"text": "Good evening."}
      aiexec/run bram = go {"exit": "north"}
    """

    key = "aiexec"
    switch_options = ("run",)

    def run(self) -> None:
        """List the tools, check a call, or run it."""
        script = self.assistant(self.lhs, USAGE)
        npc = self.with_character(script)
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
        running.addCallbacks(self._show, self._failed, [npc, tool], None, [npc, tool])

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

    def _show(self, result: Any, npc: Any, tool: Tool) -> None:
        shown = plain(json.dumps(result, ensure_ascii=False, default=str), 2000)
        self.msg(f"{plain(npc.key)} ran {tool.name}: {shown}")

    def _failed(self, failure: Any, npc: Any, tool: Tool) -> None:
        if failure.check(AssistantError) is None:
            logger.log_err(f"Assistant tool {tool.name} failed.\n{failure.getTraceback()}")
            self.msg(f"{tool.name} failed ({failure.type.__name__}); the log has the traceback.")
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
