"""One running copy of the demo game for all end-to-end tests; what one needs alone, it starts."""

from pathlib import Path

import pytest

from evennia_assistant.testing.game import GameProcess

ROOT = Path(__file__).resolve().parents[2]
#: The key of the model provider, in the server's environment and nowhere else.
KEY = "sk-canary-5d2f81c0"


def pytest_collection_modifyitems(items):
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.e2e)
            # One process runs them all, for they share the game.
            item.add_marker(pytest.mark.xdist_group("e2e"))


@pytest.fixture(scope="session")
def game(tmp_path_factory):
    """A started copy of the demo game, on ports of its own; stopped after the last test."""
    game = GameProcess.copy_of(
        ROOT,
        tmp_path_factory.mktemp("game") / "demo",
        environment={"ASSISTANT_API_KEY": KEY},
    )
    try:
        game.prepare()
        game.start()
        yield game
    finally:
        game.stop()


@pytest.fixture
def player(game):
    """Makes telnet players of the running game, with account and character: `player("Anna")`."""
    players = []

    def make(name, password="a fine long password"):
        newcomer = game.player(name)
        players.append(newcomer)
        newcomer.create_account(name, password)
        newcomer.login(name, password)
        return newcomer

    yield make
    for one in players:
        one.close()


@pytest.fixture
def admin(game):
    """The superuser, logged in over telnet."""
    with game.player(game.admin) as admin:
        admin.login(game.admin, game.password)
        yield admin
