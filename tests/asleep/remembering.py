"""What somebody tells an NPC for nights on end, and what became of it."""

from itertools import product

from evennia_assistant.asleep.night import night_of
from evennia_assistant.asleep.retention import run_retention
from evennia_assistant.asleep.topics import run_topics
from evennia_assistant.memory.attribute_store import save_together
from evennia_assistant.memory.members import Members
from evennia_assistant.memory.retention import flush_hits
from evennia_assistant.mind.entry import timestamp_of

#: Of each subject, words that say different things about it.
SUBJECTS = {
    "ferry": ("ferry to Ashford", ("ferryman", "river crossing", "oars", "landing stage")),
    "bakery": ("bread of the bakery", ("honey cakes", "oven", "flour sacks", "baker's wife")),
    "wolves": ("wolves in the forest", ("howling", "sheep fold", "hunter's traps", "wolf pelts")),
    "chapel": ("bells of the chapel", ("priest", "prayer book", "candles", "graveyard gate")),
    "market": ("prices at the market", ("silver coins", "cloth stall", "tax collector", "fish")),
}
FRAMES = (
    "{subject}: {detail} again, the {number}th time",
    "{detail} and the {subject}, that makes {number}",
    "{number} times I asked about {detail}, {subject}",
)


def told(number, subjects=SUBJECTS):
    """So many lines about each of some subjects, one after the other, no two alike."""
    lines = []
    for name in subjects:
        subject, details = SUBJECTS[name]
        pairs = list(product(FRAMES, details))
        for count in range(number):
            frame, detail = pairs[count % len(pairs)]
            lines.append((name, frame.format(subject=subject, detail=detail, number=count + 1)))
    return lines


class Remembering:
    """Helpers of a test; mixed into a `NightTest`."""

    def members(self):
        """Every memory that is no more superseded or merged, by name."""
        found = {}
        for _pause in Members(self.npc.memory).read(found):
            pass
        return found

    def topics(self):
        """Names of the members at hand of each topic that is no root."""
        records = self.npc.memory.topics.records
        held = {name: [] for name, record in records.items() if record["parent"] is not None}
        for member in self.members().values():
            if member.at_hand and member.topic in held:
                held[member.topic].append(member.name)
        return held

    def state(self, entry_id):
        """State of an entry as it stands there."""
        return self.npc.memory.journal.find_anywhere(entry_id).get("state", "active")

    def recalled(self, question, deep=False):
        found = self.npc.memory.recall(
            question, listeners=["#1"], now=self.clock.seconds(), deep=deep, limit=20
        )
        return {hit.item.id for hit in found.hits}

    def nights(self, number, hours=24):
        """So many nights, a day apart, each but for retention and topics passed over."""
        reports = []
        for _night in range(number):
            self.clock.advance(hours * 3600)
            save_together(flush_hits(self.script, self.npc))
            night = night_of(self.script)
            night.begin(self.clock.seconds(), [], "run_topics")
            night.store.save()
            for step in (run_topics, run_retention):
                for _tick in range(60):
                    report = self.fired(step(self.script, self.npc))
                    reports.append(report)
                    if report["completed"]:
                        break
                else:
                    raise AssertionError(f"{step.__name__} never comes to its end")
            night.close(self.clock.seconds())
            night.store.save()
        return reports

    def date(self, entry, days):
        """Have an entry be so many days old."""
        entry["timestamp"] = timestamp_of(self.clock.seconds() - days * 86_400)
        self.npc.memory.journal.store.touch()
