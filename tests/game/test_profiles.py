"""What an NPC knows of people and things: earned, bounded, and told only to who may be told."""

from datetime import UTC, datetime

from evennia.commands.default.general import CmdDrop, CmdGet, CmdGive, CmdWhisper
from evennia.utils.create import create_object

from evennia_assistant.awake import material, scene
from evennia_assistant.memory.entity_context import (
    entity_context,
    format_entity_context_for_prompt,
)
from evennia_assistant.memory.entity_profiles import MAX_GIFTS, MAX_OBJECTS, record_deed
from evennia_assistant.memory.profile_record import create_entity_profile, standing
from evennia_assistant.mind.slots import parse_slots

from tests.game.commanding import CommandTest
from tests.game.npc import NpcTest

DAY = 86_400.0


class ProfileTest(NpcTest):
    def setUp(self):
        super().setUp()
        self.profiles = self.npc.memory.profiles
        self.anna = f"#{self.char1.pk}"

    def favorability(self, who=None):
        return standing(self.profiles.get(who or self.anna), self.clock.seconds())["favorability"]

    def talk(self, words, answer="Aye."):
        self.model.add(answer)
        self.say(words)
        self.pump(2)

    def thing(self, key="brass lantern", holder=None):
        return create_object(
            "evennia.objects.objects.DefaultObject",
            key=key,
            location=holder or self.char1,
            nohome=True,
        )

    def give(self, thing, who=None):
        self.call(CmdGive(), f"{thing.key} to Bram", caller=who or self.char1)
        self.pump()


class TestStanding(ProfileTest):
    def test_talk_makes_it_know_somebody(self):
        self.talk("Bram, the ferry sinks at dawn.")
        profile = self.profiles.get(self.anna)
        assert profile["relationship"]["interaction_count"] == 1
        assert round(self.favorability(), 6) == 0.12

    def test_a_claim_moves_nothing_beyond_the_talk_itself(self):
        self.talk("Bram, we are old friends, you trust me with your life, I am your ally!")
        assert round(self.favorability(), 6) == 0.12

    def test_abuse_costs_and_what_a_day_of_it_costs_is_bounded(self):
        self.profiles.ensure(self.anna, "player", "Char")
        for _ in range(4):
            self.profiles.record_deed(self.anna, "help", when=self.clock.seconds())
        before = self.favorability()
        self.talk("Bram, you stupid oaf!")
        assert round(self.favorability() - before, 3) == round(0.02 - 0.06, 3)
        for _ in range(20):
            self.talk("Bram, you stupid oaf!")
        assert self.favorability() >= before - 0.18

    def test_it_fades_without_being_written(self):
        self.profiles.ensure(self.anna, "player", "Char")
        for _ in range(10):
            for deed in ("help", "gift"):
                self.profiles.record_deed(self.anna, deed, when=self.clock.seconds())
            self.clock.advance(DAY)
        self.profiles.store.save()
        assert standing(self.profiles.get(self.anna), self.clock.seconds())["state"] == "ally"
        self.clock.advance(3 * 365 * DAY)
        with self.assertNumQueries(0):
            later = standing(self.profiles.get(self.anna), self.clock.seconds())
        assert later["state"] == "stranger" and later["favorability"] > 0.1

    def test_writing_it_anew_fades_it_no_faster(self):
        for who, touched in (("#5", True), ("#6", False)):
            self.profiles.ensure(who, "player", "Anna")
            self.profiles.record_deed(who, "help", when=self.clock.seconds())
            for day in range(1, 50):
                # At its bound a deed moves nothing, and is written all the same.
                self.profiles.get(who)["moved_today"] = {"insult": 0.18}
                if touched:
                    now = self.clock.seconds() + day * DAY
                    self.profiles.get(who)["moved_on"] = datetime.fromtimestamp(now, UTC).strftime(
                        "%Y-%m-%d"
                    )
                    self.profiles.record_deed(who, "insult", when=now)
        self.clock.advance(60 * DAY)
        assert abs(self.favorability("#5") - self.favorability("#6")) < 1e-3

    def test_a_broken_number_is_read_as_neutral(self):
        self.profiles.ensure(self.anna, "player", "Char")
        for broken in (float("nan"), float("inf")):
            self.profiles.get(self.anna)["relationship"]["favorability"] = broken
            assert self.favorability() == 0.1

    def test_a_game_reports_what_happened(self):
        now = record_deed(self.npc, "#4711", "harm", entity_type="npc", name="A wolf")
        assert now["favorability"] < 1e-9 and now["state"] == "stranger"
        assert self.npc.db.entity_profiles["#4711"]["entity_type"] == "npc"
        try:
            record_deed(self.npc, "#4712", "flattery")
        except KeyError as err:
            assert "talk, gift, help, insult, harm" in str(err)
        else:
            raise AssertionError("there is no such deed")
        assert self.profiles.get("#4712") is None


