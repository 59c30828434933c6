"""Templates, components, contexts and tokens: what a keeper sees and types."""

from evennia.utils.dbserialize import deserialize

from evennia_assistant.mind.contexts import CONTEXTS
from evennia_assistant.prompts.registry import registry_of
from evennia_assistant.prompts.texts import text

from tests.game.commanding import HOSTILE, CommandTest

VERBS = ("create", "apply", "show", "delete")


class TestTemplate(CommandTest):
    def test_from_nothing_to_a_template_in_use(self):
        assert self.type_in("aisetup/template bram") == (
            "Templates of bram; * is in use.\n"
            f" *default  {len(text('rules'))} characters (ours)\n"
            "Placeholders in a text:\n"
            "  {name}  the NPC's name\n"
            "  {reflection_interval}  ticks between two reflections\n"
            "  {tick_rate}  seconds between two ticks\n"
            "  {tool_schemas}  the tools offered, with their parameters\n"
            "Write one: aisetup/template bram create <name> = <text>, |/ for a new line"
        )
        assert self.type_in("aisetup/template bram create Pirate = Arr, {name}.|/Be brief.") == (
            "Template pirate of bram is written (22 characters). Use it: aisetup/template bram "
            "apply pirate"
        )
        assert self.type_in("aisetup/template bram show pirate") == (
            "Template pirate\n  Arr, {name}.\n  Be brief."
        )
        assert self.type_in("aisetup/template bram apply pirate") == (
            "bram uses the template pirate from its next turn on."
        )
        assert registry_of(self.script).layout().texts[0] == "Arr, Bram.\nBe brief."
        assert "\n *pirate  22 characters\n" in self.type_in("aisetup/template bram")
        assert self.type_in("aisetup/template bram delete pirate") == (
            "Template pirate of bram is deleted. The template in use is default now."
        )

    def test_an_unknown_placeholder_changes_nothing(self):
        assert self.type_in("aisetup/template bram create pirate = Hello {{you} {user}") == (
            "{you} in pirate is no placeholder. There are {name}, {reflection_interval}, "
            "{tick_rate}, {tool_schemas}; for the word itself write {{you}}."
        )
        assert list(registry_of(self.script).templates()) == ["default"]

    def test_what_is_missing_is_asked_for(self):
        usage = "aisetup/template <key> [create|apply|show|delete <name> [= <text>] | check]"
        assert self.type_in("aisetup/template bram create") == f"Which template? Usage: {usage}"
        assert self.type_in("aisetup/template bram create x") == f"Which text? Usage: {usage}"
        assert self.type_in("aisetup/template bram mangle x") == (
            f'"mangle" is none of create, apply, show, delete, check. Usage: {usage}'
        )
        assert self.type_in("aisetup/template") == f"Usage: {usage}"
        assert self.type_in("aisetup/template bram show pirate") == (
            "There is no template 'pirate'; there are default."
        )
        assert self.type_in("aisetup/template nobody").startswith('There is no assistant "nobody".')

    def test_an_attribute_that_goes_first_is_said_to(self):
        self.script.db.system_prompt_native = "Mine."
        assert self.type_in("aisetup/template bram apply default") == (
            "bram uses the template default from its next turn on. But db.system_prompt_native of "
            "its script goes first."
        )

    def test_check_finds_what_is_wrong(self):
        assert self.type_in("aisetup/template bram check") == "The prompts of Bram are in order."
        self.script.db.system_prompt_native = "You are {nmae}."
        self.script.db.system_prompt = "Answer."
        assert self.type_in("aisetup/template bram check") == (
            "The prompts of Bram have 2 problems:\n"
            "  {nmae} in system_prompt_native is no placeholder. There are {name}, "
            "{reflection_interval}, {tick_rate}, {tool_schemas}; for the word itself write "
            "{{nmae}}.\n"
            "  The model has no tool interface, and its system prompt does not say how to use a "
            'tool: put {tool_schemas} and the form {"tool": ..., "parameters": ...} into it.'
        )

    def test_only_a_keeper_changes_and_whoever_may_look_sees(self):
        refusal = (
            "You may look at bram, but only its keeper (who holds its 'control' lock) or an Admin "
            "may change it."
        )
        for line in (
            "aisetup/template bram create x = y",
            "aisetup/template bram apply default",
            "aisetup/template bram delete default",
            "aisetup/component bram add 5 = x",
            "aisetup/component bram disable 1000",
            "aisetup/context bram tick_event set max_iterations 1",
            "aisetup/context bram tick_event reset",
        ):
            assert self.type_in(line, self.builder) == refusal, line
        for switch in ("template", "component", "context", "tokens"):
            told = self.type_in(f"aisetup/{switch} bram", self.builder)
            assert "You may look" not in told and len(told.splitlines()) > 5, switch
        assert self.script.attributes.get("prompt_overrides") is None

    def test_hostile_texts_are_kept_as_text(self):
        for hostile in HOSTILE:
            for line in (
                f"aisetup/template bram create {hostile} = x",
                f"aisetup/template bram create t = {hostile}",
                f"aisetup/template bram {hostile}",
                f"aisetup/component bram add 5 = {hostile}",
                f"aisetup/component bram show {hostile}",
                f"aisetup/context bram {hostile}",
                f"aisetup/context bram tick_event set tool_filter {hostile}",
                f"aisetup/context bram tick_event set {hostile} 1",
            ):
                told = self.type_in(line)
                assert "\x1b" not in told and "Traceback" not in told, line
                assert len(told) < 11_000, line
        for command in ("template", "component", "context"):
            assert self.type_in(f"aisetup/{command} bram")
        assert registry_of(self.script).layout()


