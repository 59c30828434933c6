"""Who is talked about: lose one of these and two people become one, or a confided name gets out."""

import pytest

from evennia_assistant.awake import gathering
from evennia_assistant.errors import StoreError
from evennia_assistant.memory.mentions import (
    MAX_MENTIONED,
    keep_apart,
    mention,
    merge,
    open_questions,
    uncertain,
)
from evennia_assistant.memory.profile_record import audience_of

from tests.game.commanding import CommandTest
from tests.game.npc import NpcTest

NOW = 1_780_000_000.0
ALOUD = ["*"]


class MentionTest(NpcTest):
    def setUp(self):
        super().setUp()
        self.profiles = self.npc.memory.profiles
        self.anna, self.bob = f"#{self.char1.pk}", f"#{self.char2.pk}"
        self.profiles.ensure(self.anna, "player", "Anna")
        self.profiles.ensure(self.bob, "player", "Bob")

    def told(self, name, **fields):
        fields = {"audience": "public", "when": NOW, "by": self.anna} | fields
        return mention(self.profiles, name, **fields)


class TestWho(MentionTest):
    def test_somebody_in_the_game_is_who_goes_by_the_name(self):
        assert self.told("BOB", kind="person", aliases=["Bobby"]) == self.bob
        assert self.profiles.get(self.bob)["names"]["Bobby"]["audience"] == "public"
        assert self.told("bobby") == self.bob
        assert self.profiles.named("Bobby") == [self.profiles.get(self.bob)]

    def test_somebody_the_game_does_not_know_gets_a_profile_and_keeps_it(self):
        cat = self.told("Mochi", kind="pet", evidence=[3])
        assert cat == "@1"
        assert self.told("mochi", evidence=[4]) == cat
        profile = self.profiles.get(cat)
        assert (profile["canonical_name"], profile["kind"]) == ("Mochi", "pet")
        assert (profile["entity_type"], profile["merge_status"]) == ("mentioned", "confirmed")
        assert profile["names"]["Mochi"]["evidence"] == [3]
        assert profile["names"]["mochi"]["evidence"] == [4]
        self.profiles.store.save()
        self.forget_caches()
        assert self.npc.memory.profiles.ids_in("How is mochi?", ALOUD) == [cat]

    def test_a_name_that_is_not_in_the_words_links_nothing(self):
        said = "My sister came by boat, also from the Alps."
        assert self.told("Lena", text=said) is None
        assert self.told("Al", text=said) is None
        assert list(self.profiles.store.data) == [self.anna, self.bob]
        assert self.told("my sister", aliases=["Lena"], text=said) == "@1"
        assert self.profiles.get("@1")["canonical_name"] == "my sister"

    def test_a_name_several_go_by_is_nobody(self):
        self.profiles.learn_alias(self.bob, "Sam", audience="public")
        self.profiles.learn_alias(self.anna, "Sam", audience="public")
        assert self.told("Sam") is None

    def test_what_is_no_name_is_none(self):
        assert self.told("  ") is None
        assert self.told("x" * 200) is None

    def test_those_only_told_of_are_bounded_and_the_longest_out_of_mind_go(self):
        for number in range(MAX_MENTIONED + 3):
            self.told(f"Zog{'abcdefghij'[number % 10]}{number}", when=NOW + number)
        assert len(self.profiles.store.data) == MAX_MENTIONED + 2
        assert self.profiles.get("@1") is None
        assert self.profiles.ids_in("Zoga0", ALOUD) == []