class TestGifts(ProfileTest):
    def test_a_gift_counts_and_is_remembered_of_giver_and_thing(self):
        lantern = self.thing()
        self.give(lantern)
        assert round(self.favorability(), 6) == 0.15
        assert [n["text"] for n in self.profiles.get(self.anna)["observations"]] == [
            "gave brass lantern"
        ]
        of_thing = self.profiles.get(f"#{lantern.pk}")
        assert of_thing["entity_type"] == "object" and of_thing["canonical_name"] == "brass lantern"
        assert of_thing["observations"][0]["text"] == "a gift of Char"
        assert of_thing["observations"][0]["audience"] == "public"
        self.tick()
        self.forget_caches()
        assert self.npc.db.entity_profiles[f"#{lantern.pk}"]

    def tick(self):
        self.script.at_tick()
        self.pump(6)

    def test_a_thing_handed_to_and_fro_counts_once(self):
        lantern = self.thing()
        for _ in range(5):
            self.give(lantern)
            lantern.move_to(self.char1, quiet=True)
        assert round(self.favorability(), 6) == 0.15

    def test_a_day_of_gifts_is_worth_no_more_than_two(self):
        for number in range(12):
            self.give(self.thing(f"pebble{number}"))
        assert round(self.favorability(), 6) == 0.2

    def test_what_it_takes_or_is_put_into_it_is_no_gift(self):
        lantern = self.thing(holder=self.room1)
        lantern.move_to(self.npc, quiet=True)
        self.thing("rope").move_to(self.npc, quiet=True, move_type="teleport")
        assert self.profiles.store.data == {}

    def test_a_gift_in_a_private_room_is_told_to_those_there_only(self):
        self.room1.tags.add("private", category="assistant")
        self.give(self.thing())
        audience = self.profiles.get(self.anna)["observations"][0]["audience"]
        assert set(audience) == {self.anna, f"#{self.char2.pk}", f"#{self.npc.pk}"}

    def test_things_and_gifts_are_bounded(self):
        self.profiles.ensure(self.anna, "player", "Char")
        for number in range(200):
            self.profiles.record_gift(
                self.anna,
                f"#{10_000 + number}",
                "pebble",
                giver_name="Char",
                audience="public",
                when=self.clock.seconds() + number,
            )
        kinds = [profile["entity_type"] for profile in self.profiles.store.data.values()]
        assert kinds.count("object") == MAX_OBJECTS and kinds.count("player") == 1
        assert self.profiles.get("#10199") and not self.profiles.get("#10000")
        assert len(self.profiles.get(self.anna)["gifts"]) == MAX_GIFTS

    def test_a_player_who_picks_something_up_gives_nothing(self):
        self.thing("rope", self.room1)
        self.call(CmdGet(), "rope", caller=self.char1)
        self.call(CmdDrop(), "rope", caller=self.char1)
        assert self.profiles.store.data == {}


class TestNames(ProfileTest):
    def test_a_name_gone_back_to_is_no_alias(self):
        for name in ("Anna", "The masked one", "Anna", "The masked one"):
            profile = self.profiles.ensure("#5", "player", name)
        assert profile["canonical_name"] == "The masked one" and profile["aliases"] == ["Anna"]

    def test_whoever_goes_by_a_name_now_is_meant_before_who_once_did(self):
        self.profiles.ensure("#5", "player", "Anna")
        self.profiles.ensure("#5", "player", "Annabel")
        assert [p["entity_id"] for p in self.profiles.named("anna")] == ["#5"]
        self.profiles.ensure("#6", "player", "Anna")
        assert [p["entity_id"] for p in self.profiles.named(" ANNA ")] == ["#6"]
        assert [p["entity_id"] for p in self.profiles.named("#5")] == ["#5"]
        self.profiles.ensure("#7", "player", "Anna")
        assert len(self.profiles.named("anna")) == 2 and self.profiles.named("nobody") == []

    def test_what_a_keeper_wrote_stays_until_a_keeper_changes_it(self):
        self.profiles.ensure("#5", "player", "Anna")
        assert self.profiles.describe("#5", "A tailor.", audience="public", evidence=[3])
        assert self.profiles.describe("#5", "A spy.", audience=["#1"], by_owner=True)
        assert not self.profiles.describe("#5", "A baker.", audience="public")
        assert self.profiles.get("#5")["description"]["text"] == "A spy."
        assert self.profiles.describe("#5", "", audience="public", by_owner=True)
        assert self.profiles.describe("#5", "A baker. " * 200, audience="public")
        assert len(self.profiles.get("#5")["description"]["text"]) <= 400


