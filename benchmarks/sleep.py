"""
What nights cost the game, and what many NPCs with many facts take.

    python -m benchmarks.sleep [--npcs N] [--players P] [--facts F] [--old F] [--entries E]
                               [--seconds S] [--json]

Everything is real but the model: an Evennia game on an SQLite file, its reactor and ticker, Mem0 on
its embedded store on the disk, HTTP over the loopback interface, and a model server in a process of
its own that answers each prompt of a night at once.

- **A night of E journal entries**, of several NPCs one after the other: `ms_per_entry_p95`, what
  the reactor works for one entry that becomes a fact; `model_calls_per_100` and `tokens_per_100`,
  and the same where each entry is scored by a call of its own (`..._single`).
- **P players talk with NPCs that are awake**, first by themselves, then while N others dream:
  `blocked_ms_p99`, of all stretches of work of at least a millisecond between two looks of the
  reactor at its connections; `blocked_awake_ms_p99` is that without the dreamers.
- **N NPCs of F facts each**, in a process that is started on what another left: `index_ready_s`,
  until all of them can recall all of it; `rss_mb`, the resident memory then.
- **One NPC of F and one of `--old` facts** in that process: what recall takes.

"""

from __future__ import annotations

import random
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import _talk
from benchmarks._days import live_a_day
from benchmarks._game import make_npc, make_player, make_room, run, set_up
from benchmarks._meter import REST, Meter
from benchmarks._model import ModelProcess
from benchmarks._reborn import make, start
from benchmarks._report import p50, p95, parser, percentile, progress, report

#: NPCs whose nights are measured entry by entry, after one whose night warms the caches.
NIGHTS = 5
#: Players who have talked with one NPC in a day.
GUESTS = 10
#: Journal entries of each of those who dream while others talk.
DREAMT = 30
#: Players in a room with an NPC that is awake.
TOGETHER = 5
#: Seconds between two ticks of a dreaming NPC here; the default of an NPC is 60.
TICK = 5
#: Seconds between two lines of a player.
PACE = 5.0
#: Stretches shorter than this are left out: nobody notices them, and there are thousands.
NOTICED = 0.001


