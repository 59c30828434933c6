"""
T10: two who write on one NPC at a time, in every order a scheduler comes up with.

One is a night, thing by thing as the clock brings it; the other says lines, is its keeper, resumes
the outbox, verifies, or takes another tick of the very same night. No update of either is lost.

"""

import os
import random
import re

import pytest
from evennia.utils.dbserialize import deserialize

from evennia_assistant.asleep import modes
from evennia_assistant.asleep.consolidation import mark_for
from evennia_assistant.asleep.cycle import run_sleep_tick
from evennia_assistant.asleep.night import night_of
from evennia_assistant.asleep.verify import verify
from evennia_assistant.memory.outbox import outbox_of
from evennia_assistant.mind.entry import number_of

from .day import Story, a_day, outcome_of, stored_entries
from .world import KEY, a_world

#: Interleavings; `make faults` does all of them.
PLANNED = 1_000 if os.environ.get("FAULTS") == "all" else 40
OPTION = "cooldown"


class Writers:
    """The other side: each method is one thing it does, and notes what must hold in the end."""

    def __init__(self, world, rng, deeds):
        self.world = world
        self.rng = rng
        self.deeds = [deed for deed in deeds if deed.kind == "say"]
        self.said = []
        self.taught = []
        #: Numbers of the entries that were taken back, and of the newest there was then.
        self.forgotten = {}
        self.option = None
        self.failures = []

    def one(self):
        """Do one thing."""
        doing = self.rng.choice(
            (self.say, self.say, self.teach, self.forget, self.set_option, self.resume,
             self.verify, self.tick, self.save)
        )  # fmt: skip
        doing()

    def say(self):
        if self.deeds:
            deed = self.deeds.pop()
            if self.world.say(deed.who, deed.words) == "TRIGGER":
                self.said.append(deed)

    def teach(self):
        line = f"The keeper's line {self.rng.randrange(10**9)}."
        self.world.npc.memory.teach(line)
        self.taught.append(line)

    def forget(self):
        journal = self.world.npc.memory.journal
        live = [entry["id"] for entry in journal.entries if entry.get("state") != "superseded"]
        if live:
            number = self.rng.choice(live)
            self.world.npc.memory.forget(number)
            self.world.npc.memory.save()
            self.forgotten[number] = max(entry["id"] for entry in journal.entries)

    def set_option(self):
        self.option = self.rng.randrange(1, 100)
        self.world.script.set_option(OPTION, str(self.option))

    def resume(self):
        script = self.world.script
        self.watch(outbox_of(script).resume(lambda facts: mark_for(script, facts)))

    def verify(self):
        world = self.world
        self.watch(verify(world.script, world.npc, heal=True))

    def tick(self):
        self.watch(run_sleep_tick(self.world.script, self.world.npc))

    def save(self):
        self.world.script.agent.save()

    def watch(self, deferred):
        deferred.addErrback(lambda failure: self.failures.append(failure.getTraceback()))


def interleave(world, rng, writers):
    """Night and writer take turns until the night is over; how often they changed over."""
    script = world.script
    modes.order_sleep(script, "deep")
    changes = 0
    for _tick in range(60):
        script.at_tick()
        until = world.life.seconds() + 61
        while world.life.calls and min(c.getTime() for c in world.life.calls) <= until:
            if rng.random() < 0.25:
                writers.one()
                changes += 1
            world.life.step()
        world.life.rightNow = max(world.life.rightNow, until)
        night = night_of(script)
        if night.data["closed"] and not night.running:
            return changes
    raise AssertionError(f"the night does not end: {night_of(script).data}")


def wrong_with(world, writers, marks):
    """All that was lost or doubled, in words."""
    found = list(writers.failures)
    outcome = outcome_of(world)
    entries = stored_entries(world)
    numbers = [entry["id"] for entry in entries]
    by_number = {entry["id"]: entry for entry in entries}
    if len(set(numbers)) != len(numbers):
        found.append(f"two entries of one number among {numbers}")
    for mark in [*marks, *(deed.mark for deed in writers.said)]:
        if outcome.lines[mark] != 1 or outcome.mentions[mark] != 1:
            found.append(f"{outcome.lines[mark]} entries of {mark}")
    found.extend(f"key {key} {count} times" for key, count in outcome.keys.items() if count != 1)
    told = " ".join(text for text, _evidence in outcome.facts)
    for number, entry in by_number.items():
        hold = entry.get("state", "active") != "superseded"
        evidence = {number_of(name) for name in entry.get("evidence", ())}
        if hold == _is_taken_back(number, by_number, writers.forgotten):
            found.append(f"entry {number} is {entry.get('state')}, and rests on {evidence}")
        spoken = [mark for mark in marks if mark in entry["content"]]
        if hold and not evidence and any(mark not in told for mark in spoken):
            found.append(f"no fact of {entry['content']!r}")
        for taken_back, newest in writers.forgotten.items():
            said = by_number[taken_back]
            if said.get("evidence") or number <= newest:
                continue
            words = re.findall(r'"(.+)"', said["content"])[0]
            if words in entry["content"]:
                found.append(f"{words!r} came back as {entry['content']!r}")
    links = deserialize(world.script.attributes.get("memory_links")) or {}
    for fact in world.memory.facts(KEY):
        record = links.get(fact.id)
        if record is None:
            found.append(f"no record of fact {fact.id}")
        elif set(fact.entry_ids) <= set(writers.forgotten) and record.get("state") != "superseded":
            found.append(f"a fact of what was forgotten holds: {fact.text!r}")
    lines = deserialize(world.npc.attributes.get("knowledge")) or []
    taught = [line["text"] if isinstance(line, dict) else line for line in lines]
    found.extend(f"not taught: {line}" for line in writers.taught if line not in taught)
    if writers.option is not None and world.script.option(OPTION) != writers.option:
        found.append(f"{OPTION} is {world.script.option(OPTION)}, not {writers.option}")
    return found


def _is_taken_back(number, by_number, forgotten):
    """Whether an entry was taken back, or rests on nothing but what was."""
    if number in forgotten:
        return True
    evidence = [number_of(name) for name in by_number[number].get("evidence", ())]
    return bool(evidence) and all(_is_taken_back(one, by_number, forgotten) for one in evidence)


@pytest.mark.slow
@pytest.mark.parametrize("by_model", [False, True], ids=["rules", "model"])
def test_whoever_writes_while_an_npc_dreams_loses_no_update_and_costs_it_none(by_model):
    changes = 0
    with a_world(by_model=by_model) as world:
        day = [deed for deed in a_day(5, 8) if deed.kind != "sleep"]
        for deed in day:
            Story(world, [])._do(deed)
        world.tick(7.0)
        world.close_down()
        world.remember_as_beginning()
        marks = list(outcome_of(world).lines)
        assert len(marks) >= 4
        for seed in range(PLANNED // 2):
            world.begin_anew()
            rng = random.Random(seed)
            writers = Writers(world, rng, a_day(1_000 + seed, 8))
            changes += interleave(world, rng, writers)
            modes.order_wake(world.script)
            world.tick(7.0)
            rest = Story(world, [])
            for _night in range(4):
                rest.sleep()
                if rest.at_rest():
                    break
            world.close_down()
            wrong = wrong_with(world, writers, marks)
            assert not wrong, f"seed {seed}: {wrong}"
    assert changes >= PLANNED // 2
