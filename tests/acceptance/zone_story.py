"""
A day and a night of an NPC, told in JSON: what it keeps must not depend on where the server stands.

Run by `test_13_time_zones.py`, in a process of its own for each time zone; not collected.

"""

import json
import os
import time

from evennia_assistant.asleep.cycle import run_sleep_tick
from evennia_assistant.memory.facts import item_of_fact
from evennia_assistant.mind.fact import Fact
from evennia_assistant.mind.phrases import ago
from evennia_assistant.mind.scoring import score_episodic_memory
from evennia_assistant.mind.time_asked import spans_asked

from tests.game.talking import TalkTest

#: The night the clocks change in New York, 05:40 UTC: another day there than in Shanghai.
START = 1_793_511_600.0
QUESTIONS = ("What did I tell you yesterday?", "What happened last night?", "Who came in October?")


class ZoneStory(TalkTest):
    """`test_it` is the story."""

    def setUp(self):
        super().setUp()
        # Django set the process's zone to that of the game; the server's own is what is tried.
        os.environ["TZ"] = os.environ["STORY_ZONE"]
        time.tzset()

    def test_it(self):
        assert time.strftime("%Z", time.localtime(START)) == os.environ["STORY_ZONE_NAME"]
        self.clock.advance(START - self.clock.seconds())
        self.tell("My silver ring was lost yesterday, on the 31st of October.")
        self.tell("I shall look for it tomorrow.", role="assistant")
        self.tell("The ferry leaves at dawn, my brother is dead.")
        self.memory.save()
        self.clock.advance(2 * 3600)
        self.memory.write(
            "The fair begins.",
            when=self.clock.seconds(),
            audience="public",
            event_time={"start": "2026-11-02T00:00:00", "end": "2026-11-03T00:00:00Z"},
        )
        done = []
        while not done or done[-1]["open"]:
            run_sleep_tick(self.script, self.npc).addCallback(done.append)
            self.pump(60)
        self.clock.advance(20 * 3600)
        told = json.dumps(self.told(), indent=1, sort_keys=True)
        with open(os.environ["STORY_FILE"], "w", encoding="utf-8") as file:
            file.write(told)

    def told(self):
        now = self.clock.seconds()
        entries = list(self.memory.journal.entries)
        found = {
            question: [
                (hit.item.id, round(hit.score, 9))
                for hit in self.memory.recall(question, listeners=[self.who], now=now).hits
            ]
            for question in QUESTIONS
        }
        naive = {"content": "a ring", "importance": 5, "timestamp": "2026-11-01T05:00:00"}
        fact = Fact("k", "The fair.", START, "public", (1,), event_time=(START, START + 60.0))
        kept = Fact.from_metadata("m", fact.text, fact.to_metadata())
        return {
            "entries": entries,
            "profile": self.memory.profiles.get(self.who),
            "talks": self.memory.working.store.data,
            "reflection": self.memory.reflection.store.data,
            "found": found,
            "spans": [spans_asked(question, now) for question in QUESTIONS],
            "ago": [ago(now - item.when) for item in self.memory.index.items_for_keeper()],
            "naive": score_episodic_memory(naive, "ring", now),
            "fact": [kept.event_time, item_of_fact(kept).when, fact.to_metadata()["event_time"]],
        }
