"""
Who asks to be forgotten is: no word of theirs is left anywhere.

Hundreds of words of one player's own are planted by every way an NPC hears, slept over, thought
about, and then forgotten. The suite counts what it planted and found before, and fails as hollow
when that was less than planned.

"""

import json
from unittest import mock

import pytest

from evennia_assistant.asleep import forgotten_facts
from evennia_assistant.asleep.forgetting import forget, look_for, person_subject, subject_of
from evennia_assistant.asleep.night import night_of
from evennia_assistant.errors import StoreError
from evennia_assistant.memory import forgetting
from evennia_assistant.memory.boundaries import watched_by
from evennia_assistant.memory.forgetting_record import forgetting_of
from evennia_assistant.memory.pending_import import PendingImport
from evennia_assistant.mind import scrubbing, scrubbing_journal
from evennia_assistant.mind.card_reading import proposal_of
from evennia_assistant.typeclasses.options import INSIDE, OPTIONS

from tests.cards import as_bytes, v3
from tests.game.forgetting import ACTS, CANARY, ForgetTest, canary
from tests.game.sleeping import SleepTest

#: Stores that must have had canaries in them, so that their absence afterwards says something.
FILLED = (
    "journal",
    "working_memory",
    "entity_profiles",
    "context_buffer",
    "reflection_state",
    "session_memory",
    "projects",
    "journal_set_aside",
    "turn_log",
    "execution_log",
    "confirmations",
    "current_goals",
    "carry_notes",
    "pending_events",
    "before_night",
    "last_night",
    "memory_topics",
    "facts",
)


class TestForgetMe(ForgetTest):
    def full(self):
        """A day, a night, and another morning."""
        self.plant()
        self.sleep(most=300)
        self.wake()
        self.plant(each=2)
        self.plant_records()
        self.wait_in_queue()

    def test_no_word_of_a_forgotten_player_is_left_in_any_store(self):
        self.full()
        assert len(self.planted) >= 200
        before = self.places()
        everywhere = set().union(*before.values())
        assert len(everywhere) >= 200, f"hollow: {len(everywhere)} of {len(self.planted)}"
        missing = [store for store in FILLED if not before.get(store)]
        assert not missing, f"hollow: nothing was planted in {missing}"
        assert any("assistant_archive" in store for store in before), "hollow: no archive"
        talks = [store for store in before if "assistant_talk" in store]
        assert talks and all(before[store] for store in talks[-1:]), "hollow: no talk log"
        acts = {self.planted[word] for word in everywhere if word in self.planted}
        assert set(ACTS) <= acts
        bytes_before = self.in_bytes()
        assert len(bytes_before) >= 200, f"hollow: {len(bytes_before)} in the file"
        barley = self.barley()
        assert barley >= 6

        done = self.fired(forget(self.script, person_subject(self.script, self.anna)))
        self.adopt()

        assert done.completed
        assert self.places() == {}
        assert self.in_bytes() == set()
        assert self.anna not in json.dumps(self.stores().get("working_memory", ""))
        assert self.anna not in self.npc.db.entity_profiles
        assert self.barley() == barley
        self.nothing_comes_back()

    def barley(self):
        return sum(
            "grinds barley" in entry["content"] and entry.get("source_id") == f"#{self.char2.pk}"
            for entry in self.npc.memory.journal.all_entries()
        )

    def nothing_comes_back(self):
        """Not by recall, in no prompt, in no command, after a restart, after a night."""
        self.char1.location = self.room2
        self.script.set_option("cooldown", "0")
        self.forget_caches()
        self.pump(3)
        start = len(self.echo.prompts)
        for who in (self.char2,):
            self.tell("say", "what do you know of Anna and of her words?", who)
            self.tell("whisper", "what did Anna keep at home?", who)
        self.pump(5)
        self.sleep(most=300)
        assert len(self.echo.prompts) > start + 2
        assert CANARY.findall("".join(self.echo.prompts[start:])) == []
        hits = self.npc.memory.index.search_for_keeper(
            "the word I keep at home", now=self.agent.now(), limit=500
        )
        assert CANARY.findall("".join(hit.item.text for hit in hits)) == []
        assert self.places() == {}


class Killed(Exception):
    """Ends the work as a kill would."""


