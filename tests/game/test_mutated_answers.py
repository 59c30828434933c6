"""
Half-broken answers of a model: what is good in them is done, what is not is named, the turn ends.

Each case takes a valid reply, breaks it in one way, puts it before a real turn, and looks at what
the players saw, at the trace and at the number of calls made. The suite counts what it tried and
fails as hollow when that was less than planned.

"""

import itertools
import json
from dataclasses import replace

from evennia_assistant.awake.react import MOST_ERRORS, MOST_REPEATS
from evennia_assistant.llm.response import LLMResponse, ToolCall
from evennia_assistant.testing.replies import text

from tests.game.npc import NpcTest

PLANNED = 520

#: Valid calls, and what the players see when they run.
GOOD = (
    ("say", {"text": "Two silver a night."}),
    ("whisper", {"to": "Char", "text": "Two silver, for you."}),
    ("emote", {"text": "nods slowly."}),
    ("recall_memories", {"query": "bed", "limit": 3}),
    ("search_journal", {"query": "bed", "tags": ["price"], "days_back": 3}),
    ("add_journal_entry", {"content": "Char asked for a bed.", "importance": 4}),
    ("inspect_location", {}),
    ("noop", {"reason": "nothing to say"}),
)

#: Values of the wrong kind for any argument.
JUNK = (
    None,
    True,
    -1,
    10**30,
    1.5,
    [],
    ["a"],
    {},
    {"text": "x"},
    "x" * 30_000,
    "\x00\u202e",
    float("nan"),
    float("inf"),
)


def json_of(value):
    return json.dumps(value, ensure_ascii=False)


