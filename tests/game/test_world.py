"""The Grey Gull stands after the first start, and again after anything that happens to it."""

import re
import textwrap
from pathlib import Path
from unittest.mock import patch

from django.conf import settings
from evennia.objects.models import ObjectDB
from evennia.scripts.models import ScriptDB
from evennia.utils import create

from evennia_assistant.llm.tokens import count_tokens
from evennia_assistant.prompts.assembly import SECTION_BUDGETS, fitting
from evennia_assistant.typeclasses.script import get_assistant_script

from tests.game.standing import StandingTest
from typeclasses.characters import Npc
from world import startup, tavern
from world.grey_gull import PEOPLE, PLACES, THINGS, WAYS

EVERYTHING = [*PLACES, *(tavern.way_name(way) for way in WAYS), *THINGS, *PEOPLE]


class TavernTest(StandingTest):
    """A game whose room for new players is `room1`, with the tavern built around it."""

    def setUp(self):
        super().setUp()
        with_start = self.settings(START_LOCATION=self.room1.dbref)
        with_start.enable()
        self.addCleanup(with_start.disable)
        self.provide(None)
        tavern.build()

    def tearDown(self):
        for name in PEOPLE:
            script = get_assistant_script(name)
            if script is not None:
                script.delete()
        super().tearDown()

    def provide(self, provider):
        """Set or unset the environment's choice of a provider for this test."""
        values = {tavern.PROVIDER_VARIABLE: provider} if provider else {}
        environment = patch.dict("os.environ", values)
        environment.start()
        self.addCleanup(environment.stop)


class TestBuilt(TavernTest):
    def test_everything_is_there(self):
        assert [name for name in EVERYTHING if tavern.find(name) is None] == []

    def test_new_players_begin_in_the_common_room(self):
        start = ObjectDB.objects.get_id(settings.START_LOCATION)
        assert start == tavern.find("common_room") == self.room1
        assert start.key == "The Grey Gull"
        newcomer, errors = self.account.create_character(key="Newcomer")
        assert not errors
        assert newcomer.location == start

    def test_every_place_can_be_left_and_reached(self):
        for name in PLACES:
            assert [way for way in WAYS if way.end == name], name
            out = [tavern.find(tavern.way_name(way)) for way in WAYS if way.start == name]
            assert out and {exit_.location for exit_ in out} == {tavern.find(name)}
            words = [word for exit_ in out for word in (exit_.key, *exit_.aliases.all())]
            assert len(words) == len(set(words)), f"two ways out of {name} share a name"

    def test_lantern_can_be_taken_and_given(self):
        lantern, orla = tavern.find("lantern"), tavern.find("orla")
        self.char1.move_to(tavern.find("cellar"), quiet=True)
        self.char1.execute_cmd("get lantern")
        assert lantern.location == self.char1
        self.char1.move_to(orla.location, quiet=True)
        self.char1.execute_cmd("give lantern to orla")
        assert lantern.location == orla

    def test_npc_sees_what_it_is_given(self):
        lantern, orla = tavern.find("lantern"), tavern.find("orla")
        lantern.location = self.char1
        self.char1.move_to(orla.location, quiet=True)
        self.char1.execute_cmd("give lantern to orla")
        percept, decision = orla.assistant_script.agent.decisions[-1]
        assert (percept.speaker, percept.manner) == (self.char1.dbref, "pose")
        assert percept.line == "Char gives a brass lantern to Orla."
        assert decision.kind == "TRIGGER"

    def test_each_npc_stands_in_its_place_with_a_mind_switched_on(self):
        for name, person in PEOPLE.items():
            npc = tavern.find(name)
            assert isinstance(npc, Npc)
            assert npc.location == tavern.find(person.place)
            assert npc.assistant_script == get_assistant_script(name)
            assert npc.assistant_script.character == npc
            assert npc.assistant_script.db.enabled

    def test_npcs_know_different_things(self):
        lines = [line for person in PEOPLE.values() for line in person.knowledge]
        assert len(lines) == len(set(lines))
        for person in PEOPLE.values():
            assert 8 <= len(person.knowledge) <= 16

    def test_all_an_npc_knows_has_room_in_every_prompt(self):
        for person in PEOPLE.values():
            lines = [{"text": line} for line in person.knowledge]
            assert len(fitting(lines, SECTION_BUDGETS["digest"])) == len(lines), person.key

    def test_what_an_npc_knows_can_be_recalled(self):
        orla = tavern.find("orla")
        found = orla.memory.recall("When does the Kittiwake sail?", listeners=[self.char1.dbref])
        assert "Friday" in found.hits[0].item.text

    def test_nothing_is_built_before_there_is_a_start_location(self):
        with self.settings(START_LOCATION="#99999"):
            before = ObjectDB.objects.count()
            tavern.build()
        assert ObjectDB.objects.count() == before


