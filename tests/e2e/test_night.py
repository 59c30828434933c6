"""A day of talk, a night, a restart, and the next day: a real server, players on telnet lines."""

import json
import re
import time

import pytest

from evennia_assistant.mind.slots import parse_slots
from evennia_assistant.testing import ScriptedModelServer
from evennia_assistant.testing.replies import text, tool_call

#: What the night makes of what Anna says; no line anybody typed has these words.
FACT = "Oswin, a brother of Anna, keeps bees at Farholm."
SECRET_FACT = "Anna hid a silver lute below the chapel stairs."
#: What somebody sees who speaks to a sleeper (`ASSISTANT_ASLEEP_LINES`).
SLEEPS_ON = r"Warden (?:is fast asleep and does not hear|mumbles in|turns over and sleeps on)"


class Dreamer:
    """A model that by night words facts anew, and by day says only what its prompt holds."""

    def __init__(self):
        self.asked = []

    def __call__(self, body):
        messages = body["messages"]
        slots = parse_slots(str(messages[-1]["content"]))
        if any(tool["function"]["name"] == "say" for tool in body.get("tools") or ()):
            return self.by_day(json.dumps(messages, ensure_ascii=False))
        if "entries" in slots:
            return text(json.dumps([self.fact_of(entry) for entry in slots["entries"]]))
        if "events" in slots:
            return text(json.dumps([{"id": e["id"], "score": 7} for e in slots["events"]]))
        return text("[]")

    def fact_of(self, entry):
        fact = None
        if "Oswin" in entry["text"]:
            fact = FACT
        elif "lute" in entry["text"]:
            fact = SECRET_FACT
        return {"entries": [entry["id"]], "fact": fact}

    def by_day(self, prompt):
        self.asked.append(prompt)
        known = [words for words in (FACT, SECRET_FACT) if words in prompt]
        return tool_call("say", text=" ".join(known) or "I would not know.")


@pytest.fixture
def keeper(game):
    """An NPC of its own inn that asks a dreamer and sleeps fast; gives the admin at its side."""
    dreamer = Dreamer()
    with ScriptedModelServer(handler=dreamer) as model, game.player(game.admin) as admin:
        admin.login(game.admin, game.password)
        for line in (
            "dig/teleport Dormitory",
            "aisetup/init warden",
            "aisetup/config warden set llm_provider local",
            f"aisetup/config warden set llm_api_url {model.url}",
            "aisetup/config warden set llm_model scripted",
            "aisetup/config warden set cooldown 0",
            "aisetup/config warden set player_cooldown 0",
            "aisetup/config warden set tick_rate_sleep 1",
        ):
            admin.send(line)
            admin.read()
        admin.dreamer = dreamer
        yield admin


def come(admin, player, name):
    """Brings a player into the dormitory."""
    someone = player(name)
    admin.send(f"tel {name} = Dormitory")
    admin.read()
    someone.send("look")
    someone.expect("Dormitory")
    someone.read()
    return someone


def until(admin, command, wanted, seconds=60):
    """Has the admin ask again until the answer holds what is wanted."""
    deadline = time.monotonic() + seconds
    while True:
        admin.send(command)
        answer = admin.read(quiet=1)
        if re.search(wanted, answer):
            return answer
        assert time.monotonic() < deadline, answer


def test_what_was_told_by_day_is_known_the_next_day_to_those_it_was_told_to(game, keeper, player):
    anna = come(keeper, player, "Anna")
    anna.send("say Warden, my brother Oswin has his hives out in Farholm.")
    anna.expect("Warden says")
    anna.send("whisper Warden = I put a lute of silver under the stairs of the chapel.")
    anna.expect("Warden (says|whispers)")

    keeper.send("aisetup/sleep warden deep")
    keeper.expect("falls asleep, deeply", timeout=10)
    anna.read()
    anna.send("look")
    anna.expect(r"Warden \(asleep\)", timeout=10)
    for _ in range(2):
        anna.send("say Warden, are you awake?")
        anna.read(quiet=1.5)
    assert len(re.findall(SLEEPS_ON, anna.transcript)) == 1
    shown = until(keeper, "aimemory/diff warden", r"Night 1,")
    # A client's lines are as long as its screen is wide.
    shown = " ".join(shown.split())
    assert FACT in shown and "run_sleep_consolidation: done" in shown
    assert SECRET_FACT not in shown, "an admin is told where to look, not what was whispered"

    game.stop()
    game.start()
    keeper.close()
    with game.player(game.admin) as admin:
        admin.login(game.admin, game.password)
        admin.send("aisetup/wake warden")
        admin.expect("Warden is awake", timeout=15)
        before = len(keeper.dreamer.asked)
        admin.send("tel Dormitory")
        admin.read()
        bruno = come(admin, player, "Bruno")
        bruno.send("say Warden, what do you know of Oswin and his bees?")
        bruno.expect(re.escape(FACT), timeout=20)
        bruno.send("say Warden, where is the silver lute that Anna hid?")
        bruno.expect("Warden says", timeout=20)
        bruno.read(quiet=1)
        assert "chapel stairs" not in bruno.transcript
        asked_for_bruno = keeper.dreamer.asked[before:]
        assert len(asked_for_bruno) == 2 and "chapel" not in "".join(asked_for_bruno)
        anna = game.player("Anna")
        anna.login("Anna", "a fine long password")
        admin.send("tel Anna = Dormitory")
        admin.read()
        anna.send("whisper Warden = Where is my silver lute?")
        anna.expect("chapel stairs", timeout=20)
        bruno.read(quiet=1)
        assert "chapel stairs" not in bruno.transcript
        anna.close()
