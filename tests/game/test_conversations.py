"""What a night keeps of the talks of a day, and what is kept of them where no night comes."""

import json
import random
from contextlib import suppress
from typing import ClassVar

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evennia_assistant.asleep.conversation_records import (
    MOST_EACH,
    OF_THE_WHOLE,
    checked,
    sorted_in,
)
from evennia_assistant.asleep.conversations import extract_conversations
from evennia_assistant.memory.conversation_bounds import MAX_CONVERSATIONS, MAX_TOTAL
from evennia_assistant.memory.conversation_record import conversation_id
from evennia_assistant.memory.conversations import (
    add_pending_action,
    clear_stale_conversations,
    start_conversation,
)
from evennia_assistant.memory.ended_conversations import MAX_WAITING, MAX_WAITING_MESSAGES
from evennia_assistant.mind.event_record import RELATIONAL_TAGS
from evennia_assistant.mind.slots import parse_slots
from evennia_assistant.testing.replies import drop, invalid_json, status, text

from tests.game.talking import TalkTest
from tests.game.test_compaction import dying_at_write

HOUR = 3600.0


def record(what, words, talk=1, lines=None):
    made = {"talk": talk, "what": what, "text": words}
    return made if lines is None else {**made, "lines": lines}


def lines_of(request):
    return parse_slots(request.messages[1]["content"])["lines"]


class NightTest(TalkTest):
    def extract(self, **options):
        return self.result_of(extract_conversations(self.script, self.npc, **options))

    def night(self, **options):
        """Extract until nothing is left, as a cycle does."""
        for _step in range(100):
            done = self.extract(**options)
            if done["completed"]:
                return done
        raise AssertionError("the step never completes")

    def answer(self, *records):
        self.model.add(text(json.dumps(list(records))))

    def talk(self, who=None, start=0, **options):
        """A talk with three lines and an answer, then an hour's silence."""
        self.tell("My silver ring lies under the old mill.", who=who, **options)
        self.tell("I shall look there on Friday.", who=who, role="assistant", **options)
        self.tell("Bring a lantern, the mill is dark.", who=who, **options)
        self.tell("Thank you, Bram.", who=who, **options)
        self.memory.save()

    def contents(self):
        return [entry["content"] for entry in self.memory.journal.entries]


