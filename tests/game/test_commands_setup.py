"""Making an assistant, and caring for it: what a builder types and is told."""

from evennia.commands.default.general import CmdSay
from evennia.objects.models import ObjectDB
from evennia.utils.create import create_object
from evennia.utils.dbserialize import deserialize

from evennia_assistant.commands.aisetup import CmdAssistant
from evennia_assistant.typeclasses.character import AssistantCharacter
from evennia_assistant.typeclasses.script import get_assistant_script

from tests.game.commanding import CommandTest

NO_KEY = "openai has no key (OPENAI_API_KEY is not set); the offline brain answers."


class TestInit(CommandTest):
    def made(self):
        return ObjectDB.objects.order_by("-id").first()

    def test_one_line_makes_a_talking_innkeeper(self):
        told = self.type_in("aisetup/init innkeeper")
        npc = self.made()
        assert told == (
            f"Made Innkeeper (#{npc.pk}), assistant innkeeper. It hears and answers from now on. "
            f"{NO_KEY}\n"
            "  Talk to it:       talk innkeeper hello\n"
            "  Say who it is:    aisetup/persona innkeeper = <who it is, in a few sentences>\n"
            "  Teach it a fact:  aisetup/teach innkeeper = <fact>\n"
            "  Its options:      aisetup/config innkeeper"
        )
        script = get_assistant_script("innkeeper")
        assert npc.key == "Innkeeper" and npc.location == self.room1
        assert script.db.enabled and script.character == npc
        assert npc.memory_of_persona()["description"].startswith("The innkeeper at Room.")
        script.ndb.assistant_clock = self.clock
        script.disable()
        script.enable()
        script.agent.model = self.model
        self.model.add("Welcome, welcome!")
        self.type_in("talk innkeeper hello")
        self.pump(1)
        assert self.heard_by(self.char1)[-1] == 'Innkeeper says, "Welcome, welcome!"'

    def test_it_may_have_a_name_of_its_own(self):
        told = self.type_in("aisetup/init night_guard = Old Tom")
        assert told.startswith(f"Made Old Tom (#{self.made().pk}), assistant night_guard.")
        assert "talk Old Tom hello" in told
        assert self.made().memory_of_persona()["description"].startswith("The night guard at Room.")

    def test_a_character_that_has_ears_gets_a_mind_and_keeps_what_it_is(self):
        mira = create_object(AssistantCharacter, key="Mira", location=self.room1)
        mira.db.persona = {"description": "A tailor."}
        told = self.type_in("aisetup/init tailor = mira")
        assert told.startswith(f"Gave a mind to Mira (#{mira.pk}), assistant tailor.")
        assert get_assistant_script("tailor").character == mira
        assert deserialize(mira.db.persona) == {"description": "A tailor."}

    def test_its_maker_is_its_keeper(self):
        self.type_in("aisetup/init innkeeper")
        npc = self.made()
        self.account.permissions.remove("Developer")
        self.account.is_superuser = False
        assert npc.access(self.char1, "control")
        assert not npc.access(self.char2, "control")

    def test_a_thing_without_ears_is_refused_with_the_way_out(self):
        told = self.type_in("aisetup/init vase = Obj")
        assert told == (
            f"Obj has no ears for this: its class is {self.obj1.typeclass_path}. Change it with "
            f"'typeclass #{self.obj1.pk} = "
            "evennia_assistant.typeclasses.character.AssistantCharacter' (all else stays as it "
            "is), or add AssistantMixin to its own class and reload; then try again."
        )
        assert get_assistant_script("vase") is None

    def test_a_player_never_becomes_a_puppet_of_ours(self):
        told = self.type_in("aisetup/init me = Char2")
        assert told == "Char2 is a player's character; a mind of ours would speak for them."

    def test_nobody_gets_two_minds_and_no_key_two_assistants(self):
        assert self.type_in("aisetup/init second = Bram") == (
            "Bram has a mind already: it is assistant bram."
        )
        assert self.type_in("aisetup/init BRAM") == (
            "There is already an assistant bram. Choose another key; 'aisetup bram' shows that one."
        )

    def test_a_bad_key_is_refused_and_nothing_is_made(self):
        before = ObjectDB.objects.count()
        for key in ("bad key!", "café", "|rred", "{x}", "x" * 10_000):
            told = self.type_in(f"aisetup/init {key}")
            assert "cannot be a key: use up to 40 of a to z, 0 to 9, _ and -." in told, key
            assert len(told) < 300 and "\n" not in told
        assert ObjectDB.objects.count() == before
        assert self.type_in("aisetup/init") == (
            "Usage: aisetup/init <key> [= <character here, or a new name>]"
        )

    def test_a_name_that_would_break_other_lines_is_refused(self):
        before = ObjectDB.objects.count()
        for name in ("{x}", "|rRed", "#99999", "x" * 10_000):
            told = self.type_in(f"aisetup/init fine = {name}")
            assert "will not do" in told or told == 'There is no object "#99999".', told
        assert ObjectDB.objects.count() == before

    def test_only_an_admin_makes_one(self):
        assert self.type_in("aisetup/init spy", self.builder) == (
            "Only an Admin may make an assistant; ask one."
        )
        assert self.type_in("aisetup/clone bram = spy", self.builder) == (
            "Only an Admin may make an assistant; ask one."
        )
        assert get_assistant_script("spy") is None

    def test_an_assistant_whose_character_is_gone_gets_a_new_one(self):
        ObjectDB.objects.filter(pk=self.npc.pk).delete()
        self.npc.flush_from_cache(force=True)
        self.script.ndb.character = None
        assert self.type_in("aisetup/start bram") == (
            "The character of bram is gone. Give it a new one with 'aisetup/init bram', or remove "
            "it with 'aisetup/delete bram'."
        )
        assert self.type_in("aisetup/init bram").startswith("Made Bram (#")
        assert get_assistant_script("bram").character.key == "Bram"


