"""A year of days and nights: what an NPC holds stays bounded, and nothing it was told is lost."""

import json
import pickle

import pytest
from evennia.utils.dbserialize import deserialize
from twisted.internet.defer import succeed

from evennia_assistant.asleep import modes
from evennia_assistant.asleep.night import night_of
from evennia_assistant.llm.response import LLMResponse, Usage
from evennia_assistant.mind.slots import parse_slots

from tests.asleep.sleeping import NightTest

DAYS = 365
DAY = 86_400.0
#: Days over which the work of a night is compared, at the beginning of the year and at its end.
MONTH = 30
#: Most ticks one night of a few lines may take.
MOST_TICKS = 25
PLACES = ("mill", "quay", "chapel", "ford", "smithy", "market", "bridge", "orchard")
DEEDS = ("lost", "sold", "found", "hid", "mended", "bought", "won")
THINGS = (
    "ring",
    "kettle",
    "net",
    "map",
    "lute",
    "cloak",
    "brooch",
    "saddle",
    "loom",
    "anvil",
    "cask",
)


class Mind:
    """A model that answers every prompt of a night with something sound, and counts them."""

    provider_name, model, supports_tools = "scripted", "scripted", True

    def __init__(self):
        self.calls = 0

    def chat_completion(self, messages, tools=None, **_options):
        self.calls += 1
        slots = parse_slots(str(messages[-1]["content"]))
        return succeed(LLMResponse(self.answer(slots, tools), usage=Usage(100, 20)))

    def answer(self, slots, tools):
        if "events" in slots:
            return json.dumps([{"id": e["id"], "score": 6} for e in slots["events"]])
        if "event" in slots:
            return "6"
        if "entries" in slots:
            return json.dumps([{"entries": [e["id"]], "fact": e["text"]} for e in slots["entries"]])
        if "observations" in slots:
            (first, *_rest) = slots["observations"]
            found = {"type": "trade", "value": first["text"][:40], "evidence": [first["id"]]}
            return json.dumps([found])
        if "today" in slots:
            (first, *_rest) = slots["memories"]
            text = f"More is lost after {first['id']}."
            return json.dumps([{"what": "expectation", "text": text, "evidence": [first["id"]]}])
        if "memories" in slots:
            shown = [record["id"] for record in slots["memories"] if "id" in record]
            if not tools:
                return json.dumps(["Who loses the most things in this town?"])
            return json.dumps([{"insight": "The town loses its things.", "evidence": shown[:2]}])
        talks = dict.fromkeys(line["talk"] for line in slots.get("lines", ()))
        return json.dumps([{"talk": n, "what": "summary", "text": "They talked."} for n in talks])


