"""An NPC that speaks up of itself does so seldom, to who is meant, and not twice."""

import json
from unittest import mock

from django.db import connection
from django.test.utils import CaptureQueriesContext
from evennia.commands.default.general import CmdWhisper
from evennia.typeclasses.attributes import Attribute
from evennia.utils.dbserialize import deserialize

from evennia_assistant.awake.models import OFFLINE
from evennia_assistant.commands.aigoal import CmdGoal
from evennia_assistant.commands.aihistory import CmdHistory
from evennia_assistant.commands.aiinteract import CmdInteract
from evennia_assistant.commands.aiwhy import CmdWhy
from evennia_assistant.errors import ModelTransientError
from evennia_assistant.llm.offline import MODEL, OfflineBrain
from evennia_assistant.llm.response import LLMResponse, ToolCall
from evennia_assistant.mind.slots import parse_slots
from evennia_assistant.testing import ScriptedModel
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
            mock.patch("evennia_assistant.memory.stores.save_together"),
        ):
            self.script.at_server_shutdown()
        Attribute.flush_instance_cache(force=True)
        for held in (self.npc, self.script):
            held.attributes.reset_cache()
        del self.npc.__dict__["memory"]
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

    def test_whom_it_spoke_to_first_is_met_when_they_answer(self):
        self.goal()
        self.comes()
        self.by_occasion("Anna, the ferry!", "Aye.")
        self.tick()
        assert self.npc.memory.profiles.get(f"#{self.anna.pk}") is None
        for _line in range(2):
            self.say("I have not forgotten it, Bram.", self.anna)
            self.pump()
        assert self.npc.memory.profiles.get(f"#{self.anna.pk}")["meetings"] == 1

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


class TestOtherOccasions(InitiativeTest):
    def test_a_shock_is_brought_up_once_and_only_to_who_may_be_told(self):
        only = [f"#{self.petra.pk}"]
        for words, audience in (("The mill burned down.", "public"), ("I am ill.", only)):
            self.npc.memory.write(
                words, when=self.clock.seconds(), audience=audience, importance=9, valence=-1.0
            )
        self.by_occasion("Have you heard of the mill?", "Aye.")
        self.comes()
        self.tick()
        assert self.occasion()["memory"] == "The mill burned down."
        assert self.occasion()["why"] == "shock"
        self.say("I have, Bram.", self.anna)
        self.pump()
        self.wait(DAY)
        assert len(self.model.requests) == 2
        assert "I am ill." not in json.dumps([asked.messages for asked in self.model.requests])

    def test_what_was_expected_by_now_is_brought_up(self):
        self.npc.memory.write(
            "Anna should be back from the quarry.",
            when=self.clock.seconds(),
            audience="public",
            kind="expectation",
            event_time={"start": self.clock.seconds() + HOUR, "end": None},
        )
        self.by_occasion("Back already, Anna?", "Aye.")
        self.comes()
        self.wait(0.9 * HOUR)
        assert not self.model.requests
        self.wait(HOUR)
        assert self.occasion()["why"] == "expectation" and len(self.said()) == 1

    def test_what_it_promised_waits_for_whom_it_was_promised_and_is_brought_up_once(self):
        self.npc.memory.write(
            "Bram tells Anna who cut the rope.",
            when=self.clock.seconds(),
            audience="public",
            kind="intention",
            entities=[f"#{self.anna.pk}"],
            event_time={"start": None, "end": self.clock.seconds() + HOUR},
        )
        self.by_occasion("Anna, it was the miller!", "Aye.")
        self.comes(self.petra)
        self.wait(2 * HOUR)
        assert not self.model.requests and self.last()["gate"] == "trigger"
        self.comes()
        self.tick()
        assert self.occasion()["why"] == "promise"
        assert self.occasion()["memory"] == "Bram tells Anna who cut the rope."
        self.say("The miller?", self.anna)
        self.pump()
        self.wait(6 * HOUR)
        assert len(self.said()) == 2

    def test_a_promise_that_was_kept_or_made_in_confidence_brings_nothing_up(self):
        now = self.clock.seconds()
        for fields in ({"audience": "public"}, {"audience": [f"#{self.anna.pk}"]}):
            self.npc.memory.write(
                "Bram hides the ring.",
                when=now,
                kind="intention",
                event_time={"start": None, "end": now},
                **fields,
            )
        self.npc.memory.save(*self.npc.memory.open_ends.close({1: ("fulfilled", None)}, now))
        self.comes()
        self.comes(self.petra)
        self.wait(6 * HOUR)
        assert not self.model.requests and self.last()["gate"] == "trigger"

    def test_an_old_acquaintance_who_was_long_silent_is_greeted(self):
        self.by_occasion("Good to see you, Anna!", "Evening.")
        self.comes()
        self.say("Good evening, Bram, I am back from the quarry.", self.anna)
        self.pump()
        self.goes()
        self.wait(DAY)
        self.comes()
        self.wait(HOUR)
        assert len(self.model.requests) == 1
        self.goes()
        self.wait(2 * DAY)
        self.comes()
        self.tick()
        assert self.occasion() == {"why": "silence", "present": ["Anna"]}
        assert self.said()[-1] == 'Bram says, "Good to see you, Anna!"'

    def test_an_entry_with_odd_values_holds_nothing_up(self):
        self.npc.memory.write("x", when=1.0, audience="public")
        self.npc.memory.journal.entries[-1].update(event_time=5, kind="expectation")
        self.goal()
        self.comes()
        self.by_occasion("Hm.", "Hm.")
        self.tick()
        assert self.model.requests


