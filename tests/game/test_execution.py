"""A tool costs a named error at worst, does no more than it may, and is on record."""

import json
from typing import ClassVar
from unittest import mock

from django.test.utils import override_settings
from evennia.commands.default.general import CmdWhisper
from twisted.internet.defer import CancelledError, Deferred

from evennia_assistant.errors import ToolError
from evennia_assistant.testing.replies import tool_call, tool_calls
from evennia_assistant.tools import TOOL_REGISTRY, Tool, ToolCategory, all_tools, register

from tests.game.commanding import CommandTest
from tests.game.test_turns import prompt_of

SECRET = "the duke's letter is under the floor"


class ExecutionTest(CommandTest):
    def setUp(self):
        super().setUp()
        before = dict(all_tools())
        self.addCleanup(TOOL_REGISTRY.update, before)
        self.addCleanup(TOOL_REGISTRY.clear)

    def tool(self, gives, **attributes):
        """Register the tool `probe`; `gives` is what it returns, raises or does."""
        runs = []

        def execute(_self, character, **kwargs):
            runs.append(kwargs)
            outcome = gives(character, **kwargs) if callable(gives) else gives
            if isinstance(outcome, Exception):
                raise outcome
            return outcome

        fields = {
            "name": "probe",
            "description": "Probe.",
            "parameters": {"properties": {"at": {"type": "string"}}},
            "execute": execute,
            **attributes,
        }
        register(type("Probe", (Tool,), fields))
        return runs

    def told(self, *replies, words="Bram, probe.", who=None):
        """What the model is told of its tools in the turn that answers a line."""
        first = len(self.model.requests)
        self.model.add(*(replies or (tool_call("probe"),)), "Aye.")
        self.say(words, who)
        return [
            json.loads(message["content"])
            for request in self.model.requests[first + 1 :][-1:]
            for message in request.messages
            if message["role"] == "tool"
        ]

    @property
    def log(self):
        return self.agent.executions.last(100)


class TestBadTools(ExecutionTest):
    def test_whatever_a_tool_does_it_costs_a_named_error_and_not_the_answer(self):
        loop: list = []
        loop.append(loop)
        faults = {
            "RuntimeError": RuntimeError("secret detail"),
            "CancelledError": CancelledError(),
            "RecursionError": RecursionError(),
            "no dict": ["a list"],
            "NoneType": None,
            "str": "text",
            "NaN": {"value": float("nan")},
            "object": {"value": object()},
            "bytes": {"value": b"x"},
            "Circular": {"value": loop},
            "more than 4000": {"value": "x" * 5000},
            "not here": ToolError("It is not here."),
        }
        for name, fault in faults.items():
            with self.subTest(name), mock.patch("evennia.utils.logger.log_err"):
                self.tool(fault)
                (told,) = self.told()
                assert set(told) == {"error"} and "secret detail" not in told["error"]
                assert self.heard_by(self.char1)[-1] == 'Bram says, "Aye."'
                assert self.log[-1]["success"] is False
                assert self.log[-1]["error"] == told["error"]

    def test_a_tool_that_hangs_is_given_up_after_its_own_time(self):
        self.tool(lambda character, **kwargs: Deferred(), timeout=3)
        self.model.add(tool_call("probe"), "Aye.")
        self.say("Bram, probe.")
        self.pump(1)
        assert len(self.model.requests) == 1
        self.pump(1)
        assert "took too long" in prompt_of(self.model.requests[1])
        assert self.log[-1]["duration_ms"] == 3000

    def test_the_npcs_option_makes_that_shorter_and_never_longer(self):
        self.script.set_option("default_tool_timeout", "2")
        self.tool(lambda character, **kwargs: Deferred(), timeout=30)
        self.model.add(tool_call("probe"), "Aye.")
        self.say("Bram, probe.")
        self.pump(1.5)
        assert len(self.model.requests) == 2

    def test_looking_is_tried_once_more_and_doing_never_is(self):
        for cacheable, times in ((True, 2), (False, 1)):
            with mock.patch("evennia.utils.logger.log_err"):
                runs = self.tool(OSError("busy"), cacheable=cacheable)
                (told,) = self.told()
            assert len(runs) == times and told == {"error": "probe failed (OSError)."}

    def test_a_passing_failure_is_not_even_seen(self):
        outcomes = iter([OSError("busy"), {"value": 1}])
        self.tool(lambda character, **kwargs: next(outcomes), cacheable=True)
        assert self.told() == [{"value": 1}]
        assert self.log[-1]["success"] is True

    def test_what_an_attribute_holds_may_be_given_as_it_is(self):
        self.npc.db.things = ["lamp", {"lit": True}]
        self.tool(lambda character, **kwargs: {"things": character.db.things})
        assert self.told() == [{"things": ["lamp", {"lit": True}]}]

    def test_a_reason_written_among_the_arguments_is_taken_for_one(self):
        runs = self.tool({"value": 1})
        self.told(tool_call("probe", at="x", reasoning="to see"))
        assert runs == [{"at": "x"}] and self.log[-1]["reasoning"] == "to see"

    def test_a_name_in_other_case_or_with_a_namespace_is_understood(self):
        runs = self.tool({"value": 1})
        self.told(tool_call("Functions.Probe"))
        assert len(runs) == 1


