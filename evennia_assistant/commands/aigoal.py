"""`aigoal`: what an NPC is after, and setting it goals."""

from __future__ import annotations

import re
from typing import Any

from ..awake.decomposing import Decomposition, decompose_goal
from ..errors import AssistantError
from ..mind import goal_tree
from .base import AICommand, Refusal
from .plain import count_of, plain

_PRIORITY = re.compile(r",\s*(\d{1,4})\s*\Z")


class CmdGoal(AICommand):
    """
    see what an NPC is after, and set it goals

    Usage:
      aigoal <npc>
      aigoal/add <npc> = <text>[, <priority>]
      aigoal/sub <npc> = <goal> <text>[, <priority>]
      aigoal/done <npc> = <goal> [<how it ended>]
      aigoal/drop <npc> = <goal> [<why>]
      aigoal/decompose <npc> = <goal>

    Switches:
      add  - a new goal; priority is 1 to 10, 5 unless said
      sub  - a part of a goal
      done - the goal is reached; one made of parts is when all of them are
      drop - give it up, with its parts
      decompose - have its model break the goal down into two to five parts. Without a model a goal
             stays one step
      all  - also goals set in confidence. For keepers and Admins; every such look is logged

    A goal you set is one the NPC may tell anyone about. Only keepers and Admins set and change
    goals; players can have it take up small ones in talk, where the tools for that are allowed.

    Examples:
      aigoal/add bram = Find out who owns the lighthouse, 8
      aigoal/sub bram = g1 Ask the harbour master
      aigoal/decompose bram = g1
      aigoal/done bram = g2 she does not know
    """

    key = "aigoal"
    switch_options = ("add", "sub", "done", "drop", "decompose", "all")

    def run(self) -> None:
        """Show the goals, or do what the switch says."""
        switch = next((name for name in self.switches if name != "all"), None)
        usage = "aigoal[/add, /sub, /done, /drop, /decompose] <npc> [= <...>]"
        script = self.assistant(self.lhs, usage)
        npc = self.with_character(script)
        if switch is None:
            if self.rhs is not None:
                raise Refusal(
                    f"Do you want to set a goal? aigoal/add {plain(self.lhs, 40)} = "
                    f"{plain(self.rhs, 60)}"
                )
            self._list(script, npc)
            return
        self.need_keeper(script)
        text = " ".join((self.rhs or "").split())
        if not text:
            raise Refusal(f"Usage: {_USAGE[switch]}")
        try:
            getattr(self, f"_{switch}")(npc, text)
        except ValueError as err:
            raise Refusal(plain(err, 300)) from err
        npc.memory.save()

    def _list(self, script: Any, npc: Any) -> None:
        goals, reader = npc.memory.goals, self.reader(npc)
        key = script.db.assistant_key
        if not goals.all:
            self.msg(f"{plain(npc.key)} has no goal. Set one: aigoal/add {key} = <text>")
            return
        still_open = len(goals.open())
        lines = [
            f"|wGoals of {plain(npc.key)}|n: {still_open} open, {len(goals.all) - still_open} "
            "closed."
        ]
        for depth, goal in goal_tree.in_order(goals.all):
            if reader.may(goal["audience"]):
                lines.append(f"{'  ' * (depth + 1)}{_line(goals, goal)}")
        lines.extend(filter(None, [_mended(goals), reader.note()]))
        self.page("\n".join(lines))

    def _add(self, npc: Any, text: str) -> None:
        words, priority = _with_priority(text)
        self._created(npc, words, priority, None)

    def _sub(self, npc: Any, text: str) -> None:
        parent, _space, rest = text.partition(" ")
        if not rest:
            raise Refusal(f"Usage: {_USAGE['sub']}")
        words, priority = _with_priority(rest)
        self._created(npc, words, priority, parent.lower())

    def _created(self, npc: Any, words: str, priority: int, parent: str | None) -> None:
        goal = npc.memory.goals.create(
            words, priority=priority, parent_id=parent, audience="public", when=_now(npc)
        )
        part = f" as part of {parent}" if parent else ""
        self.msg(
            f"{plain(npc.key)} has the new goal {goal['goal_id']}{part}: {plain(words)} "
            f"(priority {priority})."
        )

    def _done(self, npc: Any, text: str) -> None:
        self._ended(npc, text, "completed")

    def _drop(self, npc: Any, text: str) -> None:
        self._ended(npc, text, "dropped")

    def _decompose(self, npc: Any, text: str) -> None:
        script, goal_id = npc.assistant_script, text.lower()
        if not self.reader(npc).may(npc.memory.goals.find(goal_id)["audience"]):
            raise Refusal(
                f"{plain(goal_id, 40)} was set in confidence. To break it down and see its parts "
                f"(that is logged): aigoal/decompose/all {script.db.assistant_key} = "
                f"{plain(goal_id, 40)}"
            )
        running = decompose_goal(script, goal_id)
        if not running.called:
            self.msg(f"{plain(npc.key)} thinks about how to reach {plain(goal_id, 40)} ...")
        running.addCallbacks(self._decomposed, self._not_decomposed, [npc])
        running.addErrback(lambda failure: script.agent.log_failure("decomposing a goal", failure))

    def _decomposed(self, found: Decomposition, npc: Any) -> None:
        if not found.steps:
            self.msg(f"No parts were made: {plain(found.why_none, 300)}.")
            return
        goals = npc.memory.goals
        made = [goal for goal in goals.all if goal["goal_id"] in found.steps]
        lines = [f"{plain(npc.key)} has broken {found.goal_id} down into:"]
        lines += [f"  {_line(goals, goal)}" for goal in made]
        lines += [f"  not used: {plain(problem, 200)}" for problem in found.problems]
        self.msg("\n".join(lines))

    def _not_decomposed(self, failure: Any) -> None:
        failure.trap(AssistantError, ValueError)
        self.msg(f"No parts were made: {plain(failure.value, 300)}")

    def _ended(self, npc: Any, text: str, status: str) -> None:
        goal_id, _space, outcome = text.partition(" ")
        goal, *others = npc.memory.goals.change(
            goal_id.lower(), status=status, outcome=outcome[: goal_tree.MAX_DESCRIPTION]
        )
        also = "; ".join(f"{other['goal_id']} is {other['status']}" for other in others)
        self.msg(f"{goal['goal_id']} is {status}{'. With it, ' + also if also else ''}.")


