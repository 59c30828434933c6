"""Reflection: when it is due, what it is told, and what it may conclude."""

import json
from unittest import mock

import pytest
from evennia.utils.dbserialize import deserialize

from evennia_assistant.asleep import reflection
from evennia_assistant.asleep.reflection import (
    generate_reflection_questions,
    retrieve_evidence_for_question,
    run_reflection,
)
from evennia_assistant.errors import ModelAnswerError, ModelTransientError
from evennia_assistant.memory.reflection_state import (
    check_reflection_trigger,
    reset_reflection_state,
    update_reflection_state,
)
from evennia_assistant.mind.slots import parse_slots
from evennia_assistant.testing import replies

from tests.asleep.sleeping import NightTest

QUESTIONS = '["Who comes to the quay?", "What should I do about my behaviour?"]'


class TestState(NightTest):
    def state(self):
        return self.npc.memory.reflection.store.data

    def test_the_state_has_the_documented_keys_for_everybody_to_read(self):
        self.write(2)
        for state in (self.npc.db.reflection_state, self.script.reflection_state):
            assert state["cumulative_importance"] == 12.0
            assert state["threshold"] == 150
            assert state["last_reflection_time"] is None
            assert state["reflection_count"] == 0
            assert state["entries_since_reflection"] == [1, 2]

    def test_entries_add_up_to_a_reflection(self):
        self.write(24)
        assert not check_reflection_trigger(self.script)
        self.write(1)
        assert self.state()["cumulative_importance"] == 150
        assert check_reflection_trigger(self.script)

    def test_what_was_said_again_is_counted_once(self):
        for _again in range(4):
            self.npc.memory.write("The ferry leaves at dawn.", audience="public")
        assert self.npc.memory.journal.entries[0]["mention_count"] == 4
        assert self.state()["entries_since_reflection"] == [1]
        assert self.state()["cumulative_importance"] == 6

    def test_what_shakes_the_npc_makes_it_due_at_once(self):
        self.write(1, content="I won the lottery.", importance=9, valence=0.5)
        assert not check_reflection_trigger(self.script)
        self.write(1, content="My brother is dead.", importance=9, valence=-0.95)
        assert check_reflection_trigger(self.script)

    def test_the_count_is_stored_in_the_write_that_stores_the_entry(self):
        self.npc.memory.write("The ferry leaves at dawn.", audience="public")
        self.npc.memory.save_journal()
        self.forget_caches()
        assert self.npc.db.reflection_state["entries_since_reflection"] == [1]

    def test_the_window_is_bounded(self):
        self.write(250)
        assert self.state()["entries_since_reflection"] == list(range(51, 251))
        assert len(deserialize(self.npc.db.journal)["entries"]) <= 100

    def test_the_documented_functions_store_what_they_do(self):
        update_reflection_state(self.script, 151, 7)
        self.forget_caches()
        assert check_reflection_trigger(self.script)
        self.state()["threshold"] = 99
        reset_reflection_state(self.script)
        self.forget_caches()
        state = deserialize(self.script.reflection_state)
        assert (state["cumulative_importance"], state["threshold"]) == (0.0, 99)
        assert (state["entries_since_reflection"], state["reflection_count"]) == ([], 1)
        assert state["last_reflection_time"] == state["runs"][-1]

    def test_a_state_somebody_broke_is_set_aside_and_its_sound_part_used(self):
        self.npc.db.reflection_state = {"cumulative_importance": "many", "threshold": 20}
        assert self.state()["cumulative_importance"] == 0.0
        assert self.state()["threshold"] == 20
        assert self.npc.db.reflection_state_set_aside["cumulative_importance"] == "many"


