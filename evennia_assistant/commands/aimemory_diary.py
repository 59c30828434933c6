"""`aimemory/diary`: the days as an NPC wrote them down, and what it carries into the next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..memory.carry_notes import CarryNotes, carry_notes_of
from ..memory.diary import day_in, days_of, lines_in
from ..mind import entry as entries
from ..mind.diary import bounds_of
from ..mind.entry import when_of
from ..mind.phrases import ago
from .base import AICommand, Refusal
from .gate import Reader
from .plain import count_of, plain
from .shown import who_may_be_told

#: Days shown where no day is asked for.
DAYS = 14
#: What a keeper is told of each kind of what is carried.
LABELS: Mapping[str, str] = {
    "notes": "note",
    "questions": "question",
    "self_view": "of itself",
}


class DiaryView(AICommand):
    """What `aimemory` shows of the diary; mixed into the command."""

    def _diary(self, script: Any, npc: Any) -> None:
        wanted = (self.rhs or "").strip()
        if wanted:
            try:
                bounds_of(wanted)
            except ValueError as err:
                raise Refusal("A day is written like 2026-01-05.") from err
        reader, name = self.reader(npc), plain(npc.key)
        written = days_of(npc.memory)
        days = sorted({day_in(entry) for entry in written}, reverse=True)
        if not days:
            self.page(f"{name} has written no diary yet; it writes in the nights.")
            return
        if wanted and wanted not in days:
            raise Refusal(f"{name} wrote nothing of {wanted}; its newest day is {days[0]}.")
        shown = [wanted] if wanted else days[:DAYS]
        of_days = [entry for entry in written if day_in(entry) in shown]
        lines = [f"|wDiary of {name}|n: {count_of(len(shown), 'day')}, newest first."]
        lines += _day_lines([entry for entry in of_days if reader.may(entry.get("audience"))])
        if len(days) > len(shown):
            more = count_of(len(days) - len(shown), "more day")
            lines.append(f"{more}; name one: aimemory/diary {script.db.assistant_key} = {days[-1]}")
        if not wanted:
            lines += _carried_lines(carry_notes_of(script), reader, script.agent.now())
        lines.extend(filter(None, [reader.note()]))
        self.page("\n".join(lines))


def _day_lines(written: Sequence[Mapping[str, Any]]) -> list[str]:
    lines = []
    for entry in written:
        lines.append(f"|w{day_in(entry)}|n j{entry['id']}")
        lines += [f"  {plain(line)}" for line in lines_in(entry)]
        evidence = ", ".join(entries.get(entry, "evidence"))
        lines.append(
            f"    |x{who_may_be_told(entry.get('audience'))}; rests on {plain(evidence, 200)}|n"
        )
    return lines


def _carried_lines(carried: CarryNotes, reader: Reader, now: float) -> list[str]:
    made_at = carried.data["made_at"]
    if made_at is None:
        return []
    lines = []
    for kind, label in LABELS.items():
        for note in reader.only(carried.data[kind]):
            told = who_may_be_told(note.get("audience"))
            how = ", in a whisper" if note.get("confidence", True) else ""
            lines.append(f"  {label:<10} {plain(note['text'])} |x({told}{how})|n")
    still = "" if carried.fresh(now) else "; too old for its prompts"
    return [f"|wCarried into the day|n, made {ago(now - when_of(made_at))}{still}:", *lines]
