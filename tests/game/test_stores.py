"""The stores on real Attributes: written once, read back by anyone, never silently lost."""

import pickle
from unittest import mock

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from evennia.typeclasses.attributes import Attribute
from evennia.utils.create import create_object
from evennia.utils.dbserialize import deserialize
from evennia.utils.test_resources import EvenniaTestCase

from evennia_assistant.memory.archive import CATEGORY as ARCHIVE_CATEGORY
from evennia_assistant.memory.attribute_store import AttributeStore, save_together
from evennia_assistant.memory.conversation_record import MAX_SHOWN, conversation_id
from evennia_assistant.memory.ended_conversations import MAX_WAITING, MAX_WAITING_MESSAGES
from evennia_assistant.memory.entity_profiles import EntityProfiles
from evennia_assistant.memory.journal import Journal
from evennia_assistant.memory.working_memory import WorkingMemory

NOW = 1_780_000_000.0


def stored(obj, key, category=None):
    """The value as the database has it, past every cache."""
    row = obj.attributes.get(key, category=category, return_obj=True)
    fresh = type(row).objects.filter(pk=row.pk).values_list("db_value", flat=True)[0]
    return deserialize(fresh)


class TestAttributeStore(EvenniaTestCase):
    def setUp(self):
        super().setUp()
        self.obj = create_object("evennia.objects.objects.DefaultObject", key="Bram", nohome=True)

    def test_what_is_saved_is_what_npc_db_shows(self):
        store = AttributeStore(self.obj, "notes", dict)
        store.data["a"] = [1, {"b": 2}]
        store.touch()
        store.save()
        assert deserialize(self.obj.db.notes) == {"a": [1, {"b": 2}]}
        assert stored(self.obj, "notes") == {"a": [1, {"b": 2}]}

    def test_a_save_is_one_statement(self):
        store = AttributeStore(self.obj, "notes", dict)
        store.data["a"] = 1
        store.touch()
        store.save()
        store.data["a"] = 2
        store.touch()
        with CaptureQueriesContext(
            connection,
        ) as queries:
            store.save()
            store.save()
        assert len(queries) == 1

    def test_a_builder_who_assigns_the_attribute_is_not_overwritten(self):
        store = AttributeStore(self.obj, "notes", dict)
        store.data["ours"] = 1
        store.touch()
        store.save()
        self.obj.db.notes = {"theirs": 1}
        assert store.data == {"theirs": 1}
        self.obj.db.notes["more"] = 2
        assert store.data == {"theirs": 1, "more": 2}

    def test_an_attribute_made_by_a_builder_after_the_first_look_is_not_overwritten(self):
        store = AttributeStore(self.obj, "notes", dict)
        assert store.data == {}
        self.obj.db.notes = {"theirs": 1}
        assert store.data == {"theirs": 1}

    def test_an_attribute_somebody_removed_comes_back_with_the_next_save(self):
        store = AttributeStore(self.obj, "notes", dict)
        store.data["a"] = 1
        store.touch()
        store.save()
        self.obj.attributes.remove("notes")
        store.data["b"] = 2
        store.touch()
        store.save()
        assert stored(self.obj, "notes") == {"b": 2}

    def test_sectioned_data_reads_back_equal_after_partial_changes(self):
        store = AttributeStore(self.obj, "people", dict, sectioned=True)
        for number in range(5):
            store.data[f"#{number}"] = {"n": number}
        store.touch()
        store.save()
        store.data["#3"]["n"] = 33
        del store.data["#1"]
        store.touch("#3", "#1")
        store.save()
        expected = {"#0": {"n": 0}, "#2": {"n": 2}, "#3": {"n": 33}, "#4": {"n": 4}}
        assert stored(self.obj, "people") == expected
        assert type(stored(self.obj, "people")["#0"]) is dict

    def test_unchanged_sections_are_not_encoded_again(self):
        store = AttributeStore(self.obj, "people", dict, sectioned=True)
        store.data.update({f"#{n}": {"n": n} for n in range(50)})
        store.touch()
        store.save()
        store.touch("#7")
        with mock.patch(
            "evennia_assistant.memory.attribute_store.pickle.dumps", wraps=pickle.dumps
        ) as dumps:
            store.save()
        assert dumps.call_count == 2

    def test_an_item_added_to_a_list_does_not_encode_the_others_again(self):
        for plain, sectioned in (([], True), ({"entries": [], "count": 0}, "entries")):
            store = AttributeStore(self.obj, "log", lambda plain=plain: plain, sectioned=sectioned)
            items = store.data if sectioned is True else store.data["entries"]
            items.extend({"n": number} for number in range(50))
            store.touch()
            store.save()
            items[3]["n"] = 33
            items.append({"n": 50})
            gone = items.pop(0)
            store.touch(items[2], items[-1], gone)
            with mock.patch(
                "evennia_assistant.memory.attribute_store.pickle.dumps", wraps=pickle.dumps
            ) as dumps:
                store.save()
            assert dumps.call_count == 3
            read = stored(self.obj, "log")
            assert read == store.data and (read if sectioned is True else read["entries"])[2] == {
                "n": 33
            }
            self.obj.attributes.remove("log")

    def test_a_crash_between_two_stores_leaves_neither_written(self):
        one, two = AttributeStore(self.obj, "one", dict), AttributeStore(self.obj, "two", dict)
        for store in (one, two):
            store.data["a"] = 1
            store.touch()
        save_together([one, two])
        one.data["a"] = two.data["a"] = 2
        one.touch()
        two.touch()
        with (
            mock.patch.object(two, "_pickle", side_effect=MemoryError),
            pytest.raises(MemoryError),
        ):
            save_together([one, two])
        assert stored(self.obj, "one") == stored(self.obj, "two") == {"a": 1}
        save_together([one, two])
        assert stored(self.obj, "one") == stored(self.obj, "two") == {"a": 2}


