"""
What does a kill cost an NPC's memory?

An NPC lives through days and nights while its process is killed again and again: in this process at
every place where the stores would differ for it (`--kills`), and by `kill -9` of a real server with
the real Mem0 (`--real`). In the end what it remembers is compared with what was said to it::

    python -m benchmarks.faults --kills 12000 --real 300

It ends with exit code 1 if anything was lost or doubled, or fewer kills fired than planned.

"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from ._game import set_up
from ._report import parser, progress, report

#: Live entries of the journals, so that some go to the archive on the same day.
MAX_ENTRIES = (30, 100)


def kill_in_process(planned: int) -> dict[str, object]:
    """Kills in this process; what they came to."""
    # These need the settings.
    from tests.faults.campaign import Tally, kill_again_and_again, kill_at_each_name
    from tests.faults.day import a_day
    from tests.faults.world import a_world

    tally, began = Tally(), time.monotonic()

    def told(so_far: Tally) -> None:
        progress(
            f"{so_far.kills} kills in {so_far.runs} runs, {so_far.lost} lost, "
            f"{so_far.doubled} doubled, {time.monotonic() - began:.0f} s"
        )

    worlds = [(by_model, most) for by_model in (False, True) for most in MAX_ENTRIES]
    for number, (by_model, most) in enumerate(worlds):
        with a_world(by_model=by_model, max_entries=most) as world:
            before = tally.kills
            if planned >= 4_000:
                kill_at_each_name(world, a_day(number), tally)
                told(tally)
            share = -(-planned // len(worlds)) - (tally.kills - before)
            kill_again_and_again(world, share, tally, seed=1_000 * number, told=told)
    for run, verdict in tally.wrong:
        progress(f"wrong: {run}: {verdict}")
    return {
        "kills": tally.kills,
        "lost": tally.lost,
        "doubled": tally.doubled,
        "wrong": len(tally.wrong),
        "manners": dict(tally.manners),
        "memory_faults": dict(tally.faults),
        "runs": tally.runs,
        "seconds": time.monotonic() - began,
    }


def kill_servers(planned: int) -> dict[str, object]:
    """`kill -9` of real servers; what it came to."""
    from tests.faults.servers import kill_a_server

    began = time.monotonic()
    with TemporaryDirectory() as folder:
        outcome = kill_a_server(Path(folder) / "game", planned, told=progress)
    for text in outcome.wrong:
        progress(f"wrong: {text}")
    return {
        "real_kills": outcome.kills,
        "lost": outcome.lost,
        "doubled": outcome.doubled,
        "wrong": len(outcome.wrong),
        "lines": outcome.lines,
        "real_seconds": time.monotonic() - began,
    }


def main() -> None:
    """Run the command line."""
    command = parser(__doc__)
    command.add_argument("--kills", type=int, default=12_000, help="kills in this process")
    command.add_argument("--real", type=int, default=0, help="kills of a real server")
    asked = command.parse_args()
    result: dict[str, object] = {"kills": 0, "real_kills": 0, "lost": 0, "doubled": 0}
    parts = []
    if asked.kills:
        with TemporaryDirectory() as folder:
            set_up(Path(folder))
            parts.append(kill_in_process(asked.kills))
    if asked.real:
        parts.append(kill_servers(asked.real))
    for part in parts:
        for name in ("lost", "doubled", "wrong"):
            result[name] = int(str(result.get(name, 0))) + int(str(part.pop(name)))
        result.update(part)
    report(result, as_json=asked.json)
    hollow = result["kills"] < asked.kills or result["real_kills"] < asked.real  # type: ignore[operator]
    if hollow or result["lost"] or result["doubled"] or result.get("wrong"):
        sys.exit(1)


if __name__ == "__main__":
    main()
