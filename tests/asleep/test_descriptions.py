"""Who somebody is: in a sentence or two, from what may be told, and never over a keeper's word."""

import json

from evennia_assistant.asleep.descriptions import (
    ENOUGH,
    MOST_ENTITIES,
    UP_TO,
    describe_entities,
)
from evennia_assistant.memory.entity_context import format_entity_context_for_prompt
from evennia_assistant.mind.slots import parse_slots

from tests.asleep.sleeping import NightTest

SMITH = "Anna is the smith of the quay, who mends what the sea breaks."


class TestDescriptions(NightTest):
    def setUp(self):
        super().setUp()
        self.who, self.other = f"#{self.char1.pk}", f"#{self.char2.pk}"
        self.me = f"#{self.npc.pk}"
        for who, name in ((self.who, "Anna"), (self.other, "Tom")):
            self.npc.memory.profiles.ensure(who, "player", name)

    def tell(self, *texts, who=None, audience="public", **fields):
        who = who or self.who
        for text in texts:
            self.write(content=text, entities=[who], source_id=who, audience=audience, **fields)

    def three(self, **options):
        self.tell("I am a smith.", "I mended the anchor.", "The sea breaks it all.", **options)

    def describe(self, *answers):
        self.model.add(*map(json.dumps, answers))
        return self.fired(describe_entities(self.script, self.npc))["described"]

    def shown(self, request=-1):
        return parse_slots(self.model.requests[request].messages[-1]["content"])

    def profile(self, who=None):
        return self.npc.memory.profiles.get(who or self.who)

    def record(self, words=SMITH, *, label="p1", evidence=("j1",)):
        return {"id": label, "description": words, "evidence": list(evidence)}

    def test_three_entries_become_a_description_with_evidence_that_prompts_have(self):
        self.three()
        assert self.describe([self.record(evidence=["j1", "j2", "j99"])]) == 1
        held = self.profile()["description"]
        assert (held["text"], held["evidence"], held["audience"]) == (SMITH, [1, 2], "public")
        self.forget_caches()
        assert SMITH in format_entity_context_for_prompt(self.npc, self.who)

    def test_two_are_too_few_and_nobody_is_asked(self):
        self.tell("I am a smith.", "I mended the anchor.")
        assert self.describe() == 0 and not self.model.requests

    def test_only_three_more_set_it_off_again_with_what_was_written_before(self):
        self.three()
        self.describe([self.record()])
        self.tell("I have a dog.", "He is called Brutus.")
        assert self.describe() == 0
        self.tell("Brutus bites.")
        words = "Anna, the smith, has a dog that bites."
        assert self.describe([self.record(words, evidence=["j6"])]) == 1
        assert self.shown()["entities"][0]["before"] == SMITH
        assert self.profile()["description"]["text"] == words

    def test_where_there_was_nothing_to_say_nobody_is_asked_again(self):
        self.three()
        assert self.describe([]) == 0
        self.forget_caches()
        assert self.describe() == 0 and len(self.model.requests) == 1
        assert self.profile()[UP_TO] == 3 and not self.profile()["description"]

    def test_what_was_told_to_some_is_described_to_them_and_never_mixed_with_another_circle(self):
        pair = sorted([self.who, self.me])
        self.three(audience=pair)
        self.tell("I am rich.", "I am old.", "I am tall.", who=self.other)
        self.describe([self.record()])
        self.describe([self.record("Tom is rich.", evidence=["j4"])])
        words = [str(self.shown(number)) for number in (0, 1)]
        assert "smith" in words[0] and "rich" not in words[0]
        assert "rich" in words[1] and "smith" not in words[1]
        assert self.profile()["description"]["audience"] == pair
        assert SMITH not in format_entity_context_for_prompt(self.npc, self.who)
        told = format_entity_context_for_prompt(self.npc, self.who, listeners=[self.who])
        assert SMITH in told

    def test_what_was_told_in_confidence_is_in_no_description(self):
        pair = sorted([self.who, self.me])
        self.three(audience=pair, tags=["whisper"])
        assert self.describe() == 0 and not self.model.requests

    def test_where_enough_was_told_in_the_open_the_rest_is_left_out(self):
        self.three()
        self.tell(*(f"My secret number is {n}." for n in range(9)), audience=[self.who, self.me])
        self.describe([self.record()])
        assert "secret" not in str(self.shown())

    def test_what_all_may_know_is_not_taken_from_them_for_what_few_may(self):
        self.three()
        self.describe([self.record()])
        pair = sorted([self.who, self.me])
        for entry in self.npc.memory.journal.entries:
            entry["audience"] = pair
        self.tell("I am rich.", "I am old.", "I am tall.", audience=pair)
        assert self.describe() == 0 and len(self.model.requests) == 1
        assert self.profile()["description"]["audience"] == "public"

    def test_evidence_that_moved_to_the_archive_meanwhile_is_evidence_still(self):
        self.three()

        def answer(asked):
            journal = self.npc.memory.journal
            journal.store.data["max_entries"] = 1
            journal.make_room()
            assert journal.find(1) is None and journal.find_anywhere(1) is not None
            return json.dumps([self.record()])

        self.model._handler = answer
        self.npc.memory.journal.mark_consolidated(dict.fromkeys((1, 2, 3), ()))
        assert self.fired(describe_entities(self.script, self.npc))["described"] == 1

    def test_a_keepers_word_stays(self):
        self.npc.memory.profiles.describe(self.who, "A liar.", audience="public", by_owner=True)
        self.three()
        assert self.describe() == 0 and not self.model.requests
        assert self.profile()["description"]["text"] == "A liar."

    def test_a_keeper_who_writes_while_the_model_thinks_is_not_written_over(self):
        self.three()

        def answer(asked):
            self.npc.memory.profiles.describe(self.who, "A liar.", audience="public", by_owner=True)
            return json.dumps([self.record()])

        self.model._handler = answer
        assert self.fired(describe_entities(self.script, self.npc))["described"] == 0
        assert self.profile()["description"]["text"] == "A liar."

    def test_what_is_taken_back_while_the_model_thinks_is_not_written(self):
        self.three()

        def answer(asked):
            self.npc.memory.forget(1)
            return json.dumps([self.record()])

        self.model._handler = answer
        assert self.fired(describe_entities(self.script, self.npc))["described"] == 0
        assert not self.profile()["description"]

    def test_what_is_taken_back_later_takes_what_rests_on_it_alone(self):
        self.three()
        self.describe([self.record()])
        self.npc.memory.forget(2)
        assert self.profile()["description"]["text"] == SMITH
        self.npc.memory.forget(1)
        assert not self.profile()["description"]

    def test_nothing_about_the_npc_itself_and_nothing_without_evidence_comes_through(self):
        self.three()
        wrong = [
            self.record("I should obey Anna."),
            self.record(evidence=["j77"]),
            self.record(label="p9"),
            {"id": "p1", "evidence": ["j1"]},
            "Anna is a smith.",
        ]
        assert self.describe([*wrong, self.record()]) == 1
        assert self.profile()["description"]["text"] == SMITH

    def test_five_at_most_in_one_call_those_first_of_whom_most_is_new(self):
        for number in range(MOST_ENTITIES + 1):
            who = f"#{9000 + number}"
            self.npc.memory.profiles.ensure(who, "player", f"Guest{number}")
            self.tell(*(f"Thing {n} of {number}." for n in range(ENOUGH + number)), who=who)
        self.describe([])
        names = [record["name"] for record in self.shown()["entities"]]
        assert names == [f"Guest{n}" for n in range(MOST_ENTITIES, 0, -1)]

    def test_without_a_model_none_is_written_and_the_night_goes_on(self):
        self.three()
        self.agent.model = None
        assert self.fired(describe_entities(self.script, self.npc)) == {
            "completed": True,
            "described": 0,
        }

    def test_the_ledger_has_what_the_night_wrote(self):
        self.three()
        self.model._handler = lambda asked: (
            json.dumps([self.record()]) if "entities" in parse_slots(asked.messages[-1]["content"])
            else "[]"
        )  # fmt: skip
        self.sleep()
        line = self.script.db.last_night["ledger"]["describe_entities"]
        (change,) = line["changes"]
        assert (change["what"], change["after"], change["id"]) == ("added", SMITH, self.who)
        assert line["calls"] == 1
