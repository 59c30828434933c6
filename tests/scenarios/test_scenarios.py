"""
The scenarios of EchoVessel, told to an NPC: what it keeps of a talk, and what it thinks of it.

The model is scripted (`answers.py`), so what is shown is that a good answer has its effect, and
that each talk reaches the model whole; `files.py` says where the scenarios come from.

"""

import json

import pytest

from evennia_assistant.asleep.conversations import extract_conversations
from evennia_assistant.asleep.reflection import reflect_if_due, run_reflection
from evennia_assistant.memory.reflection_state import check_reflection_trigger
from evennia_assistant.mind import entry as entries
from evennia_assistant.mind.slots import parse_slots

from tests.game.talking import TalkTest
from tests.scenarios.answers import EXTRACTED, REFLECTED
from tests.scenarios.files import scenario

HOUR = 3600.0


class TestScenarios(TalkTest):
    def begin(self, name):
        """What a scenario starts with, and its talk, an hour ago."""
        told = scenario(name)
        self.seeded = [
            self.memory.write(
                event["description"],
                when=self.clock.seconds() + event.get("created_at_offset_hours", -1) * HOUR,
                source_type="direct",
                source_id=self.who,
                source_entity="Char",
                audience="public",
                entities=[self.who],
                valence=event.get("emotional_impact", 0) / 10,
                relational_tags=event.get("relational_tags", []),
            )
            for event in told["seed"].get("seed_events", ())
        ]
        for turn in told["turns"]:
            self.tell(turn["content"], role="user" if turn["role"] == "user" else "assistant")
            self.clock.advance(20)
        self.memory.save()
        self.clock.advance(HOUR)
        return told

    def extract(self, name, told):
        """The talk is over; what the one call for it leaves."""
        lines = [turn["content"] for turn in told["turns"]]

        def number(piece):
            return next(at for at, line in enumerate(lines, 1) if piece in line)

        answer = [
            {**record, "talk": 1, "lines": [number(piece) for piece in record.get("lines", ())]}
            for record in EXTRACTED[name]
        ]
        self.model.add(json.dumps(answer, ensure_ascii=False))
        before = len(self.memory.journal.entries)
        done = self.result_of(extract_conversations(self.script, self.npc))
        if done["calls"]:
            shown = parse_slots(self.model.requests[-1].messages[1]["content"])["lines"]
            assert [line["text"] for line in shown] == lines, "the model was not shown the talk"
        assert done["problems"] == []
        return [
            entry
            for entry in self.memory.journal.entries[before:]
            if entries.get(entry, "kind") == "event"
        ]

    def reflect(self, name, run):
        """A reflection, as the scripted model thinks; the insights."""
        questions, insight = REFLECTED[name]
        numbers = [f"j{entry['id']}" for entry in self.memory.journal.entries]
        answer = [{"insight": insight, "evidence": numbers}]
        self.model.add(
            json.dumps(questions, ensure_ascii=False), json.dumps(answer, ensure_ascii=False)
        )
        self.result_of(run(self.script, self.npc))
        return [e for e in self.memory.journal.entries if entries.get(e, "kind") == "synthesis"]

    def holds(self, told, events):
        """What the scenario asks of the events that were made."""
        asked = told["invariants"]
        assert asked.get("events_min", 0) <= len(events) <= asked.get("events_max", 99)
        words = " ".join(event["content"] for event in events)
        mentioned = asked.get("must_mention_any")
        assert mentioned is None or any(word in words for word in mentioned)
        wanted = asked.get("must_have_relational_tag_any")
        tags = {tag for event in events for tag in entries.get(event, "relational_tags")}
        assert wanted is None or tags.intersection(wanted)

    def test_e1_user_self_disclosure(self):
        told = self.begin("e1_user_self_disclosure")
        self.holds(told, self.extract("e1_user_self_disclosure", told))
        (cat,) = self.memory.profiles.ids_in("mochi", [self.who])
        assert self.memory.profiles.get(cat)["kind"] == "pet"

    def test_e2_user_only_asks(self):
        told = self.begin("e2_user_only_asks")
        self.holds(told, self.extract("e2_user_only_asks", told))

    def test_e3_buried_shock(self):
        told = self.begin("e3_buried_shock")
        assert not check_reflection_trigger(self.script)
        events = self.extract("e3_buried_shock", told)
        self.holds(told, events)
        assert any(entries.get(event, "valence") <= -0.7 for event in events)
        assert check_reflection_trigger(self.script)
        assert self.reflect("e3_buried_shock", reflect_if_due)

    def test_e4_correction(self):
        told = self.begin("e4_correction")
        self.holds(told, self.extract("e4_correction", told))

    def test_e5_reflection_abstraction(self):
        told = self.begin("e5_reflection_abstraction")
        self.extract("e5_reflection_abstraction", told)
        insights = self.reflect("e5_reflection_abstraction", run_reflection)
        assert len(insights) >= told["invariants"]["thoughts_min"]
        assert len(insights[0]["evidence"]) >= told["invariants"]["filling_min"]

    def test_e8_bilingual(self):
        told = self.begin("e8_bilingual")
        events = self.extract("e8_bilingual", told)
        assert told["invariants"]["output_language"] == "zh"
        for event in events:
            chinese = sum("\u4e00" <= char <= "\u9fff" for char in event["content"])
            assert chinese > len(event["content"]) / 2
        assert "in the language of the talk" in str(self.model.requests[0].messages[0])


@pytest.mark.parametrize("name", sorted(EXTRACTED))
def test_each_scenario_there_is_has_an_answer(name):
    assert scenario(name)["fixture_id"] == name
