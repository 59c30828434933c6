"""What the night left and what came to mind lately reach the prompts, and no one else's."""

from evennia.utils.dbserialize import deserialize

from evennia_assistant.asleep.diary import write_diary
from evennia_assistant.memory.activated import Activated
from evennia_assistant.memory.carry_notes import LAST, carry_notes_of
from evennia_assistant.mind import entry as entries
from evennia_assistant.mind.percept import Percept
from evennia_assistant.testing import replies

from tests.game.test_prompt_standing import StandingTest

HOUR = 3600


class CarryTest(StandingTest):
    def carry(self, *notes, **kinds):
        carried = carry_notes_of(self.script)
        made = {"notes": notes, **kinds}
        carried.make_anew(
            self.clock.seconds(),
            **{kind: [self.note(*note) for note in given] for kind, given in made.items()},
        )
        carried.store.save()

    def note(self, text, audience="public", confidence=False, evidence=()):
        return {
            "text": text,
            "audience": audience,
            "confidence": confidence,
            "evidence": list(evidence),
        }


class TestCarriedIntoThePrompt(CarryTest):
    def test_what_the_night_left_is_in_the_prompts_of_the_morning(self):
        for number in range(3):
            self.memory.write(
                f'Anna said: "Sack {number} is mine."',
                when=self.clock.seconds(),
                audience="public",
                source_entity="Anna",
                importance=3 + number,
            )
        self.agent.model = None
        write_diary(self.script, self.npc)
        self.agent.model = self.model
        self.clock.advance(6 * HOUR)
        assert self.asked()["carry"] == [
            {"note": f'Anna said: "Sack {number} is mine."'} for number in (2, 1, 0)
        ]

    def test_questions_and_a_view_of_itself_come_after_the_notes(self):
        self.carry(
            ("Anna comes today.",),
            questions=[("Who owns the sacks?",)],
            self_view=[("It was a long day.",)],
        )
        assert self.asked()["carry"] == [
            {"note": "Anna comes today."},
            {"question": "Who owns the sacks?"},
            {"of_yourself": "It was a long day."},
        ]

    def test_they_stand_in_the_part_that_stays_as_it_is(self):
        self.carry(("Anna comes today.",))
        self.asked("Bram, good evening to you!")
        self.asked("Bram, what of the ferry?")
        before, after = (request.messages[0]["content"] for request in self.model.requests[-2:])
        assert before == after and "Anna comes today." in before

    def test_notes_of_long_ago_are_no_longer_of_yesterday(self):
        self.carry(("Anna comes today.",))
        self.clock.advance(LAST)
        assert "carry" not in self.asked()

    def test_what_only_some_may_be_told_reaches_no_turn_of_others(self):
        self.carry(("The crown lies in the well.", [self.me, f"#{self.npc.pk}"], True))
        assert "carry" not in self.asked()
        assert "carry" not in self.asked(who=self.char2)
        assert "carry" not in self.whispered("What now?", self.char2)
        assert self.whispered("What now?", self.char1)["carry"]

    def test_a_confidence_is_not_said_aloud_even_to_its_owner_alone(self):
        self.char2.location = self.room2
        self.carry(("The crown lies in the well.", "public", True), ("A", [self.me], True))
        assert "carry" not in self.asked()

    def test_a_note_that_does_not_say_how_it_was_learned_stays_a_confidence(self):
        self.carry(("The crown lies in the well.",))
        carried = carry_notes_of(self.script)
        del carried.data["notes"][0]["confidence"]
        assert "carry" not in self.asked()

    def test_what_an_answer_drew_on_holds_its_audience(self):
        self.carry(("Debts are due.", [self.me, self.other], False))
        self.asked()
        material = self.material(manner="whisper", audience=(self.me, self.other, "#99"))
        from evennia_assistant.awake import standing
        from evennia_assistant.prompts.layout import layout_for

        told = standing.carried_of(self.npc, material, layout_for(), self.clock.seconds())
        assert told and material.audience() == tuple(sorted((self.me, self.other)))

    def test_what_is_said_again_of_a_note_becomes_no_new_memory(self):
        line = self.memory.write(
            "Two bells hang in the tower.", when=self.clock.seconds(), audience="public"
        )
        self.carry(("Two bells hang in the tower.", "public", False, [f"j{line['id']}"]))
        self.model.add(
            replies.tool_call("add_journal_entry", content="Two bells hang in the tower."), "Aye."
        )
        self.say("Bram, what is on your mind?")
        self.pump(1)
        note = self.memory.journal.entries[-2]
        assert note["content"] == "Two bells hang in the tower."
        assert "recalled" in note["tags"] or entries.get(note, "mention_count") > 1

    def test_an_npc_that_never_slept_carries_nothing_and_writes_nothing(self):
        assert "carry" not in self.asked()
        assert deserialize(self.script.attributes.get("carry_notes")) is None


