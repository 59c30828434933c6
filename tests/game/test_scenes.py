"""An entry with a scene is told, recalled, searched and forgotten as one memory."""

from evennia.utils.dbserialize import deserialize

from evennia_assistant.awake.by_hand import run_by_hand
from evennia_assistant.memory.forgetting import Gathered, gather
from evennia_assistant.memory.scenes import waiting
from evennia_assistant.mind.emotion import AXES
from evennia_assistant.mind.forgetting import Subject
from evennia_assistant.mind.scene import checked_scene, kept_scene
from evennia_assistant.tools import all_tools

from tests.game.tooling import ToolTest

SCENE = {
    "action": "Anna gave the ring back",
    "actors": ["Anna"],
    "when": ["2026-03-01"],
    "setting": "under the old bridge",
    "dialogue": ["It was never mine."],
    "feeling": "relieved",
}


class TestWriting(ToolTest):
    allowed = f"{ToolTest.allowed}, add_scene, search_memory"

    def kept(self, told):
        return self.npc.memory.journal.find(told["entry_id"])

    def test_a_note_may_carry_a_scene_and_an_emotion(self):
        told = self.use(
            "add_scene",
            content="The ring is back.",
            scene={**SCENE, "when": "yesterday"},
            emotion={"valence": 0.6, "trust": "+0.4"},
        )
        entry = self.kept(told)
        assert entry["scene"] == {**SCENE, "when": ["2026-05-27"], "sensory": []}
        assert entry["emotion"] == {**dict.fromkeys(AXES, 0.0), "valence": 0.6, "trust": 0.4}
        assert entry["valence"] == 0.6
        assert "problems" not in told

    def test_a_scene_that_cannot_be_read_costs_neither_the_note_nor_itself(self):
        told = self.use(
            "add_scene",
            content="The ring is back.",
            scene={"setting": "the bridge"},
            emotion={"valence": 5, "trust": 0.4},
        )
        entry = self.kept(told)
        assert told["problems"] == [
            "valence lies outside -1 to 1",
            "the scene is kept as it is: a scene has no action",
        ]
        assert entry["scene"]["raw"] == '{"setting": "the bridge"}'
        assert entry["emotion"]["trust"] == 0.4
        assert [e["id"] for e in waiting(self.npc.memory.journal)] == [entry["id"]]

    def test_the_same_words_with_another_scene_are_another_memory(self):
        for setting in ("the inn", "the mill", "the mill"):
            scene = {"action": "Anna laughed", "setting": setting}
            self.use("add_scene", content="Anna laughed.", scene=scene)
        counts = [e.get("mention_count", 1) for e in self.npc.memory.journal.entries]
        assert counts == [1, 2]

    def test_all_of_it_is_there_after_a_restart(self):
        told = self.use("add_scene", content="The ring is back.", scene=SCENE)
        bad = self.use("add_scene", content="The ring broke.", scene="broken")
        self.forget_caches()
        assert self.kept(told)["scene"]["setting"] == SCENE["setting"]
        assert deserialize(self.npc.db.journal)["scenes_to_repair"] == [bad["entry_id"]]
        assert [e["id"] for e in waiting(self.npc.memory.journal)] == [bad["entry_id"]]

    def test_what_waits_is_found_when_it_has_moved_to_the_archive(self):
        bad = self.use("add_scene", content="The ring broke.", scene="broken")
        for number in range(120):
            self.npc.memory.write(f"Line {number}.", audience="public")
        self.npc.memory.save()
        assert self.npc.memory.journal.find(bad["entry_id"]) is None
        assert [e["id"] for e in waiting(self.npc.memory.journal)] == [bad["entry_id"]]


