"""Recalls that are counted, nights that are taken back, and what retention leaves alone."""

from unittest import mock

from evennia.utils.dbserialize import deserialize

from evennia_assistant.asleep.undo import undo_last_night
from evennia_assistant.awake.material import Material
from evennia_assistant.awake.recalling import recall_for
from evennia_assistant.memory.attribute_store import AttributeStore
from evennia_assistant.memory.retention import clock_of, note_hits

from tests.asleep.remembering import Remembering, told
from tests.asleep.sleeping import NightTest


class RetentionTest(Remembering, NightTest):
    def setUp(self):
        super().setUp()
        self.agent.model = None

    def tell(self, words, **fields):
        fields = {"audience": "public", "importance": 3, **fields}
        entry = self.npc.memory.write(words, when=self.clock.seconds(), **fields)
        self.npc.memory.save()
        return entry["id"]


class TestHits(RetentionTest):
    def setUp(self):
        super().setUp()
        self.script.attributes.add("memory_enabled", False)

    def hits(self, number):
        return self.npc.memory.journal.find_anywhere(number).get("hits", 0)

    def test_recalling_writes_nothing_and_counts_all_the_same(self):
        number = self.tell("The ferry leaves at noon")
        with mock.patch.object(AttributeStore, "_write") as write:
            for _time in range(3):
                note_hits(self.npc, [f"j{number}"])
        write.assert_not_called()
        assert self.hits(number) == 0
        self.nights(1)
        assert self.hits(number) == 3

    def test_a_reload_keeps_the_counts(self):
        number = self.tell("The ferry leaves at noon")
        note_hits(self.npc, [f"j{number}"])
        self.script.at_server_reload()
        self.forget_caches()
        assert self.hits(number) == 1
        stored = deserialize(self.npc.attributes.get("journal"))
        assert stored["entries"][0]["hits"] == 1

    def test_what_is_recalled_every_day_never_fades(self):
        kept, left = self.tell("The ferry leaves at noon"), self.tell("Cora breeds goats")
        for _night in range(60):
            note_hits(self.npc, [f"j{kept}"])
            self.nights(1)
        assert (self.state(kept), self.state(left)) == ("active", "dormant")

    def test_an_archived_memory_fades_and_wakes_as_a_live_one_does(self):
        numbers = [self.tell(words) for _name, words in told(30)]
        assert self.npc.memory.journal.find(numbers[0]) is None
        self.nights(56)
        assert self.state(numbers[0]) in ("dormant", "merged")
        asleep = [number for number in numbers if self.state(number) == "dormant"]
        note_hits(self.npc, [f"j{asleep[0]}"] * 2)
        self.nights(1)
        assert self.state(asleep[0]) == "active"

    def test_what_is_told_again_after_it_faded_is_at_hand(self):
        first = self.tell("The ferry leaves at noon")
        self.nights(60)
        assert self.state(first) == "dormant"
        again = self.tell("The ferry leaves at noon")
        assert again != first
        assert f"j{again}" in self.recalled("When does the ferry leave?")

    def test_what_faded_comes_back_to_one_who_asks_for_it_and_hides_behind_no_other_answer(self):
        faded = self.tell("The ferry leaves at noon")
        self.nights(60)
        near = self.tell("The ferry is painted green")
        material = Material((), "say", ("#99",))

        def came(query):
            found = recall_for(self.npc, material, query, now=self.clock.seconds(), limit=3)
            return [record["id"] for record in found]

        assert f"j{faded}" in came("When does it leave, at noon?")
        assert came("Is the ferry painted?") == [f"j{near}"]
        self.nights(1)
        assert self.state(faded) == "active"


class TestWhatIsMerged(RetentionTest):
    def setUp(self):
        super().setUp()
        self.script.attributes.add("memory_enabled", False)

    def pair(self, first, second):
        one = self.tell("The old ferry leaves the landing stage at noon", **first)
        other = self.tell("The old ferry leaves the landing stage at noon.", importance=9, **second)
        self.nights(60)
        return one, other

    def test_words_of_two_people_stay_two_memories(self):
        one, _other = self.pair({"source_id": "#5"}, {"source_id": "#6"})
        assert self.state(one) == "dormant"

    def test_a_confidence_is_never_merged_with_what_others_may_be_told(self):
        one, _other = self.pair({"audience": ["#5"], "tags": ["whisper"]}, {})
        assert self.state(one) == "dormant"

    def test_what_happened_on_two_days_stays_two_memories(self):
        days = [{"start": f"2026-01-0{n}T10:00:00Z", "end": None} for n in (1, 2)]
        one, _other = self.pair({"event_time": days[0]}, {"event_time": days[1]})
        assert self.state(one) == "dormant"

    def test_subjects_and_dates_of_both_are_the_survivors(self):
        one, other = self.pair({"tags": ["ferry"], "source_id": "#5"}, {"source_id": "#5"})
        assert self.state(one) == "merged"
        survivor = self.npc.memory.journal.find_anywhere(other)
        assert survivor["tags"] == ["ferry"]
        assert survivor["when"] == [survivor["timestamp"][:10]]


class TestTakenBack(RetentionTest):
    def test_a_night_that_let_a_fact_fade_can_be_taken_back(self):
        for number in range(3):
            self.tell(f"The ferry across the river, {number}")
        self.sleep()
        self.wake()
        fact = self.facts_kept.facts("bram")[0].id
        links = self.npc.memory.facts.links
        links.change(fact, cycles=200)
        links.save()
        before = dict(links.get(fact))
        self.clock.advance(86_400)
        self.sleep()
        assert links.state(fact) in ("dormant", "merged")
        assert self.fired(undo_last_night(self.script, self.npc, self.facts_kept))["undone"]
        links = self.npc.memory.facts.links
        assert links.state(fact) == "active"
        assert links.get(fact).get("topic") == before.get("topic")

    def test_a_night_that_sorted_can_be_taken_back(self):
        self.script.attributes.add("memory_enabled", False)
        for _name, words in told(4):
            self.tell(words)
        self.sleep()
        assert len(self.npc.memory.topics.records) > 1
        self.fired(undo_last_night(self.script, self.npc))
        assert self.npc.memory.topics.records == {}
        assert all(member.topic is None for member in self.members().values())

    def test_the_clock_counts_each_night_once_however_often_it_breaks_off(self):
        self.tell("The ferry leaves at noon")
        for _night in range(3):
            self.sleep()
            self.wake()
            self.clock.advance(86_400)
        assert clock_of(self.script).data["reading"] == 3
