"""
Forgetting: a person, a thing, or one memory, everywhere an NPC keeps anything.

::

    subject = subject_of(script, "anna")                   # or "#12", "j40", the id of a fact
    looked = look_for(script, subject)                     # what would go; nothing is changed
    done = forget(script, subject, "orphan")               # or "cascade"

The game's database forgets in one transaction, so that a crash leaves all of it or nothing; the
record of what semantic memory has to delete is part of it (`asleep.forgotten_facts`). Forgetting
twice changes nothing more. `mind.forgetting` says what goes, docs/forgetting.md what that means.

"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import Any

from evennia.objects.models import ObjectDB
from evennia.utils import logger
from twisted.internet.defer import Deferred, inlineCallbacks

from ..errors import SemanticMemoryError, StoreError
from ..memory import memory_links
from ..memory.forgetting import Gathered, gather, names_of, purge
from ..memory.forgetting_record import forgetting_of
from ..memory.journal_search import JournalSearch
from ..memory.outbox import outbox_of
from ..memory.profile_record import names_of as known_names
from ..memory.semantic import semantic_memory
from ..mind import entry as entries
from ..mind.fact import Fact, fact_key
from ..mind.forgetting import ORPHAN, ORPHANED, Choice, Subject
from ..mind.text import content_terms
from .consolidation import mark_for
from .forgotten_facts import delete_forgotten_facts
from .night import night_of
from .turnstile import in_slices

#: Fewest characters of the id of a fact by which it may be named.
SHORTEST_ID = 6
#: Kind in the key of a fact that was made again with less evidence.
REMADE = "remade"


@dataclass
class Outcome:
    """
    What was forgotten.

    Args:
        choice: What went.
        rewritten: Attributes that were written anew.
        removed: Attributes that were removed.
        completed: Semantic memory has nothing left of it.
        problem: Why it may have, "" when it has not.

    """

    choice: Choice
    rewritten: int
    removed: int
    completed: bool
    problem: str = ""


def subject_of(script: Any, what: str) -> Subject | None:
    """
    Who or what somebody means.

    Args:
        script: The AssistantScript.
        what: A name the NPC knows, a #dbref, `j12`, or the id of a fact or its beginning.

    Returns:
        The subject; None when the NPC knows of none.

    Raises:
        StoreError: If several fit; the text names them.

    """
    character, wanted = script.character, what.strip()
    memory, npc = character.memory, str(script.db.character_dbref)
    if wanted[:1] == "j" and wanted[1:].isdecimal():
        number = int(wanted[1:])
        known = memory.journal.find_anywhere(number) is not None
        return Subject(numbers=frozenset({number}), npc=npc) if known else None
    who = _entity(memory, wanted)
    if who is not None:
        return _person(character, who, npc)
    links = memory.facts.links
    named = [name for name, _record in links.items() if name.startswith(wanted)] if links else []
    exact = wanted in named
    if not exact and len(named) > 1 and len(wanted) >= SHORTEST_ID:
        raise StoreError(f"Several facts begin like that: {', '.join(sorted(named)[:5])}.")
    if not named or not (exact or len(wanted) >= SHORTEST_ID):
        return None
    fact_id = wanted if exact else named[0]
    # The fact was made of them, and they say the same.
    numbers = memory_links.get(links.get(fact_id), "entry_ids") if links else ()
    return Subject(numbers=frozenset(numbers), facts=frozenset({fact_id}), npc=npc)


def person_subject(script: Any, entity: str) -> Subject:
    """The subject for an entity id, known to the NPC or not."""
    return _person(script.character, entity, str(script.db.character_dbref))


def _person(character: Any, who: str, npc: str) -> Subject:
    obj = ObjectDB.objects.get_id(who.lstrip("#")) if who[1:].isdecimal() else None
    profile = character.memory.profiles.get(who)
    thing = profile is not None and profile["entity_type"] == "object"
    names = () if thing else tuple(names_of(character, who, obj, profile))
    return Subject(entity=who, names=names, npc=npc)


def _entity(memory: Any, wanted: str) -> str | None:
    """
    The entity id a name stands for in an NPC's memory.

    Raises:
        StoreError: If several go by it.

    """
    if wanted[:1] in "#@" and wanted[1:].isdecimal():
        return wanted
    folded = wanted.casefold()
    found: dict[str, None] = {}
    for who, profile in memory.profiles.store.data.items():
        if folded in (name.text.casefold() for name in known_names(profile)):
            found[who] = None
    for entry in memory.journal.entries:
        source = entries.get(entry, "source_id")
        if source and str(entry.get("source_entity") or "").casefold() == folded:
            found[source] = None
    if len(found) > 1:
        raise StoreError(f"Several go by that name: {', '.join(found)}. Name one by its #dbref.")
    return next(iter(found), None)


def why_not(script: Any) -> str | None:
    """Why nothing can be forgotten at this moment, None when it can."""
    if night_of(script).running:
        return "A step of its night is under way; ask again in a minute."
    return None


@inlineCallbacks
def look_for(script: Any, subject: Subject) -> Generator[Deferred[Any], Any, Gathered]:
    """
    Find all that would go, in the background; nothing is changed.

    Args:
        script: The AssistantScript.
        subject: Who or what.

    Returns:
        From which `choose(mode)` gives what goes in each mode.

    """
    script.agent.save()
    gathered = Gathered(subject)
    yield in_slices(script.agent.clock, gather(script.character, gathered))
    if gathered.evidence or outbox_of(script).records:
        try:
            facts = yield semantic_memory().all(str(script.db.assistant_key))
        except SemanticMemoryError as err:
            gathered.out_of_reach = str(err)
        else:
            gathered.facts = {fact.id: fact for fact in facts}
            for fact in facts:
                gathered.evidence.setdefault(fact.id, list(fact.entry_ids))
    return gathered


@inlineCallbacks
def forget(
    script: Any, subject: Subject, mode: str = ORPHAN
) -> Generator[Deferred[Any], Any, Outcome]:
    """
    Forget somebody, or one memory.

    A turn under way is broken off; its lines are answered afterwards, but for those of the
    forgotten.

    Args:
        script: The AssistantScript.
        subject: Who or what.
        mode: `orphan` or `cascade`, as `mind.forgetting` has it.

    Returns:
        What was forgotten. Where semantic memory is out of reach, the rest waits.

    Raises:
        StoreError: If it cannot be done now; nothing was changed.
        ValueError: If there is no such mode.

    """
    gathered = yield look_for(script, subject)
    problem = why_not(script)
    if problem is not None:
        raise StoreError(problem)
    with script.mind_stopped("forgetting"):
        character = script.character
        _take_in_what_came_since(character, gathered)
        choice = gathered.choose(mode)
        remade = _remade(script, choice, gathered)
        counts = purge(script, character, choice, remade)
        _drop_caches(script, character)
    logger.log_sec(
        f"Assistant memory: {script.key} forgot {_described(subject)} ({mode}): "
        f"{len(choice.entries)} entries, {len(choice.facts)} facts."
    )
    finished = yield delete_forgotten_facts(script)
    if remade and finished["completed"]:
        try:
            yield outbox_of(script).resume(lambda facts: mark_for(script, facts))
        except SemanticMemoryError as err:
            logger.log_warn(f"Assistant {script.db.assistant_key}: {err}")
    return Outcome(choice, **counts, completed=finished["completed"], problem=finished["problem"])


@inlineCallbacks
def resume_forgetting(script: Any) -> Generator[Deferred[Any], Any, None]:
    """Go on with what an earlier process, or a semantic memory out of reach, left undone."""
    if forgetting_of(script).covers_any():
        yield delete_forgotten_facts(script)


def _take_in_what_came_since(character: Any, gathered: Gathered) -> None:
    """Entries written since they were gathered; there was time for some."""
    for entry in character.memory.journal.entries:
        if entry["id"] not in gathered.journal and gathered.subject.owns(entry):
            texts = (entries.words_of(entry), *entries.all_texts(entry)[1:])
            gathered.words |= frozenset(content_terms(" ".join(texts)))
        gathered.journal[entry["id"]] = entry


def _remade(script: Any, choice: Choice, gathered: Gathered) -> list[Fact]:
    """The facts that rest on less now, as they are to be stored."""
    made = []
    for ordinal, (name, left) in enumerate(sorted(choice.orphan_facts.items())):
        fact = gathered.facts[name]
        made.append(
            replace(
                fact,
                id="",
                key=fact_key(str(script.db.assistant_key), REMADE, left, ordinal),
                entry_ids=tuple(left),
                entities=tuple(who for who in fact.entities if who != choice.subject.entity),
                tags=tuple(dict.fromkeys([*fact.tags, ORPHANED])),
                replaces=tuple(old for old in fact.replaces if not choice.is_gone(old)),
            )
        )
    return made


def _drop_caches(script: Any, character: Any) -> None:
    """What this process still has of it beside the stores."""
    script.ndb.tool_cache = None
    character.memory.journal_search = JournalSearch(character.memory)
    character.memory.make_index_anew()


def _described(subject: Subject) -> str:
    if subject.entity is not None:
        return subject.entity
    return ", ".join([*(f"j{number}" for number in sorted(subject.numbers)), *subject.facts])
