"""A turn ends, whatever the model does, for a reason that a keeper can read."""

import json
from unittest import mock

from evennia_assistant.llm.response import Usage
from evennia_assistant.testing.replies import text, tool_call, tool_calls
from evennia_assistant.tools import ToolCategory

from tests.game.test_turns import calls, prompt_of
from tests.game.tooling import ToolTest


class LoopTest(ToolTest):
    allowed = "go, get, drop, give, look_at"

    def ask(self, words="Bram, do it.", who=None):
        """Say a line, and let the turn come to its end."""
        self.say(words, who)
        self.pump(1)

    @property
    def turn(self):
        """The record of the last turn."""
        return self.agent.turns.last(1)[0]

    def results(self, request=-1):
        """What the model was told of its tools."""
        return [
            json.loads(message["content"])
            for message in self.model.requests[request].messages
            if message["role"] == "tool"
        ]

    def said(self):
        return self.heard_by(self.char1)[-1]


class TestEnds(LoopTest):
    def test_a_tool_that_speaks_ends_the_turn_and_nothing_after_it_happens(self):
        self.model.add(calls(("say", {"text": "Aye."}), ("emote", {"text": "dances."})))
        self.ask()
        assert self.turn["ended"] == "it spoke" and len(self.model.requests) == 1
        assert not self.seen(self.char1, "pose")

    def test_a_plain_text_is_spoken(self):
        self.model.add("Aye.")
        self.ask()
        assert self.turn["ended"] == "plain answer" and self.said() == 'Bram says, "Aye."'

    def test_a_gesture_before_a_plain_text_does_not_swallow_the_words(self):
        self.model.add(calls(("emote", {"text": "nods."})), "Two silver.")
        self.ask()
        assert self.seen(self.char1, "pose") == ["Bram nods."]
        assert self.said() == 'Bram says, "Two silver."'

    def test_a_model_that_never_speaks_of_itself_is_made_to_after_the_limit_of_tools(self):
        self.script.set_option("max_iterations_per_tick", "3")
        self.model.add(
            *[tool_call("recall_memories", query=f"thing {n}") for n in range(3)], "Enough."
        )
        self.ask()
        assert self.turn["ended"] == "limit of tools"
        assert [bool(asked.tools) for asked in self.model.requests] == [True, True, True, False]
        assert self.said() == 'Bram says, "Enough."'

    def test_failed_tools_take_none_of_the_tools_an_errand_needs(self):
        self.script.set_option("max_iterations_per_tick", "2")
        self.model.add(
            tool_call("look_at", target="nothing"),
            tool_call("get", thing="Obj"),
            tool_call("give", thing="Obj", to="Char"),
            "There you are.",
        )
        self.obj1.locks.add("get:all()")
        self.ask("Bram, give me the obj.", self.char2)
        assert self.turn["ended"] == "limit of tools"
        assert self.obj1.location == self.char1

    def test_tools_of_one_answer_run_in_the_order_given(self):
        self.obj1.locks.add("get:all()")
        self.model.add(
            tool_calls(
                ("get", {"thing": "Obj"}),
                ("give", {"thing": "Obj", "to": "Char2"}),
                ("say", {"text": "Yours."}),
            )
        )
        self.ask("Bram, hand me that.", self.char2)
        assert self.obj1.location == self.char2 and len(self.model.requests) == 1

    def test_the_same_call_is_done_once_and_the_third_time_ends_the_turn(self):
        self.model.add(*[tool_call("emote", text="nods.")] * 3, "That is all.")
        self.ask()
        assert self.turn["ended"] == "same call again"
        assert self.seen(self.char1, "pose") == ["Bram nods."]
        again = self.results(2)[-1]
        assert "exactly that" in again["error"] and again["it gave"] == {"shown": "nods."}
        assert self.said() == 'Bram says, "That is all."'

    def test_order_and_blanks_of_arguments_do_not_make_a_call_another(self):
        self.model.add(
            calls(("recall_memories", '{"query": "cat", "limit": 2}')),
            calls(("recall_memories", '{ "limit":2, "query":"cat" }')),
            "No.",
        )
        self.ask()
        assert "exactly that" in self.results(2)[-1]["error"]

    def test_looking_again_after_doing_something_is_no_repetition(self):
        self.obj1.locks.add("get:all()")
        self.model.add(
            tool_call("inspect_location"),
            tool_call("get", thing="Obj"),
            tool_call("inspect_location"),
            "It is gone.",
        )
        self.ask("Bram, tidy up.", self.char2)
        before, _got, after = self.results()
        assert "Obj" in before["things"] and "Obj" not in after["things"]

    def test_four_failed_tools_are_enough(self):
        self.model.add(*[tool_call("look_at", target=f"no{n}") for n in range(4)], "I give up.")
        self.ask()
        assert self.turn["ended"] == "too many tool errors" and len(self.model.requests) == 5
        assert self.said() == 'Bram says, "I give up."'

    def test_a_flood_of_calls_in_one_answer_is_cut_off(self):
        flood = [("recall_memories", {"query": f"thing {n}"}) for n in range(200)]
        self.model.add(tool_calls(*flood), "Phew.")
        self.ask()
        assert len(self.turn["tools"]) <= 20 and self.said() == 'Bram says, "Phew."'
        assert len(self.agent.executions.last(100)) == 5

    def test_the_tokens_of_a_turn_are_bounded_and_the_model_is_told_before(self):
        self.script.set_option("turn_token_budget", "9000")
        self.script.set_option("max_iterations_per_tick", "10")
        spent = Usage(2200, 20)
        self.model.add(
            *[
                text("").__class__(
                    tool_calls=tool_call("recall_memories", query=f"thing {n}").tool_calls,
                    usage=spent,
                )
                for n in range(3)
            ],
            text("Enough.", spent),
        )
        self.ask()
        assert self.turn["ended"] == "token budget"
        assert sum(self.turn["tokens"].values()) <= 9000
        assert self.said() == 'Bram says, "Enough."'

    def test_little_room_is_told_to_the_model_once(self):
        self.script.set_option("turn_token_budget", "9000")
        once = tool_call("recall_memories", query="cat").tool_calls
        twice = tool_call("recall_memories", query="dog").tool_calls
        reply = text("").__class__
        with mock.patch("evennia_assistant.awake.react.ADVISED_AT", 0.2):
            self.model.add(
                reply(tool_calls=once, usage=Usage(2200, 20)),
                reply(tool_calls=twice, usage=Usage(500, 20)),
                "Done.",
            )
            self.ask()
        assert prompt_of(self.model.requests[1]).count("little room left") == 1
        assert prompt_of(self.model.requests[2]).count("little room left") == 1

    def test_a_listener_who_leaves_between_two_tools_stops_the_work(self):
        self.model.add(
            text("", None).__class__(tool_calls=tool_call("emote", text="nods.").tool_calls)
        )
        self.model.add(tool_call("emote", text="waves.").after(5))
        self.say("Bram, go on.", self.char2)
        self.pump()
        self.char2.move_to(self.room2)
        self.pump(5)
        assert self.turn["ended"] == "listener gone" and len(self.model.requests) == 2
        assert self.seen(self.char1, "pose") == ["Bram nods."]
        assert self.script.db.metrics["tasks_failed"] == 0

    def test_an_npc_that_goes_on_an_errand_itself_is_not_without_a_listener(self):
        self.exit.locks.add("traverse:all()")
        self.model.add(tool_call("go", exit="out"), tool_call("go", exit="out"), "Nothing there.")
        back = self.exit
        back.destination = self.room2
        self.ask("Bram, look outside.", self.char2)
        assert len(self.model.requests) >= 2

    def test_an_emergency_stop_between_two_tools_is_obeyed_at_once(self):
        self.model.add(tool_call("emote", text="nods."), tool_call("emote", text="waves.").after(5))
        self.say("Bram, go on.")
        self.pump()
        self.script.db.emergency_stop = True
        self.pump(5)
        assert self.turn["ended"] == "emergency stop"
        assert self.seen(self.char1, "pose") == ["Bram nods."]

    def test_with_one_action_allowed_there_is_one_and_then_words(self):
        self.script.set_option("multi_action_enabled", "no")
        self.model.add(
            tool_calls(("emote", {"text": "nods."}), ("emote", {"text": "waves."})), "Well."
        )
        self.ask()
        assert self.seen(self.char1, "pose") == ["Bram nods."]
        assert self.turn["ended"] == "limit of tools" and self.said() == 'Bram says, "Well."'

    def test_a_last_answer_written_as_a_call_is_not_read_aloud_as_json(self):
        self.script.set_option("max_iterations_per_tick", "1")
        self.model.add(
            tool_call("emote", text="nods."), '{"tool": "say", "parameters": {"text": "Aye."}}'
        )
        self.ask()
        assert self.said() == 'Bram says, "Aye."'

    def test_why_it_ended_is_shown_where_it_was_not_with_an_answer(self):
        from tests.game.commanding import COMMANDS

        self.model.add(*[tool_call("look_at", target=f"no{n}") for n in range(4)], "I give up.")
        self.ask()
        told = self.call(COMMANDS["aihistory"](), " bram", caller=self.char1)
        assert "  ended    too many tool errors" in told
        told = self.call(COMMANDS["aiwhy"](), " bram", caller=self.char1)
        assert "ended: too many tool errors" in told


