"""However a journal is written, moved, marked and loaded again: nothing that was noted is lost."""

from evennia.typeclasses.attributes import Attribute
from evennia.utils.create import create_object
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from evennia_assistant.memory.attribute_store import save_together
from evennia_assistant.memory.journal import Journal
from evennia_assistant.mind.entry import KINDS

WRITE, SAVE, CONSOLIDATE, RESTART = "write", "save", "consolidate", "restart"
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just(WRITE), st.integers(1, 30), st.sampled_from(KINDS), st.integers(1, 10)),
        st.tuples(st.just(SAVE)),
        st.tuples(st.just(CONSOLIDATE), st.integers(0, 7)),
        st.tuples(st.just(RESTART)),
    ),
    min_size=1,
    max_size=16,
)


class TestKeeping(TestCase):
    def new_process(self):
        """The journal as a server that has just started reads it."""
        Attribute.flush_instance_cache(force=True)
        self.npc.attributes.reset_cache()
        return Journal(self.npc)

    @settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
    @given(STEPS, st.integers(1, 40))
    def test_no_entry_is_lost_doubled_or_renumbered(self, steps, most):
        self.npc = create_object("evennia.objects.objects.DefaultObject", key="Bram", nohome=True)
        journal = self.new_process()
        journal.store.data["max_entries"] = most
        journal.store.touch()
        journal.store.save()
        noted, stored, waiting = {}, {}, set()
        highest = 0
        for step, *arguments in steps:
            if step == WRITE:
                count, kind, importance = arguments
                for _ in range(count):
                    words = f"Note {len(noted)}."
                    entry = journal.add(words, when=1.0, kind=kind, importance=importance)
                    assert entry["id"] not in noted
                    noted[entry["id"]] = words
                    if journal.is_waiting(entry):
                        waiting.add(entry["id"])
            elif step == SAVE:
                journal.make_room()
                save_together([journal.store])
                stored = dict(noted)
                assert len(journal.entries) <= most
            elif step == CONSOLIDATE:
                some = sorted(waiting & stored.keys())[:: arguments[0] + 1]
                save_together(journal.mark_consolidated({number: ["m1"] for number in some}))
                stored = dict(noted)
                waiting -= set(some)
            else:
                journal = self.new_process()
                noted = dict(stored)
                waiting &= noted.keys()
            count = journal.store.data["entry_count"]
            assert count >= max(noted, default=0)
            if step != RESTART:
                assert count >= highest
            highest = count
            held = list(journal.all_entries())
            assert {entry["id"]: entry["content"] for entry in held} == noted
            assert len(held) == len(noted)
            assert {entry["id"] for entry in journal.unconsolidated()} == waiting
