"""11. A fact that was superseded and is restored can be retrieved."""

import pytest

from evennia_assistant.asleep.consolidation import restore_fact
from evennia_assistant.memory.retrieval import retrieve_relevant_memories

from tests.game.sleeping import SleepTest

OLD, NEW = "Anna lives in the harbour street.", "Anna lives in the castle street."


class TestRestoredFact(SleepTest):
    def superseded(self):
        """The old fact, with the new one in its place."""
        self.hear("I live in the harbour street")
        self.consolidate(lambda entry, known: {"fact": OLD})
        (old,) = self.kept()
        self.hear("I live in the castle street now")
        ask = self.consolidate(
            lambda entry, known: {
                "fact": NEW,
                "replaces": [k["label"] for k in known if "harbour" in k["text"]],
            }
        )
        assert OLD in ask.prompts[-1], "the model is shown what it may retire"
        assert self.links.state(old.id) == "superseded"
        assert self.links.get(old.id)["successor"] == self.kept()[-1].id
        return old

    def restart(self):
        self.forget_caches()
        self.pump(1)

    def recalls(self, word):
        return any(word in item.text for item in self.recalled(f"Anna {word} street"))

    def looks_up(self, words):
        """The documented look into semantic memory, by meaning."""
        done = []
        who = [f"#{self.char1.pk}"]
        retrieve_relevant_memories(self.script, [words], [], listeners=who, min_score=0.0).addBoth(
            done.append
        )
        self.pump()
        return [found["memory"] for found in done[0]]

    def test_while_it_is_superseded_it_is_not_told(self):
        self.superseded()
        for _ in ("at once", "after a restart"):
            assert self.recalls("castle") and not self.recalls("harbour")
            assert OLD not in self.looks_up("harbour street")
            self.restart()

    def test_restored_it_is_told_again_at_once_and_after_a_restart(self):
        old = self.superseded()
        restore_fact(self.script, old.id)
        self.pump()
        for _ in ("at once", "after a restart"):
            assert self.recalls("harbour")
            assert OLD in self.looks_up("harbour street")
            assert self.links.get(old.id)["successor"] is None
            self.restart()

    def test_the_nights_that_follow_leave_it_restored(self):
        old = self.superseded()
        restore_fact(self.script, old.id)
        self.pump()
        for number in range(3):
            self.hear(f"The ferry number {number} is late")
            self.consolidate(lambda entry, known: {"fact": entry["text"]})
        assert self.links.state(old.id) == "active" and self.recalls("harbour")

    def test_the_same_said_anew_is_not_swallowed_by_the_fact_that_holds_no_longer(self):
        old = self.superseded()
        self.hear("I live in the harbour street again")
        self.consolidate(
            lambda entry, known: {
                "fact": OLD,
                "replaces": [k["label"] for k in known if "castle" in k["text"]],
            }
        )
        assert self.recalls("harbour")
        active = [fact for fact in self.kept() if self.links.state(fact.id) == "active"]
        assert OLD in [fact.text for fact in active]
        assert self.links.state(old.id) in ("active", "superseded")

    def test_what_is_restored_is_told_to_those_only_who_might_hear_it_before(self):
        self.hear("I live in the harbour street", manner="whisper", audience=["#5"])
        self.consolidate(lambda entry, known: {"fact": OLD})
        (old,) = self.kept()
        self.links.change(old.id, state="superseded", successor="gone")
        self.links.save()
        restore_fact(self.script, old.id)
        self.pump()
        assert not self.recalls("harbour")
        assert any("harbour" in item.text for item in self.recalled("harbour street", "#5"))

    def test_there_is_nothing_to_restore_of_what_never_was(self):
        with pytest.raises(KeyError):
            restore_fact(self.script, "no such fact")
