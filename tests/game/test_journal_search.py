"""Looking things up in the journal: all of it, only what fits, only for those who may be told."""

from unittest import mock

import pytest
from evennia.utils.dbserialize import deserialize

from evennia_assistant.memory.episodic_index import build_keyword_index, search_episodic_memory
from evennia_assistant.memory.journal_search import Criteria
from evennia_assistant.mind.phrases import DAY
from evennia_assistant.mind.scoring import score_episodic_memory

from tests.game.npc import NpcTest

ANNA, BRUNO = "#901", "#902"


class SearchTest(NpcTest):
    def setUp(self):
        super().setUp()
        self.memory = self.npc.memory
        self.now = self.clock.seconds()

    def write(self, words, *, days=0.0, audience="public", **fields):
        return self.memory.write(words, when=self.now - days * DAY, audience=audience, **fields)

    def found(self, query="", *, listeners=(ANNA,), now=None, **criteria):
        """The words of what is found."""
        moment = self.now if now is None else now
        return [
            entry["content"]
            for entry in self.memory.search(
                query=query, listeners=listeners, now=moment, **criteria
            )
        ]

    def finding(self, query="", *, listeners=(ANNA,), now=None, **criteria):
        tags = frozenset(criteria.pop("tags", ()))
        moment = self.now if now is None else now
        asked = Criteria(query, tags=tags, **criteria)
        return self.memory.journal_search.find(asked, listeners=listeners, now=moment)

    def archive(self):
        """Everything written so far goes to the archive but for the newest."""
        journal = self.memory.journal
        journal.store.data["max_entries"] = 1
        self.memory.save()
        journal.store.data["max_entries"] = 100


class TestCriteria(SearchTest):
    def test_a_rare_tag_is_found_among_hundreds_of_better_matches(self):
        for number in range(150):
            self.write(f"The ferry leaves at dawn, says guest {number}.")
        self.write("The ferry was late once.", tags=["complaint"])
        assert self.found("when does the ferry leave at dawn", tags=["complaint"], limit=1) == [
            "The ferry was late once."
        ]

    def test_every_tag_must_be_there(self):
        self.write("One.", tags=["fire"])
        self.write("Two.", tags=["fire", "mill"])
        assert self.found(tags=["fire", "mill"]) == ["Two."]
        assert self.found(tags=["fire"]) == ["Two.", "One."]
        assert self.found(tags=["flood"]) == []

    def test_age_project_limit_and_text_hold_together(self):
        self.write("The MILL burned.", days=9, related_projects=["roof"])
        self.write("The mill stands.", days=2, related_projects=["roof"])
        self.write("The mill turns.", days=1)
        self.write("The inn is full.", related_projects=["roof"])
        assert self.found("mill", semantic=False) == [
            "The mill turns.",
            "The mill stands.",
            "The MILL burned.",
        ]
        assert self.found("mill", semantic=False, days_back=7, related_to_project="roof") == [
            "The mill stands."
        ]
        assert self.found("mill", semantic=False, limit=1) == ["The mill turns."]
        assert self.found("burn", days_back=7) == []
        assert self.found("has anything burned?") == ["The MILL burned."]

    def test_what_was_taken_back_is_not_found(self):
        number = self.write("The ferry leaves at dawn.")["id"]
        self.write("The ferry is blue.")
        self.memory.forget(number)
        for semantic in (True, False):
            assert self.found("ferry", semantic=semantic) == ["The ferry is blue."]


