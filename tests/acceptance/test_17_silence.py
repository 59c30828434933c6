"""
Acceptance test 17: in 10 days of silence an NPC speaks up of itself once at most.

The defect: the second nudge came 60 seconds after the first, and who had not answered was forgotten
after two days: 12 nudges in 10 days.

"""

from evennia_assistant.mind.entry import timestamp_of

from tests.game.test_initiative import DAY, HOUR, InitiativeTest


class TestSilence(InitiativeTest):
    def silence(self, days=10):
        self.comes()
        self.model.add(*["Anna, a word!"] * 40)
        self.wait(days * DAY, step=1800.0)

    def one_and_every_decision_kept(self):
        assert len(self.said()) == 1
        assert len(self.state()["attempts"]) == 1
        log = self.state()["log"]
        assert [record["gate"] for record in log if record["gate"] is None] == [None]
        assert sum(record["times"] for record in log) > 100

    def test_with_every_reason_there_is_to_speak_it_speaks_once(self):
        now = self.clock.seconds()
        self.goal()
        self.goal("Find out who owes the tab")
        for day in range(10):
            when = {"start": timestamp_of(now + day * DAY), "end": timestamp_of(now + day * DAY)}
            for kind in ("expectation", "intention"):
                self.npc.memory.write(
                    f"On day {day} there is {kind}.",
                    when=now,
                    kind=kind,
                    audience="public",
                    event_time=when,
                )
        self.npc.memory.write(
            "The mill burned down.", when=now, audience="public", importance=9, valence=-1.0
        )
        self.npc.memory.save()
        self.silence()
        self.one_and_every_decision_kept()

    def test_restarts_do_not_open_the_gate(self):
        self.goal()
        self.comes()
        self.by_occasion("Anna, a word!", "Aye.")
        for _day in range(10):
            self.wait(DAY, step=1800.0)
            self.forget_caches()
            self.agent.look_around()
            self.by_occasion("Anna, a word!", "Aye.")
        assert len(self.said()) == 1

    def test_shocks_day_after_day_are_one_initiative_as_well(self):
        self.comes()
        self.model.add(*["Anna, a word!"] * 40)
        for day in range(10):
            self.npc.memory.write(
                f"On day {day} a house burned down.",
                when=self.clock.seconds(),
                audience="public",
                importance=10,
                valence=-1.0,
            )
            self.npc.memory.save()
            self.wait(DAY, step=2 * HOUR)
        assert len(self.said()) == 1
        assert self.last()["gate"] == "awaiting"
