"""Promises and expectations: in the prompt of whom they concern, and no one they were not for."""

import time
from dataclasses import replace

from django.db import connection
from django.test.utils import CaptureQueriesContext

from evennia_assistant.awake.ahead import ahead_of
from evennia_assistant.awake.gathering import gather
from evennia_assistant.mind.entry import timestamp_of

from tests.game.test_prompt_standing import StandingTest

HOUR = 3600.0
DAY = 24 * HOUR


class AheadTest(StandingTest):
    def end(self, words, kind="intention", due=None, **fields):
        fields.setdefault("audience", "public")
        now = self.clock.seconds()
        if due is not None:
            fields["event_time"] = {"start": None, "end": timestamp_of(now + due)}
        entry = self.memory.write(words, when=now, kind=kind, importance=6, **fields)
        self.memory.save()
        return entry["id"]

    def close(self, number, what):
        now = self.clock.seconds()
        self.memory.save(*self.memory.open_ends.close({number: (what, None)}, now))

    def ahead(self, **asked):
        return self.asked(**asked).get("ahead", [])


class TestAhead(AheadTest):
    def test_a_promise_is_in_the_prompt_until_something_became_of_it(self):
        number = self.end("Bram keeps a table free for Char.", due=5 * HOUR, entities=[self.me])
        assert self.ahead() == [
            {"promise": "Bram keeps a table free for Char.", "due": "in 5 hours"}
        ]
        self.close(number, "fulfilled")
        assert self.ahead() == []

    def test_a_broken_promise_is_named_to_whom_it_was_made(self):
        number = self.end("Bram mends the boat of Char.", due=HOUR, entities=[self.me])
        self.clock.advance(2 * HOUR)
        self.close(number, "broken")
        (record,) = self.ahead()
        assert (record["status"], record["due"]) == ("broken", "an hour ago")
        assert self.ahead(who=self.char2) == []
        self.clock.advance(8 * DAY)
        assert self.ahead() == []

    def test_five_promises_and_three_expectations_are_the_most(self):
        for number in range(9):
            self.end(f"Bram brings sack {number}.", due=DAY + number)
            self.end(f"The ship {number} comes in.", "expectation", due=HOUR + number)
        records = self.ahead()
        assert [len([r for r in records if key in r]) for key in ("promise", "expected")] == [5, 3]
        assert records[0]["promise"] == "Bram brings sack 0."

    def test_an_expectation_is_told_of_when_it_is_due_or_a_line_bears_on_it(self):
        self.end("Anna returns the silver ring to the smith.", "expectation", due=9 * DAY)
        assert self.ahead() == []
        (record,) = self.ahead(words="Bram, did Anna return the silver ring to the smith?")
        assert record["bears_on"] == "what was just said"
        self.clock.advance(8.5 * DAY)
        (record,) = self.ahead()
        assert record["due"] == "in 12 hours" and "bears_on" not in record

    def test_a_greeting_bears_on_nothing(self):
        self.end("Char returns the silver ring.", "expectation", due=9 * DAY)
        assert self.ahead(words="Hello Bram!") == []

    def test_what_was_promised_in_confidence_is_for_those_who_were_in_it_and_not_aloud(self):
        self.end("Bram hides the ring.", audience=[self.me], tags=["whisper"], entities=[self.me])
        self.end("Bram hides a knife.", "expectation", due=HOUR, audience=[self.other])
        assert self.ahead() == []
        assert self.whispered("well?", self.char1)["ahead"] == [{"promise": "Bram hides the ring."}]
        texts = str([asked.messages for asked in self.model.requests])
        assert "a knife" not in texts

    def test_what_is_told_of_narrows_who_may_hear_the_answer(self):
        self.end("Bram hides the ring.", audience=[self.me])
        material = self.material(manner="whisper", audience=(self.me,))
        gather(self.npc, material, self.clock.seconds())
        assert (self.me,) in material.audiences

    def test_the_beginning_of_the_prompt_stays_as_it_is(self):
        self.asked()
        before = self.model.requests[-1].messages[0]
        self.end("Bram keeps a table free.", due=HOUR)
        assert self.ahead()
        assert self.model.requests[-1].messages[0] == before

    def test_an_expectation_that_is_over_is_recalled_no_more_even_after_a_restart(self):
        number = self.end("The grey ship comes in on Friday.", "expectation", due=HOUR)
        assert self.recalled("When does the grey ship come in?") == [f"j{number}"]
        self.close(number, "expired")
        assert self.recalled("When does the grey ship come in?") == []
        self.forget_caches()
        self.memory = self.npc.memory
        assert self.recalled("When does the grey ship come in?") == []
        assert self.memory.open_ends.get(number).outcome == "expired"

    def recalled(self, question):
        found = self.memory.recall(question, listeners=[self.me], now=self.clock.seconds())
        return [hit.item.id for hit in found.hits]

    def test_the_same_words_expected_once_more_are_another_expectation(self):
        first = self.end("The grey ship comes in.", "expectation", due=HOUR)
        self.close(first, "expired")
        assert self.end("The grey ship comes in.", "expectation", due=HOUR) != first
        again = self.end("The grey ship comes in.", "expectation", due=9 * HOUR)
        assert self.memory.open_ends.get(again).is_open

    def test_an_archived_promise_is_still_one_and_can_be_closed(self):
        number = self.end("Bram keeps a table free.", due=DAY, entities=[self.me])
        for other in range(160):
            self.memory.write(f"Event {other}.", when=self.clock.seconds(), audience="public")
        self.memory.save()
        assert self.memory.journal.find(number) is None
        assert self.ahead()
        self.close(number, "fulfilled")
        self.forget_caches()
        self.memory = self.npc.memory
        assert self.memory.open_ends.get(number).outcome == "fulfilled"
        assert self.ahead() == []

    def test_one_that_was_forgotten_or_superseded_is_none_any_more(self):
        first, second = self.end("Bram brings wine."), self.end("Bram brings bread.")
        self.memory.forget(first)
        self.memory.remove([second])
        assert len(self.memory.open_ends) == 0


class TestCost(AheadTest):
    def test_two_hundred_open_expectations_cost_a_turn_nothing_measurable(self):
        def measured():
            material = self.material()
            (line,) = material.percepts
            material.percepts = (replace(line, words="Did ship number 7 come in with salt?"),)
            best = float("inf")
            for _again in range(20):
                began = time.perf_counter()
                records = ahead_of(self.npc, material, self.clock.seconds())
                best = min(best, time.perf_counter() - began)
            assert any("bears_on" in record for record in records)
            return best

        for number in range(200):
            self.end(f"The ship number {number} comes in with salt.", "expectation", due=9 * DAY)
        measured()
        with CaptureQueriesContext(connection) as caught:
            took = measured()
        assert took < 0.005
        assert caught.captured_queries == []
