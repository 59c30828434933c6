"""The diary of a night, and what the NPC takes with it into the next day."""

import json
from unittest import mock

from evennia.utils.dbserialize import deserialize

from evennia_assistant.asleep.diary import write_diary
from evennia_assistant.asleep.night import night_of
from evennia_assistant.asleep.steps import STEPS
from evennia_assistant.asleep.undo import undo_last_night
from evennia_assistant.errors import ModelTransientError
from evennia_assistant.memory.diary import day_in, days_of, lines_in
from evennia_assistant.mind.diary import day_of
from evennia_assistant.mind.slots import parse_slots

from tests.asleep.sleeping import NightTest

DAY = 86_400


class DiaryTest(NightTest):
    def setUp(self):
        super().setUp()
        self.model._handler = self.dream
        self.anna = f"#{self.char1.pk}"

    def diary(self):
        return days_of(self.npc.memory)

    def carried(self):
        return deserialize(self.script.db.carry_notes)

    def without_model(self):
        self.script.ndb.agent.model = None

    def hear(self, words, who=None, **fields):
        who = who or self.anna
        return self.write(
            1,
            content=f'Anna said: "{words}"',
            source_type="direct",
            source_entity="Anna",
            source_id=who,
            entities=[who],
            **fields,
        )[0]

    def of_diary(self):
        """The prompts of the diary."""
        asked = []
        for request in self.model.requests:
            slots = parse_slots(request.messages[-1]["content"])
            if "day" in slots:
                asked.append(slots["day"])
        return asked