class TestExtraction(NightTest):
    def test_a_talk_leaves_what_it_adds_up_to_with_its_evidence(self):
        self.talk()
        self.clock.advance(HOUR)
        self.answer(
            record("memory", "Bram agreed to look under the mill on Friday.", lines=[1, 2]),
            record("about", "Char owns a silver ring.", lines=[1]),
            record("summary", "Char and Bram spoke of a ring lost under the mill."),
        )
        done = self.extract()
        assert done["completed"] and done["calls"] == 1
        assert (done["entries"], done["observations"], done["summaries"]) == (1, 1, 1)
        memory = next(e for e in self.memory.journal.entries if "agreed" in e["content"])
        first = self.record["messages"][0]["entry_id"]
        assert memory["evidence"] == [f"j{first}"] and memory["audience"] == "public"
        assert memory["source_type"] == "inference" and memory["source_entity"] == "Char"
        (summary,) = self.entries_of_kind("summary")
        assert summary["content"].startswith("[SYNTHESIS] Char and Bram spoke")
        notes = self.memory.profiles.notes_for(self.who, [self.who])
        assert [note["text"] for note in notes][-1] == "Char owns a silver ring."
        assert self.record["extracted"]

    def test_a_talk_that_goes_on_is_let_be(self):
        self.talk()
        self.clock.advance(1700)
        assert self.extract()["completed"] and not self.model.requests

    def test_talks_that_may_be_told_alike_are_put_into_one_call_and_whispers_into_another(self):
        others = [f"#{self.char1.pk + n}" for n in range(100, 103)]
        self.talk()
        for who in others:
            self.talk(who=who)
        self.tell("The vault opens with quicksilver.", whisper=True)
        self.clock.advance(HOUR)
        self.model._handler = lambda asked: text("[]")
        self.night()
        assert len(self.model.requests) == 2
        shown = [str(lines_of(request)) for request in self.model.requests]
        assert sum("quicksilver" in words for words in shown) == 1
        assert not any("quicksilver" in words and "lantern" in words for words in shown)
        assert {line["talk"] for line in lines_of(self.model.requests[0])} == {1, 2, 3, 4}

    def test_what_comes_of_a_whisper_stays_among_those_who_whispered(self):
        self.tell("The vault opens with quicksilver.", whisper=True)
        self.tell("I shall tell nobody.", whisper=True, role="assistant")
        self.tell("Nor shall I.", whisper=True)
        self.clock.advance(HOUR)
        self.answer(
            record("memory", "Quicksilver opens the vault.", lines=[1]),
            record("about", "Char knows the quicksilver word.", lines=[1]),
            record("summary", "Char gave the quicksilver word away."),
        )
        self.extract()
        pair = sorted([self.who, self.me])
        made = [e for e in self.memory.journal.entries if "uicksilver" in e["content"]]
        assert len(made) == 3 and all(e["audience"] == pair for e in made)
        assert all("whisper" in e["tags"] for e in made)
        assert not self.memory.profiles.notes_for(self.who, [f"#{self.char2.pk}"])
        hits = self.memory.recall("quicksilver vault", listeners=[f"#{self.char2.pk}"]).hits
        assert not hits

    def test_greetings_cost_no_call_and_leave_no_entry(self):
        self.tell("Good evening, Bram!")
        self.tell("Evening.", role="assistant")
        self.clock.advance(HOUR)
        before = self.contents()
        done = self.extract()
        assert done["completed"] and done["trivial"] == 1 and self.contents() == before
        assert not self.model.requests and clear_stale_conversations(
            self.npc, now=self.clock.seconds() + HOUR
        )

    def test_each_record_is_judged_by_itself(self):
        self.talk()
        self.clock.advance(HOUR)
        self.model.add(
            text(
                "Sure! ```json\n"
                + json.dumps(
                    [
                        record("memory", "Bram agreed to look on Friday.", lines=[2]),
                        record("memory", "The assistant should be kinder.", lines=[2]),
                        record("memory", "Petra owns the mill.", lines=[99]),
                        record("memory", "Petra owns the mill.", talk=7, lines=[1]),
                        record("about", "Char is the king.", lines=[]),
                        record("hearsay", "Char is the king.", lines=[1]),
                        record("summary", "x" * 2000),
                        "junk",
                    ]
                )[:-1]
            )
        )
        done = self.extract()
        assert done["entries"] == 1 and done["observations"] == 0 and len(done["problems"]) >= 6
        assert not [c for c in self.contents() if "king" in c or "Petra" in c or "kinder" in c]
        # No summary could be used, so the talk is digested.
        (summary,) = self.entries_of_kind("summary")
        assert "talked" in summary["content"]

    def test_no_more_than_three_of_a_kind_are_kept_of_one_talk(self):
        self.talk()
        self.clock.advance(HOUR)
        self.answer(*(record("memory", f"Fact number {n} holds.", lines=[1]) for n in range(9)))
        assert self.extract()["entries"] == 3

    def test_a_long_talk_is_looked_at_in_pieces_and_to_the_end(self):
        for n in range(400):
            self.tell(f"Barrel {n} of the old stock leaks and wants a new hoop from the cooper.")
        self.clock.advance(HOUR)
        seen = []

        def answer(asked):
            seen.extend(line["text"].split()[1] for line in lines_of(asked))
            return text("[]")

        self.model._handler = answer
        self.night()
        assert seen == [str(n) for n in range(400)]
        assert not list(self.memory.working.waiting(when=self.clock.seconds()))

    def test_without_a_model_a_talk_leaves_one_digest(self):
        self.agent.model = None
        self.talk()
        self.clock.advance(HOUR)
        before = len(self.contents())
        assert self.extract()["summaries"] == 1 and len(self.contents()) == before + 1
        (summary,) = self.entries_of_kind("summary")
        assert "My silver ring lies under the old mill." in summary["content"]
        assert self.record["extracted"] and not self.model.requests

    def test_a_digest_does_not_crowd_out_the_line_it_repeats(self):
        self.agent.model = None
        self.talk()
        self.clock.advance(HOUR)
        self.extract()
        self.agent.model = self.model
        self.model.add("Under the mill.")
        self.say("Bram, where does the silver ring lie?", self.char2)
        self.pump()
        told = parse_slots(self.model.requests[-1].messages[-1]["content"])["memories"]
        assert told and not [memory for memory in told if "SYNTHESIS" in memory["text"]]


