"""
What a model says in a night: an answer to each prompt of the sleeping mind, made of what it shows.

A scripted list will not do, for which prompt comes when depends on a hundred NPCs. Each answer is
of the form the prompt asks for and as long as a real one, so that what is done with it costs what
it would cost.

"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from evennia_assistant.mind.slots import parse_slots
from evennia_assistant.prompts.texts import text

Slots = Mapping[str, list[dict[str, Any]]]


def night_answer(body: Mapping[str, Any]) -> str | None:
    """
    The answer to a prompt of a night.

    Args:
        body: The request, as a chat completion has it.

    Returns:
        Its text, None where it is a prompt of the day.

    """
    messages = body.get("messages") or ()
    if not messages:
        return None
    slots = parse_slots(str(messages[-1].get("content")))
    if _may_speak(body):
        return None
    answer = _BY_PROMPT.get(str(messages[0].get("content")))
    if answer is None:
        answer = next((_BY_SLOT[name] for name in _BY_SLOT if name in slots), None)
    if answer is None and "memories" in slots:
        answer = _insights if body.get("tools") else _questions
    return None if answer is None else answer(slots)


def _may_speak(body: Mapping[str, Any]) -> bool:
    return any(tool["function"]["name"] == "say" for tool in body.get("tools") or ())


def _score(_slots: Slots) -> str:
    return "5"


def _scores(slots: Slots) -> str:
    events = slots.get("events", ())
    return json.dumps([{"id": event["id"], "score": 3 + event["id"] % 5} for event in events])


def _facts(slots: Slots) -> str:
    """One fact for each entry, but for questions, which tell nothing."""
    records = []
    for entry in slots.get("entries", ()):
        told = None if "?" in entry["text"] else entry["text"]
        records.append({"entries": [entry["id"]], "fact": told})
    return json.dumps(records, ensure_ascii=False)


def _attributes(slots: Slots) -> str:
    notes = slots.get("observations", ())
    found = [
        {"type": kind, "value": note["text"][:60], "evidence": [note["id"]]}
        for kind, note in zip(("trade", "home", "trouble"), notes, strict=False)
    ]
    return json.dumps(found, ensure_ascii=False)


def _diary(slots: Slots) -> str:
    """Four lines of each day, five notes and a question."""
    held = slots.get("day", ())
    days = dict.fromkeys(each["day"] for each in held)
    of_days = [each for day in days for each in [e for e in held if e["day"] == day][:4]]
    found = [("line", each) for each in of_days]
    found += [*(("note", each) for each in held[:5]), *(("question", each) for each in held[:1])]
    records = [
        {"what": what, "day": each["day"], "text": each["text"][:200], "from": [each["id"]]}
        for what, each in found
    ]
    return json.dumps(records, ensure_ascii=False)


def _topics(slots: Slots) -> str:
    """A name and a digest for each, and one part taken out of what is too large."""
    records: list[dict[str, Any]] = []
    for group in slots.get("topics", ()):
        told = [str(line["text"]) for line in group["memories"]]
        record = {"topic": group["topic"], "name": told[0][:40], "digest": " ".join(told)[:300]}
        if group.get("too_large"):
            ids = [line["id"] for line in group["memories"]][: len(told) // 2]
            record["split"] = [{"name": told[0][:30], "digest": told[0], "memories": ids}]
        records.append(record)
    return json.dumps(records, ensure_ascii=False)


def _conversations(slots: Slots) -> str:
    records: list[dict[str, Any]] = []
    lines = slots.get("lines", ())
    for talk in dict.fromkeys(line["talk"] for line in lines):
        of_talk = [line for line in lines if line["talk"] == talk]
        partner = of_talk[0]["from"]
        said = [line for line in of_talk if line["from"] == partner and "?" not in line["text"]]
        own = [line for line in said if line["text"].startswith(("I ", "My "))]
        records += [
            {"talk": talk, "what": "about", "text": line["text"][:200], "lines": [line["line"]]}
            for line in own[:2]
        ]
        records += [
            {
                "talk": talk,
                "what": "memory",
                "text": f"It was agreed with {line['from']} to ask about this: {line['text']}"[
                    :300
                ],
                "lines": [line["line"]],
            }
            for line in said[:1]
        ]
        about = said[0]["text"] if said else "this and that"
        records.append({"talk": talk, "what": "summary", "text": f"They spoke of {about}"[:300]})
    return json.dumps(records, ensure_ascii=False)


def _questions(slots: Slots) -> str:
    texts = [str(record.get("text")) for record in slots["memories"][:3]]
    return json.dumps([f"What came of it that {words[:80]}?" for words in texts])


def _insights(slots: Slots) -> str:
    shown = [record["id"] for record in slots["memories"] if "id" in record]
    found = [
        {
            "insight": f"People of the town lose and find more things than usual ({number}).",
            "evidence": shown[number : number + 3],
        }
        for number in range(min(2, len(shown)))
    ]
    return json.dumps(found)


def _ahead(slots: Slots) -> str:
    """Two expectations, and of everything past its time that nothing came of it."""
    shown = [record["id"] for record in slots["memories"]]
    found: list[dict[str, Any]] = [
        {
            "what": "expectation",
            "text": f"Somebody comes to ask about it again ({name}).",
            "evidence": [name],
        }
        for name in shown[:2]
    ]
    found += [{"what": "outcome", "id": end["id"], "is": "broken"} for end in slots.get("open", ())]
    return json.dumps(found)


def _descriptions(slots: Slots) -> str:
    """A sentence on each, resting on all that is told of it."""
    return json.dumps(
        [
            {
                "id": one["id"],
                "description": f"{one['name']} comes here often and speaks of many things.",
                "evidence": [line["id"] for line in slots["told"] if line["about"] == one["id"]],
            }
            for one in slots["entities"]
        ]
    )


def _summary(_slots: Slots) -> str:
    return "They spoke of the ring, the mill and the toll. Nothing was settled. " * 3


#: Told apart by their instruction, for both show lines.
_BY_PROMPT: dict[str, Callable[[Slots], str]] = {
    text("conversations"): _conversations,
    text("compaction"): _summary,
    text("asleep/look_ahead"): _ahead,
}
#: Told apart by what they show.
_BY_SLOT: dict[str, Callable[[Slots], str]] = {
    "event": _score,
    "events": _scores,
    "entries": _facts,
    "entities": _descriptions,
    "observations": _attributes,
    "day": _diary,
    "topics": _topics,
}