class TestReflection(NightTest):
    def setUp(self):
        super().setUp()
        for number in range(26):
            self.write(1, content=f"Anna carried {number} sacks to the quay.")

    def reflect(self, *answers):
        self.model.add(*answers)
        return self.fired(run_reflection(self.script, self.npc))

    def insights(self):
        return [e for e in self.npc.memory.journal.entries if e.get("kind") == "synthesis"]

    def insight(self, text, *evidence):
        return {"content": text, "evidence": list(evidence)}

    def test_questions_evidence_insights_and_the_count_begins_anew(self):
        done = self.reflect(
            QUESTIONS,
            replies.tool_call(
                "add_journal_entry", **self.insight("Anna works hard.", "j3", "j999", "j4")
            ),
            "done",
        )
        assert (done["insights"], done["completed"]) == (1, True)
        entry = self.insights()[0]
        assert entry["content"] == "[SYNTHESIS] Anna works hard."
        assert (entry["importance"], entry["importance_method"]) == (8, "manual")
        assert entry["evidence"] == ["j3", "j4"]
        assert entry["tags"] == ["synthesis", "reflection"]
        assert entry["audience"] == "public"
        state = deserialize(self.npc.db.reflection_state)
        assert (state["cumulative_importance"], state["reflection_count"]) == (0.0, 1)
        assert self.npc.db.journal["last_reflection"] == state["last_reflection_time"]

    def test_its_prompts_are_those_of_the_two_contexts(self):
        self.reflect(
            QUESTIONS,
            replies.tool_call("search_journal", query="sacks"),
            replies.tool_call("add_journal_entry", **self.insight("Anna is strong.", "j5")),
            "done",
        )
        asked, first, second, _third = self.model.requests
        assert asked.tools == []
        assert "questions as texts" in asked.messages[-1]["content"]
        names = [tool["function"]["name"] for tool in first.tools]
        assert names == ["add_journal_entry", "search_journal", "review_journal"]
        slots = parse_slots(first.messages[-1]["content"])
        assert slots["memories"][0] == {"question": "Who comes to the quay?"}
        assert first.messages[0]["content"].startswith("You are the inner voice")
        slots = parse_slots(second.messages[-1]["content"])
        assert set(slots) == {"tool_results"}
        assert slots["tool_results"][0]["tool"] == "search_journal"
        assert slots["tool_results"][0]["entries"]

    def test_a_model_without_tools_may_answer_in_json(self):
        answer = json.dumps([{"insight": "Anna works hard.", "evidence": ["j3"]}, {"insight": 3}])
        assert self.reflect(QUESTIONS, f"```json\n{answer}\n```")["insights"] == 1

    def test_a_model_without_a_tool_interface_is_told_of_the_tools_and_sent_none(self):
        self.script.set_option("native_tools", "false")
        insight = {"content": "Anna works hard.", "evidence": ["j3"]}
        call = json.dumps({"tool": "add_journal_entry", "parameters": insight})
        assert self.reflect(QUESTIONS, call, "done")["insights"] == 1
        _questions, first, second = self.model.requests
        assert not first.tools and "- add_journal_entry(" in first.messages[0]["content"]
        (result,) = parse_slots(second.messages[-1]["content"])["tool_results"]
        assert result["noted"] == "Anna works hard."

    def test_what_is_about_itself_or_rests_on_nothing_is_dropped(self):
        answer = [
            {"insight": "I should be more patient with players", "evidence": ["j1"]},
            {"insight": "The assistant is helpful.", "evidence": ["j1"]},
            {"insight": "Anna is a queen.", "evidence": ["j400", "the stars"]},
            {"insight": "Players respond better to patient guidance", "evidence": ["j1"]},
        ]
        assert self.reflect(QUESTIONS, json.dumps(answer))["insights"] == 1
        assert self.insights()[0]["content"].startswith("[SYNTHESIS] Players respond")
        questions = parse_slots(self.model.requests[1].messages[-1]["content"])["memories"]
        assert [q["question"] for q in questions if "question" in q] == ["Who comes to the quay?"]

    def test_three_insights_are_the_most(self):
        answer = [{"insight": f"Insight {n}.", "evidence": ["j1"]} for n in range(9)]
        assert self.reflect(QUESTIONS, json.dumps(answer))["insights"] == 3

    def test_an_answer_that_cannot_be_used_keeps_the_count(self):
        with pytest.raises(ModelAnswerError):
            self.reflect(QUESTIONS, "Well, well.", "I would rather not.")
        assert check_reflection_trigger(self.script)
        assert self.insights() == []
        with pytest.raises(ModelTransientError):
            self.reflect(QUESTIONS, replies.status(500))
        assert check_reflection_trigger(self.script)

    def test_nothing_to_conclude_is_an_answer(self):
        assert self.reflect(QUESTIONS, "done")["insights"] == 0
        assert not check_reflection_trigger(self.script)

    def test_without_a_model_the_count_stays(self):
        self.script.ndb.agent.model = None
        done = self.reflect()
        assert done["why"] == "there is no model; the count stays"
        assert check_reflection_trigger(self.script)

    def test_a_confidence_is_thought_about_apart(self):
        anna = f"#{self.char1.pk}"
        for number in range(4):
            self.write(
                1,
                content=f"Anna whispered of ring {number} at the quay.",
                audience=[anna],
                tags=["whisper"],
            )
        self.write(4, content=None, audience=None)

        def answer(asked):
            slots = parse_slots(asked.messages[-1]["content"])
            if "questions as texts" in asked.messages[-1]["content"]:
                return '["What is at the quay?"]'
            ids = [line["id"] for line in slots["memories"] if "id" in line]
            return json.dumps([{"insight": f"Insight on {ids[0]}.", "evidence": ids[:2]}])

        self.model._handler = answer
        assert self.reflect()["insights"] == 2
        texts = [request.messages[-1]["content"] for request in self.model.requests]
        assert [("ring" in text, "sacks" in text) for text in texts] == [
            (False, True),
            (False, True),
            (True, False),
            (True, False),
        ]
        opened, confided = self.insights()
        assert opened["audience"] == "public"
        assert confided["audience"] == [anna]
        assert "whisper" in confided["tags"]
        told = self.npc.memory.recall("Insight on", listeners=[anna, f"#{self.char2.pk}"]).hits
        assert confided["content"] not in [hit.item.text for hit in told]

    def test_evidence_is_as_documented_and_of_one_audience(self):
        anna = f"#{self.char1.pk}"
        self.write(1, content="Anna hid a ring at the quay.", audience=[anna])
        found = retrieve_evidence_for_question(self.script, "What is at the quay?", limit=5)
        assert len(found) == 5
        assert set(found[0]) == {"id", "content", "score"}
        assert not any("ring" in hit["content"] for hit in found)
        found = retrieve_evidence_for_question(
            self.script, "What is at the quay?", audience=(anna,)
        )
        assert [hit["content"] for hit in found] == ["Anna hid a ring at the quay."]

    def test_as_many_questions_as_asked_for(self):
        self.model.add('{"questions": [{"question": "Who?"}, "What?", "Why?", "When?"]}')
        made = generate_reflection_questions(self.script, self.npc.memory.journal.entries[:3], 2)
        assert self.fired(made) == ["Who?", "What?"]

    def test_what_happens_during_a_reflection_counts_towards_the_next(self):
        self.model.add(QUESTIONS, "done")
        reflecting = run_reflection(self.script, self.npc)
        self.write(1, content="A ship burns in the harbour!", importance=9)
        self.fired(reflecting)
        state = self.npc.memory.reflection.store.data
        assert (state["cumulative_importance"], state["entries_since_reflection"]) == (9.0, [27])

    def test_a_question_nothing_bears_on_is_kept_for_later(self):
        with mock.patch.object(reflection, "retrieve_evidence_for_question", return_value=[]):
            self.reflect('["Where is the king?"]', "done")
        assert self.npc.db.reflection_state["questions"] == ["Where is the king?"]
