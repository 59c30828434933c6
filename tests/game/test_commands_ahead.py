"""`aimemory/expectations`: what was promised and expected, told to whom it may be told."""

from evennia_assistant.mind.entry import timestamp_of

from tests.game.commanding import HOSTILE, CommandTest

HOUR = 3600.0


class TestExpectations(CommandTest):
    def end(self, words, kind="intention", due=HOUR, **fields):
        now = self.clock.seconds()
        fields.setdefault("audience", "public")
        entry = self.npc.memory.write(
            words,
            when=now,
            kind=kind,
            event_time={"start": None, "end": timestamp_of(now + due)},
            **fields,
        )
        self.npc.memory.save()
        return entry["id"]

    def test_it_shows_what_is_open_and_what_became_of_the_rest(self):
        assert "Nothing yet." in self.type_in("aimemory/expectations bram")
        self.end("Bram mends the boat.", due=2 * HOUR)
        hope = self.end("The ship comes in.", "expectation")
        self.npc.memory.save(
            *self.npc.memory.open_ends.close({hope: ("expired", None)}, self.clock.seconds())
        )
        said = self.type_in("aimemory/expectations bram", self.builder)
        assert "j1  due in 2 hours: Bram mends the boat." in said
        assert "j2  expired just now: The ship comes in." in said
        assert "promise, made just now; anyone may be told" in said

    def test_what_was_promised_in_confidence_is_kept_from_others(self):
        self.end("Bram hides the ring.", audience=["#99"])
        said = self.type_in("aimemory/expectations bram")
        assert "ring" not in said and "1 more is confidential" in said
        assert "Bram hides the ring." in self.type_in("aimemory/expectations/all bram")

    def test_its_keeper_says_what_became_of_one_and_takes_it_back(self):
        number = self.end("The ship comes in.", "expectation")
        assert self.type_in(f"aimemory/expectations bram = j{number} fulfilled").startswith(
            f"j{number} is fulfilled: The ship comes in."
        )
        assert self.npc.db.journal["entries"][0]["outcome"]["is"] == "fulfilled"
        assert self.npc.db.reflection_state["expectation_ids"] == []
        self.type_in(f"aimemory/expectations bram = j{number} open")
        assert self.npc.memory.open_ends.get(number).is_open
        assert f"j{number}" in self.npc.memory.index
        assert self.npc.db.reflection_state["expectation_ids"] == [number]

    def test_nobody_else_may_and_nonsense_changes_nothing(self):
        number = self.end("The ship comes in.", "expectation")
        self.type_in(f"aimemory/expectations bram = j{number} fulfilled", self.builder)
        for wrong in (f"j{number} kept", "j99 fulfilled", f"j{number} broken", *HOSTILE):
            self.type_in(f"aimemory/expectations bram = {wrong}")
        assert self.npc.memory.open_ends.get(number).is_open
        assert "Usage:" in self.type_in("aimemory/expectations bram = j1")

    def test_how_it_feels_is_told_to_whom_it_may_show(self):
        self.npc.memory.mood.note(
            "sad", 1, now=self.clock.seconds(), audience=(f"#{self.builder.pk}",)
        )
        assert "It feels sad" in self.type_in("aimemory/expectations bram", self.builder)
        assert "sad" not in self.type_in("aimemory/expectations bram")
