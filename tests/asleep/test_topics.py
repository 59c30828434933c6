"""What a night makes of topics with a model, who sees their names, and what forgetting leaves."""

import json

import pytest

from evennia_assistant.asleep.topics import run_topics
from evennia_assistant.errors import ModelError
from evennia_assistant.memory.topic_view import topics_shown
from evennia_assistant.mind.slots import parse_slots

from tests.asleep.remembering import Remembering, told
from tests.asleep.sleeping import NightTest


class TopicTest(Remembering, NightTest):
    def setUp(self):
        super().setUp()
        self.script.attributes.add("memory_enabled", False)
        self.prompts = []
        self.model._handler = self.answer

    def answer(self, asked):
        self.prompts.append("\n".join(message["content"] for message in asked.messages))
        slots = parse_slots(asked.messages[1]["content"])
        return json.dumps([self.name_for(group) for group in slots["topics"]])

    def name_for(self, group):
        words = " ".join(line["text"] for line in group["memories"])
        return {"topic": group["topic"], "name": "Named by a model", "digest": words[:300]}

    def tell(self, words, **fields):
        fields.setdefault("audience", "public")
        entry = self.npc.memory.write(words, when=self.clock.seconds(), **fields)
        self.npc.memory.save()
        return entry

    def sort(self):
        return self.fired(run_topics(self.script, self.npc))

    def records(self):
        return {
            name: record
            for name, record in self.npc.memory.topics.records.items()
            if record["parent"] is not None
        }

    def whisper(self, words, who="#5", **fields):
        self.tell(words, audience=[who], tags=["whisper"], source_id=who, **fields)


class TestNaming(TopicTest):
    def test_one_call_names_all_and_another_night_asks_nothing(self):
        for _name, words in told(4):
            self.tell(words)
        self.sort()
        assert len(self.prompts) == 1
        assert {record["by"] for record in self.records().values()} == {"model"}
        self.sort()
        assert len(self.prompts) == 1

    def test_a_model_that_cannot_be_asked_costs_names_and_nothing_else(self):
        for _name, words in told(15, ["ferry", "wolves"]):
            self.tell(words)
        self.model._handler = lambda asked: ModelError("Out of reach.")
        with pytest.raises(ModelError):
            self.sort()
        records = self.records()
        assert records
        assert {record["by"] for record in records.values()} == {"words"}
        assert all(record["name"] for record in records.values())
        assert max(map(len, self.topics().values())) <= 10

    def test_a_model_may_take_a_topic_apart_and_names_both_halves(self):
        for number in range(12):
            what = "salt" if number % 2 else "iron"
            self.tell(f"Carts of {what} stand before the gate of the town, number {number}")
            if number == 7:
                self.sort()

        def apart(group):
            salt = [line["id"] for line in group["memories"] if "salt" in line["text"]]
            part = {"name": "Salt carts", "digest": "Salt.", "memories": [*salt, "j999"]}
            return {"topic": group["topic"], "name": "Iron carts", "digest": "", "split": [part]}

        self.name_for = apart
        self.sort()
        held, records = self.topics(), self.records()
        by_name = {records[name]["name"]: members for name, members in held.items()}
        assert set(by_name) == {"Salt carts", "Iron carts"}
        texts = {m: self.npc.memory.index.get_for_keeper(m).text for m in by_name["Salt carts"]}
        assert len(texts) == 6 and all("salt" in text for text in texts.values())

    def test_a_stray_goes_to_the_root_a_model_names(self):
        self.script.set_option("topic_roots", "Business, Private")
        self.tell("Anna pays three silver for the horse")
        stray = self.tell("Cora dreams of the sea")

        def answer(asked):
            slots = parse_slots(asked.messages[-1]["content"])
            assert [root["root"] for root in slots["roots"]] == ["Business", "Private"]
            return json.dumps(
                [
                    {"memory": f"j{stray['id']}", "root": "private"},
                    {"memory": "j77", "root": "Private"},
                ]
            )

        self.model._handler = answer
        self.sort()
        names = {
            self.npc.memory.topics.records[member.topic]["name"]
            for member in self.members().values()
            if member.name == f"j{stray['id']}"
        }
        assert names == {"Private"}

    def test_other_roots_take_over_what_stood_under_those_there_were(self):
        for _name, words in told(4, ["ferry", "wolves"]):
            self.tell(words)
        self.sort()
        self.script.set_option("topic_roots", "Town")
        self.sort()
        records = self.npc.memory.topics.records
        roots = {name: r["name"] for name, r in records.items() if r["parent"] is None}
        assert list(roots.values()) == ["Town"]
        assert {r["parent"] for r in self.records().values()} == set(roots)

    def test_topics_are_the_same_after_a_restart(self):
        for _name, words in told(4):
            self.tell(words)
        self.sort()
        before = json.dumps(self.topics(), sort_keys=True)
        self.forget_caches()
        assert json.dumps(self.topics(), sort_keys=True) == before
        self.sort()
        assert json.dumps(self.topics(), sort_keys=True) == before


