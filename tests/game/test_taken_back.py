"""What an NPC took back does not come back by another way: a summary, a profile, a conclusion."""

import json

from evennia_assistant.asleep.conversations import extract_conversations
from evennia_assistant.asleep.entities import run_entity_consolidation_batch
from evennia_assistant.mind.entry import is_taken_back
from evennia_assistant.testing.replies import text

from tests.game.talking import TalkTest
from tests.game.test_compaction import CompactionTest

HOUR = 3600.0
WRONG = "My dog Brutus guards the gate of the old mill."


class TakenBackTest(TalkTest):
    def talk(self):
        """A talk of which one line is no longer true; gives the number of its entry."""
        self.tell("The silver ring lies under the lighthouse.")
        self.tell("Under the lighthouse, then.", role="assistant")
        self.tell(WRONG)
        wrong = self.memory.journal.entries[-1]["id"]
        self.tell("Brutus, a fine name.", role="assistant")
        self.tell("Bring a lantern on Friday, the lighthouse is dark.")
        self.tell("I shall.", role="assistant")
        self.memory.save()
        return wrong

    def take_back(self, number):
        self.memory.forget(number)
        self.memory.save()

    def extract(self, **options):
        return self.result_of(extract_conversations(self.script, self.npc, **options))

    def told_of_brutus(self):
        """Entries that hold, and speak of what does not."""
        return [
            entry["content"]
            for entry in self.memory.journal.entries
            if "Brutus" in entry["content"] and not is_taken_back(entry)
        ]


class TestTalks(TakenBackTest):
    def test_the_night_sums_a_talk_up_without_what_was_taken_back_and_what_was_answered_to_it(self):
        self.take_back(self.talk())
        self.forget_caches()
        self.agent.model = None
        self.clock.advance(HOUR)
        assert self.extract()["summaries"] == 1
        (summary,) = self.entries_of_kind("summary")
        assert "lantern" in summary["content"] and self.told_of_brutus() == []
        assert len(summary["evidence"]) == 2

    def test_a_model_is_not_shown_what_was_taken_back(self):
        self.take_back(self.talk())
        self.clock.advance(HOUR)
        self.model.add(text("[]"))
        self.extract()
        shown = str(self.model.requests[0].messages)
        assert "lantern" in shown and "Brutus" not in shown

    def test_what_a_model_made_of_it_before_it_was_taken_back_is_not_believed(self):
        wrong = self.talk()
        self.clock.advance(HOUR)
        records = [{"talk": 1, "what": "summary", "text": "Char spoke of Brutus the dog."}]

        def answer(asked):
            if len(self.model.requests) == 1:
                self.take_back(wrong)
                return text(json.dumps(records))
            return text("[]")

        self.model._handler = answer
        assert not self.extract()["completed"]
        assert self.extract()["completed"]
        assert self.told_of_brutus() == [] and len(self.entries_of_kind("summary")) == 1
        assert "Brutus" not in str(self.model.requests[1].messages)

    def test_an_answer_that_stands_with_a_talk_is_asked_for_anew(self):
        wrong = self.talk()
        self.clock.advance(HOUR)
        self.record["answer"] = {
            "places": list(range(6)),
            "found": {"summary": [{"text": "Char spoke of Brutus.", "lines": [1, 2, 3, 4, 5, 6]}]},
        }
        self.take_back(wrong)
        self.model.add(text("[]"))
        assert self.extract()["completed"]
        assert self.told_of_brutus() == [] and len(self.model.requests) == 1

    def test_what_was_said_again_holds_again(self):
        self.agent.model = None
        self.take_back(self.talk())
        self.tell(WRONG)
        self.clock.advance(HOUR)
        self.extract()
        assert len(self.told_of_brutus()) == 2