class TestClone(CommandTest):
    def test_options_and_persona_are_copied_and_no_memory(self):
        self.npc.db.persona = {"description": "A gruff sailor.", "voice": ["Arr!"]}
        self.script.set_option("tick_rate", "9")
        self.script.set_option("max_iterations_per_tick", "3")
        self.npc.memory.write("Anna hid the key.", when=1.0, audience="public")
        self.npc.memory.save()
        told = self.type_in("aisetup/clone bram = second_bram")
        script = get_assistant_script("second_bram")
        npc = script.character
        assert told == (
            f"Made Second bram (#{npc.pk}), assistant second_bram, with the options and persona of "
            "bram and a memory of its own, which is empty."
        )
        assert npc.memory_of_persona() == {"description": "A gruff sailor.", "voice": ["Arr!"]}
        assert script.option("tick_rate") == 9 and script.option("max_iterations_per_tick") == 3
        assert script.option("llm_provider") == "offline"
        assert script._tickers() == [9]
        assert npc.memory.journal.entries == []

    def test_what_is_missing_is_named(self):
        assert self.type_in("aisetup/clone bram") == "Usage: aisetup/clone <key> = <new key>"
        assert self.type_in("aisetup/clone bram = bram") == (
            "There is already an assistant bram. Choose another key."
        )


class TestStartAndStop(CommandTest):
    def test_a_stopped_npc_says_so_and_forgets_nothing(self):
        assert self.type_in("aisetup/stop bram") == (
            "Bram hears and answers nothing until 'aisetup/start bram'. Nothing is forgotten."
        )
        assert not self.script.db.enabled and self.script._tickers() == []
        assert self.type_in("aisetup/stop bram") == "Bram is off already."
        assert self.type_in("aisetup/start bram") == "Bram hears and answers again."
        assert self.script.db.enabled and self.script._tickers() == [5]
        assert self.type_in("aisetup/start bram") == "Bram was on already."

    def test_start_ends_an_emergency_stop(self):
        self.script.db.emergency_stop = True
        self.script.db.consecutive_errors = 5
        told = self.type_in("aisetup/start bram")
        assert told == "The emergency stop of Bram is cleared; it hears and answers."
        assert not self.script.db.emergency_stop and self.script.db.consecutive_errors == 0

    def test_a_line_that_waited_through_a_start_is_answered_once(self):
        self.call(CmdSay(), "Bram, hello?")
        self.script.db.emergency_stop = True
        self.type_in("aisetup/start bram")
        self.adopt()
        self.model.add("Aye.", "Aye again.")
        self.pump(1)
        assert len(self.model.requests) == 1

    def test_a_builder_who_keeps_nothing_changes_nothing(self):
        for line in (
            "aisetup/stop bram",
            "aisetup/start bram",
            "aisetup/delete bram",
            "aisetup/config bram set tick_rate 9",
            "aisetup/persona bram = x",
            "aisetup/teach bram = x",
            "aisetup/unteach bram = 1",
            "aisetup/subscribe bram = Public",
        ):
            assert self.type_in(line, self.builder) == (
                "You may look at bram, but only its keeper (who holds its 'control' lock) or an "
                "Admin may change it."
            ), line
        assert self.script.db.enabled and self.script.option("tick_rate") == 5

    def test_a_keeper_changes_their_own(self):
        self.npc.locks.add(f"control:id({self.builder.pk})")
        assert self.type_in("aisetup/stop bram", self.builder).startswith("Bram hears and answers")