class TestConfided(MentionTest):
    def test_a_confided_name_is_the_same_person_to_who_confided_it_alone(self):
        mine = (self.anna,)
        assert self.told("Bob", aliases=["Robert"], audience=mine, confidence=True) == self.bob
        assert self.profiles.ids_in("Robert", [self.anna]) == [self.bob]
        assert self.profiles.ids_in("Robert", ALOUD) == []
        assert self.profiles.ids_in("Robert", [self.anna, self.bob]) == []
        assert self.profiles.named("Robert") == []
        other = self.told("Robert", by=self.bob)
        assert other == "@1"

    def test_one_told_of_in_confidence_is_not_there_for_others(self):
        cat = self.told("Mochi", audience=(self.anna,), confidence=True)
        assert audience_of(self.profiles.get(cat)) == (self.anna,)
        assert self.told("Mochi", by=self.bob) != cat
        self.profiles.add_observation(cat, "is black", audience="public")
        assert self.profiles.notes_for(cat, [self.bob]) == []
        assert [note["text"] for note in self.profiles.notes_for(cat, [self.anna])] == ["is black"]

    def test_a_name_told_to_all_afterwards_rests_on_that_alone(self):
        for audience, number in (((self.anna,), 1), ("public", 2), ((self.anna,), 3)):
            self.profiles.learn_alias(self.bob, "Rob", audience=audience, evidence=[number])
        assert self.profiles.get(self.bob)["names"]["Rob"]["evidence"] == [2]
        assert self.profiles.get(self.bob)["names"]["Rob"]["audience"] == "public"


class TestDoubt(MentionTest):
    def test_a_name_like_another_is_asked_about_and_not_taken_for_it(self):
        new = self.told("Bob Miller", kind="person")
        profile = self.profiles.get(new)
        assert (profile["merge_status"], profile["merge_target"]) == ("uncertain", self.bob)
        asked = open_questions(self.profiles, self.anna, ALOUD)
        assert asked == [("Is Bob Miller the same as Bob?", "public")]
        assert open_questions(self.profiles, self.bob, ALOUD) == []

    def test_a_place_is_not_taken_for_a_person(self):
        assert self.profiles.get(self.told("Bob", kind="place")) is self.profiles.get(self.bob)
        assert self.profiles.get(self.told("Bob Hill", kind="place"))["merge_target"] is None

    def test_a_question_of_a_confidence_is_asked_of_nobody_else_and_not_aloud(self):
        self.told("Bob Miller", audience=(self.anna,), confidence=True)
        assert open_questions(self.profiles, self.anna, [self.anna, *ALOUD]) == []
        assert open_questions(self.profiles, self.anna, [self.anna, self.bob]) == []
        assert len(open_questions(self.profiles, self.anna, [self.anna])) == 1

    def test_who_told_of_them_settles_it_by_calling_them_by_both_names(self):
        new = self.told("Bob Miller")
        self.profiles.add_observation(new, "has a boat", audience="public")
        assert self.told("Bob Miller", aliases=["Bob"], by=self.bob) is None
        assert self.told("Bob Miller", aliases=["Bob"]) == self.bob
        assert self.profiles.get(new) is None
        assert self.profiles.get(self.bob)["observations"][-1]["text"] == "has a boat"
        assert self.profiles.ids_in("Bob Miller", ALOUD) == [self.bob, new]

    def test_the_question_is_in_the_prompt_of_who_may_answer_it_and_once_settled_in_none(self):
        self.told("Bob Miller")
        self.model.add("Aye.", "Aye.")
        self.say("Bram, how is the weather?")
        self.pump(2)
        assert "Is Bob Miller the same as Bob?" in str(self.model.requests[-1].messages)
        keep_apart(self.profiles, "@1")
        assert list(uncertain(self.profiles)) == []
        assert open_questions(self.profiles, self.anna, ALOUD) == []

    def test_two_in_the_game_are_never_made_one(self):
        with pytest.raises(StoreError, match="for the game to say"):
            merge(self.profiles, self.anna, self.bob)
        for one, other in ((self.anna, self.anna), ("@9", self.anna)):
            with pytest.raises(StoreError):
                merge(self.profiles, one, other)
        with pytest.raises(StoreError, match="no doubt"):
            keep_apart(self.profiles, self.bob)

    def test_what_was_confided_of_one_stays_so_when_they_become_one(self):
        new = self.told("Rob", audience=(self.anna,), confidence=True)
        self.profiles.add_observation(new, "is afraid of the dark", audience=(self.anna,))
        merge(self.profiles, self.bob, new)
        assert self.profiles.ids_in("Rob", ALOUD) == []
        assert self.profiles.ids_in("Rob", [self.anna]) == [self.bob, new]
        assert self.profiles.notes_for(self.bob, [self.bob]) == []
        assert len(self.profiles.notes_for(self.bob, [self.anna])) == 1