class Year(NightTest):
    __test__ = False
    thinks = False

    def setUp(self):
        super().setUp()
        self.agent.model = Mind() if self.thinks else None
        self.people = [(f"#{1000 + n}", f"Guest{n}") for n in range(8)]
        self.told = []

    def live(self, day):
        """A few lines of some of the people, one of them whispered."""
        for turn in range(4):
            who, name = self.people[(day * 3 + turn) % len(self.people)]
            kind = (day * 4 + turn) // 7
            words = (
                f"I {DEEDS[turn + day % 3]} the {THINGS[day % 11]} number {day} "
                f"by the {PLACES[kind % 8]}."
            )
            private = turn == 3
            audience = sorted([who, f"#{self.npc.pk}"]) if private else "public"
            manner = "whisper" if private else "say"
            memory, now = self.npc.memory, self.clock.seconds() + turn
            entry = memory.write(
                f'{name} {"whispered" if private else "said"}: "{words}"',
                when=now,
                source_type="direct",
                source_entity=name,
                source_id=who,
                audience=audience,
                tags=[manner],
                entities=[who],
            )
            memory.profiles.ensure(who, "player", name)
            memory.profiles.record_exchange(who, when=now, new_meeting=True)
            memory.profiles.add_observation(
                who, words, audience=audience, entry_id=entry["id"], when=now
            )
            for role, said in (("user", words), ("assistant", "I shall keep my eyes open.")):
                memory.working.add_message(
                    who, role, said, name=name, manner=manner, audience=audience,
                    entry_id=entry["id"] if role == "user" else None, when=now,
                )  # fmt: skip
            memory.tidy_conversations(when=now)
            self.told.append((entry["id"], words))
        self.npc.memory.save()

    def night(self):
        """Go to bed, sleep through, and wake; how many ticks and calls it took."""
        self.clock.advance(DAY * 2 / 3)
        modes.transition_mode(self.script, "sleep", "it is late", by="schedule")
        calls = getattr(self.agent.model, "calls", 0)
        ticks = 0
        while True:
            report = self.tick()
            ticks += 1
            self.clock.advance(60)
            if not report["open"]:
                break
            assert ticks < MOST_TICKS, night_of(self.script).data
        ledger = deserialize(self.script.db.last_night)["ledger"]
        stuck = {name: line for name, line in ledger.items() if line["state"] != "done"}
        assert not stuck, stuck
        assert modes.perform_wake_transition(self.script, "morning")
        self.clock.advance(DAY / 3 - 60 * ticks)
        return ticks, getattr(self.agent.model, "calls", 0) - calls

    def year(self):
        """Live a year; ticks and calls of each night, and the size of all Attributes by month."""
        taken, sizes = [], []
        for day in range(DAYS):
            self.live(day)
            taken.append(self.night())
            if day % MONTH == MONTH - 1:
                sizes.append(self.sizes())
                self.check_bounds()
        return taken, sizes

    def sizes(self):
        """Bytes of each Attribute that is written in the course of days and nights."""
        held = {}
        for obj in (self.npc, self.script):
            for row in obj.attributes.all():
                if row.db_category is None:
                    held[row.db_key] = len(pickle.dumps(deserialize(row.value)))
        return held

    def check_bounds(self):
        memory, journal = self.npc.memory, self.npc.memory.journal
        data = journal.store.data
        # Document 000: a hundred live entries; the rest stands in the archive.
        assert len(data["entries"]) <= 100
        assert len(data["consolidated_entry_ids"]) <= 200
        assert len(data.get("waiting_archive", ())) <= 2 and not data.get("set_aside")
        assert not [e for e in journal.unconsolidated() if e["id"] not in self.made_last_night()]
        # One record for each person, ten observations and two dozen attributes each.
        assert len(memory.profiles.store.data) == len(self.people)
        for profile in memory.profiles.store.data.values():
            assert len(profile["observations"]) <= 10 and len(profile["attributes"]) <= 24
        # Conversations that were looked through are cleared.
        assert len(memory.working.store.data) <= len(self.people)
        assert sum(len(r["messages"]) for r in memory.working.store.data.values()) <= 100
        assert len(memory.working.ended.store.data) <= 2 * len(self.people)
        # What leads to the next reflection, the outbox, and the ledgers of one night.
        state = memory.reflection.store.data
        assert len(state["entries_since_reflection"]) <= 500 and len(state["questions"]) <= 10
        assert not (deserialize(self.script.db.mem0_outbox) or {}).get("records")
        assert len(memory.facts.links.store.data) <= 600

    def made_last_night(self):
        return deserialize(self.script.db.last_night)["made"]

    def check_year(self):
        taken, sizes = self.year()
        ticks, calls = zip(*taken, strict=True)
        # A night of December has as much to do as one of February.
        early, late = slice(MONTH, 2 * MONTH), slice(-MONTH, None)
        assert sum(ticks[late]) <= 1.2 * sum(ticks[early]) + MONTH
        assert sum(calls[late]) <= 1.2 * sum(calls[early]) + MONTH
        # What is written again and again does not grow; facts have 500 records in one Attribute.
        bounded = {key for key in sizes[-1] if key != "memory_links"}
        grown = {
            key: (sizes[3].get(key, 0), sizes[-1][key])
            for key in bounded
            if sizes[-1][key] > 1.3 * sizes[3].get(key, 0) + 4_000
        }
        assert not grown, grown
        # The index holds what the stores hold, once.
        memory = self.npc.memory
        entries = memory.journal.store.data["entry_count"]
        assert len(memory.index) <= 2 * entries <= 40 * DAYS
        # Nothing it was told is lost: each line is in the journal, and a fact was made of it.
        facts = {n for fact in self.facts_kept.facts("bram") for n in fact.entry_ids}
        for number, words in self.told:
            assert words in memory.journal.find_anywhere(number)["content"]
            assert number in facts, words
        keys = [fact.key for fact in self.facts_kept.facts("bram")]
        assert len(set(keys)) == len(keys)
        # And what was whispered in spring is whispered still.
        number, words = self.told[DAYS // 4 * 4 + 3]
        (secret,) = [f for f in self.facts_kept.facts("bram") if number in f.entry_ids]
        assert secret.audience != "public"
        others = [who for who, _name in self.people if who not in secret.audience]
        now = self.agent.now()
        hits = memory.recall(words, listeners=[others[0]], now=now, deep=True).hits
        assert all(words not in hit.item.text for hit in hits)
        friend = next(who for who in secret.audience if who != f"#{self.npc.pk}")
        hits = memory.recall(words, listeners=[friend], now=now, deep=True).hits
        assert any(words in hit.item.text for hit in hits)


@pytest.mark.slow
class TestYearWithoutModel(Year):
    __test__ = True

    def test_a_year_without_a_model_stays_within_its_bounds_and_loses_nothing(self):
        self.check_year()


@pytest.mark.slow
class TestYearWithModel(Year):
    __test__ = True
    thinks = True

    def test_a_year_with_a_model_stays_within_its_bounds_and_loses_nothing(self):
        self.check_year()
        assert self.npc.memory.reflection.store.data["reflection_count"] > 12
