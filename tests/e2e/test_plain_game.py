"""The demo game is a game: people meet in it, its pages answer, and it survives a restart."""

from urllib.request import urlopen

import pytest


def test_players_hear_each_other(player):
    clara, dirk = player("Clara"), player("Dirk")
    clara.send("say Good évening, Dirk.")
    dirk.expect(r'Clara says, "Good évening, Dirk\."')
    dirk.send("whisper Clara = Not so loud.")
    clara.expect(r'Dirk whispers: "Not so loud\."')


@pytest.mark.parametrize("path", ["/", "/webclient/", "/admin/login/"])
def test_pages_answer(game, path):
    with urlopen(game.url(path), timeout=10) as answer:
        assert answer.status == 200


def test_reload_keeps_players_connected(game, player):
    clara, dirk = player("Clara"), player("Dirk")
    game.reload()
    clara.expect("Server restarted")
    clara.send("say Still here.")
    dirk.expect(r'Clara says, "Still here\."')


def test_killed_server_comes_back(game, player):
    clara = player("Clara")
    game.kill9()
    game.start()
    clara.expect("Server restarted")
    clara.send("ic")
    clara.expect("You become Clara")
    clara.send("say Back again.")
    clara.expect(r'You say, "Back again\."')
