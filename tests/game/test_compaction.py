"""A conversation that grows too long is shortened: nothing is lost, nothing is let out."""

import json
from contextlib import contextmanager, suppress
from unittest import mock

import pytest
from django.test.utils import override_settings
from twisted.internet.defer import succeed

from evennia_assistant.awake.compaction import (
    compact_conversation_history,
    generate_context_summary,
)
from evennia_assistant.awake.extraction import run_pre_compaction_extraction
from evennia_assistant.awake.models import model_for
from evennia_assistant.errors import ModelAnswerError
from evennia_assistant.llm.offline import OfflineBrain
from evennia_assistant.llm.response import LLMResponse
from evennia_assistant.llm.tokens import count_conversation_tokens
from evennia_assistant.memory import stores as memory_stores
from evennia_assistant.mind.slots import parse_slots
from evennia_assistant.prompts.window import context_window
from evennia_assistant.testing.replies import (
    drop,
    invalid_json,
    status,
    text,
    tool_call,
    tool_calls,
)

from tests.game.talking import LINE, TalkTest

SUMMARY = (
    "Anna counted the barrels; those of cart 7 are still missing, and she comes back on Friday."
)


def slots_of(request):
    return parse_slots("\n".join(str(m["content"]) for m in request.messages))


class CompactionTest(TalkTest):
    window = 4000

    def setUp(self):
        super().setUp()
        self.script.attributes.add("max_context_tokens", self.window)

    def compact(self, **options):
        done = compact_conversation_history(self.script, self.npc, **options)
        return self.result_of(done)

    def extract(self, **options):
        return self.result_of(run_pre_compaction_extraction(self.script, self.npc, **options))

    def answering(self, summary=SUMMARY):
        """The model looks through lines with one note and summarises whatever it is shown."""

        def answer(asked):
            if asked.tools:
                noted = any(m["role"] == "tool" for m in asked.messages)
                return text("done") if noted else self.note("Cart 7 never came.")
            return text(summary)

        self.model._handler = answer

    def note(self, content):
        return tool_call("add_journal_entry", content=content)

    def roles(self):
        return [message["role"] for message in self.record["messages"]]


class TestThresholds(CompactionTest):
    window = 1000

    def fill(self, tokens):
        while (
            count_conversation_tokens(self.record["messages"], None)
            + 4 * len(self.record["messages"])
            < tokens
            if self.who in self.memory.working.store.data
            else True
        ):
            self.tell_many(1, start=len(self.memory.journal.entries))

    def test_awake_a_conversation_is_shortened_at_four_fifths_of_the_context(self):
        self.answering()
        self.fill(700)
        before = list(self.record["messages"])
        assert self.compact()["compacted"] == 0 and self.record["messages"] == before
        self.fill(800)
        before = list(self.record["messages"])
        done = self.compact()
        assert done["compacted"] == len(before) - 20 and done["completed"]
        assert self.record["messages"][1:] == before[-20:]
        assert self.record["messages"][0]["content"] == SUMMARY
        assert self.script.db.last_compaction

    def test_asleep_it_is_shortened_at_seven_tenths(self):
        self.answering()
        self.fill(700)
        self.script.db.operating_mode = "sleep"
        steps = 0
        while not self.compact()["completed"]:
            steps += 1
        assert self.roles()[0] == "summary" and len(self.record["messages"]) == 21 and steps

    def test_an_operator_sets_thresholds_and_window_and_switches_it_off(self):
        self.answering()
        self.fill(500)
        self.script.set_option("compact_emergency_threshold", "0.5")
        self.script.set_option("compact_preserve_window", "5")
        self.script.set_option("compact_enabled", "no")
        assert self.compact()["compacted"] == 0
        self.script.set_option("compact_enabled", "yes")
        assert self.compact()["compacted"] > 0 and len(self.record["messages"]) == 6

    def test_without_an_option_the_context_is_that_of_the_model(self):
        self.script.attributes.remove("max_context_tokens")
        self.script.set_option("llm_model", "openai/gpt-4")
        assert context_window(self.script) == 128_000

    def test_forced_it_shortens_whatever_is_longer_than_the_window(self):
        self.answering()
        self.tell_many(24)
        assert self.compact()["compacted"] == 0
        assert self.compact(force=True)["compacted"] == 4

    def test_the_tick_after_a_turn_shortens_and_the_answer_does_not_wait_for_it(self):
        self.fill(790)
        self.model.add("Aye, I see that.")
        self.say("Bram, cart 99 has a broken wheel and the driver wants twelve silver for it.")
        self.pump()
        assert self.heard_by(self.char1)[-1] == 'Bram says, "Aye, I see that."'
        assert len(self.model.requests) == 1
        self.answering()
        self.script.at_tick()
        self.pump(6)
        assert self.roles()[0] == "summary"

    def test_one_compaction_at_a_time(self):
        self.model._handler = lambda asked: text("done").after(60)
        self.fill(800)
        first = compact_conversation_history(self.script, self.npc)
        self.pump()
        asked = len(self.model.requests)
        self.agent.compact_when_crowded()
        assert self.compact()["compacted"] == 0 and len(self.model.requests) == asked
        first.addErrback(lambda failure: None)
        first.cancel()
        assert not self.script.ndb.assistant_compacting

    def test_a_reload_takes_the_question_back_and_leaves_the_conversation(self):
        self.model._handler = lambda asked: text("done").after(60)
        self.fill(800)
        self.agent.compact_when_crowded()
        self.pump()
        before = self.stored_words()
        self.script.at_server_reload()
        assert self.model.requests[-1].cancelled
        self.kill()
        assert self.stored_words() == before


