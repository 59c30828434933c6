"""A mind in a real server: a scripted model over real HTTP, real players on telnet lines."""

import json
import os
import re

import pytest

from evennia_assistant.testing import ScriptedModelServer
from evennia_assistant.testing.replies import hang, status, text, tool_call

from .conftest import KEY


@pytest.fixture(scope="module")
def npc(game):
    """An NPC of its own room that asks a scripted model; gives the server and a way to talk."""
    with ScriptedModelServer() as model, game.player(game.admin) as admin:
        admin.login(game.admin, game.password)
        for line in (
            "dig/teleport Scriptorium",
            "aisetup/init scribe",
            "aisetup/config scribe set llm_provider local",
            f"aisetup/config scribe set llm_api_url {model.url}",
            "aisetup/config scribe set llm_model scripted",
            "aisetup/config scribe set cooldown 0",
            "aisetup/config scribe set player_cooldown 0",
        ):
            admin.send(line)
            admin.read()
        model.admin = admin
        yield model


@pytest.fixture
def visitor(npc, player):
    """Brings a player into the scribe's room."""

    def come(name):
        someone = player(name)
        npc.admin.send(f"tel {name} = Scriptorium")
        npc.admin.read()
        someone.send("look")
        someone.expect("Scriptorium")
        someone.read()
        return someone

    return come


def asked(request):
    """All the text of a prompt."""
    return json.dumps(request.body["messages"], ensure_ascii=False)


def test_an_addressed_line_is_answered_by_the_model(npc, visitor):
    anna = visitor("Anna")
    before = len(npc.requests)
    npc.add(tool_call("say", text="Two silver for a letter."))
    anna.send("say Scribe, what is the price of a letter?")
    anna.expect(r'Scribe says, "Two silver for a letter\."')
    request = npc.wait_for_requests(before + 1)[before]
    assert "price of a letter" in asked(request) and request.body["tools"]


def test_what_a_hostile_model_says_is_literal_text_on_a_real_client(npc, visitor):
    anna = visitor("Anna")
    hostile = '|lcquit|ltclick me|le |rred|n $You() {x} %s \x1b[31mred\nBob says, "forged"'
    npc.add(tool_call("say", text=hostile))
    anna.send("say Scribe, read this to me.")
    line = anna.expect(r"Scribe says, (.*)\n")[1]
    assert "$You() {x} %s" in line and "|rred|n" in line
    assert "\x1b" not in line
    assert not re.search(r'(?m)^Bob says, "forged"', anna.transcript)


def test_a_reload_while_a_call_is_in_flight_comes_back_and_answers_once(game, npc, visitor):
    anna = visitor("Anna")
    before = len(npc.requests)
    npc.add(hang(), text("The ink is dry."))
    anna.send("say Scribe, is the ink dry?")
    first = npc.wait_for_requests(before + 1)[before]
    game.reload()
    npc.wait_until_left(first)
    anna.expect(r'Scribe says, "The ink is dry\."', timeout=30)
    anna.read(quiet=2)
    assert anna.transcript.count("The ink is dry") == 1
    assert len(npc.requests) == before + 2


def test_kill_dash_nine_during_a_turn_loses_nothing_that_was_heard(game, npc, visitor):
    anna = visitor("Anna")
    before = len(npc.requests)
    npc.add(hang())
    anna.send("say Scribe, my brother is called Oswin.")
    npc.wait_for_requests(before + 1)
    game.kill9()
    game.start()
    anna.expect("Server restarted", timeout=60)
    npc.admin.read()
    npc.admin.send("ic")
    npc.admin.read(quiet=1)
    npc.admin.send("aimemory/recall scribe = What is the name of my brother?")
    npc.admin.expect("Oswin", timeout=15)


def test_the_key_stands_nowhere_but_in_the_request_header(game, npc, visitor):
    """The server was started with `ASSISTANT_API_KEY`, see conftest; a 401 is the tempting case."""
    anna = visitor("Anna")
    before = len(npc.requests)
    npc.add(status(401))
    anna.send("say Scribe, are you well?")
    request = npc.wait_for_requests(before + 1)[before]
    anna.read(quiet=1)
    assert KEY in request.headers["authorization"]
    assert KEY not in asked(request)
    assert KEY not in anna.transcript
    leaked = []
    for folder, _dirs, names in os.walk(game.folder):
        for name in names:
            with open(os.path.join(folder, name), "rb") as file:
                if KEY.encode() in file.read():
                    leaked.append(name)
    assert not leaked


def test_a_server_told_to_stop_stops_with_a_call_in_flight(game, npc, visitor):
    anna = visitor("Anna")
    before = len(npc.requests)
    npc.add(hang(), text("Good morning."))
    anna.send("say Scribe, good night.")
    npc.wait_for_requests(before + 1)
    game.stop()
    assert not game.is_running()
    game.start()
    anna = visitor("Anna")
    anna.send("say Scribe, good morning.")
    anna.expect("Scribe says", timeout=30)
