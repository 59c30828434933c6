"""A night on real Attributes: it ends, whatever goes wrong in it, and doubles nothing."""

import json

from evennia_assistant.asleep.cycle import run_sleep_tick
from evennia_assistant.asleep.night import night_of

from tests.game.npc import NpcTest


class NightTest(NpcTest):
    """`self.tick()` is one tick of the night; `self.sleep()` takes ticks until it is over."""

    def tick(self):
        done = []
        deferred = run_sleep_tick(self.script, self.npc)
        deferred.addBoth(done.append)
        for _try in range(60):
            if done:
                break
            self.clock.advance(0.01)
        assert done, "the tick does not end"
        if hasattr(done[0], "raiseException"):
            done[0].raiseException()
        return done[0]

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

    def scores(self, score=4):
        """Answers a scoring prompt with one score for all."""

        def answer(asked):
            lines = asked.messages[-1]["content"].splitlines()
            events = [json.loads(line) for line in lines if line.startswith("{")]
            return json.dumps([{"id": event["id"], "score": score} for event in events])

        return answer
