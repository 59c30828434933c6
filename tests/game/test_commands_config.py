"""Options, persona, facts and channels: what a keeper sets is what the NPC has."""

from evennia.utils.ansi import strip_ansi
from evennia.utils.create import create_channel
from evennia.utils.dbserialize import deserialize

from evennia_assistant.commands.aisetup.config import GROUPS, all_options
from evennia_assistant.typeclasses.options import OPTIONS

from tests.game.commanding import HOSTILE, CommandTest


class TestConfig(CommandTest):
    def test_every_option_is_listed_with_its_value_and_meaning(self):
        self.script.set_option("cooldown", "3")
        assert self.type_in("aisetup/config bram").startswith("Options of bram;")
        # The whole of it, which takes more than one page of a screen.
        lines = strip_ansi(all_options(self.script)).splitlines()
        assert lines[0] == "Options of bram; * is not the default."
        for name, (description, _kind, _default) in OPTIONS.items():
            assert any(
                line[2:].startswith(f"{name} ") and line.endswith(description) for line in lines
            ), name
        marked = {line[2:].split()[0] for line in lines[1:] if line.startswith(" *")}
        assert marked == {"llm_provider", "cooldown", "player_cooldown"}
        assert lines[-1] == "Change one: aisetup/config bram set <option> <value>"

    def test_every_group_names_options_that_exist(self):
        assert {name for _heading, names in GROUPS for name in names} <= set(OPTIONS)

    def test_show_and_set(self):
        assert self.type_in("aisetup/config bram show tick_rate") == (
            "tick_rate = 5 (the default): seconds between ticks while awake."
        )
        assert self.type_in("aisetup/config bram set tick_rate 9") == (
            "tick_rate of bram is now 9 (it was 5)."
        )
        assert self.script._tickers() == [9]
        assert self.type_in("aisetup/config bram show tick_rate") == (
            "tick_rate = 9 (the default is 5): seconds between ticks while awake."
        )
        assert self.type_in("aisetup/config bram set tick_rate 9") == (
            "tick_rate of bram was 9 already."
        )
        assert self.type_in("aisetup/config bram set strict_audience on") == (
            "strict_audience of bram is now on (it was off)."
        )
        assert self.type_in('aisetup/config bram set llm_extra_params {"min_p": 0.05}') == (
            'llm_extra_params of bram is now {"min_p": 0.05} (it was {}).'
        )
        assert self.script.option("llm_extra_params") == {"min_p": 0.05}

    def test_a_changed_cooldown_counts_at_once(self):
        self.type_in("aisetup/config bram set cooldown 30")
        self.model.add("One.", "Two.")
        self.say("Bram, one?")
        self.say("Bram, two?")
        assert len(self.model.requests) == 1
        self.pump(30)
        assert len(self.model.requests) == 2

    def test_a_misspelt_option_is_completed(self):
        assert self.type_in("aisetup/config bram set tickrate 7") == (
            'There is no option "tickrate". Did you mean tick_rate or tick_rate_sleep? '
            "'aisetup/config <key>' lists them."
        )
        assert self.type_in("aisetup/config bram show temperature") == (
            'There is no option "temperature". Did you mean llm_temperature? '
            "'aisetup/config <key>' lists them."
        )

    def test_a_value_that_does_not_fit_changes_nothing(self):
        assert self.type_in("aisetup/config bram set llm_temperature hot") == (
            "llm_temperature must be a number from 0 to 2, or none; 'hot' is not."
        )
        assert self.script.option("llm_temperature") is None
        assert self.type_in("aisetup/config bram set llm_provider acme").startswith(
            "llm_provider must be one of openai, anthropic"
        )
        for hostile in HOSTILE:
            told = self.type_in(f"aisetup/config bram set tick_rate {hostile}")
            assert told.startswith("tick_rate must be a whole number from 1 to 86400"), told
            assert len(told) < 500 and "\n" not in told
        assert self.script.option("tick_rate") == 5

    def test_what_is_missing_is_asked_for(self):
        assert self.type_in("aisetup/config bram set tick_rate") == (
            "Set it to what? tick_rate = 5 (the default): seconds between ticks while awake."
        )
        assert self.type_in("aisetup/config bram set") == (
            "Which option? 'aisetup/config bram' lists them all."
        )
        assert self.type_in("aisetup/config bram tick_rate 9") == (
            "To change an option, say set: aisetup/config bram set tick_rate 9"
        )
        assert self.type_in("aisetup/config") == (
            "Usage: aisetup/config <key> [show <option> | set <option> <value>]"
        )

    def test_a_key_is_never_taken_into_the_database(self):
        told = self.type_in("aisetup/config bram set llm_auth_token sk-canary")
        assert told.startswith("Keys are never kept in the game's database.")
        assert "canary" not in told
        stored = " ".join(str(attribute.value) for attribute in self.script.attributes.all())
        assert "canary" not in stored

    def test_a_keeper_who_is_no_admin_sends_no_key_to_an_address_of_theirs(self):
        self.npc.locks.add(f"control:id({self.builder.pk})")
        told = self.type_in("aisetup/config bram set llm_api_url http://evil.example", self.builder)
        assert told == "Only an Admin may choose which model answers, and where; ask one."
        assert self.script.option("llm_api_url") == ""
        assert self.type_in("aisetup/config bram set greets_arrivals on", self.builder) == (
            "greets_arrivals of bram is now on (it was off)."
        )

    def test_names_with_spaces_work(self):
        self.npc.key = "Old Bram"
        assert self.type_in("aisetup/config old bram show tick_rate").startswith("tick_rate = 5")


