"""A real server, real files and the real Mem0, ended in one way or another again and again."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import evennia

from evennia_assistant.testing.game import GameProcess

ROOT = Path(__file__).resolve().parents[2]
MARK = re.compile(r"zq[a-p]{8}")
#: Seconds a server lives, at least and at most, once its NPCs are at work.
LIFE = (0.3, 2.5)
#: Seconds until all must be at rest after the last kill.
REST = 240.0
#: How a server may end.
KILL, RELOAD, STOP = "kill", "reload", "stop"


@dataclass
class Killings:
    """
    What came of it.

    Args:
        kills: Servers killed.
        ended: How often a server ended in each way.
        answers: Lines that were answered.
        lines: Lines that were known to be stored.
        lost: How many of these are in neither place, or made no fact.
        doubled: Lines or facts that are there more than once.
        wrong: Each of these, in words.

    """

    kills: int = 0
    ended: Counter[str] = field(default_factory=Counter)
    answers: int = 0
    lines: int = 0
    lost: int = 0
    doubled: int = 0
    wrong: list[str] = field(default_factory=list)


def a_game(folder: Path) -> GameProcess:
    """A copy of the demo game, prepared, in which NPCs talk and sleep by themselves."""
    outside = folder.parent / "outside"
    outside.mkdir(parents=True)
    game = GameProcess.copy_of(ROOT, folder, environment={"FAULTS_FOLDER": str(outside)})
    shutil.copy(Path(__file__).with_name("in_game.py"), folder / "world" / "faults.py")
    game.prepare()
    with open(folder / "server/conf/secret_settings.py", "a") as settings:
        settings.write('\nAT_SERVER_STARTSTOP_MODULE = ["world.startup", "world.faults"]\n')
    return game


def start_server(game: GameProcess) -> None:
    """Start the Server beside the Portal that runs, without the seconds a launcher takes."""
    # While nobody has waited for the dead process, its number keeps the next from starting.
    (game.folder / "server" / "server.pid").unlink(missing_ok=True)
    # The Portal starts it by this very command.
    evennia_server = Path(evennia.__file__).parent / "server" / "server.py"
    subprocess.run(
        [
            Path(sys.executable).parent / "twistd",
            f"--python={evennia_server}",
            "--logger=evennia.utils.logger.GetServerLogObserver",
            f"--pidfile={game.folder / 'server' / 'server.pid'}",
        ],
        cwd=game.folder,
        env={
            **game.environment,
            "DJANGO_SETTINGS_MODULE": "server.conf.settings",
            "PYTHONPATH": os.pathsep.join([str(game.folder), *filter(None, sys.path)]),
        },
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
    )


def end_a_server(game: GameProcess, how: str) -> None:
    """
    End a server in one way, and see that another one starts.

    Raises:
        GameError: If it would not end, as with a thread that is left.

    """
    if how == KILL:
        game.kill9()
        start_server(game)
    elif how == RELOAD:
        game.reload()
    else:
        game.stop()
        game.start()


def kill_a_server(
    folder: Path,
    planned: int,
    told: Callable[[str], None] = lambda text: None,
    ways: Sequence[str] = (KILL,),
) -> Killings:
    """
    End a server so many times, let all come to rest, and count.

    Args:
        folder: Where the game goes; it does not exist yet.
        planned: Ends.
        told: Told now and then how far it is.
        ways: How it ends, in turn.

    """
    outcome, rng = Killings(), random.Random(planned)
    in_order: set[int] = set()
    outside = folder.parent / "outside"
    game = a_game(folder)
    began = time.monotonic()
    try:
        game.start()
        _wait(lambda: (outside / "ready").exists(), 60, game)
        while (done := outcome.ended.total()) < planned:
            time.sleep(rng.uniform(*LIFE))
            way, lives = ways[done % len(ways)], len(_lines(outside / "lives"))
            if way != KILL:
                in_order.update(game.pids("server"))
            end_a_server(game, way)
            outcome.ended[way] += 1
            outcome.kills = outcome.ended[KILL]
            if outcome.ended.total() % 10 == 0:
                said = ", ".join(f"{each} {count}" for each, count in outcome.ended.items())
                told(f"servers ended: {said}, {time.monotonic() - began:.0f} s")
            _wait(lambda lives=lives: len(_lines(outside / "lives")) > lives, 60, game)
        (outside / "quiet").touch()
        _wait(lambda: (outside / "report.json").exists(), REST, game)
    finally:
        game.stop()
    _count(outcome, outside)
    _count_answers(outcome, outside, in_order)
    return outcome


def _count_answers(outcome: Killings, outside: Path, in_order: Collection[int]) -> None:
    """A line is answered once; again only where a process was killed as it was answering."""
    answered: dict[str, dict[tuple[int, str], None]] = {}
    for line in _lines(outside / "answered"):
        process, turn, mark = line.split()
        answered.setdefault(mark, {})[int(process), turn] = None
    outcome.answers = len(answered)
    for mark, turns in answered.items():
        *earlier, (last, _turn) = turns
        if any(process in in_order or process == last for process, _turn in earlier):
            outcome.doubled += 1
            outcome.wrong.append(f"{mark} was answered {len(turns)} times")


def _wait(done: Callable[[], bool], seconds: float, game: GameProcess) -> None:
    deadline = time.monotonic() + seconds
    while not done():
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {seconds} s\n{game.logs()}")
        time.sleep(0.05)


def _lines(path: Path) -> list[str]:
    return path.read_text().split("\n")[:-1] if path.exists() else []


def _count(outcome: Killings, outside: Path) -> None:
    report = json.loads((outside / "report.json").read_text())
    for line in _lines(outside / "acknowledged"):
        key, mark = line.split()
        outcome.lines += 1
        there = report[key]
        entries = [one for one in there["entries"] if mark in one["content"]]
        facts = [one for one in there["facts"] if mark in one["text"]]
        if not entries or not facts:
            outcome.lost += 1
            outcome.wrong.append(f"{key}: {mark}: {len(entries)} entries, {len(facts)} facts")
    for key, there in report.items():
        marks = Counter(mark for one in there["entries"] for mark in MARK.findall(one["content"]))
        told = Counter(mark for one in there["facts"] for mark in MARK.findall(one["text"]))
        keys = Counter(one["key"] for one in there["facts"])
        again = [one["content"] for one in there["entries"] if one["mentions"] > 1]
        doubled = [
            *(f"entry of {mark}" for mark, count in marks.items() if count > 1),
            *(f"fact of {mark}" for mark, count in told.items() if count > 1),
            *(f"key {name}" for name, count in keys.items() if count > 1),
            *(f"mention of {content}" for content in again),
        ]
        outcome.doubled += len(doubled)
        outcome.wrong.extend(f"{key}: {text}" for text in doubled)
    if "broken" in os.listdir(outside):
        outcome.wrong.append((outside / "broken").read_text())