class TestArchive(SearchTest):
    def test_the_archive_is_searched_and_counted(self):
        for number in range(60):
            self.write(f"Guest {number} paid.", days=60 - number)
        self.archive()
        self.write("Guest 99 did not pay.")
        assert len(self.memory.journal.entries) == 1
        found = self.finding("guest 7", semantic=False)
        assert [entry["content"] for entry in found.entries] == ["Guest 7 paid."]
        assert found.searched == 61
        assert "Guest 42 paid." in self.found("Who was guest 42?", limit=3)
        assert self.found("guest", semantic=False, archived=False) == ["Guest 99 did not pay."]
        assert self.found("guest", semantic=False, limit=3)[2] == "Guest 58 paid."

    def test_a_new_server_finds_what_the_old_one_archived(self):
        self.write("The chapel bell cracked.", tags=["bell"])
        for number in range(30):
            self.write(f"Guest {number} paid.")
        self.archive()
        self.forget_caches()
        self.memory = self.npc.memory
        assert self.found(tags=["bell"]) == ["The chapel bell cracked."]
        assert self.found("What happened to the bell of the chapel?", limit=1) == [
            "The chapel bell cracked."
        ]

    def test_what_the_index_has_no_room_for_is_found_by_its_words(self):
        self.write("The chapel bell cracked.")
        self.write("A bell rings at noon.")
        self.archive()
        self.memory.index.remove(["j1"])
        assert self.found("Did the bells of the chapel crack?") == [
            "A bell rings at noon.",
            "The chapel bell cracked.",
        ]

    def test_an_archive_that_cannot_be_read_costs_nothing_else(self):
        self.write("The chapel bell cracked.")
        self.npc.attributes.add("journal_000000000", "junk", category="assistant_archive")
        key = "journal_000000001"
        self.npc.attributes.add(key, [{"id": 1}], category="assistant_archive")
        with mock.patch("evennia.utils.logger.log_err") as log_err:
            assert self.found("bell", semantic=False) == ["The chapel bell cracked."]
        assert log_err.call_count == 2

    def test_a_search_changes_nothing_that_is_stored(self):
        for number in range(30):
            self.write(f"Guest {number} paid.")
        self.archive()
        kept = {row.db_key: deserialize(row.value) for row in self.npc.attributes.all()}
        self.found("guest 7")
        self.found("guest 7", semantic=False)
        search_episodic_memory(self.npc, "guest 7", listeners=[ANNA])
        now = {row.db_key: deserialize(row.value) for row in self.npc.attributes.all()}
        assert now == kept


class TestAudience(SearchTest):
    def test_a_confidence_is_neither_found_nor_counted_for_others(self):
        self.write("The ferry leaves at dawn.")
        self.write("Anna owes for the ferry.", audience=[ANNA])
        self.write("Nobody knows of this ferry.", audience=None)
        for semantic in (True, False):
            hers = self.finding("ferry", semantic=semantic)
            his = self.finding("ferry", semantic=semantic, listeners=(BRUNO,))
            both = self.finding("ferry", semantic=semantic, listeners=(ANNA, BRUNO))
            assert hers.searched == 2 and his.searched == both.searched == 1
            assert "Anna owes" not in str((his, both)) and "Nobody" not in str(hers)
        assert self.found("ferry", listeners=()) == ["The ferry leaves at dawn."]

    def test_what_was_whispered_does_not_take_the_place_of_what_may_be_said(self):
        for number in range(5):
            self.write(f"Whisper {number} of the ferry.", audience=[ANNA], tags=["whisper"])
        self.write("The ferry leaves at dawn.", days=1)
        for semantic in (True, False):
            assert self.found("ferry", aloud=True, limit=1, semantic=semantic) == [
                "The ferry leaves at dawn."
            ]

    def test_one_who_asks_the_same_gets_no_finding_made_for_another(self):
        self.write("Anna owes for the ferry.", audience=[ANNA])
        assert self.found("ferry") and not self.found("ferry", listeners=(BRUNO,))
        assert not self.found("ferry", listeners=(ANNA, BRUNO))


class TestCache(SearchTest):
    def looked(self, *args, **kwargs):
        """Whether a search was made, and did not come from the cache."""
        search = self.memory.journal_search
        with mock.patch.object(search, "_look", wraps=search._look) as look:
            self.found(*args, **kwargs)
        return bool(look.call_count)

    def test_a_finding_holds_for_five_minutes_and_no_longer(self):
        self.write("The ferry leaves at dawn.")
        assert self.looked("ferry") and not self.looked("ferry")
        assert not self.looked("ferry", now=self.now + 299)
        assert self.looked("ferry", now=self.now + 300)
        assert self.looked("ferry", now=self.now - 10)

    def test_every_criterion_is_part_of_the_question(self):
        self.write("The ferry leaves at dawn.", tags=["ferry"])
        for changed in (
            {},
            {"tags": ["ferry"]},
            {"days_back": 7},
            {"related_to_project": "roof"},
            {"limit": 3},
            {"semantic": False},
            {"aloud": True},
            {"archived": False},
            {"listeners": (BRUNO,)},
        ):
            assert self.looked("ferry", **changed), changed
            assert not self.looked("ferry", **changed), changed
        assert not self.looked("ferry", listeners=[ANNA])

    def test_any_write_is_seen_at_once(self):
        def again():
            self.write("The ferry leaves at dawn.")

        def assigned():
            self.npc.db.journal = {**deserialize(self.npc.db.journal), "entries": []}

        def archived_by_hand():
            entry = {**first, "id": 77}
            self.npc.attributes.add("journal_000000077", [entry], category="assistant_archive")

        first = self.write("The ferry leaves at dawn.")
        for change in (
            lambda: self.write("The ferry leaves at noon."),
            again,
            lambda: self.memory.forget(2),
            lambda: self.memory.journal.store.touch(first),
            self.archive,
            archived_by_hand,
            assigned,
        ):
            self.found("ferry")
            assert not self.looked("ferry")
            change()
            assert self.looked("ferry"), change

    def test_a_flood_of_questions_is_not_kept(self):
        for number in range(500):
            self.found(f"question {number}")
        assert len(self.memory.journal_search._kept) <= 64


