"""
What goes when somebody, or one memory, is to be forgotten, and what rests on it.

*Own* memories go in any case: what a person said or did, what is about nobody else, what only they
may be told. *Derived* ones (facts, insights, summaries) name their evidence. One that rests on
nothing else goes as well; of the others `choose` says, by the mode:

========= =========================================================================================
mode      a derived memory that rests on something else, too
========= =========================================================================================
`cascade` goes
`orphan`  stays, without the evidence that went and marked `orphaned`, as long as it uses no word
          that only what went has used; else it goes
========= =========================================================================================

What others said stays theirs, even where it names the person.

"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from . import entry as entries
from .audience import frozen
from .fact import Fact
from .text import content_terms, name_keys, names_in

CASCADE, ORPHAN = "cascade", "orphan"
MODES = (ORPHAN, CASCADE)
#: Tag of a derived memory that lost a part of its evidence.
ORPHANED = "orphaned"


@dataclass(frozen=True)
class Subject:
    """
    Who, or which memory, is to be forgotten.

    Args:
        entity: Entity id of a person or thing, None where it is one memory.
        names: What the person is called; empty for a thing, whose name is a word like others.
        numbers: Journal entries that are to be forgotten by number.
        facts: Facts that are to be forgotten by id.
        npc: Entity id of the NPC that forgets.

    """

    entity: str | None = None
    names: tuple[str, ...] = ()
    numbers: frozenset[int] = frozenset()
    facts: frozenset[str] = frozenset()
    npc: str = ""

    @property
    def keys(self) -> dict[str, bool]:
        """The names as `mind.text.names_in` looks for them."""
        return {name_keys(name)[0]: True for name in self.names if name_keys(name)}

    def is_named_in(self, text: str) -> bool:
        """Whether a text names the person."""
        return bool(self.names) and bool(names_in(text, self.keys))

    def is_named_by(self, entry: Mapping[str, Any]) -> bool:
        """Whether a journal entry names the person, in its words or in its scene."""
        return any(self.is_named_in(text) for text in entries.all_texts(entry))

    def owns(self, entry: Mapping[str, Any]) -> bool:
        """Whether a journal entry is one of those that go in any case."""
        if entry["id"] in self.numbers:
            return True
        if self.entity is None:
            return False
        source = entries.get(entry, "source_id")
        if source == self.entity or self._alone_may_be_told(entry.get("audience")):
            return True
        # Of whom the game does not know, nobody can say that an entry is theirs.
        others = {who for who in entries.get(entry, "entities") if not who.startswith("@")}
        others -= {self.entity, self.npc}
        if others or source not in (None, self.npc):
            return False
        about = self.entity in entries.get(entry, "entities")
        derived = bool(entries.get(entry, "evidence"))
        return about or (not derived and self.is_named_by(entry))

    def owns_fact(self, fact: Fact) -> bool:
        """Whether a fact is one of those that go in any case."""
        if self.entity is None:
            return False
        about = {who for who in fact.entities if not who.startswith("@")} or set(fact.entities)
        alone = fact.source_id is None and about == {self.entity}
        return fact.source_id == self.entity or alone or self._alone_may_be_told(fact.audience)

    def _alone_may_be_told(self, audience: object) -> bool:
        allowed = frozen(audience)
        return isinstance(allowed, tuple) and set(allowed) - {self.npc} == {self.entity}


@dataclass
class Choice:
    """
    What goes and what stays.

    Args:
        subject: Who or what is forgotten.
        mode: One of `MODES`.
        own: Numbers of entries that go in any case.
        derived: Numbers of entries that go with them.
        facts: Ids of facts that go.
        orphans: Entries that stay with less evidence: the evidence left, by number.
        orphan_facts: Facts that are made again with less evidence: the entries left, by id.
        again: Entries of others that lose a fact, and of which the next night makes facts anew.
        mentions: Numbers of entries of others that name the person, and stay.
        words: Stems of words that only what goes has used.

    """

    subject: Subject
    mode: str = ORPHAN
    own: set[int] = field(default_factory=set)
    derived: set[int] = field(default_factory=set)
    facts: set[str] = field(default_factory=set)
    orphans: dict[int, list[Any]] = field(default_factory=dict)
    orphan_facts: dict[str, list[int]] = field(default_factory=dict)
    again: set[int] = field(default_factory=set)
    mentions: list[int] = field(default_factory=list)
    words: frozenset[str] = frozenset()

    @property
    def entries(self) -> set[int]:
        """Numbers of all entries that go."""
        return self.own | self.derived

    def is_gone(self, name: object) -> bool:
        """
        Whether a piece of evidence goes.

        Args:
            name: A number, `"j12"`, the id of a fact, or that id as the index has it.

        """
        if isinstance(name, int):
            return name in self.entries
        text = str(name)
        if text[:1] == "j" and text[1:].isdecimal():
            return int(text[1:]) in self.entries
        return self._gone_fact(text) or (text[:1] == "m" and self._gone_fact(text[1:]))

    def _gone_fact(self, fact_id: str) -> bool:
        return fact_id in self.facts or fact_id in self.orphan_facts

    def gives_away(self, text: object) -> bool:
        """Whether a text of unknown origin uses words that go, or names the person."""
        if not isinstance(text, str) or not text:
            return False
        used = not self.words.isdisjoint(content_terms(text)) if self.words else False
        return used or self.subject.is_named_in(text)


def choose(
    subject: Subject,
    mode: str,
    journal: Mapping[int, Mapping[str, Any]],
    evidence: Mapping[str, Collection[int]],
    facts: Mapping[str, Fact],
    words: frozenset[str],
) -> Choice:
    """
    Decide of every entry and fact.

    Args:
        subject: Who or what is to be forgotten.
        mode: One of `MODES`.
        journal: All entries, archived ones included, by number.
        evidence: Numbers of the entries each fact rests on, by its id.
        facts: The facts that could be read, by id.
        words: As `words_of_their_own` gives them.

    Raises:
        ValueError: If there is no such mode.

    """
    if mode not in MODES:
        raise ValueError(f"There are {' and '.join(MODES)}, no {mode!r}.")
    choice = Choice(subject, mode, words=words)
    choice.own = {number for number, entry in journal.items() if subject.owns(entry)}
    choice.facts = {name for name, fact in facts.items() if subject.owns_fact(fact)}
    choice.facts |= subject.facts
    size = -1
    while size != len(choice.derived) + len(choice.facts):
        size = len(choice.derived) + len(choice.facts)
        _derive_facts(choice, evidence, facts)
        _derive_entries(choice, journal)
    lost = {number for name in choice.facts for number in evidence.get(name, ())}
    choice.again = lost - choice.entries
    choice.mentions = [
        number
        for number, entry in journal.items()
        if number not in choice.entries and subject.is_named_by(entry)
    ]
    return choice


def _derive_facts(
    choice: Choice, evidence: Mapping[str, Collection[int]], facts: Mapping[str, Fact]
) -> None:
    for name, numbers in evidence.items():
        left = [number for number in numbers if number not in choice.entries]
        if name in choice.facts or len(left) == len(numbers):
            continue
        fact = facts.get(name)
        stays = left and choice.mode == ORPHAN and fact is not None
        if stays and fact is not None and not choice.gives_away(fact.text):
            choice.orphan_facts[name] = left
        else:
            choice.facts.add(name)
            choice.orphan_facts.pop(name, None)


def _derive_entries(choice: Choice, journal: Mapping[int, Mapping[str, Any]]) -> None:
    for number, entry in journal.items():
        names = entries.get(entry, "evidence")
        if not names or number in choice.entries:
            continue
        left = [name for name in names if not _goes(choice, name)]
        if len(left) == len(names):
            continue
        telling = any(choice.gives_away(text) for text in entries.all_texts(entry))
        if left and choice.mode == ORPHAN and not telling:
            choice.orphans[number] = left
        else:
            choice.derived.add(number)
            choice.orphans.pop(number, None)


def _goes(choice: Choice, name: object) -> bool:
    """As `is_gone`, for evidence: a fact that is made again with less goes on being evidence."""
    text = str(name)
    kept = text in choice.orphan_facts or text[1:] in choice.orphan_facts
    return choice.is_gone(name) and not kept


def words_of_their_own(gone: Iterable[str], kept: Iterable[str]) -> frozenset[str]:
    """
    Stems of the words that only some texts use.

    By them a text whose evidence nobody kept is known to come from what goes.

    Args:
        gone: Texts that go.
        kept: Texts of others that stay.

    """
    words = {term for text in gone for term in content_terms(text)}
    for text in kept:
        if not words:
            break
        words.difference_update(content_terms(text))
    return frozenset(words)
