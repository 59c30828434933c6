"""A model that answers every prompt of a day and of a night sensibly, and always alike."""

from __future__ import annotations

import json
import re
from typing import Any

from evennia_assistant.mind.slots import parse_slots

#: What every line said in these suites has one of, and no two the same.
MARK = r"zq[a-z]{6}"


def answer(asked: Any) -> str:
    """
    The reply to a prompt, for `ScriptedModel`.

    Args:
        asked: The `AskedModel`.

    """
    last = str(asked.messages[-1]["content"])
    slots = parse_slots(last)
    if "event" in slots:
        return "4"
    if "events" in slots:
        return json.dumps([{"id": event["id"], "score": 4} for event in slots["events"]])
    if "entries" in slots:
        return json.dumps([{"entries": [e["id"]], "fact": e["text"]} for e in slots["entries"]])
    if "topics" in slots:
        named = {"name": "The quay", "digest": "It is a busy place."}
        return json.dumps([{"topic": group["topic"], **named} for group in slots["topics"]])
    if "entities" in slots:
        said = [{"id": one["id"], "description": "Is at the quay."} for one in slots["entities"]]
        ids = {line["about"]: line["id"] for line in slots["told"]}
        return json.dumps([{**record, "evidence": [ids[record["id"]]]} for record in said])
    if "observations" in slots:
        ids = [note["id"] for note in slots["observations"]]
        return json.dumps([{"type": "drink", "value": "tea", "evidence": ids}])
    if "day" in slots:
        first = slots["day"][0]
        line = {"day": first["day"], "text": "The quay was busy.", "from": [first["id"]]}
        return json.dumps([{"what": what, **line} for what in ("line", "note")])
    if "questions as texts" in last:
        return json.dumps(["What happens at the quay?"])
    if "today" in slots:
        ids = [line["id"] for line in slots["memories"]][:1]
        ship = {"what": "expectation", "text": "A ship comes to the quay.", "evidence": ids}
        return json.dumps([ship])
    if "memories" in slots and not asked.tools:
        ids = [line["id"] for line in slots["memories"] if "id" in line][:2]
        return json.dumps([{"insight": "The quay is a busy place.", "evidence": ids}])
    if any("talk" in line for line in slots.get("lines", ())):
        return _of_talks(slots["lines"])
    marks = dict.fromkeys(re.findall(MARK, last))
    return f"I shall remember {' and '.join(marks) or 'that'}."


def _of_talks(lines: list[dict[str, Any]]) -> str:
    """One sentence for each talk; what was said in it stands in the journal already."""
    talks = dict.fromkeys(line["talk"] for line in lines)
    return json.dumps(
        [
            {"what": "summary", "text": f"They talked about the quay, part {talk}.", "talk": talk}
            for talk in talks
        ]
    )