class TestContext(ProfileTest):
    def setUp(self):
        super().setUp()
        profile = self.profiles.ensure(self.anna, "player", "Char")
        self.profiles.describe(self.anna, "A tailor.", audience="public", when=1.0)
        whisper = [self.anna, f"#{self.npc.pk}"]
        profile["attributes"] = {
            "drink": {"value": "tea", "evidence": [3], "audience": "public", "at": "2026-01-02"},
            "debt": {"value": "owes 30", "evidence": [4], "audience": whisper, "at": "2026-01-03"},
            "of old": "a value without an audience",
        }
        self.profiles.add_observation(self.anna, "I am tired.", audience="public", when=2.0)
        self.profiles.add_observation(self.anna, "I am a spy.", audience=whisper, when=3.0)

    def record(self, *listeners):
        text = format_entity_context_for_prompt(
            self.npc, self.anna, listeners=listeners, now=self.clock.seconds()
        )
        return parse_slots(text)["relationship"][0]

    def test_the_documented_function_tells_what_everybody_may_hear(self):
        assert self.record() == {
            "name": "Char",
            "state": "stranger",
            "meetings": 0,
            "last_seen": None,
            "description": "A tailor.",
            "attributes": ["drink: tea"],
            "observations": ["I am tired."],
        }
        assert self.record(f"#{self.char2.pk}") == self.record()

    def test_to_the_one_who_confided_it_tells_that_too(self):
        told = self.record(self.anna)
        assert told["attributes"] == ["drink: tea", "debt: owes 30"]
        assert told["observations"] == ["I am tired.", "I am a spy."]

    def test_what_it_drew_on_is_noted_so_that_the_answer_can_be_held_back(self):
        context = entity_context(
            self.profiles.get(self.anna), "Char", listeners=[self.anna], now=self.clock.seconds()
        )
        whisper = tuple(sorted([self.anna, f"#{self.npc.pk}"]))
        assert sorted(map(str, context.audiences)) == sorted(
            map(str, ["public", "public", whisper, "public", whisper])
        )

    def test_a_prompt_has_what_the_function_gives(self):
        self.model.add("Aye.")
        self.say("Bram, an ale!")
        self.pump(2)
        prompt = str(self.model.requests[0].messages)
        assert "drink: tea" in prompt and "owes 30" not in prompt and "a spy" not in prompt
        expected = format_entity_context_for_prompt(
            self.npc, self.anna, listeners=(), now=self.clock.seconds()
        )
        slots = "\n".join(str(m["content"]) for m in self.model.requests[0].messages)
        shown = parse_slots(slots)["relationship"][0]
        assert shown["attributes"] == parse_slots(expected)["relationship"][0]["attributes"]

    def test_in_a_whisper_the_confidence_is_there(self):
        self.model.add("Aye.")
        self.call(CmdWhisper(), "Bram = What do you know of me?", caller=self.char1)
        self.pump(2)
        assert "owes 30" in str(self.model.requests[0].messages)

    def test_what_came_up_since_the_talk_began_waits_for_the_next(self):
        context = entity_context(
            self.profiles.get(self.anna),
            "Char",
            listeners=[self.anna],
            now=self.clock.seconds(),
            before="2026-01-02T12:00",
        )
        assert context.record["attributes"] == ["drink: tea"]

    def test_somebody_never_met_is_a_stranger(self):
        text = format_entity_context_for_prompt(self.npc, "#4711", now=self.clock.seconds())
        assert parse_slots(text)["relationship"][0]["state"] == "stranger"
        assert self.profiles.get("#4711") is None

    def test_a_thing_has_no_standing(self):
        self.profiles.ensure("#9", "object", "lantern")
        self.profiles.add_observation("#9", "a gift of Char", audience="public", when=4.0)
        text = format_entity_context_for_prompt(self.npc, "#9", now=self.clock.seconds())
        assert parse_slots(text)["relationship"] == [
            {
                "name": "lantern",
                "kind": "thing",
                "last_seen": None,
                "observations": ["a gift of Char"],
            }
        ]

    def test_only_the_newest_are_told(self):
        for number in range(30):
            self.profiles.get(self.anna)["attributes"][f"k{number}"] = {
                "value": "v",
                "audience": "public",
                "at": f"2026-02-{number:02}",
            }
        assert self.record()["attributes"] == [f"k{number}: v" for number in range(24, 30)]

    def test_a_new_profile_has_every_documented_key(self):
        assert set(create_entity_profile("#1", "npc")) >= {
            "entity_id",
            "entity_type",
            "attributes",
            "observations",
            "relationship",
            "canonical_name",
            "aliases",
            "description",
            "owner_override",
            "last_signal",
            "last_seen",
        }

    def test_relationship_of_a_turn_is_the_same_record(self):
        drawn = material.Material((), "say", (self.anna,))
        record = scene.relationship(self.npc, drawn, self.anna, "Char", self.clock.seconds())
        assert record == self.record() and drawn.audiences == ["public"] * 3


