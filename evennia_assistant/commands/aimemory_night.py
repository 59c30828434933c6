"""`aimemory/reflect`, `/dryrun`, `/diff` and `/undo`: what nights make of a memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from evennia.utils import logger
from evennia.utils.dbserialize import deserialize
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from ..asleep.dry_run import run_night_on_copy
from ..asleep.night import night_of
from ..asleep.reflection import run_reflection
from ..asleep.undo import undo_last_night, why_not_undo
from ..errors import AssistantError
from ..memory.reflection_state import check_reflection_trigger
from ..memory.semantic import semantic_memory, uses_semantic_memory
from ..mind.entry import number_of, when_of
from ..mind.phrases import ago
from .base import AICommand, Refusal
from .gate import Reader
from .plain import count_of, plain
from .shown import who_may_be_told

#: Words that make `aimemory/reflect` do it.
_NOW = ("now", "run")


class NightViews(AICommand):
    """What `aimemory` shows and does about nights; mixed into the command."""

    # Reflection --------------------------------------------------------------------------------

    def _reflect(self, script: Any, npc: Any) -> None:
        wanted = (self.rhs or "").strip().lower()
        if wanted and wanted not in _NOW:
            raise Refusal("Usage: aimemory/reflect <npc> [= now]")
        if not wanted:
            self.msg("\n".join(_reflection_lines(script, npc, self.reader(npc))))
            return
        self.need_keeper(script)
        if night_of(script).running:
            raise Refusal(
                f"A step of {plain(npc.key)}'s night is under way; ask again in a minute."
            )
        reader, name = self.reader(npc), plain(npc.key)
        self.msg(f"{name} reflects ...")

        def show(done: Mapping[str, Any]) -> None:
            if done.get("why"):
                self.msg(f"{name} concluded nothing: {done['why']}.")
                return
            entries = [npc.memory.journal.find(number) for number in done["entry_ids"]]
            lines = [f"{name} came to {count_of(done['insights'], 'insight')}."]
            for entry in entries:
                if entry is not None and reader.may(entry.get("audience")):
                    lines.append(f"  j{entry['id']}: {plain(entry['content'])}")
                    lines.append(f"      rests on {plain(', '.join(entry.get('evidence', ())))}")
            lines.extend(filter(None, [reader.note()]))
            self.page("\n".join(lines))

        self._when_done(run_reflection(script, npc), show)

    # Nights ------------------------------------------------------------------------------------

    def _diff(self, script: Any, npc: Any) -> None:
        last = deserialize(script.db.last_night)
        if not last:
            self.msg(f"{plain(npc.key)} has not slept through a night yet.")
            return
        reader = self.reader(npc)
        lines = [f"|wWhat the last night of {plain(npc.key)} changed|n"]
        began, ended = when_of(last["started"]), when_of(last["closed"])
        lines.append(
            f"Night {last['id']}, {ago(script.agent.now() - ended)}; it took "
            f"{count_of(round((ended - began) / 60), 'minute')} and {_cost(last['budget'])}."
        )
        if last.get("undone"):
            lines.append(f"It was taken back {ago(script.agent.now() - when_of(last['undone']))}.")
        lines += _ledger_lines(npc, last["ledger"], reader)
        lines.extend(filter(None, [reader.note()]))
        self.page("\n".join(lines))

    def _dryrun(self, script: Any, npc: Any) -> None:
        self.need_keeper(script)
        reader, name = self.reader(npc), plain(npc.key)
        self.msg(f"A copy of {name} goes to sleep ...")

        def show(night: Mapping[str, Any]) -> None:
            if not night.get("ledger"):
                self.msg(f"The copy of {name} did not come to the end of its night.")
                return
            lines = [
                f"|wWhat tonight would change in {name}|n (nothing has changed)",
                f"It would take about {_cost(night['budget'])}, as this did.",
                *_ledger_lines(npc, night["ledger"], reader),
            ]
            facts = [fact for fact in night["facts"] if reader.may(fact["audience"])]
            if facts:
                entries = count_of(len(facts), "entry", "entries")
                lines.append(f"  Facts for semantic memory would be made of {entries}:")
                lines += [f"    {fact['id']}: {plain(fact['text'])}" for fact in facts]
            lines.extend(filter(None, [reader.note()]))
            self.page("\n".join(lines))

        def progress(step: str) -> None:
            self.msg(f"  {step} ...")

        self._when_done(run_night_on_copy(script, progress), show)

    def _undo(self, script: Any, npc: Any) -> None:
        self.need_keeper(script)
        name = plain(npc.key)
        why = why_not_undo(script)
        if why is not None and not (script.db.before_night or {}).get("to_remove"):
            raise Refusal(why)
        self.msg(f"{name}'s last night is taken back ...")

        def show(done: Mapping[str, Any]) -> None:
            if not done["undone"]:
                self.msg(str(done["why"]))
                return
            logger.log_sec(
                f"Assistant memory: {self.caller.key} #{self.caller.pk} took back the last night "
                f"of {npc.key} #{npc.pk}."
            )
            entries = count_of(done["entries"], "journal entry", "journal entries")
            self.msg(
                f"{name} is as it was before its last night, with all that it heard since: "
                f"{entries} changed back, {count_of(done['facts'], 'fact')} removed."
            )

        facts = semantic_memory() if uses_semantic_memory(script) else None
        self._when_done(undo_last_night(script, npc, facts), show)

    def _when_done(self, work: Deferred[Any], show: Callable[[Mapping[str, Any]], None]) -> None:
        """Show what work came to, or say in one line why it could not be done."""

        def failed(failure: Failure) -> None:
            failure.trap(AssistantError)
            self.msg(f"That could not be done: {plain(failure.value, 300)}")

        def broke(failure: Failure) -> None:
            logger.log_err(f"Assistant: a command on a night failed.\n{failure.getTraceback()}")
            self.msg("That broke in a way nobody foresaw; the server's log says how.")

        work.addCallbacks(show, failed).addErrback(broke)


def _reflection_lines(script: Any, npc: Any, reader: Reader) -> list[str]:
    state, now = npc.memory.reflection.data, script.agent.now()
    last = state["last_reflection_time"]
    due = "due" if check_reflection_trigger(script) else "not due yet"
    lines = [
        f"|wWhat {plain(npc.key)} has to think about|n",
        f"  importance     {state['cumulative_importance']:g} of {state['threshold']:g} since the "
        f"last reflection, {due}",
        f"  entries        {len(state['entries_since_reflection'])} to begin from",
        f"  reflections    {state['reflection_count']} in all, "
        f"{npc.memory.reflection.runs_since(now - 86_400)} of "
        f"{script.option('reflections_per_day')} in the last 24 hours",
        f"  last           {ago(now - when_of(last)) if last else 'never'}",
    ]
    questions = state["questions"]
    if questions and reader.sees_all:
        lines += [f"  open question  {plain(question, 200)}" for question in questions]
    elif questions:
        lines.append(f"  {count_of(len(questions), 'question')} left open; /all shows them")
    lines.append(f"To have it reflect now: aimemory/reflect {script.db.assistant_key} = now")
    return lines


def _cost(budget: Mapping[str, int]) -> str:
    return (
        f"{count_of(budget['calls'], 'model call')} ({budget['in']} tokens in, {budget['out']} out)"
    )


def _ledger_lines(npc: Any, ledger: Mapping[str, Any], reader: Reader) -> list[str]:
    lines = []
    for step, line in ledger.items():
        counts = ", ".join(
            f"{name.replace('_', ' ')} {count}" for name, count in line["counts"].items() if count
        )
        calls = f"; {count_of(line['calls'], 'call')}" if line["calls"] else ""
        why = f" ({plain(line['why'], 200)})" if line.get("why") else ""
        lines.append(f"  |w{step}|n: {line['state']}{why}{': ' + counts if counts else ''}{calls}")
        for change in line["changes"]:
            if reader.may(change["audience"]):
                lines += _change_lines(npc, change)
        if line["more"]:
            lines.append(f"    and {line['more']} more")
    return lines or ["  It had nothing to do."]


def _change_lines(npc: Any, change: Mapping[str, Any]) -> Iterable[str]:
    text = change["text"] or _text_of(npc, change.get("id"))
    moved = ""
    if change["what"] == "scored":
        moved = f" {change['before']} -> {change['after']}"
    elif change["what"] == "changed":
        moved = f" (it was: {plain(change.get('before'), 80)})"
    name = plain(change.get("id", ""), 40)
    yield f"    {change['what']} {name}{moved}: {plain(text, 160)}"
    evidence = [str(number) for number in change.get("evidence", ())]
    reasons = [f"rests on {', '.join(_as_id(name) for name in evidence)}"] if evidence else []
    if change.get("why"):
        reasons.append(str(change["why"]))
    if change["what"] != "scored":
        reasons.append(who_may_be_told(change["audience"]))
    if reasons:
        yield f"        |x{'; '.join(plain(reason, 200) for reason in reasons)}|n"


def _as_id(evidence: str) -> str:
    return f"j{evidence}" if evidence.isdecimal() else evidence


def _text_of(npc: Any, name: str | None) -> str:
    number = number_of(name)
    entry = npc.memory.journal.find(number) if number is not None else None
    return entry["content"] if entry is not None else "an entry that has left the journal"
