"""`aimemory/expectations`: what an NPC promised and expects, and what became of it."""

from __future__ import annotations

from typing import Any

from evennia.utils import logger

from ..asleep.foresight import keep_open_numbers
from ..mind.entry import number_of
from ..mind.mood import in_words
from ..mind.open_ends import BROKEN, EXPECTATION, OPEN, OUTCOMES, OpenEnd
from ..mind.phrases import ago, until
from .base import AICommand, Refusal
from .gate import Reader
from .plain import count_of, plain
from .shown import who_may_be_told

#: Closed ones shown, the newest.
CLOSED = 10


class AheadViews(AICommand):
    """What `aimemory` shows of what lies ahead; mixed into the command."""

    def _expectations(self, script: Any, npc: Any) -> None:
        if self.rhs and self.rhs.strip():
            self._settle(script, npc, self.rhs.split())
            return
        reader, now = self.reader(npc), script.agent.now()
        ends = npc.memory.open_ends.all()
        shown = [end for end in ends if reader.may(end.audience)]
        lines = [f"|wWhat {plain(npc.key)} promised and expects|n"]
        for title, kept in (
            ("promised", [end for end in shown if end.is_promise and end.is_open]),
            ("expects", [end for end in shown if not end.is_promise and end.is_open]),
        ):
            kept.sort(key=lambda end: (end.due or float("inf"), end.number))
            lines.append(f"  {title}: {count_of(len(kept), 'open thing')}" if kept else "")
            lines += [line for end in kept for line in _lines(end, now)]
        closed = [end for end in shown if not end.is_open]
        closed.sort(key=lambda end: end.closed or 0.0, reverse=True)
        if closed:
            lines.append("  what became of others, newest first:")
            lines += [line for end in closed[:CLOSED] for line in _lines(end, now)]
        if not shown:
            lines.append("  Nothing yet." if not ends else "  Nothing that you may be told.")
        lines.append(_mood_line(npc, reader, now))
        lines.extend(filter(None, [reader.note()]))
        self.page("\n".join(filter(None, lines)))

    def _settle(self, script: Any, npc: Any, words: list[str]) -> None:
        """Say what became of one, as its keeper knows it."""
        self.need_keeper(script)
        number = number_of(words[0])
        if len(words) != 2 or number is None or words[1].lower() not in (*OUTCOMES, OPEN):
            raise Refusal(
                f"Usage: aimemory/expectations {script.db.assistant_key} = <j12> "
                f"<{'|'.join((*OUTCOMES, OPEN))}>"
            )
        what, ends = words[1].lower(), npc.memory.open_ends
        end = ends.get(number)
        if end is None or not self.reader(npc).may(end.audience):
            raise Refusal(f"{plain(npc.key)} has no promise or expectation j{number} to show you.")
        if what == BROKEN and not end.is_promise:
            raise Refusal("Nobody promised that, so nobody broke it; say expired.")
        if what == OPEN:
            changed = ends.open_again([number])
            npc.memory.show(npc.memory.journal.find_anywhere(number))
        else:
            changed = ends.close({number: (what, None)}, script.agent.now())
        if end.kind == EXPECTATION:
            keep_open_numbers(npc)
        npc.memory.save_journal(npc.memory.reflection.store, *changed)
        logger.log_sec(
            f"Assistant memory: {self.caller.key} #{self.caller.pk} said that j{number} of "
            f"{npc.key} #{npc.pk} is {what}."
        )
        self.msg(f"j{number} is {what}: {plain(end.text, 160)}")


def _lines(end: OpenEnd, now: float) -> list[str]:
    due = "no time said" if end.due is None else f"due {until(end.due - now)}"
    if not end.is_open:
        when = "" if end.closed is None else f" {ago(now - end.closed)}"
        due = f"{end.outcome}{when}"
    kind = "promise" if end.is_promise else "expectation"
    return [
        f"  {end.id}  {due}: {plain(end.text, 200)}",
        f"        |x{kind}, made {ago(now - end.made)}; {who_may_be_told(end.audience)}|n",
    ]


def _mood_line(npc: Any, reader: Reader, now: float) -> str:
    mood = npc.memory.mood
    felt = in_words(mood.at(now))
    return f"  It feels {felt}." if felt and reader.may(mood.audience) else ""
