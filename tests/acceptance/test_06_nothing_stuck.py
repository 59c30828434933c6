"""6. No model for 100 nights: no memory is stuck on its way out."""

from tests.asleep.remembering import Remembering, told
from tests.asleep.sleeping import NightTest


class TestNothingStuck(Remembering, NightTest):
    def setUp(self):
        super().setUp()
        self.agent.model = None
        self.script.attributes.add("memory_enabled", False)

    def test_a_hundred_nights_leave_every_memory_in_a_state_that_lasts(self):
        for number, (_name, words) in enumerate(told(8)):
            self.npc.memory.write(
                words, when=self.clock.seconds(), audience="public", importance=1 + number % 10
            )
        stuck = self.npc.memory.write("Half gone.", when=self.clock.seconds(), audience="public")
        stuck["state"] = "dying"
        pinned = self.npc.memory.write(
            "The key is under the stone.",
            when=self.clock.seconds(),
            audience="public",
            importance=1,
            pinned=True,
        )
        self.npc.memory.save()
        for _ten in range(10):
            self.nights(10)
            states = [
                entry.get("state", "active") for entry in self.npc.memory.journal.all_entries()
            ]
            assert "dying" not in states
        assert set(states) <= {"active", "dormant", "merged"}
        assert states.count("active") == 1
        assert self.state(pinned["id"]) == "active"

    def test_nights_of_one_day_count_once(self):
        entry = self.npc.memory.write("Rain.", when=0.0, audience="public", importance=3)
        self.npc.memory.save()
        self.nights(60, hours=1)
        assert self.state(entry["id"]) == "active"
        self.nights(60)
        assert self.state(entry["id"]) == "dormant"