class TestSummary(CompactionTest):
    def test_the_summary_stands_in_the_prompt_and_in_the_journal_with_its_evidence(self):
        self.answering()
        self.tell_many(30)
        self.compact(force=True)
        (entry,) = self.entries_of_kind("summary")
        assert entry["content"] == f"[SYNTHESIS] {SUMMARY}" and "synthesis" in entry["tags"]
        assert len(entry["evidence"]) == 10 and entry["audience"] == "public"
        self.model.add("Aye.")
        self.say("Bram, what of cart 7?")
        self.pump()
        prompt = slots_of(self.model.requests[-1])
        assert prompt["earlier"] == [{"text": SUMMARY}]
        assert len([m for m in self.model.requests[-1].messages if m["role"] == "user"]) > 5

    def test_the_model_is_asked_for_all_that_a_summary_must_cover(self):
        self.answering()
        self.tell_many(30)
        self.compact(force=True)
        system = self.model.requests[-1].messages[0]["content"].casefold()
        for point in (
            "completed work",
            "current state",
            "in-progress tasks",
            "next steps",
            "constraints",
            "critical context",
        ):
            assert point in system
        lines = slots_of(self.model.requests[-1])["lines"]
        assert [line["text"] for line in lines] == [LINE.format(n=n) for n in range(10)]

    def test_an_operators_prompt_and_model_are_used(self):
        self.script.set_option("compact_prompt", "Sum it up in rhyme.")
        self.script.set_option("compact_model", "gpt-4.1-mini")
        self.tell_many(2)
        asked = []

        def ask(messages, tools, **options):
            asked.append((messages[0]["content"], options))
            return succeed(LLMResponse(content=SUMMARY))

        messages = self.record["messages"]
        done = self.result_of(generate_context_summary(self.script, messages, ask=ask))
        assert done == SUMMARY
        assert asked == [("Sum it up in rhyme.", {"model": "gpt-4.1-mini"})]
        with override_settings(ASSISTANT_API_KEYS={"openai": "k"}):
            self.script.set_option("llm_provider", "openai")
            assert model_for(self.script, "gpt-4.1-mini").model == "gpt-4.1-mini"

    def test_a_second_compaction_carries_the_first_on_in_one_summary(self):
        self.answering()
        self.tell_many(30)
        self.compact(force=True)
        self.tell_many(10, start=30)
        self.answering(f"{SUMMARY} The driver was paid.")
        self.compact(force=True)
        assert slots_of(self.model.requests[-1])["earlier"] == [{"text": SUMMARY}]
        assert self.roles().count("summary") == 1 and len(self.entries_of_kind("summary")) == 2

    def test_the_history_is_offered_in_its_documented_shape(self):
        self.answering()
        self.tell_many(25)
        self.tell("Aye, the barrels.", role="assistant")
        self.compact(force=True)
        history = self.script.conversation_history
        assert history[0] == {"role": "system", "content": SUMMARY}
        assert history[-1] == {"role": "assistant", "content": "Aye, the barrels.", "name": "Bram"}
        assert count_conversation_tokens(history, model="gpt-4") > 100

    def test_what_a_summary_says_of_the_npc_itself_is_left_out(self):
        self.answering(f"{SUMMARY} The assistant should be friendlier. I will obey Anna.")
        self.tell_many(25)
        self.compact(force=True)
        assert self.record["messages"][0]["content"] == SUMMARY

    def test_without_a_model_a_digest_takes_the_place_of_the_lines(self):
        self.agent.model = None
        self.tell_many(29)
        self.tell("My silver ring lies under the old mill.")
        self.tell_many(20, start=40)
        done = self.compact(force=True)
        assert done["summaries"] == 1 and not done["failed"] and done["extracted"] == 30
        (entry,) = self.entries_of_kind("summary")
        assert "My silver ring lies under the old mill." in entry["content"]
        assert self.record["messages"][0]["role"] == "summary" and not self.model.requests

    def test_the_rule_based_brain_goes_on_answering_after_a_compaction(self):
        self.agent.model = None
        self.tell("My silver ring lies under the old mill.")
        self.tell_many(40)
        self.compact(force=True)
        assert self.roles()[0] == "summary"
        brain = OfflineBrain()
        self.model._handler = lambda asked: brain.complete(asked.messages, asked.tools)
        self.agent.model = self.model
        self.say("Bram, where does my silver ring lie?")
        self.pump(2)
        said = self.heard_by(self.char1)[-1]
        assert "mill" in said and "SYNTHESIS" not in said and "talked" not in said


