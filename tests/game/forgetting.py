"""An NPC to whom a player said hundreds of words of their own, and where each is to be found."""

import json
import pickle
import re
import zlib
from base64 import b64encode

from django.db import connection
from evennia.commands.default.general import CmdPose, CmdSay, CmdWhisper
from evennia.typeclasses.attributes import Attribute
from evennia.utils.create import create_channel

from evennia_assistant.memory.carry_notes import carry_notes_of
from evennia_assistant.memory.mentions import mention
from evennia_assistant.mind.percept import Percept
from evennia_assistant.mind.scene import checked_scene, kept_scene
from evennia_assistant.mind.slots import parse_slots

from tests.asleep.sleeping import NightTest

CANARY = re.compile(r"zq[a-p]{6}xv")
#: How a word comes to the NPC.
ACTS = ("say", "overheard", "whisper", "page", "channel", "emote")


def canary(number):
    """A word of letters alone, of its own for every number, that no stemmer changes."""
    return f"zq{''.join(chr(97 + int(digit, 16)) for digit in f'{number:06x}')}xv"


def encoded(word):
    """The three forms a word may have inside a text in base64."""
    forms = []
    for lead in range(3):
        text = b64encode(b"\0" * lead + word.encode()).rstrip(b"=")
        first, rest = (0, 2, 3)[lead], (lead + len(word)) % 3
        forms.append(text[first : len(text) - 1 if rest else None])
    return forms


class Echo:
    """
    A model that says and writes down all it can see of these words.

    Attributes:
        prompts (list): Everything it was shown.

    """

    def __init__(self):
        self.prompts = []

    def __call__(self, asked):
        shown = "\n".join(str(message.get("content") or "") for message in asked.messages)
        self.prompts.append(shown)
        return self.answer(asked.messages, shown)

    def answer(self, messages, shown):
        slots = parse_slots(messages[-1]["content"])
        if "event" in slots:
            return "8"
        if "events" in slots:
            return json.dumps([{"id": event["id"], "score": 8} for event in slots["events"]])
        if "entries" in slots:
            return json.dumps(
                [
                    {"entries": [e["id"]], "fact": f"It is told: {e['text']}"}
                    for e in slots["entries"]
                ]
            )
        if "day" in slots:
            held = slots["day"]
            words = " ".join(CANARY.findall(json.dumps(held)))[:200] or "the weather"
            rest = {"from": [each["id"] for each in held], "day": held[-1]["day"]}
            return json.dumps(
                [
                    {"what": what, "text": f"The day was one of {words}.", **rest}
                    for what in ("line", "note", "question")
                ]
            )
        if "topics" in slots:
            return json.dumps([self.of_topic(group) for group in slots["topics"]])
        if "observations" in slots:
            notes = slots["observations"]
            words = " ".join(CANARY.findall(json.dumps(notes)))[:100] or "tea"
            ids = [note["id"] for note in notes]
            return json.dumps([{"type": "word", "value": words, "evidence": ids}])
        if "lines" in slots and "JSON list of records" in messages[0]["content"]:
            return self.of_talks(slots["lines"])
        if "questions as texts" in messages[-1]["content"]:
            words = CANARY.findall(shown)[:2]
            return json.dumps([f"What is {' and '.join(words)} about?"])
        if "today" in slots:
            ids = [line["id"] for line in slots["memories"][:2]]
            words = " ".join(CANARY.findall(json.dumps(slots["memories"][:2])))
            told = {"text": f"They hear more of {words}.", "evidence": ids}
            return json.dumps([{"what": "expectation", **told}, {"what": "question", **told}])
        if "memories" in slots and "speak" not in slots:
            memories = [line for line in slots["memories"] if "id" in line]
            if memories and not any("heard" in slot for slot in slots):
                words = " ".join(CANARY.findall(json.dumps(memories[:2])))
                ids = [line["id"] for line in memories[:2]]
                insight = {"insight": f"The words {words} go together.", "evidence": ids}
                more = {"expectation": f"They hear more of {words}.", "evidence": ids}
                return json.dumps([insight, more])
        return f"So {' '.join(CANARY.findall(shown)[-3:])} it is."

    def of_topic(self, group):
        words = CANARY.findall(json.dumps(group))
        name, digest = " ".join(words[:2]) or "weather", f"It is told: {' '.join(words[:9])}."
        return {"topic": group["topic"], "name": name, "digest": digest}

    def of_talks(self, lines):
        records = []
        for talk in {line["talk"] for line in lines}:
            own = [line for line in lines if line["talk"] == talk]
            words = " ".join(CANARY.findall(json.dumps(own)))[:200]
            text = f"The talk was of {words or 'the weather'}."
            records.append({"talk": talk, "what": "summary", "text": text})
        return json.dumps(records)


