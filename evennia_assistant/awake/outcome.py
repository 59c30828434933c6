"""
What remains of a turn: journal, profiles, conversation and trace.

The lines a turn answers stand in `script.db.pending_events` from the moment they are heard. They
leave it in the same transaction that puts them into the journal, so that a crash at any point loses
none of them and doubles none; the rest is stored with the next tick.

"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..mind import entry as entries
from ..mind.audience import stored
from ..mind.extraction import only_asks
from ..mind.insults import is_insult
from ..mind.percept import SPOKEN, Percept
from ..mind.substance import has_substance
from ..mind.text import is_question, speaks_of_self
from ..mind.without_call import without_call
from ..perception.company import addressee_of, names_of
from .react import Ended
from .turn import Turn

#: Witnesses kept of something said in the open.
MAX_WITNESSES = 24


def remember_line(npc: Any, percept: Percept, *, overheard: bool = False) -> dict[str, Any] | None:
    """
    Put a line into the journal, if there is anything in it to remember.

    Args:
        npc: The NPC.
        percept: What was said or done.
        overheard: It was not meant for the NPC.

    Returns:
        The entry; None for a line that says nothing, such as a greeting.

    """
    spoken = percept.manner in SPOKEN
    if not percept.speaker or not has_substance(percept.words, *names_of(npc)):
        return None
    if spoken:
        words = without_call(percept.words, addressee_of(npc))
        content = entries.speech_content(percept.speaker_name, percept.manner, words)
        source_type = "environmental" if overheard else "direct"
    else:
        content = percept.line
        source_type = "observation"
    # Where everyone may be told, who stood in the crowd decides nothing.
    public = percept.audience == "public"
    witnesses = percept.witnesses[:MAX_WITNESSES] if public else percept.witnesses
    return npc.memory.write(
        content,
        when=percept.when,
        source_type=source_type,
        source_entity=percept.speaker_name,
        source_id=percept.speaker,
        audience=percept.audience,
        witnesses=list(witnesses),
        tags=[percept.manner],
        entities=[percept.speaker],
        place=percept.place_name or None,
    )


def store_heard(npc: Any, percepts: Sequence[Percept], now: float) -> dict[int, int]:
    """
    Take lines that were meant for the NPC into its memory; `MemoryHandler.save` stores them.

    Returns:
        Number of the journal entry by position in `percepts`, for those that became one.

    """
    written: dict[int, int] = {}
    met: set[str] = set()
    for position, percept in enumerate(percepts):
        entry = remember_line(npc, percept)
        if entry is not None:
            written[position] = entry["id"]
        who = percept.speaker
        if who is None:
            continue
        memory = npc.memory
        memory.profiles.ensure(who, percept.speaker_kind, percept.speaker_name)
        talk, opened = memory.working.start_conversation(who, when=now)
        # A conversation the NPC began is a meeting once it is answered.
        answered = any(message["role"] == "user" for message in talk["messages"])
        memory.working.add_message(
            who,
            "user",
            percept.words,
            name=percept.speaker_name,
            manner=percept.manner,
            audience=percept.audience,
            entry_id=None if entry is None else entry["id"],
            when=now,
        )
        if who not in met:
            met.add(who)
            memory.profiles.record_exchange(who, when=now, new_meeting=opened or not answered)
        if percept.manner in SPOKEN and is_insult(percept.words):
            memory.profiles.record_deed(who, "insult", when=now)
        if entry is not None and percept.manner in SPOKEN and _is_about_self(percept.words):
            memory.profiles.add_observation(
                who,
                entries.words_of(entry),
                audience=percept.audience,
                entry_id=entry["id"],
                when=now,
            )
    return written


def store_turn(turn: Turn, failure: str | None) -> None:
    """
    Take a finished turn into memory and the trace; the caller saves.

    Args:
        turn: The turn, answered or not.
        failure: Why it has no answer, None when it has one.

    """
    agent, npc, now = turn.agent, turn.agent.npc, turn.agent.now()
    written = store_heard(npc, turn.percepts, now)
    audience = turn.material.audience()
    spoken = [line for line in turn.said if line["manner"] != "emote"]
    for line in spoken:
        for who in turn.material.partners:
            npc.memory.working.add_message(
                who,
                "assistant",
                line["text"],
                name=npc.key,
                manner=line["manner"],
                audience=audience,
                when=now,
            )
    npc.memory.tidy_conversations(when=now)
    ms = round((now - turn.started) * 1000)
    dropped = turn.ended in (Ended.LISTENER_GONE, Ended.STOPPED)
    agent.executions.count_turn(
        completed=failure is None, failed=failure is not None and not dropped, ms=ms
    )
    agent.turns.add(
        {
            "at": entries.timestamp_of(turn.started),
            "heard": [
                {
                    "from": p.speaker_name,
                    "how": p.manner,
                    "text": p.words[:300],
                    "entry_id": written.get(position),
                }
                for position, p in enumerate(turn.percepts)
            ],
            **({} if turn.material.occasion is None else {"why": turn.material.occasion["why"]}),
            "audience": stored(audience),
            "listeners": list(turn.material.listeners),
            "recalled": [
                {"id": key, **parts} for key, parts in list(turn.material.recalled.items())[:20]
            ],
            "parts": dict(turn.material.parts),
            "tools": turn.tools,
            "said": [{"manner": line["manner"], "text": line["text"]} for line in turn.said],
            "model": turn.model,
            "calls": turn.calls,
            "tokens": dict(turn.tokens),
            "ms": ms,
            "ended": None if turn.ended is None else str(turn.ended),
            **({"assessed": turn.assessed} if turn.assessed else {}),
            "failure": failure,
        }
    )


def _is_about_self(words: str) -> bool:
    return speaks_of_self(words) and not is_question(words) and not only_asks(words)
