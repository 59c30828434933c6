"""What players say in a benchmark: plausible lines, always the same ones for the same seed."""

from __future__ import annotations

import random
from collections.abc import Iterator

_NAMES = ("Anna", "Corin", "Dala", "Edric", "Fenna", "Goss", "Hild", "Ivo", "Jorun", "Kell")
_PLACES = ("mill", "north road", "chapel", "quarry", "ford", "lighthouse", "market", "old bridge")
_THINGS = ("silver ring", "grey mare", "sea chest", "letter", "fishing net", "tin whistle", "map")
_ACTS = ("lost", "sold", "hid", "found", "bought", "mended", "borrowed", "promised away")
_TIMES = ("yesterday", "last night", "on Friday", "before the flood", "this morning", "at dusk")

#: What is told, and what is asked; half of what players say to an NPC are questions.
_TOLD = (
    "I {act} my {thing} at the {place} {time}.",
    "{name} {act} a {thing} near the {place} {time}, or so they say.",
    "There was a fire at the {place} {time}, and {name} was the first one there.",
    "My sister {name} lives by the {place} and keeps a {thing} under her bed.",
    "I am looking for work at the {place}; {name} told me to ask you about it.",
    "Two strangers asked about a {thing} at the {place} {time}.",
)
_ASKED = (
    "what do you know about the {thing} from the {place}?",
    "have you seen {name} at the {place} {time}?",
    "who {act} the {thing} {time}?",
    "what did I tell you about my {thing}?",
    "is it far from here to the {place}, and is it safe to go there at night?",
    "what does a bed cost, and would you take a {thing} for it?",
)


def lines(seed: int) -> Iterator[str]:
    """Lines without end, told and asked in turn."""
    rng = random.Random(seed)
    while True:
        for templates in (_TOLD, _ASKED):
            yield rng.choice(templates).format(
                name=rng.choice(_NAMES),
                place=rng.choice(_PLACES),
                thing=rng.choice(_THINGS),
                act=rng.choice(_ACTS),
                time=rng.choice(_TIMES),
            )
