"""Every prompt of a conversation begins with the very bytes the one before it began with."""

from itertools import pairwise

from evennia_assistant.prompts.registry import registry_of

from tests.game.npc import NpcTest

TURNS = 6


class TestPrefix(NpcTest):
    def conversation(self):
        """The prompts of some turns of one conversation."""
        for number in range(TURNS):
            self.model.add(f"Answer number {number}.")
            self.say(f"Bram, here is line number {number}.")
            self.pump(7)
        prompts = [request.messages for request in self.model.requests]
        assert len(prompts) == TURNS
        return prompts

    def assert_stable(self, prompts):
        for before, after in pairwise(prompts):
            assert before[:-1] == after[: len(before) - 1]

    def test_a_conversation_only_grows_at_its_end(self):
        self.npc.memory.teach("The ferry leaves at dawn.")
        prompts = self.conversation()
        self.assert_stable(prompts[1:])
        assert all(prompt[0] == prompts[0][0] for prompt in prompts)

    def test_so_it_does_with_texts_of_the_keepers_own(self):
        registry = registry_of(self.script)
        registry.create_template("pirate", "You are {name}. {tick_rate} {tool_schemas}")
        registry.apply_template("pirate")
        for number in (500, 1200, 1700, 2500, 5500, 7500):
            registry.add_component(number, f"The text of {number}, {{name}}.")
        prompts = self.conversation()
        self.assert_stable(prompts[1:])
        assert all("The text of 1200, Bram." in prompt[0]["content"] for prompt in prompts)