class TestTelling(ToolTest):
    allowed = f"{ToolTest.allowed}, add_scene, search_memory"

    def remember(self, content="The ring is back.", audience="public", **fields):
        fields.setdefault("scene", checked_scene(SCENE))
        entry = self.npc.memory.write(
            content, when=self.clock.seconds(), audience=audience, **fields
        )
        self.npc.memory.save()
        return entry

    def test_a_memory_is_recalled_by_what_only_its_scene_says_and_tells_it_once(self):
        self.remember("Anna gave the ring back.")
        for _start in range(2):
            found = self.use("recall_memories", query="what was under the bridge?")["memories"]
            assert [record["text"] for record in found] == [
                "Anna gave the ring back. [2026-03-01 \u2014 under the old bridge \u2014 "
                "\u201cIt was never mine.\u201d \u2014 (relieved)]"
            ]
            self.forget_caches()
        found = self.use("search_journal", query="never mine", semantic=False)["entries"]
        assert found[0]["content"].count("never mine") == 1

    def test_a_scene_that_could_not_be_read_is_shown_to_nobody(self):
        self.remember(scene=kept_scene("the duke hides under the bridge"))
        assert self.use("recall_memories", query="duke bridge")["memories"] == []
        assert self.use("search_memory", query="duke bridge")["memories"] == []

    def test_memories_are_found_by_action_feeling_themes_and_days(self):
        one = self.remember(tags=["theft"])["id"]
        two = self.remember(
            "Boris stole a goose.",
            tags=["theft", "market"],
            scene=checked_scene({"action": "Boris stole a goose", "feeling": "amused"}),
        )["id"]
        three = self.remember("It rained.", scene=None)["id"]

        def found(**asked):
            records = self.use("search_memory", **asked)["memories"]
            return {int(record["id"][1:]) for record in records}

        assert found(action="giving") == {one}
        assert found(action="stealing geese") == {two}
        assert found(action="raining") == {three}
        assert found(feeling="relieved amusement") == {one, two}
        assert found(feeling="relieved amusement", mode="and") == set()
        assert found(themes=["theft"]) == {one, two}
        assert found(themes=["theft", "market"], mode="and") == {two}
        assert found(when="2026-03") == {one}
        assert found(when="2026-03-01", action="goose") == {one, two}
        assert found(when="2026-03-01", action="goose", mode="and") == set()
        assert found(when="2026-05-28") == found(when="today") == {one, two, three}
        assert found(query="bridge market") == {one, two}
        assert found(query="2026-03-01 relieved", mode="and") == {one}

    def test_what_has_most_of_it_comes_first_and_no_more_than_asked_for(self):
        for number in range(40):
            self.remember(f"Boris sold goose {number}.", scene=None)
        best = self.remember("Boris sold a goose at the fair.", scene=None)["id"]
        assert len(self.use("search_memory", query="goose")["memories"]) == 10
        found = self.use("search_memory", query="goose fair", limit=30)["memories"]
        assert found[0]["id"] == f"j{best}" and len(found) == 30
        assert "maximum of 30" in self.refusal("search_memory", query="goose", limit=31)

    def test_nothing_to_look_for_is_refused(self):
        assert "Say what to look for" in self.refusal("search_memory")
        assert "Say what to look for" in self.refusal("search_memory", query="  ", themes=[])

    def test_what_has_faded_is_found_and_comes_back_sooner_and_what_was_merged_is_not(self):
        here = self.remember()["id"]
        faded = self.remember("The ring was gone.", state="dormant")["id"]
        merged = self.remember("A ring, a ring.")
        self.npc.memory.journal.change([merged["id"]], lambda entry: entry.update(state="merged"))
        found = self.use("search_memory", action="ring")["memories"]
        assert {record["id"] for record in found} == {f"j{here}", f"j{faded}"}
        assert self.script.ndb.hits == {f"j{here}": 1, f"j{faded}": 2}

    def test_what_is_forgotten_or_confided_while_it_searches_is_not_found(self):
        gone, kept = self.remember()["id"], self.remember("The ring, once more.")["id"]
        now_secret = self.remember("The ring, a secret now.")
        outcome = []
        tool = all_tools()["search_memory"]
        run_by_hand(self.agent, tool, {"action": "ring"}, self.char2).addBoth(outcome.append)
        assert outcome == []
        self.npc.memory.remove({gone})
        now_secret["audience"] = [f"#{self.npc.pk}"]
        self.npc.memory.journal.store.touch(now_secret)
        self.pump()
        assert [record["id"] for record in outcome[0]["memories"]] == [f"j{kept}"]

    def test_nobody_finds_by_its_scene_what_they_may_not_be_told(self):
        only = [f"#{self.char1.pk}", f"#{self.npc.pk}"]
        self.remember(audience=only)
        said = {**SCENE, "dialogue": ["Keep this to yourself: I took it."]}
        self.remember("Boris spoke.", scene=checked_scene(said))
        for asked in ({"action": "ring"}, {"feeling": "relieved"}, {"when": "2026-03-01"}):
            assert self.use("search_memory", **asked)["memories"] == [], asked
        assert self.use("recall_memories", query="under the bridge")["memories"] == []

    def test_the_answer_after_a_search_is_kept_from_those_who_may_not_know(self):
        only = [f"#{self.char2.pk}", f"#{self.npc.pk}"]
        self.remember(audience=only)
        self.in_confidence()
        assert self.use("search_memory", action="ring")["memories"]
        told = self.use("add_scene", content="It was about a ring.", scene="?")
        kept = self.npc.memory.journal.find(told["entry_id"])
        assert set(kept["audience"]) <= set(only)


class TestForgetting(ToolTest):
    def test_words_that_only_a_scene_has_are_known_as_theirs(self):
        for scene in (checked_scene({"action": "x", "dialogue": ["pomegranate"]}), "pomegranate"):
            self.npc.memory.write(
                "Anna spoke.",
                source_id="#77",
                source_entity="Anna",
                audience="public",
                scene=kept_scene(scene),
            )
        gathered = Gathered(Subject(entity="#77", npc=f"#{self.npc.pk}", names=("Anna",)))
        for _batch in gather(self.npc, gathered):
            pass
        assert any(word.startswith("pomegran") for word in gathered.words)


class TestValence(ToolTest):
    def test_a_line_that_is_heard_has_its_valence(self):
        self.model.add("I am sorry to hear it.")
        self.say("Bram, my brother was murdered!")
        self.pump()
        entry = self.npc.memory.journal.entries[0]
        assert entry["valence"] <= -0.8
        self.model.add("Aye.")
        self.say("Bram, the ferry leaves from the quay at noon.")
        self.pump()
        assert "valence" not in self.npc.memory.journal.entries[-1]