class TestSteps(InitiativeTest):
    STEPS = json.dumps(
        [
            {"number": 1, "description": "Ask Anna who sailed last", "priority": 4},
            {"number": 2, "description": "I should be bolder", "priority": 5},
            {"number": 3, "description": "Look at the harbour book", "priority": 2},
        ]
    )

    def test_a_goal_without_steps_gets_them_once_and_the_first_is_acted_upon(self):
        self.goal("Find out who owns the lighthouse", asked_by=[f"#{self.anna.pk}"])
        self.comes()
        self.model.add(f"```json\n{self.STEPS}\n```", "Anna, who sailed last?")
        self.tick()
        ask, act = self.model.requests
        assert ask.tools == [] and "five steps" in ask.messages[-1]["content"]
        assert parse_slots(ask.messages[-1]["content"])["goals"] == [
            {"goal": "Find out who owns the lighthouse", "priority": 5}
        ]
        assert self.occasion()["step"] == "Ask Anna who sailed last"
        assert act.tools
        goals = deserialize(self.script.db.current_goals)["goals"]
        parts = [(g["parent_id"], g["asked_by"], g["audience"]) for g in goals[1:]]
        assert parts == [("g1", [f"#{self.anna.pk}"], "public")] * 2
        assert len(self.said()) == 1

    def test_a_model_that_fails_at_it_costs_one_attempt_and_is_not_asked_for_steps_again(self):
        self.goal("Find out who owns the lighthouse")
        self.comes()
        self.model.add(ModelTransientError("busy"))
        self.tick()
        assert len(self.model.requests) == 1 and not self.said()
        assert len(self.state()["attempts"]) == 1 and self.last()["why_not"] == "busy"
        self.model.add("Who owns that lighthouse, I wonder?")
        self.wait(4.5 * HOUR)
        assert len(self.model.requests) == 2
        assert self.occasion()["goal"] == "Find out who owns the lighthouse"
        assert self.npc.memory.goals.find("g1")["metadata"]["decompose_attempts"] == 1

    def test_an_answer_without_steps_leaves_the_goal_as_its_one_step(self):
        self.goal("Find out who owns the lighthouse")
        self.comes()
        self.model.add("I would not know.", "Nor now.", "Who owns the lighthouse?")
        self.tick()
        assert len(self.model.requests) == 3 and len(self.said()) == 1
        assert len(self.npc.memory.goals.all) == 1

    def test_the_steps_of_a_goal_that_was_dropped_meanwhile_are_not_made(self):
        self.goal("Find out who owns the lighthouse")
        self.comes()
        self.model.add(text(self.STEPS).after(5))
        self.tick()
        self.npc.memory.goals.change("g1", status="dropped")
        self.pump(10)
        assert len(self.npc.memory.goals.all) == 1 and len(self.model.requests) == 1
        assert self.last()["why_not"] == "it was too late"
        assert self.state()["awaiting"] == {}

    def test_somebody_who_speaks_while_it_plans_goes_first(self):
        self.goal("Find out who owns the lighthouse")
        self.comes()
        self.model.add(text(self.STEPS).after(5), text("Two coppers.").after(10))
        self.tick()
        self.say("Bram, what is an ale?", self.anna)
        self.pump(5)
        self.pump(10)
        assert self.said() == ['Bram says, "Two coppers."']
        assert self.last()["why_not"] == "somebody spoke first"

    def test_a_confidential_goal_is_planned_without_the_others(self):
        self.goal("Find the crown", audience=[f"#{self.anna.pk}"])
        self.goal("Find the cat")
        self.comes()
        self.model.add(self.STEPS, "Psst.")
        self.tick()
        assert "cat" not in json.dumps(self.model.requests[0].messages)
        assert all(
            g["audience"] == [f"#{self.anna.pk}"]
            for g in self.npc.memory.goals.all
            if g["parent_id"] == "g1"
        )
        assert self.said()[0].startswith("Bram whispers")


