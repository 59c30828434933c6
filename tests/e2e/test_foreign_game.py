"""Somebody else's game: made by `evennia --init`, given the three documented lines, and talking."""

import subprocess
import sys
from pathlib import Path

import pytest

import evennia_assistant
from evennia_assistant.testing.game import GameProcess

SETTINGS_LINE = 'INSTALLED_APPS += ["evennia_assistant"]\n'
IMPORT_LINE = "from evennia_assistant.commands import AssistantCmdSet\n"
CMDSET_LINE = "        self.add(AssistantCmdSet)\n"


@pytest.fixture
def foreign_game(tmp_path):
    """A stock game with the plugin, started; the package is found wherever it is installed."""
    evennia = Path(sys.executable).parent / "evennia"
    subprocess.run([evennia, "--init", "stock"], cwd=tmp_path, check=True, capture_output=True)
    folder = tmp_path / "stock"
    (folder / "evennia_assistant").symlink_to(Path(evennia_assistant.__file__).parent)
    game = GameProcess(folder)

    secret = folder / "server/conf/secret_settings.py"
    secret.write_text(secret.read_text() + game.ports.as_settings())
    settings = folder / "server/conf/settings.py"
    first, marker, last = settings.read_text().partition("SERVERNAME =")
    settings.write_text(first + SETTINGS_LINE + marker + last)
    cmdsets = folder / "commands/default_cmdsets.py"
    head, super_call, tail = cmdsets.read_text().partition("super().at_cmdset_creation()\n")
    cmdsets.write_text(IMPORT_LINE + head + super_call + CMDSET_LINE + tail)

    try:
        game.prepare()
        game.start()
        yield game
    finally:
        game.stop()


def test_three_lines_and_one_command(foreign_game):
    with foreign_game.player("admin") as admin:
        admin.login(foreign_game.admin, foreign_game.password)
        admin.send("aisetup/init innkeeper")
        admin.expect("(?i)innkeeper")
        admin.read()
        admin.send("talk innkeeper = Good evening! Who are you?")
        admin.expect(r'(?i)innkeeper.* (says|whispers|asks).*"(.+)"', timeout=20)
