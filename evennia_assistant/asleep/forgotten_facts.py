"""
Deleting from semantic memory what an NPC has forgotten, however often that has to be tried.

The game's database forgets in one transaction (`memory.forgetting`); semantic memory is another
store and may be out of reach. What it has still to delete stands in `script.db.forgetting` until
it was read back that nothing of it is left. It is tried at once, at every start, in every night,
and whenever a keeper types `aimemory/forget <npc>`.

"""

from __future__ import annotations

from collections.abc import Generator
from copy import deepcopy
from typing import Any

from evennia.utils import logger
from twisted.internet.defer import Deferred, inlineCallbacks

from ..errors import MemoryFault, SemanticMemoryError
from ..memory.boundaries import reached
from ..memory.forgetting_record import forgetting_of
from ..memory.outbox import outbox_of
from ..memory.semantic import semantic_memory

#: Where `boundaries.reached` is called, in order.
POINTS = ("forgotten_facts.looked", "forgotten_facts.deleted", "forgotten_facts.done")


@inlineCallbacks
def delete_forgotten_facts(script: Any) -> Generator[Deferred[Any], Any, dict[str, Any]]:
    """
    Delete what is noted in the record, if anything is.

    Args:
        script: The AssistantScript.

    Returns:
        `{"completed", "deleted", "problem"}`; not completed, it is tried again later, and recall
        shows nothing of it meanwhile.

    """
    record = forgetting_of(script)
    if not record.covers_any():
        return {"completed": True, "deleted": 0, "problem": ""}
    deleted = 0
    try:
        while record.under_way:
            before = deepcopy(record.data)
            deleted += yield outbox_of(script).while_idle(lambda: _delete(script))
            if script.pk is None:
                return {"completed": True, "deleted": deleted, "problem": ""}
            # More may have been forgotten meanwhile.
            if record.data == before:
                record.done()
                reached("forgotten_facts.done")
    except SemanticMemoryError as err:
        record.fail(str(err))
        logger.log_err(
            f"Assistant {script.db.assistant_key}: forgotten facts wait to be deleted: {err}"
        )
        return {"completed": False, "deleted": deleted, "problem": str(err)}
    return {"completed": True, "deleted": deleted, "problem": ""}


@inlineCallbacks
def _delete(script: Any) -> Generator[Deferred[Any], Any, int]:
    """Delete all that the record covers, and look whether it is gone; how much there was."""
    user, memory, record = str(script.db.assistant_key), semantic_memory(), forgetting_of(script)
    found = yield memory.all(user)
    there = {fact.id for fact in found}
    ids = [fact.id for fact in found if record.covers(fact)]
    # A row that cannot be read is not among those found, and is deleted by its id all the same.
    ids += [name for name in record.data["facts"] if name not in there]
    by_key = yield memory.find_by_keys(user, record.data["keys"])
    ids += [name for name in by_key.values() if name not in ids]
    reached("forgotten_facts.looked")
    if not ids:
        return 0
    yield memory.delete(user, ids)
    reached("forgotten_facts.deleted")
    left = yield memory.all(user)
    still = sum(1 for fact in left if fact.id in ids)
    if still:
        raise SemanticMemoryError(
            f"Semantic memory was told to delete {len(ids)} facts and still has {still} of them.",
            MemoryFault.DROPPED,
        )
    return len(there.intersection(ids))
