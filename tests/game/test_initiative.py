"""An NPC that speaks up of itself does so seldom, to who is meant, and not twice."""

import json
from unittest import mock

from django.db import connection
from django.test.utils import CaptureQueriesContext
from evennia.utils.dbserialize import deserialize

from evennia_assistant.errors import ModelTransientError
from evennia_assistant.llm.response import LLMResponse, ToolCall
from evennia_assistant.mind.slots import parse_slots
from evennia_assistant.testing.replies import text

from tests.game.npc import NpcTest

HOUR = 3600.0
DAY = 24 * HOUR
FERRY = "Remind Anna of the ferry"


def calls(*pairs):
    return LLMResponse(
        tool_calls=tuple(
            ToolCall(f"c{number}", name, json.dumps(arguments))
            for number, (name, arguments) in enumerate(pairs)
        )
    )


class InitiativeTest(NpcTest):
    """Anna is `char1`; she is elsewhere until `self.anna_comes()`. Nobody else is near."""

    options = {**NpcTest.options, "initiative": "yes"}

    def setUp(self):
        super().setUp()
        self.anna, self.petra = self.char1, self.char2
        self.anna.key, self.petra.key = "Anna", "Petra"
        self.anna.move_to(self.room2, quiet=True)
        self.petra.move_to(self.room2, quiet=True)
        self.agent.look_around()

    def comes(self, who=None, room=None):
        (who or self.anna).move_to(room or self.room1)

    def goes(self, who=None):
        (who or self.anna).move_to(self.room2)

    def goal(self, words=FERRY, **fields):
        fields.setdefault("audience", "public")
        made = self.npc.memory.goals.create(words, when=self.clock.seconds(), **fields)
        self.npc.memory.save()
        return made

    def tick(self, seconds=5.0):
        """One tick of the script, and what follows from it."""
        self.script.at_tick()
        self.pump(seconds)

    def wait(self, seconds, step=600.0):
        """Time passes, with ticks in it."""
        passed = 0.0
        while passed < seconds:
            self.tick(min(step, seconds - passed))
            passed += step

    def said(self, to=None):
        lines = self.heard_by(to or self.anna)
        return [line for line in lines if line.startswith(("Bram says", "Bram whispers"))]

    def state(self):
        return deserialize(self.script.db.initiative_state)

    def last(self):
        return self.agent.initiative.log.log[-1]

    def occasion(self, request=-1):
        (record,) = parse_slots(self.model.requests[request].messages[-1]["content"]).get(
            "occasion"
        )
        return record

    def by_occasion(self, of_itself, answer):
        """Let the model say one thing of its own accord and another in answer."""

        def handler(asked):
            return of_itself if "<occasion>" in asked.messages[-1]["content"] else answer

        self.model._handler = handler

    def die(self):
        """The process is killed and another one starts: only what was stored is there."""
        dead = self.agent.initiative
        with (
            mock.patch.object(type(dead), "_settle"),
            mock.patch("evennia_assistant.memory.handler.save_together"),
        ):
            self.script.at_server_shutdown()
        for attribute in (*self.script.db_attributes.all(), *self.npc.db_attributes.all()):
            attribute.refresh_from_db(fields=["db_value"])
        self.forget_caches()

    def queries(self, what):
        with CaptureQueriesContext(
            connection,
        ) as caught:
            what()
        return caught.captured_queries


