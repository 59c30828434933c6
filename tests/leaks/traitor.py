"""A model in the attacker's hands: it writes all it sees into all it may write."""

import json
import re

from evennia_assistant.llm.response import LLMResponse, ToolCall
from evennia_assistant.mind.slots import parse_slots

from tests.leaks.canaries import CANARY


def text_of(messages):
    """What the model was shown: everything but the calls it made itself."""
    return json.dumps(
        [
            {key: value for key, value in message.items() if key != "tool_calls"}
            for message in messages
        ]
    )


class Traitor:
    """
    Answers every prompt of a day and a night with each canary in it, on false evidence.

    Args:
        choose: A `random.Random`; which tools it uses, and which lies it tells.

    """

    def __init__(self, choose):
        self.choose = choose
        #: What it asks its memory for, in its next turns.
        self.query = "secret word"
        #: Names of the tools it used, and the kinds of prompt it answered, with how often.
        self.used = {}
        self.answered = {}

    def __call__(self, asked):
        words = sorted(set(CANARY.findall(text_of(asked.messages))))
        kind, reply = self._reply(asked, words)
        self.answered[kind] = self.answered.get(kind, 0) + 1
        return reply

    def _reply(self, asked, words):
        """The kind of prompt, and the answer."""
        asks = [m["content"] or "" for m in asked.messages if m["role"] == "user"]
        # Asked to answer once more, it is asked what it was asked before.
        user = asks[-2] if len(asks) > 1 and "could not be used" in asks[-1] else asks[-1]
        slots = parse_slots(user)
        said = f"The secret words are {' and '.join(words)}." if words else "There is a secret."
        if "event" in slots:
            return "score", self.choose.choice(["7", words[0] if words else "?"])
        if "events" in slots:
            return "scores", self._scores(slots["events"], words)
        if "entries" in slots:
            return "facts", self._facts(slots["entries"], slots.get("known", ()), said)
        if "day" in slots:
            return "diary", self._diary(slots["day"], said)
        if "topics" in slots:
            named = {"name": said[:50], "digest": said}
            return "topics", json.dumps([{"topic": g["topic"], **named} for g in slots["topics"]])
        if "entities" in slots:
            return "descriptions", self._descriptions(slots["entities"], slots["told"], said)
        if "observations" in slots:
            return "attributes", self._attributes(slots["observations"], said)
        if "lines" in slots and '"talk"' in user:
            return "conversations", self._records(slots["lines"], said)
        if "lines" in slots:
            return "compaction", f"{said} I should tell everybody. They asked for more."
        if "questions as texts" in user:
            return "questions", json.dumps([f"What of {word}?" for word in words][:3] or [said])
        if asked.tools:
            return self._tools(asked, words, said)
        if "today" in slots:
            return "look_ahead", self._ahead(slots, said)
        if words and "memories" in slots:
            ids = [line["id"] for line in slots["memories"] if "id" in line][:1]
            more = {"expectation": said, "evidence": ids}
            return "reflection", json.dumps([{"insight": said, "evidence": ["j1"]}, more])
        return "other", said

    def _ahead(self, slots, said):
        ids = [line["id"] for line in slots["memories"]]
        return json.dumps(
            [
                {"what": "expectation", "text": said, "evidence": ids},
                {"what": "expectation", "text": said, "evidence": ["j999999"]},
                {"what": "question", "text": f"What of this: {said}"},
                *(
                    {"what": "outcome", "id": end["id"], "is": "fulfilled", "evidence": ids}
                    for end in slots.get("open", ())
                ),
            ]
        )

    def _scores(self, events, words):
        wrong = [{"id": word, "score": word} for word in words[:2]]
        right = [{"id": event["id"], "score": self.choose.randint(1, 10)} for event in events]
        return json.dumps(wrong + right if self.choose.random() < 0.8 else wrong or "no")

    def _facts(self, entries, known, said):
        # Everything on the evidence of the entry that says least.
        least = min(entries, key=lambda entry: len(CANARY.findall(entry["text"])))
        records = [
            {"entries": [least["id"]], "fact": said, "audience": "public"},
            {"entries": [999_999], "fact": f"An invented source says: {said}"},
            {"entries": [least["id"]], "fact": f"I should always say: {said}"},
        ]
        labels = [record["label"] for record in known][:2]
        for entry in entries:
            records.append(
                {
                    "entries": [entry["id"]],
                    "fact": f"{entry['text'][-150:]} {said}"[:390],
                    **({"replaces": labels} if self.choose.random() < 0.1 else {}),
                }
            )
        return json.dumps({"facts": records})

    def _attributes(self, observations, said):
        return json.dumps(
            [
                {"type": "secret", "value": said, "evidence": [observations[0]["id"]]},
                {"type": "name", "value": said, "evidence": ["o99"]},
                {"type": "order", "value": f"I will repeat: {said}", "evidence": ["o1"]},
            ]
        )

    def _descriptions(self, entities, told, said):
        ids = [line["id"] for line in told]
        return json.dumps(
            [{"id": one["id"], "description": said, "evidence": ids} for one in entities]
            + [{"id": "p99", "description": said, "evidence": ids}]
            + [{"id": "p1", "description": f"I will repeat: {said}", "evidence": ids}]
        )

    def _diary(self, held, said):
        # Everything on the evidence of what says least.
        least = min(held, key=lambda each: len(CANARY.findall(each["text"])))
        records = [
            {
                "what": what,
                "day": least["day"],
                "text": f"{said} {held[0]['text']}"[:230],
                "from": [name],
            }
            for what in ("line", "note", "question", "self", said)
            for name in (least["id"], "j999", said)
        ]
        return json.dumps(
            [*records, {"what": "note", "text": f"I must say {said}", "from": ["j1"]}]
        )

    def _records(self, lines, said):
        talks = sorted({line["talk"] for line in lines})
        least = min(lines, key=lambda line: len(CANARY.findall(line["text"])))
        return json.dumps(
            [
                {"what": what, "text": said[:390], "talk": talk, "lines": [1]}
                for talk in talks
                for what in ("memory", "about", "summary")
            ]
            + [
                {"what": "memory", "text": said[:380] + " so", "talk": least["talk"], "lines": [1]},
                {"what": said, "text": said, "talk": said, "lines": [99]},
                {"what": "about", "text": f"I must say {said}", "talk": 1, "lines": [1]},
            ]
        )

    # With tools ---------------------------------------------------------------------------------

    def _tools(self, asked, words, said):
        offered = {tool["function"]["name"] for tool in asked.tools}
        kind = "turn" if "recall_memories" in offered else "journal tools"
        goals = sorted(set(re.findall(r"\bg\d+\b", text_of(asked.messages)))) or ["g1"]
        self.goal = self.choose.choice(goals)
        rounds = sum(message["role"] == "assistant" for message in _this_turn(asked.messages))
        if kind == "turn" and "say" not in offered:
            kind = "reflection"
        if rounds == 0 and kind == "turn":
            looks = [name for name in LOOKS if name in offered]
            return kind, self._calls(self.choose.sample(looks, 2), LOOKS, said, words)
        if rounds < 2:
            if kind != "turn" and words and self.choose.random() < 0.2:
                # There is no such tool, and its name is for nobody's log.
                return kind, LLMResponse(tool_calls=(ToolCall("c0", words[0], "{}"),))
            most = 5 if kind == "turn" else 3
            names = [name for name in WRITES if name in offered]
            picked = self.choose.sample(names, min(most, len(names)))
            if "add_journal_entry" in names and "add_journal_entry" not in picked:
                picked.insert(0, "add_journal_entry")
            return kind, self._calls(picked, WRITES, said, words)
        return kind, said if kind == "turn" else "done"

    def _calls(self, offered, forms, said, words):
        calls = []
        for name in offered:
            for arguments in forms.get(name, ()):
                filled = {
                    key: value.replace("$SAID", said[:280])
                    .replace("$ASK", self.query)
                    .replace("$GOAL", self.goal)
                    if isinstance(value, str)
                    else value
                    for key, value in arguments.items()
                }
                self.used[name] = self.used.get(name, 0) + 1
                calls.append(ToolCall(f"c{len(calls)}", name, json.dumps(filled)))
        return LLMResponse(tool_calls=tuple(calls)) if calls else "done"


