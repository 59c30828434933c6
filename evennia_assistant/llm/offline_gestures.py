"""
Gestures: what somebody does before the NPC, what it does in return, and how it tells of it later.

"Anna waves to Bram" is no statement of fact; it is answered by a wave. Remembered, it is told as
seen: "I saw Anna wave to me."

"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from .offline_own_words import first_person_verb
from .offline_retelling import ended, same_name
from .offline_situation import Line, Memory

#: Kinds of gesture by their words, the telling ones first: a punch that is given is no gift.
_KINDS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(rf"\b(?:{words})\b", re.IGNORECASE))
    for kind, words in (
        (
            "parting",
            r"goodbye|farewell|good night|leaves?(?=\W*$| the\b)|departs?|walks? (?:away|off|out)",
        ),
        (
            "hostile",
            r"slaps?|punch(?:es)?|hits?|kicks?|attacks?|stabs?|spits?|shoves?|"
            r"threatens?|strangles?|chokes?|glares?|scowls?|growls?|snarls?|bites?|robs?|steals?|"
            r"sneers?|mocks?|insults?|trips|swings? at|middle finger|"
            r"(?:draws?|raises?|brandish(?:es)?|points?) (?:\w+ )?(?:sword|knife|dagger|blade|"
            r"axe|bow|gun|weapon|fist)|(?:throws?|hurls?) .* at",
        ),
        ("toast", r"toasts?|(?:raises?|lifts?) (?:\w+ ){1,2}(?:mug|glass|cup|tankard|goblet|ale)"),
        ("handshake", r"shakes? (?:\w+(?:'s)? )?hands?|(?:offers?|extends?|holds? out) .*\bhand"),
        ("tender", r"hugs?|kiss(?:es)?|embraces?|caress(?:es)?|strokes?|cuddles?|snuggles?|pats?"),
        ("greeting", r"waves?|greets?|hails?|tips? .*\b(?:hat|cap)"),
        ("bow", r"bows?|curts(?:y|ies|eys?)|kneels?|salutes?"),
        ("wink", r"winks?"),
        ("nod", r"nods?"),
        ("smile", r"smiles?|grins?|beams?"),
        ("laugh", r"laughs?|chuckles?|giggles?|snickers?|snorts?"),
        ("sad", r"cries|cry|weeps?|sobs?|sighs?|sniffles?|wipes? .*\b(?:eyes?|tears?)"),
        ("shrug", r"shrugs?"),
        ("dance", r"dances?|sings?|plays? .*\b(?:lute|flute|harp|fiddle|drum|tune|song)|juggles?"),
        (
            "gift",
            r"gives?|hands?|offers?|brings?|pass(?:es)? (?!by|out|through)|presents?|toss(?:es)?|"
            r"pays?|tips?|(?:throws?|flips?|slides?|slips?|drops?|puts?|places?|lays?|leaves?) "
            r".*(?:\bcoins?|silver|copper|gold|on the (?:bar|counter|table))\b",
        ),
        ("show", r"shows?|holds? (?:up|out)|displays?|unrolls?"),
        (
            "call",
            r"pokes?|taps?|nudges?|beckons?|points?|looks?|stares?|gazes?|approach(?:es)?|"
            r"whistles?|snaps?|knocks?|coughs?|clears?",
        ),
    )
)

#: What it does in return.
RETURNED: Mapping[str, tuple[str, ...]] = {
    "parting": ("lifts a hand in parting.", "nods a farewell."),
    "hostile": ("frowns.", "takes half a step back."),
    "toast": ("inclines a head to {name}.", "nods to {name}."),
    "handshake": ("shakes the offered hand.",),
    "tender": ("smiles at {name}.", "smiles, a little taken aback."),
    "greeting": ("waves back.", "waves to {name}."),
    "bow": ("bows in return.", "returns the bow."),
    "wink": ("winks back.", "winks at {name}."),
    "nod": ("nods back.", "nods to {name}."),
    "smile": ("smiles back.", "returns the smile."),
    "laugh": ("laughs along.", "chuckles."),
    "sad": ("looks at {name} with concern.",),
    "shrug": ("shrugs as well.",),
    "dance": ("claps along.", "taps a foot to it."),
    "gift": ("nods gratefully.", "smiles at {name}."),
    "show": ("leans closer to look.",),
    "call": ("looks up.", "turns to {name}."),
    "": ("nods to {name}.", "looks up at {name}."),
}

#: Gestures that leave something to be said, even where the gesture in return can be seen.
WORDED = frozenset({"parting", "hostile", "toast", "tender", "sad", "gift", "show", "call"})

_ASKS_SEEN = re.compile(
    r"\b(?:see|saw|seen|watch(?:ed)?|witness(?:ed)?|notice[ds]?|happen(?:ed)?|doing|done)\b"
    r"|\bwhat (?:did|has|have|does|is|was) .+ (?:do|done|doing|up to)\b",
    re.IGNORECASE,
)
_QUOTE = re.compile(r"[\"“]([^\"“”]+)[\"”]")


@dataclass(frozen=True, slots=True)
class Gesture:
    """
    Something done before the NPC.

    Args:
        kind: One of the kinds of `RETURNED`, "" for anything else.
        words: What was said with it, "" for a silent gesture.

    """

    kind: str
    words: str = ""


def kind_of(done: str) -> str:
    """Which kind of gesture some words describe, "" for none there is an answer to."""
    return next((kind for kind, pattern in _KINDS if pattern.search(done)), "")


def gesture_of(line: Line) -> Gesture | None:
    """
    The gesture a line is, None for speech.

    Args:
        line: What was heard. A pose that quotes somebody may come as no more than the quote.

    """
    if line.how not in ("pose", "emote") or line.speaker.casefold() not in line.text.casefold():
        return None
    done = _QUOTE.sub(" ", line.text)
    done = re.sub(re.escape(line.speaker), " ", done, count=1, flags=re.IGNORECASE)
    return Gesture(kind_of(done), " ".join(_QUOTE.findall(line.text)))


def asks_what_was_seen(text: str) -> bool:
    """Whether a question is after something seen or done, not said."""
    return _ASKS_SEEN.search(text) is not None


def as_seen(memory: Memory, listener: str, me: str) -> str:
    """
    A remembered doing as the NPC tells it.

    Args:
        memory: What was seen; its text begins with who did it, or does not.
        listener: The name of who is told.
        me: The NPC's name.

    Returns:
        "I saw Anna wave to me." where the words can be turned safely, else the text as it is with
        a lead.

    """
    when = "" if memory.when in ("", "just now", "always") else f" {memory.when}"
    text = memory.text.strip()
    plain = f"I saw it{when}: {ended(text)}"
    if not memory.who or not text.startswith(f"{memory.who} ") or re.search(r"[\"“”:;]", text):
        return plain
    verb, _, rest = text[len(memory.who) + 1 :].rstrip(".! ").partition(" ")
    base = first_person_verb(verb)
    if (
        base is None
        or verb in ("is", "was", "has")
        or re.search(r"\b(?:and|but|then) \w+s\b", rest)
    ):
        return plain
    rest = re.sub(rf"\b{re.escape(me)}'s\b|\byour\b", "my", rest) if me else rest
    rest = re.sub(rf"\b{re.escape(me)}\b|\byou\b", "me", rest) if me else rest
    subject = memory.who
    if same_name(memory.who, listener):
        if re.search(r"\b(?:him|her|them|himself|herself|themselves)(?=\W*$| [a-z]+ing\b)", rest):
            return plain
        subject, rest = "you", re.sub(r"\b(?:his|her|their)\b", "your", rest)
    return ended(f"I saw {subject} {base} {rest}".rstrip() + when)
