"""A goal, a note and an error that a confidence went into are as confidential as it is."""

import json

import pytest
from evennia.commands.default.general import CmdSay, CmdWhisper

from evennia_assistant.asleep.conversation_records import checked
from evennia_assistant.llm.response import LLMResponse, ToolCall
from evennia_assistant.mind import entry as entries
from evennia_assistant.mind.goal_steps import checked_step

from tests.game.npc import NpcTest


def _calls(name, **arguments):
    return LLMResponse(tool_calls=(ToolCall("c", name, json.dumps(arguments)),))


class TestMarks(NpcTest):
    options = {**NpcTest.options, "allowed_tools": "create_goal, update_goal, list_goals"}

    def whisper(self, *replies):
        self.model.add(*replies)
        self.call(CmdWhisper(), "Bram = the crown lies in the well", caller=self.char1)
        self.pump(3)

    def test_a_goal_changed_in_confidence_is_no_longer_for_everybody(self):
        goal = self.npc.memory.goals.create(
            "Find the crown", audience="public", asked_by=[f"#{self.char1.pk}"]
        )
        changed = _calls("update_goal", goal_id=goal["goal_id"], description="Look in the well")
        self.whisper(changed, LLMResponse("Aye."))
        assert goal["description"] == "Look in the well"
        assert set(goal["audience"]) == {f"#{self.char1.pk}", f"#{self.npc.pk}"}

    def test_a_goal_set_in_confidence_is_not_listed_aloud_before_its_owner_alone(self):
        self.whisper(_calls("create_goal", description="Look in the well"), LLMResponse("Aye."))
        self.char2.location = self.room2
        self.model.add(_calls("list_goals"), LLMResponse("Nothing."))
        self.call(CmdSay(), "Bram, what are you up to?", caller=self.char1)
        self.pump(3)
        assert "Look in the well" not in json.dumps(self.model.requests[-1].messages)

    def test_a_note_written_in_a_whispered_turn_stays_a_confidence(self):
        self.whisper(
            _calls("add_journal_entry", content="A treasure is under water."), LLMResponse("Aye.")
        )
        note = next(e for e in self.npc.memory.journal.entries if "under water" in e["content"])
        assert entries.in_confidence(note)


def test_what_a_model_wrote_stands_in_no_error():
    for check in (
        lambda: checked({"what": "zq00001xv", "text": "a"}, []),
        lambda: checked({"what": "memory", "text": "a", "talk": "zq00001xv"}, []),
        lambda: checked_step({"description": "I should say zq00001xv"}),
    ):
        with pytest.raises(ValueError) as failure:
            check()
        assert "zq00001xv" not in str(failure.value)