def argument_texts(name, arguments):
    """The arguments of a call broken in every way, with a word for each."""
    good = json_of(arguments)
    for cut in sorted({1, 2, len(good) // 3, len(good) // 2, len(good) - 1}):
        yield f"truncated at {cut}", good[:cut]
    yield "fenced", f"```json\n{good}\n```"
    yield "prose before", f"Here you are: {good}"
    yield "prose after", f"{good} I hope that helps."
    yield "in a list", f"[{good}]"
    yield "in a string", json_of(good)
    yield "twice", good + good
    yield "two of them", f'{good} {{"other": 1}}'
    yield "single quotes", good.replace('"', "'")
    yield "trailing comma", good[:-1] + ",}"
    yield "nested deep", '{"text": ' + "[" * 3000
    yield "a list", "[1, 2, 3]"
    yield "a number", "7"
    yield "null", "null"
    yield "no JSON", "as you wish"
    yield "huge", json_of({**arguments, "text": "y" * 60_000})
    yield "surrogate", '{"text": "\\ud800"}'
    yield "invented argument", json_of({**arguments, "invented": 1})
    yield "reasoning among them", json_of({**arguments, "reasoning": "because"})
    for key in arguments:
        yield f"without {key}", json_of({k: v for k, v in arguments.items() if k != key})
        for number, junk in enumerate(JUNK):
            yield f"{key} is junk {number}", json_of({**arguments, key: junk})


def names(name):
    """Names no tool has, or that mean one all the same."""
    yield from (name.upper(), f" {name} ", f"functions.{name}", f"{name}()", "", "n" * 5000)
    yield from ("__class__", "execute_command", "set_attribute", f"{name}\n{name}", "\u202e")


class TestMutatedAnswers(NpcTest):
    def setUp(self):
        super().setUp()
        self.tried = 0
        self.script.set_option("max_consecutive_errors", "100000")
        self.char2.location = self.room2

    def play(self, label, *replies):
        """Put replies before a turn, with enough behind them for it to end; check that it did."""
        self.tried += 1
        self.model._script.clear()
        self.model.requests.clear()
        self.model.add(*replies)
        self.model._handler = lambda _asked: text("The end.")
        seen = len(self.heard_by(self.char1))
        self.say(f"Bram, {self.tried}?")
        self.pump(1)
        assert self.agent.runner.turn is None, label
        limit = 5 + MOST_ERRORS + MOST_REPEATS + 1
        assert 1 <= len(self.model.requests) <= limit, label
        turn = self.agent.turns.last(1)[0]
        assert turn["ended"] or turn["failure"], label
        assert str(self.tried) in turn["heard"][0]["text"], label
        lines = self.heard_by(self.char1)[seen:]
        for line in lines:
            assert '"parameters"' not in line and '"tool"' not in line, (label, line[:200])
            assert len(line) < 700, label
        return turn, [line for line in lines if line.startswith("Bram")]

    def named(self, turn):
        """Whether something of a turn is named as wrong."""
        return bool(turn["failure"]) or any(tool.get("error") for tool in turn["tools"])

    def good_and_bad(self, label, bad_calls):
        """A reply of a good gesture, broken calls, and good words; nothing good may be lost."""
        gesture = ToolCall("good", "emote", json_of({"text": f"waves {self.tried} times."}))
        turn, lines = self.play(label, LLMResponse(tool_calls=(gesture, *bad_calls)), "Here I am.")
        assert any("waves" in line for line in lines), (label, "the good call was lost")
        spoke = turn["said"] and turn["said"][-1]["manner"] != "emote"
        silent = any(t["tool"] == "noop" and t.get("ok") for t in turn["tools"])
        assert spoke or silent, (label, "it never came to an answer")
        return turn

    def test_native_calls(self):
        for name, arguments in GOOD:
            for what, broken in argument_texts(name, arguments):
                turn = self.good_and_bad(f"{name}: {what}", [ToolCall("bad", name, broken)])
                own = next(t for t in turn["tools"][1:] if t["tool"] == name)
                assert own.get("ok") or own.get("error"), (name, what)
            for called in names(name):
                turn = self.good_and_bad(
                    f"named {called[:40]!r}", [ToolCall("bad", called, json_of(arguments))]
                )
                assert turn["tools"][1].get("ok") or turn["tools"][1]["error"]
        assert self.tried >= 330, f"hollow: only {self.tried} native cases"

    def test_native_replies_broken_as_a_whole(self):
        good = [ToolCall(f"c{n}", name, json_of(args)) for n, (name, args) in enumerate(GOOD)]
        for first, second in itertools.permutations(good[2:7], 2):
            for many in (2, 3, 40):
                turn, _lines = self.play(
                    "duplicated", LLMResponse(tool_calls=(first,) * many + (second,))
                )
                assert self.named(turn) and turn["tools"][0].get("ok"), (first, many)
        for odd_id in ("", "c0", "x" * 3000, "a b\n", "\u202e"):
            calls = tuple(replace(call, id=odd_id) for call in good[2:6])
            turn, lines = self.play("ids", LLMResponse(tool_calls=calls))
            assert any("nods" in line for line in lines)
            sent = next(m for m in self.model.requests[1].messages if m.get("tool_calls"))
            ids = [call["id"] for call in sent["tool_calls"]]
            assert len(set(ids)) == len(ids) == 4 and all(ids)
        for empty in ("", "   ", "\n\t", "\x00", "\u200b"):
            turn, _lines = self.play("empty", LLMResponse(content=empty))
            assert self.named(turn)
        assert self.tried >= 70, f"hollow: only {self.tried}"

    def test_json_answers(self):
        self.script.set_option("native_tools", "false")
        for name, arguments in GOOD:
            whole = json_of({"tool": name, "parameters": arguments, "reasoning": "asked"})
            waving = json_of({"tool": "emote", "parameters": {"text": "waves."}})
            cuts = range(3, len(whole) - 1, max(1, len(whole) // 8))
            broken = [(f"truncated at {cut}", whole[:cut]) for cut in cuts]
            broken += [
                ("NaN", whole.replace('"asked"', "NaN")),
                ("infinite", whole.replace('"asked"', "1e999")),
                ("single quotes", whole.replace('"', "'")),
                ("no name", json_of({"parameters": arguments})),
                ("name is a number", json_of({"tool": 7, "parameters": arguments})),
                ("parameters are text", json_of({"tool": name, "parameters": "now"})),
                ("parameters are a list", json_of({"tool": name, "parameters": [1]})),
                ("invented tool", json_of({"tool": "fly", "parameters": arguments})),
                ("huge", json_of({"tool": name, "parameters": {"text": "z" * 50_000}})),
                ("nested deep", '{"tool": ' + "[" * 3000),
            ]
            for what, bad in broken:
                label = f"{name}: {what}"
                turn, lines = self.play(label, f"{waving}\n{bad}", "Here I am.")
                assert any("waves" in line for line in lines), (label, "the good call was lost")
                ran_too = sum(bool(tool.get("ok")) for tool in turn["tools"]) > 1
                assert self.named(turn) or ran_too, label
            sound = [
                ("fenced", f"```json\n{whole}\n```"),
                ("talk around", f"I will do this.\n{whole}\nThere."),
                ("in a list", f"[{whole}]"),
                ("as tool_calls", f'{{"tool_calls": [{whole}]}}'),
                ("other names", json_of({"name": name, "arguments": arguments})),
                ("as text", json_of({"tool": name, "parameters": json_of(arguments)})),
                ("flat", json_of({"tool": name, **arguments})),
            ]
            for what, good in sound:
                label = f"{name}: {what}"
                turn, _lines = self.play(label, good, "Here I am.")
                assert turn["tools"][0]["tool"] == name and turn["tools"][0].get("ok"), label
        assert self.tried >= 120, f"hollow: only {self.tried} JSON cases"


def test_as_many_were_planned_as_the_suite_promises():
    native = sum(len(list(argument_texts(*pair))) + len(list(names(pair[0]))) for pair in GOOD)
    assert native + 70 + 120 >= PLANNED
