"""What an NPC is after, works at and noted reaches its prompts, and no one it was not meant for."""

from itertools import pairwise

from evennia.commands.default.general import CmdWhisper

from evennia_assistant.awake import gathering, standing
from evennia_assistant.awake import material as materials
from evennia_assistant.errors import ConfigError
from evennia_assistant.llm.response import LLMResponse, ToolCall
from evennia_assistant.llm.tokens import count_message_tokens
from evennia_assistant.mind.percept import Percept
from evennia_assistant.mind.slots import parse_slots
from evennia_assistant.prompts.assembly import build_messages
from evennia_assistant.prompts.layout import PROMPT_BUDGET, layout_for
from evennia_assistant.prompts.measure import health
from evennia_assistant.prompts.registry import registry_of

from tests.game.npc import NpcTest

OWNED = ("goals", "project", "session")


class StandingTest(NpcTest):
    def setUp(self):
        super().setUp()
        self.me, self.other = f"#{self.char1.pk}", f"#{self.char2.pk}"
        self.memory = self.npc.memory

    def asked(self, words="Bram, what is on your mind?", who=None):
        """The slots of the prompt that a line said aloud leads to."""
        self.model.add("This and that.")
        self.say(words, who)
        self.pump(1)
        return self.slots()

    def whispered(self, words, who):
        self.model.add("This and that.")
        self.call(CmdWhisper(), f"Bram = {words}", caller=who)
        self.pump(1)
        return self.slots()

    def slots(self):
        messages = self.model.requests[-1].messages
        return parse_slots("\n".join(message["content"] for message in messages))

    def goal(self, words, audience="public", **fields):
        return self.memory.goals.create(words, audience=audience, when=1.0, **fields)

    def material(self, who=None, manner="say", audience="public"):
        who = who or self.me
        line = Percept(
            manner=manner,
            speaker=who,
            speaker_name="Char",
            words="Well?",
            line="Well?",
            when=self.clock.seconds(),
            witnesses=(who,),
            audience=audience,
        )
        return materials.Material([line], manner, (who,))


class TestConfided(StandingTest):
    def shown(self, manner, audience):
        drawn = self.material(manner=manner, audience=audience)
        context = gathering.gather(self.npc, drawn, self.clock.seconds(), ())
        return bool(context.goals), bool(context.project), bool(context.session)

    def test_what_was_whispered_is_not_said_aloud_before_its_owner_alone(self):
        between = (self.me, f"#{self.npc.pk}")
        self.goal("Dig up the chest.", audience=between, confidence=True)
        self.memory.projects.create("chest", "The chest.", audience=between, confidence=True)
        self.memory.session_memory.add("facts", "A chest.", audience=between, confidence=True)
        # In a private room what is said aloud is open to the same two.
        assert self.shown("say", between) == (False, False, False)
        assert self.shown("whisper", between) == (True, True, True)

    def test_what_was_said_aloud_in_a_private_room_is(self):
        between = (self.me, f"#{self.npc.pk}")
        self.goal("Dig up the chest.", audience=between)
        self.memory.projects.create("chest", "The chest.", audience=between)
        self.memory.session_memory.add("facts", "A chest.", audience=between)
        assert self.shown("say", between) == (True, True, True)

    def test_a_goal_set_in_a_whisper_keeps_the_mark(self):
        self.script.set_option("allowed_tools", "create_goal")
        self.model.add(
            LLMResponse("", (ToolCall("1", "create_goal", '{"description": "Dig."}'),)), "Well."
        )
        self.call(CmdWhisper(), "Bram = Dig up the chest.", caller=self.char1)
        self.pump(1)
        assert self.memory.goals.all[0]["confidence"] is True


