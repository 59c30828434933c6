"""Whom a talk names is known after it: as one, to who may know it, and only if named."""

import json

from evennia_assistant.asleep.conversations import extract_conversations
from evennia_assistant.mind import entry as entries

from tests.game.talking import TalkTest

HOUR = 3600.0


class TestNamesInTalks(TalkTest):
    def talk(self, *records, whisper=False):
        self.tell("My cat Mochi is ill, the herb woman says.", whisper=whisper)
        self.tell("That is a pity.", role="assistant", whisper=whisper)
        self.tell("Mochi is all I have, she sleeps on my ship.", whisper=whisper)
        self.memory.save()
        self.clock.advance(HOUR)
        summary = {"talk": 1, "what": "summary", "text": "They spoke of a cat."}
        self.model.add(json.dumps([*records, summary]))
        return self.result_of(extract_conversations(self.script, self.npc))

    def entity(self, name, *lines, **fields):
        return {"talk": 1, "what": "entity", "text": name, "lines": list(lines), **fields}

    def test_whoever_is_named_has_a_profile_and_the_memories_of_them_are_linked(self):
        memory = {"talk": 1, "what": "memory", "text": "Mochi the cat is ill.", "lines": [1, 3]}
        done = self.talk(self.entity("Mochi", 1, 3, kind="pet"), memory)
        assert done["names"] == 1
        (cat,) = self.memory.profiles.ids_in("how is mochi?", [self.who])
        profile = self.memory.profiles.get(cat)
        assert (profile["kind"], profile["told_by"]) == ("pet", [self.who])
        assert profile["names"]["Mochi"]["evidence"]
        (about,) = [e for e in self.memory.journal.entries if e["content"] == memory["text"]]
        assert entries.get(about, "entities") == [self.who, cat]
        self.forget_caches()
        assert self.npc.memory.profiles.ids_in("mochi", [self.who]) == [cat]

    def test_a_name_nobody_used_makes_nobody(self):
        assert self.talk(self.entity("Mephisto", 1, kind="pet"))["names"] == 0
        assert "@1" not in self.memory.profiles.store.data

    def test_whom_somebody_whispered_of_is_known_to_those_alone(self):
        self.talk(self.entity("Mochi", 1, kind="pet"), whisper=True)
        other = f"#{self.char2.pk}"
        assert self.memory.profiles.ids_in("Mochi", [self.who]) == ["@1"]
        for listeners in ([other], [self.who, other], ["*"]):
            assert self.memory.profiles.ids_in("Mochi", listeners) == []
        assert self.memory.profiles.get("@1")["names"]["Mochi"]["confidence"]