class TestComponent(CommandTest):
    def test_the_parts_are_listed(self):
        lines = self.type_in("aisetup/component bram").splitlines()
        assert lines[0] == (
            "Components of bram, in the order of their ids; * has a text of its own."
        )
        assert lines[1] == (
            "     0  system_prompt         on  system the rules: how to speak, what is data"
        )
        assert lines[9] == "  7000  tool_result           on  tool   what tools have answered"
        assert lines[10] == (
            "Add one between two of ours: aisetup/component bram add <id> = <text>"
        )

    def test_one_is_added_changed_switched_and_removed(self):
        assert self.type_in("aisetup/component bram add 500 = Never mention the weather.") == (
            "Component 500 of bram is added: Never mention the weather."
        )
        assert self.type_in("aisetup/component bram set 500 = Mention the weather.") == (
            "Component 500 (component_500) of bram has a text of its own: Mention the weather."
            "\nIt takes the place of this:\n  Never mention the weather."
        )
        assert self.type_in("aisetup/component bram disable 500") == (
            "Component 500 (component_500) of bram is off."
        )
        assert self.type_in("aisetup/component bram show 500") == (
            "Component 500 component_500, yours, off, in a system message\n  Mention the weather."
        )
        assert self.type_in("aisetup/component bram enable 500") == (
            "Component 500 (component_500) of bram is on."
        )
        assert self.type_in("aisetup/component bram delete 500") == (
            "Component 500 (component_500) of bram is deleted."
        )
        assert self.type_in("aisetup/component bram show 500") == (
            "There is no component 500; there are 0, 1000, 1500, 2000, 3000, 4000, 5000, 6000, "
            "7000."
        )

    def test_one_of_ours_comes_back_as_it_was(self):
        self.type_in("aisetup/component bram set 6000 = Answer in rhyme.")
        assert registry_of(self.script).layout().texts[6000] == "Answer in rhyme."
        assert self.type_in("aisetup/component bram delete 6000") == (
            "Component 6000 (pending_event) of bram is as it came."
        )
        assert self.type_in("aisetup/component bram show 6000") == (
            "Component 6000 pending_event, ours, on, in a user message: the new lines, the scene, "
            "what to do now\n  Answer the newest lines in <heard> now, as yourself."
        )
        assert self.type_in("aisetup/component bram show 2000").endswith(
            "\n  It has no text, only what a turn puts into it."
        )

    def test_what_will_not_do_is_said(self):
        assert self.type_in("aisetup/component bram add 1000 = x") == (
            "1000 is the static component character_context; your own go between 0, 1000, 1500, "
            "2000, 3000, 4000, 5000, 6000, 7000."
        )
        assert self.type_in("aisetup/component bram disable 0") == (
            "Component 0 has the rules every prompt needs; give it another text."
        )
        assert self.type_in("aisetup/component bram add many = x") == (
            "Which component? Name its id. Usage: aisetup/component <key> "
            "[add|show|set|enable|disable|delete <id> [= <text>]]"
        )
        assert self.type_in(f"aisetup/component bram add 5 = {'x' * 4001}") == (
            "That is 4001 characters, and a text of a prompt has at most 4000: the model reads it "
            "at every turn."
        )


