"""
Who asks to be forgotten is: no word of theirs is left anywhere.

Hundreds of words of one player's own are planted by every way an NPC hears, slept over, thought
about, and then forgotten. The suite counts what it planted and found before, and fails as hollow
when that was less than planned.

"""

import json

from evennia_assistant.asleep.forgetting import forget, look_for, person_subject, subject_of
from evennia_assistant.asleep.night import night_of

from tests.game.forgetting import ACTS, CANARY, ForgetTest

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
    "pending_events",
    "before_night",
    "last_night",
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
