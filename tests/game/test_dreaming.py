"""What belongs together is linked in a dream, and comes to mind together afterwards."""

from unittest import mock

import pytest

from evennia_assistant.asleep.links import prune_orphaned_memory_links, run_dreaming_tick
from evennia_assistant.errors import SemanticMemoryError

from tests.game.sleeping import SleepTest

RING = "Anna lost the silver ring of Greta near the mill"
THIEF = "the silver ring of Greta near the mill shines in the crow nest"


class TestDreaming(SleepTest):
    def two_linked(self, audience="public", **fields):
        self.hear(RING)
        self.hear(THIEF, audience=audience, who="#5", name="Bo", **fields)
        self.consolidate()
        self.dream()
        return [fact.id for fact in self.kept()]

    def test_links_run_both_ways(self):
        ring, thief = self.two_linked()
        assert [other for other, _score in self.links.linked(ring)] == [thief]
        assert [other for other, _score in self.links.linked(thief)] == [ring]
        record = dict(self.script.db.memory_links[ring])
        assert record["processed_at"]
        assert set(record["linked_to"][0]) == {"id", "score"}

    def test_links_survive_a_restart(self):
        ring, thief = self.two_linked()
        before = self.links.linked(ring)
        self.forget_caches()
        assert self.links.linked(ring) == before
        assert [other for other, _score in self.links.linked(thief)] == [ring]

    def test_links_are_followed_by_recall(self):
        self.hear("The crow nest hangs in the dead elm behind the chapel")
        self.hear("Anna visits her aunt tomorrow", who="#9", name="Cora")
        self.consolidate()
        elm, aunt = (fact.id for fact in self.kept())
        without = {item.text for item in self.recalled("Who hangs in the elm?")}
        self.links.link(elm, aunt, 0.9)
        self.links.save()
        for _ in ("at once", "after a restart"):
            found = {item.text for item in self.recalled("Who hangs in the elm?")}
            assert "Anna visits her aunt tomorrow" not in without
            assert "Anna visits her aunt tomorrow" in found
            self.forget_caches()
            self.pump(1)

    def test_recall_follows_a_link_only_to_what_all_listeners_may_be_told(self):
        self.hear("The crow nest hangs in the dead elm behind the chapel")
        self.hear("zq7xv is buried by Anna", audience=["#5"], manner="whisper", who="#5")
        self.consolidate()
        elm, secret = (fact.id for fact in self.kept())
        self.links.link(elm, secret, 0.99)
        question = "Who hangs in the elm?"
        assert any("zq7xv" in item.text for item in self.recalled(question, "#5"))
        for listeners in (["#6"], ["#5", "#6"], ["#5", "*"]):
            assert not any("zq7xv" in item.text for item in self.recalled(question, *listeners))

    def test_recall_goes_one_step_and_no_further(self):
        for text in ("The elm is dead", "Cora bakes bread", "Dora sails north"):
            self.hear(text)
        self.consolidate()
        one, two, three = (fact.id for fact in self.kept())
        self.links.link(one, two, 0.9)
        self.links.link(two, three, 0.9)
        found = {item.text for item in self.recalled("Is the elm dead?")}
        assert "Cora bakes bread" in found
        assert "Dora sails north" not in found

    def test_five_links_at_most_are_followed(self):
        words = ("bread", "boats", "wool", "iron", "salt", "glass", "honey", "wax")
        self.hear("The elm is dead")
        for word in words:
            self.hear(f"Somebody sells {word}")
        self.consolidate()
        elm, *others = (fact.id for fact in self.kept())
        for other in others:
            self.links.link(elm, other, 0.9)
        found = self.recalled("Is the elm dead?")
        assert len([item for item in found if "sells" in item.text]) == 5

    def test_five_facts_are_looked_at_in_a_tick(self):
        for n in range(7):
            self.hear(f"House number {n} is red")
        self.consolidate()
        first = self.tick(run_dreaming_tick)
        assert (first["processed"], first["completed"]) == (5, False)
        assert self.tick(run_dreaming_tick)["completed"]

    def test_facts_that_have_nothing_to_do_with_each_other_are_not_linked(self):
        self.hear("The bridge over the Ash is out")
        self.hear("Cora likes honey cakes")
        self.consolidate()
        self.dream()
        assert all(not self.links.linked(fact.id) for fact in self.kept())

    def test_a_search_that_fails_leaves_the_fact_for_the_next_tick(self):
        self.hear(RING)
        self.hear(THIEF)
        self.consolidate()
        self.facts_kept.fail("search", "raise")
        with pytest.raises(SemanticMemoryError):
            self.tick(run_dreaming_tick)
        assert len(self.links.unprocessed()) == 2
        self.dream()
        assert self.links.linked(self.kept()[0].id)

    def test_links_to_facts_that_are_gone_are_pruned(self):
        ring, thief = self.two_linked()
        del self.facts_kept.rows["bram"][thief]
        report = self.prune()
        assert report == {"completed": True, "records": 1, "links": 1}
        assert self.links.linked(ring) == []
        assert self.links.get(thief) is None

    def test_a_semantic_memory_that_lost_everything_takes_no_link_with_it(self):
        ring, _thief = self.two_linked()
        self.facts_kept.rows.clear()
        assert "why" in self.prune()
        assert self.links.linked(ring)

    def test_a_fact_that_comes_while_the_others_are_listed_keeps_its_record_and_links(self):
        ring, _thief = self.two_linked()
        listed = self.facts_kept.all

        def late(*arguments, **options):
            found = listed(*arguments, **options)
            self.links.link(ring, "just-come", 0.9)
            return found

        with mock.patch.object(self.facts_kept, "all", late):
            assert self.prune() == {"completed": True, "records": 0, "links": 0}
        assert ("just-come", 0.9) in self.links.linked(ring)
        assert self.links.get("just-come") is not None

    def prune(self):
        return self.tick(lambda script, character: prune_orphaned_memory_links(script))
