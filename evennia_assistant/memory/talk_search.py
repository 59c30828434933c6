"""
Searching what was said, by whichever side: BM25 over every line the listeners may be told of.

Any word of a question may match, rare ones count more, and a line is found by its neighbours too
(`memory.lexical`). The index is made when first asked for, in the background (`catch_up`), and
holds nothing that is not stored; lines said since are taken in by the next search, and forgetting
makes it anew.

"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..mind import audience as audiences
from ..mind import entry as entries
from ..mind.conversation import in_confidence
from ..mind.percept import Audience
from .index import MemoryIndex
from .items import MemoryItem
from .talk_log import Line, TalkLog, is_sound

LIMIT = 10
#: Lines taken into the index before the reactor has its turn again.
AT_ONCE = 20
#: States of a journal entry whose words are not told any more.
_GONE = ("superseded",)


@dataclass(frozen=True, slots=True)
class Said:
    """
    A line somebody said.

    Args:
        id: `j12` where the journal has it too, else `t34`.
        when: UTC seconds since the epoch.
        who: The name of who said it.
        text: The words.
        partner: Entity id of whom the NPC talked with.
        own: The NPC said it.
        audience: Who may be told.
        confidence: Whether it was whispered, or said off the record.

    """

    id: str
    when: float
    who: str
    text: str
    partner: str
    own: bool
    audience: Audience
    confidence: bool


class TalkSearch:
    """
    Searches the talks of one NPC.

    Args:
        memory: The NPC's `MemoryHandler`.

    """

    def __init__(self, memory: Any) -> None:
        self._memory = memory
        self._log: TalkLog = memory.working.log
        self._index = MemoryIndex()
        self._lines: dict[str, Line] = {}
        self._taken: dict[str, tuple[list[Line], int]] = {}

    def find(
        self,
        query: str,
        *,
        listeners: Collection[str],
        now: float,
        partner: str | None = None,
        aloud: bool = False,
        limit: int = LIMIT,
    ) -> list[Said]:
        """
        Lines that bear on a question, as far as all listeners may be told.

        Args:
            query: The question or key words.
            listeners: Entity ids of those who will learn the answer.
            now: UTC seconds since the epoch.
            partner: Only talks with this entity; None for all.
            aloud: Leave out what was whispered or said off the record.
            limit: Most lines to give back.

        Returns:
            Lines, best first.

        """
        for _batch in self.catch_up():
            pass
        among = None
        if partner is not None:
            among = {key for key, line in self._lines.items() if line["with"] == partner}
        hits = self._index.search(
            query, listeners=listeners, now=now, limit=3 * limit + 10, among=among
        )
        found: dict[tuple[str, str, str], Said] = {}
        present = self._entries() if hits else {}
        for hit in hits:
            said = self._said(self._lines[hit.item.id], present)
            if said is not None and not (aloud and said.confidence):
                # What is said to several stands in the talk with each.
                found.setdefault((hit.item.speaker or "", said.text, str(said.when)), said)
        return list(found.values())[:limit]

    def last_with(
        self, partner: str, *, listeners: Collection[str], before: str, aloud: bool, limit: int
    ) -> list[Said]:
        """
        The last lines of earlier talks with somebody, as far as all listeners may be told.

        Args:
            partner: Entity id of whom the NPC talked with.
            listeners: Entity ids of those who will learn of it.
            before: Only lines said before this timestamp.
            aloud: Leave out what was whispered or said off the record.
            limit: Most lines to give back.

        Returns:
            Lines, oldest first.

        """
        found: list[Said] = []
        for line in self._log.latest():
            if line["with"] != partner or line["at"] >= before:
                continue
            if len(found) >= limit:
                break
            audience = audiences.frozen(line.get("audience"))
            if not audiences.may_be_told(audience, listeners):
                continue
            said = self._said(line)
            if said is not None and not (aloud and said.confidence):
                found.append(said)
        return found[::-1]

    def _said(
        self, line: Line, present: Mapping[int, Mapping[str, Any]] | None = None
    ) -> Said | None:
        """A line with its words; None when the journal lets them go."""
        text = line.get("text")
        if text is None:
            number = line["entry_id"]
            journal = self._memory.journal
            entry = journal.find_anywhere(number) if present is None else present.get(number)
            if entry is None or entries.get(entry, "state") in _GONE:
                return None
            alike = audiences.frozen(entry.get("audience")) == audiences.frozen(line["audience"])
            if not alike or self._memory.facts.hides(entry):
                return None
            text = entries.words_of(entry)
        return Said(
            id=f"t{line['n']}" if "text" in line else f"j{line['entry_id']}",
            when=entries.when_of(line["at"]),
            who=line.get("name") or self._name_of(line),
            text=text,
            partner=line["with"],
            own=line["role"] != "user",
            audience=audiences.frozen(line.get("audience")),
            confidence=_confided(line, text),
        )

    def _name_of(self, line: Line) -> str:
        return str(self._memory.character.key) if line["role"] != "user" else ""

    # The index --------------------------------------------------------------------------------

    def catch_up(self) -> Iterator[None]:
        """Take in what was said since, a few lines at a time; `find` does what is left at once."""
        words: Mapping[int, str] | None = None
        while True:
            self._let_go()
            new = self._next_lines()
            if not new:
                return
            if words is None and any("text" not in line for line in new):
                words = {n: entries.words_of(entry) for n, entry in self._entries().items()}
            items = (self._item(line, words or {}) for line in new)
            self._index.add([item for item in items if item is not None])
            yield

    def _let_go(self) -> None:
        """Lines for which there is no room go; where others were taken out, begin anew."""
        stands = self._log.contents()
        for key, (lines, taken) in list(self._taken.items()):
            if key not in stands:
                gone = [name for line in lines if (name := _name_in_index(line)) in self._lines]
                self._index.remove(gone)
                for name in gone:
                    del self._lines[name]
                del self._taken[key]
            elif stands[key] is not lines or len(lines) < taken:
                self._index, self._lines, self._taken = MemoryIndex(), {}, {}
                return

    def _next_lines(self) -> list[Line]:
        for key, lines in self._log.contents().items():
            taken = self._taken[key][1] if key in self._taken else 0
            if taken < len(lines):
                upto = min(len(lines), taken + AT_ONCE)
                self._taken[key] = (lines, upto)
                return [line for line in lines[taken:upto] if is_sound(line)] or self._next_lines()
        return []

    def _entries(self) -> dict[int, Mapping[str, Any]]:
        """Every journal entry by its number."""
        return {known.entry["id"]: known.entry for known in self._memory.journal_search.every()}

    def _item(self, line: Line, words: Mapping[int, str]) -> MemoryItem | None:
        text = line["text"] if "text" in line else words.get(line["entry_id"])
        if not text:
            return None
        key = _name_in_index(line)
        self._lines[key] = line
        own = line["role"] != "user"
        return MemoryItem(
            id=key,
            text=text,
            speaker=f"#{self._memory.character.pk}" if own else line["with"],
            speaker_name=line.get("name") or self._name_of(line),
            when=entries.when_of(line["at"]),
            audience=audiences.frozen(line.get("audience")),
            conversation=line["with"],
            confidence=_confided(line, text),
        )


def _name_in_index(line: Line) -> str:
    return f"t{line['n']}"


def _confided(line: Mapping[str, Any], text: str) -> bool:
    return in_confidence({"manner": line["manner"], "content": text})
