"""
9. An answer in a fence, with `+4`, that breaks off, or of which one record in three is bad: at
least two are kept, and nobody is asked again.
"""

import json

from evennia_assistant.asleep.conversations import extract_conversations
from evennia_assistant.mind.entry import when_of
from evennia_assistant.testing.replies import text

from tests.game.talking import TalkTest

EVENTS = ("Char lost a ring.", "Petra sold the mill.", "The ferry sank.")


def event(words, **fields):
    return {"talk": 1, "what": "memory", "text": words, "lines": [1], "impact": 4, **fields}


def answer(*changed):
    """Three events, each with what is changed of it, and a summary."""
    given = [event(words, **fields) for words, fields in zip(EVENTS, changed, strict=False)]
    given += [event(words) for words in EVENTS[len(given) :]]
    return json.dumps([*given, {"talk": 1, "what": "summary", "text": "Of losses."}])


#: The answer, and how many of its events there must be.
ANSWERS = {
    "fenced": ("Here you are:\n```json\n" + answer() + "\n```", 3),
    "fence that is not closed": ("```json\n" + answer(), 3),
    "plus": (answer().replace('"impact": 4', '"impact": +4'), 3),
    "plus as text": (answer({"impact": "+4"}), 3),
    "breaks off in the summary": (answer()[:-20], 3),
    "breaks off in the third": (answer()[: answer().index("ferry") + 3], 2),
    "impact beyond its bounds": (answer({"impact": 11}), 3),
    "impact as a word": (answer({"impact": "huge"}), 3),
    "end before its start": (answer({"when": {"start": "2026-05-02", "end": "2026-05-01"}}), 3),
    "no date": (answer({"when": "2026-02-31"}), 3),
    "tag of its own": (answer({"tags": ["gossip"]}), 3),
    "tags that are none": (answer({"tags": {"commitment": 1}}), 3),
    "emotion that is none": (answer({"emotion": "sad"}), 3),
    "no text": (answer({"text": None}), 2),
    "a line there is not": (answer({"lines": [99]}), 2),
    "a talk there is not": (answer({"talk": 9}), 2),
    "another kind": (answer({"what": "hearsay"}), 2),
    "no object": (answer().replace(json.dumps(event(EVENTS[0])), "7"), 2),
    "NaN": (answer({"impact": float("nan")}), 2),
    "trailing comma": (answer()[:-1] + ",]", 3),
}


class TestAnswers(TalkTest):
    def test_what_is_sound_in_an_answer_is_kept(self):
        for name, (given, wanted) in ANSWERS.items():
            with self.subTest(answer=name):
                self.memory.working.store.data.clear()
                self.memory.remove([entry["id"] for entry in self.memory.journal.entries])
                self.tell("I lost a ring, Petra sold the mill and the ferry sank.")
                self.tell("All in one day?", role="assistant")
                self.tell("All in one day.")
                self.memory.save()
                self.clock.advance(3600)
                self.model.add(text(given))
                asked = len(self.model.requests)
                done = self.result_of(extract_conversations(self.script, self.npc))
                kept = [e for e in self.memory.journal.entries if e["content"] in EVENTS]
                assert len(kept) == wanted >= 2, done["problems"]
                assert done["completed"] and len(self.model.requests) - asked == 1
                assert sum(e.get("kind") == "summary" for e in self.memory.journal.entries) == 1
                for entry in kept:
                    assert -1 <= entry.get("valence", 0.0) <= 1
                    time = entry.get("event_time")
                    assert not time or when_of(time["start"]) <= when_of(time["end"])
        assert len(ANSWERS) >= 20