class TestJournal(EvenniaTestCase):
    def setUp(self):
        super().setUp()
        self.obj = create_object("evennia.objects.objects.DefaultObject", key="Bram", nohome=True)

    def save(self, journal):
        journal.make_room()
        journal.store.save()

    def test_the_documented_keys_are_there(self):
        journal = Journal(self.obj)
        journal.add("The cat is grey.", when=NOW, source_entity="Alice")
        self.save(journal)
        held = stored(self.obj, "journal")
        assert set(held) == {
            "entries",
            "entry_count",
            "max_entries",
            "last_reflection",
            "consolidated_entry_ids",
        }
        assert set(held["entries"][0]) >= {
            "id",
            "timestamp",
            "content",
            "source_type",
            "source_trust",
            "source_entity",
            "importance",
            "importance_method",
            "tags",
            "related_projects",
        }

    def test_nothing_is_lost_when_the_journal_overflows(self):
        journal = Journal(self.obj)
        for number in range(260):
            journal.add(f"Event number {number}.", when=NOW + number)
            self.save(journal)
        held = stored(self.obj, "journal")
        assert len(held["entries"]) <= held["max_entries"] == 100
        again = Journal(self.obj)
        assert [entry["content"] for entry in again.all_entries()] == [
            f"Event number {number}." for number in range(260)
        ]
        assert again.add("One more.", when=NOW)["id"] == 261

    def test_entries_leave_the_journal_and_reach_the_archive_in_one_write(self):
        journal = Journal(self.obj)
        for number in range(100):
            journal.add(f"Event number {number}.", when=NOW + number)
        self.save(journal)
        for number in range(100, 130):
            journal.add(f"Event number {number}.", when=NOW + number)
        with (
            mock.patch.object(journal.store, "_pickle", side_effect=MemoryError),
            pytest.raises(MemoryError),
        ):
            self.save(journal)
        assert len(stored(self.obj, "journal")["entries"]) == 100
        archived = Attribute.objects.filter(db_category=ARCHIVE_CATEGORY)
        assert not [row for row in archived.values_list("db_value", flat=True) if row]
        # Whoever saves the journal next saves what left it as well.
        journal.store.save()
        Attribute.flush_instance_cache(force=True)
        self.obj.attributes.reset_cache()
        held = [entry["content"] for entry in Journal(self.obj).all_entries()]
        assert held == [f"Event number {number}." for number in range(130)]

    def test_the_same_words_again_are_counted_not_repeated(self):
        journal = Journal(self.obj)
        first = journal.add("Rain.", when=NOW, source_entity="Ann", audience="public")
        again = journal.add("Rain.", when=NOW + 9, source_entity="Ann", audience="public")
        other = journal.add("Rain.", when=NOW + 9, source_entity="Ann", audience=["#1"])
        assert again is first and first["mention_count"] == 2
        assert other is not first

    def test_a_corrupt_journal_is_set_aside_and_its_sound_part_used(self):
        journal = Journal(self.obj)
        good = journal.add("Sound.", when=NOW)
        self.save(journal)
        self.obj.db.journal = {"entries": [dict(good), "junk", {"id": 4}], "entry_count": "many"}
        again = Journal(self.obj)
        assert [entry["content"] for entry in again.entries] == ["Sound."]
        assert deserialize(self.obj.db.journal_set_aside)["entries"][1] == "junk"
        assert again.add("Next.", when=NOW)["id"] == good["id"] + 1

    def test_a_journal_that_is_no_journal_does_not_silence_the_npc(self):
        self.obj.db.journal = "oops"
        journal = Journal(self.obj)
        journal.add("On we go.", when=NOW)
        self.save(journal)
        assert stored(self.obj, "journal_set_aside") == "oops"
        assert stored(self.obj, "journal")["entries"][0]["content"] == "On we go."

    def test_an_unreadable_archive_is_named_and_passed_over(self):
        journal = Journal(self.obj)
        journal.add("Kept.", when=NOW)
        self.obj.attributes.add("journal_000000001", 7, category=ARCHIVE_CATEGORY)
        assert [entry["content"] for entry in journal.all_entries()] == ["Kept."]


