"""The demo game is a game: people meet in it, its pages answer, and it survives a restart."""

from urllib.request import urlopen

import pytest


def test_players_hear_each_other(player):
    anna, bruno = player("Anna"), player("Bruno")
    anna.send("say Good évening, Bruno.")
    bruno.expect(r'Anna says, "Good évening, Bruno\."')
    bruno.send("whisper Anna = Not so loud.")
    anna.expect(r'Bruno whispers: "Not so loud\."')


@pytest.mark.parametrize("path", ["/", "/webclient/", "/admin/login/"])
def test_pages_answer(game, path):
    with urlopen(game.url(path), timeout=10) as answer:
        assert answer.status == 200


def test_reload_keeps_players_connected(game, player):
    anna, bruno = player("Anna"), player("Bruno")
    game.reload()
    anna.expect("Server restarted")
    anna.send("say Still here.")
    bruno.expect(r'Anna says, "Still here\."')


def test_killed_server_comes_back(game, player):
    anna = player("Anna")
    game.kill9()
    game.start()
    anna.expect("Server restarted")
    anna.send("ic")
    anna.expect("You become Anna")
    anna.send("say Back again.")
    anna.expect(r'You say, "Back again\."')