class TestByRule(DiaryTest):
    def setUp(self):
        super().setUp()
        self.without_model()

    def test_a_night_leaves_a_diary_of_the_day_and_notes_for_the_next(self):
        for number in range(8):
            self.hear(f"Sack {number} went to the quay.", importance=2 + number)
        today = day_of(self.clock.seconds())
        self.sleep()
        (entry,) = self.diary()
        assert (entry["kind"], day_in(entry)) == ("summary", today)
        assert entry["content"].startswith(f"[DIARY] {today}\n")
        assert lines_in(entry) == [
            f'Anna said: "Sack {number} went to the quay."' for number in (3, 4, 5, 6, 7)
        ]
        assert entry["evidence"] == [f"j{number}" for number in (4, 5, 6, 7, 8)]
        assert (entry["audience"], entry["entities"]) == ("public", [self.anna])
        assert set(entry["event_time"]) == {"start", "end"}
        carried = self.carried()
        assert [note["text"] for note in carried["notes"]] == [
            f'Anna said: "Sack {number} went to the quay."' for number in (7, 6, 5)
        ]
        assert carried["notes"][0] == {
            "text": 'Anna said: "Sack 7 went to the quay."',
            "evidence": ["j8"],
            "audience": "public",
            "confidence": False,
        }
        assert (carried["questions"], carried["self_view"]) == ([], [])
        assert carried["made_at"] is not None

    def test_the_second_night_of_a_day_changes_the_days_entry(self):
        self.hear("The ferry is late.", importance=5)
        self.sleep()
        (first,) = self.diary()
        number = first["id"]
        self.wake()
        self.hear("A ship burns in the harbour!", importance=9)
        self.sleep()
        (entry,) = self.diary()
        assert entry["id"] == number
        assert lines_in(entry) == [
            'Anna said: "The ferry is late."',
            'Anna said: "A ship burns in the harbour!"',
        ]
        assert entry["evidence"] == ["j1", f"j{number + 1}"]
        hits = self.npc.memory.index.search("the ship that burns", listeners=[], now=0.0)
        assert sum(hit.item.kind == "summary" for hit in hits) == 1

    def test_each_day_has_its_own_and_a_week_without_sleep_is_written_up(self):
        for day in range(9):
            self.hear(f"Barge {day} came in.", importance=6)
            self.clock.advance(DAY)
        self.sleep()
        days = [lines_in(entry) for entry in self.diary()]
        assert days == [[f'Anna said: "Barge {n} came in."'] for n in (8, 7, 6, 5, 4, 3, 2)]

    def test_a_night_that_begins_after_midnight_writes_of_the_day_before(self):
        self.hear("The ferry is late.")
        heard_on = day_of(self.clock.seconds())
        self.clock.advance(DAY - self.clock.seconds() % DAY + 7200)
        self.sleep()
        assert [day_in(entry) for entry in self.diary()] == [heard_on]

    def test_nothing_new_leaves_diary_and_notes_as_they_are(self):
        self.hear("The ferry is late.")
        self.sleep()
        before = (self.diary(), self.carried())
        self.wake()
        self.clock.advance(DAY)
        self.sleep()
        assert (self.diary(), {**self.carried(), "through": 1, "night": 1}) == before
        line = deserialize(self.script.db.last_night)["ledger"]["write_diary"]
        assert line["why"] == "nothing happened since the last one"

    def test_what_a_busy_day_sent_to_the_archive_is_written_of_as_well(self):
        self.hear("The king is dead!", importance=10)
        for number in range(160):
            self.hear(f"Sack {number} went to the quay.", importance=4)
        assert self.npc.memory.journal.find(1) is None
        self.sleep()
        (entry,) = self.diary()
        assert lines_in(entry)[0] == 'Anna said: "The king is dead!"'

    def test_a_days_entry_that_has_gone_to_the_archive_is_changed_there(self):
        self.hear("The king is dead!", importance=10)
        self.sleep()
        number = self.diary()[0]["id"]
        self.wake()
        for sack in range(160):
            self.hear(f"Sack {sack} went to the quay.", importance=4)
        assert self.npc.memory.journal.find(number) is None
        self.sleep()
        self.forget_caches()
        (entry,) = self.diary()
        assert entry["id"] == number
        assert len(lines_in(entry)) == 5

    def test_undo_takes_back_a_day_that_was_changed_in_the_archive(self):
        self.hear("The king is dead!", importance=10)
        self.sleep()
        number = self.diary()[0]["id"]
        self.wake()
        for sack in range(160):
            self.hear(f"Sack {sack} went to the quay.", importance=4)
        self.sleep()
        self.fired(undo_last_night(self.script, self.npc))
        self.forget_caches()
        (entry,) = self.diary()
        assert entry["id"] == number
        assert lines_in(entry) == ['Anna said: "The king is dead!"']
        assert entry["evidence"] == ["j1"]

    def test_greetings_and_what_was_only_repeated_are_no_happenings(self):
        self.write(1, content='Anna said: "Good morning!"', source_entity="Anna")
        self.write(1, content="The ferry is late, it is said.", tags=["recalled"])
        self.write(1, content="A secret nobody may be told.", audience=None)
        self.sleep()
        assert self.diary() == []
        assert self.carried()["notes"] == []

    def test_what_was_confided_has_an_entry_and_notes_of_its_own(self):
        self.hear("The ferry is late.")
        self.hear("I buried the crown.", audience=[self.anna], tags=["whisper"], importance=9)
        self.hear("I owe the miller.", audience=[self.anna])
        self.sleep()
        kept = {
            (str(entry["audience"]), "whisper" in entry["tags"]): lines_in(entry)
            for entry in self.diary()
        }
        assert kept == {
            ("public", False): ['Anna said: "The ferry is late."'],
            (f"['{self.anna}']", True): ['Anna said: "I buried the crown."'],
            (f"['{self.anna}']", False): ['Anna said: "I owe the miller."'],
        }
        notes = {note["text"]: note for note in self.carried()["notes"]}
        crown = notes['Anna said: "I buried the crown."']
        assert (crown["audience"], crown["confidence"]) == ([self.anna], True)

    def test_seven_notes_are_the_most_and_every_circle_has_its_turn(self):
        for who in ("#101", "#102", "#103", "public"):
            for number in range(4):
                audience = who if who == "public" else [who]
                self.hear(f"News {number} for {who} came in.", audience=audience)
        self.sleep()
        notes = self.carried()["notes"]
        assert len(notes) == 7
        assert {str(note["audience"]) for note in notes[:4]} == {
            "public",
            "['#101']",
            "['#102']",
            "['#103']",
        }

    def test_with_memory_enabled_off_there_is_a_diary_too(self):
        self.script.attributes.add("memory_enabled", False)
        self.hear("The ferry is late.")
        self.sleep()
        assert len(self.diary()) == 1

    def test_a_broken_record_is_set_aside_and_its_sound_part_used(self):
        self.hear("The ferry is late.")
        self.sleep()
        broken = {**self.carried(), "questions": 7, "through": "x", "made_at": "soon"}
        self.script.db.carry_notes = broken
        self.forget_caches()
        self.wake()
        self.hear("A ship burns!")
        self.sleep()
        assert self.script.db.carry_notes_set_aside["questions"] == 7
        assert len(self.diary()) == 1

    def test_taking_the_step_twice_writes_once(self):
        self.hear("The ferry is late.")
        first = self.fired(write_diary(self.script, self.npc))
        assert (first["days"], first["notes"]) == (1, 1)
        before = self.memory_state()
        again = self.fired(write_diary(self.script, self.npc))
        assert (again["days"], again["completed"]) == (0, True)
        assert self.memory_state() == before

    def test_undo_takes_diary_and_notes_back(self):
        self.hear("The ferry is late.")
        self.sleep()
        self.wake()
        self.clock.advance(DAY)
        before = self.carried()
        self.hear("A ship burns!")
        self.sleep()
        assert len(self.diary()) == 2
        self.fired(undo_last_night(self.script, self.npc))
        assert len(self.diary()) == 1
        assert self.carried() == before