_USAGE = {
    "add": "aigoal/add <npc> = <text>[, <priority>]",
    "sub": "aigoal/sub <npc> = <goal> <text>[, <priority>]",
    "done": "aigoal/done <npc> = <goal> [<how it ended>]",
    "drop": "aigoal/drop <npc> = <goal> [<why>]",
    "decompose": "aigoal/decompose <npc> = <goal>",
}


def _mended(goals: Any) -> str:
    if not goals.mended:
        return ""
    return (
        f"|yWhat was stored was {plain(goals.mended, 300)}. It is mended; as it was, it stands in "
        "current_goals_set_aside of the script.|n"
    )


def _now(npc: Any) -> float:
    return float(npc.assistant_script.agent.now())


def _with_priority(text: str) -> tuple[str, int]:
    found = _PRIORITY.search(text)
    if found is None:
        return text, goal_tree.USUAL
    return text[: found.start()].strip(), int(found[1])


def _line(goals: Any, goal: Any) -> str:
    about = [f"priority {goal['priority']}"]
    if goal["status"] == "active":
        parts = goal_tree.parts_of(goals.all, goal["goal_id"])
        if parts:
            done = round(100 * goals.progress(goal["goal_id"]))
            about.append(f"{count_of(len(parts), 'part')}, {done} % done")
    else:
        about.append(goal["status"])
    if goal["asked_by"]:
        about.append("at a player's word")
    outcome = f" - {plain(goal['outcome'], 200)}" if goal["outcome"] else ""
    return f"{goal['goal_id']}  {plain(goal['description'], 300)} ({', '.join(about)}){outcome}"