class TestContext(CommandTest):
    def test_all_are_listed(self):
        lines = self.type_in("aisetup/context bram").splitlines()
        assert lines[0] == "Contexts of bram; * is narrowed."
        assert [line[2:].split()[0] for line in lines[1:-1]] == list(CONTEXTS)
        assert lines[3] == (
            "  reflection         3 components   3 tools at most  - draw conclusions from what was "
            "remembered"
        )

    def test_one_is_shown_with_what_comes_of_it(self):
        self.script.db.execution_config = {
            "max_iterations_per_tick": 4,
            "dangerous_tools": ["execute_command"],
            "sub_agents_enabled": "yes",
        }
        assert self.type_in("aisetup/context bram tick_autonomous set max_iterations 3") == (
            "max_iterations of tick_autonomous of bram is now 3."
        )
        assert self.type_in("aisetup/context bram tick_autonomous") == (
            "Context tick_autonomous of bram: act towards a goal while nobody asks for anything\n"
            "  enabled_components         0, 1000, 1500, 2000, 3000, 4000, 5000, 6000, 7000\n"
            "  component_overrides        none\n"
            "  tool_filter                all\n"
            "  token_budget               2500 (the usual)\n"
            "  execution_mode             react_loop\n"
            " *max_iterations             3  (came as 5)\n"
            "  allowed_tool_categories    all\n"
            "  terminal_ends_loop         on\n"
            "  dangerous_requires_confirm on\n"
            "  allows_multi_tool          on\n"
            "  allows_sub_agents          on\n"
            "With execution_config, a turn may do:\n"
            "  react_loop, 3 tools at most, ends when it has spoken\n"
            "  tools: all; categories: all\n"
            "  dangerous tools: execute_command after a keeper agreed\n"
            "  unreadable: sub_agents_enabled is 'yes', which cannot be read"
        )
        assert self.type_in("aisetup/context bram tick_autonomous reset") == (
            "Context tick_autonomous of bram is as it came."
        )
        assert self.type_in("aisetup/context bram tick_autonomous reset") == (
            "Context tick_autonomous of bram was as it came already."
        )

    def test_every_kind_of_field_can_be_typed(self):
        for typed, shown in (
            ("enabled_components 0 1000, 6000", "0, 1000, 6000"),
            ("tool_filter say noop", "say, noop"),
            ("tool_filter none", "none (it had been set to say, noop)"),
            ("token_budget 900", "900"),
            ("execution_mode Single_Action", "single_action"),
            ("allowed_tool_categories terminal", "terminal"),
            ("dangerous_requires_confirm on", "on"),
            ("allows_sub_agents no", "off"),
            ("component_overrides 0 Be brief.", "0: Be brief."),
        ):
            field = typed.split()[0]
            assert self.type_in(f"aisetup/context bram tick_event set {typed}") == (
                f"{field} of tick_event of bram is now {shown}."
            )
        stored = deserialize(self.script.db.prompt_overrides)["contexts"]["tick_event"]
        assert stored["enabled_components"] == [0, 1000, 6000]

    def test_nothing_is_widened(self):
        assert self.type_in("aisetup/context bram reflection set max_iterations 9") == (
            "max_iterations of reflection may be a whole number from 1 to 3; '9' is not. A context "
            "can be narrowed, never widened."
        )
        assert self.type_in("aisetup/context bram tick_event set terminal_ends_loop off") == (
            "terminal_ends_loop of tick_event may be on; 'False' is not. A context can be "
            "narrowed, never widened."
        )
        assert self.type_in("aisetup/context bram tick_event set max_iterations lots").startswith(
            "max_iterations of tick_event may be a whole number from 1 to 5; 'lots' is not."
        )

    def test_what_is_missing_is_asked_for(self):
        assert self.type_in("aisetup/context bram tick_event set").startswith(
            "Set which field to what? There are enabled_components, component_overrides,"
        )
        assert self.type_in("aisetup/context bram dreaming").startswith(
            '"dreaming" is none of tick_event, tick_autonomous, reflection,'
        )
        assert self.type_in("aisetup/context bram tick_event mangle") == (
            "Usage: aisetup/context <key> [<type> [set <field> <value> | reset]]"
        )


class TestTokens(CommandTest):
    def test_every_part_has_its_tokens(self):
        self.npc.memory.teach("The ferry leaves at dawn.")
        self.type_in("aisetup/component bram add 500 = Never mention the weather.")
        lines = self.type_in("aisetup/tokens bram").splitlines()
        assert lines[0] == "A prompt of Bram, if you greeted it now (estimated tokens):"
        assert lines[1] == "  component                tokens   from  share"
        parts = [line.rsplit(None, 3) for line in lines[2:-2]]
        assert [part[0].strip() for part in parts][:4] == [
            "tools",
            "0 system_prompt",
            "500 component_500",
            "1000 character_context",
        ]
        total = sum(int(part[1]) for part in parts)
        assert lines[-2] == f"In all {total} of at most 2500."
        assert lines[-1] == (
            f"That is {100 * total / 128_000:.1f} % of the 128000 tokens of gpt-4o-mini: ok. Token "
            "budget healthy."
        )

    def test_the_keepers_own_window_counts(self):
        self.script.db.max_context_tokens = 1000
        assert self.type_in("aisetup/tokens bram").endswith(
            "of the 1000 tokens of gpt-4o-mini: critical. Token limit exceeded."
        )

    def test_looking_changes_nothing_and_shows_no_confidence(self):
        self.whisper("I owe the miller forty crowns.", self.char2)
        before = {name: deserialize(self.npc.attributes.get(name)) for name in ("journal",)}
        told = self.type_in("aisetup/tokens bram") + self.type_in("aisetup/template bram check")
        assert "crowns" not in told
        assert {name: deserialize(self.npc.attributes.get(name)) for name in before} == before
