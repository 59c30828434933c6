"""Every word of every talk is there after a crash, is found again, and goes when forgotten."""

import random
import time
from unittest import mock

from evennia_assistant.memory import handler
from evennia_assistant.memory.talk_log import CATEGORY, CHUNK, MOST_CHUNKS

from tests.game.talking import TalkTest

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
        save = handler.save_together
        with mock.patch.object(
            handler, "save_together", lambda stores: (saved.append(list(stores)), save(stores))
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