class TestProfiles(EvenniaTestCase):
    def setUp(self):
        super().setUp()
        self.obj = create_object("evennia.objects.objects.DefaultObject", key="Bram", nohome=True)
        self.profiles = EntityProfiles(self.obj)

    def test_a_profile_has_the_documented_shape(self):
        profile = self.profiles.ensure("#5", "player", "Anna")
        assert profile["entity_id"] == "#5" and profile["entity_type"] == "player"
        assert profile["attributes"] == {} and profile["observations"] == []
        assert set(profile["relationship"]) == {"state", "favorability", "interaction_count"}
        assert profile["relationship"]["state"] == "stranger"

    def test_talk_makes_an_acquaintance_in_a_day_and_a_friend_only_over_days(self):
        self.profiles.ensure("#5", "player", "Anna")
        for _line in range(500):
            profile = self.profiles.record_exchange("#5", when=NOW)
        assert profile["relationship"]["state"] == "acquaintance"
        for day in range(1, 6):
            for _line in range(20):
                profile = self.profiles.record_exchange("#5", when=NOW + day * 86_400)
        assert profile["relationship"]["state"] == "friend"
        assert profile["relationship"]["interaction_count"] == 600

    def test_what_was_said_in_confidence_stays_out_of_others_sight(self):
        self.profiles.ensure("#5", "player", "Anna")
        self.profiles.add_observation("#5", "I am a spy.", audience=["#5", "#1"])
        self.profiles.add_observation("#5", "I am tired.", audience="public")
        assert [note["text"] for note in self.profiles.notes_for("#5", ["#9"])] == ["I am tired."]
        assert len(self.profiles.notes_for("#5", ["#5"])) == 2

    def test_a_renamed_person_keeps_their_old_name_as_an_alias(self):
        self.profiles.ensure("#5", "player", "Anna")
        profile = self.profiles.ensure("#5", "player", "Annabel")
        assert profile["canonical_name"] == "Annabel" and profile["aliases"] == ["Anna"]

    def test_a_broken_profile_does_not_take_the_others_with_it(self):
        self.profiles.ensure("#5", "player", "Anna")
        self.profiles.store.save()
        self.obj.db.entity_profiles["#6"] = "junk"
        again = EntityProfiles(self.obj)
        assert again.get("#5")["canonical_name"] == "Anna" and again.get("#6") is None
        assert deserialize(self.obj.db.entity_profiles_set_aside)["#6"] == "junk"