class TestWhatAServerGetsBack(LoopTest):
    def test_what_a_model_wrote_badly_is_not_sent_back_to_its_server_as_it_was(self):
        self.model.add(calls(("sa y!", '{"text": '), ("look_at", '{"target": "x"}')), "Well.")
        self.ask()
        sent = next(m for m in self.model.requests[1].messages if m.get("tool_calls"))
        names = [call["function"]["name"] for call in sent["tool_calls"]]
        assert names == ["sa_y_", "look_at"]
        assert [json.loads(c["function"]["arguments"]) for c in sent["tool_calls"]] == [
            {},
            {"target": "x"},
        ]
        answered = [
            m["tool_call_id"] for m in self.model.requests[1].messages if m["role"] == "tool"
        ]
        assert answered == [call["id"] for call in sent["tool_calls"]]

    def test_two_calls_under_one_id_get_two(self):
        reply = calls(("recall_memories", {"query": "a"}), ("recall_memories", {"query": "b"}))
        from dataclasses import replace

        same = tuple(replace(call, id="same") for call in reply.tool_calls)
        self.model.add(replace(reply, tool_calls=same), "Well.")
        self.ask()
        ids = [m["tool_call_id"] for m in self.model.requests[1].messages if m["role"] == "tool"]
        assert len(set(ids)) == 2


