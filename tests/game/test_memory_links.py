"""The sidecar of facts keeps what it is told, at any number of facts and through restarts."""

from evennia_assistant.memory.memory_links import CATEGORY, ROOM, MemoryLinks

from tests.game.sleeping import SleepTest

DONE = "2026-01-01T00:00:00Z"


class TestMemoryLinks(SleepTest):
    def anew(self):
        """The sidecar as a new process reads it."""
        self.script.attributes.reset_cache()
        return MemoryLinks(self.script)

    def test_the_documented_shape_stands_in_the_documented_place(self):
        links = MemoryLinks(self.script)
        links.link("mem_123", "mem_456", 0.85)
        links.change("mem_123", processed_at=DONE)
        links.save()
        assert dict(self.script.db.memory_links["mem_123"]) == {
            "linked_to": [{"id": "mem_456", "score": 0.85}],
            "processed_at": DONE,
        }

    def test_a_link_runs_both_ways_and_is_made_once(self):
        links = MemoryLinks(self.script)
        assert links.link("a", "b", 0.8)
        assert not links.link("b", "a", 0.9)
        assert not links.link("a", "a", 1.0)
        assert links.linked("a") == [("b", 0.9)]
        assert links.linked("b") == [("a", 0.9)]

    def test_a_removed_fact_leaves_no_link_behind(self):
        links = MemoryLinks(self.script)
        links.link("a", "b", 0.8)
        links.link("a", "c", 0.8)
        links.remove(["a"])
        links.save()
        links = self.anew()
        assert links.get("a") is None
        assert links.linked("b") == links.linked("c") == []

    def test_thousands_of_records_are_all_there_after_a_restart_and_each_save_stays_small(self):
        links = MemoryLinks(self.script)
        for n in range(1500):
            links.change(f"fact-{n}", processed_at=DONE, entry_ids=[n])
            if n:
                links.link(f"fact-{n}", f"fact-{n - 1}", 0.5)
            if n % 10 == 9:
                dirty = [store for store in links.stores() if store.dirty]
                assert len(dirty) <= 30
                links.save()
        links.save()
        links = self.anew()
        assert len(links) == 1500
        assert len(dict(self.script.db.memory_links)) <= ROOM + 20
        assert self.script.attributes.get(category=CATEGORY, return_list=True)
        assert all(links.get(f"fact-{n}")["entry_ids"] == [n] for n in range(1500))
        for n in range(1, 1500):
            assert f"fact-{n - 1}" in dict(links.linked(f"fact-{n}"))
            assert f"fact-{n}" in dict(links.linked(f"fact-{n - 1}"))

    def test_a_change_to_an_old_record_is_written_where_it_stands(self):
        links = MemoryLinks(self.script)
        for n in range(900):
            links.change(f"fact-{n}", processed_at=DONE)
        for _ in range(60):
            links.save()
        links.change("fact-0", state="superseded", successor="fact-9")
        links.save()
        assert self.anew().state("fact-0") == "superseded"
        assert len(self.anew()) == 900

    def test_facts_not_looked_at_yet_stay_where_they_are_found_at_once(self):
        links = MemoryLinks(self.script)
        for n in range(ROOM + 50):
            links.change(f"fact-{n}", processed_at=None if n < 5 else DONE)
        for _ in range(40):
            links.save()
        assert self.anew().unprocessed() == [f"fact-{n}" for n in range(5)]

    def test_what_cannot_be_read_is_set_aside_and_the_rest_is_used(self):
        self.script.db.memory_links = {
            "good": {"linked_to": [{"id": "x", "score": 0.7}, "junk"], "processed_at": None},
            "bad": 7,
            3: {},
        }
        links = self.anew()
        assert links.linked("good") == [("x", 0.7)]
        assert links.get("bad") is None
        assert self.script.attributes.get("memory_links_set_aside") is not None

    def test_what_an_operator_edits_by_hand_is_taken_over(self):
        links = MemoryLinks(self.script)
        links.change("a")
        links.save()
        self.script.db.memory_links = {"a": {"linked_to": [], "processed_at": DONE, "pinned": True}}
        assert links.get("a")["pinned"] is True