class TestDelete(CommandTest):
    def test_nothing_goes_without_a_yes(self):
        for answer in ("no", "perhaps"):
            told = self.type_in("aisetup/delete bram", inputs=[answer])
            assert told == "Nothing was deleted."
        assert get_assistant_script("bram") == self.script

    def test_the_mind_goes_and_the_character_stays_with_its_memory(self):
        self.npc.memory.write("Anna hid the key.", when=1.0, audience="public")
        self.npc.memory.save()
        told = self.type_in("aisetup/delete bram", inputs=["yes"])
        number = self.npc.pk
        assert told == (
            f"Assistant bram is deleted. Bram (#{number}) stays, with its memory: 'aisetup/init "
            f"bram = #{number}' gives it its mind back, 'destroy #{number}' removes it with all it "
            "remembers."
        )
        assert get_assistant_script("bram") is None
        assert self.type_in(f"aisetup/init bram = #{number}").startswith("Gave a mind to Bram")
        assert len(self.npc.memory.journal.entries) == 1

    def test_the_question_says_what_goes_and_what_stays(self):
        command = CmdAssistant()
        command.caller, command.session, command.cmdstring = self.admin, None, "aisetup"
        command.args = "/delete bram"
        command.parse()
        assert next(command.func()) == (
            "Take the mind of bram away? Its options and its trace go; the character and its "
            "memory stay. yes/[no]"
        )


class TestOverview(CommandTest):
    def test_the_table_says_who_answers_and_why(self):
        self.script.set_option("llm_provider", "openai")
        told = self.type_in("aisetup")
        header, row = (line for line in told.splitlines() if line.startswith("|"))
        assert [cell.strip() for cell in header.strip("|").split("|")] == [
            "key",
            "character",
            "place",
            "state",
            "answered by",
            "last turn",
        ]
        assert [cell.strip() for cell in row.strip("|").split("|")] == [
            "bram",
            f"Bram #{self.npc.pk}",
            "Room",
            "on",
            "offline",
            "never",
        ]
        assert told.splitlines()[-1] == f"bram: {NO_KEY}"

    def test_an_npc_nobody_can_answer_for_does_not_hide_the_others(self):
        self.make_npc("Mira", "tailor")
        self.script.attributes.add("llm_provider", "acme")
        told = self.type_in("aisetup")
        assert "| nobody " in told and "| tailor " in told
        assert told.splitlines()[-1].startswith("bram: ") and "acme" in told.splitlines()[-1]

    def test_off_and_emergency_are_told_apart(self):
        self.script.disable()
        assert "| off " in self.type_in("aisetup")
        self.script.db.emergency_stop = True
        assert "| emergency " in self.type_in("aisetup")

    def test_an_empty_game_is_told_how_to_begin(self):
        self.script.delete()
        assert self.type_in("aisetup") == (
            "There is no assistant yet. 'aisetup/init innkeeper' makes one here; 'aisetup help' "
            "tells more."
        )

    def test_help_fits_a_screen(self):
        for line in ("aisetup help", "aisetup/help"):
            told = self.type_in(line)
            assert told.startswith("From nothing to a talking NPC")
            assert len(told.splitlines()) <= 22
            assert max(map(len, told.splitlines())) <= 78

    def test_a_forgotten_slash_is_pointed_out(self):
        assert self.type_in("aisetup init innkeeper") == (
            "A switch follows a slash: aisetup/init innkeeper"
        )


class TestFinding(CommandTest):
    def test_key_name_alias_and_dbref_all_find_it(self):
        self.npc.aliases.add("barkeep")
        for who in ("bram", "BRAM", "Barkeep", f"#{self.npc.pk}", f"#{self.script.pk}"):
            assert self.type_in(f"aiinteract/state {who}").startswith("State of Bram"), who

    def test_an_unknown_one_is_answered_with_those_there_are(self):
        self.make_npc("Mira", "tailor")
        assert self.type_in("aiwhy bran") == (
            'There is no assistant "bran". Did you mean bram? There are: bram, tailor (Mira).'
        )

    def test_several_of_one_name_are_told_apart_by_key(self):
        other, _script = self.make_npc("Bram", "second")
        self.npc.aliases.add("keeper")
        other.aliases.add("keeper")
        assert self.type_in("aiwhy keeper") == (
            f'Several assistants go by "keeper": bram #{self.npc.pk}, second (Bram) #{other.pk}. '
            "Name one by its key."
        )