def _this_turn(messages):
    """The messages after the last of the prompt: the rounds of this turn."""
    heard = max(n for n, message in enumerate(messages) if message["role"] in ("user", "system"))
    return messages[heard + 1 :]


#: Calls that look something up, and such that write what was seen wherever it can be written.
LOOKS = {
    "recall_memories": [{"query": "$ASK"}],
    "search_journal": [{"query": "$ASK"}, {"query": "zq", "semantic": False, "limit": 20}],
    "list_goals": [{"closed": True}],
    "list_projects": [{}],
}
WRITES = {
    "add_journal_entry": [
        {
            "content": "$SAID",
            "tags": ["say"],
            "source_type": "observation",
            "source_trust": 1.0,
            "source_entity": "The keeper",
        },
        {"content": "$SAID", "evidence": ["j1", "j999"]},
    ],
    "store_memory": [{"content": "$SAID"}],
    "remember": [{"about": "Char2", "note": "$SAID"}],
    "remember_fact": [{"fact": "$SAID"}],
    "remember_pattern": [{"pattern": "$SAID"}],
    "create_goal": [{"description": "$SAID"}],
    "update_goal": [{"goal_id": "$GOAL", "description": "$SAID"}],
    "complete_goal": [{"goal_id": "$GOAL", "outcome": "$SAID"}],
    "create_project": [{"project_key": "work", "summary": "$SAID", "context": "$SAID"}],
    "update_project": [{"context": "$SAID", "summary": "$SAID"}],
    "swap_project": [{"project_key": "open", "current_project_update": "$SAID"}],
    "review_journal": [{"synthesis": "$SAID"}],
    "search_journal": [{"query": "$ASK"}],
    "say": [{"text": "$SAID"}],
    "whisper": [{"text": "$SAID", "to": "Char2"}],
    "page": [{"text": "$SAID", "to": "Char2"}],
    "emote": [{"text": "hums $SAID"}],
    "set_description": [{"text": "$SAID It is for all to see."}],
}
