"""A night makes no more vectors than there are texts that are new or were changed in it."""

from unittest import mock

from django.test import override_settings

from evennia_assistant.memory import embedders
from evennia_assistant.memory.embedders import HashingEmbedder

from tests.asleep.sleeping import NightTest

ENTRIES = 40


@override_settings(ASSISTANT_EMBEDDER="hashing")
class TestEmbeddings(NightTest):
    def setUp(self):
        self.asked = []
        embed = HashingEmbedder.embed

        def counted(embedder, texts):
            self.asked.extend(texts)
            return embed(embedder, texts)

        for patch in (
            mock.patch.object(HashingEmbedder, "embed", counted),
            mock.patch.object(embedders, "_loaded", {}),
        ):
            patch.start()
            self.addCleanup(patch.stop)
        super().setUp()

    def texts(self):
        return {item.text for item in self.npc.memory.index.items_for_keeper()}

    def night(self):
        self.asked.clear()
        self.sleep(most=200)
        self.wake()
        return list(self.asked)

    def test_a_night_embeds_what_is_new_and_the_next_nothing(self):
        self.agent.model = None
        for number in range(ENTRIES):
            self.write(1, content=f"Barrel {number} of the cart went to quay {number % 7}.")
        self.npc.memory.save()
        before = self.texts()
        assert len(self.asked) >= ENTRIES, "hollow: nothing was embedded awake"
        made = self.night()
        new = self.texts() - before | {fact.text for fact in self.facts_kept.facts("bram")}
        assert len(made) == len(set(made)) <= len(new)
        self.clock.advance(24 * 3600)
        assert self.night() == []
