"""
What recall costs: milliseconds per question of one NPC with 1,000 and with 10,000 memories.

    python -m benchmarks.recall [--embedder NAME] [--no-mem0] [--json]

The memories are made up of a tavern's talk: 60 people, one line in three a confidence, so that the
audience gate has work to do; every question is asked by another pair of listeners, and the time
is that of `recall` with everything in it, the question's vector where there is an embedder
included. Each question is asked in three rounds and its fastest counts, for all that is measured:
what else the machine does meanwhile is not the subject. Beside it, on the same memories and
questions:

- floor: numpy multiplying all vectors by one, and nothing else;
- mem0: Mem0's own search in its embedded store (Qdrant in a folder), which knows no audiences.

"""

from __future__ import annotations

import os

# More BLAS threads than one cost more than they bring on rows this short; numpy reads this once.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import random
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from evennia_assistant.errors import ConfigError
from evennia_assistant.memory.embedders import Embedder, get_embedder
from evennia_assistant.memory.index import MemoryIndex, MemoryItem
from evennia_assistant.memory.recall import recall

from benchmarks._mem0 import mem0_searching
from benchmarks._report import p50, p95, parser, progress, report, stop

SIZES = (1_000, 10_000)
QUESTIONS = 400
MEM0_QUESTIONS = 40
ROUNDS = 3
NOW = 1_700_000_000.0

_NAMES = [
    "Anna",
    "Bela",
    "Cedric",
    "Dora",
    "Egon",
    "Fenna",
    "Gawain",
    "Hild",
    "Ingo",
    "Jorun",
    "Kaspar",
    "Lena",
    "Mirko",
    "Nela",
    "Oswin",
    "Petra",
    "Quirin",
    "Runa",
    "Sven",
    "Thea",
    "Ulf",
    "Vera",
    "Wanda",
    "Xenia",
    "Yorick",
    "Zita",
    "Arno",
    "Birk",
    "Clea",
    "Darek",
    "Elin",
    "Falk",
    "Greta",
    "Hanno",
    "Ilka",
    "Jasper",
    "Kolja",
    "Liv",
    "Malte",
    "Nora",
    "Odo",
    "Pia",
    "Ralf",
    "Silke",
    "Till",
    "Ute",
    "Veit",
    "Wim",
    "Ansel",
    "Bruna",
    "Corin",
    "Dagny",
    "Emmet",
    "Frida",
    "Gero",
    "Hedda",
    "Ivo",
    "Jutta",
    "Knut",
    "Lotte",
]
_THINGS = [
    "ring",
    "crown",
    "sword",
    "bucket",
    "lantern",
    "horse",
    "map",
    "key",
    "letter",
    "barrel",
    "coin",
    "cloak",
    "dagger",
    "book",
    "bell",
    "rope",
    "ladder",
    "mirror",
    "statue",
    "potion",
    "bread",
    "cheese",
    "ale",
    "harp",
    "drum",
    "boat",
    "anchor",
    "net",
    "plough",
    "saddle",
    "hammer",
    "anvil",
    "candle",
    "chest",
    "goblet",
    "chain",
    "mask",
    "feather",
    "compass",
    "scroll",
]
_PLACES = [
    "well",
    "mill",
    "bridge",
    "harbour",
    "cellar",
    "attic",
    "market",
    "forest",
    "cave",
    "tower",
    "stable",
    "chapel",
    "graveyard",
    "inn",
    "smithy",
    "river",
    "meadow",
    "quarry",
    "gate",
    "lighthouse",
    "swamp",
    "orchard",
    "library",
    "dungeon",
]
_DEEDS = [
    "lost",
    "found",
    "hid",
    "stole",
    "sold",
    "bought",
    "broke",
    "mended",
    "buried",
    "burned",
    "saw",
    "wanted",
    "borrowed",
    "cleaned",
    "painted",
    "dropped",
    "carried",
    "traded",
    "cursed",
    "blessed",
]
_FEELINGS = ["quite happy", "rather tired", "worried sick", "proud", "ashamed", "curious", "angry"]


def main(argv: list[str] | None = None) -> None:
    """Run the benchmark and print what it found."""
    line = parser(__doc__)
    line.add_argument("--embedder", default=None, help="hashing, wordllama or minilm; default none")
    line.add_argument("--no-mem0", action="store_true", help="leave Mem0 out, which takes longest")
    asked = line.parse_args(argv)
    try:
        embedder = get_embedder(asked.embedder)
        # Mem0 and the floor need vectors, whether or not recall uses any.
        vectors_by = embedder or get_embedder("hashing")
    except ConfigError as err:
        stop(str(err))
    assert vectors_by is not None
    result: dict[str, Any] = {}
    for size in SIZES:
        progress(f"{size} memories")
        items, questions = tavern(size), asked_of_it(QUESTIONS)
        result[str(size)] = measured(items, questions, embedder, vectors_by)
        result[str(size)]["mem0_p95_ms"] = (
            None if asked.no_mem0 else p95(mem0_times(items, questions, vectors_by))
        )
    report(result, as_json=asked.json, table=table(result, asked.embedder or "none"))


