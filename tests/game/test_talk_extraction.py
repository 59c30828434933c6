"""What one call makes of a talk: what it meant, what was promised, who it was of, how it felt."""

import json

from evennia_assistant.asleep.forgetting import forget, subject_of
from evennia_assistant.mind.entry import timestamp_of, when_of
from evennia_assistant.mind.slots import parse_slots
from evennia_assistant.testing.replies import text

from tests.game.test_conversations import HOUR, NightTest, lines_of, record


def slots_of(request):
    return parse_slots(request.messages[1]["content"])


class TestWhatOneCallMakes(NightTest):
    def extracted(self, *records, **options):
        self.clock.advance(HOUR)
        self.answer(*records, record("summary", "Of a ring."))
        return self.extract(**options)

    def memory_of(self, words):
        return next(e for e in self.memory.journal.entries if words in e["content"])

    def test_an_event_has_its_impact_its_tags_and_its_time_counted_from_the_talk(self):
        self.talk()
        began = self.clock.seconds()
        done = self.extracted(
            {
                **record("memory", "Char's brother drowned at the mill.", lines=[1, 3]),
                "impact": -9,
                "tags": ["vulnerability", "unresolved"],
                "when": "yesterday",
                "emotion": {"arousal": 0.4, "trust": "+0.5"},
            }
        )
        assert done["entries"] == 1 and not done["problems"]
        entry = self.memory_of("drowned")
        assert entry["valence"] == entry["emotion"]["valence"] == -0.9
        assert entry["emotion"]["trust"] == 0.5
        assert entry["relational_tags"] == ["vulnerability", "unresolved"]
        assert (entry["importance"], entry["importance_method"]) == (10, "llm")
        end = when_of(entry["event_time"]["end"])
        assert end <= began < end + 24 * HOUR
        assert timestamp_of(began)[:10] in slots_of(self.model.requests[0])["talks"][0]["began"]

    def test_a_blow_makes_a_reflection_due_the_same_night(self):
        self.talk()
        assert not self.memory.reflection.store.data.get("shock_pending")
        self.extracted({**record("memory", "Char's mother died.", lines=[1]), "impact": "-9"})
        assert self.memory.reflection.store.data["shock_pending"]

    def test_what_the_npc_promised_has_its_time_and_rests_on_its_own_words(self):
        self.talk()
        done = self.extracted(
            {**record("intention", "Bram will look under the mill.", lines=[2]), "when": "friday"},
            {**record("intention", "Bram will give Char a sword.", lines=[1]), "when": "friday"},
            record("intention", "Bram will be brave.", lines=[2]),
        )
        (promise,) = self.entries_of_kind("intention")
        assert done["intentions"] == 1 and len(done["problems"]) == 2
        assert promise["content"] == "Bram will look under the mill."
        assert promise["event_time"] and promise["relational_tags"] == ["commitment"]

    def test_who_was_spoken_of_is_known_by_each_of_their_names(self):
        self.tell("My cat Mochi ran away.")
        self.tell("Which Mochi?", role="assistant")
        self.tell("I call her Mo, too.")
        done = self.extracted(
            {**record("entity", "Mochi", lines=[1, 3]), "kind": "pet", "also": ["Mo"]},
            {**record("entity", "Bram", lines=[2]), "kind": "person"},
            {**record("entity", "Felix", lines=[1]), "kind": "pet"},
            record("memory", "Char is looking for Mochi.", lines=[1, 3]),
        )
        assert done["names"] == 1
        profiles = self.memory.profiles
        (mochi,) = profiles.ids_in("Have you seen mo?", [self.who])
        assert mochi in profiles.ids_in("Mochi came home", [self.who])
        assert profiles.get(mochi)["kind"] == "pet"
        assert mochi in self.memory_of("looking for")["entities"]
        assert not profiles.ids_in("Felix", [self.who])

    def test_the_mood_a_talk_leaves_costs_no_call_of_its_own(self):
        self.talk()
        left = self.clock.seconds()
        self.extracted(
            {"talk": 1, "what": "mood", "text": "worried", "energy": 2, "signal": "cool"}
        )
        mood = self.memory.mood.at(self.clock.seconds())
        assert (mood.mood, mood.energy) == ("worried", 2)
        assert self.memory.mood.at(left + 12 * HOUR).is_neutral
        assert len(self.model.requests) == 1

    def test_a_mood_noted_since_the_talk_stays(self):
        self.talk()
        self.clock.advance(600)
        self.memory.mood.note("angry", 9, now=self.clock.seconds(), audience="public")
        self.extracted({"talk": 1, "what": "mood", "text": "calm", "energy": 5})
        assert self.memory.mood.at(self.clock.seconds()).mood == "angry"

    def test_a_mood_in_words_of_its_own_gives_nothing_away(self):
        self.tell("The vault opens with quicksilver.", whisper=True)
        self.tell("I shall tell nobody.", whisper=True, role="assistant")
        self.tell("Nor shall I.", whisper=True)
        mood = {"talk": 1, "what": "mood", "text": "thinking of quicksilver", "energy": 3}
        done = self.extracted(mood)
        assert "quicksilver" not in str(self.memory.mood.store.data)
        assert not any("quicksilver" in problem for problem in done["problems"])

    def test_a_scene_that_cannot_be_read_is_kept_for_repair(self):
        self.talk()
        self.extracted(
            {**record("memory", "Char lost a ring.", lines=[1]), "scene": {"setting": "mill"}},
            {
                **record("memory", "Char lit a lantern.", lines=[3]),
                "scene": {"action": "Char lit a lantern", "when": ["yesterday"]},
            },
        )
        assert self.memory_of("lost a ring")["scene"]["problem"]
        assert self.memory_of("lit a lantern")["scene"]["action"] == "Char lit a lantern"

    def test_the_same_said_again_is_counted_and_not_kept_twice(self):
        for _time in range(2):
            self.talk()
            self.extracted(record("memory", "Char lost a silver ring.", lines=[1]))
        assert self.contents().count("Char lost a silver ring.") == 1
        assert self.memory_of("lost a silver")["mention_count"] == 2

    def test_the_same_on_another_day_is_another_event(self):
        for _time in range(2):
            self.talk()
            lost = record("memory", "Char lost a silver ring.", lines=[1])
            self.extracted({**lost, "when": "yesterday"})
            self.clock.advance(48 * HOUR)
        assert self.contents().count("Char lost a silver ring.") == 2


