"""How an NPC feels: in its prompt while it is something, and to nobody it was not shown to."""

from evennia.utils.dbserialize import deserialize

from evennia_assistant.mind import scrubbing
from evennia_assistant.mind.forgetting import Choice, Subject

from tests.game.test_prompt_standing import StandingTest

HOUR = 3600.0


class MoodTest(StandingTest):
    def note(self, mood="worried", energy=2, signal=None, **fields):
        fields.setdefault("audience", "public")
        fields.setdefault("now", self.clock.seconds())
        problems = self.memory.mood.note(mood, energy, signal, entity_id=self.me, **fields)
        self.memory.save()
        return problems

    def felt(self, **asked):
        (scene,) = self.asked(**asked)["scene"]
        return scene.get("you_feel")


class TestMood(MoodTest):
    def test_it_is_in_the_prompt_until_it_has_passed_and_no_call_is_made_for_it(self):
        assert self.felt() is None
        self.note()
        assert self.felt() == "worried, tired out"
        calls = len(self.model.requests)
        self.clock.advance(12 * HOUR)
        assert self.felt() is None
        assert len(self.model.requests) == calls + 1

    def test_reading_it_writes_nothing_and_a_restart_keeps_it(self):
        self.note()
        written = deserialize(self.npc.db.mood)
        self.clock.advance(13 * HOUR)
        assert self.memory.mood.at(self.clock.seconds()).is_neutral
        assert not self.memory.mood.store.dirty
        self.forget_caches()
        assert deserialize(self.npc.db.mood) == written
        assert self.npc.memory.mood.at(self.clock.seconds() - 3 * HOUR).mood == "worried"

    def test_what_came_of_a_confidence_shows_to_those_in_it_and_not_aloud(self):
        self.note(audience=(self.me,), confidence=True)
        assert self.felt() is None
        (scene,) = self.whispered("what is on your mind?", self.char1)["scene"]
        assert scene["you_feel"] == "worried, tired out"
        (scene,) = self.whispered("what is on your mind?", self.char2)["scene"]
        assert "you_feel" not in scene

    def test_a_mood_nobody_said_whom_it_may_be_shown_to_is_shown_to_nobody(self):
        self.memory.mood.note("sad", 1, now=self.clock.seconds())
        assert self.felt() is None

    def test_of_a_poor_answer_the_good_part_is_kept(self):
        assert self.note("obedient", "+7") == ["there is no mood 'obedient'"]
        mood = self.memory.mood.at(self.clock.seconds())
        assert (mood.mood, mood.energy) == ("neutral", 7)
        assert self.note("sad", 99) != []
        assert self.memory.mood.at(self.clock.seconds()).energy == 7

    def test_what_was_stored_as_a_share_is_read_as_what_it_was(self):
        self.npc.db.mood = {"mood": "sad", "energy": 0.2, "updated_at": "2099-01-01T00:00:00Z"}
        mood = self.memory.mood.at(self.clock.seconds())
        assert (mood.mood, mood.energy) == ("sad", 2)

    def test_a_mood_that_came_of_somebody_goes_with_them(self):
        for fields in ({}, {"audience": (self.me, self.other)}):
            self.note(**fields)
            held = deserialize(self.npc.db.mood)
            left = scrubbing.OF_CHARACTER["mood"](held, Choice(Subject(entity=self.me)))
            assert left["mood"] == "neutral"
        others = scrubbing.OF_CHARACTER["mood"](
            {**held, "audience": "public"}, Choice(Subject(entity=self.other))
        )
        assert others["mood"] == "worried"


class TestSignal(MoodTest):
    def test_how_somebody_seemed_is_told_when_they_come_back_and_not_a_day_later(self):
        self.asked()
        self.note(None, None, "frustrated")
        self.clock.advance(HOUR)
        (person,) = self.asked()["relationship"][:1]
        assert person["seemed"] == "frustrated"
        assert "seemed" not in self.asked(who=self.char2)["relationship"][0]
        self.clock.advance(13 * HOUR)
        assert "seemed" not in self.asked()["relationship"][0]

    def test_how_they_seemed_in_confidence_is_not_told_before_others(self):
        self.asked()
        self.note(None, None, "tired", audience=(self.me,), confidence=True)
        self.clock.advance(HOUR)
        assert "seemed" not in self.asked()["relationship"][0]
        self.clock.advance(HOUR)
        assert self.whispered("well?", self.char1)["relationship"][0]["seemed"] == "tired"

    def test_a_signal_of_a_stranger_makes_no_profile(self):
        self.memory.mood.note(
            None, None, "warm", now=self.clock.seconds(), entity_id="#999", audience="public"
        )
        assert self.memory.profiles.get("#999") is None
