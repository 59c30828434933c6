"""An NPC whose nights a test takes tick by tick."""

import json
from copy import deepcopy

from evennia.utils.dbserialize import deserialize
from twisted.python.failure import Failure

from evennia_assistant.asleep.cycle import run_sleep_tick
from evennia_assistant.asleep.night import night_of
from evennia_assistant.memory import semantic
from evennia_assistant.mind.slots import parse_slots
from evennia_assistant.testing import FakeSemanticMemory

from tests.game.npc import NpcTest


class NightTest(NpcTest):
    """`self.tick()` is one tick of the night; `self.sleep()` takes ticks until it is over."""

    def setUp(self):
        self.facts_kept = FakeSemanticMemory()
        standing = semantic.stand_in(self.facts_kept)
        standing.__enter__()
        self.addCleanup(standing.__exit__, None, None, None)
        super().setUp()

    def tick(self):
        return self.fired(run_sleep_tick(self.script, self.npc))

    def sleep(self, most=80):
        reports = []
        for _tick in range(most):
            report = self.tick()
            reports.extend(report["done"])
            self.clock.advance(60)
            if not report["open"]:
                return reports
        raise AssertionError(f"the night goes on and on: {night_of(self.script).data}")

    def wake(self):
        self.script.attributes.remove("sleep_phase")

    def forget_caches(self):
        for held in list(self.script.nattributes.all()):
            if held.key not in ("agent", "assistant_clock"):
                self.script.nattributes.remove(held.key)
        super().forget_caches()

    def write(self, number=1, **fields):
        fields.setdefault("audience", "public")
        made = []
        for _each in range(number):
            count = self.npc.memory.journal.store.data["entry_count"]
            made.append(
                self.npc.memory.write(
                    fields.pop("content", None) or f"Event {count + 1} at the quay.",
                    when=self.clock.seconds(),
                    **fields,
                )
            )
        self.npc.memory.save()
        return made

    def fired(self, deferred):
        """What a Deferred fires with, or its error, raised."""
        done = []
        deferred.addBoth(done.append)
        for _try in range(200):
            if done:
                break
            self.clock.advance(0.01)
        assert done, "it does not end"
        if isinstance(done[0], Failure):
            done[0].raiseException()
        return done[0]

    def dream(self, asked):
        """Answers every prompt of a night sensibly; for `ScriptedModel._handler`."""
        slots = parse_slots(asked.messages[-1]["content"])
        system = asked.messages[0]["content"]
        if "event" in slots:
            return "4"
        if "events" in slots:
            return json.dumps([{"id": event["id"], "score": 4} for event in slots["events"]])
        if "entries" in slots:
            facts = [{"entries": [e["id"]], "fact": e["text"]} for e in slots["entries"]]
            return json.dumps(facts)
        if "day" in slots:
            held = slots["day"]
            lines = [
                {"what": "line", "day": each["day"], "text": each["text"], "from": [each["id"]]}
                for each in held[:4]
            ]
            note = {"what": "note", "text": f"Still: {held[0]['text']}", "from": [held[0]["id"]]}
            return json.dumps([*lines, note])
        if "topics" in slots:
            return json.dumps(
                [
                    {"topic": group["topic"], "name": "The quay", "digest": "It is busy."}
                    for group in slots["topics"]
                ]
            )
        if "entities" in slots:
            return "[]"
        if "observations" in slots:
            ids = [note["id"] for note in slots["observations"]]
            return json.dumps([{"type": "drink", "value": "tea", "evidence": ids}])
        if "questions as texts" in asked.messages[-1]["content"]:
            return json.dumps(["What happens at the quay?"])
        if "today" in slots:
            return "[]"
        if "memories" in slots:
            ids = [line["id"] for line in slots["memories"] if "id" in line][:2]
            return json.dumps([{"insight": "The quay is a busy place.", "evidence": ids}])
        raise AssertionError(f"no answer for: {system[:200]}")

    def memory_state(self):
        """All that the NPC remembers, as the database has it."""
        return deepcopy(
            {
                key: deserialize(self.npc.attributes.get(key))
                for key in ("journal", "entity_profiles", "working_memory", "reflection_state")
            }
        )
