"""
What an answer costs the game, everything but the model.

    python -m benchmarks.turn [--players 1,10,50,200] [--lines N] [--turns N] [--json]

An Evennia game on an SQLite file, its real reactor, and a model server in another process that
answers at once. In one room n players talk to one NPC, one line at a time; in another room n others
talk to the LLMNPC of `evennia.contrib.rpg.llm`, the peer, which asks the same server. Lines to the
two alternate, so that a noisy moment of the machine hits both.

For each line the reactor thread is watched from the moment it is said until everything the answer
leaves behind is stored. *Blocked* is all the time in which the thread did anything else than wait
for events, that is, in which no other player was served, less what Evennia takes to deliver a
line to everybody in the room: that time is spent with or without an NPC, and is given by itself as
*delivery*. What the NPC does when its own copy is delivered to it counts as blocked. *Process* is
the processor time of the whole game process on top of that, the thread that talks to the model
included, delivery not.

Before the measuring each NPC has a past: `--history` lines with each player on both sides, and for
ours a full journal of a hundred entries; then everybody says one line that is not counted.
Cooldowns are off. `request_out` is the time from the line being said to the request arriving at the
model server, delivery of the line included. `tool_turn_own` is a turn in which the model calls five
tools one after the other: all that the NPC does for it from the line to what the answer leaves
behind, the waiting for the model and the delivery of what is said left out. `prefix_share` is the
part of all prompts of one long talk that is, byte for byte, the beginning of the prompt before.
`prompt_tokens` counts messages and tools, over all prompts of all NPCs, one with ten thousand
memories among them. `assembly` is what it takes to gather and put together a prompt, recall left
out, for an NPC of a hundred entries and `--memories` facts with goals, a project and quick facts;
`score` what the heuristic takes for an entry, a mean over a hundred.

"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import _talk
from benchmarks._assembly import assembly, scoring
from benchmarks._game import make_npc, make_player, make_room, run, set_up
from benchmarks._meter import REST, Meter, Spent
from benchmarks._model import ERRAND, STEPS, Asked, ModelProcess
from benchmarks._prompts import share_of
from benchmarks._report import p50, p95, parser, progress, report

#: Lines said before the measured ones, at least; everybody says one, so that caches are warm.
WARM_UP = 5
#: Turns of a conversation after which its prompt is in a steady state.
STEADY_AFTER = 12


class Ours:
    """
    An NPC of this package.

    Args:
        room: Where it stands.
        meter: Charged with what is measured.
        model: Where it asks.
        name: Its name.

    """

    def __init__(self, room: Any, meter: Meter, model: ModelProcess, name: str) -> None:
        self.npc = make_npc(
            name,
            name.lower(),
            room,
            llm_provider="local",
            llm_api_url=model.url,
            llm_model="scripted-model",
            cooldown="0",
            player_cooldown="0",
        )
        self.agent = self.npc.assistant_script.agent
        self.meter = meter
        meter.charge(self.npc, "at_msg_receive", REST)

    def remember(self, players: Sequence[Any], history: int, entries: int) -> None:
        """Give it a past: entries in its journal, and earlier lines with each player."""
        memory, now = self.npc.memory, time.time() - 120
        talk = _talk.lines(entries)
        for number in range(entries):
            who = players[number % len(players)]
            words = next(talk)
            memory.write(f'{who.key} said: "{words}"', when=now, **full_fields(who, self.npc))
            if number % 100 == 99:
                memory.save()
        for who in players:
            entity = f"#{who.pk}"
            memory.profiles.ensure(entity, "player", who.key)
            for number in range(history):
                role, name = (("user", who.key), ("assistant", self.npc.key))[number % 2]
                memory.working.add_message(
                    entity, role, next(talk), name=name, audience="public", when=now
                )
                memory.profiles.record_exchange(entity, when=now)
            for _ in range(3):
                memory.profiles.add_observation(entity, next(talk), audience="public", when=now)
        memory.save()

    def say(self, player: Any, words: str) -> Callable[[], bool]:
        """Say a line to it; gives a function that tells whether it has answered."""
        with self.meter.spend("delivery"):
            player.at_say(f"{self.npc.key}, {words}", msg_self=True)
        runner = self.agent.runner
        return lambda: runner.turn is None and not runner.events.data


class Peer:
    """The LLMNPC of Evennia's contribs, with its own client; as `Ours`."""

    def __init__(self, room: Any, meter: Meter, name: str) -> None:
        from evennia.contrib.rpg.llm import LLMNPC
        from evennia.utils.create import create_object

        self.npc = create_object(LLMNPC, key=name, location=room, nohome=True)
        self.meter = meter

    def remember(self, players: Sequence[Any], history: int) -> None:
        """Give it the same past with each player."""
        talk = _talk.lines(history)
        self.npc.chat_memory = {
            who: [f"{(who, self.npc)[n % 2].key}: {next(talk)}" for n in range(history)]
            for who in players
        }

    def say(self, player: Any, words: str) -> Callable[[], bool]:
        """As the contrib's `talk` command."""
        answered: list[Any] = []
        with self.meter.spend("delivery"):
            player.location.msg_contents(
                f"$You() $conj(say) (to $You(target)): {words}",
                mapping={"target": self.npc},
                from_obj=player,
            )
        with self.meter.spend(REST):
            self.npc.at_talked_to(words, player).addBoth(answered.append)
        return lambda: bool(answered)


