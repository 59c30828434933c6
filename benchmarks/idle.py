"""
What a thousand NPCs cost when nobody talks to them.

    python -m benchmarks.idle [--npcs N] [--seconds S] [--settle S] [--json]

An Evennia game on an SQLite file, its real reactor, and its real TICKER_HANDLER, which calls every
NPC each five seconds. The NPCs are awake, have the persona and knowledge of the demo's innkeeper,
and stand ten to a room. After `--settle` seconds the process is left alone for `--seconds`:

- `core_share`: processor time of the process by time on the clock, less that of the same reactor
  before there was any NPC (`empty_core_share`);
- `writes`: statements in that time that change the database, however they are issued;
- `bytes_per_npc`: by how much the resident memory of the process grew, by NPC. That is all of an
  NPC: its object, its script, their Attributes, its ticker, its mind, its stores, the index of its
  knowledge, and its share of the room;
- `late_ms_p95`: how late the reactor came to a call that was due, every 20 ms;
- `heavy_modules`: which of the packages that only a turn needs are loaded after all that.

Evennia stores all tickers of a game in one pickled value and writes it anew with every one that is
added, so making n NPCs one by one costs n squared. That is paid once, when an NPC is made; here it
is put off to one write at the end.

"""

from __future__ import annotations

import gc
import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest import mock

from benchmarks._game import make_npc, make_room, run, set_up
from benchmarks._report import p95, parser, progress, report

#: NPCs in a room.
TOGETHER = 10
#: Seconds of the empty reactor.
EMPTY = 5.0
#: Seconds between two looks at how late the reactor is.
STEP = 0.02

#: Packages of a second and a hundred megabytes that an NPC nobody has talked to does without.
HEAVY = ("mem0", "openai", "onnxruntime", "qdrant_client")

_CHANGES = re.compile(r"\s*(?:INSERT|UPDATE|DELETE|REPLACE|CREATE|ALTER|DROP)\b", re.IGNORECASE)


class Writes:
    """Counts the statements that change the database; wraps every one that Django executes."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        self.count += bool(_CHANGES.match(sql))
        return execute(sql, params, many, context)


def resident_bytes() -> int:
    """Resident memory of this process."""
    gc.collect()
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"^VmRSS:\s+(\d+) kB", status, re.MULTILINE)[1]) * 1024


async def watched(seconds: float) -> tuple[float, list[float]]:
    """
    Leave the reactor to itself.

    Returns:
        The share of one core it took, and how late it was each time, in milliseconds.

    """
    from twisted.internet import reactor
    from twisted.internet.task import deferLater

    late = []
    began, work = time.perf_counter(), time.process_time()
    while (now := time.perf_counter()) - began < seconds:
        await deferLater(reactor, STEP)
        late.append((time.perf_counter() - now - STEP) * 1000)
    return (time.process_time() - work) / (time.perf_counter() - began), late


@contextmanager
def one_write_of_all_tickers() -> Iterator[None]:
    """Put off the writes of Evennia's ticker storage to the end of the block."""
    from evennia.scripts.tickerhandler import TICKER_HANDLER

    with mock.patch.object(TICKER_HANDLER, "save"):
        yield
    TICKER_HANDLER.save()


async def measure(npcs: int, seconds: float, settle: float) -> dict[str, Any]:
    """Everything, as the JSON object has it."""
    from django.db import connection, transaction
    from evennia.scripts.tickerhandler import TICKER_HANDLER
    from twisted.internet import reactor
    from twisted.internet.task import deferLater

    # One NPC first, so that what is loaded once for all is not counted as theirs.
    first = make_npc("First", "first", make_room("First"))
    await first.memory.prepare()
    progress("an empty reactor ...")
    first.assistant_script.disable()
    empty, _late = await watched(min(EMPTY, seconds))
    first.assistant_script.enable()
    before = resident_bytes()
    progress(f"making {npcs} NPCs ...")
    began = time.perf_counter()
    made = []
    with one_write_of_all_tickers():
        while len(made) < npcs:
            with transaction.atomic():
                room = make_room(f"Room {len(made)}")
                for _ in range(min(TOGETHER, npcs - len(made))):
                    made.append(make_npc(f"Npc{len(made)}", f"npc{len(made)}", room))
            # The reactor has its turn, as it would have between two commands of a builder.
            await deferLater(reactor, 0)
    for npc in made:
        await npc.memory.prepare()
    making = time.perf_counter() - began
    subscribed = sum(len(tickers) for tickers in TICKER_HANDLER.all().values())
    if subscribed != npcs + 1:
        raise RuntimeError(f"{subscribed} tickers for {npcs + 1} NPCs.")
    progress("settling ...")
    await deferLater(reactor, settle)
    grown = resident_bytes() - before
    progress(f"{seconds:g} seconds of nothing ...")
    writes = Writes()
    with connection.execute_wrapper(writes):
        share, late = await watched(seconds)
    return {
        "npcs": npcs,
        "core_share": share - empty,
        "empty_core_share": empty,
        "writes": writes.count,
        "bytes_per_npc": grown // npcs,
        "late_ms_p95": p95(late),
        "late_ms_max": max(late),
        "heavy_modules": [name for name in HEAVY if name in sys.modules],
        "seconds": seconds,
        "making_seconds": making,
    }


def table(result: dict[str, Any]) -> str:
    """The figures for people."""
    return "\n".join(
        (
            f"{result['npcs']} NPCs, awake and idle for {result['seconds']:g} s",
            f"of one core       {result['core_share']:.2%} (the empty reactor alone: "
            f"{result['empty_core_share']:.2%})",
            f"database writes   {result['writes']}",
            f"memory of an NPC  {result['bytes_per_npc'] / 1024:.0f} KiB",
            f"reactor late      {result['late_ms_p95']:.1f} ms (p95), "
            f"{result['late_ms_max']:.1f} ms (worst)",
        )
    )


def main() -> None:
    """Run from the command line."""
    made = parser(__doc__)
    made.add_argument("--npcs", type=int, default=1000)
    made.add_argument("--seconds", type=float, default=30.0, help="how long they are watched")
    made.add_argument("--settle", type=float, default=10.0, help="how long they are left before")
    options = made.parse_args()
    with TemporaryDirectory() as folder:
        set_up(Path(folder))
        result = run(lambda: measure(options.npcs, options.seconds, options.settle))
    report(result, as_json=options.json, table=table(result))


if __name__ == "__main__":
    main()
