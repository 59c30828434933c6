"""What a prompt costs to put together, beyond recall, and what it costs to score an entry."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from benchmarks import _talk

#: Prompts made before those that are measured.
WARM_UP = 20
#: Entries scored in one measured stretch: one alone is too short for the clock.
STRETCH = 100


def assembly(npc: Any, players: Sequence[Any], facts: int, prompts: int) -> dict[str, list[float]]:
    """
    Milliseconds to gather and put together the prompt of a turn, what recall takes left out.

    The NPC is after three goals, works at a project and keeps a few quick facts in mind, and as
    many facts as asked for stand in its index beside its journal.

    Args:
        npc: One with a full journal and a past with each player.
        players: Who says the lines, in turn.
        facts: How many.
        prompts: How many prompts.

    Returns:
        `assembly` on the clock, `assembly_cpu` of the thread's own work, `recall` on the clock.

    """
    from evennia_assistant.awake import gathering
    from evennia_assistant.awake import material as materials
    from evennia_assistant.prompts.assembly import build_messages
    from evennia_assistant.tools import load_tools, offered_to

    load_tools()
    talk = _talk.lines(11)
    _give_work(npc, facts, talk)
    taken: dict[str, list[float]] = {"assembly": [], "assembly_cpu": [], "recall": []}
    with _recall_apart(npc.memory) as spent:
        for number in range(WARM_UP + prompts):
            percept = _heard(players[number % len(players)], f"{npc.key}, {next(talk)}")
            spent[:] = 0.0, 0.0
            wall, cpu = time.perf_counter(), time.thread_time()
            material = materials.begin(npc, [percept])
            schemas = [tool.schema() for tool in offered_to(npc)]
            build_messages(gathering.gather(npc, material, percept.when, schemas), schemas)
            wall, cpu = time.perf_counter() - wall, time.thread_time() - cpu
            taken["assembly"].append((wall - spent[0]) * 1000)
            taken["assembly_cpu"].append((cpu - spent[1]) * 1000)
            taken["recall"].append(spent[0] * 1000)
    return {name: values[WARM_UP:] for name, values in taken.items()}


def scoring(stretches: int) -> list[float]:
    """Microseconds to score an entry by the heuristic, a mean for each stretch of a hundred."""
    from evennia_assistant.mind.importance import score_importance_heuristic

    talk, taken = _talk.lines(12), []
    for _ in range(stretches):
        lines = [f'Anna said: "{next(talk)}"' for _ in range(STRETCH)]
        started = time.perf_counter()
        for line in lines:
            score_importance_heuristic(line, "direct", ("say",))
        taken.append((time.perf_counter() - started) / STRETCH * 1e6)
    return taken


def _give_work(npc: Any, facts: int, talk: Iterator[str]) -> None:
    from evennia_assistant.memory.items import MemoryItem

    memory, now = npc.memory, time.time()
    whole = memory.goals.create("Find out who broke the cellar door.", audience="public")
    for words in ("Ask the harbour master.", "Look for marks on the lock."):
        memory.goals.create(words, parent_id=whole["goal_id"], audience="public")
    memory.projects.create(
        "cellar", "Make the cellar dry and safe.", f"{next(talk)} " * 4, audience="public"
    )
    for _ in range(4):
        memory.session_memory.add("facts", next(talk), audience="public")
    memory.save()
    memory.index.add(
        [
            MemoryItem(f"m{number}", next(talk), None, "", now - 60.0 * number, "public")
            for number in range(facts)
        ]
    )


def _heard(player: Any, words: str) -> Any:
    from evennia_assistant.mind.percept import Percept

    return Percept(
        manner="say",
        speaker=f"#{player.pk}",
        speaker_name=player.key,
        words=words,
        line=f'{player.key} says, "{words}"',
        when=time.time(),
        witnesses=(f"#{player.pk}",),
        audience="public",
    )


@contextmanager
def _recall_apart(memory: Any) -> Iterator[list[float]]:
    """Within the block, what `recall` takes is added up, on the clock and of the thread."""
    inner, spent = memory.recall, [0.0, 0.0]

    def recall(*args: Any, **kwargs: Any) -> Any:
        wall, cpu = time.perf_counter(), time.thread_time()
        try:
            return inner(*args, **kwargs)
        finally:
            spent[0] += time.perf_counter() - wall
            spent[1] += time.thread_time() - cpu

    memory.recall = recall
    try:
        yield spent
    finally:
        del memory.recall
