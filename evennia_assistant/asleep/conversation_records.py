"""
What a model is shown of talks that are over, and what of its answer may be used.

A record of the answer counts only if it names a talk and lines that were shown to it, and says
something of the world; each is judged by itself, and so is each field of what happened.

"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from ..llm.tokens import count_tokens
from ..memory.profile_record import KINDS
from ..mind.conversation import SUMMARY, Part
from ..mind.event_record import read_event
from ..mind.mood import energy_of, mood_named, signal_named
from ..mind.persona_protection import is_self_referential
from ..mind.slots import render_slot
from ..prompts.cutting import clipped
from ..prompts.texts import text as prompt_text

#: Most tokens of one line in the prompt, and most characters of one record of the answer.
LINE = 300
MOST_TEXT = 400
#: Records of each kind kept of one part of a talk.
MOST_EACH = {"memory": 3, "intention": 3, "about": 3, "entity": 6, "mood": 1, "summary": 1}
#: Kinds that rest on the talk as a whole.
OF_THE_WHOLE = frozenset({"summary", "mood"})
#: Longest name, and most other names of one entity.
MOST_NAME = 60
MOST_NAMES = 5

Record = dict[str, Any]


@dataclass(slots=True)
class Piece:
    """
    Lines of one talk with one audience, as many as one prompt holds, and what came of them.

    Args:
        conversation: The talk's id.
        entity_id: The partner.
        part: The lines.
        began: When the talk began: UTC seconds since the epoch.
        known: Numbers of earlier entries this talk may take back, by the label they are shown by.
        found: Checked records of the answer, by what they are.

    """

    conversation: str
    entity_id: str
    part: Part
    began: float = 0.0
    known: Mapping[str, int] = field(default_factory=dict)
    found: dict[str, list[Record]] = field(default_factory=dict)


def is_left(message: Any) -> bool:
    """Whether a line was not looked through yet."""
    return not message.get("extracted") and message["role"] != SUMMARY


def within(part: Part, room: int) -> tuple[Part, int]:
    """The first lines of a part that have room, and what they take."""
    held = number = 0
    for message in part.messages:
        cost = min(count_tokens(message["content"]), LINE) + 20
        if held + cost > room:
            break
        held += cost
        number += 1
    fitting = Part(part.audience, part.confidential, part.places[:number], part.messages[:number])
    return fitting, held


def prompt_of(batch: Sequence[Piece], known: Mapping[str, str]) -> list[Record]:
    """
    The prompt for talks that may be spoken of together.

    Args:
        batch: The talks.
        known: Words of the earlier memories they may take back, by label.

    """
    talks = [
        {"talk": talk, "began": _clock(piece.began), "known": list(piece.known)}
        if piece.known
        else {"talk": talk, "began": _clock(piece.began)}
        for talk, piece in enumerate(batch, start=1)
    ]
    lines = [
        {
            "talk": talk,
            "line": line,
            "from": message.get("name", ""),
            "how": message["manner"],
            "text": clipped(message["content"], LINE),
        }
        for talk, piece in enumerate(batch, start=1)
        for line, message in enumerate(piece.part.messages, start=1)
    ]
    slots = [render_slot("talks", talks)]
    if known:
        labelled = [{"label": label, "text": words} for label, words in known.items()]
        slots.append(render_slot("known", labelled))
    return [
        {"role": "system", "content": prompt_text("conversations")},
        {"role": "user", "content": "\n".join([*slots, render_slot("lines", lines)])},
    ]


def _clock(when: float) -> str:
    return datetime.fromtimestamp(when, UTC).strftime("%Y-%m-%d %H:%M UTC, %A")


# What of the answer may be used -------------------------------------------------------------------


def checked(item: Any, batch: Sequence[Piece]) -> Record:
    """
    A record of the answer as it may be used.

    Args:
        item: As the model wrote it.
        batch: The talks it was shown.

    Returns:
        `{"what", "text", "talk", "lines", "problems", ...}` with what its kind has beside.

    Raises:
        ValueError: With the reason why it may not.

    """
    if not isinstance(item, dict):
        raise ValueError("a record is no object")
    what, talk = item.get("what"), item.get("talk")
    if not isinstance(what, str) or what not in MOST_EACH:
        # In our own words: what a model wrote may be a confidence, and this goes to a log.
        raise ValueError(f"a record is none of {', '.join(MOST_EACH)}")
    if isinstance(talk, bool) or not isinstance(talk, int) or not 1 <= talk <= len(batch):
        raise ValueError(f"a {what} names a talk there is not")
    piece = batch[talk - 1]
    record = {
        "what": what,
        "text": "" if what == "mood" else _sentence(item.get("text"), what),
        "talk": talk,
        "lines": _lines(item.get("lines"), what, len(piece.part.messages)),
        "problems": [],
    }
    read: Callable[[Record, Record, Piece], None] | None = _READERS.get(what)
    if read is not None:
        read(item, record, piece)
    return record


def _sentence(text: Any, what: str) -> str:
    if not isinstance(text, str) or not any(char.isalnum() for char in text):
        raise ValueError(f"a {what} has no text")
    if len(text) > MOST_TEXT:
        raise ValueError(f"a {what} is longer than {MOST_TEXT} characters")
    if is_self_referential(text):
        raise ValueError(f"a {what} is about the one who keeps it")
    return " ".join(text.split())


def _lines(named: Any, what: str, count: int) -> list[int]:
    named = named or []
    if not isinstance(named, list):
        named = [named]
    lines = [n for n in named if isinstance(n, int) and not isinstance(n, bool)]
    if len(lines) != len(named) or not all(1 <= line <= count for line in lines):
        raise ValueError(f"a {what} rests on a line there is not")
    if what not in OF_THE_WHOLE and not lines:
        raise ValueError(f"a {what} rests on no line")
    return lines


def _read_memory(item: Record, record: Record, piece: Piece) -> None:
    record["fields"], wrong = read_event(item, piece.began)
    record["problems"] += wrong
    named = item.get("replaces") or []
    named = named if isinstance(named, list) else [named]
    sound = [label for label in named if isinstance(label, str) and label in piece.known]
    if len(sound) != len(named):
        record["problems"].append("a memory replaces one that its talk was not shown")
    record["replaces"] = [piece.known[label] for label in dict.fromkeys(sound)]


def _read_intention(item: Record, record: Record, piece: Piece) -> None:
    if not any(piece.part.messages[line - 1]["role"] == "assistant" for line in record["lines"]):
        # What somebody says the character promised is their claim.
        raise ValueError("an intention rests on no line of the character's own")
    fields, wrong = read_event({"when": item.get("when")}, piece.began)
    record["problems"] += wrong
    if "event_time" not in fields:
        # What nobody set a time for is no more than talk, and the memories have it.
        raise ValueError("an intention has no time")
    record["event_time"] = fields["event_time"]


def _read_entity(item: Record, record: Record, piece: Piece) -> None:
    said = " ".join(str(piece.part.messages[line - 1]["content"]) for line in record["lines"])
    if not _is_name_in(record["text"], said):
        raise ValueError("an entity is named as nobody in its lines named it")
    also = item.get("also") or []
    also = also if isinstance(also, list) else [also]
    record["also"] = [name for name in also if isinstance(name, str) and _is_name_in(name, said)]
    if len(record["also"]) != len(also):
        record["problems"].append("an entity has another name that nobody in its lines used")
    record["also"] = record["also"][:MOST_NAMES]
    kind = item.get("kind")
    record["kind"] = kind if kind in KINDS else "other"


def _is_name_in(name: str, said: str) -> bool:
    return 0 < len(name.strip()) <= MOST_NAME and name.strip().casefold() in said.casefold()


def _read_mood(item: Record, record: Record, _piece: Piece) -> None:
    # From closed lists, so that a mood that shows says nothing of what was confided.
    readers = {"text": mood_named, "energy": energy_of, "signal": signal_named}
    for key, read in readers.items():
        record[key] = None
        if item.get(key) is not None:
            try:
                record[key] = read(item[key])
            except ValueError:
                record["problems"].append(f"the {key} of a mood is none that there is")
    if all(record[key] is None for key in readers):
        raise ValueError("a mood says nothing")


_READERS: Mapping[str, Callable[[Record, Record, Piece], None]] = {
    "memory": _read_memory,
    "intention": _read_intention,
    "entity": _read_entity,
    "mood": _read_mood,
}


def sorted_in(items: Sequence[Record], batch: Sequence[Piece]) -> list[str]:
    """Give each piece its records; what could not be used of them, one line each."""
    problems = []
    for item in items:
        problems += item.pop("problems", ())
        held = batch[item["talk"] - 1].found.setdefault(item["what"], [])
        if item["text"] in [other["text"] for other in held]:
            continue
        if len(held) >= MOST_EACH[item["what"]]:
            problems.append(f"more than {MOST_EACH[item['what']]} of {item['what']} in one talk")
            continue
        held.append(item)
    return problems