class TestForgettingUnderFaults(ForgetTest):
    each = 2

    def setUp(self):
        super().setUp()
        self.plant()
        self.sleep(most=300)
        self.wake()
        self.plant(each=1)
        assert len(self.places()["facts"]) >= 12

    def forget_anna(self, mode="orphan"):
        return self.fired(forget(self.script, person_subject(self.script, self.anna), mode))

    def nothing_is_half_done(self, before):
        """All of it is there, or nothing but what semantic memory has still to delete."""
        places = self.places()
        facts = places.pop("facts", set())
        assert places == {k: v for k, v in before.items() if k != "facts"} or places == {}
        if not places and facts:
            assert forgetting_of(self.script).under_way
            self.shown_to_nobody()

    def shown_to_nobody(self):
        hits = self.npc.memory.index.search_for_keeper(
            "the word kept at home", now=self.agent.now(), limit=500
        )
        assert CANARY.findall("".join(hit.item.text for hit in hits)) == []

    def test_a_kill_at_any_point_leaves_all_of_it_or_nothing_and_is_gone_on_with(self):
        fired = 0
        kept = self.snapshot()
        for point in [*forgetting.POINTS, *forgotten_facts.POINTS]:
            self.restore(kept)
            before = self.places()

            def die(name, point=point):
                if name == point:
                    raise Killed(point)

            with watched_by(die), pytest.raises(Killed):
                self.forget_anna()
            fired += 1
            self.forget_caches()
            self.pump(1)
            self.nothing_is_half_done(before)
            if self.places():
                self.forget_anna()
            assert self.places() == {}, point
            assert not forgetting_of(self.script).under_way
        assert fired == len(forgetting.POINTS) + len(forgotten_facts.POINTS) >= 7

    def test_semantic_memory_that_fails_is_told_and_tried_again(self):
        kept = self.snapshot()
        tried = 0
        for method in ("all", "delete", "find_by_keys"):
            for fault in ("raise", "lost", "half"):
                self.restore(kept)
                # Looking for what goes asks once before anything is deleted.
                self.facts_kept.fail(method, fault, times=3)
                outcome = self.forget_anna()
                tried += 1
                places = self.places()
                assert set(places) <= {"facts"}, (method, fault)
                assert not outcome.completed and outcome.problem
                self.facts_kept._faults.clear()
                self.shown_to_nobody()
                self.forget_caches()
                self.pump(1)
                assert self.places() == {}, (method, fault)
        assert tried == 9

    def test_forgetting_twice_changes_nothing_more(self):
        self.forget_anna()
        self.adopt()
        self.agent.save()
        once = self.stores()
        again = self.forget_anna()
        assert (again.choice.entries, again.choice.facts) == (set(), set())
        twice = self.stores()
        assert {key: twice[key] for key in twice if key != "forgetting"} == {
            key: once[key] for key in once if key != "forgetting"
        }

    def test_a_night_that_meets_an_unfinished_forgetting_finishes_it_first(self):
        self.facts_kept.fail("delete", "raise", times=2)
        self.forget_anna()
        assert self.places().keys() == {"facts"}
        self.facts_kept._faults.clear()
        self.adopt()
        self.sleep(most=300)
        assert self.places() == {}

    def test_what_is_said_afterwards_is_a_new_memory(self):
        self.facts_kept.fail("delete", "raise", times=2)
        self.forget_anna()
        self.facts_kept._faults.clear()
        self.adopt()
        self.clock.advance(60)
        word = canary(90_000)
        self.planted[word] = "afterwards"
        self.tell("say", f"we meet for the first time, my word is {word}")
        self.sleep(most=300)
        assert self.places()["facts"] == {word}
        assert self.npc.memory.profiles.get(self.anna)["relationship"]["interaction_count"] == 1


class TestEveryStoreIsGoneThrough(ForgetTest):
    """Without its part of the work, each store is found to keep something."""

    each = 2

    def test_a_store_left_out_is_noticed(self):
        self.plant()
        self.sleep(most=300)
        self.wake()
        self.plant(each=1)
        self.plant_records()
        self.wait_in_queue()
        kept = self.snapshot()
        noticed = 0
        every = [(scrubbing.OF_CHARACTER, key) for key in scrubbing.OF_CHARACTER]
        every += [(scrubbing.OF_SCRIPT, key) for key in scrubbing.OF_SCRIPT]
        for table, key in every:
            self.restore(kept)
            if key not in self.places():
                # It holds no words, or what waited in it was answered at the start.
                continue
            noticed += 1
            with mock.patch.dict(table):
                del table[key]
                self.fired(forget(self.script, person_subject(self.script, self.anna)))
            assert key in self.places(), key
        assert noticed >= 9, f"hollow: {noticed}"
        for name in ("journal_without", "entries_without", "reflection_without"):
            self.restore(kept)
            with mock.patch.object(scrubbing_journal, name, lambda value, *_rest: value):
                self.fired(forget(self.script, person_subject(self.script, self.anna)))
            assert self.places(), name
        self.restore(kept)
        with mock.patch.object(forgetting, "COPIES", ()):
            self.fired(forget(self.script, person_subject(self.script, self.anna)))
        assert set(self.places()) & {"before_night", "last_night"}