class TestAReminder(InitiativeTest):
    def test_anna_is_reminded_once_and_not_again_until_she_answers_and_the_gap_passes(self):
        self.goal()
        self.tick()
        assert not self.model.requests
        self.comes()
        self.model.add("Anna, your ferry leaves at dawn!", "The ferry, Anna!")
        self.tick()
        assert self.said() == ['Bram says, "Anna, your ferry leaves at dawn!"']
        self.wait(2 * DAY)
        assert len(self.model.requests) == 1
        self.model.add("Good.")
        self.say("Aye, Bram, thank you.", self.anna)
        self.model._script.rotate(1)
        self.pump()
        assert self.said()[-1] == 'Bram says, "Good."'
        self.tick()
        self.wait(HOUR)
        assert len(self.said()) == 3 and self.said()[-1] == 'Bram says, "The ferry, Anna!"'

    def test_an_answer_alone_does_not_open_the_gap(self):
        self.goal()
        self.comes()
        self.model.add("Anna, the ferry!", "Aye.")
        self.tick()
        self.say("I know, Bram.", self.anna)
        self.pump()
        self.tick()
        assert self.state()["awaiting"] == {}
        self.wait(3 * HOUR)
        assert len(self.model.requests) == 2
        assert self.last()["gate"] == "gap"
        self.model.add("The ferry, Anna!")
        self.wait(1.5 * HOUR)
        assert len(self.model.requests) == 3

    def test_ten_days_of_silence_are_at_most_one_initiative(self):
        self.goal()
        self.goal("Find out who owes the tab")
        self.comes()
        self.model.add(*["Anna, the ferry!"] * 40)
        self.wait(10 * DAY, step=1800.0)
        assert len(self.said()) == 1
        assert self.last()["gate"] == "awaiting" and self.last()["times"] > 100

    def test_her_answer_is_taken_as_one_though_it_names_nobody(self):
        self.goal()
        self.comes()
        self.comes(self.petra)
        self.model.add("Anna, the ferry!", "Hurry, then.")
        self.tick()
        self.say("When does it leave?", self.anna)
        self.pump()
        assert self.said()[-1] == 'Bram says, "Hurry, then."'
        assert "the ferry!" in json.dumps(self.model.requests[1].messages)

    def test_it_waits_for_whom_it_is_about(self):
        self.goal()
        self.comes(self.petra)
        self.wait(HOUR)
        assert not self.model.requests and self.last()["gate"] == "trigger"
        self.comes()
        self.model.add("Anna, the ferry!")
        self.tick()
        assert self.occasion() == {
            "why": "goal",
            "goal": FERRY,
            "goal_id": "g1",
            "present": ["Anna"],
        }

    def test_the_model_may_reach_the_goal_and_it_is_not_brought_up_again(self):
        self.goal()
        self.comes()
        self.model.add(
            calls(("complete_goal", {"goal_id": "g1"}), ("say", {"text": "Anna, the ferry!"}))
        )
        self.tick()
        assert self.npc.memory.goals.find("g1")["status"] == "completed"
        assert self.script.db.current_goals["goals"][0]["status"] == "completed"
        self.say("Thanks.", self.anna)
        self.model.add("Aye.")
        self.pump()
        self.wait(DAY)
        assert len(self.model.requests) == 2

    def test_what_was_said_three_times_in_vain_is_let_rest(self):
        self.goal()
        self.comes()
        self.by_occasion("Anna, the ferry!", "Aye.")
        for _time in range(6):
            self.wait(9 * HOUR)
            self.say("Hm, Bram.", self.anna)
            self.pump()
        spoken = [line for line in self.said() if "ferry" in line]
        assert len(spoken) == 3 and len(self.model.requests) == 9
        assert self.npc.memory.goals.find("g1")["status"] == "active"