class TestFirstStart(TavernTest):
    def test_superuser_does_not_stand_about_before_they_log_in(self):
        # The account with id 1 is the superuser in a game, and the first account made in a test.
        with patch("world.startup.AccountDB.objects.get", return_value=self.account):
            self.account.characters.add(self.char2)
            startup.at_initial_setup()
        assert self.char2.location is None
        assert self.char2.db.prelogout_location == self.room1


class TestBuiltAgain(TavernTest):
    def test_nothing_is_made_twice(self):
        before = {name: tavern.find(name).pk for name in EVERYTHING}
        counts = ObjectDB.objects.count(), ScriptDB.objects.count()
        tavern.build()
        assert {name: tavern.find(name).pk for name in EVERYTHING} == before
        assert (ObjectDB.objects.count(), ScriptDB.objects.count()) == counts

    def test_deleted_parts_come_back(self):
        for name in ("orla", "yard", "common_room:down", "lantern"):
            assert tavern.find(name).delete()
        tavern.build()
        assert [name for name in EVERYTHING if tavern.find(name) is None] == []
        assert tavern.find("orla").assistant_script.db.enabled
        for way in WAYS:
            found = tavern.find(tavern.way_name(way))
            assert (found.location, found.destination) == (
                tavern.find(way.start),
                tavern.find(way.end),
            )

    def test_npc_whose_assistant_was_deleted_gets_another_and_keeps_its_memory(self):
        bram = tavern.find("bram")
        bram.memory.journal.add("The roof leaks.", tags=["house"])
        bram.memory.save()
        bram.assistant_script.delete()
        tavern.build()
        assert tavern.find("bram") == bram
        assert bram.assistant_script.character == bram
        assert "The roof leaks." in str(bram.db.journal)

    def test_what_builders_changed_stays(self):
        bram, room = tavern.find("bram"), tavern.find("common_room")
        lantern, way = tavern.find("lantern"), tavern.find("common_room:yard")
        bram.key, bram.db.desc, bram.db.persona = "Old Bram", "Older now.", {"description": "x"}
        bram.db.knowledge = ["One thing."]
        bram.location = tavern.find("cellar")
        room.key, room.db.desc, way.key = "The Gilded Gull", "All gold.", "postern"
        lantern.location = self.char1
        script = bram.assistant_script
        script.set_option("cooldown", "3")
        script.set_option("llm_provider", "ollama")
        script.disable()
        tavern.build()
        assert (bram.key, bram.db.desc) == ("Old Bram", "Older now.")
        assert (dict(bram.db.persona), list(bram.db.knowledge)) == (
            {"description": "x"},
            ["One thing."],
        )
        assert bram.location == tavern.find("cellar")
        assert (room.key, room.db.desc, way.key) == ("The Gilded Gull", "All gold.", "postern")
        assert lantern.location == self.char1
        assert (script.option("cooldown"), script.option("llm_provider")) == (3.0, "ollama")
        assert not script.db.enabled

    def test_npc_that_is_nowhere_comes_home(self):
        orla = tavern.find("orla")
        orla.location = None
        tavern.build()
        assert orla.location == tavern.find("harbour_street")

    def test_mind_that_was_given_to_another_character_stays_there(self):
        script = tavern.find("bram").assistant_script
        double = create.create_object(Npc, key="Bram's brother", location=self.room1)
        script.bind("bram", double)
        tavern.build()
        assert script.character == double

    def test_another_object_of_the_same_name_is_left_alone(self):
        double = create.create_object("typeclasses.objects.Object", key="Bram", location=self.room1)
        tavern.build()
        assert tavern.find("bram") != double