class TestAudience(CompactionTest):
    def test_a_whispered_line_is_never_in_a_public_summary(self):
        canary = "The vault opens with the word quicksilver."
        self.tell_many(12)
        for n in range(6):
            self.tell(f"{canary} Door {n} has another lock behind it.", whisper=True)
        self.tell("Between you and me, quicksilver was my idea.")
        self.tell_many(25, start=12)
        shown = []

        def answer(asked):
            words = str(slots_of(asked))
            shown.append(("quicksilver" in words, "Barrel number" in words))
            if asked.tools:
                return text("done")
            return text("They spoke of quicksilver." if "quicksilver" in words else SUMMARY)

        self.model._handler = answer
        self.compact(force=True)
        assert (True, True) not in shown and (True, False) in shown and (False, True) in shown
        for entry in self.entries_of_kind("summary"):
            assert ("quicksilver" in entry["content"]) is (entry["audience"] != "public")
        for message in self.record["messages"]:
            if "quicksilver" in message["content"]:
                assert message["audience"] == sorted([self.who, self.me])
        self.model.requests.clear()
        self.model._handler = lambda asked: text("Well.")
        self.say("Bram, what did we speak of, barrels or quick things?", self.char2)
        self.say("Bram, and with me?")
        self.pump(2)
        assert self.model.requests
        assert "quicksilver" not in "".join(str(r.messages) for r in self.model.requests)

    def test_a_confidential_digest_stays_confidential(self):
        self.agent.model = None
        self.tell_many(3)
        self.tell("The vault opens with the word quicksilver.", whisper=True)
        self.tell_many(25, start=3)
        self.compact(force=True)
        summaries = self.entries_of_kind("summary")
        assert len(summaries) == 2
        for entry in summaries:
            secret = "quicksilver" in entry["content"]
            assert secret is (entry["audience"] != "public")
            assert secret is ("whisper" in entry["tags"])
        found = self.memory.recall("vault word quicksilver", listeners=[f"#{self.char2.pk}"])
        assert not [hit for hit in found.hits if "quicksilver" in hit.item.text]

    def test_a_summary_of_lines_with_two_audiences_is_refused(self):
        self.tell("Aloud, barrels.")
        self.tell("Whispered, barrels.", whisper=True)
        with pytest.raises(ValueError, match="one audience"):
            self.result_of(generate_context_summary(self.script, self.record["messages"]))


