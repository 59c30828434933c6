"""
What was said in confidence reaches nobody else: a canary in every confidence.

Each case plants an utterance with a word of its own before an NPC, and then lets every kind of
listener ask; the model searches by every tool that reads memory. The suite counts its
canaries and fails as hollow when there were fewer than planned.

"""

import itertools
import json

from evennia.commands.default.general import CmdSay, CmdWhisper
from evennia.utils.create import create_object

from evennia_assistant.llm.response import LLMResponse, ToolCall

from tests.game.npc import NpcTest

#: How a confidence comes about.
ACTS = ("whisper", "off the record", "private room", "strict npc", "told another npc", "not there")
#: Who asks about it afterwards.
LISTENERS = ("present", "absent", "later arrival", "renamed", "other room", "in company")


class TestLeaks(NpcTest):
    planned = len(ACTS) * len(LISTENERS)

    def setUp(self):
        super().setUp()
        self.tried = 0
        self.script.set_option("allowed_tools", "search_memory")
        self.other, self.other_script = self.make_npc("Greta", "greta", location=self.room2)

    def answers(self, canary):
        """The model searches by every path and then tells all it can see."""
        replies = [
            _calls("recall_memories", query=f"secret {canary}"),
            _calls("search_journal", query=canary),
            _calls("search_journal", query=canary, semantic=False),
            _calls("search_memory", query=canary, action="secret", when="today", limit=30),
            LLMResponse("So I have heard."),
        ]
        self.model.add(*replies)

    def plant(self, act, canary):
        """Let char1 say something with the canary in it that char2 may not be told."""
        words = f"the secret word is {canary}, remember it well"
        self.model.add("Hm.")
        room, tell = self.room1, lambda: self.call(CmdSay(), f"Bram, {words}", caller=self.char1)
        self.char2.location = self.room2
        if act == "whisper":
            self.call(CmdWhisper(), f"Bram = {words}", caller=self.char1)
        elif act == "off the record":
            self.call(CmdSay(), f"Bram, between you and me, {words}", caller=self.char1)
        elif act == "private room":
            room.tags.add("private", category="assistant")
            tell()
            room.tags.remove("private", category="assistant")
        elif act == "strict npc":
            self.script.set_option("strict_audience", "yes")
            tell()
            self.script.set_option("strict_audience", "no")
        elif act == "told another npc":
            self.char1.location = self.room2
            self.other_script.agent.model = self.model
            self.char2.location = self.room1
            self.call(CmdSay(), f"Greta, {words}", caller=self.char1)
            self.char1.location = self.room1
        elif act == "not there":
            self.model._script.pop()
            self.char1.location = self.room2
            self.npc_was_elsewhere(words)
            self.char1.location = self.room1
        self.pump(3)
        self.agent.tick()

    def npc_was_elsewhere(self, words):
        self.other_script.disable()
        self.call(CmdSay(), words, caller=self.char1)
        self.other_script.enable()

    def ask(self, listener, canary):
        """Let somebody who may not know ask for it."""
        asker = self.char2
        self.char1.location = self.room2
        asker.location = self.room1
        if listener == "absent":
            asker = create_object(
                "evennia.objects.objects.DefaultCharacter", key="Absent", location=self.room1
            )
        elif listener == "later arrival":
            asker.location = self.room2
            asker.move_to(self.room1)
        elif listener == "renamed":
            asker.key = "Char"  # the name of the one who confided
        elif listener == "other room":
            self.npc.location = asker.location = self.room2
            self.char1.location = self.room1
        elif listener == "in company":
            self.char1.location = self.room1
        self.answers(canary)
        start = len(self.model.requests)
        self.call(CmdSay(), f"Bram, what is the secret word {canary[:2]}...?", caller=asker)
        self.pump(3)
        if listener == "renamed":
            asker.key = "Char2"
        self.npc.location = self.room1
        if asker is not self.char2:
            asker.delete()
        self.model._script.clear()
        return self.model.requests[start:]

    def test_no_confidence_reaches_a_prompt_for_somebody_else(self):
        leaks = []
        asked = 0
        for number, (act, listener) in enumerate(itertools.product(ACTS, LISTENERS)):
            canary = f"zq{number:03d}xv"
            self.char1.location = self.room1
            self.plant(act, canary)
            requests = self.ask(listener, canary)
            self.tried += 1
            asked += bool(requests)
            if canary in "".join(map(_seen, requests)):
                leaks.append((act, listener))
        assert self.tried == self.planned
        assert asked >= self.planned * 0.8, f"hollow: only {asked} of {self.planned} were asked"
        assert leaks == []

    def test_the_one_who_confided_is_still_told(self):
        for number, act in enumerate(("whisper", "off the record", "private room", "strict npc")):
            canary = f"yw{number:03d}kd"
            self.char1.location = self.room1
            self.plant(act, canary)
            self.char2.location = self.room2
            self.answers(canary)
            start = len(self.model.requests)
            self.call(CmdWhisper(), "Bram = what is the secret word?", caller=self.char1)
            self.pump(3)
            self.model._script.clear()
            assert canary in "".join(map(_seen, self.model.requests[start:])), act
            # Of the tools only `search_memory` gives memories with their tags.
            tools = [m["content"] for m in self.model.requests[-1].messages if m["role"] == "tool"]
            found = [text for text in tools if '"memories"' in text and '"tags"' in text]
            assert any(canary in text for text in found), f"hollow: {act} was not searched for"


def _calls(name, **arguments):
    return LLMResponse(tool_calls=(ToolCall("c", name, json.dumps(arguments)),))


def _seen(request):
    """What the model was shown: everything but the calls it made itself."""
    return json.dumps(
        [
            {key: value for key, value in message.items() if key != "tool_calls"}
            for message in request.messages
        ]
    )
