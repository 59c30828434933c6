"""Two keepers at one NPC: what both wrote is kept, and who writes over the other is told."""

import random

from evennia_assistant.errors import ConfigError
from evennia_assistant.prompts.registry import registry_of

from tests.game.commanding import CommandTest

EDITS = 1_200


class TwoKeepers(CommandTest):
    def setUp(self):
        super().setUp()
        # A Builder who holds the NPC's control lock keeps it, beside the Admin.
        self.npc.locks.add(f"control:id({self.builder.pk})")
        self.anna, self.bruno = self.admin, self.builder


class TestTold(TwoKeepers):
    def test_who_writes_over_a_template_is_shown_what_stood_there(self):
        self.type_in("aisetup/template bram create pirate = Arr, {name}.|/Be rude.", self.anna)
        told = self.type_in("aisetup/template bram create pirate = Ahoy, {name}.", self.bruno)
        assert told.endswith("It takes the place of this:\n  Arr, {name}.\n  Be rude.")
        again = self.type_in("aisetup/template bram create pirate = Ahoy, {name}.", self.bruno)
        assert "takes the place" not in again

    def test_who_writes_over_a_component_a_field_or_an_option_is_told(self):
        self.type_in("aisetup/component bram add 500 = Mention the weather.", self.anna)
        told = self.type_in("aisetup/component bram set 500 = Never mention it.", self.bruno)
        assert told.endswith("It takes the place of this:\n  Mention the weather.")
        self.type_in("aisetup/context bram tick_event set max_iterations 4", self.anna)
        told = self.type_in("aisetup/context bram tick_event set max_iterations 2", self.bruno)
        assert told == "max_iterations of tick_event of bram is now 2 (it had been set to 4)."
        self.type_in("aisetup/persona bram = A gruff sailor.", self.anna)
        told = self.type_in("aisetup/persona bram = A gentle cook.", self.bruno)
        assert told.endswith("It takes the place of this:\n  A gruff sailor.")
        self.type_in("aisetup/config bram set cooldown 3", self.anna)
        told = self.type_in("aisetup/config bram set cooldown 4", self.bruno)
        assert told == "cooldown of bram is now 4 (it was 3)."

    def test_an_unknown_placeholder_is_refused_with_those_there_are_and_nothing_is_lost(self):
        self.type_in("aisetup/template bram create pirate = Arr, {name}.", self.anna)
        told = self.type_in("aisetup/template bram create pirate = Ahoy, {captain}.", self.bruno)
        assert told.startswith(
            "{captain} in pirate is no placeholder. There are {name}, {reflection_interval}, "
            "{tick_rate}, {tool_schemas}"
        )
        assert registry_of(self.script).template("pirate").text == "Arr, {name}."

    def test_a_template_deleted_by_one_is_missed_by_the_other_by_name(self):
        self.type_in("aisetup/template bram create pirate = Arr, {name}.", self.anna)
        self.type_in("aisetup/template bram delete pirate", self.bruno)
        told = self.type_in("aisetup/template bram apply pirate", self.anna)
        assert told.startswith("There is no template 'pirate'; there are default.")

    def test_an_id_both_want_is_given_once(self):
        self.type_in("aisetup/component bram add 500 = Mention the weather.", self.anna)
        told = self.type_in("aisetup/component bram add 500 = Sing.", self.bruno)
        assert told.startswith("There is a component 500 already; set it, or choose another.")
        assert registry_of(self.script).component(500).content == "Mention the weather."


class TestInterleaved(TwoKeepers):
    def test_of_a_thousand_edits_by_both_none_is_lost(self):
        """By command, through the registry, and by hand on `script.db`, in any order."""
        rng = random.Random(7)
        registry = registry_of(self.script)
        wanted = {"templates": {}, "components": {}, "contexts": {}, "options": {}}
        made = refused = 0
        for number in range(EDITS):
            words = f"Text {number}, {{name}}."
            kind = rng.choice(("template", "by hand", "component", "context", "option", "slip"))
            if kind == "template":
                name = f"t{rng.randrange(9)}"
                registry.create_template(name, words)
                wanted["templates"][name] = words
            elif kind == "by hand":
                name = f"t{rng.randrange(9)}"
                held = self.script.db.prompt_overrides
                if held is None:
                    continue
                held["templates"][name] = words
                wanted["templates"][name] = words
            elif kind == "component":
                place = 500 + rng.randrange(9)
                change = registry.set_component
                if place not in registry.components():
                    change = registry.add_component
                change(place, words)
                wanted["components"][place] = words
            elif kind == "context":
                occasion = rng.choice(("tick_event", "tick_autonomous"))
                most = rng.randint(1, 5)
                registry.set_context(occasion, "max_iterations", most)
                wanted["contexts"][occasion] = most
            elif kind == "option":
                name = rng.choice(("max_iterations_per_tick", "tick_rate", "engagement_seconds"))
                value = rng.randint(1, 10)
                self.script.set_option(name, str(value))
                wanted["options"][name] = value
            else:
                with self.assertRaises(ConfigError):
                    registry.create_template("t1", "Ahoy, {captain}.")
                refused += 1
            made += 1
            if number % 300 == 299:
                self.forget_caches()
                registry = registry_of(self.script)
            self.check(registry, wanted)
        assert made > 1_000 < made and refused > 100

    def check(self, registry, wanted):
        templates = {name: made.text for name, made in registry.templates().items()}
        del templates["default"]
        assert templates == wanted["templates"]
        components = registry.components()
        texts = {n: made.content for n, made in components.items() if not made.is_static}
        assert texts == wanted["components"]
        for occasion, most in wanted["contexts"].items():
            assert registry.context(occasion).max_iterations == most
        for name, value in wanted["options"].items():
            assert self.script.option(name) == value