class Nights:
    """
    The measuring in one process.

    Args:
        options: From the command line.
        model: The model server.

    """

    def __init__(self, options: Any, model: ModelProcess) -> None:
        from twisted.internet import reactor

        self.options = options
        self.model = model
        self.meter = Meter(reactor)
        self.rng = random.Random(1)
        progress(f"making {options.players} players ...")
        self.players = [make_player(f"Guest{n}", None) for n in range(options.players)]

    async def all(self) -> dict[str, Any]:
        """What one process can measure, as the JSON object has it."""
        one = await self.one_by_one()
        progress(str(one))
        crowd = await self.crowd()
        progress(str(crowd))
        return {**one, **crowd}

    # One night ------------------------------------------------------------------------------------

    async def one_by_one(self) -> dict[str, Any]:
        """Nights of some NPCs, one after the other."""
        from evennia_assistant.asleep.night import night_of
        from evennia_assistant.memory.semantic import semantic_memory

        # Mem0 takes its time to load, and a night does not wait for it.
        await semantic_memory().search("nobody", "Is it there?")
        entries = self.options.entries
        wall, cpu = [], []
        lasted = calls = tokens = 0
        steps: dict[str, int] = {}
        for number in range(NIGHTS + 1):
            progress(f"a night of {entries} entries ({number} of {NIGHTS}) ...")
            npc = self.sleeper(f"Dreamer{number}", entries, seed=number)
            began = time.perf_counter()
            for per_entry in await self.night(npc):
                if number:
                    wall.append(per_entry[0])
                    cpu.append(per_entry[1])
            lasted = time.perf_counter() - began
            last = night_of(npc.assistant_script).last.data
            _check(last, npc, entries)
            calls, tokens = _spent(last)
            steps = {name: line["calls"] for name, line in last["ledger"].items() if line["calls"]}
            npc.delete()
        single = await self.scored_one_by_one()
        return {
            "ms_per_entry_p50": p50(wall),
            "ms_per_entry_p95": p95(wall),
            "cpu_ms_per_entry_p95": p95(cpu),
            "model_calls_per_100": round(calls * 100 / entries),
            "model_calls_by_step": steps,
            "tokens_per_100": round(tokens * 100 / entries),
            "model_calls_per_100_single": round(single[0] * 100 / entries),
            "tokens_per_100_single": round(single[1] * 100 / entries),
            "night_s": lasted,
        }

    async def night(self, npc: Any) -> list[tuple[float, float]]:
        """Let an NPC sleep through; milliseconds and those of the thread, for each entry."""
        from evennia_assistant.asleep.cycle import run_sleep_tick

        taken = []
        is_open = True
        while is_open:
            await self.meter.idle(lambda: True)
            self.meter.take()
            with self.meter.spend(REST):
                running = run_sleep_tick(npc.assistant_script, npc)
            tick = await running
            spent = self.meter.take()[REST]
            entries = sum(done.get("consolidated", 0) for done in tick["done"])
            if entries:
                each = (spent.wall * 1000 / entries, spent.cpu * 1000 / entries)
                taken += [each] * entries
            is_open = tick["open"]
        return taken

    async def scored_one_by_one(self) -> tuple[int, int]:
        """Calls and tokens of a night before which each entry was scored by itself."""
        from evennia_assistant.asleep.night import night_of
        from evennia_assistant.asleep.scoring import score_pending_entries
        from evennia_assistant.llm.tokens import count_message_tokens

        progress("a night with a call for each score ...")
        npc = self.sleeper("Slow", self.options.entries, seed=0)
        self.model.take()
        while not (await score_pending_entries(npc.assistant_script, npc, 1))["completed"]:
            pass
        asked = self.model.take()
        tokens = sum(count_message_tokens(one.body["messages"], None) + 1 for one in asked)
        await self.night(npc)
        calls_of_night, tokens_of_night = _spent(night_of(npc.assistant_script).last.data)
        npc.delete()
        return len(asked) + calls_of_night, tokens + tokens_of_night

    def sleeper(self, name: str, entries: int, *, seed: int) -> Any:
        """An NPC after a day of talk."""
        npc = self.npc(name, make_room(f"{name}'s room"))
        live_a_day(npc, self.players[:GUESTS], entries, seed=seed)
        return npc

    def npc(self, name: str, room: Any, **options: str) -> Any:
        """An NPC that asks the model server."""
        return make_npc(
            name,
            name.lower(),
            room,
            llm_provider="local",
            llm_api_url=self.model.url,
            llm_model="scripted-model",
            cooldown="0",
            player_cooldown="0",
            **options,
        )

    # Many at once ---------------------------------------------------------------------------------

    async def crowd(self) -> dict[str, Any]:
        """Players talk, first alone, then while many NPCs dream."""
        from evennia_assistant.asleep import modes

        tables = [
            self.players[start : start + TOGETHER]
            for start in range(0, len(self.players), TOGETHER)
        ]
        hosts = []
        for number, table in enumerate(tables):
            room = make_room(f"Inn {number}")
            hosts.append(self.npc(f"Host{number}", room))
            for player in table:
                player.location = room
        progress(f"{self.options.npcs} NPCs live a day ...")
        dreamers = []
        for number in range(self.options.npcs):
            name = f"Sleeper{number}"
            npc = self.npc(name, make_room(f"{name}'s room"), tick_rate_sleep=str(TICK))
            live_a_day(npc, self.players[:GUESTS], DREAMT, seed=number)
            dreamers.append(npc)
        progress(f"{len(self.players)} players talk ...")
        await self.talk(hosts, self.options.seconds / 4)
        self.meter.stretches()
        await self.talk(hosts, self.options.seconds)
        alone = self.meter.stretches()
        for npc in dreamers:
            modes.order_sleep(npc.assistant_script, "deep")
        await self.meter.idle(lambda: True)
        self.meter.stretches()
        progress(f"{len(self.players)} players talk, and {len(dreamers)} NPCs dream ...")
        began = time.perf_counter()
        lines = await self.talk(hosts, self.options.seconds)
        took = time.perf_counter() - began
        among = self.meter.stretches()
        steps = sum(map(_ticks, dreamers))
        if not lines or not steps:
            raise RuntimeError(f"{lines} lines were said, and {steps} steps of nights taken.")
        for npc in (*hosts, *dreamers):
            npc.assistant_script.disable()
        return {
            **_blocked("blocked", among),
            **_blocked("blocked_awake", alone),
            "busy_share": sum(stretch.wall for stretch in among) / took,
            "busy_share_awake": sum(stretch.wall for stretch in alone) / took,
            "lines_said": lines,
            "steps_dreamt": steps,
        }

    async def talk(self, hosts: list[Any], seconds: float) -> int:
        """Have everybody say a line now and then; how many were said."""
        from twisted.internet import reactor
        from twisted.internet.task import deferLater

        talk = _talk.lines(9)
        until = time.perf_counter() + seconds
        said = 0
        while time.perf_counter() < until:
            player = self.rng.choice(self.players)
            host = hosts[self.players.index(player) // TOGETHER]
            player.at_say(f"{host.key}, {next(talk)}", msg_self=True)
            said += 1
            pause = self.rng.expovariate(len(self.players) / PACE)
            await deferLater(reactor, min(pause, PACE))
        return said


def _blocked(name: str, stretches: list[Any]) -> dict[str, float]:
    noticed = [stretch for stretch in stretches if stretch.wall >= NOTICED]
    wall = [stretch.wall * 1000 for stretch in noticed]
    return {
        f"{name}_ms_p50": p50(wall),
        f"{name}_ms_p95": p95(wall),
        f"{name}_ms_p99": percentile(wall, 0.99),
        f"{name}_cpu_ms_p99": percentile([stretch.cpu * 1000 for stretch in noticed], 0.99),
        f"{name}_ms_max": max(wall),
    }


def _ticks(npc: Any) -> int:
    """Steps an NPC has taken in its night so far."""
    from evennia_assistant.asleep.night import night_of

    night = night_of(npc.assistant_script)
    ledger = night.data["ledger"] if night.is_open else night.last.data.get("ledger", {})
    return sum(line["ticks"] for line in ledger.values())


def _spent(last: dict[str, Any]) -> tuple[int, int]:
    """Calls and tokens of a night."""
    budget = last["budget"]
    return budget["calls"], budget["in"] + budget["out"]


def _check(last: dict[str, Any], npc: Any, entries: int) -> None:
    """A night that left something undone costs less than it should."""
    lines = last["ledger"].items()
    states = {name: line.get("why") or line["state"] for name, line in lines}
    # What the night itself wrote down waits for the next.
    left = [one for one in npc.memory.journal.unconsolidated() if one["id"] <= entries]
    if left or any(line["state"] != "done" for _name, line in lines):
        raise RuntimeError(f"Of {entries} entries of {npc.key}, {len(left)} are left: {states}")


def table(result: dict[str, Any]) -> str:
    """The figures for people."""
    size = result["sizes"]
    return "\n".join(
        (
            f"an entry becomes a fact   {result['ms_per_entry_p95']:.2f} ms of the reactor (p95)",
            f"a night of 100 entries    {result['model_calls_per_100']} model calls, "
            f"{result['tokens_per_100']} tokens",
            f"scored one by one         {result['model_calls_per_100_single']} model calls, "
            f"{result['tokens_per_100_single']} tokens",
            f"reactor without a pause   {result['blocked_ms_p99']:.1f} ms (p99) while "
            f"{size['npcs']} NPCs dream and {size['players']} players talk; "
            f"{result['blocked_awake_ms_p99']:.1f} ms while they only talk",
            f"index of all ready        {result['index_ready_s']:.1f} s after the start, of "
            f"{size['npcs']} NPCs with {size['facts']} facts each",
            f"memory then               {result['rss_mb']:.0f} MB",
            f"recall                    {result['recall_ms_p95_old']:.2f} ms of "
            f"{size['old']} facts, {result['recall_ms_p95_young']:.2f} ms of {size['young']} (p95)",
        )
    )


def arguments() -> Any:
    """The command line."""
    made = parser(__doc__)
    made.add_argument("--npcs", type=int, default=100, help="how many dream, or have facts")
    made.add_argument("--players", type=int, default=50, help="how many talk meanwhile")
    made.add_argument("--entries", type=int, default=100, help="of a night measured by itself")
    made.add_argument("--facts", type=int, default=1000, help="of each of the NPCs")
    made.add_argument("--young", type=int, default=100, help="facts of the youngest NPC")
    made.add_argument("--old", type=int, default=10_000, help="facts of the oldest NPC")
    made.add_argument("--seconds", type=float, default=60.0, help="how long the players talk")
    return made.parse_args()


def main() -> None:
    """Run from the command line."""
    options = arguments()
    with TemporaryDirectory() as folder, ModelProcess() as model:
        set_up(Path(folder))
        result = run(lambda: Nights(options, model).all())
    with TemporaryDirectory() as folder:
        make(Path(folder), options.npcs, options.facts, options.young, options.old)
        result.update(start(Path(folder)))
    sizes = ("npcs", "players", "entries", "facts", "young", "old", "seconds")
    result["sizes"] = {name: getattr(options, name) for name in sizes}
    report(result, as_json=options.json, table=table(result))


if __name__ == "__main__":
    main()
