"""`aiinteract`: what goes on between an NPC and those around it, and why it kept silent."""

from __future__ import annotations

from typing import Any

from ..mind.phrases import ago
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

    Switches:
      whynot - each line with the decision, the rule that made it, and the reason
      state  - its conversations, its energy for talk with other NPCs, its queue
      all    - with whynot: also lines said in confidence to others. For keepers and Admins; every
               such look is logged

    Only looks: it does not speak for you. Stand where the NPC is and use 'talk'. The decisions are
    kept until the server reloads.

    Examples:
      aiinteract/whynot bram
      aiinteract/state bram
    """

    key = "aiinteract"
    switch_options = ("whynot", "state", "all")

    def run(self) -> None:
        """Show what the switch says."""
        usage = "aiinteract/whynot <npc>, or aiinteract/state <npc>"
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
    if script.agent.asleep:
        return f"{plain(npc.key)} sleeps: aisetup/wake {key}"
    return ""