class TestGoals(StandingTest):
    def test_open_goals_come_with_what_they_are_part_of_and_how_far_they_are(self):
        roof = self.goal("Mend the roof.", priority=4)["goal_id"]
        planks = self.goal("Find planks.", priority=9, parent_id=roof)["goal_id"]
        nails = self.goal("Buy nails.", priority=2, parent_id=roof)["goal_id"]
        self.memory.goals.change(nails, status="completed")
        self.goal("Sleep.", priority=1)
        assert self.asked()["goals"] == [
            {"id": planks, "goal": "Find planks.", "priority": 9, "part_of": "Mend the roof."},
            {"id": roof, "goal": "Mend the roof.", "priority": 4, "done": "50%"},
            {"id": "g4", "goal": "Sleep.", "priority": 1},
        ]

    def test_a_goal_to_be_broken_down_comes_first_with_the_parts_it_has(self):
        self.goal("Sleep.", priority=9)
        roof = self.goal("Mend the roof.", priority=2)["goal_id"]
        self.goal("Find planks.", parent_id=roof)
        self.goal("Pay the roofer in secret.", [self.other], parent_id=roof)
        first, *_others = standing.goals_of(self.npc, self.material(), first=roof)
        assert first["goal"] == "Mend the roof."
        assert first["parts"] == "Find planks. (active)"

    def test_a_goal_set_in_confidence_reaches_no_turn_of_others(self):
        self.goal("Hide the duke's letter for Char.", [self.me, f"#{self.npc.pk}"])
        assert "goals" not in self.asked()
        assert "goals" not in self.asked(who=self.char2)
        assert "goals" not in self.whispered("What are you up to?", self.char2)
        (goal,) = self.whispered("What are you up to?", self.char1)["goals"]
        assert goal["goal"] == "Hide the duke's letter for Char."

    def test_a_goal_without_an_audience_is_nobodys_to_hear_of(self):
        self.goal("Rob the customs house.", None)
        assert "goals" not in self.whispered("What are you up to?", self.char1)

    def test_what_a_public_goal_is_secretly_part_of_stays_out(self):
        plot = self.goal("Bring down the duke.", [self.me])["goal_id"]
        self.goal("Learn who guards the gate.", parent_id=plot)
        (goal,) = self.asked()["goals"]
        assert "part_of" not in goal and "duke" not in str(goal)

    def test_what_a_whispered_answer_drew_on_is_not_passed_on_later(self):
        self.goal("Hide the letter.", [self.me, f"#{self.npc.pk}"])
        material = self.material(manner="whisper", audience=(self.me, self.other))
        assert standing.goals_of(self.npc, material)
        assert material.audience() == (self.me,)


class TestProject(StandingTest):
    def create(self, audience="public", context="Two planks are missing."):
        self.memory.projects.create(
            "roof", "Mend the roof of the inn.", context, audience=audience, when=1.0
        )

    def test_the_active_project_is_in_the_part_that_stays(self):
        self.create()
        self.memory.projects.create("cellar", "Drain it.", audience="public", when=1.0)
        assert self.asked()["project"] == [
            {
                "project": "roof",
                "summary": "Mend the roof of the inn.",
                "context": "Two planks are missing.",
            }
        ]
        assert "<project>" in self.model.requests[-1].messages[0]["content"]
        self.memory.projects.update(completed=True)
        assert "project" not in self.asked()

    def test_a_confidential_project_reaches_only_who_may_be_told(self):
        self.create([self.me, f"#{self.npc.pk}"])
        assert "project" not in self.asked()
        assert "project" not in self.whispered("What do you work at?", self.char2)
        assert "project" in self.whispered("What do you work at?", self.char1)

    def test_a_long_project_is_cut_to_its_room_and_not_left_out(self):
        for words in ("The planks are too short. " * 150, "屋根の板が足りない" * 400):
            self.memory.projects.store.data["slots"].clear()
            self.memory.projects.store.data["active"] = None
            self.create(context=words)
            (project,) = self.asked()["project"]
            assert project["context"].endswith(" ...")
            assert words.startswith(project["context"].removesuffix(" ..."))


