"""A day with something in it for every step of a night, and what an NPC remembers after it."""

from copy import deepcopy

from evennia.utils.dbserialize import deserialize

from tests.asleep.sleeping import NightTest


class WholeNightTest(NightTest):
    """`self.day()`, then nights; `self.restored()` is the evening before them once more."""

    def day(self):
        self.model._handler = self.dream
        for number in range(30):
            self.write(1, content=f"Event {number} at the quay, at {number} o'clock.")
        who = self.char1
        self.npc.memory.profiles.ensure(f"#{who.pk}", "player", who.key)
        for number in range(6):
            self.npc.memory.profiles.add_observation(
                f"#{who.pk}",
                f"I like tea at {number} o'clock.",
                audience="public",
                entry_id=number + 1,
                when=self.clock.seconds(),
            )
        self.write(1, content="Somebody walked by.", importance=2)
        self.npc.memory.journal.entries[-1]["timestamp"] = "2020-01-01T00:00:00Z"
        self.npc.memory.journal.store.data["consolidated_entry_ids"].append(31)
        self.npc.memory.journal.store.touch()
        self.npc.memory.save()
        self.evening = self.attributes_of(self.npc), self.attributes_of(self.script)

    def without_times(self, state):
        kept = deserialize(state)
        for key in ("last_reflection_time", "runs"):
            kept["reflection_state"].pop(key)
        kept["journal"].pop("last_reflection")
        kept["working_memory"] = kept["working_memory"] or {}
        for entry in kept["journal"]["entries"]:
            entry.pop("timestamp")
            # A mark that is made once more counts as one more revision, and changes nothing else.
            entry.pop("rev", None)
            entry["mem0_ids"] = len(entry.get("mem0_ids", ()))
        for profile in kept["entity_profiles"].values():
            for attribute in profile["attributes"].values():
                attribute.pop("at")
        kept["facts"] = sorted(fact.text for fact in self.facts_kept.facts("bram"))
        return kept

    def restored(self):
        """Every Attribute is again what it was when the day was over."""
        for obj, evening in ((self.npc, self.evening[0]), (self.script, self.evening[1])):
            for key, category in self.attributes_of(obj).keys() - evening.keys():
                obj.attributes.remove(key, category=category)
            for (key, category), value in evening.items():
                obj.attributes.add(key, value, category=category)
        self.facts_kept.rows.clear()
        self.forget_caches()
        self.model._handler = self.dream

    def attributes_of(self, obj):
        """The Attributes of an object by key and category, as plain data."""
        return {
            (row.db_key, row.db_category): deepcopy(deserialize(row.value))
            for row in obj.attributes.all()
        }