class TestCache(ExecutionTest):
    def test_a_look_is_not_made_twice_in_a_turn(self):
        runs = self.tool({"value": 1}, cacheable=True)
        order = {"at": "x"}
        self.told(tool_call("probe", **order), tool_call("emote", text="nods."))
        assert len(runs) == 1
        self.told()
        assert len(runs) == 2, "a turn's results are of no use to the next"

    def test_a_session_result_serves_the_same_circle_until_its_time_is_up(self):
        runs = self.tool({"value": 1}, cacheable=True, cache_scope="session", cache_ttl=60)
        for _time in range(2):
            self.told(words="Bram!")
        assert len(runs) == 1
        self.pump(61)
        self.told(words="Bram!")
        assert len(runs) == 2

    def test_what_was_found_for_one_is_never_given_to_another(self):
        runs = self.tool(
            lambda character, **kwargs: {"for": character.ndb.assistant_turn.material.listeners},
            cacheable=True,
            cache_scope="session",
        )
        self.told(words="Bram!")
        self.told(words="Bram!", who=self.char2)
        self.char2.location = self.room2
        self.told(words="Bram!")
        self.model.add(tool_call("probe"), "Aye.")
        self.call(CmdWhisper(), "Bram = Bram!", caller=self.char1)
        self.pump(1)
        assert len(runs) == 4, "speaker, company and manner are each a circle of its own"

    def test_a_search_in_confidence_stays_there_however_often_it_is_made(self):
        self.model.add("Safe with me.")
        self.whisper(f"I tell you: {SECRET}.")
        ask = tool_call("search_journal", query="duke")
        for _time in range(2):
            self.model.add(ask, "Under the floor.")
            self.whisper("Bram!")
            assert "under the floor" in prompt_of(self.model.requests[-1])
        for who in (self.char1, self.char2):
            self.model.add(ask, "I know nothing.")
            self.say("Bram!", who)
            assert "under the floor" not in prompt_of(self.model.requests[-1])

    def test_a_result_from_the_cache_binds_the_turn_as_its_finding_did(self):
        private = (f"#{self.char1.pk}", f"#{self.npc.pk}")

        def find(character, **kwargs):
            character.ndb.assistant_turn.material.audiences.append(private)
            return {"value": SECRET}

        runs = self.tool(find, cacheable=True, cache_scope="session")
        for _time in range(2):
            self.told(words="Bram!")
            turn = self.agent.turns.last(1)[0]
            assert tuple(turn["audience"]) == tuple(sorted(private))
            assert turn["said"][0]["manner"] == "whisper", "char2 stands near"
        assert len(runs) == 1

    def test_what_is_written_is_found_by_the_next_search(self):
        search = tool_call("search_journal", query="silver", semantic=False)
        told = self.told(
            search, tool_call("add_journal_entry", content="Char owes two silver."), search
        )
        assert told[0]["entries"] == []
        assert told[2]["entries"][0]["content"] == "Char owes two silver."

    def test_what_a_keeper_changed_meanwhile_is_seen(self):
        runs = self.tool({"value": 1}, cacheable=True, cache_scope="session")
        self.told(words="Bram!")
        self.npc.memory.teach("A bed is four silver.")
        self.told(words="Bram!")
        assert len(runs) == 2


