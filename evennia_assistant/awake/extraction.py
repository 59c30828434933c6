"""
The last look at lines that are about to be summarised: what of them belongs into the journal.

The model gets the lines and the journal tools and writes down what must not be lost. Lines with
different audiences are looked at apart. Without a model nothing is to be done: what anyone told
the NPC is in its journal word for word from the moment it was said.

"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from typing import Any

from evennia.utils import logger
from twisted.internet.defer import Deferred, inlineCallbacks

from ..errors import ConfigError, ModelAnswerError, ModelError
from ..mind.contexts import CONTEXT_PRE_COMPACTION
from ..mind.conversation import SUMMARY, says_something
from ..prompts.assembly import TurnContext, build_messages, fitting_history, opening
from ..prompts.registry import registry_of
from .crowded import (
    MOST_FAILURES,
    Crowded,
    crowded,
    find_again,
    note_failure,
    note_success,
    unextracted,
)
from .gathering import persona_of
from .inner_turn import InnerTurn, Offer, offer_of
from .models import has_model

#: Most lines shown in one prompt; fewer when they are long.
MOST_LINES = 40


@inlineCallbacks
def run_pre_compaction_extraction(
    script: Any, character: Any, *, ask: Any = None, force: bool = False
) -> Generator[Deferred[Any], Any, dict[str, Any]]:
    """
    Journal what matters in the lines that compaction would replace, one prompt of them at a time.

    Args:
        script: The AssistantScript.
        character: The NPC.
        ask: As `Agent.ask`; None is that.
        force: As for `crowded`.

    Returns:
        `{"completed", "messages", "entries", "calls", "failed"}`: whether nothing is left to look
        through now, lines looked through, entries written, calls made, and lines a model failed on.

    """
    result = {"completed": True, "messages": 0, "entries": 0, "calls": 0, "failed": 0}
    now = script.agent.now()
    waiting = (
        crowd
        for crowd in (
            crowded(script, character, now, force=force) if _enabled(script, force) else ()
        )
        if unextracted(character, crowd)
    )
    crowd = next(waiting, None)
    if crowd is None:
        return result
    done = yield extract_part(script, crowd, ask=ask)
    for name, number in done.items():
        result[name] += number
    left = crowded(script, script.character, script.agent.now(), force=force and not done["failed"])
    result["completed"] = not any(unextracted(script.character, crowd) for crowd in left)
    return result


def _enabled(script: Any, force: bool) -> bool:
    return bool(force or script.option("compact_enabled"))


@inlineCallbacks
def extract_part(
    script: Any, crowd: Crowded, *, ask: Any = None
) -> Generator[Deferred[Any], Any, dict[str, int]]:
    """
    Look through as many of the lines as one prompt holds; a failure is noted, not raised.

    Args:
        script: The AssistantScript.
        crowd: The lines.
        ask: As `Agent.ask`; None is that.

    Returns:
        `{"messages", "entries", "calls", "failed"}`.

    """
    agent = script.agent
    result = {"messages": 0, "entries": 0, "calls": 0, "failed": 0}
    problem: ModelError | ConfigError | None = None
    by_model, native = False, True
    try:
        by_model = has_model(script)
        native = not by_model or agent.takes_tools()
    except (ModelError, ConfigError) as err:
        problem = err
    offer = offer_of(script, native=native)
    shown, messages = _prompt(script, crowd, offer, native=native)
    turn = InnerTurn(agent, crowd.entity_id, shown.part, offer)
    if by_model and problem is None and says_something(shown.part.messages, agent.npc.key):
        try:
            result["calls"] = yield turn.run(messages, ask or agent.ask)
        except (ModelError, ConfigError) as err:
            problem = err
    if not agent.exists:
        return result
    record = find_again(agent.npc, shown)
    if record is None:
        return result
    memory = agent.npc.memory
    if problem is not None:
        result["failed"] = len(shown.part.places)
        failures = note_failure(record, agent.now())
        logger.log_err(
            f"Assistant {agent.key}: {result['failed']} lines of a conversation could not be "
            f"looked through before it is shortened, try {failures}: {problem}"
        )
    if problem is None or (isinstance(problem, ModelAnswerError) and failures >= MOST_FAILURES):
        if problem is None:
            result["entries"] = turn.write_notes(memory)
            note_success(record)
        for place in shown.part.places:
            record["messages"][place]["extracted"] = True
        result["messages"] = len(shown.part.places)
    memory.working.touch(crowd.entity_id, record)
    # Entries and marks in one write: whatever happens, no line is looked through twice or never.
    memory.save()
    return result


def _prompt(
    script: Any, crowd: Crowded, offer: Offer, *, native: bool
) -> tuple[Crowded, list[dict[str, Any]]]:
    """The first lines not looked through that fit into one prompt, and the prompt."""
    npc, part = script.character, crowd.part
    layout = registry_of(script).layout(CONTEXT_PRE_COMPACTION, offer.schemas, native=native)
    pairs = [
        (place, message)
        for place, message in zip(part.places, part.messages, strict=True)
        if not message.get("extracted") and message["role"] != SUMMARY
    ][:MOST_LINES]
    opened = opening(persona_of(npc), (), (), layout)
    while True:
        lines = [{**message} for _place, message in pairs]
        # Where the lines begin with the NPC's own words, the prompt leaves these out.
        fitting = len(fitting_history(lines, opened, offer.form.schemas, layout))
        own = next((n for n, line in enumerate(lines) if line["role"] != "assistant"), len(lines))
        if fitting >= len(lines) - own or len(pairs) == 1:
            break
        pairs = pairs[: max(1, min(fitting, len(pairs) - 1))]
    context = TurnContext(persona=persona_of(npc), history=lines, layout=layout)
    places, messages = zip(*pairs, strict=True)
    shown = replace(crowd, part=replace(part, places=places, messages=messages))
    return shown, build_messages(context)
