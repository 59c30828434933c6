"""`aimemory/forget`: have an NPC forget somebody or one memory, after a look at what that takes."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from evennia.utils import logger
from twisted.internet.defer import Deferred, succeed
from twisted.python.failure import Failure

from ..asleep.forgetting import Outcome, forget, look_for, subject_of, why_not
from ..asleep.forgotten_facts import delete_forgotten_facts
from ..errors import AssistantError
from ..memory.forgetting import Gathered
from ..memory.forgetting_record import forgetting_of
from ..mind.forgetting import CASCADE, MODES, ORPHAN, Choice, Subject
from .base import Refusal
from .gate import log_bypass
from .plain import count_of, plain

#: Seconds for which what was shown may be confirmed.
WAITS = 600.0
#: Ids named of each kind.
NAMED = 12
_USAGE = "Usage: aimemory/forget <npc> = <person, #dbref, j12 or fact id>[, cascade or orphan]"


def forget_by_command(command: Any, script: Any, npc: Any) -> Deferred[None]:
    """
    Show what forgetting would take, or do what was shown.

    Args:
        command: The command that was typed.
        script: The AssistantScript.
        npc: Its character.

    Returns:
        Fires when whoever typed it was told.

    """
    command.need_keeper(script)
    what = (command.rhs or "").strip()
    first = what.split(maxsplit=1)[0].casefold() if what else ""
    if not what:
        done = _go_on(command, script, npc)
    elif first == "confirm":
        done = _confirmed(command, script, npc, what.split(maxsplit=1)[1:])
    elif first == "cancel":
        command.caller.ndb.assistant_forgetting = None
        command.msg("Nothing is forgotten.")
        done = succeed(None)
    else:
        done = _shown(command, script, npc, what)
    return done.addErrback(_say_why_not, command, script)


def _shown(command: Any, script: Any, npc: Any, what: str) -> Deferred[Any]:
    name, _comma, mode = what.rpartition(",")
    mode = mode.strip().casefold()
    if not name or mode not in MODES:
        name, mode = what, ORPHAN
    subject = subject_of(script, name)
    if subject is None:
        raise Refusal(
            f"{plain(npc.key)} remembers nobody and nothing by {plain(name.strip(), 60)}. {_USAGE}"
        )
    problem = why_not(script)
    if problem is not None:
        raise Refusal(problem)
    # Whose memories these are and how many of them there are is told past all audiences.
    log_bypass(command.caller, npc, f"aimemory/forget {_id_of(subject)}")

    def show(gathered: Gathered) -> None:
        token = _token(script, subject, mode)
        command.caller.ndb.assistant_forgetting = {
            "token": token,
            "key": script.db.assistant_key,
            "subject": subject,
            "mode": mode,
            "at": script.agent.now(),
        }
        choice = gathered.choose(mode)
        lines = _preview(npc, gathered, choice, name)
        key = script.db.assistant_key
        if choice.orphans or choice.orphan_facts:
            lines.append(f"To have what keeps the rest go, too: add ', {CASCADE}'.")
        lines += [
            "Nothing was changed. There is no way back from it.",
            f"To have it forgotten: aimemory/forget {key} = confirm {token}",
            f"To leave it: aimemory/forget {key} = cancel",
        ]
        command.page("\n".join(lines))

    return look_for(script, subject).addCallback(show)


def _confirmed(command: Any, script: Any, npc: Any, given: Sequence[str]) -> Deferred[Any]:
    asked = command.caller.ndb.assistant_forgetting
    key = script.db.assistant_key
    late = asked is not None and script.agent.now() - asked["at"] > WAITS
    if asked is None or asked["key"] != key or late:
        raise Refusal(f"There is nothing to confirm. {_USAGE}")
    if given and given[0].strip() != asked["token"]:
        raise Refusal(f"What was shown last is confirmed by 'confirm {asked['token']}'.")
    command.caller.ndb.assistant_forgetting = None
    command.msg(f"{plain(npc.key)} forgets ...")

    def show(outcome: Outcome) -> None:
        logger.log_sec(
            f"Assistant memory: {command.caller.key} #{command.caller.pk} had {npc.key} "
            f"#{npc.pk} forget {_id_of(asked['subject'])} ({asked['mode']})."
        )
        command.msg("\n".join(_report(npc, outcome, key)))

    return forget(script, asked["subject"], asked["mode"]).addCallback(show)


def _go_on(command: Any, script: Any, npc: Any) -> Deferred[Any]:
    """Without anybody named: go on with what semantic memory has still to delete."""
    if not forgetting_of(script).covers_any():
        raise Refusal(f"{plain(npc.key)} has nothing half forgotten. {_USAGE}")

    def show(done: Any) -> None:
        if done["completed"]:
            command.msg("Semantic memory has nothing left of what was forgotten.")
        else:
            command.msg(f"It still waits: {plain(done['problem'])}")

    return delete_forgotten_facts(script).addCallback(show)


def _preview(npc: Any, gathered: Gathered, choice: Choice, name: str) -> list[str]:
    who = plain(name.strip(), 60)
    lines = [f"|wWhat {plain(npc.key)} would forget with {who}|n ({choice.mode})"]
    own = _ids("j", choice.own)
    lines.append(f"  goes           {count_of(len(choice.own), 'entry', 'entries')}{own}")
    rests = [
        *(f"j{number}" for number in sorted(choice.derived)),
        *(f"fact {fact_id[:8]}" for fact_id in sorted(choice.facts)),
    ]
    lines.append(f"  rests on it    {len(rests)} go with it{_named(rests)}")
    kept = [
        *(f"j{number}" for number in sorted(choice.orphans)),
        *(f"fact {fact_id[:8]}" for fact_id in sorted(choice.orphan_facts)),
    ]
    if kept:
        lines.append(f"  keeps the rest {len(kept)} stay with less evidence{_named(kept)}")
    if choice.again:
        lines.append(f"  made anew      facts of {len(choice.again)} entries of others, next night")
    if choice.subject.entity is not None:
        lines.append("  and            profile, conversations, goals they asked for, logs of them")
    lines.append("  and            what the last night could be taken back with, and its ledger")
    if choice.mentions:
        what = count_of(len(choice.mentions), "entry", "entries")
        lines.append(
            f"  stays          {what} of others that name them{_ids('j', choice.mentions)}"
        )
    if gathered.taught:
        places = ", ".join(f"k{place}" for place in gathered.taught[:NAMED])
        lines.append(f"  stays          what you taught it of them ({places}): aisetup/unteach")
    if gathered.imported:
        lines.append("  stays          a card that was imported names them (aisetup/import)")
    if gathered.out_of_reach:
        lines.append(f"  waits          its facts, for {plain(gathered.out_of_reach, 200)}")
    return lines


def _report(npc: Any, outcome: Outcome, key: str) -> list[str]:
    choice = outcome.choice
    entries = count_of(len(choice.entries), "entry", "entries")
    facts = count_of(len(choice.facts), "fact")
    lines = [f"{plain(npc.key)} has forgotten {entries} and {facts}."]
    kept = len(choice.orphans) + len(choice.orphan_facts)
    if kept:
        lines.append(f"{count_of(kept, 'conclusion')} of it stayed with less evidence.")
    if not outcome.completed:
        lines.append(
            "Semantic memory could not be reached; what it has is shown to nobody and deleted at "
            f"the next start or night, or by 'aimemory/forget {key}': {plain(outcome.problem)}"
        )
    return lines


def _ids(prefix: str, numbers: Any) -> str:
    return _named([f"{prefix}{number}" for number in sorted(numbers)])


def _named(ids: Sequence[str]) -> str:
    if not ids:
        return ""
    more = f" and {len(ids) - NAMED} more" if len(ids) > NAMED else ""
    return f": {plain(', '.join(ids[:NAMED]))}{more}"


def _id_of(subject: Subject) -> str:
    return subject.entity or ", ".join(f"j{number}" for number in sorted(subject.numbers))


def _token(script: Any, subject: Subject, mode: str) -> str:
    parts = (script.db.assistant_key, _id_of(subject), mode, str(script.agent.now()))
    return hashlib.blake2b("\x1f".join(map(str, parts)).encode(), digest_size=3).hexdigest()


def _say_why_not(failure: Failure, command: Any, script: Any) -> None:
    """Tell whoever asked; what nobody expected is in the log as well."""
    if failure.check(AssistantError):
        command.msg(plain(failure.value))
        return
    logger.log_err(f"Assistant {script.db.assistant_key}: {failure.getTraceback()}")
    command.msg("That failed; the log says why.")