class TestOnItsMind(StandingTest):
    def tell(self, words, audience="public", **fields):
        return self.memory.write(
            f'Tom said: "{words}"',
            when=self.clock.seconds() - 9000,
            source_type="direct",
            source_entity="Tom",
            source_id="#77",
            audience=audience,
            entities=["#77"],
            **fields,
        )

    def test_what_came_to_mind_for_one_line_is_still_there_for_the_next(self):
        self.tell("The crown lies in the old well.")
        first = self.asked("Bram, where does the crown lie?")
        assert [record["text"] for record in first["memories"]] == [
            "The crown lies in the old well."
        ]
        assert "in_mind" not in first
        second = self.asked("Bram, are you quite sure about that?")
        assert second["in_mind"] == [{"text": "The crown lies in the old well.", "who": "Tom"}]

    def test_nothing_stands_twice(self):
        self.tell("The crown lies in the old well.")
        self.asked("Bram, where does the crown lie?")
        assert "in_mind" not in self.asked("Bram, the crown, where does it lie?")

    def test_after_half_an_hour_it_is_no_longer_on_its_mind(self):
        self.tell("The crown lies in the old well.")
        self.asked("Bram, where does the crown lie?")
        self.clock.advance(HOUR / 2)
        assert "in_mind" not in self.asked("Bram, are you quite sure about that?")

    def test_what_came_to_mind_before_one_is_kept_from_others(self):
        self.tell("The crown lies in the old well.", [self.me, f"#{self.npc.pk}"], tags=["whisper"])
        told = self.whispered("Where does the crown lie?", self.char1)
        assert told["memories"]
        assert "in_mind" not in self.asked("Bram, are you quite sure about that?")
        assert "in_mind" not in self.whispered("Are you quite sure about that?", self.char2)
        assert self.whispered("Are you quite sure about that?", self.char1)["in_mind"]

    def test_what_was_taken_back_is_forgotten_here_too(self):
        number = self.tell("The crown lies in the old well.")["id"]
        self.asked("Bram, where does the crown lie?")
        self.memory.forget(number)
        assert "in_mind" not in self.asked("Bram, are you quite sure about that?")


def test_the_last_ten_are_kept_the_best_of_the_last_turn_first():
    lately = Activated()
    lately.note([f"j{n}" for n in range(8)], 0.0)
    lately.note(["j50", "j3", "j51", "j52"], 60.0)
    assert lately.newest(61.0) == ["j50", "j3", "j51", "j52", "j0", "j1", "j2", "j4", "j5", "j6"]
    assert lately.newest(1800.0) == ["j50", "j3", "j51", "j52"]
    assert lately.newest(1860.0) == []


class TestFragments(StandingTest):
    def recall(self, query, who=None, **arguments):
        """What the tool answers in a turn."""
        self.model.add(
            replies.tool_call("recall_memories", query=query, mode="fragments", **arguments), "Hm."
        )
        self.say("Bram, what is on your mind?", who)
        self.pump(1)
        (result,) = [
            message["content"]
            for message in self.model.requests[-1].messages
            if message["role"] == "tool"
        ]
        return result

    def burn(self, audience="public", **fields):
        return self.memory.write(
            "The ship burned in the harbour all night.",
            when=self.clock.seconds() - 9000,
            audience=audience,
            **fields,
        )

    def test_pieces_of_what_was_done_and_felt_come_back_without_ids(self):
        self.burn(scene={"action": "the ship burned", "feeling": "dread"})
        told = self.recall("the ship in the harbour that burned")
        assert "the ship burned" in told and "dread" in told
        assert "j1" not in told and "harbour all night" not in told

    def test_three_memories_at_most_and_none_that_has_little_to_do_with_it(self):
        for number in range(6):
            self.memory.write(f"Ship {number} burned.", when=1.0, audience="public")
        self.memory.write("Anna likes cider and a burned crust.", when=1.0, audience="public")
        told = self.recall("ships that burned")
        assert told.count(" / ") == 2 and "cider" not in told

    def test_what_may_not_be_told_crosses_nobodys_mind(self):
        self.burn(audience=[self.other])
        assert "burned" not in self.recall("the ship in the harbour that burned")


class TestLoosePercepts(CarryTest):
    def test_a_line_of_unclear_audience_brings_no_note_of_anybody(self):
        self.carry(("Anna comes today.", [self.me], False))
        from evennia_assistant.awake import standing
        from evennia_assistant.awake.material import Material
        from evennia_assistant.prompts.layout import layout_for

        line = Percept("say", self.me, "Char", "Well?", "Well?", 0.0, audience=None)
        material = Material([line], "say", (self.me,))
        assert standing.carried_of(self.npc, material, layout_for(), self.clock.seconds()) == []