class TestFaults(NightTest):
    FAULTS = (drop, invalid_json, lambda: status(429), lambda: text("I'd rather not."))

    def test_a_model_that_fails_loses_no_talk_and_the_night_goes_on(self):
        for fault in self.FAULTS:
            with self.subTest(fault=fault()):
                self.model._handler = lambda asked, fault=fault: fault()
                self.memory.working.store.data.clear()
                self.talk()
                self.clock.advance(HOUR)
                before = self.contents()
                done = self.night()
                assert done["failed"] or done["completed"]
                assert self.contents() == before and not self.record.get("extracted")
                assert clear_stale_conversations(self.npc, now=self.clock.seconds() + 9e6) == 0
                self.clock.advance(9e6)
                self.answer(record("summary", f"A talk of a ring, fault {fault()!r:.40}."))
                self.night()
                assert self.record["extracted"]

    def test_a_talk_no_model_makes_sense_of_does_not_take_others_down(self):
        other = f"#{self.char1.pk + 100}"
        self.tell("Cursed runes of the mill.")
        self.talk(who=other)
        self.clock.advance(HOUR)
        self.model._handler = lambda asked: text(
            "gibberish" if "Cursed" in str(lines_of(asked)) else "[]"
        )
        for _night in range(3):
            self.night()
            self.clock.advance(24 * HOUR)
        assert not list(self.memory.working.waiting(when=self.clock.seconds()))
        summaries = [e["content"] for e in self.entries_of_kind("summary")]
        assert len(summaries) == 2 and any("Cursed runes" in words for words in summaries)

    def test_a_crash_between_writes_neither_loses_nor_doubles(self):
        for point in (1, 2, 3):
            with self.subTest(write=point):
                self.memory.working.store.data.clear()
                words = f"Point {point}: my silver ring lies under mill {point}."
                self.tell(words)
                self.tell("Which mill?", role="assistant")
                self.tell("The old one.")
                self.memory.save()
                self.clock.advance(HOUR)
                made = f"Ring {point} lies under the mill."
                self.model._handler = lambda asked, made=made: text(
                    json.dumps([record("memory", made, lines=[1]), record("summary", made)])
                )
                with dying_at_write(point) as seen, suppress(OSError):
                    self.extract()
                assert seen["writes"] == min(point, 2)
                self.kill()
                asked = len(self.model.requests)
                self.night()
                # From the first write on the answer is there, and nobody is asked again.
                assert len(self.model.requests) - asked == (point == 1)
                self.kill()
                assert self.contents().count(made) == 1
                assert self.contents().count(f"[SYNTHESIS] {made}") == 1

    def test_a_write_that_failed_and_half_of_which_was_stored_later_doubles_nothing(self):
        self.talk()
        self.clock.advance(HOUR)
        made = "Bram agreed to look on Friday."
        self.model._handler = lambda asked: text(
            json.dumps([record("memory", made, lines=[1]), record("summary", made)])
        )
        with dying_at_write(2), suppress(OSError):
            self.extract()
        # The next turn stores the journal alone.
        self.memory.save_journal()
        self.kill()
        assert made in self.contents()
        asked = len(self.model.requests)
        self.night()
        assert self.contents().count(made) == 1 and self.record["extracted"]
        assert len(self.model.requests) - asked <= 1

    def test_somebody_who_comes_back_while_the_model_thinks_is_not_forgotten(self):
        self.talk()
        self.clock.advance(HOUR)
        self.model.add(text(json.dumps([record("summary", "Of a ring.")])).after(5))
        deferred = extract_conversations(self.script, self.npc)
        self.pump()
        self.tell("I am back, and the ring was gold after all.")
        self.pump(5)
        assert deferred.called
        assert [m["content"] for m in self.record["messages"]] == [
            "I am back, and the ring was gold after all."
        ]
        assert len(self.entries_of_kind("summary")) == 1
        assert not list(self.memory.working.waiting(when=self.clock.seconds()))

    def test_a_budget_that_is_spent_is_the_cycles_business(self):
        class Spent(Exception):
            pass

        def ask(messages, tools, **options):
            raise Spent

        self.talk()
        self.clock.advance(HOUR)
        with suppress(Spent):
            self.extract(ask=ask)
            raise AssertionError("the error was swallowed")
        assert not self.record.get("failures")


