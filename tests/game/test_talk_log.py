"""Every word of every talk is there after a crash, is found again, and goes when forgotten."""

import random
import time
from unittest import mock

from evennia_assistant.memory import stores as memory_stores
from evennia_assistant.memory.talk_log import CATEGORY, CHUNK, MOST_CHUNKS
from evennia_assistant.mind.slots import parse_slots

from tests.game.talking import TalkTest
from tests.game.tooling import ToolTest

HOUR = 3600.0


class LogTest(TalkTest):
    def found(self, query, **options):
        options.setdefault("listeners", [self.who])
        hits = self.memory.talks.find(query, now=self.clock.seconds(), **options)
        return [said.text for said in hits]

    def lines(self):
        return [line for lines in self.memory.working.log.contents().values() for line in lines]


class TestTalkLog(LogTest):
    def test_both_sides_of_an_exchange_are_there_after_a_kill_that_comes_with_the_next_line(self):
        self.model.add("The ferry goes at noon.")
        self.say("Bram, when does the ferry of Ystad leave?")
        self.pump()
        self.kill()
        assert set(self.found("ferry")) == {
            "When does the ferry of Ystad leave?",
            "The ferry goes at noon.",
        }

    def test_a_line_is_durable_before_the_model_is_asked(self):
        self.say("Bram, my ship is called Gudrun.")
        self.kill()
        waiting = [str(event) for event in self.script.db.pending_events]
        assert any("Gudrun" in event for event in waiting)

    def test_what_the_npc_said_is_found_when_its_conversation_is_long_cleared(self):
        self.tell("Where is the smith?")
        self.tell("The smith Hallgrim lives by the quarry.", role="assistant")
        self.record["extracted"] = True
        self.clock.advance(30 * HOUR)
        self.memory.working.clear_stale(when=self.clock.seconds())
        self.memory.save()
        self.kill()
        assert not self.memory.working.store.data
        assert self.found("Hallgrim")[0] == "The smith Hallgrim lives by the quarry."

    def test_one_word_of_a_question_is_enough_and_rare_ones_count_more(self):
        self.tell("My cat is called Mochi.")
        for n in range(30):
            self.tell(f"Do you remember barrel {n}?")
        assert self.found("do you remember Mochi")[0] == "My cat is called Mochi."
        assert self.found("what was my cat's name")[0] == "My cat is called Mochi."
        self.tell("我妹妹住在上海。")
        assert self.found("上海")[0] == "我妹妹住在上海。"

    def test_what_was_whispered_is_found_by_those_who_whispered_alone(self):
        self.tell("The vault opens with quicksilver.", whisper=True)
        self.tell("Quicksilver, I see.", whisper=True, role="assistant")
        other = f"#{self.char2.pk}"
        assert len(self.found("quicksilver")) == 2
        assert not self.found("quicksilver", listeners=[other])
        assert not self.found("quicksilver", listeners=[self.who, other])
        assert not self.found("quicksilver", aloud=True)

    def test_words_the_journal_has_are_not_kept_twice(self):
        self.tell("My silver ring lies under the old mill.")
        self.tell("Hello!")
        (line,) = self.lines()[:1]
        assert "text" not in line and line["entry_id"] == 1
        self.memory.forget(1)
        assert "ring" not in str(self.found("silver ring"))

    def test_a_line_never_shows_an_entry_of_other_people(self):
        self.tell("My silver ring lies under the old mill.")
        self.lines()[0]["audience"] = sorted([self.who, self.me])
        assert not self.found("silver ring")

    def test_talks_with_one_are_searched_alone_and_what_was_said_to_two_is_found_once(self):
        other = f"#{self.char2.pk}"
        self.tell("The well is dry.", role="assistant")
        self.tell("The well is dry.", role="assistant", who=other)
        assert self.found("well") == ["The well is dry."]
        self.tell("Wells, wells.", who=other, name="Char2")
        assert "Wells, wells." not in self.found("wells", partner=self.who)

    def test_a_line_is_written_with_the_entry_it_names_or_not_at_all(self):
        saved = []
        save = memory_stores.save_together
        with mock.patch.object(
            memory_stores,
            "save_together",
            lambda stores: (saved.append(list(stores)), save(stores)),
        ):
            self.memory.save_journal()
            for n in range(3 * CHUNK):
                self.tell(f"Barrel {n} leaks.")
            self.memory.save_journal()
        keys = {store.key for store in saved[-1] if store.category == CATEGORY}
        assert len(keys) == 3 and any(store.key == "journal" for store in saved[-1])
        self.kill()
        assert len(self.lines()) == 3 * CHUNK
        assert self.found("barrel 149")[0] == "Barrel 149 leaks."

    def test_it_is_bounded_and_goes_on_after_a_restart(self):
        with mock.patch("evennia_assistant.memory.talk_log.MOST_CHUNKS", 3):
            for n in range(5 * CHUNK):
                self.tell(f"Cask {n} of the cellar.", role="assistant")
                if n % 60 == 0:
                    self.memory.save()
                    self.kill()
            self.memory.save()
        numbers = [line["n"] for line in self.lines()]
        assert numbers == list(range(2 * CHUNK + 1, 5 * CHUNK + 1))
        assert MOST_CHUNKS * CHUNK >= 5_000

    def test_a_broken_attribute_costs_its_own_lines_only(self):
        for n in range(CHUNK + 5):
            self.tell(f"Cask {n} of the cellar.", role="assistant")
        self.memory.save()
        self.npc.attributes.add("talk_000000001", "junk", category=CATEGORY)
        self.npc.attributes.add("talk_000000051", [{"n": "x"}, 7], category=CATEGORY)
        self.kill()
        self.tell("Cask 99 of the cellar.", role="assistant")
        assert self.found("cask cellar") == ["Cask 99 of the cellar."]

    def test_a_search_over_five_thousand_lines_takes_milliseconds(self):
        rng = random.Random(3)
        words = [f"word{n}" for n in range(800)]
        for _n in range(MOST_CHUNKS * CHUNK):
            self.memory.working.log.add(
                self.who,
                {
                    "role": "assistant",
                    "content": " ".join(rng.sample(words, 8)),
                    "manner": "say",
                    "audience": "public",
                    "timestamp": "2026-05-28T20:26:40.000000Z",
                },
            )
        assert self.found("word7 word19")
        start = time.perf_counter()
        for n in range(20):
            self.found(f"word{n} word{n + 30}")
        assert (time.perf_counter() - start) / 20 < 0.1


