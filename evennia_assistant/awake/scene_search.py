"""
Searching what an NPC lived through by what happened, how it felt, its themes and its days.

As with every reading of memory only what all who hear the answer may be told is found, and each
finding leaves its audience behind. All of journal and archive is gone through, so it is done in
slices of some milliseconds between which the game goes on; what was forgotten meanwhile is not
found. What has faded is found as well, and counts as recalled twice (`mind.retention`).

"""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from typing import Any

from twisted.internet.defer import Deferred, inlineCallbacks
from twisted.internet.task import Cooperator

from ..memory.retention import note_hits
from ..mind import audience as audiences
from ..mind.entry import told
from ..mind.phrases import ago
from ..mind.scene import sound
from ..mind.scene_query import Mode, SceneQuery, Term, fit

#: Entries gone through before it is asked whether the slice is over.
AT_ONCE = 10

_Found = tuple[int, int, float, int]


@inlineCallbacks
def search_scenes(
    turn: Any, asked: SceneQuery, *, limit: int
) -> Generator[Deferred[Any], Any, list[dict[str, Any]]]:
    """
    Entries that fit, those that have most of what was asked for first, then the weightier.

    Args:
        turn: The `Turn`; what is found is noted in its material.
        asked: What to look for; nothing at all finds nothing.
        limit: Most entries.

    Returns:
        `{"id", "text", "when", "feeling", "tags"}` each, the last two where there are any.

    Raises:
        TurnDropped: If the turn was closed meanwhile.

    """
    agent, material = turn.agent, turn.material
    now, aloud = agent.now(), material.manner == "say"
    terms, listeners = asked.terms(now), tuple(material.listeners)
    if not terms:
        return []
    found: list[_Found] = []
    search = agent.npc.memory.journal_search
    fitting = _fitting(search, (listeners, aloud), (terms, asked.mode), found)
    in_slices = Cooperator(scheduler=lambda work: agent.clock.callLater(0, work))
    yield in_slices.coiterate(fitting)
    turn.check_open()
    found.sort(reverse=True)
    records: list[dict[str, Any]] = []
    search = agent.npc.memory.journal_search
    # As they are now, after the wait.
    present = {known.entry["id"]: known for known in search.every()} if found else {}
    for _fits, _importance, when, number in found:
        if len(records) >= limit:
            break
        known = present.get(number)
        if known is None or not search.is_visible(known, listeners, aloud, deep=True):
            continue
        material.audiences.append(audiences.frozen(known.entry.get("audience")))
        material.recalled[f"j{number}"] = {"score": None}
        records.append(_record(known.entry, now - when))
    names = [record["id"] for record in records]
    note_hits(agent.npc, names)
    agent.npc.memory.activated.note(names, now)
    return records


def _fitting(
    search: Any,
    told_to: tuple[Collection[str], bool],
    asked: tuple[Sequence[Term], Mode],
    found: list[_Found],
) -> Iterator[None]:
    """Go through all entries and put what fits into `found`, with pauses for others."""
    for count, known in enumerate(search.every()):
        if count % AT_ONCE == 0:
            yield
        visible = search.is_visible(known, *told_to, deep=True)
        fits = fit(known.entry, *asked) if visible else 0
        if fits:
            number, weight = int(known.entry["id"]), int(known.entry["importance"])
            found.append((fits, weight, known.when, number))


def _record(entry: Mapping[str, Any], age: float) -> dict[str, Any]:
    scene = sound(entry.get("scene")) or {}
    record: dict[str, Any] = {
        "id": f"j{entry['id']}",
        "text": told(entry, str(entry["content"])),
        "when": ago(age),
    }
    if scene.get("feeling"):
        record["feeling"] = scene["feeling"]
    if entry.get("tags"):
        record["tags"] = list(entry["tags"])
    return record