class TestDangerous(ExecutionTest):
    fields: ClassVar = {"category": ToolCategory.DANGEROUS, "everyday": False}

    def allow(self, *, listed=True, configured=True, confirm=False):
        self.script.set_option("allowed_tools", "probe" if listed else "none")
        self.script.set_option("dangerous_tools", "probe" if configured else "none")
        self.script.set_option("dangerous_requires_confirm", "yes" if confirm else "no")

    def offered(self):
        return {tool["function"]["name"] for tool in self.model.requests[-1].tools}

    def test_it_is_off_unless_listed_in_both_places(self):
        runs = self.tool({"done": True}, **self.fields)
        for listed, configured in ((False, False), (True, False), (False, True)):
            self.allow(listed=listed, configured=configured)
            (told,) = self.told()
            assert "no tool 'probe'" in told["error"] and not runs
        self.allow()
        assert self.told() == [{"done": True}] and len(runs) == 1

    def test_one_in_a_turn_and_no_more(self):
        runs = self.tool({"done": True}, **self.fields)
        self.allow()
        first, second = self.told(tool_calls(("probe", {"at": "a"}), ("probe", {"at": "b"})))
        assert first == {"done": True} and "One such tool" in second["error"] and len(runs) == 1
        self.told(tool_call("probe", at="b"))
        assert len(runs) == 2

    def test_what_an_operator_takes_away_during_a_turn_is_gone_at_once(self):
        runs = self.tool({"done": True}, **self.fields)
        self.allow()
        self.model.add(
            tool_call("emote", text="nods."),
            tool_call("probe").__class__(tool_calls=tool_call("probe").tool_calls, delay=5),
            "Aye.",
        )
        self.say("Bram, probe.")
        self.script.set_option("dangerous_tools", "none")
        self.pump(5)
        assert not runs and "not among those allowed" in prompt_of(self.model.requests[-1])

    def test_whoever_asks_needs_the_right_as_well(self):
        runs = self.tool({"done": True}, **self.fields, locks=f"use:id({self.npc.pk})")
        self.allow()
        (told,) = self.told(who=self.char2)
        assert told["error"] == "Char2 may not use probe." and not runs

    def asked(self, **kwargs):
        """A request that waits for a keeper, and what the staff was told of it."""
        runs = self.tool({"done": True}, **self.fields)
        self.allow(confirm=True)
        with mock.patch("evennia_assistant.awake.execution.tell_staff") as tell:
            (told,) = self.told(tool_call("probe", at="the tower"), **kwargs)
        assert not runs and "has not been done" in told["waiting"]
        return runs, tell.call_args.args[0]

    def test_a_keeper_agrees_and_only_then_it_runs(self):
        runs, line = self.asked()
        assert "aiexec/confirm bram = 1" in line and "tower" not in line
        told = self.type_in("aiexec/waiting bram")
        assert '1  probe {"at": "the tower"}' in told and "at the word of Char" in told
        with mock.patch("evennia.utils.logger.log_sec") as log_sec:
            assert self.type_in("aiexec/confirm bram = 1") == 'Bram ran probe: {"done": true}'
        assert runs == [{"at": "the tower"}] and log_sec.call_count == 1
        told = self.type_in("aiexec/confirm bram = 1")
        assert told.startswith('Bram asks for nothing numbered "1"') and len(runs) == 1

    def test_a_keeper_refuses_and_it_never_runs(self):
        runs, _line = self.asked()
        assert self.type_in("aiexec/deny bram = 1") == "Bram will not run probe."
        assert self.type_in("aiexec/waiting bram") == "Bram asks for nothing."
        assert not runs and self.log[-1]["error"] == "refused by a keeper"

    def test_only_keepers_answer(self):
        runs, _line = self.asked()
        for switch in ("confirm", "deny"):
            told = self.type_in(f"aiexec/{switch} bram = 1", self.builder)
            assert "only its keeper" in told
        assert not runs and len(self.agent.confirmations.waiting()) == 1

    def test_what_is_old_is_agreed_to_by_nobody(self):
        runs, _line = self.asked()
        self.pump(901)
        assert "asks for nothing numbered" in self.type_in("aiexec/confirm bram = 1")
        assert not runs

    def test_the_one_who_asked_needs_the_right_still_when_a_keeper_agrees(self):
        runs, _line = self.asked(who=self.char2)
        TOOL_REGISTRY["probe"].__class__.locks = f"use:id({self.npc.pk}) or id({self.char1.pk})"
        told = self.type_in("aiexec/confirm bram = 1")
        assert told == "Bram did not do it: Char2 may not use probe." and not runs

    def test_a_tool_taken_away_since_does_not_run(self):
        runs, _line = self.asked()
        self.script.set_option("dangerous_tools", "none")
        assert "not among those allowed" in self.type_in("aiexec/confirm bram = 1")
        assert not runs

    def test_a_request_outlives_a_restart(self):
        self.asked()
        self.forget_caches()
        assert self.agent.confirmations.waiting()[0]["arguments"] == {"at": "the tower"}

    def test_a_request_made_in_confidence_is_shown_to_nobody_else(self):
        self.tool({"done": True}, **self.fields)
        self.allow(confirm=True)
        self.model.add(tool_call("probe", at="the hidden vault"), "I asked.")
        self.whisper("Bram, probe.", self.builder)
        told = self.type_in("aiexec/waiting bram")
        assert "vault" not in told and "1 more is confidential" in told
        assert "vault" in self.type_in("aiexec/waiting/all bram")

    def test_asking_over_and_over_leaves_one_request_and_many_are_refused(self):
        self.asked()
        self.told(tool_call("probe", at="the tower"))
        assert len(self.agent.confirmations.waiting()) == 1
        for number in range(12):
            self.told(tool_call("probe", at=f"tower {number}"))
        assert len(self.agent.confirmations.waiting()) == 10
        assert "have not answered" in self.log[-1]["error"]


