"""`aiinteract`: what goes on between an NPC and those around it, and why it kept silent."""

from __future__ import annotations

from typing import Any

from ..mind.entry import when_of
from ..mind.initiative import Limits, open_again, still_counting
from ..mind.phrases import HOUR, ago
from .base import AICommand, Refusal
from .plain import count_of, plain, quoted
from .shown import name_of

#: Decisions shown.
SHOWN = 10


class CmdInteract(AICommand):
    """
    see how an NPC takes what it hears

    Usage:
      aiinteract/whynot <npc>    the last lines it heard, and why it answered or did not
      aiinteract/state <npc>     whom it talks with, what waits, how soon it may answer
      aiinteract/initiative <npc>  when it spoke up of itself, and why it did not

    Switches:
      whynot - each line with the decision, the rule that made it, and the reason
      state  - its conversations, its energy for talk with other NPCs, its queue
      initiative - when it looked for something to speak up about, with what came of it, or the gate
               that held it
      all    - with whynot: also lines said in confidence to others. For keepers and Admins; every
               such look is logged

    Only looks: it does not speak for you. Stand where the NPC is and use 'talk'. The decisions are
    kept until the server reloads; those on speaking up of itself stay.

    Examples:
      aiinteract/whynot bram
      aiinteract/state bram
      aiinteract/initiative bram
    """

    key = "aiinteract"
    switch_options = ("whynot", "state", "initiative", "all")

    def run(self) -> None:
        """Show what the switch says."""
        usage = "aiinteract/whynot <npc>, aiinteract/state <npc> or aiinteract/initiative <npc>"
        script = self.assistant(self.lhs, usage)
        npc = self.with_character(script)
        if self.rhs is not None:
            raise Refusal(
                f"aiinteract only looks. To speak to {plain(npc.key)}, go there and use: talk "
                f"{plain(npc.key)} {plain(self.rhs, 60)}"
            )
        if "whynot" in self.switches:
            self._whynot(script, npc)
        elif "state" in self.switches:
            self._state(script, npc)
        elif "initiative" in self.switches:
            self._initiative(script, npc)
        else:
            raise Refusal(f"Usage: {usage}")

    def _whynot(self, script: Any, npc: Any) -> None:
        off = _why_silent(script, npc)
        decisions = list(script.agent.decisions)[-SHOWN:]
        lines = [off] if off else []
        if not decisions:
            lines.append(f"{plain(npc.key)} has heard nothing since the server started or it was.")
            self.msg("\n".join(lines))
            return
        reader, now = self.reader(npc), script.agent.now()
        lines.append(
            f"|wWhat {plain(npc.key)} made of the last {count_of(len(decisions), 'line')}|n, "
            "newest last:"
        )
        for percept, decision in decisions:
            if not reader.may(percept.audience):
                continue
            does = {"TRIGGER": "answers", "CONTEXT": "listens only", "IGNORE": "ignores it"}
            lines.append(
                f"  {ago(now - percept.when)}, {plain(percept.speaker_name, 40)} "
                f"({plain(percept.manner, 20)}): {quoted(percept.words)}\n"
                f"      {decision.kind}: {does.get(decision.kind, '')}, by rule "
                f"'{plain(decision.rule, 60)}': {plain(decision.reason, 200)}"
            )
        lines.extend(filter(None, [reader.note()]))
        self.page("\n".join(lines))

    def _state(self, script: Any, npc: Any) -> None:
        agent, now = script.agent, script.agent.now()
        idle = script.option("engagement_seconds")
        with_whom = [
            f"{name_of(who)} (spoke {now - agent.engagement.partners[who]:.0f} s ago)"
            for who in sorted(agent.engagement.current(now, idle))
        ]
        runner = agent.runner
        busy = "no"
        if runner.turn is not None:
            busy = f"thinking for {max(0.0, now - runner.turn.started):.1f} s"
        self.msg(
            f"|wState of {plain(npc.key)}|n (assistant {script.db.assistant_key})\n"
            f"  {_why_silent(script, npc) or 'It hears and answers.'}\n"
            f"  in conversation  {', '.join(with_whom) or 'with nobody'}\n"
            f"  energy           {agent.energy.level} of {agent.energy.full} lines to other NPCs\n"
            f"  waiting lines    {len(runner.events.data)}\n"
            f"  busy             {busy}\n"
            f"  cooldown         {runner.cooldown():.1f} s\n"
            f"  errors in a row  {script.db.consecutive_errors or 0} of "
            f"{script.option('max_consecutive_errors')}"
        )

    def _initiative(self, script: Any, npc: Any) -> None:
        key, agent = script.db.assistant_key, script.agent
        if not script.option("initiative"):
            self.msg(
                f"{plain(npc.key)} speaks only when spoken to. To change that: "
                f"aisetup/config {key} set initiative yes"
            )
            return
        log, reader, now = agent.initiative.log, self.reader(npc), agent.now()
        limits = agent.initiative.limits
        spent = len(still_counting(now, log.attempts, Limits(limits.per_day, 0.0)))
        opens = open_again(log.attempts, limits) - now
        lines = [
            f"|wWhen {plain(npc.key)} spoke up of itself|n, newest last:",
            *(_looked(record, now) for record in log.log if reader.may(record.get("audience"))),
        ]
        if len(lines) == 1:
            lines.append("  It has not looked for an occasion yet: no player was near it.")
        waits = ", ".join(sorted(name_of(who) for who in log.awaiting)) or "nobody"
        lines += [
            f"  tried            {spent} of {limits.per_day} times in the last 24 hours",
            f"  may again        {f'in {opens / HOUR:.1f} hours' if opens > 0 else 'now'}",
            f"  waits for a word of  {waits}",
        ]
        lines.extend(filter(None, [_why_silent(script, npc), reader.note()]))
        self.page("\n".join(lines))


#: What a gate that held means, for people.
_HELD = {
    "quiet": "it sleeps",
    "awaiting": "what it said last has not been answered",
    "budget": "it has spoken up as often as it may in a day",
    "gap": "it is too soon after the last time",
    "turn": "it was answering somebody",
    "trigger": "there was nothing to speak up about",
}


def _looked(record: Any, now: float) -> str:
    """One record of `InitiativeLog`."""
    again = f", {count_of(record['times'], 'time')}" if record["times"] > 1 else ""
    head = f"  {ago(now - when_of(record['last_at']))}{again}"
    why = plain(record.get("why") or "", 20)
    about = [plain(record[key], 20) for key in ("goal_id", "step_id") if record.get(key)]
    if record.get("entry_id") is not None:
        about.append(f"j{record['entry_id']}")
    what = " ".join([why, *dict.fromkeys(about)]).strip()
    gate = record.get("gate")
    if gate is not None:
        what = f" ({what})" if what else ""
        return f"{head}: held by '{plain(gate, 20)}': {_HELD.get(gate, 'unknown')}{what}"
    whom = ", ".join(name_of(who) for who in record["towards"])
    came = "it is at it, or was interrupted"
    if "said" in record:
        came = "it spoke" if record["said"] else "it said nothing"
    failed = f": {plain(record['why_not'], 200)}" if record.get("why_not") else ""
    return f"{head}: {what}, to {whom}; {came}{failed}"


def _why_silent(script: Any, npc: Any) -> str:
    """Why it answers nobody at all, "" when it would."""
    key = script.db.assistant_key
    if script.db.emergency_stop:
        return (
            f"{plain(npc.key)} is in emergency stop; the log has the cause. When it is mended: "
            f"aisetup/start {key}"
        )
    if not script.db.enabled:
        return f"{plain(npc.key)} is switched off: aisetup/start {key}"
    return ""