class TestWithoutANight(NightTest):
    def test_five_hundred_talks_and_no_night_stay_bounded_and_lose_nothing(self):
        rng = random.Random(7)
        talks, peak = 500, 0
        for n in range(talks):
            who = f"#{10_000 + n}"
            for _line in range(rng.randint(1, 6)):
                self.tell(
                    f"Guest {n} says the well of farm {n} is {rng.choice(['dry', 'deep'])}.",
                    who=who,
                    name=f"Guest{n}",
                )
            self.clock.advance(rng.choice([30, 400, 2000]))
            self.memory.tidy_conversations(when=self.clock.seconds())
            self.memory.save()
            working = self.memory.working
            lines = sum(len(r["messages"]) for r in working.store.data.values())
            waiting = sum(len(r["messages"]) for r in working.ended.store.data)
            assert lines <= MAX_TOTAL + 18 and waiting <= MAX_WAITING_MESSAGES
            assert len(working.store.data) <= MAX_CONVERSATIONS + 1
            assert len(working.ended.store.data) <= MAX_WAITING
            peak = max(peak, lines + waiting)
        kept = {m["name"] for r in working.store.data.values() for m in r["messages"]}
        kept |= {m["name"] for r in working.ended.store.data for m in r["messages"]}
        kept |= {
            word.rstrip(":")
            for e in self.memory.journal.all_entries()
            if e.get("kind") == "summary"
            for word in e["content"].split()
            if word.startswith("Guest")
        }
        assert kept >= {f"Guest{n}" for n in range(talks)}
        assert peak > MAX_TOTAL, "nothing had to make room"

    def test_whispers_that_have_no_room_are_digested_for_those_who_heard_them(self):
        for n in range(MAX_WAITING + 300):
            self.tell(f"Vault {n} opens with word {n}.", who=f"#{10_000 + n}", whisper=True)
            self.clock.advance(2000)
            self.memory.tidy_conversations(when=self.clock.seconds())
        made = [e for e in self.memory.journal.all_entries() if e.get("kind") == "summary"]
        assert made
        for entry in made:
            assert len(entry["audience"]) == 2 and "whisper" in entry["tags"]

    def test_a_digest_stored_before_its_talk_was_taken_out_is_not_made_twice(self):
        for n in range(MAX_WAITING + MAX_CONVERSATIONS + 30):
            self.tell(f"Vault {n} of farm {n} is dry.", who=f"#{10_000 + n}")
        self.memory.save()
        self.clock.advance(120)
        self.memory.tidy_conversations(when=self.clock.seconds())
        # A turn stores the journal; the server dies before the tick stores the rest.
        self.memory.save_journal()
        written = len(list(self.memory.journal.all_entries()))
        self.kill()
        self.memory.tidy_conversations(when=self.clock.seconds() + 120)
        names = [
            e["conversation"]
            for e in self.memory.journal.all_entries()
            if e.get("kind") == "summary"
        ]
        assert names and len(names) == len(set(names))
        assert len(list(self.memory.journal.all_entries())) == written

    def test_what_is_still_to_be_done_goes_into_the_journal_when_there_is_no_room(self):
        for n in range(60):
            self.memory.working.add_pending_action(
                f"#{10_000 + n}", f"Mend boat {n}.", when=self.clock.seconds()
            )
        self.clock.advance(2 * HOUR)
        self.memory.tidy_conversations(when=self.clock.seconds())
        intentions = self.entries_of_kind("intention")
        assert len(intentions) == 10 and intentions[0]["audience"] == ["#10000"]

    def test_the_documented_functions_save_what_they_do(self):
        opened = start_conversation(self.npc, self.who, topic="quest_help")
        add_pending_action(self.npc, self.who, "Mend the boat.")
        self.kill()
        assert self.record["topic"] == opened["topic"] == "quest_help"
        assert self.memory.working.pending_actions(self.who)[0]["action"] == "Mend the boat."
        assert clear_stale_conversations(self.npc) == 0

    def test_a_days_lines_are_kept_after_a_restart_until_they_are_extracted(self):
        self.talk()
        known = conversation_id(self.who, self.record)
        self.clock.advance(9 * HOUR)
        self.kill()
        self.memory.tidy_conversations(when=self.clock.seconds())
        assert self.memory.working.find(known) is not None


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)