class TestEarlierTalks(LogTest):
    """The last lines of the talk before stand in the prompt of the next, with their day."""

    def relationship(self, words="Bram, good to see the harbour again.", who=None):
        self.model.add("Welcome back.")
        self.say(words, who)
        self.pump()
        prompt = "\n".join(str(m["content"]) for m in self.model.requests[-1].messages)
        return parse_slots(prompt)["relationship"][0]

    def talk(self, **options):
        self.tell("My ship Gudrun lies in the dock.", **options)
        self.tell("I shall look after her.", role="assistant", **options)
        self.memory.profiles.ensure(self.who, "player", "Char")
        self.memory.save()

    def test_the_last_talk_is_told_with_its_day(self):
        self.talk()
        self.clock.advance(26 * HOUR)
        earlier = self.relationship()["earlier"]
        assert [line["text"] for line in earlier] == [
            "My ship Gudrun lies in the dock.",
            "I shall look after her.",
        ]
        assert {line["when"] for line in earlier} == {"yesterday"}
        assert [line["from"] for line in earlier] == ["Char", self.npc.key]

    def test_it_stays_as_it_is_for_the_whole_of_the_next_talk(self):
        self.talk()
        self.clock.advance(5 * HOUR)
        first = self.relationship()["earlier"]
        for _turn in range(3):
            self.clock.advance(1_000)
            assert self.relationship("Bram, and the quay?")["earlier"] == first

    def test_a_talk_that_goes_on_has_no_earlier_one(self):
        self.talk()
        assert "earlier" not in self.relationship()

    def test_what_was_whispered_stays_out_of_an_answer_given_aloud(self):
        self.talk(whisper=True)
        self.clock.advance(26 * HOUR)
        assert "earlier" not in self.relationship()

    def test_others_are_told_nothing_of_it(self):
        self.talk()
        self.clock.advance(26 * HOUR)
        assert "earlier" not in self.relationship(who=self.char2)


class TestTheTool(ToolTest):
    def line(self, words, who, role="assistant", audience="public", name="Bram"):
        self.npc.memory.working.add_message(
            f"#{who.pk}",
            role,
            words,
            name=name,
            audience=audience,
            when=self.clock.seconds() - 90_000,
        )

    def test_the_npc_finds_its_own_words(self):
        self.line("The smith Hallgrim lives by the quarry.", self.char1)
        (found,) = self.use("search_talks", query="Hallgrim")["lines"]
        assert found["from"] == "Bram" and found["when"] == "yesterday"
        assert found["text"] == "The smith Hallgrim lives by the quarry."

    def test_nobody_is_told_what_was_confided_to_it(self):
        both = sorted([f"#{self.char1.pk}", f"#{self.npc.pk}"])
        self.line("The vault opens with quicksilver.", self.char1, "user", both, "Char")
        assert self.use("search_talks", query="quicksilver vault")["lines"] == []

    def test_it_looks_through_the_talks_with_one(self):
        for who, name in ((self.char1, "Anna"), (self.char2, "Boris")):
            self.npc.memory.profiles.ensure(f"#{who.pk}", "player", name)
            self.line(f"{name}, the well is dry.", who)
        found = self.use("search_talks", query="well", **{"with": "Anna"})["lines"]
        assert [line["text"] for line in found] == ["Anna, the well is dry."]
        assert "nobody" in self.refusal("search_talks", query="well", **{"with": "Carl"})
