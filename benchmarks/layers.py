"""
Does a turn stay as quick as the NPC grows old? What names, reading and a night cost beside it.

    python -m benchmarks.layers [--turns N] [--entries N] [--json]

An Evennia game on an SQLite file. A turn is all an NPC does for one line but asking the model: it
is heard, who hears the answer is decided, memory is recalled, the prompt is put together, and what
was said is stored in one transaction.

- turn: an NPC with a hundred facts, one with ten thousand, and one with a hundred and 200 open
  expectations, each with a full journal; the lines alternate between them. What counts is the time
  of the thread, so that what else the machine does is not the subject; `turn_ms_p50` is that of
  the clock;
- names: looking up who a line names, among 5,000 names;
- reading: statements that write, of as many recalls and prompts as there are turns;
- night: texts turned into vectors in one night, of the memories that were new or changed in it.

"""

from __future__ import annotations

import os

# More BLAS threads than one cost more than they bring on rows this short; numpy reads this once.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import gc
import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import _talk
from benchmarks._days import heard, live_a_day
from benchmarks._game import make_npc, make_player, make_room, run, set_up
from benchmarks._report import p50, p95, parser, progress, report

YOUNG, OLD = 100, 10_000
NAMES = 5_000
EXPECTATIONS = 200
GUESTS = 5
#: Turns that are not counted: everybody says a line, so that caches are warm.
WARM_UP = 10
DAY = 86_400.0


def main() -> None:
    """Run from the command line."""
    line = parser(__doc__)
    line.add_argument("--turns", type=int, default=200, help="of each NPC")
    line.add_argument("--entries", type=int, default=100, help="of the day before the night")
    options = line.parse_args()
    with TemporaryDirectory() as folder:
        set_up(Path(folder))
        result = run(lambda: measured(options.turns, options.entries))
    report(result, as_json=options.json, table=table(result))


async def measured(turns: int, entries: int) -> dict[str, Any]:
    """Everything, as the JSON object has it."""
    players = [make_player(f"Guest{number}", None) for number in range(GUESTS)]
    return {
        **turn_times(players, turns),
        **name_times(players[0], turns),
        **await night(players, entries),
        "turns": turns,
    }


# Turns ------------------------------------------------------------------------------------------


def turn_times(players: Sequence[Any], turns: int) -> dict[str, Any]:
    """Milliseconds of a turn, by what the NPC has behind it, and what reading alone writes."""
    npcs = {
        "young": experienced("Young", players, YOUNG),
        "old": experienced("Old", players, OLD),
        "expecting": experienced("Expecting", players, YOUNG, expectations=EXPECTATIONS),
    }
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in npcs}
    talk = _talk.lines(3)
    gc.collect()
    for number in range(WARM_UP + turns):
        who, words = players[number % len(players)], next(talk)
        for name, npc in npcs.items():
            wall, cpu = time.perf_counter(), time.thread_time()
            one_turn(npc, who, f"{npc.key}, {words}")
            spent = time.perf_counter() - wall, time.thread_time() - cpu
            taken[name].append((spent[0] * 1000.0, spent[1] * 1000.0))
    figures = {name: [cpu for _wall, cpu in each[WARM_UP:]] for name, each in taken.items()}
    walls = {name: [wall for wall, _cpu in each[WARM_UP:]] for name, each in taken.items()}
    with counting_writes() as writes:
        for number in range(turns):
            who = players[number % len(players)]
            percept = heard(npcs["old"], who, next(talk), time.time(), whispered=False)
            prompt(npcs["old"], percept)
    return {
        **{f"turn_cpu_ms_p50_{name}": p50(values) for name, values in figures.items()},
        **{f"turn_cpu_ms_p95_{name}": p95(values) for name, values in figures.items()},
        **{f"turn_ms_p50_{name}": p50(values) for name, values in walls.items()},
        "old_to_young": p50(figures["old"]) / p50(figures["young"]),
        "expecting_to_young": p50(figures["expecting"]) / p50(figures["young"]),
        "writes_on_read": writes[0],
    }


def experienced(name: str, players: Sequence[Any], facts: int, *, expectations: int = 0) -> Any:
    """An NPC with a full journal, so many facts in its index, and so much that it expects."""
    from evennia_assistant.memory.items import MemoryItem

    progress(f"{name}: {facts} facts")
    room = make_room(f"{name}'s room")
    npc = make_npc(name, name.lower(), room, llm_provider="offline", cooldown="0")
    live_a_day(npc, players, 100, seed=1)
    now, talk = time.time(), _talk.lines(2)
    for number in range(expectations):
        npc.memory.write(
            f"{next(talk)} I expect to hear of it.",
            when=now - 60.0 * number,
            source_type="inference",
            kind="expectation",
            audience="public",
            importance=6,
        )
    npc.memory.save()
    rng = random.Random(facts)
    npc.memory.index.add(
        [
            MemoryItem(
                f"m{number}",
                next(talk),
                f"#{players[number % len(players)].pk}",
                players[number % len(players)].key,
                now - rng.random() * 300 * DAY,
                "public",
                conversation="",
                valence=rng.uniform(-1, 1),
            )
            for number in range(facts)
        ]
    )
    return npc


def one_turn(npc: Any, who: Any, words: str) -> None:
    """A line, and all that comes of it but the model's part."""
    from evennia_assistant.awake.outcome import store_heard

    now = time.time()
    percept = heard(npc, who, words, now, whispered=False)
    prompt(npc, percept)
    store_heard(npc, [percept], now)
    npc.memory.working.add_message(
        f"#{who.pk}", "assistant", "I shall keep my eyes open.",
        name=npc.key, manner="say", audience="public", when=now,
    )  # fmt: skip
    npc.memory.save()