class TestLongTalks(CompactionTest):
    def test_what_was_taken_back_is_not_in_the_summary_of_a_long_talk(self):
        self.agent.model = None
        self.tell(WRONG)
        wrong = self.memory.journal.entries[-1]["id"]
        self.tell_many(60)
        self.memory.forget(wrong)
        for message in self.record["messages"]:
            message["extracted"] = True
        assert self.compact(force=True)["summaries"] == 1
        (summary,) = self.entries_of_kind("summary")
        assert "Brutus" not in summary["content"] and "Barrel" in summary["content"]
        assert f"j{wrong}" not in summary["evidence"]

    def test_where_everything_was_taken_back_no_summary_is_left(self):
        self.tell_many(60)
        window = self.script.option("compact_preserve_window")
        for entry in list(self.memory.journal.entries)[:-window]:
            self.memory.forget(entry["id"])
        assert self.compact(force=True)["compacted"] == 60 - window
        assert not self.model.requests and not self.entries_of_kind("summary")
        assert self.roles() == ["user"] * window


class TestWhatRestsOnIt(TakenBackTest):
    def conclude(self, *numbers):
        return self.memory.write(
            f"Conclusion on {numbers}.",
            when=self.clock.seconds(),
            kind="synthesis",
            audience="public",
            evidence=[f"j{number}" for number in numbers],
        )["id"]

    def test_a_conclusion_goes_with_the_last_of_what_it_rests_on_and_not_before(self):
        wrong = self.talk()
        right = self.memory.journal.entries[0]["id"]
        alone, both = self.conclude(wrong), self.conclude(wrong, right)
        above = self.conclude(alone)
        find = self.memory.journal.find
        self.take_back(wrong)
        assert is_taken_back(find(alone)) and is_taken_back(find(above))
        assert not is_taken_back(find(both))
        self.take_back(right)
        assert is_taken_back(find(both))

    def test_what_was_replaced_by_better_knowledge_leaves_its_conclusions(self):
        wrong = self.talk()
        conclusion = self.conclude(wrong)
        self.memory.forget(wrong, successor=self.memory.journal.entries[-1]["id"])
        assert not is_taken_back(self.memory.journal.find(conclusion))

    def test_a_profile_loses_what_was_noted_of_it_and_settled_by_it_alone(self):
        wrong = self.talk()
        right = self.memory.journal.entries[0]["id"]
        profiles = self.memory.profiles
        profiles.ensure(self.who, "player", "Char")
        for number, words in ((wrong, "Has a dog, Brutus."), (right, "Has a ring.")):
            profiles.add_observation(self.who, words, audience="public", entry_id=number)
        profiles.get(self.who)["attributes"].update(
            dog={"value": "Brutus", "evidence": [wrong], "audience": "public"},
            ring={"value": "silver", "evidence": [wrong, right], "audience": "public"},
        )
        profiles.store.touch(self.who)
        self.take_back(wrong)
        self.forget_caches()
        profile = self.memory.profiles.get(self.who)
        assert [note["text"] for note in profile["observations"]] == ["Has a ring."]
        assert list(profile["attributes"]) == ["ring"]

    def test_a_profile_does_not_gain_what_was_taken_back_while_a_model_looked_at_it(self):
        wrong = self.talk()
        profiles = self.memory.profiles
        profiles.ensure(self.who, "player", "Char")
        notes = ["Has a dog, Brutus.", *(f"Was at the quay on day {n}." for n in range(4))]
        for place, words in enumerate(notes):
            number = None if place else wrong
            profiles.add_observation(self.who, words, audience="public", entry_id=number)

        def answer(asked):
            self.take_back(wrong)
            found = [
                {"type": "dog", "value": "Brutus", "evidence": ["o1"]},
                {"type": "haunt", "value": "the quay", "evidence": ["o2", "o3"]},
            ]
            return text(json.dumps(found))

        self.model._handler = answer
        done = self.result_of(run_entity_consolidation_batch(self.script, self.npc))
        assert done["attributes"] == 1
        assert list(self.memory.profiles.get(self.who)["attributes"]) == ["haunt"]
