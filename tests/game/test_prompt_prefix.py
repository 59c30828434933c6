"""The prompt of a turn begins as the one before it did, and never outgrows its budget."""

from dataclasses import replace
from itertools import pairwise

import pytest

from evennia_assistant.llm.tokens import count_message_tokens, count_tokens
from evennia_assistant.mind.slots import parse_slots
from evennia_assistant.prompts.assembly import (
    PROMPT_BUDGET,
    SECTION_BUDGETS,
    TurnContext,
    build_messages,
    fitting,
    fitting_digest,
    fitting_history,
    opening,
)
from evennia_assistant.prompts.registry import registry_of
from evennia_assistant.tools import ToolCategory, load_tools

from benchmarks import _talk
from benchmarks._game import innkeeper_attributes
from benchmarks._prompts import as_bytes, share_of, shared_prefix
from tests.game.npc import NpcTest


def schemas():
    """The tools every NPC is offered."""
    open_to_all = (ToolCategory.SAFE_CHAIN, ToolCategory.TERMINAL)
    return [tool.schema() for tool in load_tools().values() if tool.category in open_to_all]


def full(speakers=8, words="word " * 2_000):
    """A context in which every part is as long as it gets."""
    names = [f"Speaker{number}" for number in range(speakers)]
    return TurnContext(
        persona={
            "name": "Bram",
            "description": "You keep an inn. " * 300,
            "voice": ["Well, now.", "So the wind blows."],
            "greeting": "Come in, {name}.",
            "unknown": ["I could not say.", "Ask somebody else."],
        },
        digest=[
            {"text": f"Fact {number} about the harbour and its ships."} for number in range(80)
        ],
        history=[
            {
                "role": ("user", "assistant")[number % 2],
                "name": names[0],
                "manner": "say",
                "content": f"Earlier line {number} about one thing and another.",
            }
            for number in range(60)
        ],
        scene={
            "place": "The Grey Gull",
            "time": "noon",
            "present": [f"Somebody{number}" for number in range(12)],
            "things": [f"a thing {number}" for number in range(8)],
            "manner": "say",
        },
        relationships=[
            {
                "name": name,
                "state": "friend",
                "meetings": 12,
                "last_seen": "yesterday",
                "observations": ["I am a baker and I rise before the sun does."] * 3,
            }
            for name in names
        ],
        memories=[
            {"text": f"Memory {number} of what was said.", "who": "Anna", "when": "yesterday"}
            for number in range(20)
        ],
        recent=[{"text": f"Somebody{number} does something."} for number in range(20)],
        heard=[{"from": name, "how": "say", "text": words} for name in names],
    )


def tokens(messages, tools):
    """Tokens of a prompt, tools included."""
    return count_message_tokens(messages, tools)


class TestPrefix(NpcTest):
    def setUp(self):
        super().setUp()
        for key, value in innkeeper_attributes():
            self.npc.attributes.add(key, value)
        # Made in the background otherwise, by a reactor that does not run here.
        assert len(self.npc.memory.index)

    def converse(self, turns, talk=None):
        """The prompts of a talk of one player with the NPC."""
        talk = talk or _talk.lines(1)
        for number in range(turns):
            self.model.add(f"So it goes, for the {number}th time, and the fire is free.")
            self.say(f"Bram, {next(talk)}")
            self.pump(20)
        assert len(self.model.requests) == turns
        return self.model.requests

    def test_a_turn_begins_with_the_very_bytes_of_the_turn_before(self):
        before, after = self.converse(2)
        assert as_bytes(after.messages).startswith(as_bytes(before.messages[:1]))
        # And with the line that was new then, as it stands in the conversation now.
        heard = before.messages[-1]["content"].split("</heard>")[0]
        assert after.messages[-3]["content"].startswith(heard)
        assert after.messages[-2]["role"] == "assistant"

    def test_four_fifths_of_a_prompt_stay_as_they_were(self):
        asked = [request.messages for request in self.converse(40)]
        assert share_of(asked[12:]) >= 0.8

    def test_the_conversation_is_cut_seldom_and_far(self):
        asked = [request.messages for request in self.converse(40)]
        starts = [messages[2]["content"] for messages in asked[12:]]
        moved = sum(old != new for old, new in pairwise(starts))
        assert moved <= len(starts) / 2
        assert all(messages[2]["role"] == "user" for messages in asked)

    def test_a_long_talk_with_long_lines_stays_within_the_budget(self):
        long = (f"{line} " * 200 for line in _talk.lines(2))
        for request in self.converse(12, long):
            assert tokens(request.messages, request.tools) <= PROMPT_BUDGET

    def test_nothing_is_both_in_the_conversation_and_among_the_memories(self):
        last = self.converse(6)[-1]
        said = {
            record["text"]
            for message in last.messages[1:-1]
            for record in parse_slots(message["content"]).get("heard", [])
        }
        memories = parse_slots(last.messages[-1]["content"]).get("memories", [])
        assert said and not [m for m in memories if f"Bram, {m['text']}" in said]

    def test_who_the_npc_talks_with_is_described_as_when_the_talk_began(self):
        asked = self.converse(
            8, iter(f"I am a baker of kind {n} and proud of it." for n in range(8))
        )
        assert len({request.messages[1]["content"] for request in asked[1:]}) == 1