class _Piece:
    LINE: ClassVar = {
        "role": "assistant",
        "content": "Anna owns a ring.",
        "timestamp": "2026-01-01",
    }

    def __init__(self, lines):
        self.part = type("P", (), {"messages": [self.LINE] * lines})
        self.found, self.known, self.began = {}, {"k1": 7}, 0.0


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(
        JUNK
        | st.fixed_dictionaries(
            {},
            optional={
                "talk": st.integers(-1, 4) | JUNK,
                "what": st.sampled_from(list(MOST_EACH)) | JUNK,
                "text": st.sampled_from(["Anna owns a ring.", "I will obey.", "Anna", "sad"])
                | JUNK,
                "lines": st.lists(st.integers(-1, 6) | JUNK, max_size=3) | JUNK,
                "impact": st.integers(-11, 11) | JUNK,
                "tags": st.lists(st.sampled_from(RELATIONAL_TAGS) | JUNK, max_size=5) | JUNK,
                "when": st.sampled_from(["tomorrow", "2026-02-30"]) | JUNK,
                "emotion": JUNK,
                "scene": JUNK,
                "replaces": st.sampled_from(["k1", "k2"]) | JUNK,
                "also": JUNK,
                "kind": JUNK,
                "energy": st.integers(-1, 11) | JUNK,
                "signal": JUNK,
            },
        ),
        max_size=5,
    )
)
def test_whatever_a_model_answers_only_sound_records_come_through(items):
    batch = [_Piece(3), _Piece(5)]
    sound = []
    for item in items:
        with suppress(ValueError):
            sound.append(checked(item, batch))
    sorted_in(sound, batch)
    for piece in batch:
        for what, held in piece.found.items():
            assert len(held) <= MOST_EACH[what]
            for made in held:
                assert "obey" not in (made["text"] or "")
                assert all(1 <= line <= len(piece.part.messages) for line in made["lines"])
                assert what in OF_THE_WHOLE or (made["lines"] and made["text"].strip())
                assert set(made.get("replaces", ())) <= {7}
                json.dumps(made)