class TestWhatStays(SleepTest):
    """What others said is theirs; what rests on both goes or stays as the keeper says."""

    def setUp(self):
        super().setUp()
        self.anna = f"#{self.char1.pk}"

    def forget(self, what, mode="orphan"):
        done = []
        subject = subject_of(self.script, what)
        assert subject is not None
        forget(self.script, subject, mode).addBoth(done.append)
        self.pump_until(done)
        self.adopt()
        assert hasattr(done[0], "choice"), done[0]
        return done[0]

    def pump_until(self, done):
        for _ in range(100):
            self.pump(0.01)
            if done:
                return
        raise AssertionError("it does not end")

    def two_tell(self, text="the ferry runs on market days"):
        mine = self.hear("the old ferry is painted crimson")
        theirs = self.hear(f"well, {text}", who="#77", name="Bo")
        pair = [mine["id"], theirs["id"]]
        self.consolidate(
            lambda entry, _known: (
                {"entries": pair, "fact": f"Bo said that {text}."}
                if entry["id"] == pair[0]
                else None
            )
        )
        (fact,) = self.kept()
        assert fact.entry_ids == tuple(pair)
        insight = self.memory.write(
            f"[SYNTHESIS] People say that {text}",
            kind="synthesis",
            audience="public",
            evidence=[f"j{number}" for number in pair],
            importance=8,
        )
        self.memory.save()
        return mine, theirs, insight

    def test_orphans_stay_without_the_evidence_that_went_and_say_so(self):
        mine, theirs, insight = self.two_tell()
        outcome = self.forget("anna")
        assert set(outcome.choice.orphans) == {insight["id"]}
        left = self.memory.journal.find(insight["id"])
        assert left["evidence"] == [f"j{theirs['id']}"] and "orphaned" in left["tags"]
        (fact,) = self.kept()
        assert fact.entry_ids == (theirs["id"],) and "orphaned" in fact.tags
        assert self.memory.journal.find(theirs["id"])["mem0_ids"] == [fact.id]
        assert self.memory.journal.find(mine["id"]) is None
        assert any("market days" in item.text for item in self.recalled("When runs the ferry?"))

    def test_an_orphan_that_uses_the_forgotten_words_goes(self):
        _mine, theirs, insight = self.two_tell("the crimson ferry runs on market days")
        theirs["content"] = 'Bo said: "Well, the ferry runs on market days"'
        self.memory.journal.store.touch()
        self.memory.save()
        outcome = self.forget("anna")
        assert outcome.choice.derived == {insight["id"]}
        assert self.kept() == []
        self.consolidate()
        (again,) = self.kept()
        assert again.entry_ids == (theirs["id"],)

    def test_cascade_takes_what_rests_on_it_in_part(self):
        _mine, theirs, insight = self.two_tell()
        outcome = self.forget("anna", "cascade")
        assert outcome.choice.derived == {insight["id"]} and self.kept() == []
        assert self.memory.journal.find(theirs["id"]) is not None
        self.consolidate()
        assert [fact.entry_ids for fact in self.kept()] == [(theirs["id"],)]

    def test_conclusions_from_conclusions_go_with_them(self):
        mine = self.hear("the old ferry is painted crimson")
        numbers = [f"j{mine['id']}"]
        for depth in range(4):
            entry = self.memory.write(
                f"[SYNTHESIS] depth {depth}", kind="synthesis", audience="public", evidence=numbers
            )
            numbers = [f"j{entry['id']}"]
        self.memory.save()
        outcome = self.forget(f"j{mine['id']}")
        assert len(outcome.choice.derived) == 4 and self.memory.journal.entries == []

    def test_one_entry_is_forgotten_with_its_fact_and_nothing_else(self):
        mine = self.hear("the old ferry is painted crimson")
        other = self.hear("the new ferry is painted white")
        self.consolidate()
        self.forget(f"j{mine['id']}")
        assert [entry["id"] for entry in self.memory.journal.entries] == [other["id"]]
        assert [fact.entry_ids for fact in self.kept()] == [(other["id"],)]

    def test_a_fact_is_forgotten_with_the_entry_that_says_the_same(self):
        mine = self.hear("the old ferry is painted crimson")
        self.hear("the new ferry is painted white")
        self.consolidate()
        fact = next(fact for fact in self.kept() if fact.entry_ids == (mine["id"],))
        self.forget(fact.id)
        assert self.recalled("What is painted crimson?") == [] or not any(
            "crimson" in item.text for item in self.recalled("What is painted crimson?")
        )
        assert len(self.kept()) == 1

    def test_what_a_forgotten_fact_had_replaced_holds_again(self):
        first = self.hear("the gate is shut", who="#77", name="Bo")
        self.consolidate()
        second = self.hear("the gate is open")
        old = self.memory.journal.find(first["id"])["mem0_ids"][0]
        self.consolidate(lambda entry, known: {"fact": "The gate is open.", "replaces": ["k1"]})
        if self.links.state(old) == "active":
            new = self.memory.journal.find(second["id"])["mem0_ids"][0]
            self.links.change(old, state="superseded", successor=new)
            self.links.save()
        self.forget("anna")
        assert self.links.state(old) == "active"
        assert any("shut" in item.text for item in self.recalled("How is the gate?"))

    def test_others_who_name_the_forgotten_and_what_was_taught_stay_and_are_named(self):
        self.hear("the old ferry is painted crimson")
        gossip = self.hear("Anna cheats at cards", who="#77", name="Bo")
        self.memory.teach("Anna is the mayor.")
        done = []
        look_for(self.script, subject_of(self.script, "Anna")).addBoth(done.append)
        self.pump_until(done)
        choice = done[0].choose("orphan")
        assert choice.mentions == [gossip["id"]] and done[0].taught == [0]
        before = self.npc.attributes.get("journal")
        assert len(before["entries"]) == 2, "looking changes nothing"
        self.forget("anna")
        assert self.memory.journal.find(gossip["id"]) is not None
        assert self.memory.knowledge.public() == ["Anna is the mayor."]

    def test_somebody_of_the_same_name_keeps_their_memories(self):
        self.hear("the old ferry is painted crimson")
        other = self.hear("the new ferry is painted white", who="#77", name="Anna")
        with pytest.raises(StoreError, match="Several go by that name"):
            subject_of(self.script, "anna")
        self.forget(self.anna)
        assert [entry["id"] for entry in self.memory.journal.entries] == [other["id"]]

    def test_while_a_step_of_the_night_runs_nothing_is_touched(self):
        self.hear("the old ferry is painted crimson")
        night_of(self.script).running = True
        done = []
        forget(self.script, subject_of(self.script, "anna")).addErrback(done.append)
        self.pump_until(done)
        assert done[0].check(StoreError) and len(self.memory.journal.entries) == 1