class TestSession(StandingTest):
    def test_facts_and_patterns_come_with_the_last_confirmed_first(self):
        add = self.memory.session_memory.add
        add("facts", "Anna drinks cider.", audience="public", when=1.0)
        add("patterns", "Players look around before they ask.", audience="public", when=2.0)
        add("facts", "Otto is left-handed.", audience="public", when=3.0)
        assert self.asked()["session"] == [
            {"fact": "Otto is left-handed."},
            {"pattern": "Players look around before they ask."},
            {"fact": "Anna drinks cider."},
        ]

    def test_what_was_learnt_in_confidence_is_for_those_it_is_for(self):
        add = self.memory.session_memory.add
        add("facts", "Char owes forty crowns.", audience=[self.me, f"#{self.npc.pk}"], when=1.0)
        add("facts", "Anna drinks cider.", audience="public", when=1.0)
        for slots in (self.asked(), self.asked(who=self.char2)):
            assert slots["session"] == [{"fact": "Anna drinks cider."}]
        assert "crowns" not in str(self.whispered("What do I owe?", self.char2))
        assert "crowns" in str(self.whispered("What do I owe?", self.char1)["session"])

    def test_where_all_is_for_those_present_what_they_alone_may_know_stands(self):
        among = [self.me, self.other]
        self.memory.session_memory.add("facts", "They meet at dusk.", audience=among, when=1.0)
        apart = self.material(audience=(self.me,))
        assert standing.session_of(self.npc, apart, layout_for())
        aloud = self.material(audience="public")
        assert not standing.session_of(self.npc, aloud, layout_for())

    def test_fifty_long_notes_stay_within_their_room(self):
        for number in range(50):
            words = f"Guest {number} " + "likes the room by the stairs " * 9
            self.memory.session_memory.add("facts", words, audience="public", when=float(number))
        kept = self.asked()["session"]
        assert 1 <= len(kept) < 5 and kept[0]["fact"].startswith("Guest 49")


class TestRoom(StandingTest):
    def fill(self):
        for number in range(9):
            self.goal(f"Goal {number} " + "and all that goes with it " * 9, priority=number + 1)
            self.memory.session_memory.add(
                "facts", f"Fact {number} of the harbour.", audience="public", when=float(number)
            )
        self.memory.projects.create("roof", "Mend it.", "planks " * 500, audience="public")

    def prompt(self):
        layout = registry_of(self.script).layout()
        context = gathering.gather(self.npc, self.material(), self.clock.seconds(), (), layout)
        return context, build_messages(context)

    def test_nothing_kept_costs_nothing(self):
        _context, before = self.prompt()
        assert not any(f"<{slot}>" in str(before) for slot in OWNED)
        for name in ("current_goals",):
            assert not self.script.attributes.has(name)
        for name in ("projects", "session_memory"):
            assert not self.npc.attributes.has(name)
        closed = self.goal("Done.")["goal_id"]
        self.memory.goals.change(closed, status="completed")
        self.memory.projects.create("roof", "Mend it.", audience=None)
        self.memory.session_memory.add("facts", "The well is dry.", audience=None)
        assert self.prompt()[1] == before

    def test_a_talk_keeps_its_prefix_with_all_of_them(self):
        self.fill()
        for number in range(4):
            self.asked(f"Bram, this is line number {number}.")
        # The first turn is with a stranger.
        _first, *prompts = [request.messages for request in self.model.requests]
        for before, after in pairwise(prompts):
            assert before[:-1] == after[: len(before) - 1]
        assert all(f"<{slot}>" in str(prompts[-1]) for slot in OWNED)

    def test_a_smaller_window_makes_smaller_prompts(self):
        self.fill()
        for line in range(12):
            self.asked(f"Bram, {'so it goes and ' * 20} {line}.")
        sizes = []
        for window in ("none", "3000", "2000", "1500"):
            self.script.set_option("max_context_tokens", window)
            context, messages = self.prompt()
            sizes.append(count_message_tokens(messages))
            assert sizes[-1] <= context.layout.budget
        assert sizes[-1] < sizes[0]
        assert registry_of(self.script).layout().budget == 1500 - 300
        self.script.set_option("llm_max_tokens", "100")
        assert registry_of(self.script).layout().budget == 1400

    def test_the_check_says_when_a_window_is_too_small(self):
        self.npc.db.persona = {"description": "You keep an inn by the sea. " * 60}
        assert not health(self.prompt()[0], ())
        self.script.set_option("max_context_tokens", "1000")
        found = health(self.prompt()[0], ())
        assert any("more than its budget of 750" in line for line in found), found

    def test_a_window_nothing_fits_into_is_refused(self):
        for typed in ("10", "0", "-5", "many"):
            with self.assertRaises(ConfigError):
                self.script.set_option("max_context_tokens", typed)
        assert registry_of(self.script).layout().budget == PROMPT_BUDGET