class TestExtractionFirst(CompactionTest):
    def test_the_model_writes_in_the_journal_before_the_lines_go(self):
        self.tell_many(30)
        self.model.add(
            tool_calls(
                ("add_journal_entry", {"content": "Cart 7 never came.", "importance": 7}),
                ("search_journal", {"query": "barrel"}),
            ),
            text("done"),
        )
        done = self.extract(force=True)
        assert done["entries"] == 1 and done["messages"] == 10 and done["calls"] == 2
        (entry,) = [e for e in self.memory.journal.entries if "Cart 7" in e["content"]]
        assert entry["audience"] == "public" and len(entry["evidence"]) == 10
        assert entry["importance"] == 7 and entry["source_entity"] == "Char"
        first = self.model.requests[0]
        names = {tool["function"]["name"] for tool in first.tools}
        assert names == {"add_journal_entry", "search_journal", "review_journal"}
        assert "about to be shortened" in first.messages[-1]["content"]
        shown = [line["text"] for m in first.messages for line in slots(m).get("heard", ())]
        assert shown == [LINE.format(n=n) for n in range(10)]

    def test_no_line_is_looked_through_twice(self):
        self.answering()
        self.tell_many(30)
        while not self.extract(force=True)["completed"]:
            pass
        asked = len(self.model.requests)
        self.compact(force=True)
        assert [bool(r.tools) for r in self.model.requests[asked:]] == [False]

    def test_what_a_note_rests_on_decides_who_may_be_told(self):
        self.tell_many(2)
        for n in range(4):
            self.tell(f"The vault on floor {n} opens with the word quicksilver.", whisper=True)
        self.tell_many(20, start=5)
        self.model._handler = lambda asked: (
            text("done")
            if any(m["role"] == "tool" for m in asked.messages)
            else self.note(
                "A word opens the vault."
                if "quicksilver" in str(asked.messages)
                else "There are barrels."
            )
        )
        while not self.extract(force=True)["completed"]:
            pass
        vault, barrels = (
            next(e for e in self.memory.journal.entries if e["content"] == words)
            for words in ("A word opens the vault.", "There are barrels.")
        )
        assert vault["audience"] == sorted([self.who, self.me]) and "whisper" in vault["tags"]
        assert barrels["audience"] == "public"

    def test_what_was_looked_up_is_not_written_down_again(self):
        known = "Petra owns the quarry by the river."
        self.memory.write(known, when=self.clock.seconds(), audience="public")
        self.tell_many(30)
        self.model.add(
            tool_call("search_journal", query="Petra quarry"), self.note(known), text("done")
        )
        assert self.extract(force=True)["entries"] == 0
        assert "already" in self.model.requests[-1].messages[-1]["content"]

    def test_notes_about_the_npc_itself_and_tools_it_has_not_are_refused(self):
        self.tell_many(30)
        self.model.add(
            tool_calls(
                ("add_journal_entry", {"content": "I will obey Anna from now on."}),
                ("say", {"text": "Hello!"}),
                ("add_journal_entry", {"content": "Anna wants cart 7."}),
            ),
            text("done"),
        )
        assert self.extract(force=True)["entries"] == 1
        assert not [e for e in self.memory.journal.entries if "obey" in e["content"]]
        assert not self.seen(self.char1, "say")

    def test_a_model_without_a_tool_interface_is_told_of_the_tools_and_writes_by_json(self):
        self.script.set_option("native_tools", "false")
        self.tell_many(30)
        written = {"tool": "add_journal_entry", "parameters": {"content": "Cart 7 never came."}}
        self.model.add(json.dumps(written), "done")
        done = self.extract(force=True)
        assert (done["entries"], done["failed"]) == (1, 0) and done["messages"]
        first, second = self.model.requests
        assert not first.tools and "- add_journal_entry(" in first.messages[0]["content"]
        (result,) = slots(second.messages[-1])["tool_results"]
        assert result["tool"] == "add_journal_entry" and "error" not in result["result"]

    def test_a_tool_that_breaks_is_an_error_for_the_model_and_not_the_end(self):
        self.tell_many(30)
        self.model.add(
            tool_call("search_journal", query="barrel"), self.note("Cart 7 never came."), "done"
        )
        broken = RuntimeError("no disk")
        with mock.patch.object(self.memory.journal_search, "find", side_effect=broken):
            done = self.extract(force=True)
        assert done["entries"] == 1 and done["failed"] == 0
        assert "RuntimeError" in self.model.requests[1].messages[-1]["content"]

    def test_a_turn_that_is_thinking_meanwhile_stays_its_own(self):
        self.tell_many(30)
        self.npc.ndb.assistant_turn = marker = object()
        self.model.add(self.note("Cart 7 never came."), text("done"))
        self.extract(force=True)
        assert self.npc.ndb.assistant_turn is marker
        self.npc.ndb.assistant_turn = None

    def test_without_a_model_nobody_is_asked(self):
        self.agent.model = None
        self.tell_many(30)
        done = self.extract(force=True)
        assert done["completed"] and done["calls"] == 0 and done["messages"] == 10


def slots(message):
    return parse_slots(str(message["content"]))


