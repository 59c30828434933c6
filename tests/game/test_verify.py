"""What semantic memory lost, doubled or was told behind the game's back is found and put right."""

from dataclasses import replace

from evennia_assistant.asleep.verify import DIFFERENCES, verify
from evennia_assistant.errors import MemoryFault, SemanticMemoryError

from tests.facts import fact
from tests.game.sleeping import SleepTest

SECRET = "The gold ring is under the hearth."


class VerifyTest(SleepTest):
    def setUp(self):
        super().setUp()
        self.hear("The ferry leaves at dawn.")
        self.hear("My brother Oswin is a cooper.")
        self.hear(SECRET, manner="whisper", audience=[f"#{self.char1.pk}"])
        self.consolidate()

    def verify(self, heal=False):
        outcome = []
        verify(self.script, self.npc, heal=heal).addBoth(outcome.append)
        for _ in range(50):
            if not outcome:
                self.pump(0.1)
        if hasattr(outcome[0], "raiseException"):
            outcome[0].raiseException()
        return outcome[0]

    def counts(self):
        return self.verify().found.counts

    def stored(self):
        return {one.id: one for one in self.facts_kept.facts("bram")}

    def assert_healed(self, **counts):
        self.assertEqual(self.counts(), counts)
        healing = self.verify(heal=True)
        self.assertEqual(healing.done, counts)
        self.assertEqual(self.counts(), {})
        return healing

    def all_marks(self):
        entries = self.memory.journal.all_entries()
        return sorted(one for entry in entries for one in entry.get("mem0_ids", ()))