class TestWhatIsTakenBack(NightTest):
    def sisters(self):
        """Somebody says one thing, and on another day that it is not so."""
        self.tell("I have two sisters in Ystad.")
        self.tell("Two sisters.", role="assistant")
        self.tell("Both are weavers.")
        self.record["extracted"] = True
        self.clock.advance(30 * HOUR)
        self.tell("I said that I have two sisters in Ystad, which is wrong.")
        self.tell("How many sisters have you?", role="assistant")
        self.tell("One sister. The other is a cousin.")
        self.clock.advance(HOUR)

    def labels(self):
        known = slots_of(self.model.requests[-1]).get("known", [])
        return {item["text"]: item["label"] for item in known}

    def correct(self):
        def answer(asked):
            known = {item["text"]: item["label"] for item in slots_of(asked)["known"]}
            old = next(label for words, label in known.items() if "two sisters in" in words)
            made = record("memory", "Char has one sister in Ystad.", lines=[1, 3])
            tagged = {**made, "tags": ["correction"], "replaces": [old]}
            return text(json.dumps([tagged, record("summary", "Of sisters.")]))

        self.model._handler = answer
        return self.extract()

    def entry(self, words):
        return next(e for e in self.memory.journal.entries if words in e["content"])

    def test_a_correction_takes_the_place_of_what_it_corrects(self):
        self.sisters()
        done = self.correct()
        old, new = self.entry("I have two sisters in Ystad."), self.entry("one sister")
        assert done["replaced"] == 1
        assert old["state"] == "superseded" and old["successor"] == new["id"]
        hits = self.memory.recall("sisters in Ystad", listeners=[self.who]).hits
        assert f"j{old['id']}" not in [hit.item.id for hit in hits]
        assert f"j{new['id']}" in [hit.item.id for hit in hits]

    def test_what_was_corrected_holds_again_when_the_correction_is_forgotten(self):
        self.sisters()
        self.correct()
        new = self.entry("one sister")["id"]
        forgetting = forget(self.script, subject_of(self.script, f"j{new}"))
        for _turn in range(50):
            self.pump(0.01)
        assert forgetting.called
        assert self.entry("I have two sisters in Ystad.").get("state", "active") == "active"
        hits = self.memory.recall("two sisters in Ystad", listeners=[self.who]).hits
        assert any("I have two sisters" in hit.item.text for hit in hits)

    def test_nobody_takes_back_what_another_said(self):
        other = f"#{self.char2.pk}"
        self.tell("The mill of Ystad is Petra's.", who=other, name="Char2")
        self.tell("The mill of Ystad is mine.")
        self.tell("The mill?", role="assistant")
        self.tell("The mill of Ystad, yes.")
        self.clock.advance(HOUR)
        self.model._handler = lambda asked: text("[]")
        self.extract()
        assert not [words for words in self.labels() if "Petra" in words]

    def test_what_was_whispered_is_not_shown_beside_what_was_said_aloud(self):
        self.tell("My vault in Ystad opens with quicksilver.", whisper=True)
        self.record["extracted"] = True
        self.clock.advance(30 * HOUR)
        self.tell("My vault in Ystad is empty.")
        self.tell("The vault?", role="assistant")
        self.tell("The vault in Ystad, yes.")
        self.clock.advance(HOUR)
        self.model._handler = lambda asked: text("[]")
        self.extract()
        assert "quicksilver" not in str(self.model.requests[0].messages)

    def test_a_label_that_was_not_shown_takes_nothing_back(self):
        self.sisters()
        self.answer(
            {**record("memory", "Char has one sister.", lines=[3]), "replaces": ["k9", "j1", 4]},
            record("summary", "Of sisters."),
        )
        done = self.extract()
        assert done["entries"] == 1 and done["replaced"] == 0
        assert self.entry("I have two sisters in Ystad.").get("state", "active") == "active"


class TestTheGate(NightTest):
    def test_a_few_words_that_move_nobody_cost_no_call(self):
        self.tell("The well of the upper farm is dry.")
        self.tell("Is it?", role="assistant")
        self.clock.advance(HOUR)
        done = self.extract()
        assert done["trivial"] == 1 and done["completed"] and not self.model.requests
        assert self.record["extracted"]

    def test_a_few_words_that_strike_hard_are_looked_at(self):
        self.tell("My brother was murdered.")
        self.clock.advance(HOUR)
        self.model._handler = lambda asked: text("[]")
        assert self.extract()["trivial"] == 0 and len(self.model.requests) == 1

    def test_words_that_only_look_like_a_blow_are_not(self):
        for words in ("I am all fired up for the fair.", "I could have died laughing."):
            self.memory.working.store.data.clear()
            self.tell(words)
            self.clock.advance(HOUR)
            assert self.extract()["trivial"] == 1, words

    def test_a_long_line_alone_is_looked_at(self):
        self.tell("The barrels of the upper cellar leak and want new hoops. " * 20)
        self.clock.advance(HOUR)
        self.model._handler = lambda asked: text("[]")
        self.extract()
        assert len(self.model.requests) == 1 and lines_of(self.model.requests[0])
