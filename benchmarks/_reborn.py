"""
A game of many old NPCs: one process makes it, another is started on what the first left.

Only a process that never had it in its hands shows what memory and time it takes to have all of it
at hand again.

"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks import _talk
from benchmarks._game import make_npc, make_player, make_room, run, set_up
from benchmarks._report import p50, p95, progress

#: Players who told the NPCs what they know.
GUESTS = 10
#: Questions asked of the youngest and the oldest.
QUESTIONS = 200
#: Seconds after which an index that is not ready never will be.
GIVE_UP = 300.0


def make(folder: Path, npcs: int, facts: int, young: int, old: int) -> None:
    """
    Make the game.

    Args:
        folder: An empty one.
        npcs: How many NPCs.
        facts: Of each.
        young: Facts of one more.
        old: Facts of one more.

    """
    _run("make", folder, npcs, facts, young, old)


def start(folder: Path) -> dict[str, Any]:
    """Start the game that `make` made, in a new process; what it measures of itself."""
    measured: dict[str, Any] = json.loads(_run("start", folder).splitlines()[-1])
    return measured


def _run(*arguments: object) -> str:
    return subprocess.run(
        [sys.executable, "-m", __name__, *map(str, arguments)],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout


# In the process that makes it ---------------------------------------------------------------------


def _make(npcs: int, facts: int, young: int, old: int) -> None:
    from benchmarks._days import grow_old

    players = [make_player(f"Guest{number}", None) for number in range(GUESTS)]
    ages = [facts] * npcs + [young, old]
    for number, age in enumerate(ages):
        if number % 10 == 0:
            progress(f"{number} of {len(ages)} NPCs have grown old ...")
        npc = make_npc(f"Old{number}", f"old{number}", make_room(f"Inn {number}"))
        grow_old(npc, players, age, seed=number)


# In the process that is started -------------------------------------------------------------------


async def _start() -> dict[str, Any]:
    from twisted.internet import reactor
    from twisted.internet.task import deferLater

    from evennia_assistant.typeclasses.script import AssistantScript

    from benchmarks._meter import Meter
    from benchmarks.idle import resident_bytes

    scripts = list(AssistantScript.objects.all().order_by("pk"))
    wanted = [len(script.character.memory.facts.links) for script in scripts]
    empty = resident_bytes()
    meter = Meter(reactor)
    progress(f"{len(scripts)} NPCs with {sum(wanted)} facts start ...")
    began, work = time.perf_counter(), time.process_time()
    for script in scripts:
        script.at_server_start()
    started = time.perf_counter() - began
    while not all(map(_is_ready, scripts)):
        if time.perf_counter() - began > GIVE_UP:
            raise RuntimeError(f"The index was not ready after {GIVE_UP:g} s.")
        await deferLater(reactor, 0.02)
    ready, work = time.perf_counter() - began, time.process_time() - work
    blocked = [stretch.wall * 1000 for stretch in meter.stretches() if stretch.wall > 0.001]
    full = resident_bytes()
    young, old = scripts[-2:]
    return {
        "start_s": started,
        "index_ready_s": ready,
        "index_ready_cpu_s": work,
        "blocked_starting_ms_p95": p95(blocked),
        "rss_mb": full / 2**20,
        "rss_before_mb": empty / 2**20,
        **(await _asked("young", young)),
        **(await _asked("old", old)),
        "rss_after_searches_mb": resident_bytes() / 2**20,
    }


def _is_ready(script: Any) -> bool:
    # Of an NPC with more memories than the index may hold, the oldest never come into it.
    return bool(script.character.memory.facts.loaded)


async def _asked(name: str, script: Any) -> dict[str, float]:
    """What recall takes on the reactor, and what a search of semantic memory takes beside it."""
    from evennia_assistant.memory.semantic import semantic_memory

    memory, talk = script.character.memory, _talk.lines(5)
    questions = [next(talk) for _ in range(QUESTIONS)]
    recalled, searched = [], []
    for question in questions:
        began = time.perf_counter()
        memory.recall(question, listeners=["#1"])
        recalled.append((time.perf_counter() - began) * 1000)
    for question in questions[:50]:
        began = time.perf_counter()
        await semantic_memory().search(script.db.assistant_key, question)
        searched.append((time.perf_counter() - began) * 1000)
    return {
        f"recall_ms_p50_{name}": p50(recalled),
        f"recall_ms_p95_{name}": p95(recalled),
        f"mem0_search_ms_p95_{name}": p95(searched[1:]),
    }


def _main(what: str, folder: str, *numbers: str) -> None:
    set_up(Path(folder))
    if what == "make":
        _make(*map(int, numbers))
    else:
        print(json.dumps(run(_start)), flush=True)


if __name__ == "__main__":
    _main(*sys.argv[1:])
