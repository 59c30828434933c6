"""Conversations put into an NPC's memory line by line, and what a test looks for afterwards."""

from evennia.utils.dbserialize import deserialize

from evennia_assistant.mind import entry as entries
from evennia_assistant.mind.confidence import is_off_the_record

from tests.game.npc import NpcTest

#: A line that takes about ten tokens and says something of its own.
LINE = "Barrel number {n} of the {n}th cart goes to the harbour."


class TalkTest(NpcTest):
    """`self.tell` puts a line into journal and conversation, as a turn does."""

    def setUp(self):
        super().setUp()
        self.who = f"#{self.char1.pk}"
        self.me = f"#{self.npc.pk}"

    @property
    def memory(self):
        return self.npc.memory

    @property
    def record(self):
        return self.memory.working.store.data[self.who]

    def tell(self, words, *, whisper=False, who=None, role="user", name=None):
        who = who or self.who
        name = name or ("Char" if role == "user" else self.npc.key)
        manner = "whisper" if whisper else "say"
        private = whisper or is_off_the_record(words)
        audience = sorted([who, self.me]) if private else "public"
        entry = None
        if role == "user":
            entry = self.memory.write(
                entries.speech_content(name, manner, words),
                when=self.clock.seconds(),
                source_type="direct",
                source_entity=name,
                source_id=who,
                audience=audience,
                tags=[manner],
                entities=[who],
            )
        self.memory.working.add_message(
            who,
            role,
            words,
            name=name,
            manner=manner,
            audience=audience,
            entry_id=entry and entry["id"],
            when=self.clock.seconds(),
        )

    def tell_many(self, number, start=0, **options):
        for n in range(start, start + number):
            self.tell(LINE.format(n=n), **options)
            self.clock.advance(1)
        self.memory.save()

    def result_of(self, deferred, seconds=1.0):
        """What a Deferred fires with once all that is due has happened."""
        got = []
        deferred.addBoth(got.append)
        self.pump(seconds)
        assert got, "it did not fire"
        if hasattr(got[0], "raiseException"):
            got[0].raiseException()
        return got[0]

    def entries_of_kind(self, kind):
        return [e for e in self.memory.journal.entries if e.get("kind", "event") == kind]

    def kill(self):
        """A new process after one that died: what was not written is gone."""
        if self.script.ndb.agent is not None:
            self.script.ndb.agent.unsaved = False
            self.script.ndb.agent._overheard = []
        for store in self.memory.stores():
            store.dirty = False
        for obj in (self.npc, self.script):
            for row in obj.db_attributes.all():
                row.flush_from_cache(force=True)
        self.forget_caches()

    def stored_words(self):
        """Every line in the database's conversations."""
        talks = deserialize(self.npc.db.working_memory) or {}
        ended = deserialize(self.npc.db.ended_conversations) or []
        records = [*talks.values(), *ended]
        return [message["content"] for record in records for message in record["messages"]]