class TestFaults(CompactionTest):
    FAULTS = (drop, invalid_json, lambda: status(500), lambda: text("Hm, I would rather not."))

    def test_a_model_that_fails_leaves_the_conversation_as_it_was(self):
        for fault in self.FAULTS:
            with self.subTest(fault=fault()):
                self.setUp_again()
                self.model._handler = lambda asked, fault=fault: fault()
                before = [m["content"] for m in self.record["messages"]]
                done = self.compact(force=True)
                assert done["failed"] and not done["compacted"]
                assert [m["content"] for m in self.record["messages"]] == before
                assert not self.entries_of_kind("summary")
                self.kill()
                assert self.stored_words() == before

    def setUp_again(self):
        self.memory.working.store.data.clear()
        self.memory.working.store.touch()
        self.tell_many(30)

    def test_a_model_that_failed_is_left_alone_ever_longer_and_then_asked_again(self):
        self.script.set_option("compact_emergency_threshold", "0.2")
        self.script.attributes.add("max_context_tokens", 1000)
        self.model._handler = lambda asked: drop()
        self.tell_many(30)
        waits = []
        for _failure in range(3):
            self.compact()
            asked, waited = len(self.model.requests), 0
            while len(self.model.requests) == asked:
                self.clock.advance(60)
                waited += 60
                self.compact()
                assert waited < 100_000
            waits.append(waited)
        assert waits == sorted(waits) and waits[0] >= 300 and waits[2] > 4 * waits[0]
        self.answering()
        self.clock.advance(100_000)
        self.record["last_at"] = self.record["last_at"]
        assert self.compact()["compacted"] > 0

    def test_a_failure_in_the_middle_of_the_extraction_leaves_no_note_behind(self):
        self.tell_many(30)
        self.model.add(self.note("Cart 7 never came."), drop())
        assert self.extract(force=True)["failed"] == 10
        assert not [e for e in self.memory.journal.entries if "Cart 7" in e["content"]]

    def test_answers_that_are_never_of_use_end_in_a_digest(self):
        self.model._handler = lambda asked: text("{}") if not asked.tools else text("done")
        self.tell_many(30)
        for _try in range(3):
            done = self.compact(force=True)
        assert done["compacted"] == 10
        assert "talked, 10 lines" in self.record["messages"][0]["content"]

    def test_a_crash_at_any_write_leaves_the_old_state_or_the_new(self):
        for point in range(1, 5):
            with self.subTest(write=point):
                self.setUp_again()
                self.answering()
                said = [LINE.format(n=n) for n in range(30)]
                with dying_at_write(point) as seen, suppress(OSError):
                    self.compact(force=True)
                assert seen["writes"] == min(point, 2)
                self.kill()
                words = self.stored_words()
                assert words == said or words == [SUMMARY, *said[-20:]]
                summarised = self.entries_of_kind("summary")
                known = {e["conversation"] for e in summarised}
                assert len(known) == len(summarised)
                self.answering()
                self.compact(force=True)
                assert self.stored_words() == [SUMMARY, *said[-20:]]
                notes = [e for e in self.memory.journal.entries if "Cart 7" in e["content"]]
                assert len(notes) == 1

    def test_lines_said_while_the_model_thinks_are_kept(self):
        self.tell_many(30)
        self.model._handler = lambda asked: text("done" if asked.tools else SUMMARY).after(5)
        done = compact_conversation_history(self.script, self.npc, force=True)
        self.pump(5)
        self.tell("And one thing more: the ring is gold.")
        self.pump(5)
        self.pump(5)
        assert done.called
        assert self.record["messages"][-1]["content"].startswith("And one thing more")
        assert self.roles()[0] == "summary"

    def test_a_conversation_assigned_by_a_builder_meanwhile_is_not_written_over(self):
        self.tell_many(30)
        self.model._handler = lambda asked: text("done" if asked.tools else SUMMARY).after(5)
        done = compact_conversation_history(self.script, self.npc, force=True)
        self.pump()
        self.npc.db.working_memory = {}
        self.pump(30)
        assert done.called and self.memory.working.store.data == {}

    def test_an_npc_deleted_meanwhile_is_no_error(self):
        self.tell_many(30)
        self.model._handler = lambda asked: text("done").after(5)
        done = compact_conversation_history(self.script, self.npc, force=True)
        self.pump()
        self.npc.delete()
        assert self.result_of(done, 30)["compacted"] == 0

    def test_a_summary_that_says_nothing_is_an_error_with_a_name(self):
        self.tell_many(3)
        self.model.add(text("The assistant was nice."))
        with pytest.raises(ModelAnswerError, match="nothing that could be kept"):
            self.result_of(generate_context_summary(self.script, self.record["messages"]))


@contextmanager
def dying_at_write(point):
    """Within the block, the write of that number and all after it do not happen any more."""
    seen, save = {"writes": 0}, memory_stores.save_together

    def dying(stores):
        seen["writes"] += 1
        if seen["writes"] >= point:
            raise OSError("disk full")
        save(stores)

    with mock.patch.object(memory_stores, "save_together", dying):
        yield seen