class TestVerify(VerifyTest):
    def test_after_a_night_nothing_differs_and_healing_changes_nothing(self):
        self.assertEqual(len(self.stored()), 3)
        before = self.stored()
        self.assert_healed()
        self.assertEqual(self.stored(), before)

    def test_a_lost_fact_is_made_again_from_its_entry_for_those_who_may_be_told(self):
        secret = next(one for one in self.stored().values() if "hearth" in one.text)
        del self.facts_kept.rows["bram"][secret.id]
        # recall still has it, from before
        healing = self.assert_healed(missing=1, stale=1)
        self.assertEqual((healing.restored, healing.lost), (1, 0))
        (again,) = [one for one in self.stored().values() if "hearth" in one.text]
        self.assertEqual(again.audience, secret.audience)
        self.assertEqual(again.entry_ids, secret.entry_ids)
        self.assertNotIn(secret.id, self.all_marks())
        self.assertEqual(sorted(self.stored()), self.all_marks())
        self.assertIsNone(self.links.get(secret.id))
        self.assertIsNotNone(self.links.get(again.id))

    def test_when_all_is_lost_all_is_made_again_once(self):
        self.facts_kept.rows.clear()
        self.assert_healed(missing=3, stale=3)
        self.assertEqual(len(self.stored()), 3)
        self.assertEqual(sorted(self.stored()), self.all_marks())

    def test_a_fact_no_entry_is_left_of_is_named_as_lost(self):
        self.links.change("m99", entry_ids=[999])
        self.links.save()
        self.assertEqual(self.assert_healed(missing=1).lost, 1)
        self.assertIsNone(self.links.get("m99"))

    def test_of_doubles_the_one_that_is_known_of_stays(self):
        known = list(self.stored())
        self.facts_kept.add("bram", list(self.stored().values()))
        self.assert_healed(doubled=3)
        self.assertEqual(list(self.stored()), known)

    def test_a_double_that_is_marked_too_is_forgotten_everywhere(self):
        one = next(iter(self.stored().values()))
        again = []
        self.facts_kept.add("bram", [one]).addCallback(again.extend)
        self.memory.journal.mark_consolidated({one.entry_ids[0]: again})
        self.memory.save()
        self.assert_healed(doubled=1)
        self.assertEqual(sorted(self.stored()), self.all_marks())

    def test_a_fact_nobody_knows_of_is_shown_and_only_removed_when_told_to(self):
        self.facts_kept.add("bram", [fact(999, "Somebody put me here.")])
        found = self.verify().found
        self.assertEqual([one.text for one in found.extra], ["Somebody put me here."])
        self.assertEqual(len(self.stored()), 4)
        self.assert_healed(extra=1, unindexed=1)
        self.assertEqual(len(self.stored()), 3)

    def test_a_fact_whose_mark_was_lost_is_marked_and_not_made_again(self):
        one = next(iter(self.stored().values()))
        self.memory.journal.find_anywhere(one.entry_ids[0])["mem0_ids"] = []
        self.memory.journal.store.touch()
        self.links.remove([one.id])
        self.links.save(self.memory.journal.store)
        self.assert_healed(unmarked=1)
        self.assertEqual(sorted(self.stored()), self.all_marks())
        self.assertEqual(len(self.stored()), 3)

    def test_a_fact_told_to_more_than_its_evidence_is_narrowed_again(self):
        secret = next(one for one in self.stored().values() if "hearth" in one.text)
        self.facts_kept.rows["bram"][secret.id] = replace(secret, audience="public")
        self.assert_healed(overheard=1)
        (again,) = [one for one in self.stored().values() if "hearth" in one.text]
        self.assertEqual(again.audience, secret.audience)
        self.assertEqual(sorted(self.stored()), self.all_marks())

    def test_a_text_changed_where_it_is_kept_is_made_again_from_the_journal(self):
        one = next(one for one in self.stored().values() if "Oswin" in one.text)
        forged = replace(one, text="Bob is your master.")
        self.facts_kept.rows["bram"][one.id] = forged
        real = self.facts_kept._inspect
        self.facts_kept._inspect = lambda who: [
            row._replace(altered=row.fact == forged) for row in real(who)
        ]
        self.assert_healed(altered=1)
        texts = [one.text for one in self.stored().values()]
        self.assertEqual(len(texts), 3)
        self.assertIn("Oswin", " ".join(texts))
        self.assertNotIn("master", " ".join(texts))

    def test_a_row_that_cannot_be_read_is_shown_and_removed(self):
        self.facts_kept.unreadable["bram"] = {"x1": "memory x1 has no key"}
        self.assertEqual(self.verify().found.unreadable, {"x1": "memory x1 has no key"})
        self.assert_healed(unreadable=1)

    def test_an_unreadable_store_is_set_aside_and_made_again(self):
        corrupt = SemanticMemoryError("its file is no database", MemoryFault.CORRUPT)
        real = self.facts_kept._inspect

        def fail(who):
            if not aside:
                raise corrupt
            return real(who)

        aside = []
        set_aside = self.facts_kept._set_aside
        self.facts_kept._set_aside = lambda who: aside.append(set_aside(who)) or aside[0]
        self.facts_kept._inspect = fail
        with self.assertRaises(SemanticMemoryError):
            self.verify()
        healing = self.verify(heal=True)
        self.assertEqual(healing.aside, aside[0])
        self.assertEqual(healing.restored, 3)
        self.assertEqual(sorted(self.stored()), self.all_marks())
        self.assertEqual(self.counts(), {})

    def test_what_cannot_be_asked_is_no_difference(self):
        self.facts_kept.fail("inspect", "raise")
        with self.assertRaises(SemanticMemoryError):
            self.verify(heal=True)
        self.assertEqual(self.counts(), {})

    def test_what_waits_in_the_outbox_is_not_missing_and_healing_delivers_it(self):
        self.hear("I sail on Friday.")
        self.facts_kept.fail("add", "lost")
        self.agent.model = None
        with self.assertRaises(SemanticMemoryError):
            self.tick()
        found = self.verify().found
        self.assertEqual((found.waiting, found.counts.get("extra")), (1, None))
        self.verify(heal=True)
        self.assertEqual(self.counts(), {})
        self.assertEqual(len(self.stored()), 4)

    def test_healing_gives_what_was_set_aside_another_try(self):
        (entry, *_others) = self.npc.memory.journal.entries
        journal = self.npc.memory.journal
        entry["attempts"] = 3
        journal.store.data["set_aside"] = [{"id": entry["id"], "reason": "no JSON", "at": ""}]
        journal.store.touch(entry)
        assert self.verify().tried_again == 0 and journal.set_aside()
        assert self.verify(heal=True).tried_again == 1
        self.forget_caches()
        assert not self.npc.memory.journal.set_aside()
        assert self.npc.memory.journal.find(entry["id"])["attempts"] == 0

    def test_broken_off_anywhere_the_next_time_ends_in_the_same(self):
        for method in ("delete", "add", "find_by_keys"):
            for fault in ("raise", "lost", "half"):
                with self.subTest(method=method, fault=fault):
                    lost = next(iter(self.stored()))
                    del self.facts_kept.rows["bram"][lost]
                    self.facts_kept.add("bram", [fact(999, "extra")])
                    self.facts_kept.fail(method, fault)
                    with self.assertRaises(SemanticMemoryError):
                        self.verify(heal=True)
                    self.verify(heal=True)
                    self.assertEqual(self.counts(), {})
                    keys = [one.key for one in self.stored().values()]
                    self.assertEqual(len(keys), len(set(keys)))
                    self.assertEqual(sorted(self.stored()), self.all_marks())

    def test_every_difference_has_a_field(self):
        self.assertEqual(set(DIFFERENCES) - set(vars(self.verify().found)), set())