class TestNothing(InitiativeTest):
    def test_where_nobody_is_near_there_is_no_call_no_query_and_no_write(self):
        self.goal()
        self.tick()
        assert self.queries(lambda: self.wait(DAY)) == []
        assert not self.model.requests
        assert self.script.db.initiative_state is None

    def test_while_somebody_is_near_and_nothing_is_to_be_said_nothing_is_written_twice(self):
        self.comes()
        self.tick()
        self.tick()
        assert self.last()["gate"] == "trigger"
        assert self.queries(lambda: self.wait(HOUR)) == []
        assert not self.model.requests

    def test_an_npc_that_was_not_told_to_never_speaks_up(self):
        self.script.set_option("initiative", "no")
        self.goal()
        self.comes()
        self.wait(DAY)
        assert not self.model.requests and self.script.db.initiative_state is None
        self.script.set_option("initiative", "yes")
        self.model.add("Anna, the ferry!")
        self.tick()
        assert self.said()

    def test_asleep_it_keeps_silent(self):
        self.goal()
        self.comes()
        self.script.db.operating_mode = "sleep"
        self.agent.initiative.tick()
        self.pump(5)
        assert not self.model.requests and self.last()["gate"] == "quiet"

    def test_switched_off_or_in_emergency_stop_it_keeps_silent(self):
        self.goal()
        self.comes()
        self.script.db.emergency_stop = True
        self.wait(HOUR)
        assert not self.model.requests

    def test_another_npc_is_no_company(self):
        self.goal("Find out who owes the tab")
        self.make_npc("Orla", "orla")
        self.wait(HOUR)
        assert not self.model.requests

    def test_silence_is_an_answer_and_costs_the_attempt(self):
        for answer in (calls(("noop", {})), "...", ""):
            self.npc.memory.goals.store.data["goals"].clear()
            self.script.attributes.remove("initiative_state")
            self.restart()
            self.goal()
            self.comes()
            self.model.add(text(answer) if isinstance(answer, str) else answer)
            asked = len(self.model.requests)
            self.tick()
            assert len(self.model.requests) == asked + 1
            assert not self.said() and not self.seen(self.anna, "pose")
            assert self.last() == {**self.last(), "gate": None, "said": False, "why_not": ""}
            assert len(self.state()["attempts"]) == 1 and self.state()["awaiting"] == {}
            self.wait(3 * HOUR)
            assert len(self.model.requests) == asked + 1
            self.goes()


class TestWhatGoesWrong(InitiativeTest):
    def test_a_model_that_fails_costs_one_attempt_and_players_see_nothing(self):
        self.goal()
        self.comes()
        self.model.add(ModelTransientError("busy"))
        before = len(self.heard_by(self.anna))
        self.tick()
        self.pump(30)
        assert self.heard_by(self.anna)[before:] == []
        assert len(self.state()["attempts"]) == 1
        assert self.last()["why_not"] == "busy" and not self.last()["said"]
        self.wait(3 * HOUR)
        assert len(self.model.requests) == 1
        assert self.script.db.consecutive_errors == 0
        self.model.add("Anna, the ferry!")
        self.wait(1.5 * HOUR)
        assert self.said() == ['Bram says, "Anna, the ferry!"']

    def test_while_it_thinks_of_itself_no_gesture_tells_so(self):
        self.goal()
        self.comes()
        self.model.add(text("Anna, the ferry!").after(10))
        self.tick()
        self.pump(11)
        assert not self.seen(self.anna, "pose") and self.said()

    def test_a_crash_after_the_attempt_was_stored_says_nothing_twice(self):
        self.goal()
        self.comes()
        self.model.add(text("Anna, the ferry!").after(3))
        self.tick()
        assert len(self.model.requests) == 1 and len(self.state()["attempts"]) == 1
        self.die()
        assert len(self.state()["attempts"]) == 1
        self.wait(2 * DAY)
        assert len(self.model.requests) == 1 and not self.said()
        self.by_occasion("Anna, the ferry!", "Aye.")
        self.say("Bram?", self.anna)
        self.pump()
        self.wait(HOUR)
        assert self.said() == ['Bram says, "Aye."', 'Bram says, "Anna, the ferry!"']

    def test_a_crash_after_it_spoke_says_nothing_twice(self):
        self.goal()
        self.comes()
        self.model.add("Anna, the ferry!")
        with mock.patch.object(type(self.agent.initiative), "_settle"):
            self.tick()
        assert len(self.said()) == 1
        self.die()
        self.wait(2 * DAY)
        assert len(self.said()) == 1

    def test_a_reload_in_the_middle_leaves_nothing_running(self):
        self.goal()
        self.comes()
        self.model.add(text("Anna, the ferry!").after(5))
        self.tick()
        old = self.agent
        self.script.at_server_reload()
        assert self.model.requests[0].cancelled and old.initiative.running is None
        self.script.at_server_start()
        self.adopt()
        self.pump(10)
        assert not self.said() and len(self.state()["attempts"]) == 1
        assert self.state()["awaiting"] == {}

    def test_whoever_speaks_meanwhile_is_answered_next_and_once(self):
        self.goal()
        self.comes()
        self.model.add(text("Anna, the ferry!").after(5), "Ale is two coppers.")
        self.tick()
        self.say("Bram, what is an ale?", self.anna)
        self.pump(1)
        assert len(self.model.requests) == 1
        self.pump(5)
        assert self.said() == [
            'Bram says, "Anna, the ferry!"',
            'Bram says, "Ale is two coppers."',
        ]

    def test_whoever_left_meanwhile_is_not_called_after(self):
        self.goal()
        self.comes()
        self.model.add(text("Anna, the ferry!").after(5))
        self.tick()
        self.goes()
        self.pump(10)
        assert not self.said() and not self.said(self.petra)
        assert self.state()["awaiting"] == {}

    def test_state_that_cannot_be_read_is_set_aside_and_does_not_open_the_gates_twice(self):
        self.goal()
        self.comes()
        self.script.db.initiative_state = {"attempts": ["x", None], "log": 5, "awaiting": [1]}
        self.model.add("Anna, the ferry!")
        self.tick()
        assert len(self.said()) == 1
        assert self.script.db.initiative_state_set_aside["log"] == 5


