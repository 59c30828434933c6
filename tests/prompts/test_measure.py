"""A prompt measured, and what is found wrong with it."""

import pytest

from evennia_assistant.llm.tokens import count_message_tokens
from evennia_assistant.mind.contexts import get_context
from evennia_assistant.mind.narrowing import narrowed
from evennia_assistant.prompts.assembly import assemble
from evennia_assistant.prompts.layout import Layout, layout_for
from evennia_assistant.prompts.measure import health, measured, stable_share

from tests.prompts.turns import TOOLS, a_turn


def with_texts(**changes):
    usual = layout_for("tick_event")
    texts = {**usual.texts, **{int(key[1:]): words for key, words in changes.items()}}
    return Layout(usual.context, dict(sorted(texts.items())))


def test_the_parts_add_up_to_the_whole():
    turn = a_turn()
    prompt = assemble(turn, TOOLS)
    window = measured(prompt, TOOLS, turn.layout.budget, "gpt-4")
    assert window.tokens == count_message_tokens(prompt.messages, TOOLS)
    assert sum(part.tokens for part in window.usage) == window.tokens
    assert sum(part.share for part in window.usage) == pytest.approx(1.0)
    assert [part.start for part in window.usage] == [
        sum(before.tokens for before in window.usage[:number])
        for number in range(len(window.usage))
    ]
    assert window.percent == pytest.approx(100 * window.tokens / 128_000)
    assert [part.label for part in window.usage][:4] == [
        "tools",
        "system_prompt",
        "character_context",
        "entity_context",
    ]


def test_an_operators_window_goes_before_the_models():
    turn = a_turn()
    window = measured(assemble(turn, TOOLS), TOOLS, turn.layout.budget, "gpt-4", 1200)
    assert window.model_max == 1200 and window.percent > 70
    assert window.status["level"] in ("warning", "danger", "critical")


def test_prompts_as_they_come_are_in_order():
    assert health(a_turn(), TOOLS) == []
    assert stable_share(a_turn(), TOOLS) == 1.0


def test_a_model_without_tools_that_is_not_told_of_them_is_a_problem():
    assert health(a_turn(), TOOLS, native=False) == [
        "The model has no tool interface, and its system prompt does not say how to use a tool: "
        'put {tool_schemas} and the form {"tool": ..., "parameters": ...} into it.'
    ]
    told = with_texts(c0='Answer {"tool": "say"} or {"tool": "noop"}.')
    assert health(a_turn(told), TOOLS, native=False) == []


def test_a_persona_that_is_cut_off_is_a_problem():
    persona = {"name": "Bram", "description": "gruff " * 700}
    assert health(a_turn(persona=persona), TOOLS)[0] == (
        "The persona's description takes 700 tokens; what is beyond 500 is cut off."
    )


def test_no_room_for_the_conversation_is_an_unstable_prefix():
    found = health(a_turn(with_texts(c500="rule " * 1450)), TOOLS)
    assert len(found) == 1
    assert found[0].startswith("What is in every prompt takes 2")
    assert found[0].endswith("at every turn, so the prompt has no stable prefix.")


def test_a_prompt_over_its_budget_is_a_problem():
    found = health(a_turn(with_texts(c500="rule " * 3000)), TOOLS)
    assert "with nothing left to leave out, more than its budget of 2500." in found[0]


def test_an_npc_without_a_persona_is_a_problem():
    parts = [part for part in get_context("tick_event").enabled_components if part != 1000]
    config = narrowed(get_context("tick_event"), enabled_components=parts)
    layout = Layout(config, layout_for("tick_event").texts)
    assert health(a_turn(layout), TOOLS) == [
        "Component 1000 is off: the model is not told who the NPC is."
    ]