class TestEveryStore(ForgetTest):
    each = 1

    def test_no_store_is_overlooked_by_forgetting(self):
        """A store nobody gave a line in `mind.scrubbing` would keep what is to be forgotten."""
        self.plant()
        self.sleep(most=300)
        self.wake()
        self.plant_records()
        imports = PendingImport(self.npc)
        imports.put(proposal_of(as_bytes(v3()), "card", "Bram"), source="x", by="#1", when=0.0)
        imports.accept(imports.token)
        known = {*scrubbing.OF_CHARACTER, *scrubbing.OF_SCRIPT, *scrubbing.KEPT, *forgetting.COPIES}
        known |= {"journal", "reflection_state", "mem0_outbox", "forgetting"}
        known |= {*OPTIONS, *INSIDE.values()}
        rows = [row for obj in (self.npc, self.script) for row in obj.db_attributes.all()]
        found = {row.db_key for row in rows if not row.db_category}
        assert len(found) > 50, "hollow"
        assert {key for key in found - known if not key.endswith("_set_aside")} == set()

    def test_a_card_that_names_the_forgotten_is_a_keepers_and_the_preview_says_so(self):
        imports = PendingImport(self.npc)
        for text, named in ((b"You like Boris.", False), (b"You love Anna.", True)):
            imports.put(proposal_of(text, "text", "Bram"), source="x", by="#1", when=0.0)
            looked = self.fired(look_for(self.script, person_subject(self.script, self.anna)))
            assert looked.imported is named
        self.fired(forget(self.script, person_subject(self.script, self.anna)))
        assert imports.waiting["persona"] == {"description": "You love Anna."}