class TestWorkingMemory(EvenniaTestCase):
    def setUp(self):
        super().setUp()
        self.obj = create_object("evennia.objects.objects.DefaultObject", key="Bram", nohome=True)
        self.working = WorkingMemory(self.obj)

    def test_a_conversation_ends_after_half_an_hour_of_silence(self):
        self.working.add_message("#5", "user", "Hello.", audience="public", when=NOW)
        assert self.working.messages_for("#5", ["#5"], when=NOW + 60)
        assert not self.working.messages_for("#5", ["#5"], when=NOW + 1801)
        _record, opened = self.working.start_conversation("#5", when=NOW + 1801)
        assert opened

    def test_a_whispered_line_is_not_replayed_to_others(self):
        self.working.add_message("#5", "user", "Aloud.", audience="public", when=NOW)
        self.working.add_message("#5", "user", "Psst.", audience=["#5", "#1"], when=NOW)
        heard = self.working.messages_for("#5", ["#5", "#9"], when=NOW)
        assert [message["content"] for message in heard] == ["Aloud."]

    def test_a_long_conversation_stays_bounded_and_its_older_lines_wait(self):
        for number in range(300):
            self.working.add_message("#5", "user", f"Line {number}", audience="public", when=NOW)
        messages = self.working.messages_for("#5", ["#5"], when=NOW)
        assert len(messages) <= MAX_SHOWN and messages[-1]["content"] == "Line 299"
        kept = [
            m["content"] for record in self.working.ended.store.data for m in record["messages"]
        ]
        kept += [m["content"] for m in self.working.store.data["#5"]["messages"]]
        assert kept == [f"Line {number}" for number in range(300)]

    def test_the_lines_shown_of_a_long_conversation_begin_at_the_same_line_for_many_turns(self):
        starts = []
        for number in range(190):
            self.working.add_message("#5", "user", f"Line {number}", audience="public", when=NOW)
            starts.append(self.working.messages_for("#5", ["#5"], when=NOW)[0]["content"])
        assert len(set(starts)) == 5

    def test_the_parts_of_one_long_conversation_are_told_apart(self):
        for number in range(700):
            self.working.add_message("#5", "user", f"Line {number}", audience="public", when=NOW)
        records = [*self.working.ended.store.data, self.working.store.data["#5"]]
        ids = [conversation_id("#5", record) for record in records]
        assert len(set(ids)) == len(ids) == 4
        assert [self.working.find(one)[1] for one in ids] == records

    def test_two_hundred_conversations_stay_bounded_and_lose_no_line(self):
        for who in range(200):
            for number in range(10):
                self.working.add_message(f"#{who}", "user", f"Line {number}", when=NOW + who)
        overflow = self.working.tidy(when=NOW + 200)
        talks = list(self.working.store.data.values())
        assert sum(len(record["messages"]) for record in talks) <= 400 and len(talks) == 200
        waiting = self.working.ended.store.data
        assert sum(len(record["messages"]) for record in waiting) <= MAX_WAITING_MESSAGES
        assert len(waiting) <= MAX_WAITING
        held = sum(len(r["messages"]) for r in [*talks, *waiting, *overflow])
        assert held == 2000

    def test_an_ended_conversation_is_cleared_after_an_hour_once_it_was_extracted(self):
        self.working.add_message("#5", "user", "Hello.", when=NOW)
        self.working.add_message("#6", "user", "Hello.", when=NOW + 3000)
        self.working.add_message("#7", "user", "Hello.", when=NOW)
        for who in ("#5", "#6"):
            self.working.store.data[who]["extracted"] = True
        assert self.working.clear_stale(when=NOW + 3700) == 1
        assert list(self.working.store.data) == ["#6", "#7"]

    def test_a_conversation_that_was_not_extracted_waits_when_its_partner_comes_back(self):
        self.working.add_message("#5", "user", "My ring lies at the quarry.", when=NOW)
        self.working.add_message("#5", "user", "Hello again.", when=NOW + 7200)
        (waiting,) = self.working.waiting(when=NOW + 7200)
        assert waiting[0] == "#5"
        assert waiting[1]["messages"][0]["content"] == "My ring lies at the quarry."

    def test_a_line_said_after_the_extraction_has_to_be_extracted_too(self):
        self.working.add_message("#5", "user", "Hello.", when=NOW)
        self.working.store.data["#5"]["extracted"] = True
        self.working.add_message("#5", "user", "One thing more.", when=NOW + 60)
        assert [who for who, _record in self.working.waiting(when=NOW + 3600)] == ["#5"]

    def test_what_is_still_to_be_done_outlives_the_conversation(self):
        self.working.add_pending_action("#5", "Mend the boat.", when=NOW)
        self.working.add_pending_action("#5", "Sharpen the knife.", when=NOW)
        assert self.working.complete_pending_action("#5", "Sharpen the knife.", when=NOW + 1)
        assert not self.working.complete_pending_action("#5", "Sharpen the knife.", when=NOW + 2)
        self.working.clear_stale(when=NOW + 7200)
        self.working.start_conversation("#5", when=NOW + 7200, topic="boats")
        assert [held["action"] for held in self.working.pending_actions("#5")] == ["Mend the boat."]

    def test_the_same_action_is_noted_once_and_no_more_than_ten(self):
        for number in range(10):
            self.working.add_pending_action("#5", f"Thing {number}.", when=NOW)
            self.working.add_pending_action("#5", f"Thing {number}.", when=NOW)
        assert len(self.working.pending_actions("#5")) == 10
        with pytest.raises(ValueError, match="already"):
            self.working.add_pending_action("#5", "One more.", when=NOW)

    def test_a_conversation_keeps_the_topic_it_was_given(self):
        self.working.start_conversation("#5", when=NOW, topic="quest_help")
        record, opened = self.working.start_conversation("#5", when=NOW + 1, topic="weather")
        assert record["topic"] == "quest_help" and not opened

    def test_what_is_stored_brokenly_of_ended_conversations_is_set_aside(self):
        self.working.add_message("#5", "user", "My ring lies at the quarry.", when=NOW)
        self.working.start_conversation("#5", when=NOW + 7200)
        self.working.ended.store.save()
        self.obj.db.ended_conversations.append("junk")
        again = WorkingMemory(self.obj)
        assert [record["entity_id"] for record in again.ended.store.data] == ["#5"]
        assert deserialize(self.obj.db.ended_conversations_set_aside)[-1] == "junk"
