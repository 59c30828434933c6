"""`aimemory/facts` and `aimemory/verify`: lasting facts, and whether they are as they should be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evennia.utils import logger
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from ..asleep.verify import BATCH, Healing, Survey, verify
from ..errors import AssistantError, SemanticMemoryError
from ..memory.forgetting_record import forgetting_of
from ..memory.memory_links import ACTIVE
from ..memory.outbox import is_set_aside, outbox_of
from ..memory.semantic import semantic_memory
from ..mind.fact import Fact
from ..mind.phrases import ago
from .plain import count_of, plain, quoted
from .shown import who_may_be_told

#: Facts shown, and looked through for those the reader may be told.
MOST, LOOKED_AT = 50, 1000
#: Facts and rows named for each difference.
NAMED = 5

#: What each difference is, and what healing does about it.
_MEANINGS = {
    "missing": ("known of, and not there", "made again from the journal"),
    "retired": ("gone, and held no longer anyway", "forgotten"),
    "doubled": ("there a second time", "removed, but for one"),
    "unmarked": ("there, and their entries do not know of it", "marked"),
    "extra": ("there, and resting on nothing that is known", "removed"),
    "altered": ("changed where they are kept", "made again from the journal"),
    "overheard": ("for more people than their evidence allows", "narrowed to those"),
    "unreadable": ("there, and cannot be read", "removed"),
    "unindexed": ("there, and not recalled", "recalled again"),
    "stale": ("recalled, and not there", "taken out of recall"),
}


def show_facts(command: Any, script: Any, npc: Any) -> Deferred[None]:
    """
    Show the facts that the reader may be told, newest first or by how well words fit.

    Args:
        command: The command that was typed.
        script: The AssistantScript.
        npc: Its character.

    Returns:
        Fires when they are shown, or it is said why not.

    """
    reader, words, key = command.reader(npc), (command.rhs or "").strip(), script.db.assistant_key
    memory = semantic_memory()
    found: Deferred[Any]
    if words:
        found = memory.search(key, words, top_k=LOOKED_AT)
    else:
        found = memory.all(key).addCallback(lambda facts: [(fact, None) for fact in facts])

    def show(pairs: Sequence[tuple[Fact, float | None]]) -> None:
        now, links = script.agent.now(), npc.memory.facts.links
        going = forgetting_of(script)
        pairs = [pair for pair in pairs if not (going.covers_any() and going.covers(pair[0]))]
        told = [(fact, cosine) for fact, cosine in pairs if reader.may(fact.audience)]
        by = f", as near to {quoted(words, 60)} as the score says" if words else ", newest first"
        lines = [f"|wFacts of {plain(npc.key)}|n: {count_of(len(told), 'fact')}{by}."]
        for fact, cosine in told[:MOST]:
            score = "" if cosine is None else f"{cosine:5.2f}  "
            state = "" if links is None else links.state(fact.id)
            holds = "" if state in ("", ACTIVE) else f", {plain(state, 20)}"
            lines.append(f"{score}{plain(fact.id[:8])}  {quoted(fact.text)}")
            lines.append(f"          |x{_origin(fact, now)}{holds}|n")
        if len(told) > MOST:
            lines.append(f"{len(told) - MOST} more are not shown; words find what is among them.")
        if not words:
            lines.extend(filter(None, [reader.note()]))
        elif not reader.sees_all:
            # How many of the nearest are confidential would say something of what they are about.
            lines.append("What was told to others in confidence was not looked through.")
        lines.extend(_waiting(script))
        command.page("\n".join(lines))

    return found.addCallback(show).addErrback(_say_why_not, command, script)


def check_facts(command: Any, script: Any, npc: Any) -> Deferred[None]:
    """
    Compare the facts with what is known of them; with `heal`, put right what differs.

    Args:
        command: The command that was typed.
        script: The AssistantScript.
        npc: Its character.

    Returns:
        Fires when the outcome is shown, or it is said why there is none.

    """
    command.need_keeper(script)
    heal = (command.rhs or "").strip().casefold() == "heal"
    name, reader = plain(npc.key), command.reader(npc)
    command.msg(f"Comparing the facts of {name} with its journal ...")

    def progress(done: int, of: int, what: str) -> None:
        if of > BATCH:
            command.msg(f"{name}: {done} of {of} {what} ...")

    def show(healing: Healing) -> None:
        command.page("\n".join(_report(healing, reader, name, script.db.assistant_key, heal)))

    compared = verify(script, npc, heal=heal, progress=progress)
    return compared.addCallback(show).addErrback(_say_why_not, command, script)


def _report(healing: Healing, reader: Any, name: str, key: str, heal: bool) -> list[str]:
    found = healing.found
    lines = [f"{name} has {count_of(len(found.stored), 'fact')}, {found.waiting} on the way."]
    if healing.aside:
        lines.append(f"What could not be read was set aside as {plain(healing.aside)}.")
    for difference, number in found.counts.items():
        meaning, remedy = _MEANINGS[difference]
        lines.append(f"  {number:4} {meaning}" + (f": {remedy}" if heal else ""))
        lines.extend(f"         {text}" for text in _examples(found, difference, reader))
    if not found.counts:
        lines.append("They are what they should be.")
    elif not heal:
        lines.append(f"Nothing was changed. To put it right: aimemory/verify {key} = heal")
    if healing.restored or healing.lost:
        lines.append(
            f"{count_of(healing.restored, 'fact')} made again; of {healing.lost} lost no entry is "
            "left."
        )
    if healing.tried_again:
        entries = count_of(healing.tried_again, "entry", "entries")
        lines.append(f"{entries} that were set aside: the next night tries again.")
    lines.extend(filter(None, [reader.note()]))
    return lines


def _examples(found: Survey, difference: str, reader: Any) -> list[str]:
    """A few of what differs, as far as the reader may be told."""
    if difference in ("extra", "altered", "overheard"):
        facts = getattr(found, difference)
        # Of these it is not certain that their audience is the right one.
        if not reader.sees_all:
            return [plain(fact.id[:8]) for fact in facts[:NAMED]]
        return [f"{plain(fact.id[:8])} {quoted(fact.text, 80)}" for fact in facts[:NAMED]]
    if difference == "unreadable":
        return [plain(problem, 120) for problem in list(found.unreadable.values())[:NAMED]]
    return []


def _origin(fact: Fact, now: float) -> str:
    evidence = ", ".join(f"j{number}" for number in fact.entry_ids[:5])
    who = f"from {plain(fact.source_entity, 40)}, " if fact.source_entity else ""
    return (
        f"{who}{ago(now - fact.when)}, importance {fact.importance}, trusted "
        f"{fact.source_trust:.2f}, from {evidence or 'no entry'}; {who_may_be_told(fact.audience)}"
    )


def _waiting(script: Any) -> list[str]:
    """What is on its way or was not taken, and why; without its words."""
    lines = []
    for record in outbox_of(script).records[:NAMED]:
        facts = count_of(len(record["facts"]), "fact")
        how = "not taken and set aside" if is_set_aside(record) else "on the way"
        why = f" after {record['attempts']} tries: {plain(record['reason'])}"
        lines.append(f"{facts} {how}{why if record['attempts'] else ''}")
    more = len(outbox_of(script).records) - NAMED
    if more > 0:
        lines.append(f"{more} more of the outbox are not shown.")
    trouble = semantic_memory().trouble(str(script.db.assistant_key))
    if trouble is not None:
        lines.append(plain(trouble))
    return lines


def _say_why_not(failure: Failure, command: Any, script: Any) -> None:
    """Tell whoever asked; what nobody expected is in the log as well."""
    if failure.check(AssistantError):
        command.msg(plain(failure.value))
        if failure.check(SemanticMemoryError):
            for line in _waiting(script)[:NAMED]:
                command.msg(line)
        return
    logger.log_err(f"Assistant {script.db.assistant_key}: {failure.getTraceback()}")
    command.msg("That failed; the log says why.")