class TestEpisodic(SearchTest):
    def test_the_score_is_the_documented_one_for_every_entry(self):
        for number in range(40):
            words = f"Guest {number} lost a {('ring', 'hat', 'silver ring')[number % 3]}"
            self.write(words, days=number / 48, importance=number % 10 + 1)
        self.archive()
        found = search_episodic_memory(
            self.npc, "Who lost the silver RING", listeners=[ANNA], limit=100
        )
        assert len(found) == 40
        for record in found:
            expected = score_episodic_memory(
                record["entry"], "Who lost the silver RING", self.clock.seconds()
            )
            assert record["score"] == pytest.approx(expected, abs=1e-9)
        scores = [record["score"] for record in found]
        assert scores == sorted(scores, reverse=True)

    def test_weights_and_presets_decide_what_comes_first(self):
        self.write("An old silver ring lies here.", days=30, importance=1)
        self.write("Nothing happened.", importance=1)
        self.write("War!", days=30, importance=10)

        def first(**weights):
            options = {"listeners": [ANNA], "limit": 1, **weights}
            return search_episodic_memory(self.npc, "silver ring", **options)[0]["entry"]["content"]

        alphas = ("alpha_recency", "alpha_importance", "alpha_relevance")
        only = [{name: float(name == wanted) for name in alphas} for wanted in alphas]
        assert [first(**weights) for weights in only] == [
            "Nothing happened.",
            "War!",
            "An old silver ring lies here.",
        ]
        assert first(weights="companion") == "An old silver ring lies here."
        with pytest.raises(ValueError, match="companion, dialogue, episodic"):
            first(weights="nonesuch")
        with pytest.raises(ValueError, match="weight above 0"):
            first(alpha_recency=0, alpha_importance=0, alpha_relevance=0)

    def test_it_is_gated_like_every_other_reading(self):
        self.write("The ferry leaves at dawn.")
        self.write("Anna owes for the ferry.", audience=[ANNA])
        whispered = self.write("The ferry is sold.", audience=[ANNA], tags=["whisper"])

        def told(listeners, **options):
            found = search_episodic_memory(self.npc, "ferry", listeners=listeners, **options)
            return {record["entry"]["id"] for record in found}

        assert told([ANNA]) == {1, 2, 3} and told([BRUNO]) == told([ANNA, BRUNO]) == {1}
        assert told([]) == {1} and told([ANNA], aloud=True) == {1, 2}
        self.memory.forget(whispered["id"])
        assert told([ANNA]) == {1, 2}

    def test_what_scores_too_little_is_left_out(self):
        self.write("The ferry leaves at dawn.", importance=1, days=400)
        self.write("The ferry sank!", importance=10)
        found = search_episodic_memory(self.npc, "ferry", listeners=[], min_score=0.6)
        assert [record["entry"]["content"] for record in found] == ["The ferry sank!"]
        assert search_episodic_memory(self.npc, "ferry", listeners=[], limit=0) == []

    def test_the_keyword_index_has_each_word_of_each_entry(self):
        first = self.write("The Ferry leaves; the ferry returns.")
        second = self.write("Ferry!")
        assert build_keyword_index([first, second]) == {
            "the": {1},
            "ferry": {1},
            "leaves;": {1},
            "returns.": {1},
            "ferry!": {2},
        }