class TestWhoIsTold(TopicTest):
    def test_a_confidence_is_in_no_prompt_with_what_others_may_be_told(self):
        for number in range(3):
            self.tell(f"The ferry across the river Ash is late, {number}")
            self.whisper(f"The ferry across the river Ash hides zqaxv{number}")
            self.whisper(f"The ferry across the river Ash hides zqbxv{number}", who="#6")
        for _night in range(6):
            self.sort()
        assert self.prompts
        for prompt in self.prompts:
            circles = [word for word in ("is late", "zqaxv", "zqbxv") if word in prompt]
            assert len(circles) == 1, circles

    def test_a_name_made_of_a_confidence_is_shown_to_nobody_else(self):
        for number in range(4):
            self.whisper(f"The ring lies under the altar zqaxv{number}")
        self.sort()
        memory = self.npc.memory
        (mine,) = topics_shown(memory, ["#5"])
        assert "zqaxv" in mine.digest
        assert topics_shown(memory, ["#6"]) == []
        assert topics_shown(memory, ["#5", "#6"]) == []
        assert topics_shown(memory, ["#5"], aloud=True) == []

    def test_who_may_be_told_a_part_sees_a_name_made_of_that_part(self):
        for number in range(2):
            self.tell(f"The ferry across the river Ash is late, {number}")
        for number in range(3):
            self.whisper(f"The ferry across the river Ash hides zqaxv{number}")
        self.sort()
        for listeners in (["#6"], ["#5", "#6"], []):
            for view in topics_shown(self.npc.memory, listeners):
                assert "zqaxv" not in f"{view.name} {view.digest}"
                assert all("zqaxv" not in item.text for item in view.items)
        assert any(
            "zqaxv" in i.text for v in topics_shown(self.npc.memory, ["#5"]) for i in v.items
        )


class TestTidying(TopicTest):
    def test_a_topic_nobody_is_left_in_goes(self):
        self.agent.model = None
        numbers = [self.tell(f"The ferry across the river, {n}")["id"] for n in range(3)]
        self.sort()
        assert self.records()
        for number in numbers:
            self.npc.memory.forget(number)
        self.npc.memory.save()
        self.sort()
        assert self.records() == {}

    def test_one_night_embeds_what_is_new_and_nothing_else(self):
        self.agent.model = None
        counted = []
        vectors = self.npc.memory.member_vectors
        embed = type(vectors.embedder).embed
        cls = type(vectors.embedder)

        def counting(embedder, texts):
            counted.extend(texts)
            return embed(embedder, texts)

        cls.embed = counting
        self.addCleanup(setattr, cls, "embed", embed)
        for _name, words in told(12):
            self.tell(words)
        self.sort()
        assert len(counted) <= 60
        counted.clear()
        self.sort()
        assert counted == []
        self.tell("The ferry to Ashford has a new sail")
        self.sort()
        assert len(counted) == 1

    def test_more_than_one_tick_can_hold_is_sorted_in_several(self):
        self.agent.model = None
        for _name, words in told(30):
            self.tell(words)
        first = self.sort()
        assert not first["completed"] and first["left"] == 50
        assert self.sort()["completed"]