def prompt(npc: Any, percept: Any) -> None:
    """What the model would be given."""
    from evennia_assistant.awake import gathering
    from evennia_assistant.awake import material as materials
    from evennia_assistant.prompts.assembly import build_messages
    from evennia_assistant.tools import load_tools, offered_to

    load_tools()
    material = materials.begin(npc, [percept])
    schemas = [tool.schema() for tool in offered_to(npc)]
    build_messages(gathering.gather(npc, material, percept.when, schemas), schemas)


@contextmanager
def counting_writes() -> Iterator[list[int]]:
    """Within the block, the statements that write are counted."""
    from django.db import connection

    writes = [0]

    def count(execute: Any, sql: str, *rest: Any) -> Any:
        writes[0] += not sql.lstrip().upper().startswith(("SELECT", "PRAGMA", "SAVEPOINT"))
        return execute(sql, *rest)

    with connection.execute_wrapper(count):
        yield writes


# Names ------------------------------------------------------------------------------------------


def name_times(player: Any, lines: int) -> dict[str, float]:
    """Milliseconds to look up whom a line names, among as many names as `NAMES`."""
    npc = make_npc("Registrar", "registrar", make_room("The registry"), llm_provider="offline")
    profiles, rng = npc.memory.profiles, random.Random(5)
    for number in range(NAMES // 2):
        name = "".join(rng.choices("abcdefghiklmnoprstuvwz", k=7)).title()
        profiles.ensure(f"#9{number:05}", "player", name)
        profiles.learn_alias(f"#9{number:05}", f"{name} the {number}th", audience="public")
    talk = _talk.lines(4)
    taken = timed(lambda: profiles.ids_in(next(talk), [f"#{player.pk}"]), lines)
    return {"names": len(profiles.book), "name_ms_p50": p50(taken), "name_ms_p95": p95(taken)}


def timed(do: Callable[[], Any], times: int) -> list[float]:
    """Milliseconds of each, after a few that warm up."""
    taken = []
    for _ in range(WARM_UP + times):
        started = time.perf_counter()
        do()
        taken.append((time.perf_counter() - started) * 1000.0)
    return taken[WARM_UP:]


# A night ----------------------------------------------------------------------------------------


async def night(players: Sequence[Any], entries: int) -> dict[str, Any]:
    """Texts turned into vectors by a night after a day of so many entries, and by the next."""
    from django.conf import settings

    from evennia_assistant.asleep.cycle import run_sleep_tick
    from evennia_assistant.asleep.night import night_of

    progress(f"a night of {entries} entries")
    settings.ASSISTANT_EMBEDDER = "hashing"
    npc = make_npc("Dreamer", "dreamer", make_room("The attic"), llm_provider="offline")
    with counting_vectors() as embedded:
        live_a_day(npc, players, entries, seed=6)
        made_awake = len(embedded)
        counts = []
        for _night in range(2):
            embedded.clear()
            while (await run_sleep_tick(npc.assistant_script, npc))["open"]:
                pass
            counts.append(len(embedded))
            npc.assistant_script.attributes.remove("sleep_phase")
    ledger = night_of(npc.assistant_script).last.data["ledger"]
    settings.ASSISTANT_EMBEDDER = None
    facts = len(npc.memory.facts.recallable())
    made = npc.memory.journal.store.data["entry_count"] - entries
    return {
        "entries": entries,
        "embedded_awake": made_awake,
        "embedded_by_night": counts[0],
        "new_or_changed": facts + made,
        "embedded_by_idle_night": counts[1],
        "steps": sorted(ledger),
    }


@contextmanager
def counting_vectors() -> Iterator[list[str]]:
    """Within the block, every text the hashing embedder is given is noted."""
    from evennia_assistant.memory.embedders import HashingEmbedder

    embed, texts = HashingEmbedder.embed, []

    def noted(self: Any, given: Sequence[str]) -> Any:
        texts.extend(given)
        return embed(self, given)

    HashingEmbedder.embed = noted  # type: ignore[method-assign]
    try:
        yield texts
    finally:
        HashingEmbedder.embed = embed  # type: ignore[method-assign]


def table(result: dict[str, Any]) -> str:
    """The result for people."""
    return "\n".join(
        (
            f"turn, {YOUNG} facts          p50 {result['turn_cpu_ms_p50_young']:.2f} ms, "
            f"p95 {result['turn_cpu_ms_p95_young']:.2f}",
            f"turn, {OLD} facts        p50 {result['turn_cpu_ms_p50_old']:.2f} ms, "
            f"p95 {result['turn_cpu_ms_p95_old']:.2f}; {result['old_to_young']:.2f} times as long",
            f"turn, {EXPECTATIONS} expectations   "
            f"p50 {result['turn_cpu_ms_p50_expecting']:.2f} ms, "
            f"p95 {result['turn_cpu_ms_p95_expecting']:.2f}; "
            f"{result['expecting_to_young']:.2f} times as long",
            f"whom a line names        p50 {result['name_ms_p50']:.3f} ms, "
            f"p95 {result['name_ms_p95']:.3f}, of {result['names']} names",
            f"writes on read           {result['writes_on_read']}",
            f"vectors made by a night  {result['embedded_by_night']}, of "
            f"{result['new_or_changed']} new or changed memories; by a night without any, "
            f"{result['embedded_by_idle_night']}",
        )
    )


if __name__ == "__main__":
    main()
