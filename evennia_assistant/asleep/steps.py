"""
The steps of a night, in order: one line each.

A step is a function that does one batch of its work and fires with a dict that says what it did:
`completed` (nothing is left for it tonight), numbers by name, and optionally `changes`, records for
the ledger as `Night.note` takes them. It finds its work in the stores, not in the cursor, so that
taking it twice does nothing twice.

"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..awake.compaction import compact_conversation_history
from ..awake.extraction import run_pre_compaction_extraction
from ..llm.asking import Ask
from ..memory.conversations import clear_stale_conversations
from .consolidation import run_sleep_consolidation
from .conversations import extract_conversations
from .descriptions import describe_entities
from .diary import write_diary
from .entities import run_entity_consolidation_batch
from .expectations import look_ahead
from .links import prune_orphaned_memory_links, run_dreaming_tick
from .night import COMPACTING, DREAMING
from .pruning import prune_low_importance_entries
from .reflection import reflect_if_due
from .retention import run_retention
from .scenes import repair_scenes
from .scoring import score_pending_entries
from .topics import run_topics

#: Entries scored by one call, and consolidated by one, so that a night of a hundred entries takes
#: thirty calls at most.
SCORED_AT_ONCE = 20
CONSOLIDATED_AT_ONCE = 20

#: What becomes of a step that would ask a model, when there is none.
BY_RULE = "done by rule"
LEFT_OUT = "left out"


@dataclass(frozen=True, slots=True)
class Step:
    """
    One step.

    Args:
        name: Of the documented function.
        phase: `compacting` or `dreaming`.
        run: Called with script, character and what asks the model; gives a dict or a Deferred.
        needs_memory: Left out for an NPC without semantic memory.
        without_model: What becomes of it when there is no model: `BY_RULE` or `LEFT_OUT`; None for
            one that asks none.

    """

    name: str
    phase: str
    run: Callable[[Any, Any, Ask], Any]
    needs_memory: bool = False
    without_model: str | None = None


def _conversations(script: Any, character: Any, ask: Ask) -> Any:
    return extract_conversations(script, character, ask=ask)


def _repair(script: Any, character: Any, ask: Ask) -> Any:
    return repair_scenes(script, character, ask=ask)


def _score(script: Any, character: Any, ask: Ask) -> Any:
    return score_pending_entries(script, character, SCORED_AT_ONCE, ask=ask)


def _consolidate(script: Any, character: Any, ask: Ask) -> Any:
    return run_sleep_consolidation(script, character, CONSOLIDATED_AT_ONCE, ask=ask)


def _link(script: Any, character: Any, ask: Ask) -> Any:
    return run_dreaming_tick(script, character, ask=ask)


def _unlink(script: Any, _character: Any, _ask: Ask) -> Any:
    return prune_orphaned_memory_links(script)


def _topics(script: Any, character: Any, ask: Ask) -> Any:
    return run_topics(script, character, ask=ask)


def _retain(script: Any, character: Any, _ask: Ask) -> Any:
    return run_retention(script, character)


def _entities(script: Any, character: Any, ask: Ask) -> Any:
    return run_entity_consolidation_batch(script, character, ask=ask)


def _describe(script: Any, character: Any, ask: Ask) -> Any:
    return describe_entities(script, character, ask=ask)


def _reflect(script: Any, character: Any, ask: Ask) -> Any:
    return reflect_if_due(script, character, ask=ask)


def _diary(script: Any, character: Any, ask: Ask) -> Any:
    return write_diary(script, character, ask=ask)


def _look_ahead(script: Any, character: Any, ask: Ask) -> Any:
    return look_ahead(script, character, ask=ask)


def _prune(_script: Any, character: Any, _ask: Ask) -> Any:
    return prune_low_importance_entries(character)


def _clear(script: Any, character: Any, _ask: Ask) -> Any:
    cleared = clear_stale_conversations(character, now=script.agent.now())
    return {"completed": True, "cleared": cleared}


def _extract(script: Any, character: Any, ask: Ask) -> Any:
    return run_pre_compaction_extraction(script, character, ask=ask)


def _compact(script: Any, character: Any, ask: Ask) -> Any:
    return compact_conversation_history(script, character, ask=ask)


STEPS: tuple[Step, ...] = (
    Step("extract_conversations", COMPACTING, _conversations, without_model=BY_RULE),
    Step("repair_scenes", COMPACTING, _repair, without_model=BY_RULE),
    Step("score_pending_entries", COMPACTING, _score, without_model=LEFT_OUT),
    Step(
        "run_sleep_consolidation",
        COMPACTING,
        _consolidate,
        needs_memory=True,
        without_model=BY_RULE,
    ),
    Step("run_dreaming_tick", DREAMING, _link, needs_memory=True),
    Step("prune_orphaned_memory_links", DREAMING, _unlink, needs_memory=True),
    Step("run_topics", DREAMING, _topics, without_model=BY_RULE),
    Step("run_retention", DREAMING, _retain, without_model=BY_RULE),
    Step("run_entity_consolidation_batch", DREAMING, _entities, without_model=BY_RULE),
    Step("describe_entities", DREAMING, _describe, without_model=LEFT_OUT),
    Step("run_reflection", DREAMING, _reflect, without_model=LEFT_OUT),
    Step("look_ahead", DREAMING, _look_ahead, without_model=BY_RULE),
    Step("write_diary", DREAMING, _diary, without_model=BY_RULE),
    Step("prune_low_importance_entries", DREAMING, _prune),
    Step("clear_stale_conversations", DREAMING, _clear),
    Step("run_pre_compaction_extraction", DREAMING, _extract, without_model=LEFT_OUT),
    Step("compact_conversation_history", DREAMING, _compact, without_model=BY_RULE),
)
