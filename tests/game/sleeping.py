"""An NPC with a semantic memory in the process, and a night taken step by step."""

import json

from twisted.internet.defer import succeed

from evennia_assistant.asleep.consolidation import run_sleep_consolidation
from evennia_assistant.asleep.links import run_dreaming_tick
from evennia_assistant.errors import AssistantError
from evennia_assistant.llm.response import LLMResponse
from evennia_assistant.memory import semantic
from evennia_assistant.mind.slots import parse_slots
from evennia_assistant.testing import FakeSemanticMemory

from tests.game.npc import NpcTest


class Extractor:
    """
    A model that turns entries into facts as a test says.

    Args:
        fact_of: Given an entry as the prompt shows it, and the earlier facts, gives a record's
            fields, a list of such, or None to say nothing of it.

    """

    def __init__(self, fact_of):
        self.fact_of = fact_of
        self.prompts = []

    def __call__(self, messages, tools=None):
        self.prompts.append("\n".join(message["content"] for message in messages))
        slots = parse_slots(messages[1]["content"])
        records = []
        for entry in slots["entries"]:
            given = self.fact_of(entry, slots.get("known", []))
            given = given if isinstance(given, list) else [given]
            records += [{"entries": [entry["id"]], **one} for one in given if one is not None]
        return succeed(LLMResponse(json.dumps(records)))


class SleepTest(NpcTest):
    def setUp(self):
        self.facts_kept = FakeSemanticMemory()
        standing = semantic.stand_in(self.facts_kept)
        standing.__enter__()
        self.addCleanup(standing.__exit__, None, None, None)
        super().setUp()

    @property
    def memory(self):
        return self.npc.memory

    @property
    def links(self):
        return self.npc.memory.facts.links

    def hear(
        self,
        content,
        *,
        who=None,
        name="Anna",
        manner="say",
        audience="public",
        save=True,
        **fields,
    ):
        """Something somebody said, as it stands in the journal."""
        who = who or f"#{self.char1.pk}"
        said = {"say": "said", "whisper": "whispered"}[manner]
        fields.setdefault("source_type", "direct")
        entry = self.memory.write(
            f'{name} {said}: "{content}"',
            when=fields.pop("when", None) or self.agent.now(),
            source_entity=name,
            source_id=who,
            audience=audience,
            tags=[manner],
            entities=[who],
            **fields,
        )
        if save:
            self.memory.save()
        return entry

    def tick(self, step=run_sleep_consolidation, *args, **kwargs):
        """One call of a step of the night; what it reports, or raises."""
        outcome = []
        step(self.script, self.npc, *args, **kwargs).addBoth(outcome.append)
        self.pump()
        assert outcome, "the step never ended"
        if not isinstance(outcome[0], dict):
            outcome[0].raiseException()
        return outcome[0]

    def consolidate(self, fact_of=None, most=5, tries=30):
        """Ticks until nothing is left; word for word, or by a model that answers so."""
        ask = Extractor(fact_of) if fact_of else None
        self.agent.model = self.model if fact_of else None
        for _ in range(tries):
            try:
                if self.tick(max_entries_per_tick=most, ask=ask)["completed"]:
                    break
            except AssistantError as err:
                self.failed = err
        else:
            raise AssertionError("consolidation never came to its end")
        self.agent.model = self.model
        return ask

    def dream(self):
        """Link what there is to link."""
        while not self.tick(run_dreaming_tick)["completed"]:
            pass

    def kept(self):
        """The facts semantic memory has, oldest first."""
        return self.facts_kept.facts("bram")

    def texts(self):
        return [fact.text for fact in self.kept()]

    def recalled(self, question, *listeners):
        found = self.memory.recall(
            question, listeners=listeners or [f"#{self.char1.pk}"], now=self.agent.now()
        )
        return [hit.item for hit in found.hits]