class TestAssessment(LoopTest):
    def judged(self, answer):
        self.script.set_option("task_assessment_enabled", "yes")
        self.model.add(answer)

    def test_an_errand_keeps_its_tools_though_its_words_are_those_of_a_stroll(self):
        self.model.add("Aye.")
        self.ask("Bram, go and get me the obj and bring it here.", self.char2)
        assert self.agent.turns.last(1)[0].get("assessed") is None
        self.model.add(*[tool_call("recall_memories", query=f"q{n}") for n in range(5)], "Done.")
        self.ask("Bram, go and walk to the mill, look, and bring it here.", self.char2)
        assert len(self.turn["tools"]) == 5

    def test_after_failures_it_takes_on_less(self):
        self.script.db.consecutive_errors = 3
        self.model.add(tool_call("recall_memories", query="q"), "Done.")
        self.ask()
        assert self.turn["ended"] == "limit of tools" and len(self.model.requests) == 2

    def test_a_model_may_judge_and_what_it_says_only_narrows(self):
        self.judged(
            '{"complexity_score": 1, "recommended_mode": "single_action", '
            '"recommended_iterations": 1, "recommend_confirm_dangerous": false, '
            '"reasoning": "small talk"}'
        )
        self.model.add(tool_call("recall_memories", query="q"), "Done.")
        self.ask()
        assert self.turn["assessed"] == {
            "by": "model",
            "complexity": 1,
            "mode": "single_action",
            "iterations": 1,
            "why": "small talk",
        }
        assert self.turn["ended"] == "limit of tools" and self.turn["calls"] == 3
        assert "<heard>" in self.model.requests[0].messages[1]["content"]

    def test_a_judgement_that_cannot_be_had_costs_nothing_but_its_call(self):
        for nonsense in ("I would rather not.", '{"complexity_score": 9}', "{", "[]"):
            self.judged(nonsense)
            self.model.add("Aye.")
            self.ask(f"Bram, well {len(nonsense)}?")
            assert self.said() == 'Bram says, "Aye."'
            assert self.turn["assessed"]["by"] == "rules" and self.turn["assessed"]["why"]


def test_every_tool_that_speaks_is_known_to():
    from evennia_assistant.tools import all_tools

    speaking = {n for n, t in all_tools().items() if t.category is ToolCategory.TERMINAL}
    assert {"say", "whisper", "noop"} <= speaking
