"""A confidence stays one through the night, and is in nobody else's prompt afterwards."""

import json

from evennia.commands.default.general import CmdSay, CmdWhisper

from evennia_assistant.llm.response import LLMResponse, ToolCall

from tests.game.sleeping import SleepTest

ACTS = ("whisper", "off the record", "private room")
NIGHTS = ("word for word", "by a model", "linked", "restarted", "hidden entry")


def _calls(name, **arguments):
    return LLMResponse(tool_calls=(ToolCall("c", name, json.dumps(arguments)),))


def _seen(requests):
    return json.dumps(
        [
            {key: value for key, value in message.items() if key != "tool_calls"}
            for request in requests
            for message in request.messages
        ]
    )


class TestLeaksAsleep(SleepTest):
    def plant(self, act, canary):
        words = f"the secret word is {canary}, remember it well"
        self.model.add("Hm.")
        self.char1.location, self.char2.location = self.room1, self.room2
        if act == "whisper":
            self.call(CmdWhisper(), f"Bram = {words}", caller=self.char1)
        elif act == "off the record":
            self.call(CmdSay(), f"Bram, between you and me, {words}", caller=self.char1)
        else:
            self.room1.tags.add("private", category="assistant")
            self.call(CmdSay(), f"Bram, {words}", caller=self.char1)
            self.room1.tags.remove("private", category="assistant")
        self.pump(3)
        self.agent.tick()

    def night(self, kind, canary):
        public = self.hear(
            f"The word at the gate is plain{canary[2:5]} today", who="#77", name="Bo"
        )
        if kind == "by a model":
            ask = self.consolidate(
                lambda e, known: {"fact": f"Somebody said that the word is {e['text'][-40:]}"},
                most=10,
            )
            mixed = [p for p in ask.prompts if canary in p and "at the gate" in p]
            assert mixed == []
        else:
            self.consolidate(most=10)
        secret = next(fact for fact in self.kept() if canary in fact.text)
        assert secret.audience not in ("public", None)
        if kind in ("linked", "restarted"):
            self.dream()
            for fact in self.kept():
                if fact.entry_ids == (public["id"],):
                    self.links.link(fact.id, secret.id, 0.99)
            self.links.save()
        if kind == "hidden entry":
            journal = self.memory.journal
            journal.entries.clear()
            journal.store.touch()
            self.memory.save()
        if kind in ("restarted", "hidden entry"):
            self.forget_caches()
            self.pump(1)

    def ask_for(self, canary, who, command=CmdSay):
        self.model._script.clear()
        self.model.add(
            _calls("recall_memories", query=f"secret word {canary}"),
            _calls("recall_memories", query=f"word at the gate plain{canary[2:5]}"),
            _calls("search_journal", query=canary),
            LLMResponse("So I have heard."),
        )
        start = len(self.model.requests)
        if command is CmdSay:
            self.call(command(), "Bram, what is the secret word at the gate?", caller=who)
        else:
            self.call(command(), "Bram = what is the secret word?", caller=who)
        self.pump(3)
        self.model._script.clear()
        return self.model.requests[start:]

    def test_no_fact_or_link_brings_a_confidence_into_a_prompt_for_somebody_else(self):
        leaks, asked, told = [], 0, 0
        cases = [(act, night) for act in ACTS for night in NIGHTS]
        for number, (act, night) in enumerate(cases):
            canary = f"zq{number:03d}xv"
            self.plant(act, canary)
            self.night(night, canary)
            for where in ("alone", "in company"):
                self.char2.location = self.room1
                self.char1.location = self.room1 if where == "in company" else self.room2
                requests = self.ask_for(canary, self.char2)
                asked += bool(requests)
                if canary in _seen(requests):
                    leaks.append((act, night, where))
            self.char1.location, self.char2.location = self.room1, self.room2
            told += canary in _seen(self.ask_for(canary, self.char1, CmdWhisper))
        assert leaks == []
        assert asked == 2 * len(cases), "hollow: not everybody asked"
        assert told == len(cases), "hollow: not even its owner is told"


class TestRecalledAgain(SleepTest):
    def test_a_hundred_turns_of_recalling_add_nothing_to_the_store(self):
        self.hear("I lost my silver ring at the old mill by the river Ash")
        self.hear("My brother Dan keeps the lighthouse at the northern cape", name="Cora", who="#9")
        self.consolidate()
        before = self.texts()
        for n in range(100):
            self.model.add(
                _calls("recall_memories", query="silver ring old mill, brother Dan lighthouse"),
                _calls(
                    "add_journal_entry" if n % 2 else "store_memory",
                    content="Anna lost her silver ring at the old mill by the river Ash."
                    if n % 3
                    else "Cora's brother Dan keeps the lighthouse at the northern cape.",
                ),
                LLMResponse("At the mill, you said."),
            )
            self.call(
                CmdSay(), f"Bram, number {n}: where is the ring, and the mill?", caller=self.char1
            )
            self.pump(3)
            self.agent.tick()
            if n % 25 == 24:
                self.consolidate(most=25)
        assert len(self.model.requests) >= 200, "hollow: the NPC was hardly asked"
        assert self.texts() == before

    def test_what_is_new_in_a_note_is_kept_though_something_was_recalled(self):
        self.hear("I lost my silver ring at the old mill by the river Ash")
        self.consolidate()
        self.model.add(
            _calls("recall_memories", query="silver ring"),
            _calls("store_memory", content="The bishop arrives on the feast of lanterns."),
            LLMResponse("Noted."),
        )
        self.call(CmdSay(), "Bram, the bishop arrives on the feast of lanterns!", caller=self.char1)
        self.pump(3)
        self.agent.tick()
        self.consolidate()
        assert any("bishop" in text for text in self.texts())