class TestRecord(ExecutionTest):
    def test_an_execution_has_the_documented_fields(self):
        self.tool({"value": 1})
        self.told(tool_call("probe", at="x"))
        (record,) = self.log
        assert set(record) == {
            "tick",
            "timestamp",
            "tool",
            "parameters",
            "reasoning",
            "success",
            "error",
            "duration_ms",
            "provider",
            "model",
            "audience",
        }
        assert record["tick"] == self.agent.turns.last(1)[0]["id"] == 1
        assert (record["provider"], record["model"]) == ("scripted", "scripted-model")
        assert record["parameters"] == {"at": "x"} and record["audience"] == "public"

    def test_the_tick_stores_it_and_only_so_many(self):
        self.script.set_option("max_log_entries", "3")
        self.tool({"value": 1})
        for number in range(5):
            self.told(tool_call("probe", at=str(number)))
        self.script.at_tick()
        self.pump(5)
        self.script.attributes.reset_cache()
        assert [r["parameters"]["at"] for r in self.script.db.execution_log] == ["2", "3", "4"]
        assert self.script.db.metrics["tool_calls"]["probe"] == 5

    def test_figures_count_turns_calls_and_errors_and_no_invented_name(self):
        self.tool(ToolError("No."))
        self.told()
        for number in range(3):
            self.told(tool_call(f"invented_{number}"))
        figures = self.script.db.metrics
        assert figures["tool_calls"] == {"probe": 1, "(unknown)": 3}
        assert figures["tool_errors"] == {"probe": 1, "(unknown)": 3}
        assert (figures["tasks_attempted"], figures["tasks_completed"]) == (4, 4)
        told = self.type_in("aiexec/metrics bram")
        assert "4 turns: 4 answered, 0 failed" in told and "probe" in told

    def test_what_was_done_in_confidence_is_shown_to_those_alone_who_were_there(self):
        self.tool({"value": 1})
        self.model.add(tool_call("probe", at="the hidden vault"), "Done.")
        self.whisper("Bram, probe.", self.builder)
        assert "vault" in self.type_in("aiexec/log bram", self.builder)
        told = self.type_in("aiexec/log bram", self.admin)
        assert "vault" not in told and "1 more is confidential" in told
        with mock.patch("evennia.utils.logger.log_sec") as log_sec:
            assert "vault" in self.type_in("aiexec/log/all bram", self.admin)
        assert log_sec.call_count == 1

    def test_a_keepers_own_runs_are_in_the_log_under_its_name(self):
        self.type_in("aiexec/run bram = noop {}")
        told = self.type_in("aiexec/log bram")
        assert "noop {}" in told and "by hand of Char" in told
        assert self.type_in("aiexec/log bram = 0").startswith("Ask for 1 to 1000")

    def test_a_broken_log_is_set_aside_and_the_npc_goes_on(self):
        for junk in ("text", [1, {"tool": 5}], {"a": 1}):
            self.script.db.execution_log = junk
            self.script.db.metrics = junk
            self.tool({"value": 1})
            self.told()
            assert self.heard_by(self.char1)[-1] == 'Bram says, "Aye."'
            assert len(self.log) == 1

    @override_settings(ASSISTANT_TOOL_MODULES=())
    def test_long_parameters_do_not_fill_the_log(self):
        self.tool({"value": 1})
        self.told(tool_call("probe", at="x" * 5000))
        assert len(str(self.log[-1]["parameters"])) < 700
