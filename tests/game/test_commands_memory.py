"""`aimemory`: what an NPC remembers, and nothing of it to those who may not be told."""

from unittest import mock

from evennia_assistant.memory.scenes import put_scenes
from evennia_assistant.mind.emotion import read_emotion
from evennia_assistant.mind.scene import checked_scene, failed_again, kept_scene

from tests.game.commanding import HOSTILE, CommandTest

SECRET = "The gold ring is under the hearth."


class TestMemory(CommandTest):
    """`char2`, the builder, says something in the open; `char1`, the Admin, whispers a secret."""

    def setUp(self):
        super().setUp()
        self.model.add("Is it?", "I will not tell.")
        self.say("Bram, the ferry leaves at dawn.", self.builder)
        self.whisper(SECRET, self.admin)

    def test_the_overview_counts(self):
        assert self.type_in("aimemory bram") == (
            "What Bram (assistant bram) remembers:\n"
            "  journal        2 live entries, 0 in the archive\n"
            "  taught         0 facts\n"
            "  people         2 known\n"
            "  conversations  2 open\n"
            "Look closer: aimemory/journal bram, aimemory/profile bram, aimemory/recall bram = "
            "<question>"
        )

    def test_the_overview_says_what_no_fact_could_be_made_of(self):
        journal = self.npc.memory.journal
        for _ in range(3):
            journal.mark_failed({1: "The model's answer could not be used: no record of it"}, 0.0)
        self.npc.memory.save()
        told = self.type_in("aimemory bram")
        assert (
            "  set aside      1 entry no fact could be made of\n    j1: The model's answer" in told
        )

    def test_the_overview_names_scenes_that_no_night_could_repair(self):
        scene = {**kept_scene("broken"), "attempts": 2}
        entry = self.npc.memory.write("It was loud.", audience="public", scene=scene)
        made = {entry["id"]: failed_again(scene, "the model wrote none")}
        self.npc.memory.save_journal(*put_scenes(self.npc.memory.journal, made))
        told = self.type_in("aimemory bram")
        assert (
            "  scenes         1 scene that could not be read\n    j3: the model wrote none" in told
        )
        told = self.type_in("aimemory/journal bram = loud", self.admin)
        assert "its scene could not be read (set aside): the model wrote none" in told
        assert "as it came" not in told
        assert "as it came: broken" in self.type_in("aimemory/journal/all bram = loud", self.admin)

    def test_the_journal_shows_a_scene_and_how_it_felt(self):
        scene = checked_scene({"action": "It was loud", "setting": "the inn"})
        emotion = read_emotion({"valence": -0.5})[0]
        self.npc.memory.write("It was loud.", audience="public", scene=scene, emotion=emotion)
        self.npc.memory.save()
        told = self.type_in("aimemory/journal/all bram = the inn", self.admin)
        assert "    It was loud.\n    scene: the inn\n    felt: valence -0.5" in told

    def test_the_journal_shows_each_reader_what_they_may_be_told(self):
        told = self.type_in("aimemory/journal bram", self.admin)
        assert told == (
            "Journal of Bram: 2 entries, newest first.\n"
            "j2  just now, importance 7, direct, only Bram, Char may be told [whisper]\n"
            f'    Char whispered: "{SECRET}"\n'
            "j1  just now, importance 7, direct, anyone may be told [say]\n"
            '    Char2 said: "The ferry leaves at dawn."'
        )
        told = self.type_in("aimemory/journal bram", self.builder)
        assert told == (
            "Journal of Bram: 1 entry, newest first.\n"
            "j1  just now, importance 7, direct, anyone may be told [say]\n"
            '    Char2 said: "The ferry leaves at dawn."\n'
            "1 more is confidential; only a keeper of the NPC or an Admin may see more."
        )

    def test_words_pick_entries(self):
        told = self.type_in("aimemory/journal bram = FERRY")
        assert told.startswith('Journal of Bram: 1 entry that hold "FERRY", newest first.\nj1  ')

    def test_older_entries_are_pointed_to(self):
        for number in range(120):
            self.npc.memory.write(f"Event {number}.", when=1.0 + number, audience="public")
        self.npc.memory.save()
        told = self.type_in("aimemory/journal bram = Event 119")
        assert told.splitlines()[-1] == (
            "Older entries are in the archive; aimemory/recall bram = <question> finds them."
        )
        assert "journal        97 live entries, 25 in the archive" in self.type_in("aimemory bram")
        assert "Event 3." in self.type_in("aimemory/journal/all bram = Event 3.")

    def test_recall_shows_scores_and_their_parts(self):
        told = self.type_in("aimemory/recall bram = When does the ferry leave?", self.builder)
        lines = told.splitlines()
        assert lines[0].startswith('"When does the ferry leave?" brings back to Bram, in ')
        assert lines[1].split(None, 2)[1:] == [
            "j1",
            'Char2, just now: "The ferry leaves at dawn."',
        ]
        assert lines[2].strip().startswith("anyone may be told; relevance ")
        assert lines[3] == (
            "1 more memory is confidential; only a keeper of the NPC or an Admin may search it."
        )

    def test_a_question_about_a_secret_brings_nothing_to_others(self):
        told = self.type_in("aimemory/recall bram = Where is the gold ring?", self.builder)
        assert "hearth" not in told
        told = self.type_in("aimemory/recall bram = Where is the gold ring?", self.admin)
        assert SECRET in told

    def test_a_profile_shows_the_relation_and_the_notes(self):
        self.say("I am a cartographer.", self.builder)
        self.whisper("I am a spy.", self.builder)
        told = self.type_in("aimemory/profile bram")
        assert told.splitlines()[0] == "Bram knows 2 people:"
        told = self.type_in("aimemory/profile bram = char2", self.admin)
        assert f"Bram on Char2 (#{self.builder.pk})" in told
        assert "noticed just now" in told and "cartographer" in told
        assert "spy" not in told
        assert "1 more is confidential; add /all to see it (that is logged)." in told
        assert "spy" in self.type_in("aimemory/profile bram = char2", self.builder)
        assert "spy" in self.type_in("aimemory/profile/all bram = char2", self.admin)

    def test_a_settled_fact_without_an_audience_is_for_nobody(self):
        profile = self.npc.memory.profiles.get(f"#{self.builder.pk}")
        profile["attributes"] = {
            "trade": {"value": "smuggler", "audience": None},
            "home": {"value": "the mill", "audience": "public"},
            "rank": "admiral",
        }
        told = self.type_in("aimemory/profile bram = char2")
        assert "home: the mill" in told
        assert "smuggler" not in told and "admiral" not in told
        assert "2 more are confidential" in told

    def test_somebody_unknown_is_answered_with_a_likely_name(self):
        assert self.type_in("aimemory/profile bram = chr2") == (
            'Bram knows nobody called "chr2". Did you mean Char2 or Char? '
            "'aimemory/profile bram' lists whom it knows."
        )

    def test_all_is_for_keepers_and_leaves_a_trace(self):
        for switch, rest in (("journal", ""), ("recall", " = ring"), ("profile", " = char")):
            line = f"aimemory/{switch}/all bram{rest}"
            with mock.patch("evennia.utils.logger.log_sec") as log_sec:
                told = self.type_in(line, self.builder)
                assert told == (
                    "Only a keeper of Bram or an Admin may look past what it was told in "
                    "confidence. Without /all you see what you may be told."
                ), line
                log_sec.assert_not_called()
                self.type_in(line, self.admin)
                log_sec.assert_called_once_with(
                    f"Assistant memory: Char #{self.admin.pk} (account TestAccount) looked past "
                    f"the audiences of Bram #{self.npc.pk}: aimemory/{switch}/all bram{rest}"
                )
        assert SECRET in self.type_in("aimemory/journal/all bram", self.admin)
        self.npc.locks.add(f"control:id({self.builder.pk})")
        assert SECRET in self.type_in("aimemory/journal/all bram", self.builder)
        assert SECRET in self.type_in("aimemory/recall/all bram = ring", self.builder)

    def test_an_account_without_a_body_is_told_what_is_public(self):
        # The account's number may be that of a character who was told.
        entry = self.npc.memory.journal.entries[-1]
        entry["audience"] = [f"#{self.account.pk}"]
        told = self.type_in("aimemory/journal bram", self.account)
        assert "ferry" in told and "hearth" not in told

    def test_who_puppets_the_npc_is_not_told_what_was_confided_to_it(self):
        self.npc.account = self.account2
        told = self.type_in("aimemory/journal bram", self.npc)
        assert "ferry" in told and "hearth" not in told

    def test_nothing_typed_breaks_it(self):
        for hostile in HOSTILE:
            for line in (
                f"aimemory {hostile}",
                f"aimemory/journal {hostile}",
                f"aimemory/journal bram = {hostile}",
                f"aimemory/profile bram = {hostile}",
                f"aimemory/recall bram = {hostile}",
                f"aimemory/all bram = {hostile}",
            ):
                told = self.type_in(line)
                assert told and "Traceback" not in told and len(told) < 3000, line[:80]

    def test_what_is_missing_is_asked_for(self):
        assert self.type_in("aimemory") == (
            "Usage: aimemory[/journal, /profile, /recall, /facts, ...] <npc> [= <...>]"
        )
        assert self.type_in("aimemory/recall bram") == ("Usage: aimemory/recall <npc> = <question>")
        assert self.type_in("aimemory bram = the ring") == (
            "Do you want to ask its memory? aimemory/recall bram = the ring"
        )


class TestEmptyMemory(CommandTest):
    def test_an_npc_that_met_nobody_says_so(self):
        assert self.type_in("aimemory/journal bram") == (
            "Bram has written nothing in its journal yet."
        )
        assert self.type_in("aimemory/profile bram") == "Bram knows nobody yet."
        assert self.type_in("aimemory/recall bram = ring") == '"ring" brings nothing back to Bram.'