class TestConfidence(InitiativeTest):
    def test_a_goal_set_in_confidence_is_not_acted_upon_before_others(self):
        self.goal(audience=[f"#{self.anna.pk}"], asked_by=[f"#{self.anna.pk}"])
        self.comes()
        self.comes(self.petra)
        self.wait(HOUR)
        assert not self.model.requests and self.last()["gate"] == "trigger"
        self.goes(self.petra)
        self.model.add("Anna, the ferry.")
        self.tick(30)
        self.tick()
        assert self.said() == ['Bram whispers to you, "Anna, the ferry."'] or self.said()[
            0
        ].startswith("Bram whispers")
        assert not self.said(self.petra)

    def test_who_comes_in_meanwhile_hears_nothing_of_it(self):
        self.goal(audience=[f"#{self.anna.pk}"])
        self.comes()
        self.model.add(text("Anna, the ferry.").after(5))
        self.tick()
        self.comes(self.petra)
        self.pump(10)
        assert len(self.said()) == 1 and not self.said(self.petra)

    def test_a_goal_nobody_may_be_told_of_brings_nothing_up(self):
        self.goal(audience=None)
        self.comes()
        self.wait(HOUR)
        assert not self.model.requests

    def test_an_open_goal_draws_on_no_confidence(self):
        self.comes()
        self.model.add("Aye.")
        from evennia.commands.default.general import CmdWhisper

        self.call(CmdWhisper(), "Bram = The ferry carries my stolen crown.", caller=self.anna)
        self.pump()
        self.goal()
        self.comes(self.petra)
        self.model.add("Anna, the ferry!")
        self.wait(60, step=5)
        assert self.occasion()["goal"] == FERRY
        assert "crown" not in json.dumps(self.model.requests[-1].messages)

    def test_the_rights_of_whoever_asked_hold_its_tools_back(self):
        self.account2.permissions.clear()
        self.petra.permissions.clear()
        self.goal(asked_by=[f"#{self.petra.pk}"])
        self.npc.memory.goals.create("Guard the crown", audience="public")
        self.comes()
        self.model.add(
            calls(("complete_goal", {"goal_id": "g2"})),
            calls(("complete_goal", {"goal_id": "g1"})),
            "Anna, the ferry!",
        )
        self.tick()
        stand = {g["goal_id"]: g["status"] for g in self.npc.memory.goals.all}
        assert stand == {"g1": "completed", "g2": "active"}
        tools = self.agent.turns.last()[-1]["tools"]
        assert "was not set at the word of Petra" in tools[0]["error"]
        assert self.occasion(0)["asked_by"] == ["Petra"]

    def test_dangerous_tools_are_not_offered(self):
        self.script.set_option("allowed_tools", "execute_command, set_attribute, go")
        self.script.db.execution_config = {"dangerous_tools": ["execute_command", "set_attribute"]}
        self.goal()
        self.comes()
        self.model.add("Anna, the ferry!")
        self.tick()
        offered = {tool["function"]["name"] for tool in self.model.requests[0].tools}
        assert {"say", "noop", "complete_goal"} <= offered
        assert not offered & {"execute_command", "set_attribute"}