class TestPersona(CommandTest):
    def test_a_text_alone_is_the_description(self):
        assert self.type_in("aisetup/persona bram = A gruff old sailor.") == (
            "Description of Bram: A gruff old sailor."
        )
        assert self.npc.memory_of_persona()["description"] == "A gruff old sailor."

    def test_fields_are_set_added_to_and_emptied(self):
        self.type_in("aisetup/persona bram = A sailor.")
        assert self.type_in("aisetup/persona bram greeting = Ahoy, {name}!") == (
            "Greeting of Bram: Ahoy, {name}!"
        )
        assert self.type_in("aisetup/persona bram voice = Arr!") == "Voice of Bram, line 1: Arr!"
        assert self.type_in("aisetup/persona bram voice = Aye.") == "Voice of Bram, line 2: Aye."
        assert self.type_in("aisetup/persona bram unknown = Beats me.") == (
            "Unknown of Bram, line 1: Beats me."
        )
        assert self.npc.memory_of_persona() == {
            "description": "A sailor.",
            "greeting": "Ahoy, {name}!",
            "voice": ["Arr!", "Aye."],
            "unknown": ["Beats me."],
        }
        assert self.type_in("aisetup/persona bram voice =") == (
            "Voice of Bram is empty now.\nIt takes the place of this:\n  Arr!\n  Aye."
        )
        assert "voice" not in self.npc.memory_of_persona()

    def test_it_is_shown_as_the_literal_words(self):
        self.type_in("aisetup/persona bram = A |rsailor|n {x} $You() |lcquit|ltclick|le")
        told = self.type_in("aisetup/persona bram")
        # The bars of a link cannot be escaped, so they go; all else stands as it was typed.
        assert "  description: A |rsailor|n {x} $You() lcquitltclickle" in told
        assert "  farewell: (how it parts)" in told

    def test_a_misspelt_field_is_completed_and_nothing_is_changed(self):
        before = self.npc.memory_of_persona()
        assert self.type_in("aisetup/persona bram vioce = Arr!") == (
            'A persona has no "vioce". Did you mean voice? It has description, personality, '
            "scenario, voice, greeting, farewell, unknown, examples."
        )
        assert self.npc.memory_of_persona() == before

    def test_too_long_or_empty_loses_nothing(self):
        self.type_in("aisetup/persona bram = A sailor.")
        assert self.type_in(f"aisetup/persona bram = {'x' * 10_000}") == (
            "That is 10000 characters, and a description has at most 4000: the model reads it at "
            "every turn. Nothing was changed; facts belong in 'aisetup/teach'."
        )
        assert self.type_in("aisetup/persona bram =") == (
            "A description cannot be empty. Nothing was changed."
        )
        assert self.npc.memory_of_persona()["description"] == "A sailor."


