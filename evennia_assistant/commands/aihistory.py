"""`aihistory`: an NPC's last turns, from what it heard to what it said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evennia.utils.dbserialize import deserialize

from ..awake.react import USUAL
from ..mind.entry import when_of
from ..mind.phrases import ago
from .base import AICommand, Refusal
from .plain import count_of, plain, quoted
from .shown import who_may_be_told
from .turn_filters import Wanted, wanted_turns


class CmdHistory(AICommand):
    """
    see an NPC's last turns

    Usage:
      aihistory <npc> [= <how many>]
      aihistory <npc> = [by <player>,] [tool <name>,] [failed,] [days <number>,] [<how many>]
      aihistory/turn <npc> = <turn>

    Switches:
      turn - one turn in full: what was in its prompt, the memories by their numbers, every tool
             with its reason
      all  - also turns about what was told in confidence to others. For keepers and Admins; every
             such look is logged

    Each turn shows when it was, what the NPC heard, how many memories it drew on, which tools it
    used, what it said, which model answered, with how many tokens and in how many milliseconds,
    what failed, and why it ended where that was not with an answer. 'aiwhy' tells what a single
    line rests on.

    Examples:
      aihistory bram
      aihistory bram = 20
      aihistory bram = by anna, failed, days 2
      aihistory/turn bram = 12
    """

    key = "aihistory"
    switch_options = ("turn", "all")

    def run(self) -> None:
        """Show the last turns, or one of them in full."""
        one = "turn" in self.switches
        usage = "aihistory/turn <npc> = <turn>" if one else "aihistory <npc> [= <how many>]"
        script = self.assistant(self.lhs, usage)
        npc = self.with_character(script)
        wanted = None if one else wanted_turns(self.rhs)
        turns = script.agent.turns.last()
        if not turns:
            self.msg(f"{plain(npc.key)} has not taken a turn yet; it takes one when spoken to.")
            return
        reader = self.reader(npc)
        if wanted is None:
            self._one(script, reader, turns)
        else:
            self._several(script, npc, reader, turns, wanted)

    def _several(self, script: Any, npc: Any, reader: Any, turns: Any, wanted: Wanted) -> None:
        now = script.agent.now()
        if wanted.filters:
            # What is kept back is counted over all: a count by filter would tell whose it is.
            shown = [turn for turn in reader.only(turns) if wanted.fits(turn, now)][-wanted.count :]
            count = len(shown)
        else:
            count = len(turns[-wanted.count :])
            shown = reader.only(turns[-wanted.count :])
        if wanted.filters and not shown:
            lines = [f"No turn of {plain(npc.key)} on record fits: {wanted.in_words}."]
        else:
            fitting = f" ({wanted.in_words})" if wanted.filters else ""
            lines = [
                f"|wThe last {count_of(count, 'turn')} of {plain(npc.key)}|n{fitting}, newest last:"
            ]
        for turn in shown:
            lines.extend(turn_lines(turn, now))
        lines.extend(filter(None, [reader.note()]))
        self.page("\n".join(lines))

    def _one(self, script: Any, reader: Any, turns: Any) -> None:
        typed = (self.rhs or "").strip().lstrip("#")
        if not typed:
            raise Refusal("Which turn? Usage: aihistory/turn <npc> = <turn>")
        turn = next((turn for turn in turns if str(turn["id"]) == typed), None)
        if turn is None:
            raise Refusal(
                f'There is no turn "{plain(typed, 40)}" on record: {turns[0]["id"]} to '
                f"{turns[-1]['id']} are kept."
            )
        if not reader.may(turn.get("audience")):
            raise Refusal(f"Turn {turn['id']} is confidential. {reader.note()}")
        lines = turn_in_full(turn, executed_in(script, turn, reader), script.agent.now())
        self.page("\n".join(lines))


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
    lines += assessment_lines(turn)
    if unusual_end(turn):
        lines.append(f"  ended    {unusual_end(turn)}")
    if turn.get("failure"):
        lines.append(f"  |rfailed|n   {plain(turn['failure'], 300)}")
    return lines


def assessment_lines(turn: Any) -> list[str]:
    """What was judged of a turn before it began, when a model was to judge."""
    assessed = turn.get("assessed")
    if not isinstance(assessed, Mapping):
        return []
    score = f" {assessed['complexity']} of 5:" if assessed.get("complexity") else ""
    why = plain(assessed.get("why") or "no reason", 200)
    return [f"  judged   by the {plain(assessed.get('by'), 20)}:{score} {why}"]


def unusual_end(turn: Any) -> str:
    """Why a turn ended, "" where it ended with an answer."""
    ended = turn.get("ended")
    return "" if not ended or ended in USUAL else plain(ended, 60)


def turn_in_full(
    turn: Mapping[str, Any], executed: Sequence[Mapping[str, Any]], now: float
) -> list[str]:
    """
    All that is on record of a turn.

    Args:
        turn: Its record.
        executed: What its tools left in the execution log, in order.
        now: UTC seconds since the epoch.

    """
    head, *_rest = turn_lines(turn, now)
    lines = [head, f"  {who_may_be_told(turn.get('audience'))} of it"]
    for heard in turn.get("heard", ()):
        kept = f", kept as j{heard['entry_id']}" if heard.get("entry_id") else ""
        lines.append(f"  heard    {heard_line(heard)}{kept}")
    parts = turn.get("parts") or {}
    listed = ", ".join(f"{plain(name, 20)} {number}" for name, number in parts.items())
    lines.append(f"  prompt   {listed or 'the rules and the persona alone'}")
    lines += [f"  recalled {recalled_line(used)}" for used in turn.get("recalled") or ()]
    left = list(executed)
    for tool in turn.get("tools", ()):
        ran = next((each for each in left if each["tool"] == tool["tool"]), None)
        if ran is not None:
            left.remove(ran)
        lines += tool_in_full(tool, ran or {})
    return lines + [
        line for line in turn_lines(turn, now)[1:] if line.split(" ", 3)[2] not in _SHOWN_IN_FULL
    ]


#: What `turn_in_full` says more of than `turn_lines`.
_SHOWN_IN_FULL = ("heard", "drew", "tool")


def tool_in_full(tool: Mapping[str, Any], ran: Mapping[str, Any]) -> list[str]:
    """A tool of a turn: what it was given, why, how it ended, how long it took."""
    took = f", {ran['duration_ms']} ms" if isinstance(ran.get("duration_ms"), int) else ""
    ended = f"failed: {plain(tool['error'], 300)}" if tool.get("error") else "done"
    lines = [
        f"  tool     {plain(tool['tool'], 60)} {plain(tool['arguments'], 300)}",
        f"           {ended}{took}",
    ]
    why = ran.get("reasoning") or tool.get("reasoning")
    return [*lines, f"           because {quoted(why, 300)}"] if why else lines


def recalled_line(used: Mapping[str, Any]) -> str:
    """A memory that a turn drew on, by its number."""
    score = used.get("score")
    found = f"score {score:.2f}" if isinstance(score, int | float) else "searched for"
    return f"{plain(used['id'], 20)} ({found})"


def executed_in(script: Any, turn: Mapping[str, Any], reader: Any) -> list[Mapping[str, Any]]:
    """What the tools of a turn left in the execution log, as far as the reader may be told."""
    log = deserialize(script.attributes.get("execution_log"))
    return [
        record
        for record in (log if isinstance(log, list) else ())
        if isinstance(record, Mapping)
        and record.get("tick") == turn["id"]
        and isinstance(record.get("tool"), str)
        and reader.may(record.get("audience"))
    ]


def heard_line(heard: Any) -> str:
    """A line that was heard: from whom, how, the words."""
    return f"{plain(heard['from'], 40)} ({plain(heard['how'], 20)}): {quoted(heard['text'])}"


def said_line(said: Any) -> str:
    """A line that was said: how, and the words."""
    return f"({plain(said['manner'], 20)}) {quoted(said['text'])}"