def full_fields(who: Any, npc: Any) -> dict[str, Any]:
    """A journal entry's fields with every one of them in use."""
    both = [f"#{who.pk}", f"#{npc.pk}"]
    return {
        "source_type": "direct",
        "source_entity": who.key,
        "source_id": both[0],
        "audience": "public",
        "witnesses": both,
        "tags": ["say", "rumour", "harbour"],
        "related_projects": ["find_the_lantern"],
        "entities": both,
        "place": "The Grey Gull",
        "subject": "world",
        "valence": 0.4,
        "emotion": {"valence": 0.2, "trust": 0.6},
        "relational_tags": ["commitment"],
        "scene": {
            "action": "She leaned over the bar and spoke low",
            "actors": [who.key],
            "when": ["2026-05-01"],
            "setting": "the common room",
            "feeling": "flattered to be asked",
        },
        "event_time": {"start": "2026-05-01T18:00:00Z", "end": None},
        "evidence": [3, 17, 40],
        "hits": 2,
        "mem0_ids": ["5c7e8a0e-9a53-4a60-8d2c-6f1a2b3c4d5e"],
    }


def prompt_tokens(asked: Sequence[Asked]) -> list[int]:
    """Tokens of each prompt, tools included."""
    from evennia_assistant.llm.tokens import count_message_tokens

    return [count_message_tokens(a.body["messages"], a.body.get("tools")) for a in asked]


