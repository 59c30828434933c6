"""3. Three triggers that overlap make one night."""

from evennia_assistant.asleep import modes
from evennia_assistant.asleep.cycle import run_sleep_tick
from evennia_assistant.asleep.night import night_of

from tests.asleep.sleeping import NightTest


class TestOneCycle(NightTest):
    def setUp(self):
        super().setUp()
        self.model._handler = self.dream
        self.write(5)

    def test_three_ticks_at_once_make_one_night_and_ask_once(self):
        first = run_sleep_tick(self.script, self.npc)
        others = [self.fired(run_sleep_tick(self.script, self.npc)) for _again in range(2)]
        assert [report.get("busy") for report in others] == [True, True]
        assert self.fired(first)["cycle"] == 1
        assert len(self.model.requests) == 1

    def test_the_ticker_a_keeper_and_a_call_from_outside_make_one_night(self):
        modes.order_sleep(self.script, "deep")
        self.script.agent.sleeper.tick()
        self.script.at_tick()
        modes.order_wake(self.script)
        outside = run_sleep_tick(self.script, self.npc)
        while self.script.db.operating_mode == "sleep":
            self.clock.advance(1)
        assert self.fired(outside)["cycle"] == 1
        assert night_of(self.script).data["id"] == 1
        scored = [entry for entry in self.npc.memory.journal.entries if entry["id"] <= 5]
        assert {entry["importance_method"] for entry in scored} == {"llm"}
        assert len(self.facts_kept.facts("bram")) == 5
