"""`aihistory`: an NPC's last turns, from what it heard to what it said."""

from __future__ import annotations

from typing import Any

from ..awake.trace import MAX_TURNS
from ..mind.entry import when_of
from ..mind.phrases import ago
from .base import AICommand, Refusal
from .plain import count_of, plain, quoted

#: Turns shown unless more are asked for.
SHOWN = 5


class CmdHistory(AICommand):
    """
    see an NPC's last turns

    Usage:
      aihistory <npc> [= <how many>]

    Switches:
      all - also turns about what was told in confidence to others. For keepers and Admins; every
            such look is logged

    Each turn shows when it was, what the NPC heard, how many memories it drew on, which tools it
    used, what it said, which model answered, with how many tokens and in how many milliseconds,
    and what failed. 'aiwhy' tells what a single line rests on.

    Examples:
      aihistory bram
      aihistory bram = 20
    """

    key = "aihistory"
    switch_options = ("all",)

    def run(self) -> None:
        """Show the last turns."""
        script = self.assistant(self.lhs, "aihistory <npc> [= <how many>]")
        npc = self.with_character(script)
        count = self._count()
        turns = script.agent.turns.last()
        if not turns:
            self.msg(f"{plain(npc.key)} has not taken a turn yet; it takes one when spoken to.")
            return
        reader = self.reader(npc)
        wanted = turns[-count:]
        visible = reader.only(wanted)
        lines = [f"|wThe last {count_of(len(wanted), 'turn')} of {plain(npc.key)}|n, newest last:"]
        for turn in visible:
            lines.extend(turn_lines(turn, script.agent.now()))
        lines.extend(filter(None, [reader.note()]))
        self.page("\n".join(lines))

    def _count(self) -> int:
        if self.rhs is None:
            return SHOWN
        typed = self.rhs.strip()
        if not typed.isdecimal() or not 1 <= int(typed[:9]) <= MAX_TURNS:
            raise Refusal(
                f"Ask for 1 to {MAX_TURNS} turns, which are all that is kept, "
                f'not for "{plain(typed, 40)}".'
            )
        return int(typed)


def turn_lines(turn: Any, now: float) -> list[str]:
    """One turn, as its record has it."""
    head = [f"|w#{turn['id']}|n", ago(now - when_of(turn["at"])), f"{turn.get('ms', 0)} ms"]
    if turn.get("model"):
        head.append(plain(turn["model"], 60))
    calls, tokens = turn.get("calls", 0), turn.get("tokens") or {}
    if calls:
        head.append(
            f"{count_of(calls, 'call')}, {tokens.get('prompt', 0)}+{tokens.get('completion', 0)} "
            "tokens"
        )
    lines = [", ".join(head)]
    lines += [f"  heard    {heard_line(heard)}" for heard in turn.get("heard", ())]
    if turn.get("why"):
        lines.append(f"  of its own accord: {plain(turn['why'], 20)}")
    recalled = turn.get("recalled") or ()
    if recalled:
        ids = ", ".join(plain(used["id"], 20) for used in recalled)
        lines.append(f"  drew on  {count_of(len(recalled), 'memory', 'memories')}: {ids}")
    for tool in turn.get("tools", ()):
        error = f" - {plain(tool['error'], 200)}" if tool.get("error") else ""
        lines.append(f"  tool     {plain(tool['tool'], 60)} {plain(tool['arguments'], 120)}{error}")
    lines += [f"  said     {said_line(said)}" for said in turn.get("said", ())]
    if not turn.get("said"):
        lines.append("  said     nothing")
    if turn.get("failure"):
        lines.append(f"  |rfailed|n   {plain(turn['failure'], 300)}")
    return lines


def heard_line(heard: Any) -> str:
    """A line that was heard: from whom, how, the words."""
    return f"{plain(heard['from'], 40)} ({plain(heard['how'], 20)}): {quoted(heard['text'])}"


def said_line(said: Any) -> str:
    """A line that was said: how, and the words."""
    return f"({plain(said['manner'], 20)}) {quoted(said['text'])}"