class Bench:
    """
    The measuring.

    Args:
        options: From the command line.
        model: The model server.

    """

    def __init__(self, options: Any, model: ModelProcess) -> None:
        from twisted.internet import reactor

        self.options = options
        self.model = model
        self.counts = sorted({int(number) for number in options.players.split(",")})
        self.meter = Meter(reactor)
        self.rng = random.Random(1)
        self.room, self.peer_room = make_room("The Grey Gull"), make_room("The Other Inn")
        for room in (self.room, self.peer_room):
            self.meter.charge(room, "msg_contents", "delivery")
        most = max(self.counts)
        progress(f"making {2 * most} players ...")
        self.players = [make_player(f"Guest{n}", None) for n in range(most)]
        self.peer_players = [make_player(f"Visitor{n}", None) for n in range(most)]
        self.tokens: list[int] = []
        self.out: list[float] = []

    async def all(self) -> dict[str, Any]:
        """Everything, as the JSON object has it."""
        players = {str(n): await self.talk(n) for n in self.counts}
        journal = self.journal()
        errands = await self.errands()
        conversation = await self.conversation("Long", entries=100)
        old = await self.conversation("Old", entries=self.options.memories)
        return {
            **self.assembly(),
            "players": players,
            "journal_append_ms_p50": p50(journal),
            "journal_append_ms_p95": p95(journal),
            "request_out_ms_p50": p50(self.out),
            "request_out_ms_p95": p95(self.out),
            "tool_turn_own_ms_p50": p50([spent.wall * 1000 for spent in errands]),
            "tool_turn_own_ms_p95": p95([spent.wall * 1000 for spent in errands]),
            "tool_turn_own_cpu_ms_p50": p50([spent.cpu * 1000 for spent in errands]),
            "tool_turn_own_cpu_ms_p95": p95([spent.cpu * 1000 for spent in errands]),
            "prefix_share": conversation["prefix_share"],
            "prefix_share_with_tools": conversation["prefix_share_with_tools"],
            "prompt_tokens_p50": p50(self.tokens),
            "prompt_tokens_p95": p95(self.tokens),
            "old_npc": {"memories": self.options.memories, **old},
            "lines": self.options.lines,
        }

    async def talk(self, count: int) -> dict[str, Any]:
        """`count` players to one NPC, and as many to the peer."""
        progress(f"{count} players ...")
        ours = Ours(self.room, self.meter, self.model, f"Bram{count}")
        peer = Peer(self.peer_room, self.meter, f"Kell{count}")
        players, peer_players = self.players[:count], self.peer_players[:count]
        for who, other in zip(players, peer_players, strict=True):
            who.location, other.location = self.room, self.peer_room
        ours.remember(players, self.options.history, entries=100)
        peer.remember(peer_players, self.options.history)
        talk = _talk.lines(count)
        mine: list[dict[str, float]] = []
        theirs: list[dict[str, float]] = []
        turns = [number % count for number in range(max(WARM_UP, count))]
        turns += [self.rng.randrange(count) for _ in range(self.options.lines)]
        for at in turns:
            words = next(talk)
            mine.append(await self.line(ours, players[at], words))
            theirs.append(await self.line(peer, peer_players[at], words))
        mine, theirs = mine[-self.options.lines :], theirs[-self.options.lines :]
        out = [line["out"] for line in mine]
        self.out += out
        for npc in (ours.npc, peer.npc):
            npc.delete()
        figures = {
            f"{name}{key}_ms_{suffix}": of([line[key] for line in lines])
            for name, lines in (("", mine), ("peer_", theirs))
            for key in ("blocked", "blocked_cpu", "process", "delivery")
            for suffix, of in (("p50", p50), ("p95", p95))
        }
        return {**figures, "request_out_ms_p50": p50(out), "request_out_ms_p95": p95(out)}

    async def line(self, side: Any, player: Any, words: str) -> dict[str, float]:
        """One line, from being said until its answer is stored; milliseconds."""
        await self.meter.idle(lambda: True)
        self.model.take()
        self.meter.take()
        process, said = time.process_time(), time.monotonic()
        done = side.say(player, words)
        await self.meter.idle(done)
        process = time.process_time() - process
        spent = self.meter.take()
        asked = self.model.take()
        if len(asked) != 1:
            raise RuntimeError(f"{side.npc.key} asked the model {len(asked)} times, not once.")
        if "messages" in asked[0].body:
            self.tokens += prompt_tokens(asked)
        return {
            "blocked": spent[REST].wall * 1000,
            "blocked_cpu": spent[REST].cpu * 1000,
            "process": (process - spent["delivery"].cpu) * 1000,
            "delivery": spent["delivery"].wall * 1000,
            "out": (asked[0].at - said) * 1000,
        }

    async def errands(self) -> list[Spent]:
        """What an NPC takes of its own for each of some turns of five tools."""
        progress("turns of five tools ...")
        room = make_room("A busy room")
        self.meter.charge(room, "msg_contents", "delivery")
        ours = Ours(room, self.meter, self.model, "Errand")
        player = self.players[0]
        player.location = room
        ours.remember(self.players[:8], self.options.history, entries=100)
        talk = _talk.lines(11)
        taken = []
        for _ in range(WARM_UP + self.options.turns):
            await self.meter.idle(lambda: True)
            self.model.take()
            self.meter.take()
            await self.meter.idle(ours.say(player, f"{next(talk)} {ERRAND}"))
            taken.append(self.meter.take()[REST])
            asked = len(self.model.take())
            if asked != len(STEPS):
                raise RuntimeError(f"A turn of five tools asked the model {asked} times.")
        ours.npc.delete()
        return taken[WARM_UP:]

    async def conversation(self, name: str, *, entries: int) -> dict[str, Any]:
        """One long talk of one player with an NPC that has so many memories."""
        progress(f"a conversation with an NPC of {entries} memories ...")
        room = make_room("A quiet room")
        self.meter.charge(room, "msg_contents", "delivery")
        ours = Ours(room, self.meter, self.model, name)
        player = self.players[0]
        player.location = room
        ours.remember(self.players[:8], 0, entries)
        talk = _talk.lines(7)
        self.model.take()
        asked: list[Asked] = []
        blocked: list[float] = []
        for _ in range(self.options.turns):
            await self.meter.idle(lambda: True)
            self.meter.take()
            await self.meter.idle(ours.say(player, next(talk)))
            blocked.append(self.meter.take()[REST].wall * 1000)
            asked += self.model.take()
        tokens = prompt_tokens(asked)
        self.tokens += tokens
        steady = asked[min(STEADY_AFTER, len(asked) // 2) :]
        prompts = [request.body["messages"] for request in steady]
        return {
            "prefix_share": share_of(prompts),
            "prefix_share_with_tools": share_of(prompts, steady[0].body["tools"]),
            "prompt_tokens_p95": p95(tokens),
            "blocked_ms_p50": p50(blocked),
            "blocked_ms_p95": p95(blocked),
        }

    def assembly(self) -> dict[str, float]:
        """What a prompt takes beyond recall, for an NPC of a hundred entries and many facts."""
        ours = Ours(self.room, self.meter, self.model, "Clerk")
        players = self.players[:8]
        for who in players:
            who.location = self.room
        ours.remember(players, self.options.history, entries=100)
        prompts = 3 * self.options.lines
        taken = assembly(ours.npc, players, self.options.memories, prompts)
        ours.npc.delete()
        scored = scoring(self.options.lines)
        return {
            "assembly_ms_p50": p50(taken["assembly"]),
            "assembly_ms_p95": p95(taken["assembly"]),
            "assembly_cpu_ms_p95": p95(taken["assembly_cpu"]),
            "assembly_recall_ms_p95": p95(taken["recall"]),
            "score_us_p50": p50(scored),
            "score_us_p95": p95(scored),
        }

    def journal(self) -> list[float]:
        """Milliseconds to add one full entry to a hundred full ones and store it."""
        ours = Ours(self.room, self.meter, self.model, "Scribe")
        ours.remember(self.players[:8], 0, entries=100)
        memory, who = ours.npc.memory, self.players[0]
        talk = _talk.lines(3)
        taken = []
        for _ in range(self.options.lines):
            # As many as before, or every 25th entry would move the oldest to the archive.
            del memory.journal.entries[:-99]
            words = next(talk)
            started = time.perf_counter()
            memory.write(f'{who.key} said: "{words}"', **full_fields(who, ours.npc))
            memory.save()
            taken.append((time.perf_counter() - started) * 1000)
        ours.npc.delete()
        return taken


def table(result: dict[str, Any]) -> str:
    """The figures for people."""
    rows = [
        f"{'players':>8}{'blocked':>10}{'peer':>10}{'delivery':>10}{'request out':>13}  (p95, ms)"
    ]
    for count, figures in result["players"].items():
        keys = ("blocked", "peer_blocked", "delivery", "request_out")
        rows.append(
            f"{count:>8}"
            + "".join(
                f"{figures[f'{key}_ms_p95']:>{width}.1f}"
                for key, width in zip(keys, (10, 10, 10, 13), strict=True)
            )
        )
    rows += [
        "",
        f"journal append            {result['journal_append_ms_p95']:.1f} ms (p95)",
        f"line to request           {result['request_out_ms_p95']:.1f} ms (p95)",
        f"turn of five tools, own   {result['tool_turn_own_ms_p95']:.1f} ms (p95)",
        f"prompt                    {result['prompt_tokens_p95']} tokens (p95)",
        f"of it, as the turn before {result['prefix_share']:.0%}",
        f"putting it together        {result['assembly_ms_p95']:.2f} ms beyond recall (p95)",
        f"scoring an entry           {result['score_us_p95']:.1f} us (p95)",
    ]
    return "\n".join(rows)


def arguments() -> Any:
    """The command line."""
    made = parser(__doc__)
    made.add_argument("--players", default="1,10,50,200", help="how many talk, a list")
    made.add_argument("--lines", type=int, default=100, help="lines measured for each of them")
    made.add_argument("--history", type=int, default=12, help="earlier lines with each player")
    made.add_argument("--turns", type=int, default=60, help="of a long conversation")
    made.add_argument("--memories", type=int, default=10_000, help="of the NPC that is old")
    return made.parse_args()


def main() -> None:
    """Run from the command line."""
    options = arguments()
    with TemporaryDirectory() as folder, ModelProcess() as model:
        set_up(Path(folder))
        from django.conf import settings

        settings.LLM_HOST, settings.LLM_PATH = model.host, model.path
        result = run(lambda: Bench(options, model).all())
    report(result, as_json=options.json, table=table(result))


if __name__ == "__main__":
    sys.exit(main())