class TestTeaching(CommandTest):
    def test_a_fact_is_known_at_once_and_listed_by_number(self):
        assert self.type_in("aisetup/teach bram") == (
            "Bram was taught nothing yet: aisetup/teach bram = <fact>"
        )
        assert self.type_in("aisetup/teach bram = The ferry leaves at dawn.") == (
            "Bram knows now, as number 1: The ferry leaves at dawn."
        )
        self.type_in("aisetup/teach bram = A bed costs |ytwo|n {silver}.")
        assert self.type_in("aisetup/teach bram") == (
            "Bram was taught 2 facts:\n"
            '    1. "The ferry leaves at dawn."\n'
            '    2. "A bed costs |ytwo|n {silver}."\n'
            "Take one back: aisetup/unteach bram = <number>"
        )
        hits = self.npc.memory.recall("When does the ferry leave?", listeners=["#1"]).hits
        assert [hit.item.text for hit in hits][:1] == ["The ferry leaves at dawn."]
        assert deserialize(self.npc.db.knowledge)[0] == "The ferry leaves at dawn."

    def test_a_fact_taken_back_is_gone_from_memory_and_prompt_and_moves_no_number(self):
        self.type_in("aisetup/teach bram = The ferry leaves at dawn.")
        self.type_in("aisetup/teach bram = The well is dry.")
        assert self.type_in("aisetup/unteach bram = 1") == (
            "Bram no longer knows number 1: The ferry leaves at dawn."
        )
        assert not self.npc.memory.recall("ferry", listeners=["#1"]).hits
        self.model.add("Hm.")
        self.say("Bram, when does the ferry leave?")
        assert "leaves at dawn" not in str(self.model.requests[-1].messages)
        assert "The well is dry." in str(self.model.requests[-1].messages)
        assert '    2. "The well is dry."' in self.type_in("aisetup/teach bram")
        assert self.type_in("aisetup/teach bram = New.") == "Bram knows now, as number 3: New."
        self.forget_caches()
        assert not self.npc.memory.recall("dawn", listeners=["#1"]).hits
        assert self.npc.memory.recall("well dry", listeners=["#1"]).hits[0].item.id == "k1"

    def test_what_cannot_be_done_is_said(self):
        self.type_in("aisetup/teach bram = The well is dry.")
        assert self.type_in("aisetup/teach bram = the WELL is dry.") == "Bram knows that already."
        assert self.type_in("aisetup/teach bram =") == (
            "Teach it what? aisetup/teach <key> = <fact>"
        )
        assert self.type_in(f"aisetup/teach bram = {'x' * 10_000}") == (
            "That is 10000 characters, and a fact has at most 1000. Nothing was taught; tell it in "
            "several facts."
        )
        for number in ("0", "2", "-1", "one", "", "9" * 10_000, "{x}"):
            told = self.type_in(f"aisetup/unteach bram = {number}")
            assert told.startswith("There is no fact number ") and len(told) < 200, told
        assert deserialize(self.npc.db.knowledge) == ["The well is dry."]

    def test_a_fact_for_few_is_not_listed_to_others(self):
        self.npc.db.knowledge = [
            "The well is dry.",
            {"text": "The mayor is a fraud.", "audience": ["#99"]},
        ]
        told = self.type_in("aisetup/teach bram")
        assert "fraud" not in told
        assert "1 more is confidential; add /all to see it (that is logged)." in told
        assert "fraud" not in self.type_in("aisetup/unteach bram = 2")
        self.npc.db.knowledge = [{"text": "The mayor is a fraud.", "audience": ["#99"]}]
        assert "fraud" in self.type_in("aisetup/teach/all bram")


class TestChannels(CommandTest):
    def setUp(self):
        super().setUp()
        self.channel = create_channel("Tavern", locks="listen:all();send:all();control:perm(Admin)")

    def test_a_subscribed_npc_hears_and_may_answer(self):
        assert self.type_in("aisetup/subscribe bram = tavern all") == (
            "Bram hears Tavern now and answers everything there."
        )
        assert deserialize(self.script.db.channels) == {"tavern": "all"}
        assert self.channel.has_connection(self.npc)
        assert self.channel.send_to_online_only is False
        self.model.add("Aye!")
        self.channel.msg("Anyone there?", senders=[self.char1])
        self.pump(1)
        assert len(self.model.requests) == 1

    def test_it_waits_to_be_named_unless_told_otherwise(self):
        assert self.type_in("aisetup/subscribe bram = Tavern") == (
            "Bram hears Tavern now and answers when it is named there."
        )
        assert self.type_in("aisetup/subscribe bram = Tavern never") == (
            "Bram hears Tavern now and answers nothing there."
        )
        assert deserialize(self.script.db.channels) == {"tavern": "never"}

    def test_it_leaves_again(self):
        self.type_in("aisetup/subscribe bram = Tavern")
        assert self.type_in("aisetup/unsubscribe bram = TAVERN") == (
            "Bram does not hear TAVERN any more."
        )
        assert deserialize(self.script.db.channels) == {}
        assert not self.channel.has_connection(self.npc)
        assert self.type_in("aisetup/unsubscribe bram = Tavern") == (
            'Bram does not hear "Tavern"; it hears: none.'
        )

    def test_nobody_listens_through_an_npc_where_they_may_not_listen_themselves(self):
        create_channel("Council", locks="listen:perm(Admin);send:perm(Admin)")
        self.npc.locks.add(f"control:id({self.builder.pk})")
        assert self.type_in("aisetup/subscribe bram = Council", self.builder) == (
            'There is no channel "Council". There are: Tavern.'
        )

    def test_what_is_missing_is_named(self):
        assert self.type_in("aisetup/subscribe bram") == (
            "Usage: aisetup/subscribe <key> = <channel> [mention, all or never]"
        )
        assert self.type_in("aisetup/subscribe bram = {x}") == (
            'There is no channel "{x}". There are: Tavern.'
        )