class TestKeepersTexts(NpcTest):
    def test_texts_of_the_keepers_own_leave_the_prefix_as_stable(self):
        registry = registry_of(self.script)
        registry.create_template("pirate", "You are {name}. {tick_rate} {tool_schemas}")
        registry.apply_template("pirate")
        for number in (500, 1200, 1700, 2500, 5500, 7500):
            registry.add_component(number, f"The text of {number}, {{name}}.")
        for number in range(6):
            self.model.add(f"Answer number {number}.")
            self.say(f"Bram, here is line number {number}.")
            self.pump(7)
        prompts = [request.messages for request in self.model.requests]
        assert len(prompts) == 6
        assert all("The text of 1200, Bram." in prompt[0]["content"] for prompt in prompts)
        # The first turn is with a stranger.
        for before, after in pairwise(prompts[1:]):
            assert before[:-1] == after[: len(before) - 1]


@pytest.mark.parametrize("words", ["", "word " * 2_000, "ü漢字🙂" * 2_000, "<" * 10_000])
@pytest.mark.parametrize("speakers", [1, 8])
def test_the_budget_holds_when_every_part_is_full(speakers, words):
    tools = schemas()
    messages = build_messages(full(speakers, words), tools)
    assert tokens(messages, tools) <= PROMPT_BUDGET
    heard = parse_slots(messages[-1]["content"])["heard"]
    assert [line["from"] for line in heard] == [f"Speaker{n}" for n in range(speakers)]


def test_parts_give_way_in_the_documented_order():
    context = full(1, "A short line.")
    kept = []
    for spent in range(0, 2_200, 50):
        filler = [{"type": "function", "function": {"name": "f", "description": "word " * spent}}]
        messages = build_messages(context, filler)
        slots = parse_slots(messages[-1]["content"])
        parts = (slots.get(name, ()) for name in ("recent", "memories"))
        kept.append((len(messages) - 3, *map(len, parts)))
        assert "heard" in slots
    (_earlier, most_recent, most_memories), *_rest = kept
    assert kept[0][0] and kept[-1] == (0, 0, 0)
    for earlier, recent, memories in kept:
        assert recent == most_recent or earlier == 0
        assert memories == most_memories or recent == 0


def test_what_a_keeper_wrote_is_cut_only_at_its_own_budget():
    system = build_messages(full(), schemas())[0]["content"]
    slots = parse_slots(system)
    assert count_tokens(slots["persona"][0]["description"]) <= SECTION_BUDGETS["persona"] + 2
    assert 5 <= len(slots["digest"]) < 80
    alone = build_messages(replace(full(), persona={"name": "Bram"}))[0]["content"]
    held = parse_slots(alone)["digest"]
    assert held == list(fitting(full().digest, SECTION_BUDGETS["digest"]))


def test_a_conversation_has_the_same_room_however_long_the_new_line_is():
    for words in ("short", "word " * 60):
        context = replace(full(1, words), recent=(), memories=())
        messages = build_messages(context)
        digest = fitting_digest(context.persona, context.digest)
        first = opening(context.persona, digest, context.relationships)
        assert len(messages) - 3 == len(fitting_history(context.history, first)) > 4


def test_the_shared_prefix_is_counted_in_bytes():
    one, two = [{"content": "ab"}], [{"content": "ac"}]
    assert shared_prefix(one, one) == 1.0
    assert shared_prefix(one, two) == len(b'{"content": "a') / len(b'{"content": "ac"}')
