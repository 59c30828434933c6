"""What players say in a benchmark: plausible lines, always the same ones for the same seed."""

from __future__ import annotations

import random
from collections.abc import Iterator

_NAMES = (
    "Anna", "Corin", "Dala", "Edric", "Fenna", "Goss", "Hild", "Ivo", "Jorun", "Kell", "Lotte",
    "Marek", "Nessa", "Osric", "Petra", "Quill", "Runa", "Sten", "Tove", "Ulla", "Vidar", "Wenna",
)  # fmt: skip
_PLACES = (
    "mill", "north road", "chapel", "quarry", "ford", "lighthouse", "market", "old bridge",
    "tannery", "orchard", "salt pans", "beech wood", "smithy", "tollhouse", "well", "rope walk",
    "graveyard", "customs house", "shepherd's hut", "south gate", "ruined tower", "brewery",
)  # fmt: skip
_THINGS = (
    "silver ring", "grey mare", "sea chest", "letter", "fishing net", "tin whistle", "map",
    "loom", "copper kettle", "crossbow", "wool cloak", "pilgrim's staff", "bag of seed", "lute",
    "pair of boots", "anvil", "cask of wine", "hunting dog", "almanac", "brooch", "cart wheel",
)  # fmt: skip
_ACTS = ("lost", "sold", "hid", "found", "bought", "mended", "borrowed", "stole", "pawned", "won")
_TIMES = (
    "yesterday", "last night", "on Friday", "before the flood", "this morning", "at dusk",
    "a week ago", "in the spring", "the day the fleet came in",
)  # fmt: skip

#: What is told, and what is asked; half of what players say to an NPC are questions.
_TOLD = (
    "I {act} my {thing} at the {place} {time}.",
    "{name} {act} a {thing} near the {place} {time}, or so they say.",
    "There was a fire at the {place} {time}, and {name} was the first one there.",
    "My sister {name} lives by the {place} and keeps a {thing} under her bed.",
    "I am looking for work at the {place}; {name} told me to ask you about it.",
    "Two strangers asked about a {thing} {time}.",
    "I walked here by way of the {place}, and my feet have not forgiven me yet.",
    "{name} and I are to be married when the barley is in.",
    "Never trust {name} with money; half the town has learned that the hard way.",
    "My father was a cooper, and he always said a {thing} outlasts its owner.",
    "They have raised the toll again, and the carters are grumbling about it.",
    "I dreamt of the {place}, all under water, with the bell still ringing.",
)
_ASKED = (
    "what do you know about the {thing} from the {place}?",
    "have you seen {name} {time}?",
    "who {act} the {thing}?",
    "what did I tell you about my {thing}?",
    "is it far from here to the {place}, and is it safe to go there at night?",
    "what does a bed cost, and would you take a {thing} for it?",
    "when does the kitchen open?",
    "do you think it will rain before evening?",
    "is there anyone who could mend a {thing} for me?",
    "what are people saying about {name}?",
    "why is the {place} boarded up?",
    "could you keep a {thing} for me until I come back?",
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