class TestOffline(InitiativeTest):
    def setUp(self):
        super().setUp()
        brain = OfflineBrain()
        self.model = self.agent.model = ScriptedModel(
            handler=lambda asked: brain.complete(asked.messages, asked.tools), clock=self.clock
        )
        self.model.provider_name, self.model.model = OFFLINE, MODEL

    def test_the_offline_brain_does_its_errand_once_and_for_all(self):
        self.goal()
        self.comes()
        self.tick()
        assert self.said() == ['Bram says, "Anna, do not forget the ferry."']
        assert self.script.db.current_goals["goals"][0]["status"] == "completed"
        self.say("Thank you.", self.anna)
        self.pump()
        self.wait(3 * DAY, step=1800.0)
        assert len([line for line in self.said() if "ferry" in line]) == 1

    def test_it_says_nothing_where_it_would_have_to_make_something_up(self):
        self.goal("Find out who owns the lighthouse")
        self.comes()
        self.wait(DAY)
        assert not self.said() and not self.seen(self.anna, "pose")
        assert self.npc.memory.goals.find("g1")["status"] == "active"
        assert len(self.npc.memory.goals.all) == 1

    def test_it_greets_whom_it_was_told_to_greet(self):
        self.npc.db.persona = {"description": "An innkeeper.", "greeting": "Come in, {name}!"}
        self.goal("Greet Anna")
        self.comes()
        self.tick()
        assert self.said() == ['Bram says, "Come in, Anna!"']


class TestCommands(InitiativeTest):
    def setUp(self):
        super().setUp()
        self.model.add("Anna, the ferry!")

    def type_in(self, command, arguments, who=None):
        return self.call(command(), arguments, caller=who or self.anna)

    def test_a_keeper_sees_when_it_spoke_and_what_held_it(self):
        show = "/initiative bram"
        self.script.set_option("initiative", "no")
        assert self.type_in(CmdInteract, show) == (
            "Bram speaks only when spoken to. To change that: aisetup/config bram set initiative "
            "yes"
        )
        self.script.set_option("initiative", "yes")
        assert "no player was near it" in self.type_in(CmdInteract, show)
        self.goal()
        self.comes()
        self.tick()
        self.wait(HOUR)
        told = self.type_in(CmdInteract, show)
        assert "goal g1, to Anna; it spoke" in told
        assert "held by 'awaiting': what it said last has not been answered" in told
        assert "tried            1 of 3 times" in told and "waits for a word of  Anna" in told

    def test_the_trace_says_that_nobody_asked(self):
        self.goal()
        self.comes()
        self.tick()
        assert "of its own accord: goal" in self.type_in(CmdHistory, " bram")
        assert "it spoke up of itself (goal)" in self.type_in(CmdWhy, " bram")

    def test_what_was_set_in_confidence_is_only_counted(self):
        self.goal(audience=[f"#{self.anna.pk}"])
        self.comes()
        self.tick()
        self.account2.permissions.add("Builder")
        told = self.type_in(CmdInteract, "/initiative bram", self.petra)
        assert "g1" not in told and "1 more is confidential" in told

    def test_a_keeper_has_a_goal_broken_down(self):
        self.model._script.clear()
        self.goal("Find out who owns the lighthouse")
        self.model.add(TestSteps.STEPS)
        told = self.type_in(CmdGoal, "/decompose bram = g1")
        assert told == "Bram thinks about how to reach g1 ..."
        self.pump()
        heard = self.heard_by(self.anna)[-1]
        assert heard == (
            "Bram has broken g1 down into:\n"
            "  g2  Ask Anna who sailed last (priority 4)\n"
            "  g3  Look at the harbour book (priority 2)\n"
            "  not used: a step about itself"
        )
        told = self.type_in(CmdGoal, "/decompose bram = g1")
        assert told == "No parts were made: g1 has parts already: g2, g3."

    def test_why_a_goal_is_not_broken_down_is_said(self):
        self.model._script.clear()
        self.goal("Find out who owns the lighthouse")
        self.model.add(ModelTransientError("The service is busy."))
        self.type_in(CmdGoal, "/decompose bram = g1")
        self.pump()
        assert self.heard_by(self.anna)[-1] == "No parts were made: The service is busy."
        self.agent.model = None
        assert self.type_in(CmdGoal, "/decompose bram = g1") == (
            "No parts were made: without a model g1 is not broken down: it is its one step."
        )
        assert self.type_in(CmdGoal, "/decompose bram = g9") == (
            "There is no goal 'g9'; open goals: g1."
        )
        self.goal("Find the crown", audience=[f"#{self.petra.pk}"])
        assert self.type_in(CmdGoal, "/decompose bram = g2").startswith("g2 was set in confidence")

    def test_goals_that_were_edited_into_a_circle_are_mended_and_none_is_lost(self):
        one, two = self.goal("Mend the roof"), self.goal("Buy nails")
        stored = {"goals": [{**one, "parent_id": "g2"}, {**two, "parent_id": "g1"}], "version": 1}
        self.script.db.current_goals = stored
        told = self.type_in(CmdGoal, " bram")
        assert "g1  Mend the roof" in told and "  g2  Buy nails" in told
        assert "What was stored was holding g1 under itself (g1 under g2 under g1)." in told
        assert self.script.db.current_goals_set_aside["goals"][0]["parent_id"] == "g2"
        assert "is part of g1 already" in str(self.refused("g1", "g2"))

    def refused(self, goal_id, parent_id):
        try:
            self.npc.memory.goals.change(goal_id, parent_id=parent_id)
        except ValueError as err:
            return err
        raise AssertionError("a circle of goals was made")
