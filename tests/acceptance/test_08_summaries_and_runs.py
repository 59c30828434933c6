"""
Acceptance test 8: daily summaries for 30 days do not suppress reflection, and runs are capped.

The defect: summaries were thoughts, so that a timer saw a fresh one and a cap counted them; with a
session a day there were 0 reflections in 30 days instead of 30.

"""

from evennia_assistant.asleep.night import night_of
from evennia_assistant.asleep.reflection import reflect_if_due
from evennia_assistant.memory.reflection_state import check_reflection_trigger
from evennia_assistant.mind.entry import timestamp_of

from tests.asleep.sleeping import NightTest

DAY = 86_400.0


class TestSummariesAndRuns(NightTest):
    def test_a_month_of_days_with_a_summary_each_is_a_month_of_reflections(self):
        self.model._handler = self.dream
        reflected = []
        for day in range(30):
            self.write(25, content=None, importance=6)
            for kind in ("summary", "synthesis", "intention", "expectation"):
                self.write(
                    1,
                    content=f"Day {day} as a {kind}.",
                    kind=kind,
                    importance=10,
                    event_time={"end": timestamp_of(self.clock.seconds() + DAY)},
                )
            reports = self.sleep()
            (done,) = [report for report in reports if report["step"] == "run_reflection"]
            reflected.append(done["insights"])
            assert night_of(self.script).last.data["ledger"]["run_reflection"]["state"] == "done"
            self.wake()
            self.clock.advance(DAY / 2)
        assert sum(insights > 0 for insights in reflected) == 30
        assert self.npc.memory.reflection.data["reflection_count"] == 30

    def test_a_month_of_summaries_alone_sets_off_none(self):
        for day in range(30):
            self.write(1, content=f"Day {day} went by.", kind="summary", importance=10)
            self.clock.advance(DAY)
        assert self.npc.memory.reflection.data["cumulative_importance"] == 0
        assert not check_reflection_trigger(self.script)

    def test_a_shock_after_three_summarised_talks_is_thought_about(self):
        self.model._handler = self.dream
        self.write(3)
        for day in range(3):
            self.write(1, content=f"Talk {day} went by.", kind="summary", importance=10)
        self.write(1, content="My brother is dead.", importance=10, valence=-1.0)
        assert check_reflection_trigger(self.script)
        assert "why" not in self.fired(reflect_if_due(self.script, self.npc))

    def test_runs_are_capped_by_the_day_whatever_makes_them_due(self):
        def due():
            self.npc.memory.reflection.store.data["shock_pending"] = True
            self.write(3, content=None)
            return self.fired(reflect_if_due(self.script, self.npc))

        self.model._handler = self.dream
        self.script.set_option("reflection_every_hours", "1")
        done = [due() for _again in range(5)]
        assert [report.get("why") for report in done] == [
            None,
            None,
            None,
            "3 in 24 hours are the most",
            "3 in 24 hours are the most",
        ]
        self.clock.advance(DAY)
        assert due().get("why") is None