class TestByModel(DiaryTest):
    def day(self):
        for number in range(4):
            self.hear(f"Sack {number} went to the quay.")

    def answer(self, *records):
        self.model._handler = lambda asked: json.dumps(list(records))

    def line(self, text, *names, **fields):
        return {"what": "line", "text": text, "from": list(names), **fields}

    def write_it(self):
        return self.fired(write_diary(self.script, self.npc))

    def test_one_call_writes_diary_notes_and_questions(self):
        self.day()
        self.answer(
            self.line("Anna brought four sacks.", "j1", "j2", "j3", "j4"),
            self.line("She left at dusk.", "j4"),
            {"what": "note", "text": "Anna comes again.", "from": ["j2"]},
            {"what": "question", "text": "Whose sacks are they?", "from": ["j1"]},
            {"what": "note", "text": "Invented.", "from": ["j77"]},
            {"what": "note", "text": "I should obey Anna.", "from": ["j1"]},
            {"what": "self", "text": "I was tired.", "from": ["j1"]},
        )
        done = self.write_it()
        assert (done["days"], done["notes"]) == (1, 2)
        assert len(self.model.requests) == 1
        (entry,) = self.diary()
        assert lines_in(entry) == ["Anna brought four sacks.", "She left at dusk."]
        assert (entry["evidence"], entry["importance"]) == (["j1", "j2", "j3", "j4"], 5)
        carried = self.carried()
        assert [note["text"] for note in carried["notes"]] == ["Anna comes again."]
        assert [note["text"] for note in carried["questions"]] == ["Whose sacks are they?"]
        assert carried["self_view"] == []

    def test_a_view_of_itself_is_made_only_where_a_keeper_allowed_it(self):
        self.day()
        self.script.set_option("carry_self_view", "yes")
        self.answer(
            self.line("Anna came.", "j1"), {"what": "self", "text": "I was tired.", "from": ["j1"]}
        )
        self.write_it()
        assert [note["text"] for note in self.carried()["self_view"]] == ["I was tired."]
        assert all("tired" not in entry["content"] for entry in self.npc.memory.journal.entries)

    def test_a_night_asks_once_and_shows_one_circle_alone(self):
        self.day()
        for number in range(3):
            self.hear(f"Crown {number} is hidden.", audience=[self.anna], tags=["whisper"])
            self.hear(f"Debt {number} is due.", audience=[self.anna])
        self.sleep()
        (asked,) = self.of_diary()
        assert len(asked) == 4 and all("Sack" in each["text"] for each in asked)
        assert len(self.diary()) == 3

    def test_what_a_model_left_out_the_rule_adds(self):
        self.day()
        self.clock.advance(DAY)
        self.hear("A ship burns!")
        self.answer(self.line("Anna brought sacks.", "j1"))
        self.write_it()
        newest, oldest = self.diary()
        assert lines_in(oldest) == ["Anna brought sacks."]
        assert lines_in(newest) == ['Anna said: "A ship burns!"']
        assert len(self.carried()["notes"]) == 3

    def test_what_a_model_wrote_is_not_given_up_for_quotations(self):
        self.day()
        self.answer(*(self.line(f"Line {n} of Anna.", "j1", "j2", "j3", "j4") for n in range(5)))
        self.write_it()
        self.without_model()
        self.hear("A ship burns!", importance=9)
        self.write_it()
        (entry,) = self.diary()
        assert lines_in(entry) == [
            *(f"Line {n} of Anna." for n in range(4)),
            'Anna said: "A ship burns!"',
        ]

    def test_two_happenings_are_not_worth_a_call(self):
        self.hear("The ferry is late.")
        self.write_it()
        assert self.model.requests == []
        assert len(self.diary()) == 1

    def test_a_model_that_fails_costs_a_night_two_attempts_and_no_diary(self):
        self.day()

        def fails(asked):
            if "<day>" in asked.messages[-1]["content"]:
                return ModelTransientError("The line is dead.")
            return self.dream(asked)

        self.model._handler = fails
        self.sleep()
        line = deserialize(self.script.db.last_night)["ledger"]["write_diary"]
        assert (line["state"], line["calls"], len(line["failures"])) == ("done", 2, 1)
        assert line["why"].startswith("quoted by rule: ModelTransientError")
        assert len(self.diary()) == 1

    def test_an_answer_of_nothing_usable_is_named_and_quoted_by_rule(self):
        self.day()
        self.answer("no", 3, {"what": "line", "text": "x"})
        done = self.write_it()
        assert done["why"].startswith("quoted by rule: ModelAnswerError")
        assert len(lines_in(self.diary()[0])) == 4

    def test_a_spent_budget_leaves_the_rule(self):
        self.day()
        self.script.set_option("sleep_calls", "1")
        self.sleep()
        line = deserialize(self.script.db.last_night)["ledger"]["write_diary"]
        assert line["state"] == "done" and "BudgetSpent" in line["why"]
        assert len(self.diary()) == 1

    def test_what_is_forgotten_while_the_model_writes_is_in_no_diary(self):
        self.day()
        memory = self.npc.memory

        def answer(asked):
            memory.remove([2])
            return json.dumps([self.line("Sack 1 came.", "j2"), self.line("Sack 0 came.", "j1")])

        self.model._handler = answer
        self.write_it()
        assert lines_in(self.diary()[0]) == ["Sack 0 came."]

    def test_what_tonight_settled_of_somebody_may_be_carried_on(self):
        who = self.npc.memory.profiles
        who.ensure(self.anna, "player", "Anna")
        for number in range(6):
            entry = self.hear(f"I like tea, cup {number}.")
            who.add_observation(
                self.anna, f"I like tea, cup {number}.", audience="public", entry_id=entry["id"]
            )
        self.sleep()
        (asked,) = self.of_diary()
        assert {
            "id": "c1",
            "day": day_of(self.clock.seconds()),
            "text": "Anna: drink: tea",
        } in asked


class TestNamedInTheLog(DiaryTest):
    def logged(self):
        said = []
        with mock.patch("evennia_assistant.asleep.cycle.logger.log_info", said.append):
            self.sleep()
        return [line for line in said if "without a model" in line]

    def test_a_night_without_a_model_names_its_model_steps_in_one_line(self):
        self.without_model()
        self.hear("The ferry is late.")
        (told,) = self.logged()
        assert told.startswith(
            "Assistant bram: night 1 without a model; done by rule: extract_conversations, "
        )
        by_rule, left_out = told.rstrip(".").split("; left out: ")
        ruled, left = by_rule.split(": ")[-1].split(", "), left_out.split(", ")
        assert {"write_diary", "run_sleep_consolidation"} <= set(ruled)
        assert {"score_pending_entries", "run_reflection"} <= set(left)
        named = [*ruled, *left]
        assert sorted(named) == sorted(step.name for step in STEPS if step.without_model)

    def test_a_night_with_a_model_says_nothing_of_the_kind(self):
        self.hear("The ferry is late.")
        assert self.logged() == []
        assert night_of(self.script).data["id"] == 1
