"""An operator reads in docs/tools.md what there is, and every tool keeps the rules of the house."""

import json
import re
from pathlib import Path

import jsonschema
import pytest

from evennia_assistant.errors import InvalidArguments
from evennia_assistant.tools import ToolCategory, all_tools, load_tools, offered_to
from evennia_assistant.tools.reference import page

from tests.game.tooling import GATED, ToolTest

PAGE = Path(__file__).resolve().parents[2] / "docs/tools.md"
TOOLS = {
    name: tool
    for name, tool in all_tools().items()
    if type(tool).__module__.startswith("evennia_assistant")
}

#: Category of every documented tool that is built in by now.
DOCUMENTED = {
    "add_journal_entry": "safe_chain",
    "search_journal": "safe_chain",
    "review_journal": "safe_chain",
    "recall_memories": "safe_chain",
    "store_memory": "async_required",
    "inspect_location": "safe_chain",
    "say": "terminal",
    "page": "terminal",
    "whisper": "terminal",
    "execute_command": "dangerous",
    "set_attribute": "dangerous",
    "create_project": "safe_chain",
    "list_projects": "safe_chain",
    "swap_project": "safe_chain",
    "update_project": "safe_chain",
}


def test_the_page_is_what_the_classes_say():
    assert PAGE.read_text() == page(all_tools())
    assert re.findall(r"^## `(\w+)`", PAGE.read_text(), re.MULTILINE) == sorted(TOOLS)


def test_documented_tools_have_their_documented_category():
    assert {name: str(TOOLS[name].category) for name in DOCUMENTED} == DOCUMENTED
    assert TOOLS["search_journal"].cacheable and TOOLS["search_journal"].cache_ttl == 300.0
    assert TOOLS["list_projects"].cacheable


@pytest.mark.parametrize("tool", TOOLS.values(), ids=lambda tool: tool.name)
class TestEveryTool:
    def test_it_is_described_bounded_and_locked(self, tool):
        assert tool.description and len(tool.description) < 120
        assert type(tool).__doc__
        assert 0 < tool.timeout <= 60
        assert tool.locks.startswith("use:")
        for name, schema in tool.parameters.get("properties", {}).items():
            texts = "string" in str(schema.get("type"))
            assert not texts or "maxLength" in schema or "enum" in schema, name
            numbers = schema.get("type") in ("integer", "number")
            assert not numbers or {"minimum", "maximum"} <= set(schema), name

    def test_arguments_of_any_wrong_shape_never_reach_it(self, tool):
        schema = {"properties": {}, **tool.parameters}
        sample = {name: _fitting(schema["properties"][name]) for name in schema.get("required", ())}
        if schema.get("minProperties", 0) > len(sample):
            spare = next(name for name in schema["properties"] if name not in sample)
            sample[spare] = _fitting(schema["properties"][spare])
        tool.validate(sample)
        wrong = [{**sample, "surprise": 1}]
        wrong += [
            {k: v for k, v in sample.items() if k != name} for name in schema.get("required", ())
        ]
        for name, inner in schema["properties"].items():
            for value in ({"a": 1}, [[1]], "x" * 100_000, 10**400, "\ud800" * 5000):
                candidate = {**sample, name: value}
                checker = jsonschema.Draft202012Validator(inner)
                if not checker.is_valid(value):
                    wrong.append(candidate)
        assert len(wrong) > len(schema["properties"])
        for arguments in wrong:
            with pytest.raises(InvalidArguments) as told:
                tool.validate(arguments)
            assert len(str(told.value)) < 1500

    def test_a_model_is_told_of_it_in_few_words(self, tool):
        assert len(json.dumps(tool.schema())) < 700


def _fitting(schema):
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema["type"] if isinstance(schema["type"], str) else schema["type"][0]
    return {
        "string": "x" * max(1, schema.get("minLength", 1)),
        "integer": schema.get("minimum", 1),
        "number": schema.get("minimum", 1),
        "boolean": True,
        "array": [],
        "object": {},
    }[kind]


class TestWhoHasWhat(ToolTest):
    allowed = "none"

    def test_an_npc_has_the_everyday_tools_and_those_its_operator_named(self):
        everyday = {
            "say",
            "whisper",
            "emote",
            "noop",
            "recall_memories",
            "add_journal_entry",
            "search_journal",
            "inspect_location",
        }
        ours = set(TOOLS)
        assert {tool.name for tool in offered_to(self.npc)} & ours == everyday
        assert set(load_tools()) & ours == everyday
        self.script.set_option("allowed_tools", "go, create_goal, execute_command")
        more = {tool.name for tool in offered_to(self.npc)} & ours
        assert more - everyday == {"go", "create_goal", "execute_command"}

    def test_nothing_changes_the_world_unless_its_operator_named_it(self):
        gated = {
            name
            for name, tool in TOOLS.items()
            if tool.changes_world or tool.category is ToolCategory.DANGEROUS
        }
        assert gated == set(GATED)
        for name in GATED:
            tool = TOOLS[name]
            sample = {
                key: _fitting(tool.parameters["properties"][key])
                for key in tool.parameters.get("required", ())
            }
            told = self.refusal(name, self.char1, **sample)
            assert told == (f"Bram may not use {name}; its option allowed_tools does not name it.")

    def test_a_mistyped_tool_is_told(self):
        told = self.call_config("allowed_tools", "go, fligh")
        assert told.startswith("allowed_tools: there is no tool 'fligh'; there are say, ")
        assert self.script.option("allowed_tools") == []
        for junk in ("|r", "go;drop", "x" * 90, ", ".join(f"a{n}" for n in range(60))):
            assert "must be up to 50 names" in self.call_config("command_allowlist", junk)
        assert self.script.option("command_allowlist") == []

    def call_config(self, name, value):
        from evennia_assistant.errors import ConfigError

        try:
            self.script.set_option(name, value)
        except ConfigError as err:
            return str(err)
        raise AssertionError("it was taken")