class TestUse(MentionTest):
    def test_what_somebody_says_of_another_concerns_them(self):
        self.profiles.learn_alias(self.bob, "Bobby", audience="public")
        entry = self.npc.memory.write(
            'Anna said: "bobby lost a ring."',
            when=NOW,
            source_id=self.anna,
            source_entity="Anna",
            entities=[self.anna],
            audience="public",
        )
        assert entry["entities"] == [self.anna, self.bob]
        own = self.npc.memory.write("Bob left.", when=NOW, audience="public", entities=[self.anna])
        assert own["entities"] == [self.anna]

    def test_a_line_about_somebody_brings_what_is_known_of_them_into_the_prompt(self):
        self.profiles.add_observation(self.bob, "owes me three silver", audience="public")
        self.profiles.add_observation(self.bob, "steals at night", audience=(self.bob,))
        self.char2.location = self.room2
        self.model.add("He owes me.")
        self.say("Bram, what of bob?")
        self.pump(2)
        prompt = str(self.model.requests[-1].messages)
        assert "owes me three silver" in prompt and "steals at night" not in prompt

    def test_reading_by_names_writes_nothing(self):
        self.told("Mochi")
        self.npc.memory.save()
        changes = self.profiles.store.changes
        self.npc.memory.recall("What of Mochi and Bob?", listeners=[self.anna], now=NOW)
        assert self.profiles.store.changes == changes and not self.profiles.store.dirty
        assert gathering  # what a prompt is made of reads by the same names


class TestMergeCommand(CommandTest):
    def setUp(self):
        super().setUp()
        self.profiles = self.npc.memory.profiles
        self.char = f"#{self.char1.pk}"
        self.profiles.ensure(self.char, "player", "Char")
        mention(self.profiles, "Char Miller", audience="public", when=NOW, by=self.char)
        self.npc.memory.save()

    def test_open_questions_are_listed(self):
        assert self.type_in("aimemory/merge bram", self.builder) == (
            "Who Bram is not sure about:\n"
            f"  Char Miller (@1) may be Char ({self.char}); anyone may be told\n"
            "Settle it: aimemory/merge bram = <one> is <other>, or <one> is not <other>"
        )

    def test_a_keeper_settles_that_they_are_one(self):
        told = self.type_in("aimemory/merge bram = Char Miller is Char", self.admin)
        assert told == f"Char Miller (@1) and Char ({self.char}) are one now: Char ({self.char})."
        assert self.type_in("aimemory/merge bram", self.builder) == (
            "Bram takes nobody it was told of for somebody else, perhaps."
        )
        told = self.type_in(f"aimemory/profile bram = {self.char}", self.admin)
        assert "also called Char Miller; anyone may be told" in told

    def test_a_keeper_settles_that_they_are_not(self):
        told = self.type_in("aimemory/merge bram = @1 is not Char", self.admin)
        assert told == f"Char Miller (@1) is not Char ({self.char}); Bram asks no more."
        assert self.profiles.get("@1")["merge_status"] == "disambiguated"

    def test_nobody_else_settles_anything(self):
        told = self.type_in("aimemory/merge bram = Char Miller is Char", self.builder)
        assert "only its keeper" in told
        assert self.profiles.get("@1") is not None

    def test_what_cannot_be_done_is_said(self):
        for typed, answer in (
            ("Char", "Usage: aimemory/merge bram"),
            ("Nobody is Char", 'knows nobody called "Nobody"'),
            ("Char is Char", f"{self.char} is {self.char}."),
        ):
            assert answer in self.type_in(f"aimemory/merge bram = {typed}", self.admin)

    def test_a_confided_name_is_shown_to_its_own(self):
        mention(self.profiles, "Zorro", audience=(self.char,), when=NOW, by=self.char)
        self.npc.memory.save()
        told = self.type_in("aimemory/profile bram", self.builder)
        assert "Zorro" not in told and "1 more is confidential" in told
        assert "Zorro" not in self.type_in("aimemory/profile bram = Zorro", self.builder).replace(
            'called "Zorro"', ""
        )
        assert "Zorro" in self.type_in("aimemory/profile/all bram", self.admin)