class ForgetTest(NightTest):
    """`self.plant()` fills every store; `self.places()` says where canaries are now."""

    options = {**NightTest.options, "strict_audience": "no"}
    each = 36

    def setUp(self):
        super().setUp()
        self.char1.db_key, self.char2.db_key = "Anna", "Boris"
        self.char1.save()
        self.char2.save()
        self.echo = Echo()
        self.model._handler = self.echo
        self.channel = create_channel("Tavern", locks="listen:all();send:all();control:all()")
        self.channel.connect(self.npc)
        self.channel.connect(self.char1)
        self.script.db.channels = {"tavern": "all"}
        self.channel.send_to_online_only = False
        self.planted = {}

    @property
    def anna(self):
        return f"#{self.char1.pk}"

    def tell(self, act, words, who=None):
        who = who or self.char1
        self.agent.engagement = type(self.agent.engagement)()
        if act == "say":
            self.call(CmdSay(), f"Bram, {words}", caller=who)
        elif act == "overheard":
            self.call(CmdSay(), f"{self.char2.key}, {words}", caller=who)
        elif act == "whisper":
            self.call(CmdWhisper(), f"Bram = {words}", caller=who)
        elif act == "page":
            self.agent.hear(self.paged(words, who))
        elif act == "channel":
            self.channel.msg(words, senders=[who])
        elif act == "emote":
            self.call(CmdPose(), f"shows everyone the sign of {words}", caller=who)
        self.pump(3)
        self.agent.tick()
        self.pump(3)

    def paged(self, words, who):
        pair = (f"#{who.pk}", f"#{self.npc.pk}")
        return Percept(
            "page",
            pair[0],
            who.key,
            words,
            f"{who.key} pages: {words}",
            self.agent.now(),
            witnesses=pair,
            audience=pair,
            receivers=pair[1:],
            exact=True,
            speaker_kind="player",
        )

    def plant(self, each=None):
        """One canary in every utterance, by every act; others speak in between."""
        number = 0
        for round_ in range(each or self.each):
            for act in ACTS:
                word = canary(number)
                number += 1
                self.planted[word] = act
                self.tell(act, f"I keep the {word} at home, remember that well")
            if round_ % 6 == 0:
                self.tell("say", f"the mill number {round_} of mine grinds barley", self.char2)

    def plant_records(self):
        """A canary in each store that no talk fills by itself."""
        npc, script, memory = self.npc, self.script, self.npc.memory
        words = iter(canary(60_000 + number) for number in range(40))

        def one(act):
            word = next(words)
            self.planted[word] = act
            self.tell("say", f"my word of the day is {word}, remember it")
            return word

        when, everyone = self.agent.now(), "public"
        memory.session_memory.add(
            "facts", f"Players use {one('note')}.", audience=everyone, when=when
        )
        memory.session_memory.add("patterns", f"Anna says {one('note')}.", audience=everyone)
        memory.projects.create("hut", f"Build the {one('project')}.", audience=everyone, when=when)
        memory.goals.create(f"Bring {one('goal')}.", asked_by=[self.anna], audience=everyone)
        whole = memory.goals.create("Look around.", audience=everyone)
        memory.goals.create(f"Find {one('goal')}.", parent_id=whole["goal_id"], audience=everyone)
        profile = memory.profiles.ensure(f"#{self.char2.pk}", "player", "Boris")
        profile["attributes"]["friend"] = {
            "value": f"Anna of {one('attribute')}",
            "evidence": [],
            "audience": "public",
            "at": "2026-01-01T00:00:00Z",
        }
        memory.profiles.store.touch()
        boris = f"#{self.char2.pk}"
        memory.profiles.learn_alias(boris, one("alias"), audience=everyone, when=when)
        mention(memory.profiles, one("mention"), audience=everyone, when=when, by=self.anna)
        mention(memory.profiles, "Boris Tar", audience=(self.anna,), when=when, by=self.anna)
        memory.write(
            f"Bram brings Anna the {one('promise')}.",
            when=when,
            kind="intention",
            audience=everyone,
            entities=[self.anna],
        )
        memory.mood.note("sad", 1, "tired", now=when, entity_id=self.anna, audience=everyone)
        memory.reflection.ask_later([f"Why {one('question')}?"])
        memory.working.add_pending_action(f"#{self.char2.pk}", f"tell of {one('action')}")
        memory.working.add_message(
            f"#{self.char2.pk}",
            "assistant",
            f"It is {one('retold')}.",
            audience=everyone,
            when=when,
        )
        talk = memory.working.store.data[f"#{self.char2.pk}"]
        talk["answer"] = {"places": [0], "found": {"summary": [{"text": one("answer")}]}}
        memory.working.touch(f"#{self.char2.pk}", talk)
        for scene in (
            checked_scene({"action": "It was loud", "dialogue": [one("scene")]}),
            kept_scene(f"loud, {one('unreadable scene')}"),
        ):
            theirs = [e["id"] for e in memory.journal.entries if e.get("source_id") == self.anna]
            others = [e["id"] for e in memory.journal.entries if e.get("source_id") != self.anna]
            evidence = [f"j{theirs[-1]}", f"j{others[-1]}"]
            memory.write("It was loud.", audience=everyone, evidence=evidence, scene=scene)
        memory.save()
        carried = carry_notes_of(script)
        for kind in ("notes", "questions", "self_view"):
            carried.data[kind].insert(
                0, {"text": f"Still {one('carried')}.", "evidence": [], "audience": everyone}
            )
        carried.store.touch()
        carried.store.save()
        npc.attributes.add("journal_set_aside", {"entries": [{"content": one("aside")}]})
        script.db.confirmations = [
            {
                "id": 1,
                "at": "2099-01-01T00:00:00Z",
                "tool": "give",
                "arguments": {"what": one("request")},
                "percepts": [],
                "reasoning": "",
                "audience": "public",
            }
        ]
        script.db.execution_log = [
            {
                "tool": "say",
                "timestamp": "2026-01-01T00:00:00Z",
                "success": True,
                "parameters": {"text": one("log")},
                "audience": "public",
            }
        ]
        script.db.initiative_state = {
            "attempts": [],
            "awaiting": {self.anna: "2026-01-01T00:00:00Z"},
            "used": [],
            "log": [],
        }

    def wait_in_queue(self):
        """Lines that wait for an answer, and lines overheard that are stored nowhere yet."""
        self.char1.location = self.room1
        self.script.set_option("cooldown", "60")
        self.agent.runner.read_options()
        self.agent.runner._cooldowns.start(self.agent.npc_id, None)
        for number, act in ((70_001, "queued"), (70_002, "unsaved")):
            word = canary(number)
            self.planted[word] = act
            name = "Bram" if act == "queued" else "Boris"
            self.call(CmdSay(), f"{name}, this is {word}, is it not", caller=self.char1)
        self.clock.settle()

    # Where they are ------------------------------------------------------------------------------

    def stores(self):
        """The plain value of every Attribute of NPC and script, as the database has it."""
        rows = Attribute.objects.filter(objectdb=self.npc) | Attribute.objects.filter(
            scriptdb=self.script
        )
        found = {}
        for row in rows.distinct():
            key = f"{row.db_key} {row.db_category or ''}".strip()
            found.setdefault(key, []).append(self._readable(row.db_value))
        return {key: json.dumps(values, default=repr) for key, values in found.items()}

    def _readable(self, value):
        if isinstance(value, dict):
            return {str(key): self._readable(held) for key, held in value.items()}
        if isinstance(value, list | tuple | set):
            return [self._readable(held) for held in value]
        if isinstance(value, bytes):
            try:
                return repr(pickle.loads(zlib.decompress(value)))
            except zlib.error:
                # The vectors of a topic, added up.
                return repr(value)
        return value

    def places(self):
        """Canaries by the store they are in."""
        found = {key: set(CANARY.findall(text)) for key, text in self.stores().items()}
        facts = json.dumps([fact.text for fact in self.facts_kept.facts("bram")])
        found["facts"] = set(CANARY.findall(facts))
        return {key: words for key, words in found.items() if words}

    def in_bytes(self):
        """Canaries in the file the database would be, free pages included."""
        image = connection.connection.serialize()
        return {
            word
            for word in self.planted
            if word.encode() in image or any(form in image for form in encoded(word))
        }

    # Going back ----------------------------------------------------------------------------------

    def snapshot(self):
        self.agent.save()
        rows = [
            (obj, row.db_key, row.db_category, pickle.loads(pickle.dumps(row.db_value)))
            for obj in (self.npc, self.script)
            for row in obj.db_attributes.all()
        ]
        return rows, {k: dict(v) for k, v in self.facts_kept.rows.items()}

    def restore(self, kept):
        rows, facts = kept
        self.script.disable()
        for obj in (self.npc, self.script):
            for row in list(obj.db_attributes.all()):
                obj.attributes.remove(row.db_key, category=row.db_category)
        for obj, key, category, value in rows:
            obj.attributes.add(key, pickle.loads(pickle.dumps(value)), category=category)
        self.facts_kept.rows = {k: dict(v) for k, v in facts.items()}
        self.facts_kept._faults.clear()
        self.forget_caches()
        self.pump(1)
        assert len(self.places()["facts"]) >= 12