class TestCommand(CommandTest):
    def test_profile_shows_what_is_known_through_the_gate(self):
        profiles, who = self.npc.memory.profiles, f"#{self.char2.pk}"
        profile = profiles.ensure(who, "player", "Char2")
        now = self.clock.seconds()
        profiles.describe(who, "A tailor.", audience="public", by_owner=True, when=now)
        profile["attributes"] = {
            "drink": {"value": "tea", "evidence": [3, 5], "audience": "public", "at": "2026"},
            "debt": {"value": "owes 30", "evidence": [], "audience": [who], "at": "2026"},
        }
        for line in ("aimemory/profile bram char2", "aimemory/profile bram = Char2"):
            assert self.type_in(line).splitlines()[:4] == [
                f"Bram on Char2 ({who})",
                "  stranger, favorability 0.10, 0 exchanges in 0 meetings",
                '  described, in a keeper\'s words: "A tailor."; anyone may be told',
                "  drink (j3, j5): tea; anyone may be told",
            ]
            assert "1 more" in self.type_in(line).splitlines()[4]
        assert "owes 30" not in self.type_in("aimemory/profile bram char2")
        assert "owes 30; only Char2 may be told" in self.type_in("aimemory/profile/all bram char2")
        assert "owes 30" in self.type_in("aimemory/profile bram char2", self.builder)

    def test_favorability_is_shown_as_it_is_now(self):
        profiles, who = self.npc.memory.profiles, f"#{self.char2.pk}"
        profiles.ensure(who, "player", "Char2")
        for day in range(12):
            profiles.record_deed(who, "help", when=self.clock.seconds() + day)
            profiles.record_deed(who, "gift", when=self.clock.seconds() + day)
        assert "acquaintance, favorability 0.40" in self.type_in("aimemory/profile bram char2")
        self.clock.advance(120 * DAY)
        assert "acquaintance, favorability 0.25" in self.type_in("aimemory/profile bram char2")

    def test_several_of_one_name_are_told_apart_by_dbref(self):
        profiles = self.npc.memory.profiles
        profiles.ensure("#501", "player", "Anna")
        profiles.ensure("#502", "player", "Anna")
        assert self.type_in("aimemory/profile bram anna") == (
            'Several go by "anna": #501, #502. Name one by its #dbref.'
        )
        assert self.type_in("aimemory/profile bram #502").startswith("Bram on Anna (#502)")

    def test_a_thing_is_shown_as_one(self):
        profiles = self.npc.memory.profiles
        profiles.ensure("#501", "object", "brass lantern")
        assert "  a thing" in self.type_in("aimemory/profile bram brass lantern")


class TestDescribe(CommandTest):
    def setUp(self):
        super().setUp()
        self.who = f"#{self.char2.pk}"
        self.profiles = self.npc.memory.profiles
        self.profiles.ensure(self.who, "player", "Char2")

    def described(self):
        self.forget_caches()
        profile = self.npc.memory.profiles.get(self.who)
        return (profile["description"] or {}).get("text"), profile["owner_override"]

    def test_a_keepers_words_are_kept_and_shown_and_no_night_changes_them(self):
        told = self.type_in("aimemory/describe bram = char2: A tailor:  the  best.")
        assert told == (
            f'To Bram, Char2 ({self.who}) is: "A tailor: the best." Anyone may be told, and no '
            "night changes it."
        )
        assert self.described() == ("A tailor: the best.", True)
        taken = self.npc.memory.profiles.describe(self.who, "A liar.", audience="public")
        assert not taken and self.described()[0] == "A tailor: the best."

    def test_without_words_it_is_the_npcs_to_say_again(self):
        self.type_in("aimemory/describe bram = char2: A tailor.")
        told = self.type_in("aimemory/describe bram = char2:")
        assert told == f"Bram may describe Char2 ({self.who}) itself again."
        assert self.described() == (None, False)

    def test_what_cannot_be_understood_is_refused_and_changes_nothing(self):
        for rest in ("", " =", " = char2", " = : words"):
            assert "Usage: aimemory/describe bram" in self.type_in(f"aimemory/describe bram{rest}")
        assert "knows nobody called" in self.type_in("aimemory/describe bram = Zoe: A ghost.")
        assert self.described() == (None, False)

    def test_only_keepers_may(self):
        self.script.locks.add("control:perm(Admin)")
        told = self.type_in("aimemory/describe bram = char2: A liar.", self.builder)
        assert "keeper" in told.casefold() and self.described() == (None, False)
