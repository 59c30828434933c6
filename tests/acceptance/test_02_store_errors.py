"""
2. A store that fails while a talk is taken in, or while facts are made: nothing is lost, and the
next try succeeds once.
"""

import json
from contextlib import suppress

from evennia_assistant.asleep.conversations import extract_conversations
from evennia_assistant.testing.replies import text

from tests.game.sleeping import SleepTest
from tests.game.talking import TalkTest
from tests.game.test_compaction import dying_at_write

#: What a talk leaves, whatever went wrong on the way.
MADE = "Bram and Char agreed to meet at the mill."
PROMISED = "Bram will bring a lantern."
ANSWER = [
    {"talk": 1, "what": "memory", "text": MADE, "lines": [1, 2], "impact": 2},
    {"talk": 1, "what": "intention", "text": PROMISED, "lines": [2], "when": "tomorrow"},
    {"talk": 1, "what": "mood", "text": "hopeful", "energy": 7, "signal": "warm"},
    {"talk": 1, "what": "summary", "text": "Of a lantern."},
]


class TestWhileATalkIsTakenIn(TalkTest):
    def night(self):
        for _step in range(20):
            if self.result_of(extract_conversations(self.script, self.npc))["completed"]:
                return
        raise AssertionError("the step never completes")

    def outcome(self):
        """What came of the talk, as the database has it."""
        self.kill()
        contents = [entry["content"] for entry in self.memory.journal.entries]
        mood = self.memory.mood.at(self.clock.seconds())
        return {
            "said": sum("lantern at the mill" in words for words in contents),
            "made": [
                contents.count(words) for words in (MADE, PROMISED, "[SYNTHESIS] Of a lantern.")
            ],
            "mood": (mood.mood, mood.energy),
            "left": len(list(self.memory.working.waiting(when=self.clock.seconds()))),
        }

    def talk(self):
        self.tell("I lost my lantern at the mill, can you bring one tomorrow?")
        self.tell("I shall bring one.", role="assistant")
        self.tell("I shall wait for you there.")
        self.memory.save()
        self.clock.advance(3600)

    def test_nothing_is_lost_and_nothing_is_asked_or_kept_twice(self):
        self.model._handler = lambda asked: text(json.dumps(ANSWER))
        died = 0
        for write in (1, 2, 3):
            for killed in (True, False):
                with self.subTest(write=write, killed=killed):
                    self.memory.working.store.data.clear()
                    for entry in list(self.memory.journal.entries):
                        self.memory.remove([entry["id"]])
                    self.memory.save()
                    self.talk()
                    asked = len(self.model.requests)
                    with dying_at_write(write) as seen, suppress(OSError):
                        self.result_of(extract_conversations(self.script, self.npc))
                    died += seen["writes"] >= write
                    if killed:
                        self.kill()
                    self.night()
                    assert self.outcome() == {
                        "said": 1,
                        "made": [1, 1, 1],
                        "mood": ("hopeful", 7),
                        "left": 0,
                    }
                    # Only an answer that was never stored is asked for again.
                    again = 1 if write == 1 and killed else 0
                    assert len(self.model.requests) - asked == 1 + again
        assert died == 4, "hollow"


class TestWhileFactsAreMade(SleepTest):
    def test_every_entry_becomes_a_fact_once(self):
        said = []
        for number, fault in enumerate(("raise", "lost", "half", "drop")):
            with self.subTest(fault=fault):
                for line in range(6):
                    words = f"Barrel {line} of cart {number} goes to the harbour"
                    self.hear(words)
                    said.append(f'Anna said: "{words}"')
                fired = len(self.facts_kept.fired)
                self.facts_kept.fail("add", fault)
                for _night in range(3):
                    self.consolidate()
                    self.clock.advance(24 * 3600)
                assert len(self.facts_kept.fired) == fired + 1, "hollow"
                assert sorted(self.texts()) == sorted(said)
