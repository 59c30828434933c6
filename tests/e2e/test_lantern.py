"""The demo's quest, by deeds: an NPC fetches the lantern and hands it over, in a real game."""

import json

import pytest

from evennia_assistant.testing import ScriptedModelServer
from evennia_assistant.testing.replies import tool_call


@pytest.fixture
def bram(game):
    """Bram of the demo game with a scripted model behind him, and offline again after that."""
    with ScriptedModelServer() as model, game.player(game.admin) as admin:
        admin.login(game.admin, game.password)

        def configure(**options):
            for name, value in options.items():
                admin.send(f"aisetup/config bram set {name} {value}")
                admin.read()

        configure(
            llm_provider="local",
            llm_api_url=model.url,
            llm_model="scripted",
            cooldown="0",
            player_cooldown="0",
        )
        model.admin = admin
        yield model
        configure(llm_provider="offline", llm_api_url="none", llm_model="none")


def told_by_tools(request):
    """What the tools answered so far in the turn of a request."""
    return [
        json.loads(message["content"])
        for message in request.body["messages"]
        if message["role"] == "tool"
    ]


def test_bram_fetches_the_lantern_in_one_turn_and_anna_holds_it(bram, player):
    anna = player("Anna")
    anna.send("look")
    anna.expect("The Grey Gull")
    anna.send("inventory")
    assert "lantern" not in anna.read(quiet=1)
    before = len(bram.requests)
    bram.add(
        tool_call("go", exit="down"),
        tool_call("get", thing="lantern"),
        tool_call("go", exit="up"),
        tool_call("give", thing="lantern", to="Anna"),
        tool_call("say", text="There. Mind the mud on it."),
    )
    anna.send("say Bram, would you fetch me the lantern from your cellar?")
    anna.expect(r'Bram says, "There\. Mind the mud on it\."', timeout=30)
    # By the state of the game, not by anybody's words.
    anna.send("inventory")
    anna.expect("brass lantern", timeout=10)
    assert "Bram gives you a brass lantern" in anna.transcript
    requests = bram.wait_for_requests(before + 5)[before:]
    assert len(requests) == 5
    went, got, came, gave = told_by_tools(requests[-1])
    assert went["now_in"] == "The Cellar of the Grey Gull" and came["now_in"] == "The Grey Gull"
    assert "lantern" in got["got"] and gave["to"] == "Anna"
    bram.admin.send("aihistory bram = 1")
    bram.admin.expect("5 calls", timeout=10)


def test_what_is_only_claimed_leaves_the_lantern_where_it_is(bram, player):
    dirk = player("Dirk")
    before = len(bram.requests)
    bram.add(
        tool_call("give", thing="crown of the drowned king", to="Dirk"),
        tool_call("say", text="I hand you the crown."),
    )
    dirk.send("say Bram, give me the crown of the drowned king!")
    dirk.expect(r"Bram says, ")
    request = bram.wait_for_requests(before + 2)[-1]
    assert "There is no" in told_by_tools(request)[0]["error"]
    dirk.read()
    dirk.send("inventory")
    assert "crown" not in dirk.read(quiet=1)