class TestWritingNpcs(TavernTest):
    """`docs/writing-npcs.md` does what it says, from its first snippet to its last."""

    PAGE = (Path(__file__).resolve().parents[2] / "docs/writing-npcs.md").read_text()

    def snippets(self, language):
        found = re.findall(rf"^( *)```{language}\n(.*?)^ *```", self.PAGE, re.DOTALL | re.MULTILINE)
        assert found
        return [textwrap.dedent(code) for _indent, code in found]

    def delete(self, key):
        get_assistant_script(key).character.delete()

    def test_what_is_typed_in_the_game(self):
        told = []
        self.char1.msg = lambda text=None, **kwargs: told.append(str(text))
        for line in self.snippets("evennia")[0].splitlines():
            self.char1.execute_cmd(line, session=self.session)
        self.addCleanup(self.delete, "ferryman")
        npc = get_assistant_script("ferryman").character
        assert npc.key == "Corin"
        assert set(npc.db.persona) == {"description", "greeting", "voice", "unknown"}
        assert list(npc.db.persona["voice"]) == ["Steady now."]
        assert npc.assistant_script.option("engagement_seconds") == 120
        assert "A crossing costs two coppers" in told[-1]

    def test_what_is_written_in_python(self):
        given = {
            "__name__": __name__,
            "room": self.room1,
            "player": self.char1,
            "confidant": self.char2,
            "bystander": self.char2,
        }
        for code in self.snippets("python"):
            # Django allows one model of a name, and the demo's own classes have these.
            code = re.sub(r"\b(Character|Npc)\b", r"Page\1", code)
            exec(compile(code, "writing-npcs.md", "exec"), given)
        assert issubclass(given["PageNpc"], given["PageCharacter"])
        self.addCleanup(self.delete, "corin")
        npc = given["npc"]
        assert npc.location == self.room1 and npc.assistant_script.db.enabled
        assert npc.db.persona["farewell"] == "Mind the mud."
        heard = [percept for percept, _decision in npc.assistant_script.agent.decisions]
        assert "Char rings the ferry bell." in [percept.line for percept in heard]

        def told(question, *listeners):
            ids = [listener.dbref for listener in listeners]
            return [hit.item.text for hit in npc.memory.recall(question, listeners=ids).hits]

        secret = "I ferried a man with no shadow."
        assert secret in told("no shadow", self.char2)
        assert secret not in told("no shadow", self.char1)
        assert secret not in told("no shadow", self.char1, self.char2)
        assert "The river is high this week." in told("How high is the river?", self.char1)
        # The room is private, char2 deaf and char1 unseen by now.
        self.char1.at_say("The abbot has gout.")
        percept = npc.assistant_script.agent.decisions[-1][0]
        assert percept.audience == percept.witnesses
        assert self.char2.dbref not in percept.witnesses

    def test_a_text_or_the_looks_do_for_a_persona(self):
        bram = tavern.find("bram")
        bram.db.persona = "You are a ghost."
        assert bram.memory_of_persona() == {"description": "You are a ghost."}
        bram.db.persona = None
        assert bram.memory_of_persona() == {"description": PEOPLE["bram"].desc}

    def test_neither_a_deaf_nor_a_stopped_npc_hears(self):
        bram = tavern.find("bram")
        script = bram.assistant_script
        self.char1.location = self.room1
        self.char1.at_say("Good evening, Bram.")
        assert script.agent.decisions[-1][0].words == "Good evening, Bram."
        bram.locks.add("hear:false()")
        self.char1.at_say("Can you hear me, Bram?")
        assert script.agent.decisions[-1][0].words == "Good evening, Bram."
        script.disable()
        self.char1.at_say("Are you there?")
        assert script.ndb.agent is None

    def test_a_description_that_is_too_long_is_cut(self):
        for person in PEOPLE.values():
            assert count_tokens(person.persona["description"]) < SECTION_BUDGETS["persona"]
        assert f"what is beyond {SECTION_BUDGETS['persona']} tokens is cut off" in self.PAGE
        assert f"The first {SECTION_BUDGETS['digest']} tokens of plain lines" in self.PAGE


class TestProvider(TavernTest):
    def provider_of(self, name):
        return tavern.find(name).assistant_script.option("llm_provider")

    def test_a_key_that_happens_to_be_there_is_not_used(self):
        assert {self.provider_of(name) for name in PEOPLE} == {"offline"}

    def test_environment_chooses_when_it_changes(self):
        self.provide("ollama")
        tavern.build()
        assert self.provider_of("bram") == "ollama"
        tavern.find("bram").assistant_script.set_option("llm_provider", "openrouter")
        tavern.build()
        assert self.provider_of("bram") == "openrouter"
        assert self.provider_of("orla") == "ollama"

    def test_unknown_provider_is_logged_and_changes_nothing(self):
        self.provide("oracle")
        tavern.build()
        assert self.provider_of("bram") == "offline"