def tavern(size: int) -> list[MemoryItem]:
    """Lines said in a tavern over three months, the same ones for the same `size`."""
    dice = random.Random(size)
    start = NOW - 90 * 86400.0
    items = []
    talk, left, pair = 0, 0, ("", "")
    for number in range(size):
        if not left:
            talk, left = talk + 1, dice.randint(2, 14)
            pair = tuple(dice.sample(_NAMES, 2))  # type: ignore[assignment]
        left -= 1
        speaker = pair[number % 2]
        items.append(
            MemoryItem(
                id=f"j{number}",
                text=said(dice),
                speaker=f"#{speaker}",
                speaker_name=speaker,
                when=start + 90 * 86400.0 * number / size,
                audience=tuple(f"#{name}" for name in pair) if talk % 3 == 0 else "public",
                importance=dice.randint(1, 10),
                conversation=f"t{talk}",
            )
        )
    return items


def said(dice: random.Random) -> str:
    """One line of talk."""
    name, thing, place = dice.choice(_NAMES), dice.choice(_THINGS), dice.choice(_PLACES)
    deed, other, mood = dice.choice(_DEEDS), dice.choice(_THINGS), dice.choice(_FEELINGS)
    return dice.choice(
        (
            f"{name} {deed} the {thing} near the {place}, and nobody has seen the {other} since.",
            f"I was {mood} when I heard that {name} {deed} a {thing}.",
            f"Have you seen my {thing}? I think I left it at the {place}.",
            f"Down by the {place} there is a {thing} that once {deed} a king, or so {name} says.",
            f"No, it was the {other}, not the {thing}! Ask {name}.",
            f"Well, I never go to the {place} after dark, not since the night of the {thing}.",
        )
    )


def asked_of_it(count: int) -> list[tuple[str, list[str]]]:
    """Questions, each with its listeners."""
    dice = random.Random(count)
    made = []
    for _ in range(count):
        name, thing, place = dice.choice(_NAMES), dice.choice(_THINGS), dice.choice(_PLACES)
        text = dice.choice(
            (
                f"What did {name} say about the {thing} at the {place}?",
                f"Who {dice.choice(_DEEDS)} the {thing}?",
                f"Do you remember where I left my {thing}, was it near the {place} last week?",
                f"Is it true that {name} was at the {place} with a {thing} and a horse?",
            )
        )
        made.append((text, [f"#{who}" for who in dice.sample(_NAMES, dice.randint(1, 2))]))
    return made


def measured(
    items: list[MemoryItem],
    questions: list[tuple[str, list[str]]],
    embedder: Embedder | None,
    vectors_by: Embedder,
) -> dict[str, float]:
    """Our own times and the floor."""
    index = MemoryIndex(embedder)
    vectors = vectors_by.embed([item.text for item in items])
    started = time.perf_counter()
    index.add(items, vectors if embedder is not None else None)
    adding = (time.perf_counter() - started) * 1000.0 / len(items)

    def ask(text: str, listeners: list[str]) -> None:
        slow = embedder is not None and embedder.slow
        vector = vectors_by.embed([text])[0] if slow else None
        recall(index, text, listeners=listeners, asker=listeners[0], now=NOW, vector=vector)

    vector_of = {text: vectors_by.embed([text])[0] for text, _ in questions}

    def multiply(text: str, _listeners: list[str]) -> None:
        np.dot(vectors, vector_of[text])

    own, floor = timed(ask, questions), timed(multiply, questions)
    return {
        "p50_ms": p50(own),
        "p95_ms": p95(own),
        "floor_p95_ms": p95(floor),
        "add_ms": adding,
    }


def timed(
    ask: Callable[[str, list[str]], None], questions: list[tuple[str, list[str]]]
) -> list[float]:
    """Milliseconds of each question: the fastest of `ROUNDS`, after one that warms up."""
    ask(*questions[0])
    rounds = []
    for _ in range(ROUNDS):
        times = []
        for question in questions:
            started = time.perf_counter()
            ask(*question)
            times.append((time.perf_counter() - started) * 1000.0)
        rounds.append(times)
    return [min(times) for times in zip(*rounds, strict=True)]


def mem0_times(
    items: list[MemoryItem], questions: list[tuple[str, list[str]]], embedder: Embedder
) -> list[float]:
    """Milliseconds of Mem0's own search over the same memories."""
    with mem0_searching([item.text for item in items], embedder) as search:
        return timed(lambda text, _listeners: search(text), questions[:MEM0_QUESTIONS])


def table(result: dict[str, Any], embedder: str) -> str:
    """The result for people."""
    lines = [
        f"embedder: {embedder}; milliseconds per question",
        "memories     p50     p95   floor p95   mem0 p95   per add",
    ]
    for size, row in result.items():
        mem0 = "-" if row["mem0_p95_ms"] is None else f"{row['mem0_p95_ms']:.1f}"
        lines.append(
            f"{size:>8} {row['p50_ms']:7.2f} {row['p95_ms']:7.2f} {row['floor_p95_ms']:11.2f} "
            f"{mem0:>10} {row['add_ms']:9.3f}"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    main(sys.argv[1:])
